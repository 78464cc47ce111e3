"""Routers: which way of searching each question takes, told from the question and its candidates, without judgements.

keyword         words alone for a question with a number, a code or a quotation, else the default
entropy         EGR: p = softmax(-d / T) over the K nearest distances; by its entropy low to meaning alone, intermediate
                to the fusion that is the default, high to another wording, which is the made-up answer's path where
                there is one (FinQA's Q2D), else rank fusion
compositional   ridge regression from such signals to what each way gains; the way with the most, where it is above 0

Bounds and regressions are fitted on other sets than the one they are told of.
Source: "Beyond the Reranker", section 4.3 (per-query routing).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from mixrag_cli.records.passages import Hit

K = 10
TEMPERATURE = 0.05  # a cosine's spread over a question's candidates: with 1 the entropy is log K for every question
QUANTILES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)  # of the entropy, where its bounds may lie
RIDGE = 10.0  # questions' worth of doubt about each signal
DEFAULT = "default"

Values = Mapping[str, np.ndarray]  # by way: each question's nDCG@10


class Signals(NamedTuple):
    """What a router knows of one question."""

    entropy: float
    lead: float
    is_exact: float
    words: float
    names: float


def signals_of(question: str, hits: Sequence[Hit], *, is_exact: bool) -> Signals:
    near = sorted((hit.scores["meaning"] for hit in hits if "meaning" in hit.scores), reverse=True)[:K]
    words = question.split()
    names = sum(word[:1].isupper() for word in words[1:])
    lead = near[0] - near[1] if len(near) > 1 else 0.0
    return Signals(entropy(near), lead, float(is_exact), float(np.log(1 + len(words))), float(names > 1))


def entropy(cosines: Sequence[float]) -> float:
    """H of the softmax over the distances 1 - cosine, over its ceiling log K: in [0, 1].

    Example: ten equal cosines -> 1.
    """
    if len(cosines) < 2:
        return 0.0
    logits = np.array(cosines) / TEMPERATURE
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    return float(-(shares * np.log(shares + 1e-12)).sum() / np.log(len(cosines)))


def entropy_routes(known: np.ndarray, bounds: tuple[float, float], high: str) -> list[str]:
    """By question the way it takes. known: (n,), entropies; high: the way of those above both bounds."""
    low, top = bounds
    return ["meaning" if each < low else DEFAULT if each <= top else high for each in known]


def fit_bounds(others: Sequence[tuple[np.ndarray, Values]], high: str) -> tuple[float, float]:
    """The bounds with the best mean over the other sets, each set alike."""
    pooled = np.concatenate([known for known, _ in others])
    places = np.quantile(pooled, QUANTILES)
    places[-1] += 1e-9

    def gain(bounds: tuple[float, float]) -> float:
        return float(np.mean([taken(values, entropy_routes(known, bounds, high)).mean() for known, values in others]))

    return max(combinations_with_replacement(places.tolist(), 2), key=gain)


def compositional_routes(
    own: np.ndarray, others: Sequence[tuple[np.ndarray, Values]], ways: Sequence[str]
) -> list[str]:
    """By question the way with the highest promised gain over the default. own: (n, signals)."""
    signals = np.concatenate([known for known, _ in others])
    mean, spread = signals.mean(axis=0), signals.std(axis=0) + 1e-9

    def design(known: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(known)), (known - mean) / spread])

    known = design(signals)
    doubt = RIDGE * np.eye(known.shape[1])
    promised = [np.zeros(len(own))]
    for way in ways:
        gains = np.concatenate([values[way] - values[DEFAULT] for _, values in others])
        promised.append(design(own) @ np.linalg.solve(known.T @ known + doubt, known.T @ gains))
    best = np.argmax(np.column_stack(promised), axis=1)
    return [(DEFAULT, *ways)[number] for number in best]


def taken(values: Values, routes: Sequence[str]) -> np.ndarray:
    """Each question's value by the way that it takes."""
    return np.array([values[way][number] for number, way in enumerate(routes)])
