"""Fit the shipped priors: what each source's score is worth, by modality, and how the sources add up.

    python tests/benchmarks/fit_priors.py DATA_FOLDER CACHE_FOLDER [--dry]

Fitted on FinQA (full), HetDocQA's calibration split among FinQA's contexts, and HiTab: every second question of FinQA
and HiTab; the others and HetDocQA's dev split are printed as held out. Each set weighs the same. Writes
mixrag_cli/retrieval/priors.json, unless --dry.

1. maps: a logistic curve a source, and a source and modality
2. weights of the sources in the sum: those with the best mean nDCG@10 over the sets, by coordinate ascent
3. the curve from the sum to the probability, by modality
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from judged import Gathered, K, gather_set, ndcgs

from mixrag_cli.evaluation.statistics import bootstrap
from mixrag_cli.retrieval.calibration import ANY, PRIORS_FILE, SOURCES, Calibration, ScoreMap
from mixrag_cli.retrieval.curves import Logistic
from mixrag_cli.retrieval.fusion import fuse_hits, sum_evidence
from mixrag_cli.retrieval.learning import JudgedQuestion, fit_calibration
from mixrag_cli.settings import Settings

SETS = ("full", "hetdocqa", "hitab")
STRENGTH = 40.0  # judged candidates that a modality's curve is pulled by, towards that of all
STEPS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0)
ROUNDS = 3
ENOUGH = 0.002  # of nDCG@10, on a thousand questions a twentieth of its interval
WEAK = Logistic(-3.0, 0.0)
N_WORDS = Settings().words_candidates
DISCOUNTS = 1 / np.log2(np.arange(2, K + 2))
REFERENCE = "words"  # its weight stays 1: only ratios order hits

Sets = Mapping[str, Sequence[Gathered]]


def split(name: str, questions: Sequence[Gathered]) -> tuple[list[Gathered], list[Gathered]]:
    """(to fit on, held out)."""
    if name == "hetdocqa":
        groups = {each.question.group for each in questions}
        assert groups == {"calibration", "dev"}, groups
        return (
            [each for each in questions if each.question.group == "calibration"],
            [each for each in questions if each.question.group == "dev"],
        )
    return list(questions[::2]), list(questions[1::2])


def without_rerank(questions: Sequence[Gathered]) -> list[Gathered]:
    return [
        replace(
            each,
            hits=[
                replace(hit, scores={source: score for source, score in hit.scores.items() if source != "rerank"})
                for hit in each.hits
            ],
        )
        for each in questions
    ]


def start() -> Calibration:
    maps = {source: {ANY: ScoreMap(WEAK, base=0.05)} for source in SOURCES}
    return Calibration(maps, dict.fromkeys(SOURCES, 1.0), {ANY: Logistic(0.0, 1.0)}, cut=0.5)


def evenly(sets: Sets) -> list[JudgedQuestion]:
    """The questions of all sets, those of the smaller ones repeated until each set weighs the same."""
    largest = max(len(questions) for questions in sets.values())
    return [each.judged for questions in sets.values() for each in (list(questions) * 10)[:largest]]


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


def ranker(calibration: Calibration, method: str = "calibrated"):
    return lambda hits: fuse_hits(hits, calibration, method, N_WORDS)


def fit_weights(sets: Sets, calibration: Calibration) -> dict[str, float]:
    """Coordinate ascent over STEPS, the mean nDCG@10 of the sets as the aim."""
    columns = {name: [to_columns(each, calibration) for each in questions] for name, questions in sets.items()}
    weights = dict(calibration.weights)
    for _ in range(ROUNDS):
        before = dict(weights)
        for source in SOURCES:
            if source != REFERENCE:
                tried = {step: mean_ndcg(columns, {**weights, source: step}) for step in STEPS}
                # The smallest of those that are as good within a fifth of a point: the gain has to be worth trusting.
                good = [step for step, value in tried.items() if value >= max(tried.values()) - ENOUGH]
                weights[source] = good[0]
        if weights == before:
            break
    return weights


def fit(sets: Sets) -> Calibration:
    judged = evenly(sets)
    prior = fit_calibration(judged, start(), strength=STRENGTH, n_words=N_WORDS, origin="shipped")
    weighted = replace(prior, weights=fit_weights(sets, prior))
    return strip(fit_calibration(judged, weighted, strength=STRENGTH, n_words=N_WORDS, origin="shipped"))


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


def print_set(name: str, label: str, questions: Sequence[Gathered], calibration: Calibration) -> None:
    cells = []
    for method in ("words", "meaning", "rerank", "weighted", "rrf", "calibrated"):
        told = bootstrap(ndcgs(questions, ranker(calibration, method)))
        cells.append(f"{method} {told.mean:.4f}")
    told = bootstrap(ndcgs(questions, ranker(calibration)))
    print(f"{name:9} {label:8} {len(questions):4}  {'  '.join(cells)} [{told.low:.4f}, {told.high:.4f}]", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--dry", action="store_true", help="print, write nothing")
    parser.add_argument("--sets", default=",".join(SETS))
    options = parser.parse_args()
    gathered = {name: gather_set(options.data, options.cache, name) for name in options.sets.split(",")}
    parts = {name: split(name, questions) for name, questions in gathered.items()}
    found = {}
    for rerank in ("late", "none"):
        change = without_rerank if rerank == "none" else list
        to_fit = {name: change(part[0]) for name, part in parts.items()}
        held_out = {name: change(part[1]) for name, part in parts.items()}
        found[rerank] = fit(to_fit)
        print(f"\nrerank {rerank}: weights {found[rerank].weights}")
        for name in parts:
            print_set(name, "fitted", to_fit[name], found[rerank])
            print_set(name, "held out", held_out[name], found[rerank])
    if not options.dry:
        told = {
            "made_by": "tests/benchmarks/fit_priors.py",
            "fitted_on": "FinQA (full), HetDocQA calibration, HiTab",
            "calibrations": {name: each.to_json() for name, each in found.items()},
        }
        PRIORS_FILE.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        print(f"\nwritten: {PRIORS_FILE}")


if __name__ == "__main__":
    main()
