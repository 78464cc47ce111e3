"""The router of the levels: from a question's vector to how much each granularity counts.

    soft_labels    .8 for the level whose best snippet is nearest to what answers, .2 for the second, 0 for the others
    train_router   a small network, trained to say them, by binary cross entropy
    read_router    the shipped one; every level alike for vectors that it was not made for

Source: Mix-of-Granularity, section 3.2.2, eq. 3.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

LEVELS = ("passage", "window", "section", "document")
BEST, SECOND = 0.8, 0.2  # the paper's soft labels
HIDDEN = 16  # units: a few hundred questions teach no more
RATE, STEPS = 0.001, 1_000  # the paper's learning rate and epochs, by Adam
DECAY = 0.01  # of the weights: without it the network learns its questions by heart; not tuned
ROUTER_FILE = Path(__file__).with_name("router.json")  # made by tests/benchmarks/source_gains.py
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Router:
    """A network of one hidden layer. first: (dim, HIDDEN), second: (HIDDEN, levels), each with its bias."""

    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats

    def weights(self, vector: Floats) -> Floats:
        """How much each level counts for a question, (levels,) in (0, 1); vectors may be (n, dim)."""
        hidden = np.maximum(vector @ self.first + self.first_bias, 0)
        told: Floats = 1 / (1 + np.exp(-(hidden @ self.second + self.second_bias)))
        return told

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, rounded."""
        parts = {name: getattr(self, name) for name in ("first", "first_bias", "second", "second_bias")}
        return {name: np.round(part.astype(np.float64), DIGITS).tolist() for name, part in parts.items()}


def soft_labels(nearness: Floats) -> Floats:
    """(n, levels): BEST where a question's nearness is highest, SECOND where it is second, else 0.

    Example: [[.1, .9, .5, .2]] -> [[0, .8, .2, 0]]. Of equals the finer level comes first.
    Source: Mix-of-Granularity, section 3.2.2.
    """
    order = np.argsort(-nearness, axis=1, kind="stable")
    labels = np.zeros_like(nearness, dtype=np.float32)
    rows = np.arange(len(nearness))
    labels[rows, order[:, 0]] = BEST
    labels[rows, order[:, 1]] = SECOND
    return labels


def train_router(vectors: Floats, labels: Floats, seed: int = 0) -> Router:
    """The router that says these labels best. vectors: (n, dim) of questions; labels: (n, levels), as soft_labels.

    Source: Mix-of-Granularity, section 3.2.2, eq. 3.
    """
    random = np.random.default_rng(seed)
    dim, levels = vectors.shape[1], labels.shape[1]
    known = [
        random.normal(0, np.sqrt(2 / dim), (dim, HIDDEN)),
        np.zeros(HIDDEN),
        random.normal(0, np.sqrt(2 / HIDDEN), (HIDDEN, levels)),
        np.zeros(levels),
    ]
    moments = [(np.zeros_like(part), np.zeros_like(part)) for part in known]
    for step in range(1, STEPS + 1):
        slopes = _slopes(known, vectors, labels)
        for number, slope in enumerate(slopes):
            first, second = moments[number]
            first += 0.1 * (slope - first)
            second += 0.001 * (slope**2 - second)
            move = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
            known[number] = known[number] - RATE * (move + DECAY * known[number])
    return Router(*(part.astype(np.float32) for part in known))


def _slopes(known: list[Any], vectors: Floats, labels: Floats) -> list[Any]:
    """The gradient of the binary cross entropy (eq. 3), mean over the questions."""
    first, first_bias, second, second_bias = known
    before = vectors @ first + first_bias
    hidden = np.maximum(before, 0)
    wrong = (1 / (1 + np.exp(-(hidden @ second + second_bias))) - labels) / len(vectors)
    back = (wrong @ second.T) * (before > 0)
    return [vectors.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum(axis=0)]


@lru_cache(maxsize=4)
def read_router(dim: int) -> Router:
    """The shipped router; for vectors of another size one that counts all levels alike."""
    if ROUTER_FILE.exists():
        known = json.loads(ROUTER_FILE.read_text("utf-8"))
        router = Router(*(np.array(known[name], np.float32) for name in known))
        if router.first.shape[0] == dim:
            return router
    levels = len(LEVELS)
    zeros = (np.zeros((dim, HIDDEN)), np.zeros(HIDDEN), np.zeros((HIDDEN, levels)), np.zeros(levels))
    return Router(*(part.astype(np.float32) for part in zeros))
