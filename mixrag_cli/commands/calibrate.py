"""mixrag calibrate: what each source's scores are worth in this collection, from judged questions or without."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command


@command
def calibrate(
    labels: Annotated[
        Path | None,
        typer.Argument(
            metavar="LABELS",
            help='JSON lines such as {"question": "…", "path": "report.pdf", "page": 4}; without, questions are drawn.',
        ),
    ] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Go back to the thresholds that are shipped.")] = False,
    page: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the report as a page.")] = None,
    wait_s: Annotated[
        float, typer.Option("--wait", metavar="S", min=0, help="Wait this many seconds for an index run to end.")
    ] = 0,
    *,
    face: Face,
) -> None:
    """Fit the thresholds of each source to this index, with labels or without.

    A label names a file and may narrow it by "page", "lines" or "cells"; "relevant": false says that the place does
    not answer the question. With "answer" it says what is right, or null where no file does: ten of them and more tell
    how sure answers are here, and so which are stated.
    """
