"""mixrag status: what is indexed, what is not and why, models, thresholds, size, age."""

from __future__ import annotations

from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command


@command
def status(
    skipped: Annotated[
        bool, typer.Option("--skipped", help="List the files that are not in the index, and why.")
    ] = False,
    changed: Annotated[bool, typer.Option("--changed", help="List the files that differ from the index.")] = False,
    *,
    face: Face,
) -> None:
    """Tell what is in the index, and what is not."""
