"""A table laid out for a language model: a line of column paths, then a line a row; never cut inside one."""

from __future__ import annotations

from collections.abc import Sequence

from mixrag_cli.fencing import one_line
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import ARROW, key_columns, unit_text

BAR = " | "


def head_lines(table: Table, columns: Sequence[Header]) -> list[str]:
    """Title and unit where there are any, and the line that names the columns."""
    lines = [one_line(table.title)] if table.title else []
    if unit := unit_text(table):
        lines.append(f"unit: {one_line(unit)}")
    return [*lines, BAR.join(("row", *(one_line(ARROW.join(column.path)) or "-" for column in columns)))]


def shown_columns(table: Table) -> tuple[Header, ...]:
    """The columns of data; a row's own names stand in its path."""
    keys = key_columns(table)
    return tuple(column for column in table.columns if column.index not in keys)


def row_lines(table: Table, columns: Sequence[Header]) -> dict[int, str]:
    """A line a row by grid index: its path, then its cells under their columns; an empty cell's place is left blank."""
    by_row: dict[int, dict[int, Cell]] = {row.index: {} for row in table.rows}
    for cell in table.cells:
        for row in range(cell.row, cell.row + cell.row_span):
            for column in range(cell.column, cell.column + cell.column_span):
                if row in by_row:
                    by_row[row].setdefault(column, cell)
    lines = {}
    for header in table.rows:
        cells = by_row[header.index]
        texts = (one_line(cells[column.index].text) if column.index in cells else "" for column in columns)
        lines[header.index] = BAR.join((one_line(ARROW.join(header.path)), *texts))
    return lines
