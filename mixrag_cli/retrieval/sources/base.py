"""What a source of evidence is: something that proposes passages for a question, or scores those that are proposed.

    question ─► propose, without seeds ─► pool ─► propose, with the pool as seeds ─► score, source by source ─► fusion

A source says nothing of what its scores are worth: that stands in a calibration, by the source's name. A weight of 0
there turns a source off. What is known of a source without any collection is its row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixrag_cli.records import Chunk, Hit
from mixrag_cli.retrieval.matching import QuestionTerms, ToTerms
from mixrag_cli.retrieval.rerank import Reranker


class StoredPassage(Protocol):
    """A passage as the store returns it. score: BM25 or cosine; vector: (dim,) float32 of length 1, or None.

    terms: those of the full-text index, in order, joined by blanks.
    """

    @property
    def chunk(self) -> Chunk: ...  # noqa: D102
    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def score(self) -> float: ...  # noqa: D102
    @property
    def vector(self) -> npt.NDArray[np.float32] | None: ...  # noqa: D102
    @property
    def terms(self) -> str: ...  # noqa: D102


class PassageStore(Protocol):
    """What sources need of a store."""

    def search_words(self, query: str, limit: int, where: str | None) -> Sequence[StoredPassage]:
        """The best passages by BM25, best first."""

    def search_meaning(self, vector: npt.NDArray[np.float32], limit: int, where: str | None) -> Sequence[StoredPassage]:
        """The nearest passages by cosine, best first."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question ready for all sources.

    vector: (dim,) float32 of length 1. ceiling: the highest BM25 score the words can tend to. where: a filter of the
    store's own making. sought: by which vectors to search for meaning in the question's place, () for its own. roots:
    the indexed folders, as in the store's record. terms: of the question, with their rarity.
    """

    text: str
    vector: npt.NDArray[np.float32]
    ceiling: float
    where: str | None = None
    sought: tuple[npt.NDArray[np.float32], ...] = ()
    roots: tuple[str, ...] = ()
    terms: QuestionTerms = field(default_factory=lambda: QuestionTerms((), {}))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A passage that a source brings in. score: its raw score; None where the source judges it only once it is in."""

    passage: StoredPassage
    score: float | None = None


class Source(Protocol):
    """One source of evidence over one collection."""

    @property
    def name(self) -> str:
        """Of its raw score on a hit, and of its curves and weight in a calibration."""

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """Passages for the pool, best first. seeds: the pool so far, best first; empty in the first round."""

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """A raw score a hit, higher for better, on the source's own scale; None for what it cannot judge."""


@dataclass(frozen=True, slots=True)
class Means:
    """What a collection lends its sources.

    reranker: what reads the best candidates closely, None for nothing. limits: by source, of how many passages it may
    propose, or read.
    """

    store: PassageStore
    to_terms: ToTerms
    reranker: Reranker | None
    n_words: int
    n_meaning: int
    n_reranked: int


def as_it_is(score: float, ceiling: float) -> float:
    """The score itself: its scale is the same for every question."""
    return score


def lowest(seen: Sequence[float], n_asked: int) -> float | None:
    """The lowest score seen: a source that did not return a hit would have given it less."""
    return min(seen, default=None)


def unknown(seen: Sequence[float], n_asked: int) -> float | None:
    """Nothing: the source is asked of some passages only, and says nothing of the others."""
    return None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """What is known of a source without any collection.

    make: it, over a collection; None where the collection has nothing for it. normalise: a raw score under its query's
    BM25 ceiling as curves and weights take it; as_raw: the inverse. unseen: the normalised score of a hit that it did
    not return, from those that it returned and the number of passages it was asked for. ranks: whether reciprocal rank
    fusion takes its ranking.
    """

    name: str
    make: Callable[[Means], Source | None]
    normalise: Callable[[float, float], float] = as_it_is
    as_raw: Callable[[float, float], float] = as_it_is
    unseen: Callable[[Sequence[float], int], float | None] = lowest
    ranks: bool = False


def add_scores(source: Source, query: Query, hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order with the source's raw scores."""
    scores = source.score(query, hits)
    return [
        hit if score is None or math.isnan(score) else replace(hit, scores={**hit.scores, source.name: score})
        for hit, score in zip(hits, scores, strict=True)
    ]
