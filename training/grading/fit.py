"""Fit what candidates are believed by: a logistic a kind, and the thresholds of what is stated and shown.

    python -m training.grading.fit DATA CACHE [--write]

1. Each domain's questions are asked through the product's own retrieval (domains.py, signs.py); kept in CACHE.
2. A kind's logistic is fitted on all domains, each with the same weight, and held back by PENALTY.
3. What it reaches is measured leaving one domain out at a time: candidates of the domain left out get the probability
   of a fit that has not seen it. Printed: AUC, calibration error, and by threshold how much is stated and how right.
4. The threshold of a kind is the lowest at which WANTED of what is stated in a domain left out is right.

Source: Kamath et al., Selective Question Answering under Domain Shift, ACL 2020.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from mixrag_cli.recap import grading
from mixrag_cli.recap.signs import SIGNS
from training.grading import domains, everyday
from training.grading.signs import Signed, signs_of

# Of squared weights beside the mean loss. With domains left out, the log loss of what would be stated is .461 at .02,
# .453 at .005, .454 at .002 and .483 at .0005.
PENALTY = 0.005
WANTED = 0.85  # of what is stated, right
LIKELY, HELD = 0.35, 0.5
MIN_STATED = 8  # of a kind, below which nothing can be told of it
UNPROVEN = 0.9  # from which on a kind is stated that is too rare to tell
MIN_OF_DOMAIN = 3  # stated, below which a domain has no say
THRESHOLDS = (0.85, 0.9, 0.95)  # nothing is stated of which less is promised
MIN_EXAMPLES, MIN_RIGHT = 20, 8  # of a kind, below which it is fitted with the kind most like it
KINDS = ("cell", "computed", "column", "fact", "span", "passage")
LIKE = {"fact": "cell", "computed": "cell", "column": "computed"}
DIGITS = 4
LEAST_SPREAD = 0.01

Floats = npt.NDArray[np.float64]


def fit(examples: Sequence[Signed]) -> dict[str, Any]:
    """The logistic of one kind: mean, scale and weights of the signs it has, and a bias."""
    names = [name for name in SIGNS if len({round(one.signs[name], 2) for one in examples if name in one.signs}) > 1]
    matrix, right, weights = _matrix(examples, names)
    mean, scale = matrix.mean(axis=0), np.maximum(matrix.std(axis=0), LEAST_SPREAD)
    inputs = np.hstack([(matrix - mean) / scale, np.ones((len(matrix), 1))])
    signs = np.where(right, 1.0, -1.0)

    def loss(vector: Floats) -> tuple[float, Floats]:
        margins = signs * (inputs @ vector)
        chances = 1 / (1 + np.exp(np.clip(margins, -30, 30)))
        slope = -(inputs * (weights * signs * chances)[:, None]).sum(axis=0)
        held = np.append(vector[:-1], 0.0)
        total = float((weights * np.logaddexp(0, -margins)).sum() + PENALTY * held @ held)
        return total, slope + 2 * PENALTY * held

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    return {
        "bias": round(float(found[-1]), DIGITS),
        "mean": _named(names, mean),
        "scale": _named(names, scale),
        "weights": _named(names, found[:-1]),
    }


def _matrix(examples: Sequence[Signed], names: Sequence[str]) -> tuple[Floats, npt.NDArray[np.bool_], Floats]:
    """Signs (n, m), a missing one as the mean of those known; whether right; weights that make domains count alike."""
    matrix = np.array([[one.signs.get(name, math.nan) for name in names] for one in examples])
    means = np.nanmean(matrix, axis=0)
    matrix = np.where(np.isnan(matrix), means, matrix)
    counts: dict[str, int] = defaultdict(int)
    for one in examples:
        counts[one.domain] += 1
    weights = np.array([1 / counts[one.domain] for one in examples]) / len(counts)
    return matrix, np.array([one.right for one in examples]), weights


def _named(names: Sequence[str], values: Floats) -> dict[str, float]:
    return {name: round(float(value), DIGITS) for name, value in zip(names, values, strict=True)}


def fit_all(examples: Sequence[Signed]) -> dict[str, dict[str, Any]]:
    """A logistic for each kind; a kind with too few examples learns from the one most like it, too."""
    by_kind: dict[str, list[Signed]] = defaultdict(list)
    for one in examples:
        by_kind[one.kind].append(one)
    return {kind: fit(_enough(kind, by_kind)) for kind in KINDS if _enough(kind, by_kind)}


def _enough(kind: str, by_kind: Mapping[str, list[Signed]]) -> list[Signed]:
    own = by_kind.get(kind, [])
    n_right = sum(one.right for one in own)
    if len(own) >= MIN_EXAMPLES and n_right >= MIN_RIGHT:
        return own
    return [*own, *_enough(LIKE[kind], by_kind)] if kind in LIKE else own


def left_out(examples: Sequence[Signed]) -> list[tuple[Signed, float]]:
    """Each candidate with the probability that a fit on the other domains gives it."""
    found = []
    for domain in sorted({one.domain for one in examples}):
        kinds = fit_all([one for one in examples if one.domain != domain])
        for one in examples:
            if one.domain == domain and one.kind in kinds:
                found.append((one, _logistic(kinds[one.kind])(one.signs)))
    return found


def _logistic(kind: Mapping[str, Any]) -> grading.Logistic:
    return grading.Logistic(kind["bias"], kind["mean"], kind["scale"], kind["weights"])


def first_of(graded: Sequence[tuple[Signed, float]]) -> list[tuple[Signed, float]]:
    """Of each question the candidate that would be stated: the likeliest, no passage where a value is asked for."""
    best: dict[tuple[str, int], tuple[Signed, float]] = {}
    for one, chance in graded:
        if one.kind == "passage" and one.is_value_asked:
            continue
        key = one.domain, one.question
        if key not in best or chance > best[key][1]:
            best[key] = one, chance
    return list(best.values())


def thresholds(firsts: Sequence[tuple[Signed, float]]) -> dict[str, float]:
    """Of each kind the least probability at which it is stated.

    The lowest at which WANTED of what is stated is right: the mean over domains, each judged by a fit that has not seen
    it, so that an easy domain does not speak for a hard one. 1 where no threshold is so good. A kind that is too rare
    to tell (MIN_STATED) is stated from UNPROVEN on.
    """
    found = {}
    for kind in KINDS:
        own = [(one, chance) for one, chance in firsts if one.kind == kind]
        good = [least for least in THRESHOLDS if _precision(own, least) >= WANTED]
        found[kind] = min(good, default=1.0) if len(own) >= MIN_STATED else UNPROVEN
    return found


def _precision(graded: Sequence[tuple[Signed, float]], least: float) -> float:
    """How much of what is stated from least on is right: the mean over domains that state MIN_OF_DOMAIN or more."""
    rights: dict[str, list[bool]] = defaultdict(list)
    for one, chance in graded:
        if chance >= least:
            rights[one.domain].append(one.right)
    shares = [sum(found) / len(found) for found in rights.values() if len(found) >= MIN_OF_DOMAIN]
    return sum(shares) / len(shares) if shares else 0.0


def report(graded: Sequence[tuple[Signed, float]], firsts: Sequence[tuple[Signed, float]]) -> None:
    """What is believed of domains that the fit has not seen."""
    print(f"{'kind':10} {'n':>6} {'right':>6}  AUC   error")
    for kind in sorted({one.kind for one, _ in graded}):
        group = [(chance, one.right) for one, chance in graded if one.kind == kind]
        print(f"{kind:10} {len(group):6} {sum(r for _, r in group):6}  {auc(group):.2f}  {error(group):.3f}")
    print("\nfirst of each question, by domain: n, right; stated at .5 / .7 / .8 / .85 / .9: right of stated")
    for domain in [*sorted({one.domain for one, _ in firsts}), ""]:
        group = [(chance, one.right) for one, chance in firsts if one.domain == domain or not domain]
        stated = [[r for chance, r in group if chance >= least] for least in (0.5, 0.7, 0.8, 0.85, 0.9)]
        said = "  ".join(f"{sum(rights):3}/{len(rights):3}" for rights in stated)
        print(f"{domain or 'all':10} {len(group):4} {sum(r for _, r in group):4}  {said}  AUC {auc(group):.2f}")


def auc(graded: Sequence[tuple[float, bool]]) -> float:
    """The chance that a right one is believed more than a wrong one."""
    right = np.array([chance for chance, is_right in graded if is_right])
    wrong = np.array([chance for chance, is_right in graded if not is_right])
    if not len(right) or not len(wrong):
        return math.nan
    return float(((right[:, None] > wrong) + 0.5 * (right[:, None] == wrong)).mean())


def error(graded: Sequence[tuple[float, bool]], bins: int = 10) -> float:
    """Expected calibration error over bins of equal size."""
    ordered = np.array(sorted(graded), dtype=float)
    parts = np.array_split(ordered, min(bins, len(ordered)))
    return float(sum(abs(part[:, 0].mean() - part[:, 1].mean()) * len(part) for part in parts) / len(ordered))


def main() -> None:
    """Ask, fit, measure, and write what the product believes by."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    made = [
        getattr(domains, name)(options.data, options.cache / "folders" / name)
        for name in ("hetdocqa", "covid", "tables")
    ]
    chosen = [*domains.with_foreign(made), *everyday.open_domains(options.data)]
    examples = [one for domain in chosen for one in signs_of(domain, options.cache)]
    graded = left_out(examples)
    firsts = first_of(graded)
    report(graded, firsts)
    stated = thresholds(firsts)
    kinds = fit_all(examples)
    print(f"\nthresholds: {stated}")
    for kind, one in kinds.items():
        told = sorted(one["weights"].items(), key=lambda item: -abs(item[1]))
        print(f"{kind:10} " + "  ".join(f"{name} {weight:+.2f}" for name, weight in told[:9]))
    if options.write:
        whole = {kind: {**one, "stated": round(stated.get(kind, 1.0), DIGITS)} for kind, one in kinds.items()}
        target = Path(grading.__file__).with_name(grading.WEIGHTS_FILE)
        target.write_text(json.dumps({"likely": LIKELY, "held": HELD, "kinds": whole}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
