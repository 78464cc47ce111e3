"""Fit the shipped priors: what each source's score is worth, by modality, and how the sources add up.

    python tests/benchmarks/fit_priors.py DATA CACHE [--dry] [--keep-weights] [--sets full,paper,hetdocqa,hitab]
        [--unseen tables,tatqa]

Fitted on FinQA, HetDocQA's calibration split among its contexts, HiTab, and the mixed collection as people judged it,
each set weighing the same: the weights on FinQA's full or part, the curves on its paper, the promises not on FinQA; on
the collection the promises alone.
What is printed is held out: half of FinQA's, of HiTab's and of the collection's questions are judged by what was fitted
on the other half, HetDocQA's dev split by a fit on its calibration split; with --keep-weights the curves alone are held
out. The two fits are kept in CACHE, for calibration.py. What is written, unless --dry, to
mixrag_cli/retrieval/priors.json was fitted on both halves.

1. maps: a logistic curve a source, and a source and modality
2. weights of the sources in the sum: those with the best mean nDCG@10 over the sets, on a grid; first without
   reranking, then the two models' anew beside it, so that what the reranker says is added to the rest
3. how much of what a question's candidates hold in common is no lead of any: on a grid, by the promises' log loss
4. the curve from the lead to the probability, by modality
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from judged import Gathered, K, gather_set, ndcgs
from pooled import gather_collection, half_of

from mixrag_cli.evaluation.statistics import bootstrap, paired_bootstrap
from mixrag_cli.retrieval.calibration import ANY, PRIORS_FILE, Calibration, ScoreMap, read_priors
from mixrag_cli.retrieval.curves import Logistic, expected_calibration_error
from mixrag_cli.retrieval.fusion import fuse_hits, sum_evidence
from mixrag_cli.retrieval.learning import POOL, SHOWN, JudgedQuestion, fit_calibration
from mixrag_cli.retrieval.sources import SOURCES
from mixrag_cli.settings import Settings

SETS = ("full", "paper", "hetpart", "hitab")
# What orders hits is fitted on the collections that are hard to order; what a score promises, on those of a folder's
# size: among all of FinQA's filings, many that are as good as the judged one count as others.
FOR_WEIGHTS = ("full", "part", "hetpart", "hetdocqa", "hitab")
FOR_CURVES = ("paper", "hetpart", "hetdocqa", "hitab")
# What a score promises is fitted where the judgements name the passage: FinQA's name a context, whose six passages all
# count. With them the calibration error held out is .051 on HetDocQA's dev and .086 on HiTab, without .029 and .043.
FOR_PROMISES = ("hetpart", "hetdocqa", "hitab")
STRENGTH = 40.0  # judged candidates that a modality's curve is pulled by, towards that of all
STEPS = (0.0, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
SHARES = tuple(share / 10 for share in range(11))
ROUNDS = 2  # over the groups of weights: what one group is worth depends on the others
ENOUGH = 0.0005  # of nDCG@10: of weights as good as that, the smallest
WEAK = Logistic(-3.0, 0.0)
N_WORDS = Settings().words_candidates
DISCOUNTS = 1 / np.log2(np.arange(2, K + 2))
REFERENCE = "words"  # its weight stays 1: only ratios order hits
COLLECTION = "collection"
RERANKS = ("none", "late")
RERANK = "rerank"
MODELS = ("meaning", RERANK)  # both from one model: their weights are sought together
GROUPS = (MODELS, ("phrase",), ("header",), ("title",)) * ROUNDS

STAGES = {
    "words and meaning": (REFERENCE, "meaning"),
    "and late interaction": (REFERENCE, *MODELS),
    "and phrases, headers, titles": SOURCES,
}

Sets = Mapping[str, Sequence[Gathered]]
Ranked = TypeVar("Ranked", Gathered, JudgedQuestion)
Halves = tuple[list[JudgedQuestion], list[JudgedQuestion]]


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


def judged_of(sets: Sets, chosen: Sequence[str]) -> list[list[JudgedQuestion]]:
    return [[each.judged for each in questions] for name, questions in sets.items() if name in chosen]


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
    judged = evenly(judged_of(part.sets, FOR_CURVES))
    prior = fit_calibration(judged, start(), strength=STRENGTH, n_words=N_WORDS, origin="shipped")
    ordered = {name: questions for name, questions in part.sets.items() if name in FOR_WEIGHTS}
    weighted = replace(prior, weights=weights or fit_weights(ordered, prior, beside))
    fitted = fit_calibration(judged, weighted, strength=STRENGTH, n_words=N_WORDS, origin="shipped")
    promises = fit_promises(evenly([*judged_of(part.sets, FOR_PROMISES), part.read]), weighted)
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


METHODS = ("words", "meaning", "rerank", "weighted", "rrf", "calibrated")


def has_rerank(parts: Sequence[tuple[Sequence[Gathered], Calibration]]) -> bool:
    return any("rerank" in hit.scores for questions, _ in parts for each in questions for hit in each.hits)


def print_set(name: str, parts: Sequence[tuple[Sequence[Gathered], Calibration]]) -> None:
    """nDCG@10 of each method over the questions of all parts, each ranked by the calibration beside it."""
    values = {
        method: [value for questions, calibration in parts for value in ndcgs(questions, ranker(calibration, method))]
        for method in METHODS
        if method != "rerank" or has_rerank(parts)
    }
    told = bootstrap(values["calibrated"])
    means = {method: float(np.mean(values[method])) for method in values}
    best = max((method for method in SOURCES if method in values), key=means.__getitem__)
    cells = "  ".join(f"{method} {means[method]:.4f}" for method in values)
    print(f"{name:9} {len(values['words']):4}  {cells} [{told.low:.4f}, {told.high:.4f}]")
    for other in dict.fromkeys(("words", best)):
        gain = paired_bootstrap(values["calibrated"], values[other])
        over = f"calibrated over {other} {gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}] p {gain.p:.4f}"
        print(f"{'':14}  {over}", flush=True)


def print_error(parts: Sequence[tuple[Sequence[JudgedQuestion], Calibration]]) -> None:
    """The expected calibration error of the hits shown, each question's by the calibration beside it."""
    promised, true = [], []
    for questions, calibration in parts:
        for each in questions:
            for hit in fuse_hits(each.hits, calibration, n_words=N_WORDS)[:SHOWN]:
                if hit.chunk.id not in each.unjudged:
                    promised.append(hit.probability or 0.0)
                    true.append(float(hit.chunk.id in each.relevant))
    error = expected_calibration_error(promised, true)
    print(
        f"{'':14}  calibration error {error:.3f}, promised {np.mean(promised):.3f}, true {np.mean(true):.3f}",
        flush=True,
    )


def print_held_out(sets: Sets, read: Halves, fits: Sequence[Calibration]) -> None:
    """What each set and the collection come to where every question is judged by the fit that has not seen it."""
    for name, questions in sets.items():
        parts = [(held_out(name, questions, half), fits[half]) for half in (0, 1)]
        print_set(name, parts)
        print_error([([each.judged for each in unseen], calibration) for unseen, calibration in parts])
    print(f"{COLLECTION}, {sum(map(len, read))} questions as people judged them")
    print_error([(read[1 - half], fits[half]) for half in (0, 1)])


def print_gain(sets: Sets, of_halves: Sequence[Mapping[str, Calibration]], both: Mapping[str, Calibration]) -> None:
    """nDCG@10 that reranking adds to the fusion without it: by what the fits have not seen, and with both halves'."""
    print("\nreranking over the fusion without it: held out; with what was fitted on both halves")
    for name, questions in sets.items():
        unseen = [(held_out(name, questions, half), of_halves[half]) for half in (0, 1)]
        whole = [(part, both) for part, _ in unseen]
        print(f"{name:9} {gain_told(unseen)}   {gain_told(whole)}", flush=True)


def gain_told(parts: Sequence[tuple[Sequence[Gathered], Mapping[str, Calibration]]]) -> str:
    after = [value for part, fits in parts for value in ndcgs(part, ranker(fits["late"]))]
    before = [value for part, fits in parts for value in ndcgs(without_rerank(part), ranker(fits["none"]))]
    return over(after, before)


def over(after: Sequence[float], before: Sequence[float]) -> str:
    gain = paired_bootstrap(after, before)
    return f"{gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}] p {gain.p:.4f}"


def fit_order(sets: Sets, sources: Collection[str]) -> Calibration:
    """What orders hits by these sources alone."""
    known = {name: with_only(sources, questions) for name, questions in sets.items()}
    judged = evenly(judged_of(known, FOR_CURVES))
    prior = fit_calibration(judged, start(), strength=STRENGTH, n_words=N_WORDS, origin="shipped")
    ordered = {name: questions for name, questions in known.items() if name in FOR_WEIGHTS}
    return replace(prior, weights=fit_weights(ordered, prior, sources=sources))


def print_stages(sets: Sets, unseen: Sets) -> None:
    """nDCG@10 of fused retrieval, with reranking, and with all that is read of the candidates; each over the first."""
    fits = {}
    for stage, sources in STAGES.items():
        parts = {name: halves(name, questions) for name, questions in sets.items()}
        known = [{name: part[half] for name, part in parts.items()} for half in (0, 1)]
        whole = {name: together(part) for name, part in parts.items()}
        fits[stage] = [fit_order(each, sources) for each in (*known, whole)]
    print("\n" + "; ".join(STAGES))
    for name, questions in (*sets.items(), *unseen.items()):
        values = []
        for stage, sources in STAGES.items():
            seen = with_only(sources, questions)
            parts = [(held_out(name, seen, half), half) for half in (0, 1)] if name in sets else [(seen, 2)]
            values.append([value for part, n in parts for value in ndcgs(part, ranker(fits[stage][n]))])
        first, *rest = values
        told = "; ".join(f"{np.mean(each):.4f} {over(each, first)}" for each in rest)
        print(
            f"{name:9} {len(first):4}  {np.mean(first):.4f}; {told}{', unseen' if name in unseen else ''}", flush=True
        )


def fits_file(cache: Path, half: int) -> Path:
    """Where the fit that has seen this half of the questions is kept, beside what it has not."""
    return cache / f"priors-{half}.json"


def keep(path: Path, gathered: Sets, fits: Mapping[str, Calibration]) -> None:
    told = {
        "made_by": "tests/benchmarks/fit_priors.py",
        "fitted_on": ", ".join(f"{name}: {len(questions)} questions" for name, questions in gathered.items())
        + f", {COLLECTION}: promises",
        "calibrations": {name: fits[name].to_json() for name in reversed(RERANKS)},
    }
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--dry", action="store_true", help="print, write nothing")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--unseen", default="", help="sets to measure reranking on that no fit has seen: tables,tatqa")
    parser.add_argument("--keep-weights", action="store_true", help="fit the curves alone: hits stay in their order")
    options = parser.parse_args()
    gathered = {name: gather_set(options.data, options.cache, name) for name in options.sets.split(",")}
    asked = gather_collection(options.data, options.cache)
    shipped = read_priors() if options.keep_weights else {}
    found: dict[str, Calibration] = {}
    of_halves: tuple[dict[str, Calibration], ...] = ({}, {})
    for rerank in RERANKS:
        weights = shipped[rerank].weights if shipped else None
        change = without_rerank if rerank == "none" else list
        sets = {name: change(questions) for name, questions in gathered.items()}
        read: Halves = tuple(change([each for id_, each in asked.items() if half_of(id_) == half]) for half in (0, 1))
        parts = {name: halves(name, questions) for name, questions in sets.items()}
        for half, fits in enumerate(of_halves):
            seen = Part({name: part[half] for name, part in parts.items()}, read[half])
            fits[rerank] = fit(seen, weights, fits["none"].weights if fits else None)
        both = Part({name: together(part) for name, part in parts.items()}, [*read[0], *read[1]])
        found[rerank] = fit(both, weights, found["none"].weights if found else None)
        told = [fits[rerank] for fits in of_halves]
        rivalry = [each.rivalry for each in told]
        print(f"\nrerank {rerank}: weights {told[0].weights} {told[1].weights}, rivalry {rivalry}")
        print_held_out(sets, read, told)
        print(f"fitted on both: weights {found[rerank].weights}, rivalry {found[rerank].rivalry}", flush=True)
    print_gain(gathered, of_halves, found)
    unseen = {name: gather_set(options.data, options.cache, name) for name in filter(None, options.unseen.split(","))}
    for name, questions in unseen.items():
        print(f"{name:9} {gain_told([(questions, found)])}, unseen", flush=True)
    print_stages(gathered, unseen)
    for half, fits in enumerate(of_halves):
        keep(fits_file(options.cache, half), gathered, fits)
    if not options.dry:
        keep(PRIORS_FILE, gathered, found)
        print(f"\nwritten: {PRIORS_FILE}")


if __name__ == "__main__":
    main()
