"""mixrag remove: take files out of the index; the files themselves are not touched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, YesOption, command, confirm
from mixrag_cli.output.streams import write_json


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
    from mixrag_cli.pipeline.inspection import documents_matching, remove_documents
    from mixrag_cli.store import find_store, open_reader

    settings = face.settings()
    with open_reader(find_store(Path.cwd(), settings.store)) as reader:
        matching = documents_matching(reader.document_rows(), patterns)
    if len(matching) > 1:
        confirm(f"{len(matching)} files will leave the index", yes=yes)
    removed = remove_documents(Path.cwd(), patterns, settings)
    if face.json:
        from mixrag_cli.output.payloads import remove_to_json

        write_json(remove_to_json(removed))
    else:
        from mixrag_cli.output.terminal import print_lines

        print_lines(face.console(), (f"removed {path}" for path in removed))
