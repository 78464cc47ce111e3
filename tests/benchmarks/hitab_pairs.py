"""Fit what recap scores pairs of header paths by, and what it believes their best by; say what they reach.

    python tests/benchmarks/hitab_pairs.py DATA_FOLDER [--limit N] [--write]

DATA_FOLDER as for hitab_lookups.py. The tables are halved by a hash of their names, and everything is fitted on one
half's questions. The network (softmax within each table, AdamW, averaged over seeds) learns which cell of its table a
lookup is linked to. The acceptance (logistic) learns when the best cell is the linked one, from signs that networks
without the question's table give (five folds): of lookups asked of their own table, of the one nearest to them in
meaning and of a random one, where nothing is right, and of the questions that want a calculation, where no cell is.
Printed: the part of each half's lookups whose linked cell has the best pair, and what each threshold accepts on the
other half. --write keeps both in the product.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import torch
from corpora import read_jsonl
from hitab_lookups import lookups, part_of, to_context
from reading import Context, Contexts, Neighbours
from scipy.optimize import minimize

from mixrag_cli.recap import acceptance, cells, scorer
from mixrag_cli.recap.language import facets_of
from mixrag_cli.recap.pairing import FEATURES, pair_features
from mixrag_cli.recap.scorer import Network
from mixrag_cli.recap.wording import Asked

N_UNITS, N_SEEDS, N_FOLDS = 24, 3, 5
EPOCHS, BATCH, RATE, DECAY, DROPOUT = 12, 64, 2e-3, 0.05, 0.4  # first guesses, not swept
DIGITS = 4
FOREIGN = 3  # one lookup of so many is asked of other tables, too
# What a question of each kind counts: as much in all for foreign tables as for the own.
WORTH = {"own": 1.0, "near": 0.5 * FOREIGN, "random": 0.5 * FOREIGN, "calculated": 0.3}
PENALTY = 10.0
THRESHOLDS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lookup:
    """features: of every cell. linked: which of them is; None where no cell of the table read is."""

    table: str
    features: npt.NDArray[np.float32]
    linked: int | None


@dataclass(frozen=True, slots=True)
class Judged:
    """The signs of a table's best cell, and whether it is the linked one. kind: a key of WORTH."""

    kind: str
    signs: Mapping[str, float] | None
    is_right: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int, default=0, help="take only the first questions")
    parser.add_argument("--write", action="store_true", help="keep what was fitted in the product")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    headers = arguments.data / "headers"
    contexts = {gold["id"]: to_context(gold) for gold in read_jsonl(headers / "hitab_train.jsonl.gz")}
    questions = [q for q in read_jsonl(headers / "hitab_train_questions.jsonl.gz") if q["table_id"] in contexts]
    questions = questions[: arguments.limit or None]
    linked = {asked["id"]: place for asked, place in lookups(headers / "hitab_train_questions.jsonl.gz")}
    found = [to_lookup(q, linked[q["id"]], contexts) for q in questions if q["id"] in linked]
    halves = [[one for one in found if part_of(one.table, 2) == half] for half in (0, 1)]
    network = fit_network(halves[0], N_SEEDS)
    for label, half in zip(("fitted on", "held out"), halves, strict=True):
        tops = " ".join(f"top {n} {100 * share(half, network, n):.1f} %" for n in (1, 3))
        print(f"{label}: {len(half)} lookups, linked cell {tops}", flush=True)
    if arguments.write:
        keep_network(network)
    folds = [fit_network([one for one in halves[0] if fold_of(one.table) != fold]) for fold in range(N_FOLDS)]
    crossed = [(one, folds[fold_of(one.table)]) for one in halves[0]]
    print(f"fitted half, five folds: {100 * np.mean([is_best(*pair, 1) for pair in crossed]):.1f} %", flush=True)
    judging = Judging(contexts, linked, network, folds)
    judged = [list(judging.judge(half, questions)) for half in (0, 1)]
    weights = fit_acceptance(judged[0])
    print_curve(judged[1], weights)
    if arguments.write:
        keep_weights(weights)


def fold_of(name: str) -> int:
    return part_of(f"inner{name}", N_FOLDS)


def to_lookup(asked: dict[str, Any], place: tuple[int, int], contexts: Mapping[str, Context]) -> Lookup:
    table, question = contexts[asked["table_id"]].table, asked["question"]
    if table is None:
        return Lookup(asked["table_id"], np.zeros((0, len(FEATURES)), np.float32), None)
    features, found = pair_features(Asked.of(question, facets_of(question)), table)
    at = [n for n, cell in enumerate(found) if (cell.row, cell.column) == place]
    return Lookup(asked["table_id"], features.astype(np.float32), at[0] if at else None)


# --- the network --------------------------------------------------------------------------------------------------


class Trained(torch.nn.Module):
    """The network of recap.scorer, with dropout, over standardised features."""

    def __init__(self, n_features: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(n_features, 1, bias=False)
        self.hidden = torch.nn.Linear(n_features, N_UNITS)
        self.out = torch.nn.Linear(N_UNITS, 1, bias=False)
        self.dropout = torch.nn.Dropout(DROPOUT)
        torch.nn.init.zeros_(self.linear.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.dropout(torch.relu(self.hidden(self.dropout(x))))
        return (self.linear(x) + self.out(hidden))[:, 0]


def fit_network(found: Sequence[Lookup], n_seeds: int = 1) -> Network:
    """Networks of several seeds, averaged by laying their hidden units side by side."""
    cases = [one for one in found if one.linked is not None]
    features = np.vstack([one.features for one in cases])
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-3
    inputs = np.clip((features - mean) / spread, -scorer.MAX_SPREADS, scorer.MAX_SPREADS)
    sizes = np.array([len(one.features) for one in cases])
    linked = np.array([one.linked for one in cases])
    trained = [train(torch.tensor(inputs), sizes, linked, seed) for seed in range(n_seeds)]
    arrays = [{name: value.detach().numpy() for name, value in one.state_dict().items()} for one in trained]
    return Network(
        mean=rounded(mean),
        spread=rounded(spread),
        linear=rounded(np.mean([one["linear.weight"][0] for one in arrays], axis=0)),
        hidden=rounded(np.hstack([one["hidden.weight"].T for one in arrays])),
        bias=rounded(np.hstack([one["hidden.bias"] for one in arrays])),
        out=rounded(np.hstack([one["out.weight"][0] for one in arrays]) / n_seeds),
    )


def rounded(values: npt.NDArray[np.float32]) -> Matrix:
    return np.round(values.astype(np.float64), DIGITS)


def train(inputs: torch.Tensor, sizes: npt.NDArray[np.int64], linked: npt.NDArray[np.int64], seed: int) -> Trained:
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    starts = np.cumsum(sizes) - sizes
    model = Trained(inputs.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    n_steps = EPOCHS * -(-len(sizes) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, n_steps)
    for _ in range(EPOCHS):
        shuffled = order.permutation(len(sizes))
        for first in range(0, len(shuffled), BATCH):
            batch = shuffled[first : first + BATCH]
            taken = np.concatenate([np.arange(starts[n], starts[n] + sizes[n]) for n in batch])
            owner = torch.tensor(np.repeat(np.arange(len(batch)), sizes[batch]))
            scores = model(inputs[taken])
            highest = torch.full((len(batch),), -1e9).scatter_reduce(0, owner, scores, "amax").detach()
            totals = torch.zeros(len(batch)).index_add(0, owner, torch.exp(scores - highest[owner]))
            at = torch.tensor(np.cumsum(sizes[batch]) - sizes[batch] + linked[batch])
            loss = (torch.log(totals) + highest - scores[at]).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return model.eval()


def share(found: Sequence[Lookup], network: Network, n_best: int) -> float:
    return float(np.mean([is_best(one, network, n_best) for one in found]))


def is_best(one: Lookup, network: Network, n_best: int) -> bool:
    if one.linked is None:
        return False
    scores = network.score(one.features.astype(np.float64))
    return int((scores > scores[one.linked]).sum()) < n_best


# --- the acceptance -----------------------------------------------------------------------------------------------


class Judging:
    """The signs that tables' best cells give, read by the product with a network that has not seen the question."""

    def __init__(
        self,
        contexts: Mapping[str, Context],
        linked: Mapping[str, tuple[int, int]],
        network: Network,
        folds: Sequence[Network],
    ) -> None:
        self._contexts = contexts
        self._linked = linked
        self._network = network
        self._folds = folds
        self._reading = Contexts(list(contexts.values()))
        read = [context for context in contexts.values() if context.table is not None]
        self._tables = [[context for context in read if part_of(context.id, 2) == half] for half in (0, 1)]
        embedder = self._reading.similarity.embedder
        self._neighbours = [Neighbours(tables, embedder) for tables in self._tables]

    def judge(self, half: int, questions: Sequence[dict[str, Any]]) -> Iterator[Judged]:
        chance = random.Random(half)
        for asked in questions:
            gold = asked["table_id"]
            if part_of(gold, 2) != half:
                continue
            if asked["id"] not in self._linked:
                yield self._judge("calculated", asked, self._contexts[gold])
                continue
            yield self._judge("own", asked, self._contexts[gold])
            if chance.randrange(FOREIGN) == 0:
                own = self._contexts[gold]
                yield self._judge("near", asked, self._neighbours[half].nearest(asked["question"], 1, own)[0])
                yield self._judge(
                    "random", asked, next(x for x in chance.sample(self._tables[half], 2) if x is not own)
                )

    def _judge(self, kind: str, asked: dict[str, Any], context: Context) -> Judged:
        gold = asked["table_id"]
        network = self._network if part_of(gold, 2) else self._folds[fold_of(gold)]
        restated, base = self._reading.restate_in(context, asked["question"])
        seen: list[dict[str, float]] = []

        def record(*read: Any) -> float:
            seen.append(acceptance.signs_of(*read))
            return 0.5

        with patch.object(scorer, "load_network", lambda: network), patch.object(cells, "probability_of", record):
            best = cells.match_cells(restated.whole, base, restated.names, restated.expects, limit=1)
        places = [(match.cell.row, match.cell.column) for match in best]
        is_right = kind == "own" and places == [self._linked[asked["id"]]]
        return Judged(kind, seen[0] if seen else None, is_right)


def fit_acceptance(judged: Sequence[Judged]) -> dict[str, float]:
    known = [one for one in judged if one.signs is not None]
    names = list(known[0].signs or ())
    signs = np.array([[(one.signs or {})[name] for name in names] for one in known])
    mean, spread = signs.mean(axis=0), signs.std(axis=0) + 1e-6
    inputs = (signs - mean) / spread
    right = np.array([one.is_right for one in known], dtype=np.float64)
    worth = np.array([WORTH[one.kind] for one in known])

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        odds = inputs @ weights[1:] + weights[0]
        wrong = worth * (1 / (1 + np.exp(-odds)) - right)
        value = float(worth @ (np.logaddexp(0, odds) - right * odds)) + PENALTY * float(weights[1:] @ weights[1:]) / 2
        return value, np.r_[wrong.sum(), inputs.T @ wrong + PENALTY * weights[1:]]

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    plain = found[1:] / spread
    return {"constant": float(found[0] - plain @ mean), **dict(zip(names, plain.tolist(), strict=True))}


def print_curve(judged: Sequence[Judged], weights: Mapping[str, float]) -> None:
    """At each threshold: own lookups answered right, wrong and not, and how many others are answered."""
    print("threshold  right  wrong  refused  precision | answered of near  random  calculated")
    likely = [probability(one, weights) for one in judged]
    of_kind = {kind: [n for n, one in enumerate(judged) if one.kind == kind] for kind in WORTH}
    for threshold in THRESHOLDS:
        own = of_kind["own"]
        right = 100 * float(np.mean([likely[n] >= threshold and judged[n].is_right for n in own]))
        wrong = 100 * float(np.mean([likely[n] >= threshold and not judged[n].is_right for n in own]))
        others = (
            100 * float(np.mean([likely[n] >= threshold for n in of_kind[kind]] or [0.0]))
            for kind in ("near", "random", "calculated")
        )
        precision = right / max(right + wrong, 1e-9)
        row = (threshold, right, wrong, 100 - right - wrong, precision, *others)
        print("{:9.2f} {:6.1f} {:6.1f} {:8.1f} {:10.2f} | {:16.1f} {:7.1f} {:11.1f}".format(*row))


def probability(one: Judged, weights: Mapping[str, float]) -> float:
    if one.signs is None:
        return 0.0
    odds = weights["constant"] + sum(weights[name] * sign for name, sign in one.signs.items())
    return float(1 / (1 + np.exp(-odds)))


def keep_network(network: Network) -> None:
    arrays = ("mean", "spread", "linear", "hidden", "bias", "out")
    stored = {"features": FEATURES, **{name: getattr(network, name).tolist() for name in arrays}}
    target = Path(str(scorer.__file__)).with_name(scorer.WEIGHTS_FILE)
    target.write_text(json.dumps(stored) + "\n", "utf-8")


def keep_weights(weights: Mapping[str, float]) -> None:
    kept = {name: round(weight, DIGITS) for name, weight in weights.items()}
    target = Path(str(acceptance.__file__)).with_name(acceptance.WEIGHTS_FILE)
    target.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
