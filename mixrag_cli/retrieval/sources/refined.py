"""The source "refined": the question against vectors of passages that have taken in what they are tied to.

    a passage's vector + for each kind of tie, the mean vector of what it is tied to so, turned by the kind's matrix

The matrices are learned on the collection itself, without judgements: two tied passages shall be nearer to each other
than to others. A passage's own vector stays as it is in the sum, so that a question's vector can be held against it.
Source: "Beyond the Reranker", section 4.2 (GAHR: GraphSAGE with messages by type, untaught by judgements);
Hamilton et al., NeurIPS 2017, algorithm 1 and eq. 1, here of one layer and with a softmax over the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import Proposal, Query
from mixrag_cli.retrieval.sources.graph import Edge, tie_by_kind
from mixrag_cli.retrieval.sources.passages import TINY, Passages, Vectors
from mixrag_cli.retrieval.sources.row import Means, SourceRow, over_passages, unknown

NAME = "refined"
WEIGHT = 0.1  # as that of graph and hops; not tuned
BUDGET = 10  # passages that it may bring in
ALIKE, N_ALIKE = 0.7, 3  # the paper's cosine from which two passages are tied; the nearest so many, as in MoGG
# Of tied pairs; few and small steps, or the questions' vectors lose their hold.
BATCH, STEPS, RATE = 128, 100, 0.0003
FIRST_KEPT, SECOND_KEPT, LEAST_SCALE = 0.9, 0.999, 1e-8  # of Adam's moments: Kingma & Ba, ICLR 2015, algorithm 1
SCALE = 20.0  # of cosines in the softmax, as the embedder was trained with
BLOCK = 2_000  # passages at once

Rows = npt.NDArray[np.intp]
ByKind = Mapping[str, Vectors]


@dataclass(frozen=True, slots=True)
class Refined:
    """Scores a passage by its refined vector; proposes the nearest. vectors: (n, dim), rows of length 1."""

    passages: Passages
    vectors: Vectors
    name: str = NAME

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """The nearest passages, in the second round."""
        return self.passages.propose_best(self.vectors @ query.vector, query, seeds, BUDGET) if seeds else ()

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The cosine to the refined vector; None for a passage that is not in the collection."""
        return self.passages.scores_of(hits, self.vectors @ query.vector)


def refine(vectors: Vectors, edges: Mapping[str, set[Edge]], seed: int = 0) -> Vectors:
    """(n, dim), rows of length 1: the vectors with what they are tied to, as the ties themselves teach.

    edges: by kind, pairs of rows. Where nothing is tied the vectors come back.
    Source: "Beyond the Reranker", section 4.2 (GAHR); Hamilton et al., NeurIPS 2017, algorithm 1.
    """
    tied = {kind: np.array(sorted(pairs), dtype=np.intp) for kind, pairs in edges.items() if pairs}
    if not tied:
        return vectors
    around = {kind: mean_around(vectors, pairs) for kind, pairs in tied.items()}
    matrices = learn(vectors, around, np.unique(np.concatenate(list(tied.values())), axis=0), seed)
    return _forward(vectors, around, matrices, np.arange(len(vectors)))[0]


def learn(vectors: Vectors, around: ByKind, pairs: Rows, seed: int = 0) -> ByKind:
    """The matrix (dim, dim) of each kind, with which tied passages tell each other from the rest of their batch best.

    around: by kind, as mean_around. pairs: (m, 2) rows that are tied. Begun at 0, where every passage is itself alone.
    Source: Hamilton et al., NeurIPS 2017, eq. 1 (a tied pair against sampled others).
    """
    random = np.random.default_rng(seed)
    square = (vectors.shape[1], vectors.shape[1])
    matrices = {kind: np.zeros(square, vectors.dtype) for kind in around}
    moments = {kind: (np.zeros(square, vectors.dtype), np.zeros(square, vectors.dtype)) for kind in around}
    for step in range(1, STEPS + 1):
        chosen = pairs[random.choice(len(pairs), min(BATCH, len(pairs)), replace=False)]
        for kind, slope in _slopes(vectors, around, matrices, chosen).items():
            first, second = moments[kind]
            first += (1 - FIRST_KEPT) * (slope - first)
            second += (1 - SECOND_KEPT) * (slope**2 - second)
            scale = np.sqrt(second / (1 - SECOND_KEPT**step)) + LEAST_SCALE
            matrices[kind] -= RATE * (first / (1 - FIRST_KEPT**step)) / scale
    return matrices


def mean_around(vectors: Vectors, pairs: Rows) -> Vectors:
    """(n, dim): for each passage the mean vector of those that these pairs (m, 2) tie it to, zeros for one without.

    Source: Hamilton et al., NeurIPS 2017, section 3.3 (the mean aggregator), of all neighbours instead of a sample.
    """
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    sums = np.zeros_like(vectors)
    np.add.at(sums, ends[:, 0], vectors[ends[:, 1]])
    counts = np.maximum(np.bincount(ends[:, 0], minlength=len(vectors)), 1)[:, None]
    return np.asarray(sums / counts, dtype=vectors.dtype)


def tie_alike(vectors: Vectors) -> Iterator[Edge]:
    """Each passage and those nearest to it, as far as their cosine is above ALIKE.

    Source: "Beyond the Reranker", section 4.2 (GAHR: semantic edges); Mix-of-Granularity, section 3.3 (k_graph).
    """
    for start in range(0, len(vectors), BLOCK):
        cosines = vectors[start : start + BLOCK] @ vectors.T
        cosines[np.arange(len(cosines)), np.arange(start, start + len(cosines))] = -1
        count = min(N_ALIKE, cosines.shape[1])
        nearest = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        for row, others in enumerate(nearest):
            yield from (
                (min(start + row, int(other)), max(start + row, int(other)))
                for other in others
                if cosines[row, other] > ALIKE
            )


def _forward(vectors: Vectors, around: ByKind, matrices: ByKind, chosen: Rows) -> tuple[Vectors, Vectors]:
    """The refined vectors of the chosen rows, (m, dim), and their lengths before they were brought to 1, (m, 1)."""
    sums = vectors[chosen]
    for kind, matrix in matrices.items():
        sums = sums + around[kind][chosen] @ matrix
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), TINY)
    return sums / lengths, lengths


def _slopes(vectors: Vectors, around: ByKind, matrices: ByKind, pairs: Rows) -> ByKind:
    """The gradient of the softmax's cross entropy, in which each pair's second has to be picked for its first."""
    firsts, seconds = pairs.T
    (here, _), (there, _) = made = [_forward(vectors, around, matrices, rows) for rows in (firsts, seconds)]
    logits = SCALE * here @ there.T
    picked = np.exp(logits - logits.max(axis=1, keepdims=True))
    picked /= picked.sum(axis=1, keepdims=True)
    wrong = SCALE * (picked - np.eye(len(pairs), dtype=vectors.dtype)) / len(pairs)
    back = [_before_length(slope, *one) for slope, one in zip((wrong @ there, wrong.T @ here), made, strict=True)]
    return {kind: means[firsts].T @ back[0] + means[seconds].T @ back[1] for kind, means in around.items()}


def _before_length(slope: Vectors, unit: Vectors, lengths: Vectors) -> Vectors:
    """The gradient before the vectors were brought to length 1."""
    return np.asarray((slope - unit * (slope * unit).sum(axis=1, keepdims=True)) / lengths)


def _make(means: Means, passages: Passages) -> Refined:
    edges = {**tie_by_kind(passages, means.names()), "alike": set(tie_alike(passages.vectors))}
    return Refined(passages, refine(passages.vectors, edges))


ROW = SourceRow(NAME, over_passages(_make), unseen=unknown, is_extra=True, weight=WEIGHT)
