"""Whether a difference is more than chance: bootstrap intervals, the paired bootstrap test, Holm, Benjamini-Hochberg.

    one value a query ─► interval of their mean
    two runs' values, query by query ─► difference, its interval, p
    the p of a family of comparisons ─► p corrected for their number

Resampling is seeded and sums in a fixed order, so that the same values always give the same figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RESAMPLES = 10_000  # as in "Beyond the Reranker", section 5
LEVEL = 0.95
ALPHA = 0.05
_DRAWS_AT_ONCE = 2_000_000  # of resampled values held in memory

_Floats = npt.NDArray[np.float64]
Values = Sequence[float] | _Floats


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the bounds of its bootstrap interval, in the measure's own unit."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of a minus mean of b over the same queries, the bounds of its interval, and the two-sided p."""

    difference: float
    low: float
    high: float
    p: float


def bootstrap(
    values: Values,
    weights: Values | None = None,
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Interval:
    """The mean of one value a query, and the percentile interval of that mean over resampled queries.

    weights: of the values, where not all count alike or at all: 0 leaves a query out of this measure. Of nothing all
    three are 0. Raises ValueError when there is not one weight a value.
    Source: Efron, The Annals of Statistics 7(1), 1979.
    """
    known, counting = _pair(values, weights)
    if not counting.any():
        return Interval(0.0, 0.0, 0.0)
    low, high = _bounds(_resampled_means(known, counting, resamples, seed), level)
    return Interval(float(_means(known, counting)), low, high)


def paired_bootstrap(
    a: Values,
    b: Values,
    weights_a: Values | None = None,
    weights_b: Values | None = None,
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Difference:
    """The difference a - b over the same queries in the same order; weights as for bootstrap, of each run its own.

    p is the share of resampled differences, shifted to a mean of 0, that are at least as far from 0 as the one seen;
    the one seen counts as a resample, so p is never 0 and with 10,000 resamples at least 1/10,001.
    Raises ValueError when a, b and their weights are not of one length.
    Source: Smucker, Allan and Carterette, CIKM 2007, section 3.4 (the bootstrap of the shifted differences).
    """
    first, second = _pair(a, weights_a), _pair(b, weights_b)
    if first[0].shape != second[0].shape:
        raise ValueError(f"{first[0].size} values cannot be paired with {second[0].size}")
    if not (first[1].any() or second[1].any()):
        return Difference(0.0, 0.0, 0.0, 1.0)
    seen = float(_means(*first) - _means(*second))
    means = _resampled_means(*first, resamples, seed) - _resampled_means(*second, resamples, seed)  # the same draws
    # Differences that are equal on paper differ in their last bits; they count as equally far.
    as_far = int(np.count_nonzero(np.abs(means - seen) >= abs(seen) - 1e-12))
    low, high = _bounds(means, level)
    return Difference(seen, low, high, (as_far + 1) / (resamples + 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values of one family of tests, each corrected for their number, in the order given.

    Example: holm([0.01, 0.04, 0.03]) -> [0.03, 0.06, 0.06]
    The i-th smallest of m is multiplied by m - i + 1, never falls below the one before it, and is at most 1.
    Source: Holm, Scandinavian Journal of Statistics 6(2), 1979.
    """
    corrected = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = largest
    return corrected


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The p values of one family, each the smallest false discovery rate at which it would be taken, in their order.

    Example: benjamini_hochberg([0.01, 0.04, 0.03]) -> [0.03, 0.04, 0.04]
    The i-th smallest of m is multiplied by m / i and is never above the one after it. It holds for independent tests
    and for tests that rise and fall together, as runs over the same questions do.
    Source: Benjamini and Hochberg, Journal of the Royal Statistical Society B 57(1), 1995, as in "Beyond the Reranker",
    section 5.
    """
    corrected = [1.0] * len(p_values)
    smallest = 1.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__, reverse=True)):
        smallest = min(smallest, p_values[index] * len(p_values) / (len(p_values) - rank))
        corrected[index] = smallest
    return corrected


def _pair(values: Values, weights: Values | None) -> tuple[_Floats, _Floats]:
    known = np.asarray(values, dtype=np.float64)
    counting = np.ones_like(known) if weights is None else np.asarray(weights, dtype=np.float64)
    if known.shape != counting.shape:
        raise ValueError(f"{known.size} values cannot have {counting.size} weights")
    return known, counting


def _means(values: _Floats, weights: _Floats, otherwise: float = 0.0) -> _Floats:
    """The weighted means over the last axis; otherwise where nothing has weight."""
    total = weights.sum(axis=-1)
    found: _Floats = np.divide(
        (values * weights).sum(axis=-1), total, out=np.full_like(total, otherwise), where=total > 0
    )
    return found


def _resampled_means(values: _Floats, weights: _Floats, resamples: int, seed: int) -> _Floats:
    """(resamples,); one that drew nothing of weight knows nothing, so it says what was seen."""
    seen = float(_means(values, weights))
    draws = _draws(values.size, resamples, seed)
    return np.concatenate([_means(values[drawn], weights[drawn], seen) for drawn in draws])


def _draws(size: int, resamples: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """Indices drawn with replacement, (rows, size) at a time, resamples rows in all."""
    random = np.random.default_rng(seed)
    rows = max(1, _DRAWS_AT_ONCE // size)
    for start in range(0, resamples, rows):
        yield random.integers(0, size, (min(rows, resamples - start), size))


def _bounds(means: _Floats, level: float) -> tuple[float, float]:
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
