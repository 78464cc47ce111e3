"""mixrag show: the cited page, lines, table or cells in context."""

from __future__ import annotations

from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command


@command
def show(
    ref: Annotated[
        str,
        typer.Argument(
            metavar="REF",
            help="A file, with a place if wanted: report.pdf#page=4, a.py#L10-20, c.ipynb#cell=3, "
            "b.xlsx#Sheet!B4:C4; or a passage "
            "id as search prints it: #abc123.",
        ),
    ],
    tables: Annotated[bool, typer.Option("--tables", help="List the tables and facts found in the file.")] = False,
    *,
    face: Face,
) -> None:
    """Show a cited place with what stands around it."""
