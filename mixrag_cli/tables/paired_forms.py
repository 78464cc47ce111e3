"""Forms with several names and values in a row, as orders and bookings have them: one pair below the other.

    Customer            | Vehicle              Customer
    Name: | Ann Lee     | Make:  | Fiat   ─►   Name:  | Ann Lee
    Phone: | 555 0199   | Year:  | 2019        Phone: | 555 0199
                                               Vehicle
                                               Make:  | Fiat
                                               Year:  | 2019

Names are told from values by colons, bold letters or as a format's headings, in each pair of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.tables.forms import MAX_ROWS, MOST
from mixrag_cli.tables.matrix import Matrix

PAIR = 2  # columns: a name and what it says
MAX_PAIRS = 4  # in a row; set by judgement
MIN_NAMES = 2  # in a pair of columns,
MIN_LONGEST = 3  # and in one of them

Named = tuple[GridCell, GridCell]  # a name, and what it says


def stack_pairs(grid: Grid, matrix: Matrix) -> Grid:
    """The grid with its pairs of columns below each other, where it is such a form; else the grid as it is."""
    n_pairs = matrix.n_columns // PAIR
    if matrix.n_columns % PAIR or not 1 < n_pairs <= MAX_PAIRS or matrix.n_rows > MAX_ROWS or grid.profiles:
        return grid
    starts = range(0, matrix.n_columns, PAIR)
    parts = [_named(matrix, start) for start in starts]
    if min(map(len, parts)) < MIN_NAMES or max(map(len, parts)) < MIN_LONGEST or not all(map(_marks_names, parts)):
        return grid
    cells: list[GridCell] = []
    for number, (start, part) in enumerate(zip(starts, parts, strict=True)):
        above = number * grid.n_rows
        cells += [_title(cell, above) for cell in _titles(matrix, start, part)]
        cells += [cell for pair in part for cell in _placed(pair, above)]
    if len(cells) < len(matrix.kinds):
        return grid  # it says more than names and values
    n_rows = n_pairs * grid.n_rows
    cells.sort(key=lambda cell: (cell.row, cell.column))
    return replace(grid, n_rows=n_rows, n_columns=PAIR, cells=tuple(cells), total_rows=n_rows)


def _named(matrix: Matrix, start: int) -> list[Named]:
    """The names of a pair of columns with their values; a name that reaches down names what stands in its last row."""
    found = []
    for row in range(matrix.n_rows):
        name = matrix.own(row, start)
        value = name and matrix.own(row + name.row_span - 1, start + 1)
        if name and value and name.column_span == value.column_span == value.row_span == 1:
            found.append((name, value))
    return found


def _marks_names(part: Sequence[Named]) -> bool:
    """Whether nearly all names are marked in one way, and their values are not."""
    colons = sum(name.text.rstrip().endswith(":") and not value.text.rstrip().endswith(":") for name, value in part)
    bold = sum(name.bold and not value.bold for name, value in part)
    headings = sum(name.is_header and not value.is_header for name, value in part)
    return max(colons, bold, headings) >= MOST * len(part)


def _titles(matrix: Matrix, start: int, part: Sequence[Named]) -> list[GridCell]:
    """The texts of the first row that stand in a pair of columns and are no name or value: what the pair is about."""
    named = {id(cell) for pair in part for cell in pair}
    first = (matrix.own(0, column) for column in (start, start + 1))
    return [cell for cell in first if cell is not None and id(cell) not in named]


def _title(cell: GridCell, above: int) -> GridCell:
    return replace(cell, row=above, column=0, row_span=1, column_span=1, is_header=False)


def _placed(pair: Named, above: int) -> list[GridCell]:
    """A name and its value below the rows of the pairs before them, the name bold and the value not."""
    row = above + pair[1].row
    name, value = (replace(cell, row=row, row_span=1, is_header=False) for cell in pair)
    return [replace(name, column=0, bold=True), replace(value, column=1, bold=False)]
