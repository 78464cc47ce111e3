"""Weights and curves of the further sources, fitted beside the usual ones to the same named sets.

A source's weight is the best of a grid by its mean gain in nDCG@10 over the sets, 0 where none gains. Beside it is told
what a weight chosen on the other sets gains on each. Its curve says what its normalised score is worth alone. Nothing
of this is written into the product: a source is off, and takes its place there by hand once its gain is sure.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fitting import N_WORDS, rounded
from source_gains import best_weight, values_of
from source_pools import LEVELS_NAME, Pools, gather_pools, routed, row_of, train_on

from mixrag_cli.evaluation.statistics import paired_bootstrap
from mixrag_cli.retrieval.calibration import Calibration
from mixrag_cli.retrieval.curves import Logistic, fit_logistic
from mixrag_cli.retrieval.fusion import source_scores
from mixrag_cli.retrieval.learning import POOL, UNKNOWN, UNKNOWN_STRENGTH
from mixrag_cli.retrieval.sources import EXTRAS, ROWS

FILE = "further_sources.json"  # in CACHE
CALIBRATION = "calibration"  # HetDocQA's split that is fitted on; its dev split stays unseen


def fit_further(
    data: Path, cache: Path, sets: Sequence[str], names: Sequence[str], prior: Calibration, limit: int
) -> dict[str, Any]:
    """Weight and curve of each named source, printed and written to CACHE.

    prior: the usual sources as they were just fitted. limit: of each set at most so many questions, 0 for all. The
    router of `levels` is trained on all these questions.
    """
    pools = {of: gather_pools(data, cache, of, limit, CALIBRATION) for of in sets}
    if LEVELS_NAME in names:
        router = train_on([one for each in pools.values() for one in each])
        pools = {of: routed(each, router) for of, each in pools.items()}
    found: dict[str, Any] = {}
    for name in names:
        known = {of: each for of, each in pools.items() if name in each[0].more}
        if known:
            curve = rounded(fit_curve(name, known))
            tried = {of: values_of(each, name, prior) for of, each in known.items()}
            weight = told_weight(name, tried)
            found[name] = {"weight": weight, "curve": {"offset": curve.offset, "slope": curve.slope}}
            print(f"{name:10} weight {weight:g}, shipped {ROWS[name].weight:g}, when it is asked for; curve {curve}")
    (cache / FILE).write_text(json.dumps({"fitted_on": list(sets), "sources": found}, indent=1) + "\n", "utf-8")
    return found


def told_weight(name: str, tried: Mapping[str, Mapping[float, np.ndarray]]) -> float:
    """The weight by all sets; what a weight by the others gains on each is printed."""
    base = {of: values[0.0] for of, values in tried.items()}
    for of in tried:
        weight = best_weight(tried, base, of)
        gain = paired_bootstrap(tried[of][weight], base[of])
        print(f"{name:10} {of:9} {gain.difference:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}] by the others' {weight:g}")
    return best_weight(tried, base, "")


def fit_curve(name: str, pools: Mapping[str, Sequence[Pools]]) -> Logistic:
    """What the source's normalised score is worth on the first candidates of each question, all sets alike."""
    columns = [scores_of(name, each) for each in pools.values()]
    largest = max(len(labels) for _, labels in columns)
    scores, labels = (
        np.concatenate([np.resize(column[part], largest) for column in columns if len(column[1])]) for part in (0, 1)
    )
    return fit_logistic(scores, labels, UNKNOWN, UNKNOWN_STRENGTH, float(scores.std()) or 1.0, 0.0)


def scores_of(name: str, pools: Sequence[Pools]) -> tuple[np.ndarray, np.ndarray]:
    """The source's scores of the judged candidates that it says something of, and whether each is relevant."""
    scores, labels = [], []
    for each in pools:
        hits, judged = each.hits(name), each.gathered.judged
        for hit, score in list(zip(hits, source_scores(hits, row_of(name), N_WORDS), strict=True))[:POOL]:
            if score is not None and hit.chunk.id not in judged.unjudged:
                scores.append(score)
                labels.append(float(hit.chunk.id in judged.relevant))
    return np.array(scores, dtype=np.float64), np.array(labels, dtype=np.float64)


def further_named(text: str) -> tuple[str, ...]:
    """Example: "all" is every further source, "graph,tiers" are these two, "" is none. Raises SystemExit."""
    names = EXTRAS if text == "all" else tuple(filter(None, text.split(",")))
    if unknown := set(names) - set(EXTRAS):
        raise SystemExit(f"--further: unknown {', '.join(sorted(unknown))}, known {', '.join(EXTRAS)}")
    return names
