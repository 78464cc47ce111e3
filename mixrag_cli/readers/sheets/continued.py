"""Records below a blank row that go on with the list above: a section after the other, the columns named once."""

from __future__ import annotations

from collections import Counter

from mixrag_cli.readers.sheets.areas import LONG_TEXT_CHARS, MAX_TITLED_ROWS, MISSING, Cells, Region, is_figure, row_of
from mixrag_cli.readers.sheets.sampling import SourceCell
from mixrag_cli.words import LINK

MAX_SEEN_ROWS = 100  # of the list above, whose first rows tell what its columns hold as well as all

Row = dict[int, SourceCell]  # the cells of a row by column


def are_records_below(upper: Region, lower: Region, cells: Cells) -> bool:
    """Whether rows go on with the list above, whose columns are named in it, and do not name their own.

    They begin at the same left edge and fill no column that is not named. What tells a record from names is in its
    first row, beside the label: a date or a link as most of its column above, a text that its column says above or in
    the row below.
    """
    if lower.left != upper.left or lower.right > upper.right:
        return False
    first = _first_record(lower, cells)
    record = row_of(first, lower, cells) if first is not None else {}
    head = _header(upper, record, cells)
    if first is None or head is None:
        return False
    names = row_of(head, upper, cells)
    body = [row_of(at, upper, cells) for at in range(head + 1, min(upper.bottom, head + MAX_SEEN_ROWS) + 1)]
    below = [row_of(at, lower, cells) for at in range(first, lower.bottom + 1)]
    if any(not row.keys() <= names.keys() for row in below) or not _hold_the_same(body, below):
        return False
    if any(_said(cell) == _said(names[column]) for column, cell in record.items()):
        return False
    return any(_is_record(column, cell, body, below[1:2], column > lower.left) for column, cell in record.items())


def _first_record(region: Region, cells: Cells) -> int | None:
    """The first row of several cells, labels at the left edge alone above it."""
    for at in range(region.top, min(region.bottom, region.top + MAX_TITLED_ROWS) + 1):
        row = row_of(at, region, cells)
        if len(row) > 1:
            return at
        if region.left not in row or is_figure(row[region.left]):
            return None
    return None


def _header(region: Region, record: Row, cells: Cells) -> int | None:
    """The first row of short texts, no two alike, over each cell of a record, titles alone above it."""
    for at in range(region.top, min(region.bottom - 1, region.top + MAX_TITLED_ROWS) + 1):
        row = row_of(at, region, cells)
        texts = {_said(cell) for cell in row.values()}
        are_names = all(_kind(cell) == "text" and len(cell.text) <= LONG_TEXT_CHARS for cell in row.values())
        if not are_names:
            return None
        if len(row) > 1 and len(texts) == len(row) and record.keys() <= row.keys():
            return at
    return None


def _kind(cell: SourceCell) -> str:
    if cell.is_date:
        return "date"
    if is_figure(cell):
        return "figure"
    return "link" if LINK.match(cell.text.strip()) else "text"


def _kind_of(column: int, rows: list[Row]) -> str:
    """What most cells of a column are, "" where there is none or no kind is most."""
    kinds = Counter(_kind(row[column]) for row in rows if column in row and not MISSING.match(_said(row[column])))
    kind, count = max(kinds.items(), key=lambda item: item[1], default=("", 0))
    return kind if 2 * count > kinds.total() else ""


def _hold_the_same(body: list[Row], below: list[Row]) -> bool:
    """Whether figures and dates stand below figures and dates, from the first record on."""
    for column in {column for row in below for column in row}:
        kind = _kind_of(column, body)
        if kind in ("figure", "date") and {_kind_of(column, rows) or kind for rows in (below[:1], below)} != {kind}:
            return False
    return True


def _is_record(column: int, cell: SourceCell, body: list[Row], below: list[Row], is_beside: bool) -> bool:
    """Whether a cell of the first row is what its column holds and no name of it. is_beside: right of the labels."""
    kind, said = _kind(cell), _said(cell)
    if kind in ("date", "link"):
        return is_beside and _kind_of(column, body) == kind
    again = [*below, *(body if is_beside else ())]
    return any(_said(row[column]) == said for row in again if column in row)


def _said(cell: SourceCell) -> str:
    return cell.text.strip()
