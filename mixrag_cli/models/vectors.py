"""What every backend owes the store: rows that are finite and of length 1, or plainly zero."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

MIN_LENGTH = 1e-6  # below it a direction is rounding noise


def to_unit_rows(vectors: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], int]:
    """The rows at length 1 as float32, and how many had no direction (NaN, infinite, zero); those are zeros now."""
    rows = np.array(vectors, dtype=np.float32)
    rows[~np.isfinite(rows).all(axis=1)] = 0.0
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unusable = lengths[:, 0] <= MIN_LENGTH
    rows[unusable] = 0.0
    lengths[unusable] = 1.0
    return rows / lengths, int(unusable.sum())


class UnitRows:
    """The part of an embedder that counts the texts for which its model had no direction."""

    unusable = 0

    def to_unit_rows(self, vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The rows at length 1 as float32; those without a direction are zeros, and counted."""
        rows, unusable = to_unit_rows(vectors)
        self.unusable += unusable
        return rows
