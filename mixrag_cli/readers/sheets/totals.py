"""A row of totals that stands apart from the rows that it sums up, as bookkeepers leave room for further entries."""

from __future__ import annotations

from decimal import Decimal

from mixrag_cli.readers.sheets.areas import Cells, Region, figures

MAX_GAP = 50  # blank rows above the totals: the rest of a page
MAX_MARGIN = 2  # columns to the right of the table in which a total of totals may stand
CENT = Decimal("0.005")  # sums of stored numbers are off by less


def sums_up(upper: Region, lower: Region, cells: Cells) -> bool:
    """Whether a single row holds the sums of the columns above it, most of those with two entries or more."""
    if lower.n_rows > 1 or lower.top - upper.bottom > MAX_GAP:
        return False
    if lower.left < upper.left or lower.right > upper.right + MAX_MARGIN:
        return False
    entries: dict[int, list[Decimal]] = {}
    for row, column in figures(upper, cells):
        if (number := cells[row, column].number) is not None:
            entries.setdefault(column, []).append(number)
    totals = [
        (number, above)
        for row, column in figures(lower, cells)
        if (number := cells[row, column].number) is not None and len(above := entries.get(column, [])) > 1
    ]
    n_sums = sum(abs(sum(above) - number) < CENT for number, above in totals)
    return n_sums * 2 > len(totals)
