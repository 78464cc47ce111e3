"""mixrag show: the cited page, lines, table or cells in context."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixrag_cli.commands.options import Face, command
from mixrag_cli.output.streams import write_json

if TYPE_CHECKING:
    from mixrag_cli.store import StoreReader


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
    from mixrag_cli.store import find_store_of, open_reader

    with open_reader(find_store_of(ref, Path.cwd(), face.settings().store)) as reader:
        (_show_tables if tables else _show_passage)(reader, ref, face)


def _show_tables(reader: StoreReader, ref: str, face: Face) -> None:
    from mixrag_cli.stories.showing import find_document

    row = find_document(reader.document_rows(), ref.partition("#")[0] or ref, reader.store, Path.cwd())
    found = (*reader.tables_of(row.id), *reader.facts([row.id]).get(row.id, ()))
    if face.json:
        from mixrag_cli.output.payloads import tables_to_json

        write_json(tables_to_json(row.path, found))
    else:
        from mixrag_cli.output.terminal import print_tables

        print_tables(face.console(), row.path, found)


def _show_passage(reader: StoreReader, ref: str, face: Face) -> None:
    from mixrag_cli.stories.showing import show_passage

    rows = reader.document_rows()
    passage = show_passage(reader, rows, ref)
    if face.json:
        from mixrag_cli.output.payloads import show_to_json

        write_json(show_to_json(passage))
    else:
        from mixrag_cli.commands.sources import locate_files
        from mixrag_cli.output.terminal import print_passage

        print_passage(face.console(), passage, locate_files(lambda: rows, reader.store))
