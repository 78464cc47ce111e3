"""The weight of an outside reranker beside the collection's own sources, learned from judged questions.

A CrossEncoder's logits, a sigmoid's output and a cosine live on scales of their own, and how much one of them knows of
this collection nobody can say beforehand. So each judged question is a choice: of its candidates the relevant one is
picked with odds that grow with the evidence so far and with the model's score, and the two factors that make the right
picks likeliest say what the score is worth.

Source: McFadden, Conditional logit analysis of qualitative choice behavior, 1974; as a loss for ranking it is ListNet's
(Cao et al., ICML 2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mixrag_cli.retrieval.calibration import Calibration
from mixrag_cli.retrieval.curves import Floats
from mixrag_cli.retrieval.fusion import sum_evidence
from mixrag_cli.retrieval.learning import POOL, JudgedQuestion
from mixrag_cli.retrieval.rerank import SOURCE

# The evidence so far is in log-odds already, so its factor is near 1; a score's is near 0 before anything is known.
# Precisions of a Gaussian belief in both, each worth a handful of questions; not tuned.
BELIEF = np.array([1.0, 0.0])
PRECISION = np.diag([4.0, 4.0])
LEAST_FACTOR = 0.1  # of the evidence so far: a model that makes it needless is still no more than ten times its worth
SURE = 2.0  # standard errors above 0, about one chance in forty for a model that knows nothing
NEWTON_STEPS = 30


def weigh_reranker(
    questions: Sequence[JudgedQuestion], prior: Calibration, n_words: int
) -> tuple[Calibration, list[JudgedQuestion]]:
    """The prior with the weight of the reranker whose raw scores the hits carry, and the questions to fit its curve on.

    A reranker whose factor is not surely above 0 has the weight 0 and its scores are taken off the hits, so that it
    neither orders nor accepts. n_words: as in fuse.
    """
    plain = replace(prior, weights={**prior.weights, SOURCE: 0.0})
    tables = [table for question in questions if (table := _table(question, plain, n_words)) is not None]
    spread = float(np.sqrt(np.mean([table[:, 1].var() for table in tables]))) if tables else 0.0
    weight = _fit_weight(list(_choices(tables, spread))) / spread if spread else 0.0
    if not weight:
        return plain, [_without(question) for question in questions]
    # The sum of the evidence keeps its level, which the curve to the probability and the usual rival rest on.
    center = float(np.mean(np.concatenate([table[:, 1] for table in tables])))
    return replace(prior, weights={**prior.weights, SOURCE: weight}, centers={SOURCE: center}), list(questions)


def _without(question: JudgedQuestion) -> JudgedQuestion:
    hits = [
        replace(hit, scores={source: score for source, score in hit.scores.items() if source != SOURCE})
        for hit in question.hits
    ]
    return replace(question, hits=hits)


def _table(question: JudgedQuestion, plain: Calibration, n_words: int) -> Floats | None:
    """(n, 3) of the judged candidates: evidence, score, relevance; None where there is no choice to make."""
    evidence = sum_evidence(question.hits, plain, n_words)
    rows = [
        (total, hit.scores[SOURCE], float(hit.chunk.id in question.relevant))
        for hit, total in zip(question.hits[:POOL], evidence, strict=False)
        if SOURCE in hit.scores and hit.chunk.id not in question.unjudged
    ]
    relevant = sum(row[2] for row in rows)
    return np.array(rows) if 0 < relevant < len(rows) else None


def _choices(tables: Sequence[Floats], spread: float) -> Iterator[Floats]:
    """For each relevant candidate (n, 2), evidence and score in spreads: its row, then those of the others."""
    for table in tables:
        rows = table[:, :2] / np.array([1.0, spread])
        others = rows[table[:, 2] == 0]
        for row in rows[table[:, 2] > 0]:
            yield np.vstack([row, others])


def _fit_weight(choices: Sequence[Floats]) -> float:
    """How many units of evidence one spread of the score is worth; 0 where that is not surely more than none."""
    factors = BELIEF.copy()
    for _ in range(NEWTON_STEPS):
        gradient, curvature = _slopes(choices, factors)
        step = np.linalg.solve(curvature, gradient)
        factors = factors + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-6:
            break
    error = float(np.sqrt(np.linalg.inv(_slopes(choices, factors)[1])[1, 1]))
    return float(factors[1] / max(factors[0], LEAST_FACTOR)) if factors[1] > SURE * error else 0.0


def _slopes(choices: Sequence[Floats], factors: Floats) -> tuple[Floats, Floats]:
    """Gradient (2,) and negative curvature (2, 2) of the log posterior."""
    gradient, curvature = -PRECISION @ (factors - BELIEF), PRECISION.copy()
    for choice in choices:
        logits = choice @ factors
        likely = np.exp(logits - logits.max())
        likely /= likely.sum()
        mean = likely @ choice
        gradient += choice[0] - mean
        curvature += (choice * likely[:, None]).T @ choice - np.outer(mean, mean)
    return gradient, curvature
