"""The source "words": BM25 over the full-text index.

Source: MixRAG, section 4.2 (BM25 retrieval); Robertson & Zaragoza, 2009, section 3.4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import PassageStore, Proposal, Query
from mixrag_cli.retrieval.sources.row import Means, SourceRow

NAME = "words"
LEAST_SHARE = 0.02  # added to the share of the ceiling, so that no word at all has a logarithm


@dataclass(frozen=True, slots=True)
class Words:
    """Proposes by BM25 and scores what it proposed. limit: passages."""

    store: PassageStore
    limit: int
    name: str = NAME

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """The best passages by BM25, in the first round."""
        if seeds:
            return ()
        found = self.store.search_words(query.text, self.limit, query.where)
        return [Proposal(passage, passage.score) for passage in found]

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """What the index said; None for a passage that it did not return."""
        return [hit.scores.get(NAME) for hit in hits]


def words_share(score: float, ceiling: float) -> float:
    """A BM25 score under its query's ceiling, in [log(LEAST_SHARE), log(1 + LEAST_SHARE)].

    A BM25 score means nothing by itself, and each further word counts less: the logarithm is worth 1.3 to 3.1 points of
    nDCG@10 on FinQA's contexts in the sum with the other sources, depending on their weights, and nothing clear
    elsewhere.
    """
    share = min(max(score / ceiling, 0.0), 1.0) if ceiling > 0 else 0.0  # in a handful of passages BM25 can be negative
    return math.log(share + LEAST_SHARE)


def _as_raw(score: float, ceiling: float) -> float:
    return (math.exp(score) - LEAST_SHARE) * ceiling if math.isfinite(score) else score


def _unseen(seen: Sequence[float], n_asked: int) -> float | None:
    """Where the words found fewer than they were asked for, what they did not find holds none of them."""
    return words_share(0.0, 0.0) if len(seen) < n_asked else min(seen, default=None)


def _make(means: Means) -> Words:
    return Words(means.store, means.n_words)


ROW = SourceRow(NAME, _make, normalise=words_share, as_raw=_as_raw, unseen=_unseen, ranks=True)
