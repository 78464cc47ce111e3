"""mixrag remove: take files out of the index; the files themselves are not touched."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.actions.caller import confirm, settings_of
from mixrag_cli.actions.screen import console_of
from mixrag_cli.commands.options import Face
from mixrag_cli.output.payloads import remove_to_json
from mixrag_cli.output.streams import write_json
from mixrag_cli.output.terminal import print_lines
from mixrag_cli.stories.inspection import remove_documents


def remove(patterns: list[str], yes: bool, face: Face) -> None:
    """Take files out of the index; the files themselves stay."""

    def agree(count: int) -> None:
        if count > 1:
            confirm(f"{count} files will leave the index", yes=yes)

    removed = remove_documents(Path.cwd(), patterns, settings_of(face), agree)
    if face.json:
        write_json(remove_to_json(removed))
    else:
        print_lines(console_of(face), (f"removed {path}" for path in removed))
