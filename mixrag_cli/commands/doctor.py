"""mixrag doctor: is this machine fit for mixrag, with a remedy for each finding."""

from __future__ import annotations

from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command


@command
def doctor(
    index: Annotated[bool, typer.Option("--index", help="Also read all of the index and verify it.")] = False,
    model: Annotated[bool, typer.Option("--model", help="Also load the generator and measure how fast it is.")] = False,
    gpu: Annotated[
        bool, typer.Option("--gpu", help="Also tell which cards are there and used, and what they are worth.")
    ] = False,
    *,
    face: Face,
) -> None:
    """Check that this machine is fit, with remedies.

    Exit code 1 means that a check failed.
    """
