"""Tables that stand side by side in one grid, as balance sheets and long lists in two halves do: one below the other.

    Assets    |     | Debts |                Assets
    Cash      | 120 | Loans |  80    ─►      Cash   | 120
    Stocks    |  40 | Taxes |  15            Stocks |  40
                                             Debts
                                             Loans  |  80
                                             Taxes  |  15

Each half has labels and, beside them, figures. Above the figures stands nothing, or both halves have the same headings.
Halves of more columns have the same headings and a blank column between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mixrag_cli.quantities.values import kind_of
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.tables.matrix import DATA_KINDS, Matrix

HALF_WIDTH = 2  # a label and a figure
MIN_ROWS = 3
MIN_NAMES = 3  # headings of a half of more columns, all different
MAX_ROWS_ABOVE = 6  # titles above them
MIN_KIND = 0.8  # of a column's cells: texts in the labels, figures beside them
MIN_DIFFERENT = 0.8  # of the labels of a half: a unit beside each figure is a few words again and again


def stack_halves(grid: Grid, matrix: Matrix) -> Grid:
    """The grid with its right half below its left one, where it has halves; else the grid as it is."""
    if matrix.n_columns != 2 * HALF_WIDTH or matrix.n_rows < MIN_ROWS or grid.profiles:
        return grid
    if any(cell.row_span > 1 or cell.column_span > 1 for cell in grid.cells):
        return grid
    has_header = _has_same_header(matrix)
    first = 1 if has_header or _has_lone_titles(matrix) else 0
    if not all(_is_half(matrix, start, first) for start in (0, HALF_WIDTH)):
        return grid
    header = 0 if has_header else -1
    return _below_each_other(grid, header, HALF_WIDTH, HALF_WIDTH, grid.n_rows - has_header)


def stack_repeated(grid: Grid) -> Grid:
    """The grid with its right half below its left one, where both have the same several headings and a blank column
    parts them; a blank row then stands between. Else the grid as it is.
    """
    if grid.profiles:
        return grid
    rows: dict[int, list[GridCell]] = {}
    for cell in sorted(grid.cells, key=_place):
        if cell.text.strip():
            rows.setdefault(cell.row, []).append(cell)
    for row in sorted(rows)[:MAX_ROWS_ABOVE]:
        names = [" ".join(cell.text.split()).casefold() for cell in rows[row]]
        n_names, rest = divmod(len(names), 2)
        if rest or names[:n_names] != names[n_names:] or not MIN_NAMES <= len(set(names)) == n_names:
            continue
        first, start = rows[row][0].column, rows[row][n_names].column
        body = [cell for at in rows for cell in rows[at] if at > row]
        halves = [cell for cell in body if cell.column < start], [cell for cell in body if cell.column >= start]
        is_parted = not any(cell.column < start <= cell.column + cell.column_span for cell in (*rows[row], *body))
        if not (is_parted and _is_list(halves[0], first) and _is_list(halves[1], start)):
            return grid
        return _below_each_other(grid, row, start, start - first, grid.n_rows - row)
    return grid


def _is_list(half: Sequence[GridCell], first: int) -> bool:
    """Whether the first column holds texts, and those beside it mostly figures."""
    labels = [kind_of(cell.text) == "text" for cell in half if cell.column == first]
    figures = [kind_of(cell.text) in DATA_KINDS for cell in half if cell.column > first]
    return sum(labels) >= max(MIN_KIND * len(labels), MIN_ROWS - 1) and sum(figures) >= max(
        MIN_KIND * len(figures), MIN_ROWS - 1
    )


def _below_each_other(grid: Grid, header: int, start: int, shift: int, down: int) -> Grid:
    """The cells from column start on moved to the left, and down where they stand below the headings, which go.

    header: the row of the headings, -1 where there are none. shift, down: by how many columns and rows.
    """
    cells = {_place(cell): cell for cell in grid.cells if cell.column < start}
    for cell in grid.cells:
        if cell.column >= start and cell.row != header:
            moved = replace(cell, row=cell.row + (down if cell.row > header else 0), column=cell.column - shift)
            cells.setdefault(_place(moved), moved)
    n_rows = grid.n_rows + down
    ordered = tuple(cells[place] for place in sorted(cells))
    return replace(grid, n_rows=n_rows, n_columns=start, cells=ordered, total_rows=n_rows)


def _place(cell: GridCell) -> tuple[int, int]:
    return cell.row, cell.column


def _has_same_header(matrix: Matrix) -> bool:
    """Whether the first row says the same texts over both halves."""
    texts = [matrix.text(0, column) for column in range(matrix.n_columns)]
    kinds = {matrix.kind(0, column) for column in range(matrix.n_columns)}
    return texts[:HALF_WIDTH] == texts[HALF_WIDTH:] and kinds == {"text"}


def _has_lone_titles(matrix: Matrix) -> bool:
    """Whether the first row says what each half is about, above its labels, and nothing above the figures."""
    return all(matrix.kind(0, start) == "text" and matrix.at(0, start + 1) is None for start in (0, HALF_WIDTH))


def _is_half(matrix: Matrix, start: int, first: int) -> bool:
    """Whether the two columns from start on are labels and figures, from row first on."""
    rows = range(first, matrix.n_rows)
    labels = [matrix.text(row, start) for row in rows if matrix.at(row, start)]
    texts = [row for row in rows if matrix.kind(row, start) == "text"]
    values = [matrix.kind(row, start + 1) for row in rows if matrix.at(row, start + 1)]
    figures = sum(kind in DATA_KINDS for kind in values)
    return (
        len(texts) >= max(MIN_KIND * len(labels), MIN_ROWS - 1)
        and figures >= max(MIN_KIND * len(values), MIN_ROWS - 1)
        and len(set(labels)) >= MIN_DIFFERENT * len(labels)
    )
