"""How well header paths say a question by the meaning of their tokens: late interaction under a fitted metric.

Words alone miss "imprisoned" under a header of "custody". Each token of the question finds its nearest token of a path;
which directions of the token space count, which tokens of a question and of a label tell something, and how near is
near are fitted together with the pairs' network (tests/benchmarks/hitab_pairs.py).
Source: Khattab & Zaharia, ColBERT, SIGIR 2020, eq. 3, with a path of headers in place of a passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

TOKEN_FEATURES = (
    "row_meant", "row_meant_lead", "column_meant", "column_meant_lead", "pair_meant", "pair_meant_lead",
    "row_unmeant", "column_unmeant",
)  # fmt: skip
LEAST_APART = 0.02  # of a token that no header path of its side says better than another
QUESTION_BIAS = 0.5  # of a token's worth before anything is fitted
SMALL = 1e-4

Matrix = npt.NDArray[np.float64]
Tokens = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]


class TokenVectors(Protocol):
    """The vectors of texts' tokens by the bundled model: (n_tokens, dim) each, rows of length 1."""

    def of_question(self, text: str) -> Tokens:
        """Those of a question or a part of one, without its stop words."""

    def of_labels(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """Those of header paths, each written as one text."""


@dataclass(frozen=True, slots=True)
class TokenMetric:
    """Which nearness of tokens counts.

    projection: (dim, n_axes). question, label: (dim,), what the tokens of either are worth, as a direction.
    question_bias, label_bias: what they are worth anyway. sharpness, centre: of the logistic from cosine to "says it".
    """

    projection: Matrix
    question: Matrix
    label: Matrix
    question_bias: float
    label_bias: float
    sharpness: float
    centre: float

    def features(
        self, question: Tokens, rows: Sequence[Tokens], columns: Sequence[Tokens], row: Places, column: Places
    ) -> Matrix:
        """(n_cells, len(TOKEN_FEATURES)). rows, columns: of each header path. row, column: (n_cells,) places there."""
        by_row, row_unmeant = self._said(question, rows)
        by_column, column_unmeant = self._said(question, columns)
        worth = self._worth(question)
        apart = [worth * (said.max(axis=1) - said.mean(axis=1) + LEAST_APART) for said in (by_row, by_column)]
        row_meant, column_meant = (
            weights @ said / (weights.sum() + SMALL) for weights, said in zip(apart, (by_row, by_column), strict=True)
        )
        either = np.maximum(*apart)
        pair_meant = either @ np.maximum(by_row[:, row], by_column[:, column]) / (either.sum() + SMALL)
        return np.column_stack(
            [
                row_meant[row],
                (row_meant - row_meant.max())[row],
                column_meant[column],
                (column_meant - column_meant.max())[column],
                pair_meant,
                pair_meant - pair_meant.max(),
                row_unmeant[row],
                column_unmeant[column],
            ]
        )

    def coverage(self, question: Tokens, labels: Sequence[Tokens]) -> float:
        """How much of the question the labels say together, each token by its nearest, in [0, 1]."""
        said, _ = self._said(question, labels)
        worth = self._worth(question)
        return float(worth @ said.max(axis=1, initial=0.0)) / (float(worth.sum()) + SMALL)

    def _worth(self, question: Tokens) -> Matrix:
        return np.asarray(np.logaddexp(0.0, question @ self.question + self.question_bias + QUESTION_BIAS))

    def _said(self, question: Tokens, labels: Sequence[Tokens]) -> tuple[Matrix, Matrix]:
        """How well each label says each token of the question, (q, n_labels), and what it says beyond, (n_labels,)."""
        sizes = np.array([len(tokens) for tokens in labels])
        said, beyond = np.zeros((len(question), len(labels))), np.zeros(len(labels))
        if not len(question) or not sizes.any():
            return said, beyond
        tokens = np.concatenate([tokens for tokens in labels if len(tokens)])
        starts = np.cumsum(sizes[sizes > 0]) - sizes[sizes > 0]
        cosines = self._project(question) @ self._project(tokens).T
        near = 1 / (1 + np.exp(-self.sharpness * (cosines - self.centre)))
        worth = 1 / (1 + np.exp(-(tokens @ self.label + self.label_bias)))
        said[:, sizes > 0] = np.maximum.reduceat(near, starts, axis=1)
        beyond[sizes > 0] = np.add.reduceat((1 - near.max(axis=0)) * worth, starts)
        return said, beyond

    def _project(self, tokens: Tokens) -> Matrix:
        projected = tokens @ self.projection
        return np.asarray(projected / np.maximum(np.linalg.norm(projected, axis=1, keepdims=True), SMALL))
