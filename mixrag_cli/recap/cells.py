"""Extract from tables: which cell a question means, read through the full header paths.

A cell is scored by how much of the question its row path, its column path and its surroundings say together
(weighted by each word's rarity), less what its own labels say beyond the question, less a wrong time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mixrag_cli.recap.evidence import CONTEXT_MATCH, EvidenceBase, context_credit, stems_of, surroundings_of, time_score
from mixrag_cli.recap.language import (
    STOP_WORDS,
    SYNONYM_MATCH,
    UNIT_WORDS,
    Facets,
    facets_of,
    match_term,
    without_facets,
)
from mixrag_cli.recap.pairing import WHOLE_WORDS, Asked, score_pairs
from mixrag_cli.recap.restate import Expects, Operand
from mixrag_cli.records import Cell, Header, Hit, Table

# Set by hand on the development collection so that each rule decides only where coverage alone ties; refitting
# belongs to calibration.
EXTRA_ROW_WORDS = 0.25  # a label that says more than was asked ("Gross margin percentage" for "gross margin")
EXTRA_COLUMN_WORDS = 0.08
EXTRA_PATH_WORDS = 0.05  # sections above the label that were not asked for
UNASKED_SPAN = 0.1  # a flow over months where the state on a day was asked for
WRONG_UNIT = 0.2
TABLE_RANK = 0.1  # the part that retrieval's own score plays
PAIRED_TABLES = 3  # whose cells are put in order by the whole of their paths, at some 10 ms a table
MAX_PAIRED_CELLS = 20_000
PAIR_STEP = 0.1  # of a score for each unit of log odds
OWN_LABEL = 3.0  # log odds against a cell that only repeats its row's label: it names what was asked about
CELLS_A_TABLE = 3
HEADS_ANOTHER = 0.5  # the most credit for a word that another row or column of the same table is headed with
MIN_LOCAL = 0.12  # of the question's weight that the cell's own headers must say


@dataclass(frozen=True, slots=True)
class CellMatch:
    """A cell with its paths and how well it fits an operand. coverage: in [0, 1], of the operand's weight."""

    hit: Hit
    table: Table
    cell: Cell
    row: Header
    column: Header
    score: float
    coverage: float
    time: float

    @property
    def label(self) -> str:
        """The cell's two header paths as one line."""
        return " | ".join(" > ".join(header.path) for header in (self.row, self.column) if header.path)


@dataclass(frozen=True, slots=True)
class _Axis:
    """One side of a table against an operand.

    said: (n_terms, n_headers) in [0, 1]. extra: (n_headers,), the part of each leaf label that was not asked for.
    """

    headers: tuple[Header, ...]
    said: npt.NDArray[np.float64]
    extra: npt.NDArray[np.float64]
    extra_path: npt.NDArray[np.float64]
    facets: tuple[Facets, ...]


def match_cells(
    operand: Operand, base: EvidenceBase, names: frozenset[str], expects: Expects, limit: int = 5
) -> list[CellMatch]:
    """The best cells for the operand over all tables of the evidence, best first, at most a few a table."""
    found: list[list[CellMatch]] = []
    seen: set[str] = set()
    for hit in base.hits:
        table = base.tables.get(hit.chunk.parent)
        if table is None or table.id in seen:
            continue
        seen.add(table.id)
        found.append(_match_in_table(operand, hit, table, base, names, expects))
    found = sorted((matches for matches in found if matches), key=lambda matches: -matches[0].score)
    asked = Asked.of(operand.text, operand.facets)
    paired = [_pair(asked, matches) for matches in found[:PAIRED_TABLES]]
    best = [match for matches in (*paired, *found[PAIRED_TABLES:]) for match in matches[:CELLS_A_TABLE]]
    return sorted(best, key=lambda match: -match.score)[:limit]


def _pair(asked: Asked, matches: Sequence[CellMatch]) -> list[CellMatch]:
    """A table's cells in the order of their pairs of paths: the best keeps its score, the others stand behind it."""
    table = matches[0].table
    if len(table.rows) * len(table.columns) > MAX_PAIRED_CELLS:
        return list(matches)
    scores = score_pairs(asked, table)
    odds = [scores[match.cell.row, match.cell.column] - OWN_LABEL * _repeats_label(match) for match in matches]
    top = max(odds)
    best = matches[odds.index(top)]
    steps = [min(PAIR_STEP * (top - own), 1.0) for own in odds]
    paired = [replace(match, score=best.score - step) for match, step in zip(matches, steps, strict=True)]
    return sorted(paired, key=lambda match: -match.score)


def _repeats_label(match: CellMatch) -> bool:
    return " ".join(match.cell.text.split()) in match.row.path


def _match_in_table(
    operand: Operand, hit: Hit, table: Table, base: EvidenceBase, names: frozenset[str], expects: Expects
) -> list[CellMatch]:
    terms = operand.terms
    if not terms or not table.cells:
        return []
    weights = np.array([base.weight(term) for term in terms])
    around, around_facets = surroundings_of(hit, table)
    known = base.knows.get(hit.chunk.document, frozenset())
    rows = axis_of(table.rows, terms)
    columns = axis_of(table.columns, terms)
    credit = context_credit(terms, names, around, known)
    row_at = {header.index: n for n, header in enumerate(table.rows)}
    column_at = {header.index: n for n, header in enumerate(table.columns)}
    own = np.maximum(rows.said[:, :, None], columns.said[:, None, :])
    total = weights.sum()
    # What nothing here says can decide between no two cells: labels are weighed by what is left of the question.
    sayable = max(float(weights @ np.maximum(own.max(axis=(1, 2)), credit > 0)), 1e-9)
    # A word that heads one row says nothing of the others, though it stands in the title or elsewhere in the file.
    credit = np.where(own.max(axis=(1, 2)) >= SYNONYM_MATCH, np.minimum(credit, HEADS_ANOTHER), credit)
    local = np.tensordot(weights, own, axes=1) / sayable
    coverage = np.tensordot(weights, np.maximum(own, credit[:, None, None]), axes=1) / total
    beside = EXTRA_ROW_WORDS * rows.extra[:, None] + EXTRA_COLUMN_WORDS * columns.extra[None, :]
    beside = beside + EXTRA_PATH_WORDS * rows.extra_path[:, None]
    score = coverage + TABLE_RANK * hit.score - beside * sayable / total
    # One row of many is meant only where it alone says all: another of the sample is as near as any.
    is_sampled = table.total_rows > len(table.rows)
    says_all = np.all(np.maximum(own, (credit >= CONTEXT_MATCH)[:, None, None]) >= SYNONYM_MATCH, axis=0)
    is_meant = np.asarray(says_all & (says_all.sum(axis=0) == 1))
    candidates = []
    for cell in table.cells:
        r, c = row_at.get(cell.row), column_at.get(cell.column)
        if r is None or c is None or local[r, c] < MIN_LOCAL or not _can_answer(cell, expects):
            continue
        if is_sampled and not is_meant[r, c]:
            continue
        own_time = rows.facets[r] | columns.facets[c]
        time = time_score(operand.facets, own_time, around_facets, known) - _unasked_span(operand.facets, own_time)
        value = float(score[r, c]) + time - _unit_penalty(cell, expects)
        candidates.append(
            CellMatch(hit, table, cell, table.rows[r], table.columns[c], value, float(coverage[r, c]), time)
        )
    candidates.sort(key=lambda match: -match.score)
    return candidates


def axis_of(headers: Sequence[Header], terms: Sequence[str]) -> _Axis:
    """How each header of one side says each term, and what its leaf says besides."""
    said = np.zeros((len(terms), len(headers)))
    extra, extra_path = np.zeros(len(headers)), np.zeros(len(headers))
    facets = []
    for n, header in enumerate(headers):
        stems = stems_of(" ".join(header.path))
        said[:, n] = [match_term(term, stems) for term in terms]
        extra[n] = unasked_part(header.leaf, terms)
        extra_path[n] = unasked_part(" ".join(header.path[:-1]), terms)
        facets.append(facets_of(" ".join(header.path)))
    return _Axis(tuple(headers), said, extra, extra_path, tuple(facets))


def unasked_part(label: str, terms: Sequence[str]) -> float:
    """The part of a label's words, numbers, times and units apart, that the terms do not say; 0 for none."""
    words = _telling_words(label)
    return sum(not match_term(word, terms) for word in words) / len(words) if words else 0.0


@lru_cache(maxsize=65536)
def _telling_words(label: str) -> tuple[str, ...]:
    silent = UNIT_WORDS | STOP_WORDS | WHOLE_WORDS
    return tuple(word for word in stems_of(without_facets(label)) if not word.isdigit() and word not in silent)


def _can_answer(cell: Cell, expects: Expects) -> bool:
    if expects in ("number", "percent"):
        return cell.value is not None
    return bool(cell.text.strip())


def _unit_penalty(cell: Cell, expects: Expects) -> float:
    is_percent = cell.unit in ("%", "pp", "bp")
    if (expects == "percent" and not is_percent) or (expects == "number" and is_percent):
        return WRONG_UNIT
    return 0.0


def _unasked_span(asked: Facets, own: Facets) -> float:
    return UNASKED_SPAN if asked.dates and not asked.months and own.months else 0.0
