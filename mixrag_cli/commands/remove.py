"""mixrag remove: take files out of the index; the files themselves are not touched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, YesOption, command, confirm
from mixrag_cli.output.streams import write_json


@command
def remove(
    patterns: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Indexed files, folders or globs, as mixrag prints them.")
    ],
    yes: YesOption = False,
    *,
    face: Face,
) -> None:
    """Take files out of the index; the files themselves stay."""
    from mixrag_cli.stories.inspection import remove_documents

    def agree(count: int) -> None:
        if count > 1:
            confirm(f"{count} files will leave the index", yes=yes)

    removed = remove_documents(Path.cwd(), patterns, face.settings(), agree)
    if face.json:
        from mixrag_cli.output.payloads import remove_to_json

        write_json(remove_to_json(removed))
    else:
        from mixrag_cli.output.terminal import print_lines

        print_lines(face.console(), (f"removed {path}" for path in removed))
