"""The measures against formulas written out by hand, and against trec_eval on random runs."""

from __future__ import annotations

import random
from math import log2

import pytest

from mixrag_cli.evaluation.measures import (
    exact_match,
    mean_over_queries,
    ndcg_at,
    normalize_answer,
    recall_at,
    reciprocal_rank_at,
    success_at,
    token_f1,
)

GRADES = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 0.0}
MEASURES = {"nDCG": ndcg_at, "R": recall_at, "RR": reciprocal_rank_at, "Success": success_at}


def test_ndcg_is_gain_over_best_possible_gain() -> None:
    best = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert ndcg_at(["b", "x", "a"], GRADES, 10) == pytest.approx((1 / log2(2) + 3 / log2(4)) / best)
    assert ndcg_at(["b", "x", "a"], GRADES, 2) == pytest.approx((1 / log2(2)) / (3 / log2(2) + 2 / log2(3)))
    assert ndcg_at(["a", "c", "b"], GRADES, 10) == pytest.approx(1.0)


def test_recall_counts_relevant_only() -> None:
    assert recall_at(["a", "d", "x"], GRADES, 10) == pytest.approx(1 / 3)
    assert recall_at(["x", "a", "b"], GRADES, 2) == pytest.approx(1 / 3)
    assert recall_at(["c", "a", "b"], GRADES, 3) == 1.0


def test_reciprocal_rank_and_success_look_at_the_first_relevant() -> None:
    ranking = ["x", "d", "c", "a"]
    assert reciprocal_rank_at(ranking, GRADES, 10) == pytest.approx(1 / 3)
    assert reciprocal_rank_at(ranking, GRADES, 2) == 0.0
    assert [success_at(ranking, GRADES, k) for k in (1, 2, 3, 10)] == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_nothing_found_and_nothing_relevant_count_zero(measure) -> None:
    assert measure([], GRADES, 10) == 0.0
    assert measure(["a"], {}, 10) == 0.0
    assert measure(["d"], {"d": 0.0}, 10) == 0.0
    assert measure(["a"], GRADES, 0) == 0.0


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_document_found_twice_counts_once(measure) -> None:
    assert measure(["a", "a", "a", "x"], {"a": 1.0, "b": 1.0}, 2) == measure(["a", "x"], {"a": 1.0, "b": 1.0}, 2)


def test_mean_counts_a_query_without_results_as_zero() -> None:
    judgements = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 0.0}}
    assert mean_over_queries({"q1": ["a"]}, judgements, ndcg_at, 10) == pytest.approx(1 / 2)
    assert mean_over_queries({}, judgements, ndcg_at, 10) == 0.0
    assert mean_over_queries({}, {}, ndcg_at, 10) == 0.0


def test_answers_are_compared_as_squad_does() -> None:
    assert normalize_answer("  The U.S.A.,  an example! ") == "usa example"
    assert exact_match("the Broncos", ["Denver Broncos", "Broncos!"]) == 1.0
    assert exact_match("Denver", ["Denver Broncos"]) == 0.0
    assert token_f1("the red fox", ["red wolf"]) == pytest.approx(1 / 2)
    assert token_f1("red red fox", ["red wolf"]) == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))
    assert token_f1("fox", ["wolf", "a fox"]) == 1.0
    assert token_f1("", ["the"]) == 1.0
    assert token_f1("", ["fox"]) == token_f1("fox", [""]) == token_f1("fox", []) == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_random_runs_agree_with_trec_eval(seed: int) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="parity needs the package ir-measures")
    chance = random.Random(seed)
    judgements, rankings = {}, {}
    for query in (f"q{number}" for number in range(30)):
        documents = [f"d{number}" for number in range(chance.randint(1, 40))]
        judgements[query] = {name: float(chance.choice([0, 0, 1, 2, 3])) for name in documents}
        rankings[query] = [*chance.sample(documents, chance.randint(1, len(documents))), f"x{query}"]
    run = {query: {name: -float(rank) for rank, name in enumerate(names)} for query, names in rankings.items()}
    grades = {query: {name: int(grade) for name, grade in known.items()} for query, known in judgements.items()}
    for name, measure in MEASURES.items():
        for k in (1, 5, 10):
            reference = ir_measures.parse_measure(f"{name}@{k}")
            for metric in ir_measures.iter_calc([reference], grades, run):
                ours = measure(rankings[metric.query_id], judgements[metric.query_id], k)
                assert ours == pytest.approx(metric.value, abs=1e-4), (name, k, metric.query_id)
