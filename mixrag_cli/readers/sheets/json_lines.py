"""JSON lines: one object a line is one row of a table, its keys the columns; any other such file is text.

Objects inside are columns of their own ("user.name"), the entries of a list stand between commas, and what lies deeper
stays JSON. Numbers are never turned into floats: each cell says what the file says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decoding_warnings, read_decoded
from mixrag_cli.readers.sheets.delimited import add_rows
from mixrag_cli.readers.sheets.grids import MAX_CELL_CHARS, MAX_GRID_COLUMNS
from mixrag_cli.readers.sheets.sampling import RowSampler, SourceRow
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text import add_text, cut_note
from mixrag_cli.records.documents import Document

MIN_RECORDS = 2
MIN_FILLED = 0.3  # of all cells: records of many kinds share few keys and make no table
MAX_DEPTH = 3  # of objects within objects that become columns
BEAT_ROWS = 2_000

Records = list[tuple[int, dict[str, str]]]  # of each record its line, from 1, and the texts of its fields


def read_json_lines(source: ReadSource) -> Document:
    """The table of such a file, else its text. Above the text limit only the beginning is read, and a warning says so.

    Raises FileUnreadable("binary").
    """
    decoded = read_decoded(source, may_cut=True)
    builder = DocumentBuilder("text")
    builder.warnings += [*decoding_warnings(decoded), *cut_note(source)]
    records = text_to_records(decoded.text)
    names = list(dict.fromkeys(name for _, fields in records for name in fields))
    if not is_table(records, len(names)):
        add_text(builder, decoded.text, source.suffix, source.beat)
        return builder.build()
    sampler = RowSampler()
    sampler.add(SourceRow(0, names))
    for number, (line, fields) in enumerate(records, 1):
        sampler.add(SourceRow(number, [fields.get(name, "") for name in names], (line, line)))
        if number % BEAT_ROWS == 0:
            source.beat(number, len(records))
    add_rows(builder, sampler)
    return builder.build()


def is_table(records: Records, n_columns: int) -> bool:
    """Whether there are several records, of few enough keys, which most of them have."""
    n_filled = sum(map(len, (fields for _, fields in records)))
    return (
        len(records) >= MIN_RECORDS
        and 1 < n_columns <= MAX_GRID_COLUMNS
        and n_filled >= MIN_FILLED * n_columns * len(records)
    )


def text_to_records(text: str) -> Records:
    """The objects of all lines but blank ones; [] where a line is no object, or none that can be read."""
    records: Records = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
        except (ValueError, RecursionError):
            return []
        if not isinstance(found, dict):
            return []
        records.append((number, dict(_fields(found))))
    return records


def _fields(record: Mapping[str, object], parents: str = "", depth: int = 1) -> Iterator[tuple[str, str]]:
    """The record's fields that hold something, each with its text."""
    for key, value in record.items():
        name = f"{parents}{key}"
        if isinstance(value, dict) and depth < MAX_DEPTH:
            yield from _fields(value, f"{name}.", depth + 1)
        elif value not in (None, "", [], {}):
            yield name, _cell_text(value)


def _cell_text(value: object) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)[:MAX_CELL_CHARS]
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))[:MAX_CELL_CHARS]
