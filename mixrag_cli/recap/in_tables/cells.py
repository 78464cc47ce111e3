"""Extract from tables: which cell a question means, read through the full header paths.

The tables whose headers say most of the question are read closely: a small network orders the cells of each
(scorer.py). A best cell is there in every table, also in one that has nothing to do with the question. So it is
believed by how clearly it stands before the others and by how much of the question is said by it and around it; the
others get their part of that. Which of the tables' best cells is meant is left to the trained reader and the grading.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mixrag_cli.quantities.facets import ordinal_conflict, ordinals_of
from mixrag_cli.quotes import find_quote
from mixrag_cli.reading import log_odds
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import (
    MIN_TIME,
    EvidenceBase,
    context_credit,
    surroundings_of,
    time_score,
)
from mixrag_cli.recap.in_tables.scorer import Side, meant_by, probability_of, score_pairs
from mixrag_cli.recap.in_tables.token_match import Matrix
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import PERCENT_UNITS
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import ARROW, cell_label, times_of
from mixrag_cli.words import says_nothing_new

CLOSE_TABLES = 4  # that are read closely, at some 10 ms a table
CLOSE_CELLS = 4_000  # of a table: of a larger one those rows are read that say most; 49 questions: as with 20,000
CELLS_A_TABLE = 6
# In parts of a coverage; set on the development collection.
TABLE_RANK = 0.1  # the part that retrieval's own score plays in which table is meant
PAIR_STEP = 0.1  # for each unit of a probability's log odds
TOP = (-5.0, 20.0)  # scores beyond which a cell is no worse and no better

CellForm = Literal["any", "number", "percent"]
RowPlace = tuple[str, int]  # a table's id and the index of a row
NamedRows = Mapping[RowPlace, str]  # rows that are read for an answer, and the words in each that may be it, or ""
NO_ROWS: NamedRows = {}


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
    rows: NamedRows = NO_ROWS,
) -> list[CellMatch]:
    """The likeliest cells for the operand over the tables of the evidence, at most a few a table; then of each row that
    is read the likeliest, and those with its words. A cell stands in the passage of its own row, where that was found.

    names: the operand's terms that are names. form: what alone can answer.
    """
    placed = [_place(operand, hit, table, base, names) for hit, table in base.placed_tables() if table.cells]
    placed.sort(key=lambda one: -one.coverage.max(initial=0.0) - TABLE_RANK * one.hit.score - one.time(base))
    read = {table for table, _ in rows}
    nearest = [one for n, one in enumerate(placed) if n < CLOSE_TABLES or one.table.id in read]
    found = [match for one in nearest if operand.terms for match in _match_in(one, base, names, form, rows)]
    found.sort(key=lambda match: -match.score)
    best = {match.row_place: match for match in reversed(found)}
    kept = found[:limit]
    named = (match for match in found if _is_named(match.table, match.cell, rows))
    for match in (*(best[row] for row in rows if row in best), *named):
        if match not in kept:
            kept.append(match)
    own_hits = base.hits_of_rows()
    return [replace(match, hit=own_hits.get(match.row_place, match.hit)) for match in kept]


# --- a table, and what is said of the operand in it and around it -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Placed:
    """A table with the best hit of it, and what its sides say of an operand.

    credit: (n_terms,), for being said around the table or elsewhere in its document. coverage: (n_rows, n_columns), how
    much of the operand each place says with what is around.
    """

    hit: Hit
    table: Table
    operand: Operand
    rows: Side
    columns: Side
    credit: Matrix
    coverage: Matrix

    def says(self, names: frozenset[str]) -> bool:
        """Whether each of the operand's names is said in a header or around the table."""
        best = (side.said.max(axis=1, initial=0.0) for side in (self.rows, self.columns))
        said = np.maximum(np.maximum(*best), self.credit)
        return all(said[n] for n, term in enumerate(self.operand.terms) if term in names)

    def time(self, base: EvidenceBase, *headers: Header) -> float:
        """How what these headers, or all, say of time agrees with the operand's, as time_score."""
        if not self.operand.facets:
            return 0.0
        own = times_of(*(headers or (*self.columns.headers, *self.rows.headers)))
        _, around = surroundings_of(self.hit, self.table)
        return time_score(self.operand.facets, own, around, base.knows.get(self.hit.chunk.document, frozenset()))


def _place(operand: Operand, hit: Hit, table: Table, base: EvidenceBase, names: frozenset[str]) -> _Placed:
    around, _ = surroundings_of(hit, table)
    weights = np.array([base.weight(term) for term in operand.terms])
    rows, columns = (Side.of(headers, operand.terms, table.title) for headers in (table.rows, table.columns))
    if len(table.rows) * len(table.columns) > CLOSE_CELLS:  # so many rows are read as say most
        n_rows = max(CLOSE_CELLS // len(table.columns), 1)
        places = np.sort(np.argsort(-(weights @ rows.said), kind="stable")[:n_rows])
        rows = Side(tuple(table.rows[n] for n in places), rows.said[:, places], rows.titled)
    credit = context_credit(operand.terms, names, around, base.knows.get(hit.chunk.document, frozenset()))
    said = np.maximum(np.maximum(rows.said[:, :, None], columns.said[:, None, :]), credit[:, None, None])
    coverage = np.tensordot(weights, said, axes=1) / max(float(weights.sum()), 1e-9)
    return _Placed(hit, table, operand, rows, columns, credit, coverage)


# --- its cells --------------------------------------------------------------------------------------------------------


def _match_in(
    placed: _Placed, base: EvidenceBase, names: frozenset[str], form: CellForm, rows: NamedRows
) -> list[CellMatch]:
    """The table's likeliest cells and those of the rows: the best by its signs, the others by their odds against it."""
    places = _scored(placed, base, form, rows)
    if not places:
        return []
    best_of_row = {cell.row: n for n, (*_, cell) in reversed([*enumerate(places)])}
    read = {n for row, n in best_of_row.items() if (placed.table.id, row) in rows}
    read |= {n for n, (*_, cell) in enumerate(places) if _is_named(placed.table, cell, rows)}
    chosen = [place for n, place in enumerate(places) if n < CELLS_A_TABLE or n in read]
    found = [_match(placed, r, c, cell, base) for _, r, c, cell in chosen]
    signs = belief_signs(found[0], np.array([place[0] for place in places]), placed.operand, base)
    best = probability_of(signs) if placed.says(names) else 0.0
    chances = [best, *(min(best * math.exp(score - places[0][0]), 1 - best) for score, *_ in chosen[1:])]
    of_table = found[0].coverage + TABLE_RANK * placed.hit.score
    return [
        replace(match, probability=chance, score=of_table + PAIR_STEP * log_odds(chance))
        for match, chance in zip(found, chances, strict=True)
    ]


def belief_signs(best: CellMatch, scores: Matrix, operand: Operand, base: EvidenceBase) -> dict[str, float]:
    """The signs for and against a table's best cell, by name. scores: (n_cells,), log odds of all that can answer."""
    paths = (ARROW.join(header.path) for header in (best.row, best.column))
    around = (*paths, best.table.title, best.hit.chunk.context)
    return {
        "likely": log_odds(1 / float(np.exp(scores - scores.max()).sum())),
        "top": min(max(float(scores.max()), TOP[0]), TOP[1]),
        "said": best.coverage,
        "meant": meant_by(operand.asked, around, base.vectors),
        "time": best.time,
    }


def _is_named(table: Table, cell: Cell, rows: NamedRows) -> bool:
    """Whether the cell holds the words that the reader takes for the answer in its row."""
    said = rows.get((table.id, cell.row), "")
    return bool(said) and find_quote(said, cell.text) is not None


def _scored(placed: _Placed, base: EvidenceBase, form: CellForm, read: NamedRows) -> list[tuple[float, int, int, Cell]]:
    """The network's score of each cell that can answer, with the places of its row and column; the best first."""
    rows, columns, asked = placed.rows.headers, placed.columns.headers, placed.operand.text
    is_ordered = bool(ordinals_of(asked))  # of another place in an order no column is meant
    others = [is_ordered and ordinal_conflict(asked, header.leaf) for header in columns]
    scored = score_pairs(placed.operand, placed.table, placed.rows, placed.columns, base.vectors)
    places = [
        (score, r, c, cell)
        for score, r, c, cell in scored
        if not others[c]
        and (_has_form(cell, rows[r], asked, form) or (form != "percent" and _is_named(placed.table, cell, read)))
    ]
    return sorted(places, key=lambda place: -place[0])


def _match(placed: _Placed, r: int, c: int, cell: Cell, base: EvidenceBase) -> CellMatch:
    row, column = placed.rows.headers[r], placed.columns.headers[c]
    coverage, time = float(placed.coverage[r, c]), placed.time(base, row, column)
    return CellMatch(placed.hit, placed.table, cell, row, column, coverage, time, 0.0, 0.0)


def _has_form(cell: Cell, row: Header, asked: str, form: CellForm) -> bool:
    """Whether a cell is such a number, or a text that neither question nor row says: where any form answers, or for a
    number one that begins with a digit ("177/108", "10 x 20")."""
    if cell.value is not None:
        return form != "percent" or cell.unit in PERCENT_UNITS
    text = " ".join(cell.text.split())
    is_such = form == "any" or (form == "number" and text[:1].isdigit())
    return is_such and bool(text) and text not in row.path and not says_nothing_new(text, asked)
