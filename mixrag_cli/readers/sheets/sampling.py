"""Rows of any number in bounded memory: all of them while they are few, else a spread sample and column profiles."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, InvalidOperation

from mixrag_cli.records.documents import ColumnProfile, RowLine

FULL_ROWS = 5_000  # up to here every row is kept and can be asked for
FULL_CELLS = 120_000  # and no more cells than this, for wide tables: about 100 MB and 5 s of reading headers
HEAD_ROWS = 50
TAIL_ROWS = 10  # totals and notes stand at the end
MAX_TITLES = 5  # rows of a lone text above the header
SAMPLE_ROWS = 1_000
# Rows of a sampled table that are still searched by words, as blocks of lines without vectors: some 8,000 passages and
# 25 MB of store. A longer table is searched by its sample and counted over its file.
MAX_WORD_ROWS = 50_000
MAX_WORD_CHARS = 20_000_000
MAX_LINE_CELL_CHARS = 1_000
SEARCHABLE = "searchable by words"  # how a warning says how much of a table can be found, and by what
MAX_DISTINCT = 200
MAX_DISTINCT_CHARS = 80
MAX_PROFILED_COLUMNS = 1_000
NOT_A_NUMBER = 200  # a column with this many texts and no number is not tried again for each cell
EXACT = Context(prec=60)  # sums of a million amounts stay exact


@dataclass(frozen=True, slots=True)
class SourceCell:
    """A cell before anyone decides what is a header: the shown text and what the format stores."""

    text: str
    number: Decimal | None = None
    is_percent: bool = False
    is_date: bool = False
    bold: bool = False
    indent: int = 0


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row with its place in the source.

    index: from 0 (sheet row or record). cells: texts from the left, or cells by column. lines: first and last line;
    cell_lines: those of each cell, where they are not the row's.
    """

    index: int
    cells: Sequence[str] | Mapping[int, SourceCell]
    lines: tuple[int, int] | None = None
    cell_lines: Sequence[tuple[int, int]] = ()


@dataclass(slots=True)
class _ColumnCount:
    count: int = 0
    numbers: int = 0
    texts: int = 0
    total: Decimal = Decimal(0)
    low: Decimal | None = None
    high: Decimal | None = None
    low_row: SourceRow | None = None
    high_row: SourceRow | None = None
    distinct: dict[str, None] | None = field(default_factory=dict)


class RowSampler:
    """Takes rows in order and keeps a bounded part of them.

    rows: those kept, in order. is_whole: whether that is all. n_rows: how many were added, without titles. titles: of a
    sampled table, the lone texts above its header.
    """

    def __init__(self, decimal_mark: str = ".") -> None:
        self.n_rows = 0
        self.titles: tuple[str, ...] = ()
        self.n_cells = 0
        self.n_columns = 0
        self.is_whole = True
        self._decimal_mark = decimal_mark
        self._rows: list[SourceRow] = []
        self._head: list[SourceRow] = []
        self._tail: deque[SourceRow] = deque(maxlen=TAIL_ROWS)
        self._stride = 1
        self._columns: list[_ColumnCount] = []
        self._lines: list[RowLine] | None = []  # of all rows; None once they are too many
        self._line_chars = 0
        self._n_cut = 0  # cells that are longer than a line keeps

    def add(self, row: SourceRow) -> None:
        """Count one row into the profiles and keep it if the sample has a place for it."""
        self.n_rows += 1
        self.n_cells += len(row.cells)
        self.n_columns = max(self.n_columns, _width_of(row))
        if self.is_whole and self.n_rows <= FULL_ROWS and self.n_cells <= FULL_CELLS:
            self._rows.append(row)
            return
        if self.is_whole:
            self._start_sampling()
        self._add_line(row)
        self._profile(row)
        self._tail.append(row)
        if (self.n_rows - 1) % self._stride == 0:
            self._rows.append(row)
            if len(self._rows) > SAMPLE_ROWS:
                self._stride *= 2
                self._rows = self._rows[::2]

    @property
    def rows(self) -> list[SourceRow]:
        """The kept rows in order: all, or the first ones, a spread sample, and the rows of each column's extremes."""
        if self.is_whole:
            return self._rows
        extremes = [row for column in self._columns for row in (column.low_row, column.high_row) if row is not None]
        kept = {row.index: row for row in (*self._head, *self._rows, *self._tail, *extremes)}
        return [kept[index] for index in sorted(kept)]

    def profiles(self, place_of: dict[int, int]) -> tuple[ColumnProfile, ...]:
        """One profile a column over all rows below the first; place_of: source row index -> row in the grid."""
        if self.is_whole:
            return ()
        return tuple(
            ColumnProfile(
                index,
                column.count,
                column.numbers,
                column.total if column.numbers else None,
                column.low,
                column.high,
                place_of.get(column.low_row.index) if column.low_row else None,
                place_of.get(column.high_row.index) if column.high_row else None,
                tuple(column.distinct or ()),
            )
            for index, column in enumerate(self._columns)
        )

    @property
    def lines(self) -> tuple[RowLine, ...]:
        """All rows of a sampled table as lines of text; none of a whole one, or where they are too many."""
        return tuple(self._lines or ())

    @property
    def note(self) -> str:
        """How much of a sampled table can be found, and by what."""
        n_kept = len(self.rows)
        if self._lines:
            beyond = f"; cells by their first {MAX_LINE_CELL_CHARS:,} characters ({self._n_cut:,} are longer)"
            cut = beyond if self._n_cut else ""
            return f"{self.n_rows:,} rows {SEARCHABLE}, {n_kept:,} of them also by meaning{cut}"
        return f"{n_kept:,} of {self.n_rows:,} rows {SEARCHABLE} and meaning; all rows are counted in its sums"

    def _add_line(self, row: SourceRow) -> None:
        if self._lines is None:
            return
        texts = _texts_of(row)
        self._n_cut += sum(len(text) > MAX_LINE_CELL_CHARS for text in texts)
        line = RowLine(_line_of(texts), row.lines, None if row.lines else row.index + 1)
        self._line_chars += len(line.text)
        self._lines.append(line)
        if len(self._lines) > MAX_WORD_ROWS or self._line_chars > MAX_WORD_CHARS:
            self._lines = None

    def _start_sampling(self) -> None:
        self.is_whole = False
        self.titles = _titles_above(self._rows)
        self._rows = self._rows[len(self.titles) :]
        self.n_rows -= len(self.titles)
        for row in self._rows:
            self._add_line(row)
        for row in self._rows[1:]:
            self._profile(row)
        self._head = self._rows[:HEAD_ROWS]
        while len(self._rows) > SAMPLE_ROWS:
            self._stride *= 2
            self._rows = self._rows[::2]

    def _profile(self, row: SourceRow) -> None:
        columns = self._columns
        while len(columns) < min(_width_of(row), MAX_PROFILED_COLUMNS):
            columns.append(_ColumnCount())
        cells = row.cells.items() if isinstance(row.cells, Mapping) else enumerate(row.cells)
        for index, cell in cells:
            if cell == "" or index >= MAX_PROFILED_COLUMNS:
                continue
            column = columns[index]
            column.count += 1
            number = self._number_of(cell, column)
            if number is None:
                column.texts += 1
            else:
                _count_number(column, number, row)
            if column.distinct is not None:
                _count_distinct(column, cell if isinstance(cell, str) else cell.text)

    def _number_of(self, cell: str | SourceCell, column: _ColumnCount) -> Decimal | None:
        if isinstance(cell, SourceCell):
            if cell.number is None or cell.is_date:
                return None
            return cell.number * 100 if cell.is_percent else cell.number
        if column.texts > NOT_A_NUMBER and not column.numbers:
            return None
        return fast_number(cell, self._decimal_mark)


def _titles_above(rows: Sequence[SourceRow]) -> tuple[str, ...]:
    """The lone texts above the first row of several; none where all rows have one text."""
    titles: list[str] = []
    for row in rows[: MAX_TITLES + 1]:
        texts = [text for text in _texts_of(row) if text.strip()]
        if len(texts) > 1:
            return tuple(titles)
        titles += texts
    return ()


def _line_of(texts: Sequence[str]) -> str:
    """A row's cells between bars, those that are empty at its end left out."""
    return " | ".join(" ".join(text.split())[:MAX_LINE_CELL_CHARS] for text in texts).rstrip(" |")


def _texts_of(row: SourceRow) -> list[str]:
    """The texts of all columns, "" where one has none."""
    if isinstance(row.cells, Mapping):
        return [row.cells[column].text if column in row.cells else "" for column in range(_width_of(row))]
    return [cell if isinstance(cell, str) else cell.text for cell in row.cells]


def _width_of(row: SourceRow) -> int:
    return max(row.cells, default=-1) + 1 if isinstance(row.cells, Mapping) else len(row.cells)


def _count_distinct(column: _ColumnCount, text: str) -> None:
    if column.distinct is None or len(text) > MAX_DISTINCT_CHARS:
        return
    column.distinct[text] = None
    if len(column.distinct) > MAX_DISTINCT:
        column.distinct = None


def _count_number(column: _ColumnCount, number: Decimal, row: SourceRow) -> None:
    column.numbers += 1
    column.total = EXACT.add(column.total, number)
    if column.low is None or number < column.low:
        column.low, column.low_row = number, row
    if column.high is None or number > column.high:
        column.high, column.high_row = number, row


def fast_number(text: str, decimal_mark: str = ".") -> Decimal | None:
    """The number of a machine-written cell: digits with one decimal mark and maybe thousands marks; else None.

    About 1 µs where the full reading takes 20; a million rows of ten columns need that. Identifiers (leading
    zeros, 15 and more plain digits) are no numbers.
    """
    text = text.strip()
    first = text[:1]
    if not first.isdigit() and first not in ("-", "+", "."):
        return None
    if decimal_mark == ",":
        text = text.replace(".", "").replace(",", ".")
    elif "," in text:
        text = text.replace(",", "")
    if (first == "0" and text[1:2].isdigit()) or (len(text) >= 15 and text.isdigit()) or len(text) > 40 or "_" in text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 40 else None
