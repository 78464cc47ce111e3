"""The source "rerank": late interaction, a cross-encoder or a language model, whichever the settings name.

Source: "Beyond the Reranker", section 4.3 (reranker); MixRAG, appendix D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.rerank import SOURCE, Reranker
from mixrag_cli.retrieval.sources.base import Query, ScoringSource
from mixrag_cli.retrieval.sources.row import Means, SourceRow

NAME = SOURCE


@dataclass(frozen=True, slots=True)
class Reranked(ScoringSource):
    """Scores the first of the hits by a reranker's reading. limit: passages."""

    reranker: Reranker
    limit: int
    name: str = NAME

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The reranker's scores of the first hits, None for the others. Raises what the reranker raises.

        What a second round brought in is read besides, so that it takes no other passage's place.
        """
        read = self.reranker.score(query.text, hits[: self.limit + query.n_proposed])
        return [*read, *[None] * (len(hits) - len(read))]


def _make(means: Means) -> Reranked | None:
    return None if means.reranker is None else Reranked(means.reranker, means.n_reranked)


ROW = SourceRow(NAME, _make, ranks=True)
