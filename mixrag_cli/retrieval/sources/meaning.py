"""The source "meaning": the cosine of the question's vector and the passage's.

Source: MixRAG, section 4.2 (embedding-based retrieval); Enhanced RAG, section III-B, eq. 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import PassageStore, Proposal, Query
from mixrag_cli.retrieval.sources.row import Means, SourceRow

NAME = "meaning"


@dataclass(frozen=True, slots=True)
class Meaning:
    """Proposes the nearest passages, and scores every passage whose vector is known. limit: passages a vector."""

    store: PassageStore
    limit: int
    name: str = NAME

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """The nearest passages, in the first round; those that other vectors seek have no score of the question's."""
        if seeds:
            return ()
        return [
            Proposal(passage, None if query.sought else passage.score)
            for vector in query.sought or (query.vector,)
            for passage in self.store.search_meaning(vector, self.limit, query.where)
        ]

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The cosine to the question itself, whatever was sought."""
        return [self._score_of(query, hit) for hit in hits]

    @staticmethod
    def _score_of(query: Query, hit: Hit) -> float | None:
        known = hit.scores.get(NAME)
        return known if known is not None or hit.vector is None else float(hit.vector @ query.vector)


def _make(means: Means) -> Meaning:
    return Meaning(means.store, means.n_meaning)


ROW = SourceRow(NAME, _make, ranks=True)
