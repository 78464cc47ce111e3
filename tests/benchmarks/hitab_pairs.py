"""Fit the weights by which recap.pairing scores pairs of header paths, and say what they reach.

    python tests/benchmarks/hitab_pairs.py DATA_FOLDER [--limit N] [--write]

DATA_FOLDER as for hitab_lookups.py. The tables are halved by a hash of their names; the weights are fitted (conditional
logit on features of like spread, L-BFGS) on the lookups of one half. The
penalty is chosen on a fifth of that half's tables, by weights fitted on its others. Printed: the part of each half's
lookups whose linked cell has the best pair, for these weights and for those in the product. --write keeps them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
from corpora import read_jsonl
from hitab_lookups import lookups, to_context
from scipy.optimize import minimize

from mixrag_cli.recap import pairing
from mixrag_cli.recap.language import facets_of
from mixrag_cli.recap.pairing import FEATURES, WEIGHTS_FILE, Asked, load_weights, pair_features

PENALTIES = (3.0, 10.0, 30.0)
TINY = 1e-6
Vector = npt.NDArray[np.float64]
Case = tuple[Vector, int] | None  # features of every cell and which of them is linked; None where no cell is


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int, default=0, help="take only the first questions")
    parser.add_argument("--write", action="store_true", help="keep the weights in the product")
    arguments = parser.parse_args()
    cases = read_cases(arguments.data / "headers", arguments.limit)
    halves = [[pair for pair in cases if part_of(pair[0], 2) == half] for half in (0, 1)]
    inner = [case for name, case in halves[0] if part_of(f"inner{name}", 5)]
    chosen = [case for name, case in halves[0] if not part_of(f"inner{name}", 5)]
    penalty = max(PENALTIES, key=lambda tried: share(chosen, fit(inner, tried)))
    weights = fit([case for _, case in halves[0]], penalty)
    product = np.array([load_weights()[name] for name in FEATURES])
    print(f"penalty {penalty}\n{'':18} {'n':>5} {'fitted now':>10} {'in product':>10}")
    for label, half in zip(("fitted on", "held out"), halves, strict=True):
        own = [case for _, case in half]
        print(f"{label:18} {len(own):5} {100 * share(own, weights):9.1f}% {100 * share(own, product):9.1f}%")
    if arguments.write:
        named = dict(zip(FEATURES, np.round(weights, 3).tolist(), strict=True))
        target = Path(str(pairing.__file__)).with_name(WEIGHTS_FILE)
        target.write_text(json.dumps(named, indent=1) + "\n", "utf-8")


def part_of(name: str, n_parts: int) -> int:
    return int(hashlib.md5(name.encode()).hexdigest(), 16) % n_parts


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


def fit(every_case: list[Case], penalty: float) -> Vector:
    cases = [case for case in every_case if case is not None]
    features = np.vstack([case[0] for case in cases])
    spread = features.std(axis=0) + TINY
    features = features / spread
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
        return penalty * float(weights @ weights) / 2 - likelihood, penalty * weights - gradient

    found = minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return np.asarray(found.x / spread)


def share(cases: list[Case], weights: Vector) -> float:
    right = [case is not None and int((case[0] @ weights).argmax()) == case[1] for case in cases]
    return float(np.mean(right)) if right else 0.0


if __name__ == "__main__":
    main()
