"""Extract and compute over the rows of a table of records: sums, means, counts, extremes and groups under conditions.

tally_question    what is wanted: the operation, over what, by what
tally_columns     the column that the question means
tally_rows        the rows that count, and what they come to
match_records     all of these together: the value, how well it fits, and what it rests on
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from mixrag_cli.quantities.facets import Facets, facet_conflict
from mixrag_cli.recap.evidence import EvidenceBase, context_credit, stems_of, surroundings_of
from mixrag_cli.recap.in_rows.column_texts import is_date_column
from mixrag_cli.recap.in_rows.days import is_of_other_day
from mixrag_cli.recap.in_rows.filters import RowFilter, find_filters, tried_filters, unexplained
from mixrag_cli.recap.in_rows.named_sources import source_terms
from mixrag_cli.recap.in_rows.row_words import ROW_WORDS, row_words
from mixrag_cli.recap.in_rows.tally_columns import find_group_column, find_measured, words_in_unit
from mixrag_cli.recap.in_rows.tally_question import BEST_STEMS, Tally
from mixrag_cli.recap.in_rows.tally_rows import TallyRows, best_row, cells_of
from mixrag_cli.recap.restate import Operation, Restated
from mixrag_cli.recap.wording import WHOLE_WORDS, measures_implied
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.scan import Group
from mixrag_cli.tables.text import ARROW, has_labels
from mixrag_cli.words import match_heading, stem, words_of

MAX_LISTED_GROUPS = 30
TALLY_WORDS = WHOLE_WORDS | frozenset(("maximum", "minimum", "max", "min", "number", "sum", stem("exceed")))


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


def match_records(
    restated: Restated,
    tally: Tally,
    hit: Hit,
    table: Table,
    base: EvidenceBase,
    filters: tuple[RowFilter, ...] | None = None,
    said: frozenset[str] = frozenset(),
) -> ColumnMatch | None:
    """The tally over the table's records, None where the question does not speak of its columns or cannot be computed.

    A name that neither headers nor values nor the surroundings know leaves no answer: its rows are elsewhere.
    filters: the conditions on the rows, those of the question where they are not told. said: stems that other
    conditions explain.
    """
    rows = TallyRows(hit, table, find_filters(restated.question, table) if filters is None else filters, base)
    around, around_facets = surroundings_of(hit, table)
    of_source = _source_terms(restated, hit, table, around, base)
    terms = tuple(
        term for term in restated.whole.terms if term not in TALLY_WORDS | of_source and not _counts_best(term, tally)
    )
    if not _is_in_time(restated.whole.facets, rows.filters, around_facets):
        return None
    if not any(is_date_column(table, header) for header in table.columns) and is_of_other_day(
        restated.question, hit, table, base
    ):
        return None
    chosen = find_measured(restated, tally, rows, terms, around, of_source)
    if chosen is None:
        return None
    words = unexplained(restated.question, table, terms, (*_said(rows.filters), *said, *around, *ROW_WORDS))
    names = tuple(word for word in words if _is_name(word, restated))
    tried = _tried(restated.question, rows, names or words)
    rows = replace(rows, filters=(*rows.filters, tried)) if tried else rows
    known = base.knows.get(hit.chunk.document, frozenset()) if not rows.is_sampled else frozenset()
    credit = context_credit(terms, restated.names, around, known)
    if names and tried is None:
        return None
    column, operation, fit = chosen
    leaf = set(stems_of(column.leaf))
    explained = said | _said(rows.filters) | row_words(restated.question, terms, rows.table, around)
    explained |= {term for term in terms if measures_implied(term) & leaf}
    explained |= words_in_unit(restated.question, column)
    coverage = _coverage(terms, rows.table, explained, credit, base)
    wanted = replace(tally, operation=operation)
    if operation == "count" and column != table.columns[0]:
        return _distinct(rows, column, fit + coverage, coverage)
    if operation == "count" and not rows.filters and _speaks_of_others(terms, table, explained):
        return None
    by = find_group_column(tally.by, table, column, of_source) if tally.by else None
    is_counted = operation == "count" and column == table.columns[0]
    if tally.best is not None and not is_counted and (by is None or rows.is_key(by)):
        by, wanted = None, replace(wanted, operation=tally.best)  # one row a group: its own figure
    if by is not None:
        return _grouped(rows, column, by, wanted, fit + coverage, coverage)
    return _tallied(rows, column, wanted, fit + coverage, coverage)


def _source_terms(
    restated: Restated, hit: Hit, table: Table, around: Sequence[str], base: EvidenceBase
) -> frozenset[str]:
    heads = stems_of(" ".join(header.leaf for header in table.columns))
    known = base.knows.get(hit.chunk.document, frozenset())
    return source_terms(restated.question, restated.names, (*heads, *around, *known))


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


def _tried(question: str, rows: TallyRows, words: Sequence[str]) -> RowFilter | None:
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


def _tallied(rows: TallyRows, column: Header, tally: Tally, score: float, coverage: float) -> ColumnMatch | None:
    found = rows.tally(column, tally)
    if found is None or found.value is None or (tally.of_one_row and found.n_numbers != 1):
        return None
    if found.n_numbers == 1 and tally.operation in ("sum", "average"):  # of one row: its own cell, quoted
        return _tallied(rows, column, replace(tally, operation="maximum", of_one_row=True), score, coverage)
    best = tuple(best_row(row, column, rows.table) for row in found.best)
    cells = () if rows.is_sampled else cells_of(rows.passing(), column.index)
    return ColumnMatch(
        *(rows.hit, rows.table, column, tally.operation, cells, found.value, score, coverage),
        n_rows=found.n_rows if tally.operation == "count" else found.n_numbers,
        best=best,
        filters=rows.labels if rows.is_sampled or not tally.of_one_row or not has_labels(rows.table) else (),
        of_one_row=tally.of_one_row,
    )


def _distinct(rows: TallyRows, column: Header, score: float, coverage: float) -> ColumnMatch | None:
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
    rows: TallyRows, column: Header, by: Header, tally: Tally, score: float, coverage: float
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
