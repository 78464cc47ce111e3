"""Where running text turns to another topic: between sentences whose vectors lie further apart than most.

Source: "Enhanced RAG" (hybrid dense-sparse retrieval with faithfulness scoring), section III.A, eq. 2 and 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

PERCENTILE = 85.0  # of the drops between neighbours: the paper's example
FEWEST = 4  # sentences: of fewer no drop is more than the others; they are packed as they come


def topic_starts(vectors: Vectors, percentile: float = PERCENTILE) -> list[int]:
    """The sentences that begin another topic, by their numbers, the first one left out.

    Example: vectors a, a, a, b, b of two directions -> [3]
    vectors: (n, dim), rows of length 1, of sentences in their order. A drop is 1 less the cosine of two neighbours;
    a topic begins where it is above the percentile of all drops.
    Source: Enhanced RAG, section III-A, eq. 2 and 3.
    """
    if len(vectors) < FEWEST:
        return []
    drops = 1 - np.sum(vectors[:-1] * vectors[1:], axis=1)
    threshold = np.percentile(drops, percentile)
    return [int(place) + 1 for place in np.flatnonzero(drops > threshold)]


def topic_finder(embed: Callable[[Sequence[str]], Vectors]) -> Callable[[Sequence[str]], list[int]]:
    """What finds topic_starts in sentences. embed: texts to vectors, (n, dim), rows of length 1."""
    return lambda sentences: topic_starts(embed(sentences)) if sentences else []
