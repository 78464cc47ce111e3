"""mixrag publish: the index as it is now, put where others can read it."""

from __future__ import annotations

from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command


@command
def publish(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="A folder, or s3://…, gs://… or az://… with the prefix to use.")
    ],
    *,
    face: Face,
) -> None:
    """Put the last commit where others can read it with --store ADDRESS.

    Only what is not there yet is sent. Readers see the new commit at their next question; a folder may as well be
    served by any web server and read by its https:// address.
    """
