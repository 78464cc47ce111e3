"""Aggregates over a whole column of a table: its mean, sum, maximum, minimum or number of rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixrag_cli.quantities.facets import facet_conflict
from mixrag_cli.recap.compute import aggregate
from mixrag_cli.recap.evidence import CONTEXT_MATCH, EvidenceBase, context_credit, stems_of, surroundings_of
from mixrag_cli.recap.in_rows.column_texts import is_numeric
from mixrag_cli.recap.in_rows.filters import find_filters, is_record_table
from mixrag_cli.recap.in_rows.row_words import row_words
from mixrag_cli.recap.in_rows.tallies import ColumnMatch, match_records
from mixrag_cli.recap.in_rows.tally_columns import unasked_heading
from mixrag_cli.recap.in_rows.tally_question import Tally, tally_of
from mixrag_cli.recap.in_tables.sides import side_of
from mixrag_cli.recap.restate import Operation, Restated
from mixrag_cli.recap.wording import AVERAGE, LEAST, MOST, PERCENT_UNITS, STATISTIC, measures_implied
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.members import summary_rows
from mixrag_cli.tables.text import has_labels, key_columns
from mixrag_cli.words import JOINED_MATCH, SYNONYM_MATCH, match_heading, match_term, stem

MIN_ROWS = 2  # a single row is a cell to look up
MIN_COLUMN_WORDS = 0.5  # of a column's leaf label that the question must say
EXTRA_WORDS = 0.3  # as in cells: a label that says more than was asked
FIGURE_WORDS = frozenset(
    stem(word) for word in ("rate", "level", "figure", "score", "count")
)  # behind a measure's name
_WHICH_ROW = re.compile(r"^\s*(?:which|what) (\w+) (?:has|had|have|is|was|with|got|shows?|showed)\b", re.IGNORECASE)

Matrix = npt.NDArray[np.float64]


def match_column(restated: Restated, base: EvidenceBase, tally: Tally | None = None) -> ColumnMatch | None:
    """The best column to aggregate for the question, or None where no column fits.

    A question that is worded as a lookup ("the total quantity") is only aggregated over records. tally: what is wanted,
    by the question's words where it is not told.
    """
    tally = tally or tally_of(restated)
    if tally is None:
        return None
    matches = (_best_in_table(restated, tally, hit, table, base) for hit, table in base.placed_tables())
    return max((found for found in matches if found is not None), key=lambda found: found.score, default=None)


def _best_in_table(restated: Restated, tally: Tally, hit: Hit, table: Table, base: EvidenceBase) -> ColumnMatch | None:
    is_sampled = table.total_rows > len(table.rows)
    if is_record_table(table):
        is_plain = tally.is_sure and tally.n_best == 1 and not tally.by
        is_filtered = bool(find_filters(restated.question, table))
        if tally.of_one_row and not is_sampled and not is_filtered:
            return None
        if is_sampled or not is_plain or is_filtered:
            found = match_records(restated, tally, hit, table, base)
            if found is not None or is_sampled or is_filtered:  # all rows are no answer about some
                return found
    if not tally.is_sure:
        return None
    turns = [_match_in_table(restated, hit, turned, base) for turned in (table, transpose(table))]
    return max((found for found in turns if found is not None), key=lambda found: found.score, default=None)


def transpose(table: Table) -> Table:
    """The table with rows and columns exchanged, so that a row can be aggregated as a column can."""
    cells = tuple(replace(cell, row=cell.column, column=cell.row) for cell in table.cells)
    return replace(table, rows=table.columns, columns=table.rows, cells=cells, total_rows=0, profiles=())


def _match_in_table(restated: Restated, hit: Hit, table: Table, base: EvidenceBase) -> ColumnMatch | None:
    operand = restated.whole
    if not operand.terms or len(table.rows) < MIN_ROWS or not table.columns:
        return None
    weights = np.array([base.weight(term) for term in operand.terms])
    columns, rows = side_of(table.columns, operand.terms), side_of(table.rows, operand.terms)
    around, around_facets = surroundings_of(hit, table)
    if facet_conflict(operand.facets, around_facets):
        return None
    credit = context_credit(operand.terms, restated.names, around, base.knows.get(hit.chunk.document, frozenset()))
    column_said, extra = _headings(table.columns, operand.terms, columns.said)
    fits = weights @ column_said / weights.sum() - EXTRA_WORDS * extra
    fits[[not is_numeric(table, header) for header in table.columns]] = -1.0
    if not len(fits) or fits.max() <= 0 or extra[c := int(fits.argmax())] > MIN_COLUMN_WORDS:
        return None
    chosen = _rows_asked_for(rows.said, column_said[:, c], weights)
    left_out = summary_rows(table)
    wanted = [
        (header, facets)
        for header, take, facets in zip(table.rows, chosen, rows.facets, strict=True)
        if take and header.index not in left_out and not facet_conflict(operand.facets, facets)
    ]
    column = table.columns[c]
    said_times = (around_facets, columns.facets[c], *(facets for _, facets in wanted))
    if operand.facets.years and not any(operand.facets.years & facets.years for facets in said_times):
        return None
    if _are_statistics([header for header, _ in wanted]):
        return None
    kept = {header.index for header, _ in wanted}
    cells = tuple(
        cell for cell in table.cells if cell.column == column.index and cell.row in kept and cell.value is not None
    )
    of_rows = _rows_credit(restated, table, column_said[:, c], around)
    said = np.maximum(column_said[:, c], np.maximum(credit, of_rows))
    if chosen.any() and not chosen.all():
        said = np.maximum(said, rows.said[:, chosen].max(axis=1))
    coverage = float(weights @ said / weights.sum())
    return _with_value(restated.operation, hit, table, column, cells, float(fits[c]) + coverage, coverage)


def _headings(columns: Sequence[Header], terms: Sequence[str], said: Matrix) -> tuple[Matrix, Matrix]:
    """How well each column says each term, joined words counted, and what its leaf says besides. said: by words."""
    joined = np.array([[_says_heading(term, stems_of(header.leaf)) for header in columns] for term in terms])
    asked = (*terms, *(measure for term in terms for measure in measures_implied(term)))
    return np.maximum(said, joined), np.array([unasked_heading(header, asked) for header in columns])


def _says_heading(term: str, leaf: Sequence[str]) -> float:
    """As match_heading, where "oldest" stands for an age."""
    return 1.0 if measures_implied(term).intersection(leaf) else match_heading(term, leaf)


def _rows_credit(restated: Restated, table: Table, column_said: Matrix, around: Sequence[str]) -> Matrix:
    """Credit for terms that mean the rows themselves ("of the states", "which car") or the column's kind of figure.

    What rows are called stands above their labels; where nothing does, what is asked for is taken for it.
    """
    keys = key_columns(table)
    heads = stems_of(" ".join(header.leaf for header in table.columns if header.index in keys))
    is_unnamed = not keys and has_labels(table) and column_said.max() >= SYNONYM_MATCH
    asked = stem(_WHICH_ROW.findall(restated.question)[0].lower()) if _WHICH_ROW.search(restated.question) else ""
    credit = np.zeros(len(column_said))
    meant = row_words(restated.question, restated.whole.terms, table, around) if is_record_table(table) else ()
    for n, term in enumerate(restated.whole.terms):
        if is_record_table(table):
            credit[n] = 1.0 if term in meant else match_term(term, heads)
        if is_unnamed and term == asked and restated.expects == "label":
            credit[n] = CONTEXT_MATCH
        if term in FIGURE_WORDS and n and column_said[n - 1] >= JOINED_MATCH:
            credit[n] = max(credit[n], CONTEXT_MATCH)
    return credit


def _are_statistics(headers: Sequence[Header]) -> bool:
    """Whether the lines are the least, the greatest and the mean of something, which are not to be added up."""
    return sum(any(rule.search(header.leaf) for header in headers) for rule in (MOST, LEAST, AVERAGE, STATISTIC)) > 1


def _rows_asked_for(row_said: np.ndarray, column_said: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mask of the rows that the question restricts itself to: all, unless it says words of some rows only."""
    open_terms = (column_said < 0.5).astype(float)
    strength = (weights * open_terms) @ (row_said >= 1.0)
    if not strength.any() or strength.min() == strength.max():
        return np.ones(row_said.shape[1], dtype=bool)
    return np.asarray(strength >= strength.max())


def _with_value(
    operation: Operation, hit: Hit, table: Table, column: Header, cells: tuple[Cell, ...], score: float, coverage: float
) -> ColumnMatch | None:
    value = aggregate(operation, [cell.value for cell in cells if cell.value is not None])
    if value is None or (operation == "sum" and any(cell.unit in PERCENT_UNITS for cell in cells)):
        return None
    if operation in ("sum", "average") and len(cells) < MIN_ROWS:
        return None
    best: tuple[tuple[Header, Cell], ...] = ()
    if operation in ("maximum", "minimum"):
        cell = next(cell for cell in cells if cell.value == value)
        best = ((next(header for header in table.rows if header.index == cell.row), cell),)
    return ColumnMatch(hit, table, column, operation, cells, value, score, coverage, len(cells), best)
