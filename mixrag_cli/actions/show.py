"""mixrag show: the cited page, lines, table or cells in context."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.actions.caller import settings_of
from mixrag_cli.actions.screen import render
from mixrag_cli.actions.sources import locate_files
from mixrag_cli.commands.options import Face
from mixrag_cli.output.payloads import show_to_json, tables_to_json
from mixrag_cli.output.terminal import print_passage, print_tables
from mixrag_cli.store import StoreReader, find_store_of, open_reader
from mixrag_cli.stories.freshness import origin_note
from mixrag_cli.stories.showing import find_document, show_passage


def show(ref: str, tables: bool, face: Face) -> None:
    """Show a cited place with what stands around it."""
    settings = settings_of(face)
    with open_reader(find_store_of(ref, Path.cwd(), settings.store)) as reader:
        if note := origin_note(reader, settings):
            face.note(note)
        (_show_tables if tables else _show_passage)(reader, ref, face)


def _show_tables(reader: StoreReader, ref: str, face: Face) -> None:
    row = find_document(reader.document_rows(), ref.partition("#")[0] or ref, reader.store, Path.cwd())
    found = (*reader.tables_of(row.id), *reader.facts([row.id]).get(row.id, ()))
    render(face, tables_to_json, print_tables, row.path, found)


def _show_passage(reader: StoreReader, ref: str, face: Face) -> None:
    rows = reader.document_rows()
    passage = show_passage(reader, rows, ref)
    render(face, show_to_json, print_passage, passage, locate=locate_files(reader.documents_saying, reader.store))
