"""Columns that are there for looks alone, left out: the reach of merged cells, list marks, signs apart from figures.

Name (2 columns) |  | 2015 (3 columns) |        |           Name  | 2015
North Ltd        |  | $                | 54,000 |     ─►    North | $54,000
South Ltd        |  | (                | 3,000  | )         South | (3,000)
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from mixrag_cli.records.documents import Grid, GridCell

OPENING = re.compile(r"[A-Z]{0,3}[$€£¥₹]\s?\(?|\(")  # of a figure to its right: "$", "US$", "$(", "("
CLOSING = re.compile(r"\)?\s?%?")  # of one to its left: ")", "%", ")%"
MARK = re.compile(r"[-–—•●▪·*:|]*")
FIGURE = re.compile(r"[-–—]|\W{0,3}\d[\d.,]*")


def narrow_grid(grid: Grid) -> Grid:
    """The grid without columns in which nothing begins but list marks or dashes; as it is where columns are profiled.

    A column of nothing but signs beside figures goes, too, and each sign is written to its figure.
    """
    if grid.profiles:
        return grid
    grid = _without_blank_columns(grid)
    cells = {(cell.row, cell.column): cell for cell in grid.cells}
    rows: dict[int, list[int]] = defaultdict(list)
    for row, column in cells:
        rows[column].append(row)
    for column in sorted(rows):
        _write_signs(cells, column, rows[column])
    return _without_blank_columns(replace(grid, cells=tuple(cells[place] for place in sorted(cells))))


def _without_blank_columns(grid: Grid) -> Grid:
    kept = _begun_columns(grid)
    if len(kept) == grid.n_columns:
        return grid
    cells = []
    for cell in grid.cells:
        first = bisect_left(kept, cell.column)
        span = bisect_left(kept, cell.column + cell.column_span) - first
        if span:
            cells.append(replace(cell, column=first, column_span=span))
    return replace(grid, n_columns=len(kept), cells=tuple(cells))


def _begun_columns(grid: Grid) -> list[int]:
    """The columns in which a text begins, less those where each text that begins there reaches into the next one that
    is kept.
    """
    reach: dict[int, int] = {}  # column -> the nearest end of the texts that begin there
    for cell in grid.cells:
        if not MARK.fullmatch(cell.text.strip()):
            reach[cell.column] = min(reach.get(cell.column, grid.n_columns), cell.column + cell.column_span)
    kept: list[int] = []
    for column in sorted(reach, reverse=True):
        if reach[column] <= (kept[-1] if kept else grid.n_columns):
            kept.append(column)
    return kept[::-1]


def _write_signs(cells: dict[tuple[int, int], GridCell], column: int, rows: Sequence[int]) -> None:
    """Write a column of signs to the figures on their right, or on their left; leave any other column as it is.

    rows: those with a cell in the column.
    """
    own = (cells[row, column] for row in rows)
    signs = [cell for cell in own if cell.text.strip() and cell.column_span == 1]
    for pattern, side in ((OPENING, 1), (CLOSING, -1)):
        figures = [cells.get((sign.row, column + side)) for sign in signs]
        if not signs or not all(pattern.fullmatch(sign.text.strip()) for sign in signs):
            continue
        if not all(figure is not None and FIGURE.match(figure.text.strip()) for figure in figures):
            continue
        for sign, figure in zip(signs, figures, strict=True):
            if figure is not None:
                parts = (sign.text.strip(), figure.text.strip())[::side]
                cells[figure.row, figure.column] = replace(figure, text="".join(parts))
                cells[sign.row, column] = replace(sign, text="")
        return
