"""The best monotone step curve, whatever its shape: what a curve of two numbers is compared with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def fit_isotonic(scores: Floats, labels: Floats) -> tuple[Floats, Floats]:
    """The monotone curve nearest to the labels, as knots (score, probability), both rising.

    Example: scores 1, 2, 3, 4 with labels 0, 1, 0, 1 -> knots (1, 0), (2, 0.5), (3, 0.5), (4, 1)
    Source: Ayer et al., Annals of Mathematical Statistics 26, 1955: pool adjacent violators.
    """
    order = np.argsort(scores, kind="stable")
    blocks: list[tuple[float, int, float, float]] = []  # mean label, count, lowest and highest score
    for score, label in zip(scores[order], labels[order], strict=True):
        blocks.append((float(label), 1, float(score), float(score)))
        while len(blocks) > 1 and (blocks[-2][0] >= blocks[-1][0] or blocks[-2][3] == blocks[-1][2]):
            (mean, count, low, _), (other, more, _, high) = blocks[-2:]
            blocks[-2:] = [((mean * count + other * more) / (count + more), count + more, low, high)]
    ends = [(edge, mean) for mean, _, low, high in blocks for edge in dict.fromkeys((low, high))]
    return np.array([edge for edge, _ in ends]), np.array([mean for _, mean in ends])
