"""What each row of a table's body is: data, a section (a label that heads rows), a name that was left out of the rows
below it, a heading, a header again, a unit row.

A label without data is a section where the table gives a reason: see RowKinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby

from mixrag_cli.records.documents import GridCell
from mixrag_cli.tables.blocks import block_rows, header_rows_anew
from mixrag_cli.tables.forms import is_form
from mixrag_cli.tables.headers import Layout, is_unit_row
from mixrag_cli.tables.matrix import DATA_KINDS, PERIOD_KINDS, Matrix
from mixrag_cli.tables.row_labels import are_blank_records

_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")


class RowKinds:
    """The kinds of the rows of a body, by row.

    counted: data columns with figures. blocks: rows that say the header anew. parts: those that say one text all over.
    parted: rows below a blank line of the file, in a table of records.
    """

    def __init__(self, matrix: Matrix, layout: Layout) -> None:
        self.matrix = matrix
        self.layout = layout
        self.are_records = are_blank_records(matrix, layout)
        self.counted = {c for c in layout.data if any(matrix.kind(row, c) in DATA_KINDS for row in layout.body)}
        is_named = bool(layout.headers) and layout.labels[:1] == (0,)
        self.are_days = self._are_days()
        self.blocks = header_rows_anew(matrix, layout.headers[-1], layout.body) if is_named else frozenset()
        self.parted = _below_blank_lines(matrix, layout) if self.are_records else frozenset[int]()
        self.parts = block_rows(matrix, layout.body)
        self.of_row = {row: self._kind_of_row(row) for row in layout.body}
        self.of_row |= dict.fromkeys(self._left_blank(), "data")
        self.of_row |= dict.fromkeys([*self._last_of_blocks()], "data")

    def label(self, row: int) -> GridCell | None:
        """The first label that covers the row."""
        return next((cell for column in self.layout.labels if (cell := self.matrix.at(row, column)) is not None), None)

    def _kind_of_row(self, row: int) -> str:
        matrix, layout = self.matrix, self.layout
        if matrix.is_blank(row, range(matrix.n_columns)):
            return "blank"
        if self._is_header_again(row):
            return "header"
        if row in self.blocks or row in self.parts:
            return "section"
        data = [
            cell
            for column in layout.data
            if (cell := matrix.at(row, column)) is not None and cell.column >= layout.data[0]
        ]
        if not data or matrix.is_noted_label(row):
            if self._is_named_in_full(row):
                return "data"
            if self._is_left_out_below(row):
                return "name"
            is_named = self.label(row) is not None and not self._is_empty_period(row)
            is_record = self.are_records and not self._heads_parted(row)
            return "section" if is_named and not is_record and not self._is_key_among_keys(row) else "data"
        if is_unit_row(matrix, row, layout):
            return "unit"
        if layout.labels and layout.headers and self._is_unlabelled_text(row, data):
            is_lone = all(cell is data[0] for cell in data)
            return "heading" if is_lone else "header" if self._heads_figures(row, data) else "data"
        return "data"

    def _heads_figures(self, row: int, texts: list[GridCell]) -> bool:
        """Whether a figure stands below one of an unlabelled row's texts, in the next row of another kind.

        Where none does, or texts stand right above all of them, as above "shut | Closed for good" in a code book, the
        row goes on with what is above.
        """
        columns = [cell.column for cell in texts if cell.column in self.counted]
        if row > self.layout.body.start and all(self.matrix.kind(row - 1, column) == "text" for column in columns):
            return False
        for below in range(row + 1, self.layout.body.stop) if columns else ():
            cells = [
                cell for cell in self.matrix.cells_of_row(below, range(self.matrix.n_columns)) if cell.row == below
            ]
            if cells and not self._is_unlabelled_text(below, cells):
                return any(self.matrix.kind(below, column) in DATA_KINDS for column in columns)
        return False

    def _heads_parted(self, row: int) -> bool:
        """Whether rows that blank lines part begin with this one, and the next is a record with values."""
        following = row + 1
        begins = row in self.parted or (bool(self.parted) and row == self.layout.body.start)
        is_right_above = following in self.layout.body and following not in self.parted
        return begins and is_right_above and not self.matrix.is_blank(following, range(1, self.matrix.n_columns))

    def _is_named_in_full(self, row: int) -> bool:
        """Whether a row says its name in several label columns, all but the last perhaps in a cell merged down to it.

        A row that merely lacks its figures heads nothing.
        """
        *outer, last = self.layout.labels or (0,)
        own = [column for column in self.layout.labels if self.matrix.own(row, column) is not None]
        return len(own) > 1 or (own == [last] and any(self.matrix.at(row, column) for column in outer))

    def _is_left_out_below(self, row: int) -> bool:
        """Whether a name stands alone in its row, while most of its column stand in the first row that they hold for.

        It may be merged down to the rows that it holds for. Example: "Week 1" above "| Wed | Intro" and
        "| Fri | Sets", then "Week 2 | Mon | Maps". It heads no other week.
        """
        first, *inner = self.layout.labels or (0,)
        below = row + 1
        name, next_name = self.matrix.own(row, first), self.matrix.at(below, first)
        if not inner or below not in self.layout.body or name is None or next_name not in (None, name):
            return False
        return any(self.matrix.at(below, column) for column in inner) and self._are_beside_rows

    @cached_property
    def _are_beside_rows(self) -> bool:
        """Whether most names in the first of several label columns stand beside others."""
        first, *inner = self.layout.labels
        named = [row for row in self.layout.body if self.matrix.own(row, first) is not None]
        n_beside = sum(any(self.matrix.at(row, column) for column in inner) for row in named)
        return 2 * n_beside > len(named)

    def _is_header_again(self, row: int) -> bool:
        """Whether a labelled row says what the last header row says: the foot of a page's part of the table."""
        matrix = self.matrix
        if not self.layout.headers or self.label(row) is None:
            return False
        head = self.layout.headers[-1]
        pairs = [(matrix.text(row, c), matrix.text(head, c)) for c in range(matrix.n_columns)]
        return all(a == b for a, b in pairs) and len({a for a, _ in pairs if a}) > 1

    def _is_empty_period(self, row: int) -> bool:
        """Whether a year or date without figures stands between others: a period of which nothing is known.

        One that is merged over the columns beside it heads what follows.
        """
        label = self.label(row)
        below = (self.label(other) for other in self.layout.body if other > row)
        following = next((cell for cell in below if cell is not None), None)
        if label is None or following is None or label.column_span > len(self.layout.labels) or self.are_days:
            return False
        kind = self.matrix.kinds[label.row, label.column]
        return kind in PERIOD_KINDS and kind == self.matrix.kinds[following.row, following.column]

    def _are_days(self) -> bool:
        """Whether labels stand alone in the first row and others, each written unlike all labels with data: "12:55"."""
        labels = [(row, cell.text) for row in self.layout.body if (cell := self.label(row)) is not None]
        if not labels or not self._is_alone(labels[0][0]) or self._is_alone(labels[-1][0]):
            return False  # as most tables are: few labels need be looked at
        forms: dict[bool, list[str]] = {False: [], True: []}
        for row, text in labels:
            forms[self._is_alone(row)].append(_LETTERS.sub("a", _DIGITS.sub("0", text.strip())))
        return len(forms[True]) > 1 and set(forms[True]).isdisjoint(forms[False])

    def _is_alone(self, row: int) -> bool:
        return self.matrix.is_blank(row, range(self.layout.data[0], self.matrix.n_columns))

    def _is_key_among_keys(self, row: int) -> bool:
        """Whether a key of a form was left without its value, and so was the one above or below it: no sections."""
        matrix, body = self.matrix, self.layout.body
        near = [other for other in (row - 1, row + 1) if other in body]
        alone = any(matrix.is_blank(other, range(1, matrix.n_columns)) for other in near)
        colons = all(matrix.text(other, 0).endswith(":") for other in (row, *near))
        return not self.layout.headers and alone and colons and is_form(matrix, body.start, body.stop)

    def _is_unlabelled_text(self, row: int, data: list[GridCell]) -> bool:
        if self.label(row) is not None or any(cell.row != row for cell in data):
            return False
        kinds = {self.matrix.kinds[cell.row, cell.column] for cell in data}
        return bool(kinds) and kinds <= {"text", "date", "year"}

    def _left_blank(self) -> Iterator[int]:
        """Rows of a name alone, right below each other and of one look, among texts: none of them heads the next."""
        if self.counted:
            return
        looks = ((row, self._look(row)) for row in self.layout.body)
        for look, run in groupby(looks, key=lambda pair: pair[1]):
            rows = [row for row, _ in run]
            if look is not None and len(rows) > 1:
                yield from rows

    def _last_of_blocks(self) -> Iterator[int]:
        """Names without figures from right below a record, of the same look, to a blank row: they head nothing.

        A name that heads what follows stands below a blank row, or right above what it heads.
        """
        above: tuple[int, bool] | None = None  # of the record above the run
        run: list[int] = []
        for row, kind in self.of_row.items():
            if kind == "section" and above is not None and self._look(row) == above:
                run.append(row)
                continue
            if kind == "blank":
                yield from run
            label = self.label(row) if kind == "data" else None
            above, run = _look_of(label) if label is not None else None, []

    def _look(self, row: int) -> tuple[int, bool] | None:
        """The indent of a section's label, and whether it is bold; None for a row of another kind."""
        cell = self.label(row) if self.of_row[row] == "section" else None
        return _look_of(cell) if cell is not None else None


def _look_of(label: GridCell) -> tuple[int, bool]:
    return indent_of(label), label.bold


def indent_of(cell: GridCell) -> int:
    """The style's indent, or the leading spaces of the text where the format has none."""
    return cell.indent or len(cell.text) - len(cell.text.lstrip(" \t\u00a0\u3000"))


def _below_blank_lines(matrix: Matrix, layout: Layout) -> frozenset[int]:
    """The rows whose first line stands further down than right below the last line of the row above."""
    columns = range(matrix.n_columns)
    lines = {
        row: [line for cell in matrix.cells_of_row(row, columns) for line in (cell.line, cell.last_line) if line]
        for row in (layout.body.start - 1, *layout.body)
    }
    return frozenset(
        row for row in layout.body if lines[row] and lines[row - 1] and min(lines[row]) > max(lines[row - 1]) + 1
    )
