"""Training the router of the levels, a small network, to say of a question which granularity answers it.

    soft_labels    .8 for the level whose best snippet is nearest to what answers, .2 for the second, 0 for the others
    train_router   the network that says them best, by binary cross entropy

Source: Mix-of-Granularity, section 3.2.2, eq. 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mixrag_cli.retrieval.sources.routing import HIDDEN, Floats, Router

BEST, SECOND = 0.8, 0.2  # the paper's soft labels
RATE, STEPS = 0.001, 1_000  # the paper's learning rate and epochs, by Adam
DECAY = 0.01  # of the weights: without it the network learns its questions by heart; not tuned


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
