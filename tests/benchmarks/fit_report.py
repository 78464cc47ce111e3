"""What fit_priors.py prints: each set and the collection by what was fitted without their questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from fitting import (
    MODELS,
    N_WORDS,
    REFERENCE,
    Sets,
    fit_order,
    halves,
    held_out,
    ranker,
    together,
    with_only,
    without_rerank,
)
from judged import Gathered, ndcgs

from mixrag_cli.evaluation.statistics import bootstrap, paired_bootstrap
from mixrag_cli.retrieval.calibration import Calibration
from mixrag_cli.retrieval.curves import expected_calibration_error
from mixrag_cli.retrieval.fusion import fuse_hits
from mixrag_cli.retrieval.learning import SHOWN, JudgedQuestion
from mixrag_cli.retrieval.sources import SOURCES

COLLECTION = "collection"
METHODS = ("words", "meaning", "rerank", "weighted", "rrf", "calibrated")
STAGES = {
    "words and meaning": (REFERENCE, "meaning"),
    "and late interaction": (REFERENCE, *MODELS),
    "and phrases, headers, titles": SOURCES,
}

Halves = tuple[list[JudgedQuestion], list[JudgedQuestion]]


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
