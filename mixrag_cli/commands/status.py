"""mixrag status: what is indexed, what is not and why, models, thresholds, size, age."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command
from mixrag_cli.output.streams import write_json


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
    from mixrag_cli.stories.inspection import read_status

    found = read_status(Path.cwd(), face.settings())
    if face.json:
        from mixrag_cli.output.payloads import status_to_json

        write_json(status_to_json(found))
    else:
        from mixrag_cli.output.terminal import print_status

        print_status(face.console(), found, list_skipped=skipped, list_changed=changed)
