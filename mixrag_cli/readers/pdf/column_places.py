"""Where the columns of a PDF's tables stand, and whether a table names them itself: what tells parts of one table."""

from __future__ import annotations

from statistics import median

from mixrag_cli.readers.pdf.layout import is_number
from mixrag_cli.readers.pdf.pieces import YEAR
from mixrag_cli.readers.pdf.running import CAPTION
from mixrag_cli.records.documents import Grid, GridCell

SAME_PLACE_POINTS = 4.0  # columns of figures end within a "%" or a parenthesis of each other
MIN_HEADER_TEXTS = 2
MAX_BOX_ROWS = 3

Place = tuple[float, float, float]  # of a column: left edge, right edge, middle


def n_header_rows(grid: Grid) -> int:
    """How many rows at the top hold headings, as far as the finder of the table knows."""
    return max((cell.row + cell.row_span for cell in grid.cells if cell.is_header), default=0)


def is_heading_box(grid: Grid) -> bool:
    """Whether a table is a box of headings alone: few rows, and in each a text over the columns of figures."""
    rows = _rows_over_figures(grid)
    return len(rows) == grid.n_rows <= MAX_BOX_ROWS and all(
        len(row) >= MIN_HEADER_TEXTS and not all(is_number(cell.text) for cell in row) for row in rows.values()
    )


def heading_rows(grid: Grid) -> tuple[int, ...]:
    """The rows that name columns, from the top: those that the finder of the table knows, all of a box of headings,
    else those of several texts above the first figures.
    """
    if (n_header := n_header_rows(grid)) or is_heading_box(grid):
        return tuple(range(n_header or grid.n_rows))
    found: list[int] = []
    for row, cells in sorted(_rows_over_figures(grid).items()):
        if any(is_number(cell.text) and not YEAR.match(cell.text) for cell in cells):
            return tuple(found)
        if len(cells) >= MIN_HEADER_TEXTS:
            found.append(row)
    return ()


def _rows_over_figures(grid: Grid) -> dict[int, list[GridCell]]:
    """The cells behind the labels, by row."""
    rows: dict[int, list[GridCell]] = {}
    for cell in grid.cells:
        if cell.column > 0:
            rows.setdefault(cell.row, []).append(cell)
    return rows


def opens_with_header(grid: Grid) -> bool:
    """Whether the first row names the table or its columns: texts above figures, or bold above plain."""
    first = [cell for cell in grid.cells if cell.row == 0]
    if any(CAPTION.match(cell.text) for cell in first):
        return True
    below = [cell for cell in grid.cells if cell.row > 0]
    columns = {cell.column for cell in first if cell.column > 0}
    if len(first) < MIN_HEADER_TEXTS or not columns or not below:
        return False
    if all(cell.bold for cell in first) and not any(cell.bold for cell in below if cell.column > 0):
        return True
    figures = [is_number(cell.text) for cell in below if cell.column in columns]
    return bool(figures) and sum(figures) * 2 > len(figures) and not any(is_number(cell.text) for cell in first)


def is_same_place(one: Place, other: Place) -> bool:
    """Whether two columns share their left edge, right edge or middle."""
    return min(abs(a - b) for a, b in zip(one, other, strict=True)) <= SAME_PLACE_POINTS


def column_places(grid: Grid) -> dict[int, Place]:
    """The median left edge, right edge and middle of each column's cells; the least left edge of the labels."""
    n_header = n_header_rows(grid)
    boxes: dict[int, list[tuple[float, float]]] = {}
    for cell in grid.cells:
        if cell.bbox is not None and cell.column_span == 1 and cell.row >= n_header:
            boxes.setdefault(cell.column, []).append((cell.bbox[0], cell.bbox[2]))
    return {
        column: (
            min(x0 for x0, _ in found) if column == 0 else median(x0 for x0, _ in found),
            median(x1 for _, x1 in found),
            median((x0 + x1) / 2 for x0, x1 in found),
        )
        for column, found in boxes.items()
    }
