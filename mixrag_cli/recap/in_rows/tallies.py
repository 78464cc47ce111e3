"""Extract and compute over the rows of a table: sums, means, counts, extremes and groups under conditions.

tally_question    what is wanted: the operation, over what, by what
filters           the conditions on the rows
find_measured     the column that the question means
tally_rows        the rows that count, and what they come to
match_records     all of these together: the value, how well it fits, and what it rests on
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from mixrag_cli.quantities.facets import Facets, facet_conflict, facets_of, ordinal_conflict
from mixrag_cli.recap.evidence import EvidenceBase, context_credit, surroundings_of
from mixrag_cli.recap.in_rows.column_texts import (
    columns_named,
    distinct_texts,
    is_key,
    is_numeric,
    is_sampled,
    is_year_column,
    leaf_stems,
    stems_in,
)
from mixrag_cli.recap.in_rows.filters import RowFilter, find_filters, tried_filters, unexplained
from mixrag_cli.recap.in_rows.tally_question import Tally, TallyOperation
from mixrag_cli.recap.in_rows.tally_rows import TallyRows, best_row, cells_of
from mixrag_cli.recap.in_tables.sides import unasked_part
from mixrag_cli.recap.restate import Operation, Restated
from mixrag_cli.recap.wording import COUNT, WHOLE_WORDS, measures_implied
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.scan import Group
from mixrag_cli.tables.text import ARROW, has_labels, key_columns
from mixrag_cli.words import COMMON_WORDS, is_joined_in, is_skeleton, match_heading, stem, words_of

MAX_LISTED_GROUPS = 30
MAX_COLUMN_EXTRA = 0.5  # of a column's leaf label that the question need not say
EXTRA_WORDS = 0.3  # as in cells: a label that says more than was asked
COUNTED_REACH = 3  # words behind "how many" in which the counted thing is named
ROW_WORDS = frozenset(stem(word) for word in ("rows", "entries", "records", "lines", "observations"))
# Words of the calculation, which no header need say.
TALLY_WORDS = WHOLE_WORDS | {"maximum", "minimum", "max", "min", "number", "sum", "top", "bottom", stem("exceed")}


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
class Measured:
    """What is tallied: the column, the operation on it, and how well its label fits the question."""

    column: Header
    operation: TallyOperation
    fit: float


def match_records(
    restated: Restated,
    tally: Tally,
    hit: Hit,
    table: Table,
    base: EvidenceBase,
    filters: tuple[RowFilter, ...] | None = None,
    said: frozenset[str] = frozenset(),
) -> ColumnMatch | None:
    """The tally over the table's rows, None where the question does not speak of its columns or cannot be computed.

    A name that neither headers nor values nor the surroundings know leaves no answer: its rows are elsewhere.
    filters: the conditions on the rows, those of the question where they are not told. said: stems that other
    conditions explain.
    """
    rows = TallyRows(hit, table, find_filters(restated.question, table) if filters is None else filters, base)
    around, around_facets = surroundings_of(hit, table)
    is_best = tally.n_best > 1
    terms = [term for term in restated.whole.terms if term not in TALLY_WORDS and not (is_best and term.isdigit())]
    if not _is_in_time(restated, rows, around_facets):
        return None
    measured = find_measured(restated, tally, rows, terms)
    if measured is None:
        return None
    words = unexplained(restated.question, table, terms, {*rows.said, *said, *around, *ROW_WORDS})
    names = [word for word in words if any(map(str.isdigit, word)) or restated.names.intersection(stems_in(word))]
    tried = _tried(restated.question, rows, names or words)
    if names and tried is None:
        return None
    rows = replace(rows, filters=(*rows.filters, tried)) if tried else rows
    leaf = leaf_stems(measured.column)
    explained = {*said, *rows.said, *ROW_WORDS, *(term for term in terms if measures_implied(term).intersection(leaf))}
    coverage = _coverage(restated, terms, rows, explained, around)
    score, column = measured.fit + coverage, measured.column
    if measured.operation == "count" and column != table.columns[0]:
        return _distinct(rows, column, score, coverage)
    wanted = replace(tally, operation=measured.operation)
    by = _group_column(tally.by, table, column)
    if tally.best is not None and measured.operation != "count" and (by is None or is_key(table, by)):
        by, wanted = None, replace(wanted, operation=tally.best)  # one row a group: its own figure
    found = _tallied(rows, column, wanted) if by is None else _grouped(rows, column, by, wanted)
    return replace(found, score=score, coverage=coverage) if found else None


def _is_in_time(restated: Restated, rows: TallyRows, around: Facets) -> bool:
    """Whether the years asked for are those of a condition, or of the title and file name; and the day, its own."""
    asked = restated.whole.facets
    days, said = ({date for date in facets.dates if all(date)} for facets in (facets_of(restated.question), around))
    if days and not days & said and {day[:2] for day in days} & {day[:2] for day in said}:
        return False
    if not asked.years or {str(year) for year in asked.years} & rows.said:
        return True
    return bool(asked.years & around.years) and not facet_conflict(asked, around)


def _tried(question: str, rows: TallyRows, words: Sequence[str]) -> RowFilter | None:
    """A condition on a column of too many texts to know them, for which the file does hold rows."""
    scanner = rows.base.scanner
    if scanner is None or not is_sampled(rows.table) or not words:
        return None
    for tried in tried_filters(question, rows.table, words):
        found = scanner.scan(rows.hit, rows.table, tried.filter.column, "count", (tried.filter,), 1)
        if found is None:
            return None
        if found.n_rows:
            return tried
    return None


def _coverage(
    restated: Restated, terms: Sequence[str], rows: TallyRows, explained: Collection[str], around: tuple[str, ...]
) -> float:
    """The part of the question's weight that the headers, the surroundings, or what is explained already says."""
    known = rows.base.knows.get(rows.hit.chunk.document, frozenset()) if not is_sampled(rows.table) else frozenset()
    credit = context_credit(terms, restated.names, around, known)
    heads = [part for header in rows.table.columns for part in leaf_stems(header)]
    own = [1.0 if term in explained else match_heading(term, heads) for term in terms]
    return rows.base.part_said(terms, [max(pair) for pair in zip(own, credit, strict=True)])


# --- the column -------------------------------------------------------------------------------------------------------


def find_measured(restated: Restated, tally: Tally, rows: TallyRows, terms: Sequence[str]) -> Measured | None:
    """The column to tally and the operation on it, None where the question names no column."""
    table = rows.table
    if tally.operation == "count" and not tally.by:
        return _counted(restated.question, rows)
    asked = {*stems_in(restated.question), *measures_implied(restated.question)}
    # A column's whole name counts, be it a word as common as "value".
    named = {leaf[0] for header in table.columns if len(leaf := leaf_stems(header)) == 1 and leaf[0] in asked}
    weights = {term: rows.base.weight(term) for term in (*terms, *sorted(named.difference(terms)))}
    compared = {each.filter.column for each in rows.filters}
    numeric = [
        header
        for header in table.columns
        if is_numeric(table, header) and not ordinal_conflict(restated.question, header.leaf)
    ]
    operation: TallyOperation = "sum" if tally.operation == "count" else tally.operation
    for candidates in ([header for header in numeric if header.index not in compared], numeric):
        fits = [(_fit(header, weights), -len(leaf_stems(header)), -n, header) for n, header in enumerate(candidates)]
        fit, _, _, header = max(fits, default=(0.0, 0, 0, None), key=lambda one: one[:3])
        if header is not None and fit > 0 and unasked_heading(header, tuple(weights)) <= MAX_COLUMN_EXTRA:
            return Measured(header, operation, fit)
    if tally.operation == "sum" and (only := _only_amount(table)) is not None:
        return Measured(only, "sum", 0.0)
    return Measured(table.columns[0], "count", 1.0) if tally.operation == "count" else None


def _only_amount(table: Table) -> Header | None:
    """The one column of figures of a table in long form: beside it stand texts, years and dates that say of what."""
    keys = key_columns(table)
    amounts = [
        header
        for header in table.columns
        if is_numeric(table, header) and not is_year_column(table, header) and header.index not in keys
    ]
    return amounts[0] if len(amounts) == 1 and len(keys) > 1 else None


def _fit(header: Header, weights: dict[str, float]) -> float:
    leaf = leaf_stems(header)
    said = sum(weight * match_heading(term, leaf) for term, weight in weights.items())
    return said / sum(weights.values()) - EXTRA_WORDS * unasked_heading(header, tuple(weights)) if weights else 0.0


def unasked_heading(header: Header, terms: Sequence[str]) -> float:
    """As unasked_part of the header's leaf, where a word is asked that begins or ends with an asked one, or has some of
    its consonants ("hp")."""
    leaf = leaf_stems(header)
    joined = (word for word in leaf if any(is_joined_in(term, word) or is_skeleton(word, term) for term in terms))
    return unasked_part(header.leaf, (*terms, *joined))


def _counted(question: str, rows: TallyRows) -> Measured | None:
    """What "how many" counts: the amounts in a column of numbers that it names, the texts of another, else the rows.

    What a condition says ("how many pilots are women") and what the first column holds are the rows themselves.
    """
    asked = COUNT.search(question)
    table = rows.table
    behind = stems_in(question[asked.end() :])[:COUNTED_REACH] if asked else stems_in(question)
    keys = key_columns(table)
    amounts = [h for h in columns_named(stems_in(question), table) if h.index not in keys and is_numeric(table, h)]
    if amounts and not is_sampled(table) and len(rows.passing()) == 1:  # "how many benches are in stock"
        return Measured(amounts[0], "sum", 1.0)
    of_rows = {*ROW_WORDS, *(word for each in rows.filters if not each.is_comparison for word in each.said)}
    counted = behind[: next((n for n, word in enumerate(behind) if word in of_rows), None)]
    for header in columns_named(counted, table):
        if header == table.columns[0] or (is_numeric(table, header) and header.index in keys):
            break
        return Measured(header, "sum" if is_numeric(table, header) else "count", 1.0)
    return Measured(table.columns[0], "count", 1.0)


def _group_column(words: str, table: Table, measured: Header) -> Header | None:
    """The column of texts that is named first; words of the measured column name no groups ("days per patient")."""
    own = leaf_stems(measured)
    asked = [stem(word) for word in words_of(words) if word not in COMMON_WORDS and stem(word) not in own]
    columns = (header for header in columns_named(asked, table) if header != measured)
    return next((one for one in columns if not is_numeric(table, one) or distinct_texts(table, one)), None)


# --- the value --------------------------------------------------------------------------------------------------------


def _tallied(rows: TallyRows, column: Header, tally: Tally) -> ColumnMatch | None:
    found = rows.tally(column, tally)
    if found is None or found.value is None:
        return None
    is_count = tally.operation == "count"
    if not is_count and tally.of_one_row != (found.n_numbers == 1):
        # Of one row a sum is its own cell, quoted; there is no greatest of it.
        is_sum = found.n_numbers == 1 and tally.operation in ("sum", "average")
        return _tallied(rows, column, replace(tally, operation="maximum", of_one_row=True)) if is_sum else None
    return ColumnMatch(
        *(rows.hit, rows.table, column, tally.operation),
        () if is_sampled(rows.table) else cells_of(rows.passing(), column.index),
        *(found.value, 0.0, 0.0),
        n_rows=found.n_rows if is_count else found.n_numbers,
        best=tuple(best_row(row, column, rows.table) for row in found.best),
        filters=rows.labels if is_sampled(rows.table) or not tally.of_one_row or not has_labels(rows.table) else (),
        of_one_row=tally.of_one_row,
    )


def _distinct(rows: TallyRows, column: Header, score: float, coverage: float) -> ColumnMatch | None:
    """How many texts the column holds."""
    profile = rows.profile_of(column)
    n = len(profile.distinct) if profile is not None else 0
    n = n or sum(bool(group.text) for group in rows.groups(column, column))
    if not n:
        return None
    match = ColumnMatch(rows.hit, rows.table, column, "count", (), Decimal(n), score, coverage, n)
    return replace(match, filters=rows.labels, is_distinct=True)


def _grouped(rows: TallyRows, column: Header, by: Header, tally: Tally) -> ColumnMatch | None:
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
    return ColumnMatch(
        *(rows.hit, rows.table, column, tally.operation, (), values[0][1], 0.0, 0.0),
        n_rows=sum(group.n_rows if is_count else group.n_numbers for group in found),
        groups=tuple(values),
        filters=rows.labels,
        by=by.leaf,
    )
