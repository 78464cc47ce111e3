"""Which of many vectors in code are nearest to a query's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixrag_cli.store.quantising import VectorCodes, Vectors, decode_vectors

# Fetched beyond the limit, so that equal scores at the border are cut by path and position, not by the engine's chance.
TIE_SLACK = 16
CODES_AT_ONCE = 16_384  # vectors that are decoded together: 25 MB at 384 axes


def nearest_rows(codes: VectorCodes, query: Vectors, limit: int) -> npt.NDArray[np.intp]:
    """The numbers of the rows nearest to the query, (dim,) of length 1, with a few beyond the limit, best first.

    codes: (n, dim) int8, n above 0.
    """
    parts = range(0, len(codes), CODES_AT_ONCE)
    scores = np.concatenate([decode_vectors(codes[start : start + CODES_AT_ONCE]) @ query for start in parts])
    wanted = min(limit + TIE_SLACK, len(scores))
    best = np.argpartition(-scores, wanted - 1)[:wanted]
    return best[np.lexsort((best, -scores[best]))]
