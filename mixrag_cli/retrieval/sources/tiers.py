"""The source "tiers": how near the question is to groups of passages that mean much the same, of whatever file.

    passages ─► groups of about LEAVES, soft: a passage may be in several ─► groups of groups ─► up to TIERS tiers

A group is known by the mean of what is in it. It is found and never shown: its passages stand for it.
Source: RAPTOR (Sarthi et al., ICLR 2024) with the cross-document tier of "Beyond the Reranker", section 4.2, without a
generator; soft groups by a mixture of von Mises-Fisher distributions of one concentration (Banerjee et al., JMLR 2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import Proposal, Query
from mixrag_cli.retrieval.sources.passages import TINY, Passages, Vectors
from mixrag_cli.retrieval.sources.row import Means, SourceRow, unknown

NAME = "tiers"
WEIGHT = 1.0  # the best of a grid, though no surer than none: tests/benchmarks/source_gains.py
LEAVES = 12  # members of a group, about; the paper lets BIC choose, with groups of RAPTOR's size
TIERS = 3  # at most, as in the paper
CONCENTRATION = 40.0  # of a group: cosines .06 apart are told ten to one
LEAST_SHARE = 0.1  # of a member's belonging that counts; RAPTOR's threshold
ROUNDS = 6  # of expectation and maximisation
N_GROUPS = 3  # nearest to a question, whose passages are proposed
BUDGET = 10  # passages that it may bring in

Members = npt.NDArray[np.bool_]


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


def build_tiers(vectors: Vectors, seed: int = 0) -> tuple[Vectors, Members]:
    """The groups of all tiers with their leaves: (k, dim), rows of length 1, and (k, n).

    Source: "Beyond the Reranker", section 4.2 (RAPTOR and the cross-document tier).
    """
    groups: list[Vectors] = []
    members: list[Members] = []
    below = vectors
    for tier in range(TIERS):
        n_groups = len(below) // LEAVES
        if n_groups < 2:
            break
        shares, centres = group_softly(below, n_groups, seed + tier)
        belongs = (shares >= LEAST_SHARE).T
        if members:  # the members of a group of groups are theirs
            belongs = (belongs.astype(np.float32) @ members[-1].astype(np.float32)) > 0
        groups.append(centres)
        members.append(belongs)
        below = centres
    if not groups:
        return vectors[:0], np.zeros((0, len(vectors)), dtype=bool)
    return np.concatenate(groups), np.concatenate(members)


def group_softly(vectors: Vectors, n_groups: int, seed: int = 0) -> tuple[Vectors, Vectors]:
    """How much each vector belongs to each group, (n, k), rows that sum to 1; and the groups' centres, (k, dim).

    Source: Banerjee et al., JMLR 2005, for RAPTOR's soft clusters.
    """
    random = np.random.default_rng(seed)
    centres = vectors[random.choice(len(vectors), n_groups, replace=False)]
    shares = np.zeros((len(vectors), n_groups), np.float32)
    for _ in range(ROUNDS):
        shares = CONCENTRATION * (vectors @ centres.T)
        shares = np.exp(shares - shares.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        moved = shares.T @ vectors
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        centres = np.where(lengths > TINY, moved / np.maximum(lengths, TINY), centres).astype(np.float32)
    return shares, centres


def _make(means: Means) -> Tiers | None:
    passages = means.passages()
    if not len(passages.kept):
        return None
    return Tiers(passages, *build_tiers(passages.vectors))


ROW = SourceRow(NAME, _make, unseen=unknown, is_extra=True, weight=WEIGHT)
