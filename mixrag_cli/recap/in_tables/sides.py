"""The two sides of a table against a question's operand: what each header says of it, and what it says besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mixrag_cli.quantities.facets import Facets, facets_of, without_facets
from mixrag_cli.recap.evidence import CONTEXT_MATCH, stems_of
from mixrag_cli.recap.wording import WHOLE_WORDS
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Header, Table
from mixrag_cli.words import COMMON_WORDS, SYNONYM_MATCH, UNIT_WORDS, match_term

# Set by hand on the development collection so that each rule decides only where coverage alone ties; refitting
# belongs to calibration.
EXTRA_ROW_WORDS = 0.25  # a label that says more than was asked ("Gross margin percentage" for "gross margin")
EXTRA_COLUMN_WORDS = 0.08
EXTRA_PATH_WORDS = 0.05  # sections above the label that were not asked for
TABLE_RANK = 0.1  # the part that retrieval's own score plays
HEADS_ANOTHER = 0.5  # the most credit for a word that another row or column is headed with


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a table against an operand.

    said: (n_terms, n_headers) in [0, 1]. extra: (n_headers,), the part of each leaf label that was not asked for.
    """

    headers: tuple[Header, ...]
    said: npt.NDArray[np.float64]
    extra: npt.NDArray[np.float64]
    extra_path: npt.NDArray[np.float64]
    facets: tuple[Facets, ...]


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table with the best hit of it, and what its sides say of an operand."""

    hit: Hit
    table: Table
    rows: Side
    columns: Side

    @property
    def headed(self) -> npt.NDArray[np.bool_]:
        """Which of the terms head a row or a column: (n_terms,)."""
        sides = (side.said.max(axis=1, initial=0.0) for side in (self.rows, self.columns))
        return np.asarray(np.maximum(*sides) >= SYNONYM_MATCH)


@dataclass(frozen=True, slots=True)
class PlaceScores:
    """Of each place of a table, (n_rows, n_columns).

    local, said: what its headers say, in parts of what the table and its surroundings say, and of all. coverage: with
    what is said around. score: that, less what its labels say beyond the question. is_meant: whether it can be meant.
    """

    local: npt.NDArray[np.float64]
    said: npt.NDArray[np.float64]
    coverage: npt.NDArray[np.float64]
    score: npt.NDArray[np.float64]
    is_meant: npt.NDArray[np.bool_]


def score_places(placed: PlacedTable, weights: npt.NDArray[np.float64], credit: npt.NDArray[np.float64]) -> PlaceScores:
    """weights, credit: (n_terms,), of the operand's terms and for being said around the table."""
    rows, columns = placed.rows, placed.columns
    own = np.maximum(rows.said[:, :, None], columns.said[:, None, :])
    total = weights.sum()
    # What nothing here says can decide between no two cells: labels are weighed by what is left of the question.
    sayable = max(float(weights @ np.maximum(own.max(axis=(1, 2)), credit > 0)), 1e-9)
    # A word that heads one row says nothing of the others, though it stands in the title or elsewhere in the file.
    credit = np.where(placed.headed, np.minimum(credit, HEADS_ANOTHER), credit)
    said = np.tensordot(weights, own, axes=1)
    coverage = np.tensordot(weights, np.maximum(own, credit[:, None, None]), axes=1) / total
    beside = EXTRA_ROW_WORDS * rows.extra[:, None] + EXTRA_COLUMN_WORDS * columns.extra[None, :]
    beside = beside + EXTRA_PATH_WORDS * rows.extra_path[:, None]
    score = coverage + TABLE_RANK * placed.hit.score - beside * sayable / total
    is_meant = np.ones_like(coverage, bool)
    if placed.table.total_rows > len(placed.table.rows):
        # One row of many is meant only where it alone says all: another of the sample is as near as any.
        says_all = np.all(np.maximum(own, (credit >= CONTEXT_MATCH)[:, None, None]) >= SYNONYM_MATCH, axis=0)
        is_meant = np.asarray(says_all & (says_all.sum(axis=0) == 1))
    return PlaceScores(said / sayable, said / total, coverage, score, is_meant)


def side_of(headers: Sequence[Header], terms: Sequence[str]) -> Side:
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
    return Side(tuple(headers), said, extra, extra_path, tuple(facets))


def unasked_part(label: str, terms: Sequence[str]) -> float:
    """The part of a label's words, numbers, times and units apart, that the terms do not say; 0 for none."""
    words = _telling_words(label)
    return sum(not match_term(word, terms) for word in words) / len(words) if words else 0.0


@lru_cache(maxsize=65536)
def _telling_words(label: str) -> tuple[str, ...]:
    silent = UNIT_WORDS | COMMON_WORDS | WHOLE_WORDS
    return tuple(word for word in stems_of(without_facets(label)) if not word.isdigit() and word not in silent)
