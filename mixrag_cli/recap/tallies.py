"""Extract and compute over the rows of a table of records: sums, means, counts, extremes and groups under conditions.

    match_records    the column, the rows that count, and the value over them (what is wanted: tally_question.py)

A sampled table is tallied over all rows of its file: from its profiles where no row is left out, else by a scan that
the caller provides. What cannot be scanned has no answer: a sample's mean is no mean.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from mixrag_cli.recap.cells import unasked_part
from mixrag_cli.recap.column_texts import distinct_texts, is_numeric
from mixrag_cli.recap.compute import aggregate
from mixrag_cli.recap.evidence import (
    EvidenceBase,
    context_credit,
    stems_of,
    surroundings_of,
)
from mixrag_cli.recap.filters import (
    RowFilter,
    find_filters,
    tried_filters,
    unexplained,
)
from mixrag_cli.recap.language import (
    STOP_WORDS,
    Facets,
    facet_conflict,
    is_joined_in,
    match_heading,
    ordinal_conflict,
    stem,
    words_of,
)
from mixrag_cli.recap.restate import Operation, Restated
from mixrag_cli.recap.row_words import COUNTED_REACH, EVENT_WORDS, ROW_WORDS, row_words, says_joined
from mixrag_cli.recap.tally_question import BEST_STEMS, HOW_MANY, Tally, TallyOperation
from mixrag_cli.recap.wording import WHOLE_WORDS, measures_implied
from mixrag_cli.records import Cell, ColumnProfile, Header, Hit, Locator, Table
from mixrag_cli.tables.scan import Filter, Group, ScannedRow
from mixrag_cli.tables.text import ARROW, has_labels, key_columns, row_name

MAX_COLUMN_EXTRA = 0.5  # of a column's leaf label that the question need not say
EXTRA_WORDS = 0.3  # as in cells: a label that says more than was asked
MAX_LISTED_GROUPS = 30
TALLY_WORDS = WHOLE_WORDS | frozenset(("maximum", "minimum", "max", "min", "number", "sum"))


@dataclass(frozen=True, slots=True)
class _Tallied:
    """A value over rows. best: the rows of an extreme, of the table itself or of its file."""

    value: Decimal | None
    n_rows: int
    n_numbers: int
    best: tuple[ScannedRow | Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """A column, the rows that count, and the value over them.

    operation: what the value is. best: the rows that hold an extreme, best first. groups: each group's text and value.
    filters: the conditions in words. by: the column of the groups. n_rows: over how many rows. of_one_row: the cell of
    the one row that the conditions leave. is_distinct: whether texts are counted, not rows.
    """

    hit: Hit
    table: Table
    column: Header
    operation: Operation
    cells: tuple[Cell, ...]
    value: Decimal
    score: float
    coverage: float
    n_rows: int
    best: tuple[tuple[Header, Cell], ...] = ()
    groups: tuple[tuple[str, Decimal], ...] = ()
    filters: tuple[str, ...] = ()
    by: str = ""
    of_one_row: bool = False
    is_distinct: bool = False

    @property
    def basis(self) -> str:
        """The column, the operation and the rows in words: "freight (sum of 6,030 rows where country = Spain)"."""
        column = ARROW.join(self.column.path)
        where = f" where {' and '.join(self.filters)}" if self.filters else ""
        if self.of_one_row:
            return f"{column}{where}"
        by = f" by {self.by}" if self.by else ""
        what = "distinct texts" if self.is_distinct else "rows"
        return f"{column} ({self.operation} of {self.n_rows:,} {what}{by}{where})"

    @property
    def locator(self) -> Locator:
        """The column's own place: a range of cells in a sheet, the table's lines or page elsewhere."""
        where = self.table.locator
        addressed = [cell.address for cell in self.cells if cell.address]
        return replace(where, cells=f"{addressed[0]}:{addressed[-1]}") if addressed else where


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one table that count, and how to tally them. measure: the column's index."""

    hit: Hit
    table: Table
    filters: tuple[RowFilter, ...]
    base: EvidenceBase

    @property
    def is_sampled(self) -> bool:
        return self.table.total_rows > len(self.table.rows)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(each.label for each in self.filters)

    @property
    def conditions(self) -> tuple[Filter, ...]:
        return tuple(each.filter for each in self.filters)

    def is_key(self, column: Header) -> bool:
        """Whether each row has a text of its own in the column."""
        if self.is_sampled:
            return not distinct_texts(self.table, column) and column == self.table.columns[0]
        texts = [cell.text.strip().lower() for cell in self.table.cells if cell.column == column.index]
        return len(texts) == len(set(texts))

    def passing(self) -> list[dict[int, Cell]]:
        """The rows of a table that is held whole, each by column; totals left out."""
        by_row: dict[int, dict[int, Cell]] = {row.index: {} for row in self.table.rows if not row.is_total}
        for cell in self.table.cells:
            if cell.row in by_row:
                by_row[cell.row][cell.column] = cell
        rows = by_row.values()
        return [row for row in rows if all(each.passes(row.get(each.filter.column)) for each in self.filters)]

    def tally(self, column: Header, tally: Tally) -> _Tallied | None:
        """The operation over one column; None where no row counts or the file cannot be scanned."""
        if not self.is_sampled:
            return _tally_cells(self.passing(), column.index, tally)
        profile = next((known for known in self.table.profiles if known.index == column.index), None)
        if not self.filters and tally.n_best == 1 and profile is not None:
            return _tally_profile(profile, self.table, tally.operation)
        if self.base.scanner is None:
            return None
        found = self.base.scanner.scan(
            self.hit, self.table, column.index, tally.operation, self.conditions, tally.n_best
        )
        return _Tallied(found.value, found.n_rows, found.n_numbers, found.rows) if found else None

    def groups(self, column: Header, by: Header) -> tuple[Group, ...]:
        """The column's sums for each text of another; none where the file cannot be scanned."""
        if self.is_sampled:
            scanner = self.base.scanner
            return scanner.groups(self.hit, self.table, column.index, by.index, self.conditions) if scanner else ()
        found: dict[str, list[dict[int, Cell]]] = {}
        for row in self.passing():
            if by.index in row:
                found.setdefault(row[by.index].text.strip(), []).append(row)
        values = {
            text: [cell.value for cell in _cells_of(rows, column.index) if cell.value is not None]
            for text, rows in found.items()
        }
        return tuple(
            Group(text, len(rows), len(values[text]), sum(values[text], Decimal(0))) for text, rows in found.items()
        )


def match_records(restated: Restated, tally: Tally, hit: Hit, table: Table, base: EvidenceBase) -> ColumnMatch | None:
    """The tally over the table's records, None where the question does not speak of its columns or cannot be computed.

    A name that neither headers nor values nor the surroundings know leaves no answer: its rows are elsewhere.
    """
    rows = _Rows(hit, table, find_filters(restated.question, table), base)
    around, around_facets = surroundings_of(hit, table)
    terms = tuple(term for term in restated.whole.terms if term not in TALLY_WORDS and not _counts_best(term, tally))
    if not _is_in_time(restated.whole.facets, rows.filters, around_facets):
        return None
    chosen = _measured(restated, tally, rows, terms, around)
    if chosen is None:
        return None
    words = unexplained(restated.question, table, terms, (*_said(rows.filters), *around, *ROW_WORDS))
    names = tuple(word for word in words if _is_name(word, restated))
    tried = _tried(restated.question, rows, names or words)
    rows = replace(rows, filters=(*rows.filters, tried)) if tried else rows
    known = base.knows.get(hit.chunk.document, frozenset()) if not rows.is_sampled else frozenset()
    credit = context_credit(terms, restated.names, around, known)
    if names and tried is None:
        return None
    column, operation, fit = chosen
    leaf = set(stems_of(column.leaf))
    explained = _said(rows.filters) | row_words(restated.question, terms, rows.table, around)
    explained |= {term for term in terms if measures_implied(term) & leaf}
    coverage = _coverage(terms, rows.table, explained, credit, base)
    wanted = replace(tally, operation=operation)
    if operation == "count" and column != table.columns[0]:
        return _distinct(rows, column, fit + coverage, coverage)
    if operation == "count" and not rows.filters and _speaks_of_others(terms, table, explained):
        return None
    by = _group_column(tally.by, table, column) if tally.by else None
    if tally.best is not None and column != table.columns[0] and (by is None or rows.is_key(by)):
        by, wanted = None, replace(wanted, operation=tally.best)  # one row a group: its own figure
    if by is not None:
        return _grouped(rows, column, by, wanted, fit + coverage, coverage)
    return _tallied(rows, column, wanted, fit + coverage, coverage)


def _counts_best(term: str, tally: Tally) -> bool:
    """Whether the term says how many of the greatest are wanted ("top 3")."""
    return tally.n_best > 1 and (term in BEST_STEMS or term.isdigit())


def _is_name(word: str, restated: Restated) -> bool:
    """Whether a word of the question is a name, a number or an identifier, which evidence must know."""
    return any(sign.isdigit() for sign in word) or any(stem(part) in restated.names for part in words_of(word))


def _is_in_time(asked: Facets, filters: Sequence[RowFilter], around: Facets) -> bool:
    """Whether the years asked for are those of a condition, or of the title and file name."""
    if not asked.years or {str(year) for year in asked.years} & _said(filters):
        return True
    return bool(asked.years & around.years) and not facet_conflict(asked, around)


def _said(filters: Sequence[RowFilter]) -> frozenset[str]:
    return frozenset().union(*(each.said for each in filters))


def _tried(question: str, rows: _Rows, words: Sequence[str]) -> RowFilter | None:
    """A condition on a column of too many texts to know them, for which the file does hold rows."""
    scanner = rows.base.scanner
    if scanner is None or not rows.is_sampled or not words:
        return None
    for tried in tried_filters(question, rows.table, words):
        found = scanner.scan(rows.hit, rows.table, tried.filter.column, "count", (tried.filter,), 1)
        if found is None:
            return None
        if found.n_rows:
            return tried
    return None


def _measured(
    restated: Restated, tally: Tally, rows: _Rows, terms: Sequence[str], around: Sequence[str]
) -> tuple[Header, TallyOperation, float] | None:
    """The column to tally, the operation on it, and how well its label fits."""
    table = rows.table
    if tally.operation == "count" and not tally.by:
        return _counted(restated.question, rows, around, row_words(restated.question, terms, table, around))
    asked = {stem(word) for word in words_of(restated.question)} | measures_implied(restated.question)
    # A column's whole name counts, be it a word as common as "value".
    named = {stems[0] for header in table.columns if len(stems := stems_of(header.leaf)) == 1} & asked
    weights = {term: rows.base.weight(term) for term in (*terms, *sorted(named.difference(terms)))}
    compared = {each.filter.column for each in rows.filters if each.is_comparison}
    numeric = [
        header
        for header in table.columns
        if is_numeric(table, header) and not ordinal_conflict(restated.question, header.leaf)
    ]
    for candidates in ([header for header in numeric if header.index not in compared], numeric):
        fits = [(_fit(header, weights), -len(stems_of(header.leaf)), -n, header) for n, header in enumerate(candidates)]
        fit, _, _, header = max(fits, default=(0.0, 0, 0, None), key=lambda one: one[:3])
        if header is not None and fit > 0 and unasked_heading(header, tuple(weights)) <= MAX_COLUMN_EXTRA:
            return header, "sum" if tally.operation == "count" else tally.operation, fit
    return (table.columns[0], "count", 1.0) if tally.operation == "count" else None


def _fit(header: Header, weights: dict[str, float]) -> float:
    leaf = stems_of(header.leaf)
    said = sum(weight * match_heading(term, leaf) for term, weight in weights.items())
    return said / sum(weights.values()) - EXTRA_WORDS * unasked_heading(header, tuple(weights)) if weights else 0.0


def unasked_heading(header: Header, terms: Sequence[str]) -> float:
    """As unasked_part of the header's leaf, where a word is asked that begins or ends with an asked one."""
    joined = (word for word in stems_of(header.leaf) if any(is_joined_in(term, word) for term in terms))
    return unasked_part(header.leaf, (*terms, *joined))


def _counted(
    question: str, rows: _Rows, around: Sequence[str], row_stems: frozenset[str]
) -> tuple[Header, TallyOperation, float] | None:
    """What "how many" counts: records, or the amounts in a column of numbers that it names."""
    asked = HOW_MANY.search(question)
    columns = rows.table.columns
    behind = words_of(question[asked.end() :]) if asked else words_of(question)
    keys = key_columns(rows.table)
    if (amount := _amount_named_in_full(behind, rows.table)) is not None:
        return amount, "sum", 1.0
    for word in [stem(word) for word in behind][: COUNTED_REACH if asked else None]:
        named = [header for header in columns if word in stems_of(header.leaf)]
        amounts = [header for header in named if is_numeric(rows.table, header) and header.index not in keys]
        if word in ROW_WORDS or word in row_stems - EVENT_WORDS or says_joined(around, word) or columns[0] in named:
            return columns[0], "count", 1.0
        if any(word in each.said and not each.is_comparison for each in rows.filters):
            amount = _amount_of_one(behind, rows)
            return (amount, "sum", 1.0) if amount is not None else (columns[0], "count", 1.0)
        if amounts:
            return amounts[0], "sum", 1.0
        if named:
            return named[0], "count", 1.0
    return None


def _amount_named_in_full(words: Sequence[str], table: Table) -> Header | None:
    """The column of numbers of which the words begin with the whole name, of several words: "how many days lost"."""
    stems, keys = [stem(word) for word in words], key_columns(table)
    for header in table.columns:
        leaf = stems_of(header.leaf)
        if len(leaf) > 1 and stems[: len(leaf)] == list(leaf) and header.index not in keys:
            return header if is_numeric(table, header) else None
    return None


def _amount_of_one(words: Sequence[str], rows: _Rows) -> Header | None:
    """The column of numbers that the words name, where they name one row: "how many benches are in stock"."""
    if rows.is_sampled or len(rows.passing()) != 1:
        return None
    stems, keys = {stem(word) for word in words}, key_columns(rows.table)
    amounts = (header for header in rows.table.columns if header.index not in keys and is_numeric(rows.table, header))
    return next((header for header in amounts if stems & set(stems_of(header.leaf))), None)


def _coverage(
    terms: Sequence[str], table: Table, explained: Collection[str], credit: np.ndarray, base: EvidenceBase
) -> float:
    """The part of the question's weight that the headers, the surroundings, or what is explained already says."""
    if not terms:
        return 0.0
    heads = stems_of(" ".join(header.leaf for header in table.columns))
    weights = np.array([base.weight(term) for term in terms])
    own = np.array([1.0 if term in explained or term in ROW_WORDS else match_heading(term, heads) for term in terms])
    return float(weights @ np.maximum(own, credit) / weights.sum())


def _speaks_of_others(terms: Sequence[str], table: Table, explained: Collection[str]) -> bool:
    """Whether the question speaks of other columns than the first, where no condition on them was understood."""
    others = stems_of(" ".join(header.leaf for header in table.columns[1:]))
    own = {*explained, *ROW_WORDS, *stems_of(table.columns[0].leaf)}
    return any(term not in own and match_heading(term, others) for term in terms)


def _group_column(words: str, table: Table, measured: Header) -> Header | None:
    """The column of texts that is named first; words of the measured column name no groups ("days per patient")."""
    own = stems_of(measured.leaf)
    texts = [
        header
        for header in table.columns
        if header != measured and (not is_numeric(table, header) or distinct_texts(table, header))
    ]
    for word in words_of(words):
        if word in STOP_WORDS or stem(word) in own:
            continue
        for header in texts:
            if stem(word) in stems_of(header.leaf):
                return header
    return None


def _tallied(rows: _Rows, column: Header, tally: Tally, score: float, coverage: float) -> ColumnMatch | None:
    found = rows.tally(column, tally)
    if found is None or found.value is None or (tally.of_one_row and found.n_numbers != 1):
        return None
    if found.n_numbers == 1 and tally.operation in ("sum", "average"):  # of one row: its own cell, quoted
        return _tallied(rows, column, replace(tally, operation="maximum", of_one_row=True), score, coverage)
    best = tuple(_best_row(row, column, rows.table) for row in found.best)
    cells = () if rows.is_sampled else _cells_of(rows.passing(), column.index)
    return ColumnMatch(
        *(rows.hit, rows.table, column, tally.operation, cells, found.value, score, coverage),
        n_rows=found.n_rows if tally.operation == "count" else found.n_numbers,
        best=best,
        filters=rows.labels if rows.is_sampled or not tally.of_one_row or not has_labels(rows.table) else (),
        of_one_row=tally.of_one_row,
    )


def _distinct(rows: _Rows, column: Header, score: float, coverage: float) -> ColumnMatch | None:
    """How many texts the column holds."""
    profile = next((known for known in rows.table.profiles if known.index == column.index), None)
    if profile is not None and profile.distinct and not rows.filters:
        n = len(profile.distinct)
    else:
        n = sum(bool(group.text) for group in rows.groups(column, column))
    if not n:
        return None
    match = ColumnMatch(rows.hit, rows.table, column, "count", (), Decimal(n), score, coverage, n)
    return replace(match, filters=rows.labels, is_distinct=True)


def _grouped(
    rows: _Rows, column: Header, by: Header, tally: Tally, score: float, coverage: float
) -> ColumnMatch | None:
    """Each group's value; where an extreme of them is asked for, that group alone, and its value."""
    is_count = tally.operation == "count"
    found = [group for group in rows.groups(column, by) if group.text and (is_count or group.n_numbers)]
    worth: Callable[[Group], Decimal] = {
        "count": lambda group: Decimal(group.n_rows),
        "average": lambda group: group.total / group.n_numbers,
    }.get(tally.operation, lambda group: group.total)
    values = sorted(((group.text, worth(group)) for group in found), key=lambda pair: (-pair[1], pair[0]))
    if tally.best is not None:
        values = (values if tally.best == "maximum" else values[::-1])[: tally.n_best]
    if not values or len(values) > MAX_LISTED_GROUPS:
        return None
    n_rows = sum(group.n_rows if is_count else group.n_numbers for group in found)
    return ColumnMatch(
        *(rows.hit, rows.table, column, tally.operation, (), values[0][1], score, coverage),
        n_rows=n_rows,
        groups=tuple(values),
        filters=rows.labels,
        by=by.leaf,
    )


def _tally_cells(rows: Sequence[dict[int, Cell]], column: int, tally: Tally) -> _Tallied | None:
    cells = _cells_of(rows, column)
    if tally.operation == "count":
        return _Tallied(Decimal(len(rows)), len(rows), len(cells)) if rows else None
    value = aggregate(tally.operation, [cell.value for cell in cells if cell.value is not None])
    if value is None:
        return None
    best: list[Cell] = []
    if tally.operation in ("maximum", "minimum"):
        sign = -1 if tally.operation == "maximum" else 1
        best = sorted(cells, key=lambda cell: sign * (cell.value or Decimal(0)))[: tally.n_best]
    return _Tallied(value, len(rows), len(cells), tuple(best))


def _cells_of(rows: Sequence[dict[int, Cell]], column: int) -> tuple[Cell, ...]:
    return tuple(row[column] for row in rows if column in row and row[column].value is not None)


def _tally_profile(profile: ColumnProfile, table: Table, operation: TallyOperation) -> _Tallied | None:
    """The tally that was taken over all rows while the file streamed by."""
    if operation == "count":
        return _Tallied(Decimal(table.total_rows), table.total_rows, profile.numbers)
    if not profile.numbers or profile.total is None:
        return None
    value = {
        "sum": profile.total,
        "average": profile.total / profile.numbers,
        "maximum": profile.high,
        "minimum": profile.low,
    }[operation]
    row = {"maximum": profile.high_row, "minimum": profile.low_row}.get(operation)
    cell = next((cell for cell in table.cells if (cell.row, cell.column) == (row, profile.index)), None)
    return _Tallied(value, profile.count, profile.numbers, (cell,) if cell else ())


def _best_row(row: ScannedRow | Cell, column: Header, table: Table) -> tuple[Header, Cell]:
    """A row's header and its cell: of the table itself, or made of the file's own row, with its line where known."""
    if isinstance(row, Cell):
        return next(header for header in table.rows if header.index == row.row), row
    path = tuple(row.cells[key] for key in sorted(key_columns(table)) if key < len(row.cells))
    like = next((cell for cell in table.cells if cell.column == column.index and cell.value is not None), None)
    unit, scale = (like.unit, like.scale) if like else ("", 1)
    line = _line_of(row.record, table)
    index = table.rows[0].index + row.record - 1
    cell = Cell(index, column.index, row.cells[column.index].strip(), row.value, unit, scale, line=line)
    return Header(index, path or (row_name(row.record),)), cell


def _line_of(record: int, table: Table) -> int | None:
    """The line of a record, where every record of the file has one: known from the first and the last kept row."""
    first, last = table.cells[0].line, table.cells[-1].line
    if first is None or last is None or last - first + 1 != table.total_rows:
        return None
    return first + record - 1
