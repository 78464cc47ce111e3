"""Monotone curves from a score to a probability, fitted to judged scores: the arithmetic behind calibration.

A curve is two numbers (fit_logistic), pulled towards a prior where judgements are few.
Scores are floats on any scale, labels are 1 for relevant and 0 for other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

NEWTON_STEPS = 50
CONVERGED = 1e-9
WIDEST_LOG_ODDS = 30.0  # beyond this the exponential tells no difference
BINS = 10  # of the expected calibration error, as in Guo et al., ICML 2017


@dataclass(frozen=True, slots=True)
class Logistic:
    """P(relevant | score) = 1 / (1 + exp(-(offset + slope * score))), slope >= 0.

    Source: Platt, 1999, as fit_logistic.
    """

    offset: float
    slope: float

    def log_odds(self, score: float) -> float:
        """The logarithm of the odds that the score speaks for."""
        return self.offset + self.slope * score

    def probability(self, score: float) -> float:
        """In (0, 1)."""
        return float(sigmoid(np.float64(self.log_odds(score))))


def sigmoid(log_odds: Floats | np.float64) -> Floats:
    """Log-odds to probabilities, elementwise.

    Source: Platt, 1999, as fit_logistic.
    """
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds, -WIDEST_LOG_ODDS, WIDEST_LOG_ODDS))))


def fit_logistic(
    scores: Floats, labels: Floats, prior: Logistic, strength: float, scale: float = 1.0, shift: float = 0.0
) -> Logistic:
    """The most probable curve given judged scores and a prior belief.

    scores, labels: (n,). strength: how many judgements the prior is worth; with none given the prior comes back.
    scale: the typical spread of a score, which makes a change of slope and one of offset comparable. shift: by how much
    log-odds the judgements are relevant more often than what the curve is for, where that is known.
    The slope never falls below 0: a higher score never lowers the probability.
    Source: Platt, Probabilistic outputs for support vector machines, 1999, with a Gaussian prior in place of his
    corrected targets.
    """
    features = np.column_stack([np.ones(len(scores)), scores / scale])
    mean = np.array([prior.offset, prior.slope * scale])
    # An informative judgement weighs p (1 - p) <= 1/4 in the likelihood's curvature; relevant ones are rare.
    precision = np.eye(2) * strength / 4
    found = fit_weights(features, labels, mean, precision, shift)
    if found[1] < 0:
        offset = fit_weights(features[:, :1], labels, mean[:1], precision[:1, :1], shift)
        return Logistic(float(offset[0]), 0.0)
    return Logistic(float(found[0]), float(found[1] / scale))


def fit_weights(features: Floats, labels: Floats, mean: Floats, precision: Floats, shift: float = 0.0) -> Floats:
    """The weights (k,) of a logistic model over features (n, k), with a Gaussian prior.

    shift: added to every log-odds, and no part of the weights. By Newton's method; a step is halved until it gains,
    since far from the best weights, where all promises are near 0 or 1, a full one may lead away.
    Source: Bishop, Pattern Recognition and Machine Learning, 2006, section 4.3.3 (iterative reweighted least squares).
    """

    def loss_at(tried: Floats) -> float:
        log_odds, change = features @ tried + shift, tried - mean
        return float(np.logaddexp(0.0, log_odds).sum() - labels @ log_odds + change @ precision @ change / 2)

    weights = mean.astype(np.float64).copy()
    loss = loss_at(weights)
    for _ in range(NEWTON_STEPS):
        likely = sigmoid(features @ weights + shift)
        gradient = features.T @ (labels - likely) - precision @ (weights - mean)
        curvature = (features * (likely * (1 - likely))[:, None]).T @ features + precision
        step = np.linalg.solve(curvature + 1e-9 * np.eye(len(weights)), gradient)
        while (new := loss_at(weights + step)) > loss and np.abs(step).max() > CONVERGED:
            step = step / 2
        if np.abs(step).max(initial=0.0) <= CONVERGED:
            break
        weights, loss = weights + step, new
    return weights


def balanced_threshold(scores: Floats, labels: Floats) -> float:
    """The score at which accepting whatever reaches it has the best balanced accuracy; inf where a class is empty.

    Balanced accuracy is the mean of the share of relevant accepted and the share of others refused. The threshold
    lies half way between the two scores that it parts.
    Source: "Beyond the Reranker", section 4.4 (SSCC); the best balanced accuracy is the highest of Youden's index,
    Cancer 3(1), 1950.
    """
    cut, accepted_relevant, accepted_other = _cuts(scores, labels)
    if not len(cut) or not accepted_relevant[-1] or not accepted_other[-1]:
        return float("inf")
    gain = accepted_relevant / accepted_relevant[-1] - accepted_other / accepted_other[-1]
    return float(cut[int(np.argmax(gain))])


def _cuts(scores: Floats, labels: Floats) -> tuple[Floats, Floats, Floats]:
    """Each place between two scores, from the highest, with how many of either class lie above it."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    relevant, other = np.cumsum(labels[order]), np.cumsum(1 - labels[order])
    below = np.append(ranked[1:], ranked[-1:] - 1e-6)
    distinct = below < ranked
    return ((ranked + below) / 2)[distinct], relevant[distinct], other[distinct]


def balanced_accuracy(accepted: npt.NDArray[np.bool_], labels: Floats) -> float:
    """The mean of the share of relevant accepted and of others refused; nan where a class is empty.

    Source: Brodersen et al., The balanced accuracy and its posterior distribution, ICPR 2010.
    """
    relevant = labels > 0
    if relevant.all() or not relevant.any():
        return float("nan")
    return float((accepted[relevant].mean() + (~accepted[~relevant]).mean()) / 2)


def expected_calibration_error(probabilities: Sequence[float] | Floats, labels: Sequence[float] | Floats) -> float:
    """The mean distance between what was promised and what came true, over ten bins of equal width.

    Source: Guo et al., On calibration of modern neural networks, ICML 2017, eq. 3.
    """
    promised, true = np.asarray(probabilities, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if not len(promised):
        return 0.0
    bins = np.minimum((promised * BINS).astype(int), BINS - 1)
    gaps = [abs(float((promised - true)[bins == each].sum())) for each in range(BINS)]
    return sum(gaps) / len(promised)
