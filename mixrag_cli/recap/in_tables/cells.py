"""Extract from tables: which cell a question means, read through the full header paths.

The tables whose headers say most of the question are read closely: a small network orders the cells of each
(scorer.py), and how clearly the best one stands there makes a probability of it (acceptance.py), of which the others
get their part. Which of the tables' best cells is meant is left to the trained reader and the grading.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from mixrag_cli.quantities.facets import Facets, facets_of, ordinal_conflict, ordinals_of
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import (
    CONTEXT_MATCH,
    MIN_TIME,
    EvidenceBase,
    context_credit,
    stems_of,
    surroundings_of,
    time_score,
)
from mixrag_cli.recap.in_tables.acceptance import probability_of, signs_of
from mixrag_cli.recap.in_tables.periods import Calendar, calendar_of, in_days
from mixrag_cli.recap.in_tables.scorer import meant_by, score_pairs
from mixrag_cli.recap.odds import log_odds
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import PERCENT, PERCENT_UNITS, Asked
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import ARROW, cell_label
from mixrag_cli.words import SYNONYM_MATCH, match_term, says_nothing_new

CLOSE_TABLES = 4  # that are read closely, at some 10 ms a table
CLOSE_CELLS = 20_000  # of a table: of a larger one those rows are read that say most of the question
CELLS_A_TABLE = 3
# In parts of a coverage; set on the development collection.
TABLE_RANK = 0.1  # the part that retrieval's own score plays in which table is meant
PAIR_STEP = 0.1  # for each unit of a probability's log odds

CellForm = Literal["any", "number", "percent"]


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
    def label(self) -> str:
        """The cell's two header paths as one line."""
        return cell_label(self.row, self.column)


def form_of(restated: Restated) -> CellForm:
    """What a cell must be that answers the whole question: a share or a change stands in one as a percentage alone."""
    if restated.operation in ("share", "change_percent"):
        return "percent"
    return "number" if restated.expects in ("number", "percent") else "any"


def match_cells(
    operand: Operand, base: EvidenceBase, names: frozenset[str], form: CellForm, limit: int
) -> list[CellMatch]:
    """The likeliest cells for the operand over the tables of the evidence, at most a few a table.

    names: the operand's terms that are names. form: what alone can answer.
    """
    placed = [_place(operand, hit, table, base, names) for hit, table in base.placed_tables() if table.cells]
    placed = [_beside(one, placed, calendar) for one, calendar in zip(placed, _calendars(base, placed), strict=True)]
    nearest = sorted(placed, key=lambda one: -one.coverage.max(initial=0.0) - TABLE_RANK * one.hit.score)[:CLOSE_TABLES]
    found = [match for one in nearest if operand.terms for match in _match_in(one, base, names, form)]
    return sorted(found, key=lambda match: -match.score)[:limit]


# --- a table, and what is said of the operand in it and around it -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a table. said: (n_terms, n_headers), how well each path says each term. facets: of each path."""

    said: npt.NDArray[np.float64]
    facets: tuple[Facets, ...]

    @classmethod
    def of(cls, headers: Sequence[Header], terms: Sequence[str]) -> _Side:
        """What the paths of the headers say of the terms."""
        paths = [" ".join(header.path) for header in headers]
        said = [[match_term(term, stems_of(path)) for path in paths] for term in terms]
        return cls(np.array(said, np.float64).reshape(len(terms), len(paths)), tuple(map(facets_of, paths)))


@dataclass(frozen=True, slots=True)
class _Placed:
    """A table with the best hit of it, and what its sides say of an operand.

    weights, near, credit: (n_terms,), of the operand's terms, whether each is said around the table, and the credit for
    being said there or elsewhere in the document.
    """

    hit: Hit
    table: Table
    operand: Operand
    rows: _Side
    columns: _Side
    weights: npt.NDArray[np.float64]
    near: npt.NDArray[np.bool_]
    credit: npt.NDArray[np.float64]

    @property
    def own(self) -> npt.NDArray[np.float64]:
        """How well the two paths of each place say each term: (n_terms, n_rows, n_columns)."""
        return np.maximum(self.rows.said[:, :, None], self.columns.said[:, None, :])

    @property
    def coverage(self) -> npt.NDArray[np.float64]:
        """How much of the operand each place says with what is around: (n_rows, n_columns)."""
        said = np.maximum(self.own, self.credit[:, None, None])
        return np.asarray(np.tensordot(self.weights, said, axes=1) / max(float(self.weights.sum()), 1e-9))

    @property
    def sayable(self) -> npt.NDArray[np.float64]:
        """How well the best row or column says each term: (n_terms,)."""
        sides = (side.said.max(axis=1, initial=0.0) for side in (self.rows, self.columns))
        return np.asarray(np.maximum(*sides))


def _place(operand: Operand, hit: Hit, table: Table, base: EvidenceBase, names: frozenset[str]) -> _Placed:
    around, _ = surroundings_of(hit, table)
    near = np.array([match_term(term, around) > 0 for term in operand.terms], bool)
    weights = np.array([base.weight(term) for term in operand.terms])
    rows, columns = _Side.of(table.rows, operand.terms), _Side.of(table.columns, operand.terms)
    if len(table.rows) * len(table.columns) > CLOSE_CELLS:
        table, rows = _with_best_rows(table, rows, weights)
    credit = context_credit(operand.terms, names, around, base.knows.get(hit.chunk.document, frozenset()))
    return _Placed(hit, table, operand, rows, columns, weights, near, credit)


def _with_best_rows(table: Table, side: _Side, weights: npt.NDArray[np.float64]) -> tuple[Table, _Side]:
    """So many of the table's rows as are read closely, those that say most, and their side."""
    n_rows = max(CLOSE_CELLS // len(table.columns), 1)
    places = np.sort(np.argsort(-(weights @ side.said), kind="stable")[:n_rows]).tolist()
    rows = tuple(table.rows[n] for n in places)
    kept = {row.index for row in rows}
    cells = tuple(cell for cell in table.cells if cell.row in kept)
    own = _Side(side.said[:, places], tuple(side.facets[n] for n in places))
    return replace(table, rows=rows, cells=cells), own


def _beside(one: _Placed, placed: Sequence[_Placed], calendar: Calendar | None) -> _Placed:
    """The table as one of its document's: asked for a time as its headers write it, and given no credit for a word
    that heads another table there and is not said around this one."""
    others = [other.sayable for other in placed if other.hit.chunk.document == one.hit.chunk.document]
    is_of_another = (np.max(others, axis=0) >= SYNONYM_MATCH) & (one.sayable < SYNONYM_MATCH) & ~one.near
    facets = in_days(one.operand.facets, calendar, (*one.columns.facets, *one.rows.facets))
    return replace(one, operand=replace(one.operand, facets=facets), credit=np.where(is_of_another, 0.0, one.credit))


def _calendars(base: EvidenceBase, placed: Sequence[_Placed]) -> list[Calendar | None]:
    """The calendar of each table's document, from its passages of the evidence."""
    heads: dict[str, list[Facets]] = defaultdict(list)
    for one in placed:
        heads[one.hit.chunk.document] += one.columns.facets
    texts: dict[str, list[str]] = defaultdict(list)
    for hit in base.hits:
        texts[hit.chunk.document] += (hit.chunk.text, hit.chunk.context)
    known = {document: calendar_of(texts[document], found) for document, found in heads.items()}
    return [known[one.hit.chunk.document] for one in placed]


# --- its cells --------------------------------------------------------------------------------------------------------


def _match_in(placed: _Placed, base: EvidenceBase, names: frozenset[str], form: CellForm) -> list[CellMatch]:
    """The table's likeliest cells: the best by its signs, the others by their odds against it."""
    hit, table, operand = placed.hit, placed.table, placed.operand
    answering = list(_can_answer(placed, form))
    if not answering:
        return []
    scores = score_pairs(Asked.of(operand.asked, operand.facets), table, base.vectors)
    found = sorted(
        ((scores[cell.row, cell.column], r, c, cell) for r, c, cell in answering), key=lambda scored: -scored[0]
    )
    _, around = surroundings_of(hit, table)
    known, coverage = base.knows.get(hit.chunk.document, frozenset()), placed.coverage
    matches: list[CellMatch] = []
    for score, r, c, cell in found[:CELLS_A_TABLE]:
        time = time_score(operand.facets, placed.rows.facets[r] | placed.columns.facets[c], around, known)
        match = CellMatch(hit, table, cell, table.rows[r], table.columns[c], float(coverage[r, c]), time, 0.0, 0.0)
        if not matches:
            signs = _signs(placed, r, c, match, [one[0] for one in found], base)
            said = np.maximum(placed.sayable, placed.credit)
            is_known = all(said[n] for n, term in enumerate(operand.terms) if term in names)
            chance = best = probability_of(signs) if is_known else 0.0
            of_table = match.coverage + TABLE_RANK * hit.score
        else:
            chance = min(best * math.exp(score - found[0][0]), 1 - best)
        matches.append(replace(match, probability=chance, score=of_table + PAIR_STEP * log_odds(chance)))
    return matches


def _signs(
    placed: _Placed, r: int, c: int, match: CellMatch, scores: Sequence[float], base: EvidenceBase
) -> dict[str, float]:
    """The signs for and against the table's best cell. scores: of all that can answer."""
    paths = (ARROW.join(header.path) for header in (match.row, match.column))
    said = (*paths, placed.table.title, placed.hit.chunk.context)
    own = np.maximum(placed.rows.said[:, r], placed.columns.said[:, c])
    meant = meant_by(placed.operand.asked, said, base.vectors)
    return signs_of(np.array(scores), placed.weights, own, placed.sayable, placed.credit, meant=meant, time=match.time)


def _can_answer(placed: _Placed, form: CellForm) -> Iterator[tuple[int, int, Cell]]:
    """The cells that have the form and do not only repeat the question or their row's label, with their place.

    None of another place in an order is meant, and of a sample of rows one only that alone says all.
    """
    table = placed.table
    sides = (table.rows, table.columns)
    rows, columns = ({header.index: n for n, header in enumerate(side)} for side in sides)
    asked = placed.operand.text
    is_ordered = bool(ordinals_of(asked))  # asked once: to look for them in each header takes longer than all else
    others = [[is_ordered and ordinal_conflict(asked, " ".join(h.path)) for h in side] for side in sides]
    is_meant = ~np.logical_or.outer(*others)
    if table.total_rows > len(table.rows):
        around = (placed.credit >= CONTEXT_MATCH)[:, None, None]
        says_all = np.all(np.maximum(placed.own, around) >= SYNONYM_MATCH, axis=0)
        is_meant &= says_all & (says_all.sum(axis=0) == 1)
    for cell in table.cells:
        r, c = rows.get(cell.row, -1), columns.get(cell.column, -1)
        if min(r, c) >= 0 and is_meant[r, c] and _has_form(cell, table.rows[r], table.columns[c], placed, form):
            yield r, c, cell


def _has_form(cell: Cell, row: Header, column: Header, placed: _Placed, form: CellForm) -> bool:
    if cell.value is None:
        text = " ".join(cell.text.split())
        is_new = text and text not in row.path and not says_nothing_new(text, placed.operand.text)
        return form == "any" and bool(is_new)
    if form != "percent" or cell.unit:
        return form != "percent" or cell.unit in PERCENT_UNITS
    return PERCENT.search(f"{cell_label(row, column)} {placed.table.title}") is not None
