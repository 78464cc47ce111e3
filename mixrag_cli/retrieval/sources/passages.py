"""All passages of a collection at once, as sources that know more than one passage at a time need them.

Read when such a source is first asked, and kept with it: about 2 kB a passage. Nothing of it lies on the disk.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.retrieval.sources.base import Proposal, Query, StoredPassage

Vectors = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.floating]
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages in the order of their files and of their places there.

    vectors: (n, dim) float32, rows of length 1, or of zeros where there is none. places: by passage's id, its row.
    """

    kept: Sequence[StoredPassage]
    vectors: Vectors
    places: dict[str, int] = field(default_factory=dict)

    @property
    def chunks(self) -> list[Chunk]:
        """The passages as they are cited."""
        return [passage.chunk for passage in self.kept]

    @property
    def texts(self) -> list[str]:
        """What each passage says, with the heading that it stands under."""
        return [f"{chunk.context}\n{chunk.text}".strip() for chunk in self.chunks]

    def groups(self, keys: Sequence[object]) -> list[Places]:
        """The rows that share a key, in the order of their first; None is no key."""
        found: dict[object, list[int]] = defaultdict(list)
        for row, key in enumerate(keys):
            if key is not None:
                found[key].append(row)
        return [np.array(rows, dtype=np.intp) for rows in found.values()]

    def means(self, groups: Sequence[Places]) -> Vectors:
        """The mean vector of each group of rows, of length 1, or of zeros."""
        sums = np.stack([self.vectors[rows].sum(axis=0) for rows in groups]) if groups else self.vectors[:0]
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > TINY))

    def scores_of(self, hits: Sequence[Hit], scores: Numbers) -> list[float | None]:
        """Of the scores of all passages, (n,), those of the hits; None for what is not in the collection."""
        places = [self.places.get(hit.chunk.id) for hit in hits]
        return [None if place is None else float(scores[place]) for place in places]

    def propose_best(self, scores: Numbers, query: Query, seeds: Sequence[Hit], budget: int) -> list[Proposal]:
        """Of all passages, with scores (n,), the best above 0 that the pool does not hold."""
        best = np.argsort(-scores, kind="stable")[: len(seeds) + budget]
        return self.propose((int(row) for row in best if scores[row] > 0), query, seeds, budget)

    def propose(self, rows: Iterable[int], query: Query, seeds: Sequence[Hit], budget: int) -> list[Proposal]:
        """The first of these passages that the pool does not hold; none where the question is restricted.

        A restriction is the store's to judge, so that a restricted question gets no passage from elsewhere.
        """
        if query.where is not None:
            return []
        known = {hit.chunk.id for hit in seeds}
        new = (self.kept[row] for row in rows if self.kept[row].chunk.id not in known)
        return [Proposal(passage) for passage, _ in zip(new, range(budget), strict=False)]


def read_passages(kept: Iterable[StoredPassage]) -> Passages:
    """The passages of a collection, file by file."""
    ordered = sorted(kept, key=lambda passage: (passage.path, passage.chunk.document, passage.chunk.position))
    vectors = [passage.vector for passage in ordered]
    known = next((vector for vector in vectors if vector is not None), np.zeros(1, np.float32))
    stacked = np.stack([known * 0 if vector is None else vector for vector in vectors]) if vectors else known[None][:0]
    places = {passage.chunk.id: row for row, passage in enumerate(ordered)}
    return Passages(ordered, stacked.astype(np.float32), places)
