"""mixrag remove: take files out of the index; the files themselves are not touched."""

from __future__ import annotations

from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, YesOption, command


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
