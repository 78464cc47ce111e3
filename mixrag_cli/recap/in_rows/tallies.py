"""Extract and compute over the rows of a table: sums, means, counts and extremes under conditions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import cast

from mixrag_cli.quantities.facets import Facets, facet_conflict, ordinal_conflict
from mixrag_cli.quantities.prose_numbers import limits_in
from mixrag_cli.recap.evidence import EvidenceBase, context_credit, surroundings_of
from mixrag_cli.recap.in_rows.conditions import Condition, find_conditions
from mixrag_cli.recap.restate import Restated, asks_passage
from mixrag_cli.recap.wording import ASKED_FOR, COUNT, IN_ALL, TOTAL
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.amounts import amounts_of, only_amounts, running_totals
from mixrag_cli.tables.record_columns import (
    LABELS,
    Column,
    columns_named,
    columns_of,
    is_sampled,
    records_of,
    years_said,
)
from mixrag_cli.tables.scan import Filter, ScanOperation
from mixrag_cli.tables.tally import Row, Scan, Tallied, are_shared, extreme_text, rows_left, tallied_cells, tally
from mixrag_cli.tables.text import ARROW, key_columns
from mixrag_cli.words import WHOLE_WORDS, match_heading, stem, stems_in

Measured = tuple[Column, ScanOperation, float]  # a column, the operation on it, and how well its label fits
MAX_LISTED = 10  # rows of an answer
N_COLUMNS = 3  # that may be the one that is meant
COUNTED_REACH = 3  # words behind "how many" in which the counted thing is named
ROW_WORDS = frozenset(stem(word) for word in ("rows", "entries", "records", "lines", "observations"))
# Words of the calculation, which no header need say.
TALLY_WORDS = WHOLE_WORDS | {"maximum", "minimum", "max", "min", "number", "sum", "top", "bottom", stem("exceed")}


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one table that the conditions leave. around: the stems and facets of what stands around it."""

    hit: Hit
    table: Table
    conditions: tuple[Condition, ...]
    base: EvidenceBase
    around: tuple[tuple[str, ...], Facets]

    @property
    def said(self) -> frozenset[str]:
        """Stems of the question that the conditions explain, or a report's rows by the years that they are of."""
        return years_said(self.table).union(*(each.said for each in self.conditions))

    @property
    def filters(self) -> tuple[Filter, ...]:
        """The conditions as a scan takes them."""
        return tuple(each.filter for each in self.conditions)

    def of_text(self, column: Column, text: str) -> Rows:
        """Those of them that have a text in a column."""
        condition = Condition(Filter(column.index, "=", text), f"{column.header.leaf} = {text}", frozenset())
        return replace(self, conditions=(*self.conditions, condition))

    def tally(self, column: Column, operation: ScanOperation) -> Tallied | None:
        """The operation over one column of them; None where none counts or their file cannot be scanned."""
        scan: Scan | None = partial(self.base.scan, self.hit, self.table) if self.base.scan is not None else None
        return tally(self.table, column, operation, self.filters, scan)


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """A column, the rows that count, and the value over them.

    operation: what the value is. best: the row that holds an extreme. named: the text of many rows that together come
    to most or least, where the value says to how much. conditions: in words. n_rows: over how many rows. listed: the
    rows that are asked for, where it is not their number.
    """

    hit: Hit
    table: Table
    column: Header
    operation: ScanOperation
    cells: tuple[Cell, ...]
    value: Decimal
    n_rows: int
    score: float
    coverage: float
    best: Row | None
    conditions: tuple[str, ...]
    named: str = ""
    listed: tuple[Header, ...] = ()

    @property
    def basis(self) -> str:
        """The column, the operation and the rows in words: "freight (sum of 6,030 rows where country = Spain)"."""
        column = ARROW.join(self.column.path)
        where = f" where {' and '.join(self.conditions)}" if self.conditions else ""
        if self.best is not None and self.n_rows == 1:
            return f"{column}{where}"
        return f"{column} ({self.operation} of {self.n_rows:,} rows{where})"


def tallies_of(restated: Restated) -> list[ScanOperation]:
    """What may be wanted over rows: what the words call for, and a sum or mean that the reader holds for likely."""
    others = (each.operation for each in restated.calculations[1:] if each.operation in ("average", "sum"))
    found = (tally_of(restated), *(cast("ScanOperation", each) for each in others))
    return [*dict.fromkeys(each for each in found if each is not None)]


def tally_of(restated: Restated) -> ScanOperation | None:
    """What the question's words want computed over rows, None where they want nothing of the kind.

    "How many …" is a count and "the total …" a sum where rows are records; in a report the same words look one cell up.
    Any other value is the greatest of the one row that conditions leave.
    """
    if restated.operation != "lookup":
        return None if restated.kind == "arithmetic" else cast("ScanOperation", restated.operation)
    if COUNT.search(restated.question) or _asks_list(restated):
        return "count"
    if TOTAL.search(restated.question) and not asks_passage(restated):
        return "sum"
    return "maximum" if restated.expects in ("number", "percent", "any") else None


def _asks_list(restated: Restated) -> bool:
    """Whether rows under a limit are asked for by their names, and no number of them."""
    is_of_names = restated.operation == "lookup" and restated.expects == "any"
    return is_of_names and bool(limits_in(restated.question)) and not COUNT.search(restated.question)


def match_columns(restated: Restated, base: EvidenceBase) -> list[ColumnMatch]:
    """The columns that fit the question best over all tables found, each with what it comes to, best first for each
    operation that may be wanted."""
    operations = tallies_of(restated)
    found_tables = (*base.placed_tables(), *base.placed_releases()) if operations else ()
    placed = ((hit, table) for hit, table in found_tables if table.columns)
    calculates = restated.operation != "lookup" or bool(limits_in(restated.question))
    tables = [(hit, one) for hit, table in placed for one in records_of(table, restated.question, calculates)]
    records = [_rows_meant(restated, hit, one, base) for hit, one in tables]
    matches = []
    for operation in operations:
        found = (_match_records(restated, operation, rows) for rows in records)
        matches += sorted((one for one in found if one is not None), key=lambda one: -one.score)[:N_COLUMNS]
    return matches


def _rows_meant(restated: Restated, hit: Hit, table: Table, base: EvidenceBase) -> Rows:
    around = surroundings_of(hit, table)
    conditions = find_conditions(restated.question, table, restated.names.difference(around[0]))
    return Rows(hit, table, conditions, base, around)


def _match_records(restated: Restated, operation: ScanOperation, rows: Rows) -> ColumnMatch | None:
    """The tally over the table's rows, None where the question does not speak of its columns or cannot be computed."""
    question, table = restated.question, rows.table
    around, around_facets = rows.around
    is_of_one = restated.operation == "lookup" and operation == "maximum"  # a value of a row, and no extreme
    listed = _listed(rows) if _asks_list(restated) else ()
    if listed is None or (is_of_one and (not rows.conditions or len(restated.operands) > 1)):
        return None  # of several periods a value of one is no answer
    terms = [term for term in restated.whole.terms if term not in TALLY_WORDS]
    measured = _counted(question, rows) if operation == "count" else _measured(restated, operation, rows, terms, around)
    is_extreme = operation in ("maximum", "minimum")
    said = {*rows.said, *ROW_WORDS, *around, *(part for column in columns_of(table) for part in column.said)}
    unsaid, is_of_all = set(terms) - said, not rows.conditions and not is_extreme
    if any(any(map(str.isdigit, term)) for term in unsaid) or (is_of_all and unsaid & restated.names):
        return None  # "how many goals did Harry Kane score" is not of all rows
    is_in_all = measured is None or IN_ALL.search(question) is not None
    shared = _shared_names(rows, terms) if is_extreme and is_in_all and restated.expects == "label" else None
    if measured is None and shared is not None:
        measured = shared, operation, 0.0
    if measured is None or not _is_in_time(restated, {*rows.said, *measured[0].stems}, around_facets):
        return None
    column, operation, fit = measured
    text = ""
    if shared is not None:
        extreme = extreme_text(table, shared, column, operation, rows.filters)
        if extreme is None:
            return None
        text, operation = extreme
        rows = rows.of_text(shared, text)
    found = rows.tally(column, operation)
    if found is None or (not text and (is_extreme or operation == "average") and is_of_one != (found.n_numbers == 1)):
        return None
    coverage = _coverage(restated, terms, rows, around)
    return ColumnMatch(
        *(rows.hit, table, column.header, operation, tallied_cells(table, column, rows.filters), found.value),
        n_rows=found.n_rows if operation == "count" else found.n_numbers,
        score=fit + coverage,
        coverage=coverage,
        best=found.best,
        conditions=tuple(each.label for each in rows.conditions),
        named=text,
        listed=listed,
    )


def _listed(rows: Rows) -> tuple[Header, ...] | None:
    """The rows that a comparison leaves; None where there is none, or they are too many for an answer."""
    is_compared = any(each.is_comparison for each in rows.conditions)
    found = rows_left(rows.table, rows.filters) if is_compared else ()
    return found if 0 < len(found) <= MAX_LISTED else None


def _shared_names(rows: Rows, terms: Sequence[str]) -> Column | None:
    """The first column of texts that the question names, where rows share them: "which district used the most energy"
    means the rows of a district together."""
    named = next((each for each in columns_named(terms, rows.table) if not each.is_numeric), None)
    is_named = named is not None and named.index != LABELS and are_shared(rows.table, named, rows.filters)
    return named if is_named else None


def _is_in_time(restated: Restated, said: Collection[str], around: Facets) -> bool:
    """Whether the years asked for are said: by a condition, the column, or the title and file name."""
    asked = restated.whole.facets
    if not asked.years or {str(year) for year in asked.years}.intersection(said):
        return True
    return bool(asked.years & around.years) and not facet_conflict(asked, around)


def _coverage(restated: Restated, terms: Sequence[str], rows: Rows, around: tuple[str, ...]) -> float:
    """The part of the question's weight that the headers, the surroundings, or the conditions already say."""
    known = rows.base.knows.get(rows.hit.chunk.document, frozenset()) if not is_sampled(rows.table) else frozenset()
    credit = context_credit(terms, restated.names, around, known)
    heads = [part for column in columns_of(rows.table) for part in column.said]
    explained = {*rows.said, *ROW_WORDS}
    own = [1.0 if term in explained else match_heading(term, heads) for term in terms]
    return rows.base.part_said(terms, [max(pair) for pair in zip(own, credit, strict=True)])


def _measured(
    restated: Restated, operation: ScanOperation, rows: Rows, terms: Sequence[str], around: Collection[str]
) -> Measured | None:
    """The column to tally, whose label says most of what nothing around the table says, then of the question.

    None where it names no column of numbers.
    """
    compared = {each.filter.column: each.filter.comparison for each in rows.conditions}
    columns = [one for one in columns_of(rows.table) if compared.get(one.index) != "="]  # which the question says
    # A column's whole name counts, be it a word as common as "value", or a year as "2023/24".
    asked = set(stems_in(restated.question))
    named = {word for column in columns if asked.issuperset(column.stems) for word in column.stems}
    words = (*terms, *sorted(named.difference(terms)))
    running = running_totals(rows.table) if operation == "sum" else ()
    columns = [one for one in columns if one.is_numeric and one.index not in running]
    numeric = [one for one in columns if not ordinal_conflict(restated.question, one.header.leaf)]
    apart = {*compared, *key_columns(rows.table)}  # an id is measured where nothing else fits
    others = [one for one in numeric if one.index not in apart and not _is_asked_for(one, restated)]

    def fit_of(column: Column) -> tuple[float, float, int, bool, int]:
        said = [match_heading(word, column.stems) for word in words]
        own = rows.base.part_said(
            words, [0.0 if word in around else one for word, one in zip(words, said, strict=True)]
        )
        is_whole = bool(WHOLE_WORDS & {*column.stems})
        return own, rows.base.part_said(words, said), len(asked & {*column.stems}), is_whole, -len(column.stems)

    for candidates in (others, [column for column in numeric if column.index not in compared], numeric):
        column = max(candidates, key=fit_of, default=None)
        if column is not None and (fit := fit_of(column)[1]) > 0:
            return column, operation, fit
    is_extreme = restated.operation in ("maximum", "minimum")
    only = only_amounts(rows.table) if rows.conditions or is_extreme else None
    is_of_many = restated.operation != "lookup" or operation != "maximum"
    return (only, operation, 0.0) if only in others and is_of_many else None


def _is_asked_for(column: Column, restated: Restated) -> bool:
    """Whether the question asks for the column instead of measuring it: "in which year were there most murders"."""
    behind = stems_in(ASKED_FOR.split(restated.question, maxsplit=1)[-1])
    return restated.expects == "label" and bool(column.stems) and behind[: len(column.stems)] == column.stems


def _counted(question: str, rows: Rows) -> Measured:
    """What "how many" counts: the amounts in a column of numbers that is named after it, else the rows.

    What a condition says ("how many pilots are women") and what the first column holds are the rows themselves.
    """
    asked, first = COUNT.search(question), columns_of(rows.table)[0]
    behind = stems_in(question[asked.end() :])[:COUNTED_REACH] if asked else ()
    explained = {*ROW_WORDS, *rows.said}
    counted = behind[: next((n for n, word in enumerate(behind) if word in explained), None)]
    named = next((one for one in columns_named(counted, rows.table) if one.head in counted), first)
    return (named, "sum", 1.0) if named != first and named in amounts_of(rows.table) else (first, "count", 1.0)
