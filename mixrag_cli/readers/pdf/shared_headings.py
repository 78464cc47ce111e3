"""Headings that stand above the first part of a statement and name the columns of the parts below it, too.

A balance sheet says its years once; below a heading in between, further blocks of rows go on in the same columns. Such
a block is a grid of its own without headings. It takes those of the nearest table above it on the page that has some,
where each of its columns of figures stands at the place of a column that is named there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mixrag_cli.readers.pdf.column_places import column_places, is_same_place, n_header_rows, opens_with_header
from mixrag_cli.readers.pdf.items import PageLayout
from mixrag_cli.records.documents import Grid, GridCell

MIN_SHARED_COLUMNS = 2  # one column of figures stands where one of any other table may


def share_headings(page: PageLayout) -> PageLayout:
    """The page, its tables without headings named by those of the table above whose columns they go on in."""
    items = list(page.items)
    headed: Grid | None = None
    for at, item in enumerate(items):
        if not isinstance(item, Grid):
            continue
        if n_header_rows(item):
            headed = item
        elif headed is not None and not opens_with_header(item):
            items[at] = _named_by(item, headed)
    return replace(page, items=tuple(items))


def _named_by(part: Grid, headed: Grid) -> Grid:
    """The part below the header rows of the table above; as it is where one of its columns has no name there."""
    column_of = _columns_at_same_places(part, headed)
    if len(column_of) < MIN_SHARED_COLUMNS or len(column_of) < part.n_columns - 1:
        return part
    n_header = n_header_rows(headed)
    above = [_over_columns(cell, column_of) for cell in headed.cells if cell.row < n_header]
    names = [cell for cell in above if cell is not None]
    named = {column for cell in names for column in range(cell.column, cell.column + cell.column_span)}
    if not named >= set(column_of.values()):
        return part
    below = (replace(cell, row=cell.row + n_header) for cell in part.cells)
    n_rows = part.n_rows + n_header
    return replace(part, n_rows=n_rows, total_rows=n_rows, cells=(*names, *below))


def _columns_at_same_places(part: Grid, headed: Grid) -> dict[int, int]:
    """Of each column of the table above, but its labels, the number of the part's column at its place."""
    ours, theirs = column_places(part), column_places(headed)
    found: dict[int, int] = {}
    for column, place in ours.items():
        there = [number for number, other in theirs.items() if column and number and is_same_place(place, other)]
        if len(there) == 1:
            found[there[0]] = column
    return found


def _over_columns(cell: GridCell, column_of: Mapping[int, int]) -> GridCell | None:
    """A heading over the columns that the part has; None for one over columns that it lacks."""
    spanned = [column_of[at] for at in range(cell.column, cell.column + cell.column_span) if at in column_of]
    if not spanned:
        return None
    return replace(cell, column=min(spanned), column_span=max(spanned) - min(spanned) + 1)
