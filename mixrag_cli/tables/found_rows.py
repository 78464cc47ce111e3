"""Rows of a sampled table that the word search found, put into the table, so that they are read as its own rows are.

A long table is kept by a sample. All its rows lie in the store as blocks of lines besides, a header line and rows with
bars between their cells (chunking/row_lines.py). What is parsed here is such a block's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import islice

from mixrag_cli.quantities.values import find_decimal_mark, parse_value
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import key_columns, row_name

BAR = " | "
MAX_MARK_TEXTS = 200  # of a column: enough to see its decimal mark
RANGE = re.compile(r"^([A-Z]+)(\d+):([A-Z]+)(\d+)$")
LETTERS = 26


def with_found_rows(table: Table, blocks: Iterable[Chunk]) -> Table:
    """The table with the rows of these blocks that its sample has not, in the order of the source.

    A block is left out where its lines do not tell its rows apart, or where its cells are not those of the table. The
    table itself comes back where no row is new.
    """
    known = {place for cell in table.cells if (place := _place_of(cell)) is not None}
    like = {cell.column: cell for cell in reversed(table.cells) if cell.value is not None}
    marks = {column: _decimal_mark(table, column) for column in like}
    last = max(header.index for header in table.columns)
    behind = max(row.index for row in table.rows) + 1  # an index that no row of the sample has, nor one after it
    added: dict[int, list[Cell]] = {}
    for block in blocks:
        for place, row in _rows_of(block):
            if place not in known and len(row) <= last + 1:
                known.add(place)
                cells = (_to_cell(table, place, c, text, like, marks) for c, text in enumerate(row) if text)
                added[place] = [replace(cell, row=behind + place) for cell in cells]
    return _insert(table, added, behind) if added else table


def _rows_of(block: Chunk) -> list[tuple[int, list[str]]]:
    """The rows of a block, each with its line in the file or its row in the sheet; [] where these are not known."""
    _, *lines = block.text.split("\n")
    first, last = _span_of(block.locator)
    if not lines or last - first + 1 != len(lines):
        return []
    return [(first + number, line.split(BAR)) for number, line in enumerate(lines)]


def _span_of(place: Locator) -> tuple[int, int]:
    if place.lines is not None:
        return place.lines
    found = RANGE.match(place.cells or "")
    return (int(found[2]), int(found[4])) if found else (0, -1)


def _place_of(cell: Cell) -> int | None:
    if cell.line is not None:
        return cell.line
    digits = (cell.address or "").lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return int(digits) if digits.isdecimal() else None


def _decimal_mark(table: Table, column: int) -> str | None:
    """The mark by which the table's own cells of the column were read."""
    cells = list(islice((cell for cell in table.cells if cell.column == column), MAX_MARK_TEXTS))
    by_mark = ([parse_value(cell.text, decimal_mark=mark).value for cell in cells] for mark in ".,")
    has_commas = any(cell.value == comma != point for cell, point, comma in zip(cells, *by_mark, strict=True))
    return find_decimal_mark((cell.text for cell in cells), "," if has_commas else None)


def _to_cell(
    table: Table, place: int, column: int, text: str, like: dict[int, Cell], marks: dict[int, str | None]
) -> Cell:
    """A cell of a found row, with the unit and scale that its column has in the sample; its row is its place."""
    other = like.get(column)
    value: Decimal | None = None
    if other is not None:
        value = parse_value(text, decimal_mark=marks[column]).value
    unit, scale = (other.unit, other.scale) if other is not None and value is not None else ("", 1)
    if table.locator.lines is not None:
        return Cell(place, column, text, value, unit, scale, line=place)
    left = RANGE.match(table.locator.cells or "")
    address = f"{_letters(_number(left[1]) + column)}{place}" if left else None
    return Cell(place, column, text, value, unit, scale, address=address)


def _insert(table: Table, added: dict[int, list[Cell]], behind: int) -> Table:
    """The table with these rows, by their places. behind: what is added to a place, to be the index of its row."""
    places = {cell.row: place for cell in reversed(table.cells) if (place := _place_of(cell)) is not None}
    columns = {header.index for header in table.columns}
    keys = sorted(key_columns(table)) or [c for c in range(max(columns)) if c not in columns]  # labels are no columns
    rows = list(table.rows)
    first = min(places.values(), default=1)
    for place, cells in added.items():
        texts = {cell.column: cell.text for cell in cells}
        path = tuple(texts[key] for key in keys if key in texts)
        rows.append(Header(behind + place, path or (row_name(place - first + 1),)))
        places[behind + place] = place
    order = {row.index: places.get(row.index, 0) for row in rows}
    every = (*table.cells, *(cell for found in added.values() for cell in found if cell.column in columns))
    return replace(
        table,
        rows=tuple(sorted(rows, key=lambda row: order[row.index])),
        cells=tuple(sorted(every, key=lambda cell: (order.get(cell.row, 0), cell.column))),
    )


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * LETTERS + ord(letter) - ord("A") + 1
    return number


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, LETTERS)
        letters = chr(ord("A") + rest) + letters
    return letters


def blocks_by_table(chunks: Sequence[Chunk]) -> dict[str, list[Chunk]]:
    """The found blocks of rows without vectors, by the table that they are part of."""
    found: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        if chunk.is_words_only and chunk.parent:
            found.setdefault(chunk.parent, []).append(chunk)
    return found
