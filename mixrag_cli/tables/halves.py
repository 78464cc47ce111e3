"""Tables that stand side by side in one grid, as balance sheets and long lists in two halves do: one below the other.

    Assets    |     | Debts |                Assets
    Cash      | 120 | Loans |  80    ─►      Cash   | 120
    Stocks    |  40 | Taxes |  15            Stocks |  40
                                             Debts
                                             Loans  |  80
                                             Taxes  |  15

Each half has labels and, beside them, figures. Above the figures stands nothing, or both halves have the same headings.
Parts of more columns, two and more of them, have the same headings and a column without one between them, or each
numbers its rows from 1 on.
"""

from __future__ import annotations

from bisect import bisect_right
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
    """The grid with its parts one below the other, where they have the same several headings with a column without one
    between them; a blank row then stands between, and each part below its own title. Else the grid as it is.
    """
    if grid.profiles:
        return grid
    rows: dict[int, list[GridCell]] = {}
    for cell in sorted(grid.cells, key=_place):
        if cell.text.strip():
            rows.setdefault(cell.row, []).append(cell)
    for row in sorted(rows)[:MAX_ROWS_ABOVE]:
        starts = _starts_of_parts(rows[row])
        if not starts:
            continue
        body = [cell for at in rows for cell in rows[at] if at > row]
        parts = [[cell for cell in body if _part_of(cell, starts) == part] for part in range(len(starts))]
        cells = (*rows[row], *body)
        is_parted = all(
            not any(cell.column == start - 1 for cell in rows[row])
            and not any(cell.column < start < cell.column + cell.column_span for cell in cells)
            for start in starts[1:]
        )
        is_named = all(cell.column >= starts[0] for cell in body)
        are_rows = all(map(_is_list, parts, starts)) or (is_named and all(map(_are_records, parts, starts)))
        if not (is_parted and are_rows) and not (is_named and all(map(_count_on, parts, starts))):
            return grid
        grid = _without_remarks(grid, parts, starts)
        return _stacked(grid, row, starts, [cell for at in rows for cell in rows[at] if at < row])
    return grid


def _without_remarks(grid: Grid, parts: Sequence[Sequence[GridCell]], starts: Sequence[int]) -> Grid:
    """The grid with what ends a part alone, beside its first column, as a note: it heads no part below it."""
    remarks = []
    for part, start in zip(parts[:-1], starts, strict=False):
        last = max(cell.row for cell in part)
        ends = [cell for cell in part if cell.row == last]
        remarks += [cell for cell in ends if len(ends) == 1 and cell.column > start]
    kept = tuple(cell for cell in grid.cells if cell not in remarks)
    return replace(grid, cells=kept, notes=(*grid.notes, *(cell.text.strip() for cell in remarks)))


def _starts_of_parts(headings: Sequence[GridCell]) -> list[int]:
    """The columns at which the headings begin anew, in parts of the same width; [] where they do not."""
    names = [" ".join(cell.text.split()).casefold() for cell in headings]
    n_names = names.index(names[0], 1) if names[0] in names[1:] else len(names)
    n_parts, rest = divmod(len(names), n_names)
    if n_parts < 2 or rest or n_names < MIN_NAMES or len(set(names)) != n_names or names != names[:n_names] * n_parts:
        return []
    offsets = [
        [cell.column - headings[at].column for cell in headings[at : at + n_names]]
        for at in range(0, len(names), n_names)
    ]
    return [cell.column for cell in headings[::n_names]] if all(each == offsets[0] for each in offsets) else []


def _part_of(cell: GridCell, starts: Sequence[int]) -> int:
    """The part in whose columns the cell stands; what stands before the first is in that."""
    return max(bisect_right(starts, cell.column) - 1, 0)


def _is_list(part: Sequence[GridCell], first: int) -> bool:
    """Whether the first column holds texts, and those beside it mostly figures."""
    labels = [kind_of(cell.text) == "text" for cell in part if cell.column == first]
    figures = [kind_of(cell.text) in DATA_KINDS for cell in part if cell.column > first]
    return sum(labels) >= max(MIN_KIND * len(labels), MIN_ROWS - 1) and sum(figures) >= max(
        MIN_KIND * len(figures), MIN_ROWS - 1
    )


def _are_records(part: Sequence[GridCell], first: int) -> bool:
    """Whether the first column holds texts or days, one at the least, so that rows are named."""
    named = [cell.is_date or kind_of(cell.text) in ("text", "date") for cell in part if cell.column == first]
    return sum(named) >= max(MIN_KIND * len(named), 1)


def _count_on(part: Sequence[GridCell], first: int) -> bool:
    """Whether the first column numbers the rows from 1 on, two and more."""
    numbers = [cell.text.strip() for cell in part if cell.column == first]
    return len(numbers) > 1 and numbers == [str(n) for n in range(1, len(numbers) + 1)]


def _stacked(grid: Grid, header: int, starts: Sequence[int], above: Sequence[GridCell]) -> Grid:
    """The parts one below the other, each below its title where each has one of its own, and below one row of headings.

    above: what stands above the headings.
    """
    by_part = [[cell for cell in above if _part_of(cell, starts) == part] for part in range(len(starts))]
    titles = [own[0] for own in by_part if len(own) == 1] if all(len(own) == 1 for own in by_part) else []
    cells: dict[tuple[int, int], GridCell] = {}
    down = grid.n_rows - header + bool(titles)
    for cell in grid.cells:
        part = _part_of(cell, starts)
        row, column = cell.row, cell.column - starts[part] + starts[0]
        if cell in titles:
            row = header + 1 + part * down
        elif cell.row > header:
            row += bool(titles) + part * down
        elif cell.row == header and part:
            continue
        moved = replace(cell, row=row, column=column)
        cells.setdefault(_place(moved), moved)
    n_rows = grid.n_rows + bool(titles) + (len(starts) - 1) * down
    ordered = tuple(cells[place] for place in sorted(cells))
    return replace(grid, n_rows=n_rows, n_columns=starts[1], cells=ordered, total_rows=n_rows)


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
