"""mixrag remove: take files out of the index; the files themselves are not touched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mixrag_cli.actions.caller import confirm, settings_of
from mixrag_cli.actions.screen import render
from mixrag_cli.commands.options import Face
from mixrag_cli.output.console import Console
from mixrag_cli.output.payloads import remove_to_json
from mixrag_cli.output.terminal import print_lines
from mixrag_cli.stories.inspection import remove_documents


def remove(patterns: list[str], yes: bool, face: Face) -> None:
    """Take files out of the index; the files themselves stay."""

    def agree(count: int) -> None:
        if count > 1:
            confirm(f"{count} files will leave the index", yes=yes)

    removed = remove_documents(Path.cwd(), patterns, settings_of(face), agree)
    render(face, remove_to_json, _print_removed, removed)


def _print_removed(console: Console, removed: Sequence[str]) -> None:
    print_lines(console, (f"removed {path}" for path in removed))
