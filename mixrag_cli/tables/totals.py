"""Which rows are totals though their label does not say so: their figures are the sums of the rows above.

An invoice says "Total" beside the amount, a filing leaves the label out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from mixrag_cli.quantities.values import find_decimal_mark, parse_value
from mixrag_cli.tables.headers import TOTAL, Layout
from mixrag_cli.tables.matrix import DATA_KINDS, Matrix
from mixrag_cli.tables.members import MAX_ADDENDS, adds_up

TOTAL_NAME = "Total"
MAX_ADDED = 100_000  # rows that are added up in one table, so that work grows in line with its size
# In a column of figures: the row's label stands a column too far to the right.
TOTAL_ALONE = re.compile(r"(?:grand |sub)?totals?:?$", re.IGNORECASE)


def decimal_mark(matrix: Matrix, layout: Layout, column: int) -> str | None:
    """The decimal mark of a column's texts, None where they do not tell; numbers of a workbook need none."""
    own = (matrix.own(row, column) for row in layout.body)
    return find_decimal_mark((cell.text for cell in own if cell and cell.number is None), matrix.decimal_mark)


class Sums:
    """The rows walked so far with their figures, and whether a next one sums them up."""

    def __init__(self, matrix: Matrix, layout: Layout) -> None:
        self.matrix = matrix
        self.layout = layout
        self.marks: dict[int, str | None] = {}
        self.n_left = MAX_ADDED
        self.since: list[int] = []  # the rows since the last total
        self.members: list[int] = []  # all rows that are no totals
        self.totals: list[int] = []

    def add(self, row: int, is_total: bool) -> None:
        """Walk over a data row."""
        if is_total:
            self.totals.append(row)
            self.since = []
        else:
            self.members.append(row)
            self.since.append(row)

    def said_in(self, row: int) -> str:
        """What a cell among the figures says of a total, "" where none does, or the figures are no sum.

        A total may sum up what stands since the last one, on top of it ("Subtotal", "VAT", "Total") or all rows.
        """
        cells = [cell for column in self.layout.data if (cell := self.matrix.own(row, column)) is not None]
        texts = [" ".join(cell.text.split()) for cell in cells if self.matrix.kinds[row, cell.column] == "text"]
        said = next((text for text in texts if TOTAL.search(text)), "")
        return said if said and self._is_sum(row) else ""

    def is_said_by(self, row: int, labels: Sequence[str]) -> bool:
        """Whether the labels of a row say that it is a total.

        Names hold the word, too ("Total Fire Ltd"). A total leaves blank the other columns that name rows; where each
        of several says something of the row itself, a label of more words than a total's needs figures that add up.
        """
        said = [label for label in labels if TOTAL.search(label)]
        columns = self.layout.labels
        is_record = len(columns) > 1 and all(self.matrix.own(row, column) is not None for column in columns)
        return bool(said) and (not is_record or any(map(TOTAL_ALONE.match, said)) or self._is_sum(row))

    def _is_sum(self, row: int) -> bool:
        parts = (self.since, [*self.totals[-1:], *self.since], self.members, self.totals)
        return any(self._sums_up(row, rows) for rows in parts)

    def is_unsaid(self, row: int) -> bool:
        """Whether a row without a label is the sum of the rows since the last total."""
        return self._sums_up(row, self.since)

    def _sums_up(self, row: int, parts: Sequence[int]) -> bool:
        if not 1 < len(parts) <= min(MAX_ADDENDS, self.n_left):
            return False
        self.n_left -= len(parts)
        whole = dict(self._figures(row, self.layout.data))
        return adds_up(whole, [dict(self._figures(part, [*whole])) for part in parts])

    def _figures(self, row: int, columns: Sequence[int]) -> Iterator[tuple[int, Decimal]]:
        """The numbers of a row by column."""
        for column in columns:
            cell = self.matrix.own(row, column)
            if cell is None or cell.is_date or self.matrix.kinds[row, column] not in DATA_KINDS:
                continue
            if column not in self.marks:
                self.marks[column] = decimal_mark(self.matrix, self.layout, column)
            found = parse_value(
                cell.text, number=cell.number, is_percent=cell.is_percent, decimal_mark=self.marks[column]
            )
            if found.value is not None:
                yield column, found.value
