"""Fitting weights and curves of the usual sources to judged questions: what fit_priors.py fits, and how.

1. maps: a logistic curve a source, and a source and modality
2. weights of the sources in the sum: those with the best mean nDCG@10 over the sets, on a grid; first without
   reranking, then the two models' anew beside it, so that what the reranker says is added to the rest
3. how much of what a question's candidates hold in common is no lead of any: on a grid, by the promises' log loss
4. the curve from the lead to the probability, by modality
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from judged import Gathered, K

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.calibration import ANY, Calibration, ScoreMap
from mixrag_cli.retrieval.curves import Logistic
from mixrag_cli.retrieval.fusion import fuse_hits, sum_evidence
from mixrag_cli.retrieval.learning import POOL, JudgedQuestion, fit_calibration
from mixrag_cli.retrieval.sources import SOURCES
from mixrag_cli.settings import Settings

# What orders hits is fitted on the collections that are hard to order; what a score promises, on those of a folder's
# size: among all of FinQA's filings, many that are as good as the judged one count as others.
NOT_FOR_WEIGHTS = ("paper",)
NOT_FOR_CURVES = ("full", "part")
# What a score promises is fitted where the judgements name the passage: FinQA's and TAT-QA's name a context, whose
# passages all count. With FinQA's the calibration error held out is .051 on HetDocQA's dev and .086 on HiTab, without
# .029 and .043.
NOT_FOR_PROMISES = ("full", "part", "paper", "tatqa")
STRENGTH = 40.0  # judged candidates that a modality's curve is pulled by, towards that of all
STEPS = (0.0, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
SHARES = tuple(share / 10 for share in range(11))
ROUNDS = 2  # over the groups of weights: what one group is worth depends on the others
ENOUGH = 0.0005  # of nDCG@10: of weights as good as that, the smallest
WEAK = Logistic(-3.0, 0.0)
N_WORDS = Settings().words_candidates
DISCOUNTS = 1 / np.log2(np.arange(2, K + 2))
REFERENCE = "words"  # its weight stays 1: only ratios order hits
RERANK = "rerank"
MODELS = ("meaning", RERANK)  # both from one model: their weights are sought together
GROUPS = (MODELS, ("phrase",), ("header",), ("title",)) * ROUNDS

Sets = Mapping[str, Sequence[Gathered]]
Ranked = TypeVar("Ranked", Gathered, JudgedQuestion)


def halves(name: str, questions: Sequence[Gathered]) -> tuple[list[Gathered], list[Gathered]]:
    """The questions that each of the two fits may see; HetDocQA's dev split is seen by neither."""
    if name.startswith("het"):
        seen = [each for each in questions if each.question.group == "calibration"]
        return seen, seen
    return list(questions[::2]), list(questions[1::2])


def held_out(name: str, questions: Sequence[Gathered], half: int) -> list[Gathered]:
    """The questions that the fit on this half has not seen, each in one of the two lists only."""
    if name.startswith("het"):
        return [each for each in questions if each.question.group == "dev"] if half == 0 else []
    return list(questions[1 - half :: 2])


def with_only(sources: Collection[str], questions: Sequence[Ranked]) -> list[Ranked]:
    """The questions with the scores of these sources alone."""
    return [
        replace(
            each,
            hits=[
                replace(hit, scores={source: score for source, score in hit.scores.items() if source in sources})
                for hit in each.hits
            ],
        )
        for each in questions
    ]


def without_rerank(questions: Sequence[Ranked]) -> list[Ranked]:
    return with_only([source for source in SOURCES if source != RERANK], questions)


def start() -> Calibration:
    maps = {source: {ANY: ScoreMap(WEAK, base=0.05)} for source in SOURCES}
    return Calibration(maps, dict.fromkeys(SOURCES, 1.0), {ANY: Logistic(0.0, 1.0)}, cut=0.5)


def evenly(sets: Iterable[Sequence[JudgedQuestion]]) -> list[JudgedQuestion]:
    """The questions of all sets, those of the smaller ones repeated until each set weighs the same."""
    filled = [questions for questions in sets if questions]
    largest = max(map(len, filled))
    return [each for questions in filled for each in itertools.islice(itertools.cycle(questions), largest)]


def without(barred: Collection[str], sets: Sets) -> Sets:
    """The sets that are not barred; all where none is left, so that any named set can be fitted to."""
    return {name: questions for name, questions in sets.items() if name not in barred} or sets


def judged_of(sets: Sets) -> list[list[JudgedQuestion]]:
    return [[each.judged for each in questions] for questions in sets.values()]


@dataclass(frozen=True, slots=True)
class Columns:
    """One question, ready to be ranked often. evidence: (hits, sources) log-odds; owner: of each hit, a number;
    gains: grade by owner."""

    evidence: np.ndarray
    owner: np.ndarray
    gains: np.ndarray
    ideal: float

    def ndcg(self, weights: np.ndarray) -> float:
        order = np.argsort(-(self.evidence @ weights), kind="stable")
        owners, first = np.unique(self.owner[order], return_index=True)
        top = owners[np.argsort(first)][:K]
        return float((self.gains[top] * DISCOUNTS[: len(top)]).sum() / self.ideal)


def to_columns(gathered: Gathered, calibration: Calibration) -> Columns:
    one = {source: replace(calibration, weights={source: 1.0}) for source in SOURCES}
    evidence = np.column_stack([sum_evidence(gathered.hits, one[source], N_WORDS) for source in SOURCES])
    names = list(dict.fromkeys(gathered.owners.values()))
    owner = np.array([names.index(gathered.owners[hit.chunk.id]) for hit in gathered.hits])
    gains = np.array([max(0.0, gathered.question.grades.get(name, 0.0)) for name in names])
    best = sorted((grade for grade in gathered.question.grades.values() if grade > 0), reverse=True)[:K]
    ideal = float((np.array(best) * DISCOUNTS[: len(best)]).sum())
    return Columns(evidence, owner, gains, ideal)


def mean_ndcg(sets: Mapping[str, list[Columns]], weights: Mapping[str, float]) -> float:
    known = np.array([weights[source] for source in SOURCES])
    return float(np.mean([np.mean([each.ndcg(known) for each in columns]) for columns in sets.values()]))


def ranker(calibration: Calibration, method: str = "calibrated") -> Callable[[Sequence[Hit]], list[Hit]]:
    return lambda hits: fuse_hits(hits, calibration, method, N_WORDS)


def fit_weights(
    sets: Sets,
    calibration: Calibration,
    beside: Mapping[str, float] | None = None,
    sources: Collection[str] = SOURCES,
) -> dict[str, float]:
    """The weights with the best mean nDCG@10 of the sets: both models' together, then each match's, and so again.

    Of those that are as good, the smallest: the plateau is wide, and words lead on larger collections. beside: the
    weights without reranking, of which all but the models' stay. sources: those that may have a weight.
    """
    columns = {name: [to_columns(each, calibration) for each in questions] for name, questions in sets.items()}
    weights = dict(beside or {source: float(source == REFERENCE) for source in SOURCES})
    for group in (MODELS,) if beside else GROUPS:
        chosen = [source for source in group if source in sources]
        tried = {
            steps: mean_ndcg(columns, {**weights, **dict(zip(chosen, steps, strict=True))})
            for steps in itertools.product(STEPS, repeat=len(chosen))
        }
        good = [steps for steps, value in tried.items() if value >= max(tried.values()) - ENOUGH]
        weights.update(zip(chosen, min(good, key=sum), strict=True))
    return weights


@dataclass(frozen=True, slots=True)
class Part:
    """What one fit may see: the sets, and the mixed collection's questions as people judged them."""

    sets: Sets
    read: Sequence[JudgedQuestion]


def fit(part: Part, weights: Mapping[str, float] | None, beside: Mapping[str, float] | None) -> Calibration:
    """The priors fitted to these questions. weights: of the sources, None to find the best; beside: see fit_weights."""
    judged = evenly(judged_of(without(NOT_FOR_CURVES, part.sets)))
    prior = fit_calibration(judged, start(), strength=STRENGTH, n_words=N_WORDS, origin="shipped")
    weighted = replace(prior, weights=weights or fit_weights(without(NOT_FOR_WEIGHTS, part.sets), prior, beside))
    fitted = fit_calibration(judged, weighted, strength=STRENGTH, n_words=N_WORDS, origin="shipped")
    promises = fit_promises(evenly([*judged_of(without(NOT_FOR_PROMISES, part.sets)), part.read]), weighted)
    return strip(replace(fitted, rivalry=promises.rivalry, final=promises.final))


def fit_promises(questions: Sequence[JudgedQuestion], prior: Calibration) -> Calibration:
    """The calibration fitted with the share of common evidence that makes its promises the most probable."""
    tried = [
        fit_calibration(questions, replace(prior, rivalry=share), strength=STRENGTH, n_words=N_WORDS, origin="shipped")
        for share in SHARES
    ]
    return min(tried, key=lambda each: log_loss(questions, each))


def log_loss(questions: Sequence[JudgedQuestion], calibration: Calibration) -> float:
    """The mean over the judged candidates of -log(what was promised of what came true)."""
    losses = []
    for question in questions:
        for hit in fuse_hits(question.hits, calibration, n_words=N_WORDS)[:POOL]:
            if hit.chunk.id not in question.unjudged and hit.probability is not None:
                true = hit.chunk.id in question.relevant
                losses.append(-np.log(max(hit.probability if true else 1 - hit.probability, 1e-12)))
    return float(np.mean(losses))


def strip(calibration: Calibration) -> Calibration:
    """Without the counts, which are of a collection's own judgements, and with digits that say something."""
    maps = {
        source: {
            modality: ScoreMap(rounded(known.curve), round(known.base, 5)) for modality, known in of_source.items()
        }
        for source, of_source in calibration.maps.items()
    }
    final = {modality: rounded(curve) for modality, curve in calibration.final.items()}
    return replace(calibration, maps=maps, final=final, cut=round(calibration.cut, 4))


def rounded(curve: Logistic) -> Logistic:
    return Logistic(round(curve.offset, 4), round(curve.slope, 4))


def together(parts: tuple[list[Gathered], list[Gathered]]) -> list[Gathered]:
    """The questions of both halves, each once."""
    return list({each.question.id: each for each in (*parts[0], *parts[1])}.values())


def fit_order(sets: Sets, sources: Collection[str]) -> Calibration:
    """What orders hits by these sources alone."""
    known = {name: with_only(sources, questions) for name, questions in sets.items()}
    judged = evenly(judged_of(without(NOT_FOR_CURVES, known)))
    prior = fit_calibration(judged, start(), strength=STRENGTH, n_words=N_WORDS, origin="shipped")
    return replace(prior, weights=fit_weights(without(NOT_FOR_WEIGHTS, known), prior, sources=sources))
