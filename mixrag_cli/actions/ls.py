"""mixrag ls: the files in the index, with what became of each."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.actions.screen import render
from mixrag_cli.commands.options import Face
from mixrag_cli.output.payloads import files_to_json
from mixrag_cli.output.terminal import print_files
from mixrag_cli.stories.inspection import list_files


def ls(patterns: list[str] | None, everything: bool, face: Face) -> None:
    """List the files in the index: state, kind, passages, size and path."""
    found = list_files(Path.cwd(), patterns or (), settings_of(face), left_out=everything)
    render(face, files_to_json, print_files, found)
