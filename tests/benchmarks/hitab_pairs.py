"""Fit the weights by which recap.pairing scores pairs of header paths, and say what they reach.

    python tests/benchmarks/hitab_pairs.py DATA_FOLDER [--limit N]

DATA_FOLDER as for hitab_lookups.py. The tables are halved by a hash of their names; the weights are fitted (conditional
logit, L2 of 1, L-BFGS) on the lookups of one half. Printed: the part of each half's lookups whose linked cell has the
best pair, for these weights and for those in the product, and the weights.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
from corpora import read_jsonl
from hitab_lookups import lookups, to_context
from scipy.optimize import minimize

from mixrag_cli.recap.language import facets_of
from mixrag_cli.recap.pairing import FEATURES, WEIGHTS, Asked, pair_features

L2 = 1.0
Vector = npt.NDArray[np.float64]
Case = tuple[Vector, int] | None  # features of every cell and which of them is linked; None where no cell is


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int, default=0, help="take only the first questions")
    arguments = parser.parse_args()
    halves: tuple[list[Case], list[Case]] = ([], [])
    for name, case in read_cases(arguments.data / "headers", arguments.limit):
        halves[int(hashlib.md5(name.encode()).hexdigest(), 16) % 2].append(case)
    weights = fit([case for case in halves[0] if case is not None])
    product = np.array([WEIGHTS[name] for name in FEATURES])
    print(f"{'':18} {'n':>5} {'fitted now':>10} {'in product':>10}")
    for label, cases in (("fitted on", halves[0]), ("held out", halves[1])):
        print(f"{label:18} {len(cases):5} {100 * share(cases, weights):9.1f}% {100 * share(cases, product):9.1f}%")
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f'    "{name}": {weight:.2f},')


def read_cases(headers: Path, limit: int) -> list[tuple[str, Case]]:
    contexts = {gold["id"]: to_context(gold) for gold in read_jsonl(headers / "hitab_train.jsonl.gz")}
    cases: list[tuple[str, Case]] = []
    for asked, linked in lookups(headers / "hitab_train_questions.jsonl.gz"):
        if asked["table_id"] not in contexts or (limit and len(cases) >= limit):
            continue
        table, case = contexts[asked["table_id"]].table, None
        if table is not None:
            question = asked["question"]
            features, cells = pair_features(Asked.of(question, facets_of(question)), table)
            found = [n for n, cell in enumerate(cells) if (cell.row, cell.column) == linked]
            case = (features, found[0]) if found else None
        cases.append((asked["table_id"], case))
    return cases


def fit(cases: list[tuple[Vector, int]]) -> Vector:
    features = np.vstack([case[0] for case in cases])
    sizes = np.array([len(case[0]) for case in cases])
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    linked = starts + np.array([case[1] for case in cases])

    def loss(weights: Vector) -> tuple[float, Vector]:
        scores = features @ weights
        highest = np.maximum.reduceat(scores, starts)
        odds = np.exp(scores - np.repeat(highest, sizes))
        totals = np.add.reduceat(odds, starts)
        likelihood = float((scores[linked] - highest - np.log(totals)).sum())
        expected = (odds / np.repeat(totals, sizes)) @ features
        gradient = features[linked].sum(axis=0) - expected
        return L2 * float(weights @ weights) / 2 - likelihood, L2 * weights - gradient

    found = minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.asarray(found.x)


def share(cases: list[Case], weights: Vector) -> float:
    right = [case is not None and int((case[0] @ weights).argmax()) == case[1] for case in cases]
    return float(np.mean(right)) if right else 0.0


if __name__ == "__main__":
    main()
