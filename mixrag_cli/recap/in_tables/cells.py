"""Extract from tables: which cell a question means, read through the full header paths.

The tables whose headers say most of the question are read closely: a small network orders the cells of each
(scorer.py), and how clearly the best one stands there makes a probability of it (acceptance.py), of which the others
get their part. Which of the tables' best cells is meant is left to the trained reader and the grading.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mixrag_cli.quantities.facets import facets_of, ordinal_conflict, ordinals_of
from mixrag_cli.reading import log_odds
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import (
    MIN_TIME,
    EvidenceBase,
    context_credit,
    stems_of,
    surroundings_of,
    time_score,
)
from mixrag_cli.recap.in_tables.acceptance import probability_of, signs_of
from mixrag_cli.recap.in_tables.scorer import Matrix, meant_by, score_pairs
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import PERCENT_UNITS, Asked
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import ARROW, cell_label
from mixrag_cli.words import match_term, says_nothing_new

CLOSE_TABLES = 4  # that are read closely, at some 10 ms a table
CLOSE_CELLS = 20_000  # of a table: of a larger one those rows are read that say most of the question
CELLS_A_TABLE = 3
# In parts of a coverage; set on the development collection.
TABLE_RANK = 0.1  # the part that retrieval's own score plays in which table is meant
PAIR_STEP = 0.1  # for each unit of a probability's log odds

CellForm = Literal["any", "number", "percent"]
RowPlace = tuple[str, int]  # a table's id and the index of a row


@dataclass(frozen=True, slots=True)
class CellMatch:
    """A cell with its paths and how well it fits an operand. coverage: in [0, 1], the part of the operand's weight that
    its paths and what is around them say. time: as evidence.time_score. probability: that it is what was asked. score:
    in parts of a coverage, by which cells of several tables are put in order."""

    hit: Hit
    table: Table
    cell: Cell
    row: Header
    column: Header
    coverage: float
    time: float
    probability: float
    score: float

    @property
    def is_in_time(self) -> bool:
        """Whether it is of the time asked for, as far as that is said."""
        return self.time > MIN_TIME

    @property
    def place(self) -> tuple[str, int, int]:
        """The cell's table, row and column."""
        return self.table.id, self.cell.row, self.cell.column

    @property
    def row_place(self) -> RowPlace:
        """The cell's table and row."""
        return self.table.id, self.cell.row

    @property
    def label(self) -> str:
        """The cell's two header paths as one line."""
        return cell_label(self.row, self.column)


def form_of(restated: Restated) -> CellForm:
    """What a cell must be that answers the whole question: only a percentage states a change in percent."""
    if restated.operation == "change_percent":
        return "percent"
    return "number" if restated.expects in ("number", "percent") else "any"


def match_cells(
    operand: Operand,
    base: EvidenceBase,
    names: frozenset[str],
    form: CellForm,
    limit: int,
    rows: Collection[RowPlace] = (),
) -> list[CellMatch]:
    """The likeliest cells for the operand over the tables of the evidence, at most a few a table; then the likeliest of
    each of the rows. A cell stands in the passage of its own row, where that was found.

    names: the operand's terms that are names. form: what alone can answer.
    """
    placed = [_place(operand, hit, table, base, names) for hit, table in base.placed_tables() if table.cells]
    placed.sort(key=lambda one: -one.coverage.max(initial=0.0) - TABLE_RANK * one.hit.score)
    read = {table for table, _ in rows}
    nearest = [one for n, one in enumerate(placed) if n < CLOSE_TABLES or one.table.id in read]
    found = [match for one in nearest if operand.terms for match in _match_in(one, base, names, form, rows)]
    found.sort(key=lambda match: -match.score)
    best = {match.row_place: match for match in reversed(found)}
    kept = found[:limit]
    kept += [best[row] for row in rows if row in best and best[row] not in kept]
    own_hits = base.hits_of_rows()
    return [replace(match, hit=own_hits.get(match.row_place, match.hit)) for match in kept]


# --- a table, and what is said of the operand in it and around it -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Placed:
    """A table with the best hit of it, and what its sides say of an operand.

    rows, columns: (n_terms, n_headers), how well each path says each of the operand's terms. weights, credit:
    (n_terms,), of the terms, and the credit for being said around the table or elsewhere in its document. coverage:
    (n_rows, n_columns), how much of the operand each place says with what is around.
    """

    hit: Hit
    table: Table
    operand: Operand
    rows: Matrix
    columns: Matrix
    weights: Matrix
    credit: Matrix
    coverage: Matrix

    @property
    def sayable(self) -> Matrix:
        """How well the best row or column says each term: (n_terms,)."""
        return np.asarray(np.maximum(*(side.max(axis=1, initial=0.0) for side in (self.rows, self.columns))))


def _place(operand: Operand, hit: Hit, table: Table, base: EvidenceBase, names: frozenset[str]) -> _Placed:
    around, _ = surroundings_of(hit, table)
    weights = np.array([base.weight(term) for term in operand.terms])
    rows, columns = _said_by(table.rows, operand.terms), _said_by(table.columns, operand.terms)
    if len(table.rows) * len(table.columns) > CLOSE_CELLS:  # so many rows are read as say most
        n_rows = max(CLOSE_CELLS // len(table.columns), 1)
        places = np.sort(np.argsort(-(weights @ rows), kind="stable")[:n_rows])
        kept = {table.rows[n].index: table.rows[n] for n in places}
        cells = tuple(cell for cell in table.cells if cell.row in kept)
        table, rows = replace(table, rows=tuple(kept.values()), cells=cells), rows[:, places]
    credit = context_credit(operand.terms, names, around, base.knows.get(hit.chunk.document, frozenset()))
    said = np.maximum(np.maximum(rows[:, :, None], columns[:, None, :]), credit[:, None, None])
    coverage = np.tensordot(weights, said, axes=1) / max(float(weights.sum()), 1e-9)
    return _Placed(hit, table, operand, rows, columns, weights, credit, coverage)


def _said_by(headers: Sequence[Header], terms: Sequence[str]) -> Matrix:
    said = [[match_term(term, stems_of(" ".join(header.path))) for header in headers] for term in terms]
    return np.array(said, np.float64).reshape(len(terms), len(headers))


# --- its cells --------------------------------------------------------------------------------------------------------


def _match_in(
    placed: _Placed, base: EvidenceBase, names: frozenset[str], form: CellForm, rows: Collection[RowPlace]
) -> list[CellMatch]:
    """The table's likeliest cells and those of the rows: the best by its signs, the others by their odds against it."""
    places = _scored(placed, base, form)
    if not places:
        return []
    best_of_row = {cell.row: n for n, (*_, cell) in reversed([*enumerate(places)])}
    read = {n for row, n in best_of_row.items() if (placed.table.id, row) in rows}
    chosen = [place for n, place in enumerate(places) if n < CELLS_A_TABLE or n in read]
    found = [_match(placed, r, c, cell, base) for _, r, c, cell in chosen]
    all_scores = np.array([place[0] for place in places])
    best_score, r, c, _ = places[0]
    best = _chance_of(placed, found[0], np.maximum(placed.rows[:, r], placed.columns[:, c]), all_scores, base)
    said = np.maximum(placed.sayable, placed.credit)
    if not all(said[n] for n, term in enumerate(placed.operand.terms) if term in names):
        best = 0.0  # a name that nothing says
    chances = [best, *(min(best * math.exp(score - best_score), 1 - best) for score, *_ in chosen[1:])]
    of_table = found[0].coverage + TABLE_RANK * placed.hit.score
    return [
        replace(match, probability=chance, score=of_table + PAIR_STEP * log_odds(chance))
        for match, chance in zip(found, chances, strict=True)
    ]


def _scored(placed: _Placed, base: EvidenceBase, form: CellForm) -> list[tuple[float, int, int, Cell]]:
    """The network's score of each cell that can answer, with the places of its row and column; the best first."""
    table, operand = placed.table, placed.operand
    sides = (table.rows, table.columns)
    rows, columns = ({header.index: n for n, header in enumerate(side)} for side in sides)
    scores = score_pairs(Asked.of(operand.asked, operand.facets), table, base.vectors)
    is_ordered = bool(ordinals_of(operand.text))  # of another place in an order no column is meant
    others = [is_ordered and ordinal_conflict(operand.text, header.leaf) for header in table.columns]
    places = [
        (score, rows[cell.row], columns[cell.column], cell)
        for cell in table.cells
        if (score := scores.get((cell.row, cell.column))) is not None
        and not others[columns[cell.column]]
        and _has_form(cell, table.rows[rows[cell.row]], operand.text, form)
    ]
    return sorted(places, key=lambda place: -place[0])


def _match(placed: _Placed, r: int, c: int, cell: Cell, base: EvidenceBase) -> CellMatch:
    hit, row, column = placed.hit, placed.table.rows[r], placed.table.columns[c]
    own = facets_of(" ".join(row.path)) | facets_of(" ".join(column.path))
    _, around = surroundings_of(hit, placed.table)
    time = time_score(placed.operand.facets, own, around, base.knows.get(hit.chunk.document, frozenset()))
    return CellMatch(hit, placed.table, cell, row, column, float(placed.coverage[r, c]), time, 0.0, 0.0)


def _chance_of(placed: _Placed, best: CellMatch, own: Matrix, scores: Matrix, base: EvidenceBase) -> float:
    """How likely the table's best cell is what was asked. own: (n_terms,), how well its paths say each term. scores: of
    all that can answer."""
    paths = (ARROW.join(header.path) for header in (best.row, best.column))
    meant = meant_by(placed.operand.asked, (*paths, placed.table.title, placed.hit.chunk.context), base.vectors)
    signs = signs_of(scores, placed.weights, own, placed.sayable, placed.credit, meant=meant, time=best.time)
    return probability_of(signs)


def _has_form(cell: Cell, row: Header, asked: str, form: CellForm) -> bool:
    """Whether a cell is such a number; or, where any form answers, a text that neither question nor row says."""
    if cell.value is not None:
        return form != "percent" or cell.unit in PERCENT_UNITS
    text = " ".join(cell.text.split())
    return form == "any" and bool(text) and text not in row.path and not says_nothing_new(text, asked)
