"""The source "hops": the question against a passage with what it is tied to, within no hop, one and two.

    passage ─► with all that one tie leads to ─► with all that two lead to

Where levels widen a passage by its place in the file, hops widen it along the graph: a row gains its table, code what
it imports. A snippet's vector is the mean of its passages' vectors. The ranges count alike: the router of `levels` was
trained to tell places apart, not ties.
Source: Mix-of-Granularity, section 3.3 (MoGG: hopping ranges as granularities).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import Proposal, Query
from mixrag_cli.retrieval.sources.graph import Ties, tie
from mixrag_cli.retrieval.sources.levels import keep_best, weigh
from mixrag_cli.retrieval.sources.passages import Passages, Vectors
from mixrag_cli.retrieval.sources.row import Means, SourceRow, over_passages, unknown

NAME = "hops"
WEIGHT = 0.1  # as that of levels and graph; not tuned
RANGES = (0, 1, 2)
MOST = 64  # passages of a snippet: a table's own passage is tied to all of its rows
BUDGET = 10  # passages that it may bring in


@dataclass(frozen=True, slots=True)
class Hops:
    """Scores a passage by the snippets around it; proposes those with the best. snippets: by range, (n, dim)."""

    passages: Passages
    snippets: tuple[Vectors, ...]
    name: str = NAME

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """The passages with the highest score, in the second round."""
        if not seeds:
            return ()
        return self.passages.propose_best(self._scores(query), query, seeds, BUDGET)

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The mean of the ranges' cosines, in [0, 1]; None for a passage that is not in the collection."""
        return self.passages.scores_of(hits, self._scores(query))

    def _scores(self, query: Query) -> Vectors:
        columns = [keep_best(vectors @ query.vector) for vectors in self.snippets]
        return weigh(np.column_stack(columns), np.ones(len(columns), np.float32))


def within(ties: Ties, n: int, hops: int) -> list[list[int]]:
    """For each of n passages those that so many ties lead to, itself first and nearer ones before, at most MOST.

    Example: a chain of three, one hop -> [[0, 1], [1, 0, 2], [2, 1]]
    Source: Mix-of-Granularity, section 3.3.
    """
    tied: dict[int, list[int]] = defaultdict(list)
    for here, there in ties.ends.tolist():
        tied[here].append(there)
    found = []
    for row in range(n):
        reached, edge = {row: None}, [row]
        for _ in range(hops):
            edge = sorted({there for here in edge for there in tied[here]} - reached.keys())
            reached |= dict.fromkeys(edge)
            if len(reached) >= MOST:
                break
        found.append(list(reached)[:MOST])
    return found


def _make(means: Means, passages: Passages) -> Hops:
    ties = tie(passages, means.names())
    groups = [[np.array(rows) for rows in within(ties, len(passages.kept), hops)] for hops in RANGES]
    return Hops(passages, tuple(passages.means(each) for each in groups))


ROW = SourceRow(NAME, over_passages(_make), unseen=unknown, is_extra=True, weight=WEIGHT)
