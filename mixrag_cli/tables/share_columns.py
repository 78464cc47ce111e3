"""Columns in which a count and its share stand in one cell: "160 77.67%" is 160, and beside it 77.67 %."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mixrag_cli.records.documents import Grid, GridCell

COUNT_AND_SHARE = re.compile(r"(\d{1,3}(?:,\d{3})+|\d{1,9})\s+(\d{1,3}(?:[.,]\d{1,2})?\s?%)")
MIN_PAIRS = 3  # of a column; set by judgement, as
MOST = 0.8  # of the cells from the first pair on


def part_shares(grid: Grid) -> Grid:
    """The grid with two columns for each in which most cells are a count and its share; other cells span both.

    It stays as it is where columns are profiled.
    """
    firsts = _columns_of_pairs(grid.cells) if not grid.profiles else {}
    if not firsts:
        return grid

    def moved(column: int) -> int:
        return column + sum(other < column for other in firsts)

    cells: list[GridCell] = []
    for cell in grid.cells:
        start, end = moved(cell.column), moved(cell.column + cell.column_span)
        pair = COUNT_AND_SHARE.fullmatch(cell.text.strip()) if cell.column in firsts and cell.column_span == 1 else None
        if pair is not None:
            cells += [replace(cell, column=start + at, text=text) for at, text in enumerate(pair.groups())]
        elif cell.row > firsts.get(cell.column, cell.row):
            cells.append(replace(cell, column=start, column_span=1))  # one figure alone is no share
        else:
            cells.append(replace(cell, column=start, column_span=end - start))
    return replace(grid, n_columns=moved(grid.n_columns), cells=tuple(cells))


def _columns_of_pairs(cells: Sequence[GridCell]) -> dict[int, int]:
    """The columns of counts with shares, each with the row of its first pair."""
    rows: dict[int, list[int]] = {}
    for cell in cells:
        if "%" in cell.text and cell.column_span == 1 and COUNT_AND_SHARE.fullmatch(cell.text.strip()):
            rows.setdefault(cell.column, []).append(cell.row)
    firsts = {column: min(found) for column, found in rows.items() if len(found) >= MIN_PAIRS}
    filled = dict.fromkeys(firsts, 0)
    for cell in cells:
        if cell.column in firsts and cell.row >= firsts[cell.column] and cell.text.strip():
            filled[cell.column] += 1
    return {column: first for column, first in firsts.items() if len(rows[column]) >= MOST * filled[column]}
