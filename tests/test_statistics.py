"""Bootstrap intervals, the paired test and Holm's correction, against theory and worked examples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mixrag_cli.evaluation.statistics import benjamini_hochberg, bootstrap, holm, paired_bootstrap


def test_interval_agrees_with_the_normal_approximation() -> None:
    values = np.random.default_rng(7).normal(0.6, 0.3, 900)
    interval = bootstrap(values)
    error = values.std() / math.sqrt(values.size)
    assert interval.mean == pytest.approx(values.mean())
    assert interval.low == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert interval.high == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)


def test_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(3)
    covered = 0
    for seed in range(200):
        interval = bootstrap(random.binomial(1, 0.7, 120), resamples=1000, seed=seed)
        covered += interval.low <= 0.7 <= interval.high
    assert 180 <= covered <= 199  # 95 per cent of 200, within three standard deviations


def test_the_same_values_give_the_same_figures_and_another_seed_others() -> None:
    values = np.random.default_rng(1).random(50)
    assert bootstrap(values) == bootstrap(values)
    assert bootstrap(values) != bootstrap(values, seed=1)


def test_nothing_and_one_value_have_no_spread() -> None:
    assert bootstrap([]).high == 0.0
    one = bootstrap([0.25])
    assert (one.mean, one.low, one.high) == (0.25, 0.25, 0.25)


def test_paired_p_agrees_with_the_t_test_of_the_differences() -> None:
    random = np.random.default_rng(11)
    base = random.random(400)
    better = base + random.normal(0.02, 0.2, 400)
    result = paired_bootstrap(better, base)
    differences = better - base
    t = differences.mean() / (differences.std(ddof=1) / math.sqrt(400))
    expected = math.erfc(abs(t) / math.sqrt(2))
    assert result.difference == pytest.approx(differences.mean())
    assert result.p == pytest.approx(expected, abs=0.02)
    assert (result.low > 0) == (result.p < 0.05)


def test_paired_p_is_rarely_small_where_there_is_no_difference() -> None:
    random = np.random.default_rng(5)
    small = sum(paired_bootstrap(random.random(80), random.random(80), resamples=1000).p < 0.05 for _ in range(200))
    assert 2 <= small <= 20


def test_equal_runs_give_p_of_one_and_clear_ones_the_smallest_p() -> None:
    values = np.random.default_rng(2).random(60)
    assert paired_bootstrap(values, values).p == 1.0
    assert paired_bootstrap(values + 1, values).p == pytest.approx(1 / 10_001)


def test_swapping_the_runs_only_turns_the_sign() -> None:
    random = np.random.default_rng(9)
    a, b = random.random(70), random.random(70)
    there, back = paired_bootstrap(a, b), paired_bootstrap(b, a)
    assert there.difference == pytest.approx(-back.difference)
    assert there.p == back.p


def test_runs_over_different_queries_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be paired"):
        paired_bootstrap([1.0, 0.0], [1.0])


def test_holm_worked_examples() -> None:
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # never decreasing along the order of the p values, never above 1
    assert holm([0.9, 0.02, 0.6]) == pytest.approx([1.0, 0.06, 1.0])
    assert holm([]) == []


def test_benjamini_hochberg_is_that_of_scipy() -> None:
    reference = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(5)
    for size in (1, 2, 7, 40):
        p_values = random.random(size) ** 3
        assert benjamini_hochberg(p_values) == pytest.approx(list(reference.false_discovery_control(p_values)))
    assert benjamini_hochberg([0.02, 0.02, 0.9]) == pytest.approx([0.03, 0.03, 0.9])
    assert benjamini_hochberg([]) == []


def test_holm_is_never_below_the_false_discovery_rate() -> None:
    p_values = list(np.random.default_rng(6).random(30))
    assert all(h >= b for h, b in zip(holm(p_values), benjamini_hochberg(p_values), strict=True))


def test_a_query_without_weight_is_not_in_the_measure() -> None:
    values, weights = [1.0, 0.0, 1.0, 0.5], [1, 1, 0, 0]
    assert bootstrap(values, weights).mean == 0.5
    assert bootstrap(values, [0, 0, 0, 0]).high == 0.0
    assert bootstrap([1.0, 0.0, 0.0], [1, 0, 0]).low == 1.0  # a resample without the query that counts says nothing
    # of resamples of two queries, one in four draws only zeros and one in four only ones
    assert (bootstrap(values, weights).low, bootstrap(values, weights).high) == (0.0, 1.0)


def test_runs_may_differ_in_which_queries_count() -> None:
    # refused and right, of those refused: one run refuses two questions and both rightly, the other all four
    result = paired_bootstrap([1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1])
    assert result.difference == 0.5
    assert result.p > 0.05


def test_weights_must_fit() -> None:
    with pytest.raises(ValueError, match="weights"):
        bootstrap([1.0, 0.0], [1.0])
