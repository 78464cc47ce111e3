"""mixrag show: the cited page, lines, table or cells in context."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command
from mixrag_cli.output.streams import write_json


@command
def show(
    ref: Annotated[
        str,
        typer.Argument(
            metavar="REF",
            help="A file, with a place if wanted: report.pdf#page=4, a.py#L10-20, b.xlsx#Sheet!B4:C4; or a passage "
            "id as search prints it: #abc123.",
        ),
    ],
    tables: Annotated[bool, typer.Option("--tables", help="List the tables found in the file.")] = False,
    *,
    face: Face,
) -> None:
    """Show a cited place with what stands around it."""
    from mixrag_cli.output.payloads import show_to_json, tables_to_json
    from mixrag_cli.pipeline.showing import find_document, show_passage
    from mixrag_cli.store import find_store, open_reader

    reader = open_reader(find_store(Path.cwd(), face.settings().store))
    rows = reader.document_rows()
    if tables:
        row = find_document(rows, ref.partition("#")[0] or ref)
        found = tuple(reader.tables_of(row.id))
        if face.json:
            return write_json(tables_to_json(row.path, found))
    else:
        passage = show_passage(reader, rows, ref)
        if face.json:
            return write_json(show_to_json(passage))

    from mixrag_cli.commands.sources import locate_files
    from mixrag_cli.output.terminal import print_passage, print_tables

    console = face.console()
    if tables:
        print_tables(console, row.path, found)
    else:
        print_passage(console, passage, locate_files(lambda: rows, reader.store))
    return None
