"""Extract from tables: which cell a question means, read through the full header paths.

A cell is scored by how much of the question its row path, its column path and its surroundings say together
(weighted by each word's rarity), less what its own labels say beyond the question, less a wrong time.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixrag_cli.quantities.facets import Facets
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import (
    MIN_TIME,
    EvidenceBase,
    context_credit,
    surroundings_of,
    time_score,
    unknown_names,
)
from mixrag_cli.recap.in_tables.acceptance import Standing, probability_of
from mixrag_cli.recap.in_tables.periods import Calendar, calendar_of, in_days
from mixrag_cli.recap.in_tables.scorer import meant_by, score_pairs
from mixrag_cli.recap.in_tables.sides import PlacedTable, Side, score_places, side_of
from mixrag_cli.recap.in_tables.token_match import TokenVectors
from mixrag_cli.recap.odds import log_odds
from mixrag_cli.recap.restate import Expects
from mixrag_cli.recap.wording import PERCENT_UNITS, Asked
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.text import ARROW, cell_label
from mixrag_cli.words import SYNONYM_MATCH, match_term

# Set by hand on the development collection so that each rule decides only where coverage alone ties; refitting
# belongs to calibration.
UNASKED_SPAN = 0.1  # a flow over months where the state on a day was asked for
WRONG_UNIT = 0.2
PAIRED_TABLES = 3  # whose cells are put in order by the whole of their paths, at some 10 ms a table
MAX_PAIRED_CELLS = 20_000
PAIR_STEP = 0.1  # of a score for each unit of log odds
OWN_LABEL = 3.0  # log odds against a cell that only repeats its row's label: it names what was asked about
CELLS_A_TABLE = 3
MAX_UNFIT = 12  # cells that are looked at for what contradicts the question
MIN_LOCAL = 0.12  # of the question's weight that the headers of one cell of the table must say,
MAX_FREE_CELLS = 2_000  # and in a table of more those of every cell

_PERCENT_TITLE = re.compile(r"%|\bper ?cent(?:age)?s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CellMatch:
    """A cell with its paths and how well it fits an operand. coverage: in [0, 1], of the operand's weight. probability:
    that it is what was asked; 0 where its table stands too far behind to be looked at closely."""

    hit: Hit
    table: Table
    cell: Cell
    row: Header
    column: Header
    score: float
    coverage: float
    time: float
    probability: float = 0.0

    def is_believed(self, threshold: float) -> bool:
        """Whether the cell is what was asked, and of the time asked for."""
        return self.probability >= threshold and self.time > MIN_TIME

    @property
    def place(self) -> tuple[str, int, int]:
        """The cell's table, row and column."""
        return self.table.id, self.cell.row, self.cell.column

    @property
    def label(self) -> str:
        """The cell's two header paths as one line."""
        return cell_label(self.row, self.column)


@dataclass(frozen=True, slots=True)
class _Found:
    """One table's cells for an operand, best first, and where its terms are said.

    weights, credit, named: (n_terms,). credit: for being said around the table or elsewhere in its document. named:
    whether it is a name that heads a row or column and is not said around the table. rows, columns: what its sides say.
    """

    matches: list[CellMatch]
    operand: Operand
    weights: npt.NDArray[np.float64]
    credit: npt.NDArray[np.float64]
    rows: Side
    columns: Side
    named: npt.NDArray[np.bool_]

    def standing(self, best: CellMatch, odds: npt.NDArray[np.float64], vectors: TokenVectors) -> Standing:
        """What the signs for and against the best cell are read from."""
        r, c = self.rows.headers.index(best.row), self.columns.headers.index(best.column)
        table, paths = best.table, [ARROW.join(header.path) for header in (best.row, best.column)]
        return Standing(
            best.cell,
            best.label,
            f"{table.title} {best.hit.chunk.context}",
            odds,
            self.operand.terms,
            self.weights,
            own=np.maximum(self.rows.said[:, r], self.columns.said[:, c]),
            sayable=np.maximum(self.rows.said.max(axis=1), self.columns.said.max(axis=1)),
            credit=self.credit,
            meant=meant_by(self.operand.asked, paths, vectors),
            meant_around=meant_by(self.operand.asked, (*paths, table.title, best.hit.chunk.context), vectors),
            row_extra=float(self.rows.extra[r]),
            time=best.time,
        )


def match_cells(
    operand: Operand,
    base: EvidenceBase,
    names: frozenset[str],
    expects: Expects,
    limit: int = 5,
    fits: Callable[[CellMatch], bool] = lambda _: True,
) -> list[CellMatch]:
    """The best cells for the operand over all tables of the evidence, best first, at most a few a table.

    fits: false of a cell that the question cannot mean; those that would stand first are left out beforehand.
    """
    found = _match_in_tables(operand, base, names, expects)
    paired = [_pair(names, expects, one, base.vectors, fits) for one in found[:PAIRED_TABLES]]
    behind = [one.matches for one in found[PAIRED_TABLES:]]
    best = [match for matches in (*paired, *behind) for match in matches[:CELLS_A_TABLE]]
    return sorted(best, key=lambda match: -match.score)[:limit]


def _match_in_tables(operand: Operand, base: EvidenceBase, names: frozenset[str], expects: Expects) -> list[_Found]:
    """The tables whose headers say something of the operand, best first; where none does, the evidence's first."""
    placed = [
        PlacedTable(hit, table, side_of(table.rows, operand.terms), side_of(table.columns, operand.terms))
        for hit, table in base.placed_tables()
    ]
    heads = _heads_by_document(operand.terms, placed)
    calendars = _calendars(base, placed) if operand.facets else {}
    for tables, min_local in ((placed, MIN_LOCAL), (placed[:1], 0.0)):
        matched = [
            _match_in_table(_dated(operand, one, calendars), one, base, names, expects, min_local, heads)
            for one in tables
        ]
        found = [one for one in matched if one is not None]
        if found:
            return sorted(found, key=lambda one: -one.matches[0].score)
    return []


def _calendars(base: EvidenceBase, placed: Sequence[PlacedTable]) -> dict[str, Calendar | None]:
    """The calendar of each document that has a table, from its passages of the evidence."""
    heads: dict[str, list[Facets]] = defaultdict(list)
    for one in placed:
        heads[one.hit.chunk.document] += one.columns.facets
    texts: dict[str, list[str]] = defaultdict(list)
    for hit in base.hits:
        texts[hit.chunk.document] += (hit.chunk.text, hit.chunk.context)
    return {document: calendar_of(texts[document], found) for document, found in heads.items()}


def _dated(operand: Operand, one: PlacedTable, calendars: Mapping[str, Calendar | None]) -> Operand:
    """The operand with the time asked for as the table's headers write it."""
    if not operand.facets:
        return operand
    calendar = calendars.get(one.hit.chunk.document)
    return replace(operand, facets=in_days(operand.facets, calendar, (*one.columns.facets, *one.rows.facets)))


def _heads_by_document(terms: Sequence[str], placed: Sequence[PlacedTable]) -> dict[str, npt.NDArray[np.bool_]]:
    """For each document which of the terms head a row or column of one of its tables: (n_terms,)."""
    heads: dict[str, npt.NDArray[np.bool_]] = {}
    for one in placed:
        document = one.hit.chunk.document
        heads[document] = heads.get(document, np.zeros(len(terms), bool)) | one.headed
    return heads


def _pair(
    names: frozenset[str],
    expects: Expects,
    found: _Found,
    vectors: TokenVectors,
    fits: Callable[[CellMatch], bool],
) -> list[CellMatch]:
    """A table's cells in the order of their pairs of paths, each with the probability that it is what was asked.

    The best keeps its score and is moved by the odds of its probability, so that tables stand in that order, too; the
    others stand behind it.
    """
    matches = found.matches
    table = matches[0].table
    if len(table.rows) * len(table.columns) > MAX_PAIRED_CELLS:
        return list(matches)
    asked = Asked.of(found.operand.asked, found.operand.facets)
    scores = score_pairs(asked, table, vectors)
    odds = np.array(
        [scores[match.cell.row, match.cell.column] - OWN_LABEL * _repeats_label(match) for match in matches]
    )
    matches, odds = _fitting(matches, odds, fits)
    steps = odds.max() - odds
    best = matches[int(odds.argmax())]
    standing = found.standing(best, odds, vectors)
    unsaid = np.maximum(standing.sayable, standing.credit)
    is_of_another = bool((found.named & (standing.own < SYNONYM_MATCH)).any())
    if is_of_another or unknown_names(found.operand.terms, names, unsaid):
        probability = 0.0
    else:
        probability = probability_of(asked, expects, standing)
    score = best.score + PAIR_STEP * log_odds(probability)
    behind = [min(probability * math.exp(-step), 1 - probability) for step in steps.tolist()]
    paired = [
        replace(match, score=score - min(PAIR_STEP * step, 1.0), probability=probability if match is best else own)
        for match, step, own in zip(matches, steps.tolist(), behind, strict=True)
    ]
    return sorted(paired, key=lambda match: -match.score)


def _fitting(
    matches: list[CellMatch], odds: npt.NDArray[np.float64], fits: Callable[[CellMatch], bool]
) -> tuple[list[CellMatch], npt.NDArray[np.float64]]:
    """The cells and their odds less those of the first ones that do not fit; all of them where none of these fits."""
    order = np.argsort(-odds, kind="stable")[:MAX_UNFIT]
    unfit = {int(n) for n in order if not fits(matches[n])}
    if len(unfit) == len(order):
        return matches, odds
    return [match for n, match in enumerate(matches) if n not in unfit], np.delete(odds, list(unfit))


def _repeats_label(match: CellMatch) -> bool:
    return " ".join(match.cell.text.split()) in match.row.path


def _match_in_table(
    operand: Operand,
    placed: PlacedTable,
    base: EvidenceBase,
    names: frozenset[str],
    expects: Expects,
    min_local: float,
    heads: Mapping[str, npt.NDArray[np.bool_]],
) -> _Found | None:
    """min_local: of the operand's weight that the headers of one cell must say. heads: see _heads_by_document."""
    hit, table, rows, columns = placed.hit, placed.table, placed.rows, placed.columns
    if not operand.terms or not table.cells:
        return None
    around, around_facets = surroundings_of(hit, table)
    known = base.knows.get(hit.chunk.document, frozenset())
    credit = context_credit(operand.terms, names, around, known)
    is_far = np.array([term in names and not match_term(term, around) for term in operand.terms])
    # Where a name heads a row of another table, this one without it is not of what it names.
    credit = np.where(heads[hit.chunk.document] & ~placed.headed & is_far, 0.0, credit)
    weights = np.array([base.weight(term) for term in operand.terms])
    scores = score_places(placed, weights, credit)
    if scores.local.max() < min_local:
        return None
    # A table of which nothing is said is believed by its cell's probability alone.
    coverage = scores.coverage if min_local else scores.said
    min_local = min_local if len(table.cells) > MAX_FREE_CELLS else 0.0
    row_at = {header.index: n for n, header in enumerate(table.rows)}
    column_at = {header.index: n for n, header in enumerate(table.columns)}
    candidates = []
    for cell in table.cells:
        r, c = row_at.get(cell.row), column_at.get(cell.column)
        if r is None or c is None or scores.local[r, c] < min_local or not _can_answer(cell, expects):
            continue
        if not scores.is_meant[r, c]:
            continue
        own_time = rows.facets[r] | columns.facets[c]
        time = time_score(operand.facets, own_time, around_facets, known) - _unasked_span(operand.facets, own_time)
        value = float(scores.score[r, c]) + time - _unit_penalty(cell, table, expects)
        candidates.append(
            CellMatch(hit, table, cell, table.rows[r], table.columns[c], value, float(coverage[r, c]), time)
        )
    if not candidates:
        return None
    candidates.sort(key=lambda match: -match.score)
    return _Found(candidates, operand, weights, credit, rows, columns, placed.headed & is_far)


def _can_answer(cell: Cell, expects: Expects) -> bool:
    if expects in ("number", "percent"):
        return cell.value is not None
    return bool(cell.text.strip())


def _unit_penalty(cell: Cell, table: Table, expects: Expects) -> float:
    is_percent = cell.unit in PERCENT_UNITS or (not cell.unit and _PERCENT_TITLE.search(table.title) is not None)
    if (expects == "percent" and not is_percent) or (expects == "number" and is_percent):
        return WRONG_UNIT
    return 0.0


def _unasked_span(asked: Facets, own: Facets) -> float:
    return UNASKED_SPAN if asked.dates and not asked.months and own.months else 0.0
