"""Aggregates over a whole column of a table: its mean, sum, maximum, minimum or number of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from mixrag_cli.recap.cells import axis_of
from mixrag_cli.recap.compute import aggregate
from mixrag_cli.recap.evidence import EvidenceBase, context_credit, surroundings_of
from mixrag_cli.recap.language import facet_conflict
from mixrag_cli.recap.restate import Operation, Restated
from mixrag_cli.records import Cell, Header, Hit, Locator, Table

MIN_ROWS = 2  # a single row is a cell to look up
MIN_COLUMN_WORDS = 0.5  # of a column's leaf label that the question must say
EXTRA_WORDS = 0.3  # as in cells: a label that says more than was asked


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """A column, the rows that count, and the value over them. extreme: the row of a maximum or minimum."""

    hit: Hit
    table: Table
    column: Header
    cells: tuple[Cell, ...]
    value: Decimal
    extreme: tuple[Header, Cell] | None
    score: float
    coverage: float
    n_rows: int

    @property
    def locator(self) -> Locator:
        """The column's own place: a range of cells in a sheet, the table's lines or page elsewhere."""
        where = self.table.locator
        addressed = [cell.address for cell in self.cells if cell.address]
        return replace(where, cells=f"{addressed[0]}:{addressed[-1]}") if addressed else where


def match_column(restated: Restated, base: EvidenceBase) -> ColumnMatch | None:
    """The best column to aggregate for the question, or None where no column fits."""
    best: ColumnMatch | None = None
    seen: set[str] = set()
    for hit in base.hits:
        table = base.tables.get(hit.chunk.parent)
        if table is None or table.id in seen:
            continue
        seen.add(table.id)
        for turned in (table, transpose(table)):
            found = _match_in_table(restated, hit, turned, base)
            if found is not None and (best is None or found.score > best.score):
                best = found
    return best


def transpose(table: Table) -> Table:
    """The table with rows and columns exchanged, so that a row can be aggregated as a column can."""
    cells = tuple(replace(cell, row=cell.column, column=cell.row) for cell in table.cells)
    return replace(table, rows=table.columns, columns=table.rows, cells=cells, total_rows=0, profiles=())


def _match_in_table(restated: Restated, hit: Hit, table: Table, base: EvidenceBase) -> ColumnMatch | None:
    operand = restated.whole
    if not operand.terms or len(table.rows) < MIN_ROWS or not table.columns:
        return None
    weights = np.array([base.weight(term) for term in operand.terms])
    columns, rows = axis_of(table.columns, operand.terms), axis_of(table.rows, operand.terms)
    around, around_facets = surroundings_of(hit, table)
    if facet_conflict(operand.facets, around_facets):
        return None
    credit = context_credit(operand.terms, restated.names, around, base.knows.get(hit.chunk.document, frozenset()))
    fits = weights @ columns.said / weights.sum() - EXTRA_WORDS * columns.extra
    fits[[not _is_numeric(table, header) for header in table.columns]] = -1.0
    if not len(fits) or fits.max() <= 0 or columns.extra[c := int(fits.argmax())] > MIN_COLUMN_WORDS:
        return None
    chosen = _rows_asked_for(rows.said, columns.said[:, c], weights)
    wanted = {
        header.index
        for header, take, facets in zip(table.rows, chosen, rows.facets, strict=True)
        if take and not header.is_total and not facet_conflict(operand.facets, facets)
    }
    column = table.columns[c]
    cells = tuple(
        cell for cell in table.cells if cell.column == column.index and cell.row in wanted and cell.value is not None
    )
    said = np.maximum(columns.said[:, c], credit)
    if chosen.any() and not chosen.all():
        said = np.maximum(said, rows.said[:, chosen].max(axis=1))
    coverage = float(weights @ said / weights.sum())
    return _with_value(restated.operation, hit, table, column, cells, float(fits[c]) + coverage, coverage)


def _rows_asked_for(row_said: np.ndarray, column_said: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mask of the rows that the question restricts itself to: all, unless it says words of some rows only."""
    open_terms = (column_said < 0.5).astype(float)
    strength = (weights * open_terms) @ (row_said >= 1.0)
    if not strength.any() or strength.min() == strength.max():
        return np.ones(row_said.shape[1], dtype=bool)
    return np.asarray(strength >= strength.max())


def _is_numeric(table: Table, header: Header) -> bool:
    cells = [cell for cell in table.cells if cell.column == header.index][:50]
    return bool(cells) and sum(cell.value is not None for cell in cells) * 2 > len(cells)


def _with_value(
    operation: Operation, hit: Hit, table: Table, column: Header, cells: tuple[Cell, ...], score: float, coverage: float
) -> ColumnMatch | None:
    rows = {header.index: header for header in table.rows}
    if table.total_rows > len(table.rows):
        return _from_profile(operation, hit, table, column, score, coverage)
    value = aggregate(operation, [cell.value for cell in cells if cell.value is not None])
    if value is None:
        return None
    extreme = None
    if operation in ("maximum", "minimum"):
        cell = next(cell for cell in cells if cell.value == value)
        extreme = (rows[cell.row], cell)
    return ColumnMatch(hit, table, column, cells, value, extreme, score, coverage, len(cells))


def _from_profile(
    operation: Operation, hit: Hit, table: Table, column: Header, score: float, coverage: float
) -> ColumnMatch | None:
    """The same from the profile that was taken over all rows while a large sheet streamed by."""
    profile = next((known for known in table.profiles if known.index == column.index), None)
    if profile is None or not profile.numbers or profile.total is None:
        return None
    value = {
        "sum": profile.total,
        "average": profile.total / profile.numbers,
        "maximum": profile.high,
        "minimum": profile.low,
        "count": Decimal(profile.count),
    }.get(operation)
    return None if value is None else ColumnMatch(hit, table, column, (), value, None, score, coverage, profile.numbers)
