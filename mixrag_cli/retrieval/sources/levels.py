"""The source "levels": the question against passage, window, section and document, weighed by a router.

Coarser levels are concatenations of finer ones, so that every passage lies in one snippet of each level and can be
traced through all of them. A snippet's vector is the mean of its passages' vectors: nothing is embedded again.
Source: Mix-of-Granularity, section 3.2.1, eq. 1 and 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import Proposal, Query
from mixrag_cli.retrieval.sources.passages import TINY, Passages, Places, Vectors
from mixrag_cli.retrieval.sources.routing import Router, read_router
from mixrag_cli.retrieval.sources.row import Means, SourceRow, over_passages, unknown

NAME = "levels"
WEIGHT = 0.1  # the best of a grid, though no surer than none: tests/benchmarks/source_gains.py
WINDOW = 4  # passages: with four levels the second is about the 512 tokens that the paper's chunks grow to
N_SNIPPETS = 10  # k_r of eq. 1: beyond the best so many of a level a snippet's score is 0
BUDGET = 10  # passages that it may bring in
MOST_AROUND = 3  # passages of a snippet that are read with the one that was found: as many as a window has besides


@dataclass(frozen=True, slots=True)
class Nested:
    """Every passage's snippet at each level. of: (n, levels), the snippet's number; vectors: by level."""

    of: Places
    vectors: tuple[Vectors, ...]


@dataclass(frozen=True, slots=True)
class Levels:
    """Scores a passage by the best snippets that it lies in; proposes the passages of the best of them."""

    passages: Passages
    nested: Nested
    router: Router
    name: str = NAME

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """The passages with the highest weighed score, in the second round (eq. 1)."""
        if not seeds:
            return ()
        scores = self._scores(query)
        best = np.argsort(-scores, kind="stable")[: 4 * BUDGET]
        return self.passages.propose((int(row) for row in best if scores[row] > 0), query, seeds, BUDGET)

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The levels' cosines by the router's weights, in [0, 1]; None for a passage that is not in the collection."""
        return self.passages.scores_of(hits, self._scores(query)) if hits else []

    def by_level(self, query: Query) -> Vectors:
        """(n, levels): of every passage, the score of its snippet at each level; 0 beyond the best of a level."""
        columns = [
            keep_best(vectors @ query.vector)[self.nested.of[:, level]]
            for level, vectors in enumerate(self.nested.vectors)
        ]
        return np.column_stack(columns)

    def widen(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """The hits, each before the rest of its snippet at the level that counts most for the question.

        Of a long snippet the nearest MOST_AROUND. They stand where the hit stands, and no source has scored them. Rows
        of a table are shown with their table already.
        Source: Mix-of-Granularity, section 3.2.1, eq. 2 (g_r: the level whose snippet a generator reads).
        """
        snippets = self.nested.of[:, int(np.argmax(self.router.weights(query.vector)))]
        known, found = {hit.chunk.id for hit in hits}, []
        for hit in hits:
            found.append(hit)
            place = self.passages.places.get(hit.chunk.id)
            if place is None or hit.chunk.parent:
                continue
            around = np.flatnonzero(snippets == snippets[place])
            nearest = around[np.argsort(abs(around - place), kind="stable")][1 : 1 + MOST_AROUND]
            for passage in (self.passages.kept[row] for row in sorted(nearest.tolist())):
                if passage.chunk.id not in known:
                    known.add(passage.chunk.id)
                    found.append(replace(hit, chunk=passage.chunk, scores={}, terms=passage.terms, accepted_by=None))
        return found

    def _scores(self, query: Query) -> Vectors:
        return weigh(self.by_level(query), self.router.weights(query.vector))


def weigh(scores: Vectors, weights: Vectors) -> Vectors:
    """(n,): the levels' scores (n, levels) summed by the router's weights (levels,), over their sum: in [0, 1].

    Source: Mix-of-Granularity, section 3.2.1, eq. 1.
    """
    total: Vectors = scores @ weights / max(float(weights.sum()), TINY)
    return total


def keep_best(scores: Vectors, limit: int = N_SNIPPETS) -> Vectors:
    """The scores with all but the best set to 0, and none below 0.

    Example: [.1, .3, .2] with limit 2 -> [0, .3, .2]
    Source: Mix-of-Granularity, section 3.2.1, eq. 1 (t_rs: the scores of the k_r best).
    """
    if len(scores) <= limit:
        return np.maximum(scores, 0)
    floor = np.partition(scores, -limit)[-limit]
    kept: Vectors = np.where(scores >= floor, np.maximum(scores, 0), 0).astype(np.float32)
    return kept


def nest(passages: Passages) -> Nested:
    """Passages, windows of WINDOW, sections (the passages under one heading) and documents.

    A window does not leave its section and a section not its document, so that each level holds the finer one whole.
    Source: Mix-of-Granularity, section 3.2.1.
    """
    documents = [passage.chunk.document for passage in passages.kept]
    sections: list[object] = []
    windows: list[object] = []
    section = window = count = 0
    for row, passage in enumerate(passages.kept):
        before = passages.kept[row - 1].chunk if row else None
        chunk = passage.chunk
        begins = before is None or (before.document, before.context) != (chunk.document, chunk.context)
        section += begins
        count = 0 if begins else count + 1
        window += count % WINDOW == 0
        sections.append(section)
        windows.append(window)
    columns: list[Sequence[object]] = [range(len(documents)), windows, sections, documents]
    of = np.zeros((len(documents), len(columns)), dtype=np.intp)
    vectors = []
    for level, keys in enumerate(columns):
        groups = passages.groups(keys)
        for number, rows in enumerate(groups):
            of[rows, level] = number
        vectors.append(passages.vectors if level == 0 else passages.means(groups))
    return Nested(of, tuple(vectors))


def _make(means: Means, passages: Passages) -> Levels:
    return Levels(passages, nest(passages), read_router(passages.vectors.shape[1]))


ROW = SourceRow(NAME, over_passages(_make), unseen=unknown, is_extra=True, weight=WEIGHT)
