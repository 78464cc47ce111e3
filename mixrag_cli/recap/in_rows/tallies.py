"""Extract and compute over the rows of a table: sums, means, counts, extremes and groups under conditions.

tally_of          what is wanted: the operation, over what, by what; by the question's words
conditions        those on the rows (conditions.py)
_measured         the column that the question means
rows              those that count, and what they come to (rows.py)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, cast

from mixrag_cli.quantities.facets import Facets, facet_conflict, facets_of, ordinal_conflict, without_facets
from mixrag_cli.recap.evidence import EvidenceBase, context_credit, stems_of, surroundings_of
from mixrag_cli.recap.in_rows.columns import Column, columns_named, columns_of, is_record_table, is_sampled, stems_in
from mixrag_cli.recap.in_rows.conditions import find_conditions, unexplained
from mixrag_cli.recap.in_rows.rows import Row, Rows
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import COUNT, TOTAL, WHOLE_WORDS
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import ARROW, has_labels, key_columns
from mixrag_cli.words import COMMON_WORDS, UNIT_WORDS, is_joined_in, is_skeleton, match_heading, match_term, stem

TallyOperation = Literal["sum", "average", "maximum", "minimum", "count"]
N_COLUMNS = 3  # that may be the one that is meant
MIN_ROWS = 2  # of a report; a single row is a cell to look up
LABELS = -1  # the place of a report's labels as a column of texts
MAX_UNASKED = 0.5  # of a column's leaf label that the question need not say
UNASKED_COST = 0.3  # of a label that says nothing of the question, in parts of the question's weight
COUNTED_REACH = 3  # words behind "how many" in which the counted thing is named
ROW_WORDS = frozenset(stem(word) for word in ("rows", "entries", "records", "lines", "observations"))
# Words of the calculation, which no header need say.
TALLY_WORDS = WHOLE_WORDS | {"maximum", "minimum", "max", "min", "number", "sum", "top", "bottom", stem("exceed")}


@dataclass(frozen=True, slots=True)
class Tally:
    """What is to be computed.

    is_sure: worded as a tally and nothing else. of_one_row: no tally, but the value of the one row that is left.
    """

    operation: TallyOperation
    is_sure: bool = True
    of_one_row: bool = False


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """A column, the rows that count, and the value over them.

    operation: what the value is. best: the row that holds an extreme. conditions: in words. n_rows: over how many rows.
    of_one_row: the cell of the one row that the conditions leave.
    """

    hit: Hit
    table: Table
    column: Header
    operation: TallyOperation
    cells: tuple[Cell, ...]
    value: Decimal
    n_rows: int
    score: float = 0.0
    coverage: float = 0.0
    best: Row | None = None
    conditions: tuple[str, ...] = ()
    of_one_row: bool = False

    @property
    def basis(self) -> str:
        """The column, the operation and the rows in words: "freight (sum of 6,030 rows where country = Spain)"."""
        column = ARROW.join(self.column.path)
        where = f" where {' and '.join(self.conditions)}" if self.conditions else ""
        if self.of_one_row:
            return f"{column}{where}"
        return f"{column} ({self.operation} of {self.n_rows:,} rows{where})"

    @property
    def locator(self) -> Locator:
        """The column's own place: a range of cells in a sheet, the table's lines or page elsewhere."""
        where = self.table.locator
        addressed = [cell.address for cell in self.cells if cell.address]
        return replace(where, cells=f"{addressed[0]}:{addressed[-1]}") if addressed else where


def tally_of(restated: Restated) -> Tally | None:
    """What the question wants tallied, None where it wants no tally.

    "How many …" is a count and "the total …" a sum where rows are records, though the same words look one cell up in a
    report: such a tally is not sure.
    """
    question, operation = restated.question, restated.operation
    if restated.kind == "arithmetic":
        return None
    if operation != "lookup":
        return Tally(cast("TallyOperation", operation))
    if COUNT.search(question):
        return Tally("count", is_sure=False)
    if TOTAL.search(question) and restated.expects not in ("text", "code"):
        return Tally("sum", is_sure=False)
    is_value = restated.expects in ("number", "percent", "any")
    return Tally("maximum", is_sure=False, of_one_row=True) if is_value else None


def match_columns(restated: Restated, base: EvidenceBase) -> list[ColumnMatch]:
    """The columns that fit the question best over all tables found, each with what it comes to, best first."""
    tally = tally_of(restated)
    if tally is None:
        return []
    placed = ((hit, table) for hit, table in base.placed_tables() if table.columns)
    found = [one for hit, table in placed for one in _in_table(restated, tally, hit, table, base)]
    return sorted(found, key=lambda one: -one.score)[:N_COLUMNS]


def _in_table(restated: Restated, tally: Tally, hit: Hit, table: Table, base: EvidenceBase) -> Iterator[ColumnMatch]:
    """What the tally comes to. A question worded as a lookup ("the total quantity") is only tallied over records."""
    if is_record_table(table):
        is_one = tally.of_one_row and not is_sampled(table) and not find_conditions(restated.question, table)
        found = None if is_one else _match_records(restated, tally, hit, table, base)
        if found is not None:
            yield found
    elif tally.is_sure:
        for turned in (table, _transposed(table)):
            found = _match_records(restated, tally, hit, _as_records(restated, turned), base)
            if found is not None and found.n_rows >= MIN_ROWS:
                yield found


def _transposed(table: Table) -> Table:
    """The table with rows and columns exchanged, so that a row can be aggregated as a column can."""
    cells = tuple(replace(cell, row=cell.column, column=cell.row) for cell in table.cells)
    return replace(table, rows=table.columns, columns=table.rows, cells=cells, total_rows=0, profiles=())


def _as_records(restated: Restated, table: Table) -> Table:
    """A report as records, without the rows of other times than those asked for: the labels of its lines are the texts
    of a first column, which conditions choose rows by."""
    asked = restated.whole.facets
    rows = tuple(row for row in table.rows if not facet_conflict(asked, facets_of(" ".join(row.path))))
    labels = tuple(Cell(row.index, LABELS, row.leaf) for row in rows)
    return replace(table, rows=rows, columns=(Header(LABELS, ("",)), *table.columns), cells=(*labels, *table.cells))


def _match_records(restated: Restated, tally: Tally, hit: Hit, table: Table, base: EvidenceBase) -> ColumnMatch | None:
    """The tally over the table's rows, None where the question does not speak of its columns or cannot be computed.

    A name that neither headers nor values nor the surroundings know leaves no answer: its rows are elsewhere.
    """
    question = restated.question
    rows = Rows(hit, table, find_conditions(question, table), base)
    around, around_facets = surroundings_of(hit, table)
    terms = [term for term in restated.whole.terms if term not in TALLY_WORDS]
    if not _is_in_time(restated, rows, around_facets):
        return None
    measured = _measured(restated, tally, rows, terms)
    if measured is None:
        return None
    column, operation, fit = measured
    words = unexplained(question, table, terms, {*rows.said, *around, *ROW_WORDS})
    if any(any(map(str.isdigit, word)) or restated.names.intersection(stems_in(word)) for word in words):
        return None
    coverage = _coverage(restated, terms, rows, around)
    found = _tallied(rows, column, replace(tally, operation=operation))
    return replace(found, score=fit + coverage, coverage=coverage) if found else None


def _is_in_time(restated: Restated, rows: Rows, around: Facets) -> bool:
    """Whether the years asked for are those of a condition, or of the title and file name."""
    asked = restated.whole.facets
    if not asked.years or {str(year) for year in asked.years} & rows.said:
        return True
    return bool(asked.years & around.years) and not facet_conflict(asked, around)


def _coverage(restated: Restated, terms: Sequence[str], rows: Rows, around: tuple[str, ...]) -> float:
    """The part of the question's weight that the headers, the surroundings, or the conditions already say."""
    known = rows.base.knows.get(rows.hit.chunk.document, frozenset()) if not is_sampled(rows.table) else frozenset()
    credit = context_credit(terms, restated.names, around, known)
    heads = [part for column in columns_of(rows.table) for part in column.stems]
    explained = {*rows.said, *ROW_WORDS}
    own = [1.0 if term in explained else match_heading(term, heads) for term in terms]
    return rows.base.part_said(terms, [max(pair) for pair in zip(own, credit, strict=True)])


# --- the column -------------------------------------------------------------------------------------------------------


def _measured(
    restated: Restated, tally: Tally, rows: Rows, terms: Sequence[str]
) -> tuple[Column, TallyOperation, float] | None:
    """The column to tally, the operation on it and how well its label fits; None where the question names no column."""
    columns = columns_of(rows.table)
    if tally.operation == "count":
        return _counted(restated.question, rows)
    # A column's whole name counts, be it a word as common as "value".
    asked = set(stems_in(restated.question))
    named = {column.stems[0] for column in columns if len(column.stems) == 1 and column.stems[0] in asked}
    weights = {term: rows.base.weight(term) for term in (*terms, *sorted(named.difference(terms)))}
    compared = {each.filter.column for each in rows.conditions}
    numeric = [
        each for each in columns if each.is_numeric and not ordinal_conflict(restated.question, each.header.leaf)
    ]
    for candidates in ([column for column in numeric if column.index not in compared], numeric):
        fits = [(_fit(column, weights), -len(column.stems), -n, column) for n, column in enumerate(candidates)]
        fit, _, _, column = max(fits, default=(0.0, 0, 0, None), key=lambda one: one[:3])
        if column is not None and fit > 0 and _unasked_part(column, tuple(weights)) <= MAX_UNASKED:
            return column, tally.operation, fit
    if tally.operation == "sum" and (only := _only_amount(rows.table)) is not None:
        return only, "sum", 0.0
    return None


def _only_amount(table: Table) -> Column | None:
    """The one column of figures of a table in long form: beside it stand texts, years and dates that say of what."""
    keys = key_columns(table)
    amounts = [
        each for each in columns_of(table) if each.is_numeric and not each.is_of_years and each.index not in keys
    ]
    return amounts[0] if len(amounts) == 1 and len(keys) > 1 else None


def _fit(column: Column, weights: dict[str, float]) -> float:
    """The part of the terms' weight that the column's label says, less what it says besides."""
    said = sum(weight * match_heading(term, column.stems) for term, weight in weights.items())
    return said / sum(weights.values()) - UNASKED_COST * _unasked_part(column, tuple(weights)) if weights else 0.0


def _unasked_part(column: Column, terms: Sequence[str]) -> float:
    """The part of the label's words, numbers, times and units apart, that the terms do not say; 0 for none."""
    silent = UNIT_WORDS | COMMON_WORDS | WHOLE_WORDS
    words = [word for word in stems_of(without_facets(column.header.leaf)) if not word.isdigit() and word not in silent]
    joined = {word for word in column.stems for term in terms if is_joined_in(term, word) or is_skeleton(word, term)}
    return sum(word not in joined and not match_term(word, terms) for word in words) / len(words) if words else 0.0


def _counted(question: str, rows: Rows) -> tuple[Column, TallyOperation, float]:
    """What "how many" counts: the amounts in a column of numbers that it names, else the rows.

    What a condition says ("how many pilots are women") and what the first column holds are the rows themselves.
    """
    asked, first = COUNT.search(question), columns_of(rows.table)[0]
    behind = stems_in(question[asked.end() :])[:COUNTED_REACH] if asked else stems_in(question)
    of_rows = {*ROW_WORDS, *(word for each in rows.conditions if not each.is_comparison for word in each.said)}
    counted = behind[: next((n for n, word in enumerate(behind) if word in of_rows), None)]
    named = next(iter(columns_named(counted, rows.table)), first)
    is_amount = named != first and named.is_numeric and named.index not in key_columns(rows.table)
    return (named, "sum", 1.0) if is_amount else (first, "count", 1.0)


# --- the value --------------------------------------------------------------------------------------------------------


def _tallied(rows: Rows, column: Column, tally: Tally) -> ColumnMatch | None:
    found = rows.tally(column, tally.operation)
    if found is None:
        return None
    is_count = tally.operation == "count"
    if not is_count and tally.of_one_row != (found.n_numbers == 1):
        # Of one row a sum is its own cell, quoted; there is no greatest of it.
        is_sum = found.n_numbers == 1 and tally.operation in ("sum", "average")
        return _tallied(rows, column, replace(tally, operation="maximum", of_one_row=True)) if is_sum else None
    is_of_labels = tally.of_one_row and has_labels(rows.table) and not is_sampled(rows.table)
    return ColumnMatch(
        *(rows.hit, rows.table, column.header, tally.operation, rows.cells(column), found.value),
        n_rows=found.n_rows if is_count else found.n_numbers,
        best=found.best,
        conditions=() if is_of_labels else tuple(each.label for each in rows.conditions),
        of_one_row=tally.of_one_row,
    )
