"""An outside reranker's weight: what its logits are worth beside the other sources, from judged questions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.retrieval.acceptance import judge
from mixrag_cli.retrieval.calibration import ANY, Calibration, calibration_for, read_priors
from mixrag_cli.retrieval.fusion import fuse_hits
from mixrag_cli.retrieval.learning import JudgedQuestion, fit_calibration
from mixrag_cli.retrieval.weighing import weigh_reranker

SPREAD = 8.0  # of the logits, as a CrossEncoder without a sigmoid gives them
MEAN = -4.0
N_CANDIDATES, N_WORDS = 30, 40
FIT, HELD_OUT = range(64), range(64, 264)


def question_of(number: int, lead: float | None) -> JudgedQuestion:
    """Thirty candidates, one relevant, told from the others a little by meaning and by the logit's lead in spreads.

    lead: None for no reranker at all.
    """
    chance = np.random.default_rng(number)
    hits = []
    for position in range(N_CANDIDATES):
        is_relevant = position == number % N_CANDIDATES
        scores = {"meaning": float(chance.normal(0.45 + 0.12 * is_relevant, 0.08))}
        noise = float(chance.normal())
        if lead is not None:
            scores["rerank"] = MEAN + SPREAD * (noise + lead * is_relevant)
        chunk = Chunk(f"{number}-{position}", f"d{position}", "prose", "text", "", "", "", Locator((0, 1)), position)
        hits.append(Hit(chunk, f"{position:02}.txt", "", scores, 0.0))
    return JudgedQuestion(hits, {f"{number}-{number % N_CANDIDATES}"})


def fitted(lead: float | None, origin: str, strength: float) -> Calibration:
    questions = [question_of(number, lead) for number in FIT]
    prior, kept = weigh_reranker(questions, calibration_for({}, "some/cross-encoder"), N_WORDS)
    return fit_calibration(kept, prior, strength=strength, n_words=N_WORDS, origin=origin)


def reciprocal_rank(calibration: Calibration, lead: float | None) -> float:
    """The mean over questions that nothing was fitted on."""
    found = []
    for number in HELD_OUT:
        question = question_of(number, lead)
        order = [hit.chunk.id for hit in fuse_hits(question.hits, calibration, n_words=N_WORDS)]
        found.append(1 / (1 + order.index(next(iter(question.relevant)))))
    return float(np.mean(found))


@pytest.mark.parametrize(("origin", "strength"), [("labels", 40.0), ("collection", 3_000.0)])
def test_random_logits_cost_nothing_once_they_are_fitted(origin: str, strength: float) -> None:
    calibration = fitted(0.0, origin, strength)
    without = reciprocal_rank(read_priors()["none"], None)
    raw = [question_of(number, 0.0) for number in FIT]
    prior = calibration_for({}, "some/cross-encoder")
    unweighed = fit_calibration(raw, prior, strength=strength, n_words=N_WORDS, origin=origin)
    assert reciprocal_rank(unweighed, 0.0) < without / 2  # at a weight made for scores in [0, 1]
    assert reciprocal_rank(calibration, 0.0) == pytest.approx(without, abs=0.001)
    hit = next(hit for hit in question_of(300, 0.0).hits)
    assert judge(hit, calibration).judged_by != "rerank"


@pytest.mark.parametrize(("origin", "strength"), [("labels", 40.0), ("collection", 3_000.0)])
def test_informative_logits_are_worth_more_than_either_alone(origin: str, strength: float) -> None:
    calibration = fitted(1.5, origin, strength)
    without = reciprocal_rank(read_priors()["none"], None)
    alone = reciprocal_rank(replace(calibration, weights={"rerank": 1.0}), 1.5)
    unweighed = reciprocal_rank(replace(calibration, weights={**calibration.weights, "rerank": 1.0}), 1.5)
    both = reciprocal_rank(calibration, 1.5)
    assert both > max(without, alone, unweighed) + 0.02


def test_the_curve_of_logits_has_a_threshold_among_them() -> None:
    known = fitted(1.5, "collection", 3_000.0).map_of("rerank", ANY)
    assert known is not None
    assert MEAN < known.threshold() < MEAN + 2.5 * SPREAD
    assert known.curve.slope > 0.5 / SPREAD


def test_the_sum_of_the_evidence_keeps_its_level() -> None:
    calibration = fitted(1.5, "collection", 3_000.0)
    scores = [hit.score for number in HELD_OUT for hit in fuse_hits(question_of(number, 1.5).hits, calibration)]
    plain = [hit.score for n in HELD_OUT for hit in fuse_hits(question_of(n, None).hits, read_priors()["none"])]
    assert np.mean(scores) == pytest.approx(np.mean(plain), abs=0.1)
    assert Calibration.from_json(calibration.to_json()) == calibration


def test_questions_without_a_choice_tell_nothing() -> None:
    question = question_of(1, 1.5)
    prior = calibration_for({}, "some/cross-encoder")
    for useless in (replace(question, relevant=set()), replace(question, hits=[])):
        calibration, kept = weigh_reranker([useless], prior, N_WORDS)
        assert calibration.weights["rerank"] == 0
        assert all("rerank" not in hit.scores for each in kept for hit in each.hits)
