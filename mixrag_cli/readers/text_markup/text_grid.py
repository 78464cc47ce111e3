"""A table that stands in the lines of a text: its cells with their lines, and the grid that they make up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator

MAX_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table and the lines that draw it, [first, last) from 0."""

    first: int
    last: int
    grid: Grid


@dataclass(frozen=True, slots=True)
class TextCell:
    """A cell as it is written. line, last_line: of its text, from 0; last_line is None where it is the same."""

    text: str
    line: int
    last_line: int | None = None
    row_span: int = 1
    column_span: int = 1
    is_header: bool = False


def to_table(rows: Sequence[Sequence[TextCell]], lines: tuple[int, int], caption: str = "") -> TextTable:
    """The table of these rows, drawn in the lines [first, last) from 0; a cell stands at the next free column."""
    cells: list[GridCell] = []
    free_from: dict[int, int] = {}  # column -> the first row that is free again
    for number, row in enumerate(rows):
        column = 0
        for cell in row:
            while free_from.get(column, 0) > number:
                column += 1
            free_from.update(dict.fromkeys(range(column, column + cell.column_span), number + cell.row_span))
            cells.append(_placed(cell, number, column))
            column += cell.column_span
    n_columns = max(cell.column + cell.column_span for cell in cells)
    place = Locator((0, 0), lines=(lines[0] + 1, lines[1]))
    return TextTable(*lines, Grid(len(rows), n_columns, tuple(cells), place, caption=caption, total_rows=len(rows)))


def with_their_lines(records: Any, first: int) -> Iterator[tuple[int, list[str]]]:
    """The values of each record of a csv reader over lines from the first on, with the line where it begins, from 0.

    Raises csv.Error.
    """
    at = first
    for values in records:
        if values:
            yield at, values
        at = first + records.line_num


def _placed(cell: TextCell, row: int, column: int) -> GridCell:
    last = cell.last_line
    return GridCell(
        row,
        column,
        cell.text,
        cell.row_span,
        cell.column_span,
        is_header=cell.is_header,
        line=cell.line + 1,
        last_line=last + 1 if last is not None and last > cell.line else None,
    )
