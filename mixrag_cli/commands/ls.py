"""mixrag ls: the files in the index, with what became of each."""

from __future__ import annotations

from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command


@command
def ls(
    patterns: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Only these files, folders or globs.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", "-a", help="Files that a rule leaves out as well.")] = False,
    *,
    face: Face,
) -> None:
    """List the files in the index: state, kind, passages, size and path.

    A file is indexed, empty, skipped (it could not be read), stale (it has changed since) or gone.
    """
