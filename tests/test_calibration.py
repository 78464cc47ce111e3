"""Calibration: curves, fusion of calibrated evidence, thresholds by source and modality."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.retrieval.acceptance import judge, judge_all
from mixrag_cli.retrieval.calibration import (
    ANY,
    Calibration,
    ScoreMap,
    as_raw,
    calibration_for,
    normalised,
    read_priors,
)
from mixrag_cli.retrieval.correction import widen
from mixrag_cli.retrieval.curves import (
    Logistic,
    balanced_accuracy,
    balanced_threshold,
    expected_calibration_error,
    fit_logistic,
)
from mixrag_cli.retrieval.fusion import RIVALS, USUAL_RIVAL, fuse_hits, lead_over_rivals
from mixrag_cli.retrieval.learning import JudgedQuestion, fit_calibration
from tests.benchmarks.isotonic import fit_isotonic


def make_hit(number: int, modality: str = "text", kind: str = "prose", **scores: float) -> Hit:
    chunk = Chunk(f"{number:032x}", "d" * 32, kind, modality, f"passage {number}", "", "", Locator((0, 1)), number)
    return Hit(chunk, "a.txt", "", scores, 0.0, ceiling=20.0)


def test_isotonic_pools_what_violates_the_order() -> None:
    scores, labels = np.array([1.0, 2, 3, 4]), np.array([0.0, 1, 0, 1])
    edges, means = fit_isotonic(scores, labels)
    assert edges.tolist() == [1, 2, 3, 4]
    assert means.tolist() == [0, 0.5, 0.5, 1]


def test_logistic_finds_the_curve_that_made_the_labels() -> None:
    chance = np.random.default_rng(1)
    scores = chance.normal(0, 1, 20_000)
    labels = (chance.random(20_000) < 1 / (1 + np.exp(-(-1 + 2 * scores)))).astype(float)
    found = fit_logistic(scores, labels, Logistic(0, 0), strength=1)
    assert found.offset == pytest.approx(-1, abs=0.1)
    assert found.slope == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("start", [Logistic(-40, 0), Logistic(-3, 0), Logistic(30, 5), Logistic(0, 200)])
def test_logistic_finds_the_same_curve_from_wherever_it_begins(start: Logistic) -> None:
    chance = np.random.default_rng(2)
    scores = np.concatenate([np.zeros(3_000), chance.normal(0.5, 0.1, 100)])  # rare and far apart, as phrases are
    labels = (chance.random(3_100) < 1 / (1 + np.exp(-(-5 + 10 * scores)))).astype(float)
    found = fit_logistic(scores, labels, start, strength=1e-6, scale=0.1)
    best = fit_logistic(scores, labels, Logistic(-5, 10), strength=1e-6, scale=0.1)
    assert (found.offset, found.slope) == pytest.approx((best.offset, best.slope), rel=0.01)


def test_logistic_without_judgements_is_the_prior_and_never_falls() -> None:
    nothing = np.array([], dtype=float)
    prior = Logistic(-2.0, 3.0)
    kept = fit_logistic(nothing, nothing, prior, strength=10)
    assert (kept.offset, kept.slope) == pytest.approx((-2.0, 3.0))
    falling = fit_logistic(np.array([0.0, 1.0] * 50), np.array([1.0, 0.0] * 50), prior, strength=1)
    assert falling.slope == 0


def test_balanced_threshold_parts_two_groups() -> None:
    scores, labels = np.array([0.1, 0.2, 0.3, 0.7, 0.8]), np.array([0.0, 0, 0, 1, 1])
    cut = balanced_threshold(scores, labels)
    assert 0.3 < cut < 0.7
    assert balanced_accuracy(scores >= cut, labels) == 1


def test_calibration_error_is_the_gap_between_promise_and_truth() -> None:
    assert expected_calibration_error([0.75] * 4, [1, 1, 1, 0]) == pytest.approx(0)
    assert expected_calibration_error([0.95] * 4, [0, 0, 0, 0]) == pytest.approx(0.95)


def test_threshold_lies_where_the_odds_are_those_of_any_candidate() -> None:
    known = ScoreMap(Logistic(-6.0, 10.0), base=0.1)
    assert 1 / (1 + math.exp(6 - 10 * known.threshold())) == pytest.approx(0.1)
    assert known.threshold(precision=0.9) > known.threshold()
    assert ScoreMap(Logistic(-1.0, 0.0), base=0.1).threshold() == math.inf


def test_a_word_score_is_worth_what_its_query_can_reach() -> None:
    hit = make_hit(1, words=5.0)
    told = normalised(hit, "words")
    assert told is not None
    assert as_raw(told, "words", hit.ceiling) == pytest.approx(5.0)
    assert normalised(replace(hit, ceiling=40.0), "words") < told


def test_shipped_priors_are_monotone_and_survive_json() -> None:
    for known in read_priors().values():
        assert all(each.curve.slope >= 0 for maps in known.maps.values() for each in maps.values())
        assert all(weight >= 0 for weight in known.weights.values())
        assert Calibration.from_json(json.loads(json.dumps(known.to_json()))) == known


def test_a_stored_calibration_of_another_form_is_passed_over() -> None:
    assert calibration_for({"late": {"format": 99}}, "late").origin == "shipped"


def test_fusion_orders_by_evidence_and_promises_a_probability() -> None:
    calibration = read_priors()["late"]
    hits = [
        make_hit(1, words=2.0, meaning=0.3, rerank=0.40),
        make_hit(2, words=12.0, meaning=0.6, rerank=0.70),
        make_hit(3, meaning=0.2),
    ]
    fused = fuse_hits(hits, calibration, n_words=40)
    assert [hit.chunk.position for hit in fused] == [2, 1, 3]
    assert all(hit.probability is not None and 0 < hit.probability < 1 for hit in fused)
    assert fused[0].score > fused[1].score > fused[2].score


def test_what_all_candidates_have_in_common_is_no_lead() -> None:
    assert lead_over_rivals([4.0] + [1.0] * 29, 0.5)[:2] == pytest.approx([3.25, 0.25], abs=0.01)
    assert lead_over_rivals([2.0, 1.0], 0.0) == [2.0, 1.0]
    assert lead_over_rivals([], 0.9) == []
    sums = [3.0, 1.0, 0.5] * 10
    assert lead_over_rivals([each + 700 for each in sums], 1.0) == pytest.approx(lead_over_rivals(sums, 1.0))
    # What comes after the best is no rival: a question with more candidates is no more crowded for it.
    crowd = [1.0] * RIVALS
    assert lead_over_rivals([*crowd, *[-5.0] * 50], 0.9)[0] == pytest.approx(lead_over_rivals(crowd, 0.9)[0])


def test_a_passage_that_is_alone_is_no_rival_of_itself() -> None:
    good, bad = 2.0, -2.0
    among_usual = lead_over_rivals([good] + [USUAL_RIVAL] * (RIVALS - 1), 0.9)[0]
    assert lead_over_rivals([good], 0.9) == [pytest.approx(among_usual)]
    assert lead_over_rivals([good], 0.9)[0] - lead_over_rivals([bad], 0.9)[0] > 3


def test_a_passage_among_many_as_good_is_promised_less_and_ranked_the_same() -> None:
    calibration = read_priors()["late"]
    best = make_hit(1, words=12.0, meaning=0.6, rerank=0.70)
    poor = [make_hit(number, words=1.0, meaning=0.2, rerank=0.45) for number in range(2, 31)]
    alike = [make_hit(number, words=11.8, meaning=0.6, rerank=0.70) for number in range(2, 31)]
    alone, crowded = (fuse_hits([*others, best], calibration, n_words=40)[0] for others in (poor, alike))
    assert alone.chunk.position == crowded.chunk.position == 1
    assert alone.score == crowded.score
    assert alone.probability is not None
    assert crowded.probability is not None
    assert alone.probability > 2 * crowded.probability


@pytest.mark.parametrize("method", ["weighted", "rrf", "words", "meaning", "rerank"])
def test_other_fusions_stay_selectable(method: str) -> None:
    hits = [make_hit(1, words=9.0, meaning=0.3, rerank=0.3), make_hit(2, words=8.0, meaning=0.9, rerank=0.9)]
    hits = [replace(hits[0], score=0.9), replace(hits[1], score=0.1)]
    fused = fuse_hits(hits, read_priors()["late"], method)
    first = {"weighted": 1, "words": 1, "meaning": 2, "rerank": 2, "rrf": 2}[method]
    assert fused[0].chunk.position == first


def test_an_unknown_rerankers_scores_count_within_the_query() -> None:
    calibration = calibration_for({}, "some/cross-encoder")
    hits = [
        make_hit(1, words=9.0, rerank=-7.0),
        make_hit(2, words=9.0, rerank=8.0),
        make_hit(3, words=9.0, rerank=-6.0),
    ]
    assert [hit.chunk.position for hit in fuse_hits(hits, calibration)] == [2, 3, 1]


def test_acceptance_names_the_source_and_its_threshold_by_modality() -> None:
    strict, lenient = ScoreMap(Logistic(-9.0, 10.0), 0.1), ScoreMap(Logistic(-4.0, 10.0), 0.1)
    calibration = Calibration(
        {"meaning": {ANY: strict, "code": lenient}}, {"meaning": 1.0}, {ANY: Logistic(0, 1)}, cut=0.9
    )
    prose, code = make_hit(1, meaning=0.5), make_hit(2, modality="code", kind="code", meaning=0.5)
    assert judge(prose, calibration).accepted_by is None
    accepted = judge(code, calibration)
    assert accepted.accepted_by == "meaning"
    assert accepted.threshold == pytest.approx(lenient.threshold())
    assert [hit.accepted_by for hit in judge_all([prose, code], calibration, "global")] == [None, None]
    assert all(hit.accepted_by for hit in judge_all([prose, code], calibration, "none"))


def test_beyond_what_the_reranker_read_nothing_is_accepted() -> None:
    calibration = read_priors()["late"]
    read, unread = make_hit(1, words=3.0, meaning=0.4, rerank=0.3), make_hit(2, words=19.0, meaning=0.9)
    assert [hit.accepted_by for hit in judge_all([read, unread], calibration)] == [None, None]
    assert [hit.judged_by for hit in judge_all([read, unread], calibration)] == ["rerank", None]
    assert judge_all([unread], calibration)[0].accepted_by in ("words", "meaning")  # no reranker was at work
    row = replace(make_hit(3, kind="row", header=1.0), ceiling=20.0)
    assert judge_all([read, row], calibration)[1].accepted_by == "header"


def test_judgements_move_the_curves_and_few_move_them_little() -> None:
    prior = read_priors()["none"]
    chance = np.random.default_rng(3)

    def question(number: int) -> JudgedQuestion:
        hits = [make_hit(100 * number + n, meaning=float(chance.normal(0.6, 0.05))) for n in range(20)]
        hits.append(make_hit(100 * number + 99, meaning=float(chance.normal(0.8, 0.05))))
        return JudgedQuestion(hits, {hits[-1].chunk.id})

    def threshold(n: int) -> float:
        known = fit_calibration(
            [question(number) for number in range(n)], prior, strength=40, n_words=40, origin="labels"
        ).map_of("meaning", "text")
        assert known is not None
        return known.threshold()

    before = prior.map_of("meaning", "text")
    assert before is not None
    assert 0.62 < threshold(100) < 0.78
    assert abs(threshold(1) - before.threshold()) < abs(threshold(100) - before.threshold()) + 0.05


def test_drawn_questions_move_the_scores_but_not_how_often_a_candidate_is_relevant() -> None:
    """A drawn question knows of one relevant passage only, so its candidates are too rarely relevant."""
    prior = read_priors()["late"]
    chance = np.random.default_rng(5)

    def question(number: int) -> JudgedQuestion:
        hits = [make_hit(100 * number + n, rerank=float(chance.normal(0.5, 0.05))) for n in range(29)]
        hits.append(make_hit(100 * number + 99, rerank=float(chance.normal(0.7, 0.05))))
        return JudgedQuestion(hits, {hits[-1].chunk.id})

    questions = [question(number) for number in range(200)]

    def fitted(origin: str) -> ScoreMap:
        known = fit_calibration(questions, prior, strength=40, n_words=40, origin=origin).map_of("rerank", ANY)
        assert known is not None
        return known

    drawn, labelled, before = fitted("collection"), fitted("labels"), prior.map_of("rerank", ANY)
    assert before is not None
    assert drawn.base == before.base
    assert labelled.base == pytest.approx(1 / 30, abs=0.01)
    assert drawn.curve.probability(0.6) > labelled.curve.probability(0.6)
    assert drawn.threshold() == pytest.approx(labelled.threshold(), abs=0.02)


def test_a_refused_question_is_widened_by_what_its_nearest_passages_share() -> None:
    hits = [make_hit(n, words=1.0) for n in range(3)]
    texts = ["boiler pressure valve", "pressure valve leak", "garden"]
    hits = [replace(hit, score=0.5, chunk=replace(hit.chunk, text=text)) for hit, text in zip(hits, texts, strict=True)]
    widened = widen("why does the boiler drip", hits, lambda terms: dict.fromkeys(terms, 1.0))
    assert widened == "why does the boiler drip pressure valve"


def test_promises_learned_among_few_rivals_hold_among_many() -> None:
    """Curves on the evidence alone would promise the crowded questions' candidates as much as those that stand out."""
    chance = np.random.default_rng(11)
    prior = replace(read_priors()["late"], weights={"rerank": 1.0}, final={ANY: Logistic(-3.0, 3.0)})

    def question(number: int, spread: float) -> JudgedQuestion:
        hits = [make_hit(100 * number + n, rerank=float(chance.normal(3.0 - spread, 0.3))) for n in range(29)]
        hits.append(make_hit(100 * number + 99, rerank=float(chance.normal(3.0, 0.3))))
        return JudgedQuestion(hits, {hits[-1].chunk.id})

    apart = [question(number, spread=3.0) for number in range(100)]
    crowded = [question(number, spread=0.5) for number in range(100, 200)]

    def error(rivalry: float) -> float:
        fitted = fit_calibration(apart, replace(prior, rivalry=rivalry), strength=1, n_words=40, origin="labels")
        shown = [(hit, each) for each in crowded for hit in fuse_hits(each.hits, fitted, n_words=40)[:10]]
        promised = [hit.probability or 0.0 for hit, _ in shown]
        return expected_calibration_error(promised, [float(hit.chunk.id in each.relevant) for hit, each in shown])

    assert error(rivalry=0.9) < error(rivalry=0.0) / 2
