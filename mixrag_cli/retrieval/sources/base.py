"""What a source of evidence is: something that proposes passages for a question, or scores those that are proposed.

    question ─► propose, without seeds ─► pool ─► propose, with the pool as seeds ─► score, source by source ─► fusion

A source says nothing of what its scores are worth: that stands in a calibration, by the source's name. A weight of 0
there turns a source off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.retrieval.matching import QuestionTerms


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
    the indexed folders, as in the store's record. terms: of the question, with their rarity. n_proposed: passages that
    the second round brought in, which stand before all others.
    """

    text: str
    vector: npt.NDArray[np.float32]
    ceiling: float
    where: str | None = None
    sought: tuple[npt.NDArray[np.float32], ...] = ()
    roots: tuple[str, ...] = ()
    terms: QuestionTerms = field(default_factory=lambda: QuestionTerms((), {}))
    n_proposed: int = 0


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


@runtime_checkable
class Widening(Protocol):
    """The part of a source that knows what stands around a passage."""

    def widen(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """The hits, each before what should be read with it."""


@dataclass(frozen=True, slots=True)
class ScoringSource:
    """The part of a source that scores passages and proposes none."""

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """Nothing."""
        return ()


def add_scores(source: Source, query: Query, hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order with the source's raw scores."""
    return add_all_scores((source,), query, hits)


def add_all_scores(sources: Sequence[Source], query: Query, hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order with the raw scores of sources of which none needs another's; each hit is made once."""
    columns = [(source.name, source.score(query, hits)) for source in sources]
    return [_with_scores(hit, {name: scores[place] for name, scores in columns}) for place, hit in enumerate(hits)]


def _with_scores(hit: Hit, said: Mapping[str, float | None]) -> Hit:
    new = {name: score for name, score in said.items() if score is not None and hit.scores.get(name) != score}
    return replace(hit, scores={**hit.scores, **new}) if new else hit
