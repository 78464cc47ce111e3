"""The source "tiers": how near the question is to groups of passages that mean much the same, of whatever file.

A group is known by the summary that `index` has made of it, else by the mean of what is in it. It is found and never
shown: its passages stand for it. What groups there are, and what is kept of them: tree.py.
Source: RAPTOR (Sarthi et al., ICLR 2024) with the cross-document tier of "Beyond the Reranker", section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import Proposal, Query
from mixrag_cli.retrieval.sources.passages import Passages, Vectors
from mixrag_cli.retrieval.sources.row import Means, SourceRow, over_passages, unknown
from mixrag_cli.retrieval.sources.tree import Members, Tier, grow_tree, with_summaries

NAME = "tiers"
WEIGHT = 1.0  # the best of a grid, though no surer than none: tests/benchmarks/source_gains.py
N_GROUPS = 3  # nearest to a question, whose passages are proposed
BUDGET = 10  # passages that it may bring in


@dataclass(frozen=True, slots=True)
class Tiers:
    """Scores a passage by the nearest group that it is in; proposes the passages of the nearest groups.

    groups: (k, dim), of all tiers; members: (k, n), whose leaves they are.
    """

    passages: Passages
    groups: Vectors
    members: Members
    name: str = NAME

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """The leaves of the nearest groups, nearest to the question first, in the second round."""
        if not seeds or not len(self.groups):
            return ()
        nearest = np.argsort(-(self.groups @ query.vector), kind="stable")[:N_GROUPS]
        leaves = np.flatnonzero(self.members[nearest].any(axis=0))
        order = leaves[np.argsort(-(self.passages.vectors[leaves] @ query.vector), kind="stable")]
        return self.passages.propose((int(row) for row in order), query, seeds, BUDGET)

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The cosine to the nearest of its groups; None for a passage in none."""
        near = self.groups @ query.vector
        return [self._score_of(near, self.passages.places.get(hit.chunk.id)) for hit in hits]

    def _score_of(self, near: Vectors, place: int | None) -> float | None:
        if place is None or not self.members[:, place].any():
            return None
        return float(near[self.members[:, place]].max())


def joined(tiers: Sequence[Tier], passages: Passages) -> Tiers:
    """The source over the groups of all tiers: RAPTOR's collapsed tree."""
    if not tiers:
        return Tiers(passages, passages.vectors[:0], np.zeros((0, len(passages.kept)), dtype=bool))
    groups, members = ([getattr(tier, part) for tier in tiers] for part in ("centres", "leaves"))
    return Tiers(passages, np.concatenate(groups), np.concatenate(members))


def _make(means: Means, passages: Passages) -> Tiers:
    kept = means.kept_tree()
    if kept is None or not kept.fits(passages.vectors):
        return joined(grow_tree(passages.vectors), passages)
    tiers = grow_tree(passages.vectors, kept.centres)
    return joined(with_summaries(tiers, passages.texts, kept.summaries), passages)


ROW = SourceRow(NAME, over_passages(_make), unseen=unknown, is_extra=True, weight=WEIGHT)
