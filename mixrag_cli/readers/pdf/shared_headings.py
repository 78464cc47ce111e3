"""Headings that stand above the first part of a statement and name the columns of the parts below it, too.

A balance sheet says its years once; below a heading in between, further blocks of rows go on in the same columns. Such
a block is a grid of its own without headings. It takes those of the nearest table above it that has some, where each of
its columns of figures stands at the place of a column that is named there. That table may have begun on a page before.

Report writers draw the headings in a box of their own and below it a box for each group of rows, its name between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mixrag_cli.readers.pdf.column_places import (
    column_places,
    heading_rows,
    is_heading_box,
    is_same_place,
    n_header_rows,
    opens_with_header,
)
from mixrag_cli.readers.pdf.items import PageLayout, TextItem
from mixrag_cli.readers.pdf.layout import is_number
from mixrag_cli.records.documents import Grid, GridCell

MIN_SHARED_COLUMNS = 2  # one column of figures stands where one of any other table may
MIN_RULED_COLUMNS = 3  # boxes of a form are as wide as each other
SECTION_GAP = 1.5  # of the type size: how far above its box the name of a group stands


def share_headings(pages: Sequence[PageLayout]) -> list[PageLayout]:
    """The pages, their tables without headings named by those of the table above whose columns they go on in."""
    shared: list[PageLayout] = []
    ending: dict[int, Grid] = {}  # the tables of pages before, by the page that they end on
    for page in pages:
        shared.append(_share_on(page, ending.get(page.number)))
        for item in page.items:
            if isinstance(item, Grid) and item.locator.last_page:
                ending[item.locator.last_page] = item
    return shared


def _share_on(page: PageLayout, headed: Grid | None) -> PageLayout:
    """headed: the table from a page before that ends on this one."""
    items = list(page.items)
    box: int | None = None
    spent: set[int] = set()
    for at, item in enumerate(items):
        if not isinstance(item, Grid):
            continue
        if heading_rows(item):
            headed, box = item, at if is_heading_box(item) else None
        elif headed is not None and not opens_with_header(item):
            part = _below_name(item, items[at - 1]) if box is not None else item
            items[at] = named = _named_by(part, headed)
            if named is part:
                items[at] = item
            elif box is not None:
                spent |= {box} if part is item else {box, at - 1}
    return replace(page, items=tuple(item for at, item in enumerate(items) if at not in spent))


def _below_name(part: Grid, above: TextItem | Grid) -> Grid:
    """The part below the one line that stands right above its box and no wider than it; as it is below all else."""
    box = part.locator.bbox
    if not isinstance(above, TextItem) or box is None or len(above.texts) > 1:
        return part
    x0, _, x1, bottom = above.box
    if not (0 <= box[1] - bottom <= SECTION_GAP * above.size and box[0] - 1 <= x0 and x1 <= box[2] + 1):
        return part
    below = (replace(cell, row=cell.row + 1) for cell in part.cells)
    name = GridCell(0, 0, above.texts[0], bold=above.bold, bbox=above.box)
    return replace(part, n_rows=part.n_rows + 1, total_rows=part.n_rows + 1, cells=(name, *below))


def _named_by(part: Grid, headed: Grid) -> Grid:
    """The part below the heading rows of the table above; as it is where one of its columns has no name there."""
    column_of = _columns_at_same_places(part, headed)
    if len(column_of) < MIN_SHARED_COLUMNS or len(column_of) < len(column_places(part)) - 1:
        return part
    if not n_header_rows(headed) and (len(column_of) < MIN_RULED_COLUMNS or not _holds_figures(part)):
        return part
    rows = {row: number for number, row in enumerate(heading_rows(headed))}
    above = [_over_columns(cell, column_of, rows[cell.row]) for cell in headed.cells if cell.row in rows]
    page = headed.locator.page if headed.locator.page != part.locator.page else None
    names = [replace(cell, page=page) for cell in above if cell is not None]
    named = {column for cell in names for column in range(cell.column, cell.column + cell.column_span)}
    if not named >= set(column_of.values()):
        return part
    below = (replace(cell, row=cell.row + len(rows)) for cell in part.cells)
    n_rows = part.n_rows + len(rows)
    return replace(part, n_rows=n_rows, total_rows=n_rows, cells=(*names, *below), is_headless=False)


def _holds_figures(part: Grid) -> bool:
    """Whether most cells behind the labels are figures."""
    behind = [is_number(cell.text) for cell in part.cells if cell.column > 0]
    return 2 * sum(behind) > len(behind)


def _columns_at_same_places(part: Grid, headed: Grid) -> dict[int, int]:
    """Of each column of the table above, but its labels, the number of the part's column at its place."""
    ours, theirs = column_places(part), column_places(headed)
    found: dict[int, int] = {}
    for column, place in ours.items():
        there = [number for number, other in theirs.items() if column and number and is_same_place(place, other)]
        if len(there) == 1:
            found[there[0]] = column
    return found


def _over_columns(cell: GridCell, column_of: Mapping[int, int], row: int) -> GridCell | None:
    """A heading over the columns that the part has, as one of its row; None for one over columns that it lacks."""
    spanned = [column_of[at] for at in range(cell.column, cell.column + cell.column_span) if at in column_of]
    if not spanned:
        return None
    first, last = min(spanned), max(spanned)
    return replace(cell, row=row, column=first, column_span=last - first + 1, is_header=True)
