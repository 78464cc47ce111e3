"""mixrag publish: the index as it is now, put where others can read it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command
from mixrag_cli.output.streams import write_json


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
    from mixrag_cli.output.publish_view import publish_line, publish_to_json
    from mixrag_cli.stories.sharing import publish_index

    done = publish_index(Path.cwd(), address, face.settings())
    if face.json:
        write_json(publish_to_json(done))
    else:
        face.note(publish_line(done))
