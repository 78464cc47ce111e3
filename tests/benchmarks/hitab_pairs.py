"""Fit what recap scores pairs of header paths by, and what it believes their best by; say what they reach.

    python tests/benchmarks/hitab_pairs.py DATA_FOLDER FOLDS_FOLDER [--limit N] [--keep-metric] [--write]

DATA_FOLDER as for hitab_lookups.py. The tables are parted in five folds by a hash of their names; a fold's questions
are read by what was fitted on the other four, which is kept in FOLDS_FOLDER. The network (softmax within each table,
AdamW) learns which cell of its table a lookup is linked to, by the words and by the tokens of the header paths. The
belief (logistic) learns when the best cell is the linked one, from the signs that the fold's network gives: of
lookups asked of their own table, of the one nearest to them in meaning and of a random one, where nothing is right, and
of the questions that want a calculation, where no cell is. Printed: the part of the lookups whose linked cell has the
best pair, and what each threshold accepts. --write fits both on all folds and keeps them in the product. --keep-metric
leaves the metric of the tokens as the product has it, which has seen all folds: a fit takes seconds, not a minute.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import torch
from corpora import read_jsonl
from hitab_lookups import N_FOLDS, fold_of, lookups, network_file, to_context
from reading import Context, Contexts, Neighbours
from scipy.optimize import minimize
from torch.nn import functional

from mixrag_cli.models import load_embedder, load_token_vectors
from mixrag_cli.models.token_vectors import KeptTokens
from mixrag_cli.recap.asked_operands import whole_of
from mixrag_cli.recap.in_tables import cells, scorer
from mixrag_cli.recap.in_tables.scorer import Network, Side, pair_features, pair_tokens
from mixrag_cli.recap.in_tables.token_match import (
    LEAST_APART,
    QUESTION_BIAS,
    SMALL,
    TOKEN_FEATURES,
    TokenMetric,
    Tokens,
)
from mixrag_cli.settings import Settings

N_UNITS, N_AXES = 24, 48
EPOCHS, BATCH, RATE, DECAY = 8, 32, 2e-3, 0.05  # 6 to 12 epochs, 16 to 64 units, 32 to 96 axes: all within a point
DROPOUT, INPUT_DROPOUT, NORM_MOMENTUM = 0.4, 0.1, 0.02
SHARPNESS, CENTRE = 8.0, 0.6  # of a token's nearness, before it is fitted
DIGITS = 4
FOREIGN = 3  # one lookup of so many is asked of other tables, too
# What a question of each kind counts: as much in all for foreign tables as for the own.
WORTH = {"own": 1.0, "near": 0.5 * FOREIGN, "random": 0.5 * FOREIGN, "calculated": 0.3}
PENALTY = 10.0
THRESHOLDS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Read:
    """A table read for a question. names, features: of every cell. question, rows, columns: tokens. row, column: as
    Pairs."""

    names: tuple[str, ...]
    features: npt.NDArray[np.float32]
    question: Tokens
    rows: Sequence[Tokens]
    columns: Sequence[Tokens]
    row: npt.NDArray[np.intp]
    column: npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Lookup:
    """read: None where there is no table. linked: which of its cells is; None where no cell of the table read is."""

    table: str
    read: Read | None
    linked: int | None


@dataclass(frozen=True, slots=True)
class Judged:
    """The signs of a table's best cell, and whether it is the linked one. kind: a key of WORTH."""

    kind: str
    fold: int
    signs: Mapping[str, float] | None
    is_right: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("folds", type=Path)
    parser.add_argument("--limit", type=int, default=0, help="take only the first questions")
    parser.add_argument("--write", action="store_true", help="keep what was fitted in the product")
    parser.add_argument("--keep-metric", action="store_true", help="fit no metric of tokens anew")
    arguments = parser.parse_args()
    kept = scorer.load_network().metric if arguments.keep_metric else None
    arguments.folds.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    headers = arguments.data / "headers"
    contexts = {gold["id"]: to_context(gold) for gold in read_jsonl(headers / "hitab_train.jsonl.gz")}
    questions = [q for q in read_jsonl(headers / "hitab_train_questions.jsonl.gz") if q["table_id"] in contexts]
    questions = questions[: arguments.limit or None]
    linked = {asked["id"]: place for asked, place in lookups(headers / "hitab_train_questions.jsonl.gz")}
    vectors = load_token_vectors(load_embedder(Settings()), Settings())
    found = [to_lookup(q, linked[q["id"]], contexts, vectors) for q in questions if q["id"] in linked]
    folds = [fit_network([one for one in found if fold_of(one.table) != fold], kept) for fold in range(N_FOLDS)]
    tops = (100 * np.mean([is_best(one, folds[fold_of(one.table)], n_best) for one in found]) for n_best in (1, 3))
    print("{} lookups, linked cell top 1 {:.1f} %, top 3 {:.1f} %".format(len(found), *tops), flush=True)
    judged = list(Judging(contexts, linked, folds).judge(questions))
    weights = [fit_belief([one for one in judged if one.fold != fold]) for fold in range(N_FOLDS)]
    print_curve(judged, weights)
    for fold in range(N_FOLDS):
        keep_network(folds[fold], weights[fold], network_file(arguments.folds, fold))
    if arguments.write:
        product = Path(str(scorer.__file__)).with_name(scorer.WEIGHTS_FILE)
        keep_network(fit_network(found, kept), fit_belief(judged), product)


def to_lookup(
    asked: dict[str, Any], place: tuple[int, int], contexts: Mapping[str, Context], vectors: KeptTokens
) -> Lookup:
    table, text = contexts[asked["table_id"]].table, asked["question"]
    if table is None:
        return Lookup(asked["table_id"], None, None)
    operand = whole_of(text)
    rows, columns = (Side.of(headers, operand.terms, table.title) for headers in (table.rows, table.columns))
    pairs = pair_features(operand, table, rows, columns)
    at = [n for n, cell in enumerate(pairs.cells) if (cell.row, cell.column) == place]
    names = tuple(pairs.features)
    features = pairs.matrix(names).astype(np.float32)
    read = Read(names, features, *pair_tokens(operand, rows, columns, vectors), pairs.row, pairs.column)
    return Lookup(asked["table_id"], read, at[0] if at else None)


# --- the network --------------------------------------------------------------------------------------------------


class TrainedMetric(torch.nn.Module):
    """TokenMetric of recap.token_match, to be fitted."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.project = torch.nn.Linear(dim, N_AXES, bias=False)
        torch.nn.init.orthogonal_(self.project.weight)
        self.question, self.label = torch.nn.Linear(dim, 1), torch.nn.Linear(dim, 1)
        for worth in (self.question, self.label):
            torch.nn.init.zeros_(worth.weight)
            torch.nn.init.zeros_(worth.bias)
        self.sharpness, self.centre = (torch.nn.Parameter(torch.tensor(start)) for start in (SHARPNESS, CENTRE))

    def forward(self, read: Read) -> torch.Tensor:
        question = torch.tensor(read.question)
        (by_row, row_unmeant), (by_column, column_unmeant) = (
            self._said(question, labels) for labels in (read.rows, read.columns)
        )
        worth = functional.softplus(self.question(question)[:, 0] + QUESTION_BIAS)
        apart = [worth * (said.amax(1) - said.mean(1) + LEAST_APART) for said in (by_row, by_column)]
        row_meant, column_meant = (
            weights @ said / (weights.sum() + SMALL) for weights, said in zip(apart, (by_row, by_column), strict=True)
        )
        either = torch.maximum(*apart)
        r, c = torch.tensor(read.row), torch.tensor(read.column)
        pair_meant = either @ torch.maximum(by_row[:, r], by_column[:, c]) / (either.sum() + SMALL)
        leads = [meant - meant.max() for meant in (row_meant, column_meant, pair_meant)]
        parts = (row_meant[r], leads[0][r], column_meant[c], leads[1][c], pair_meant, leads[2])
        return torch.stack([*parts, row_unmeant[r], column_unmeant[c]], dim=1)

    def _said(self, question: torch.Tensor, labels: Sequence[Tokens]) -> tuple[torch.Tensor, torch.Tensor]:
        owner = torch.tensor(np.repeat(np.arange(len(labels)), [len(tokens) for tokens in labels]))
        tokens = torch.tensor(np.concatenate([tokens for tokens in labels if len(tokens)]))
        near = torch.sigmoid(self.sharpness * (self._directions(question) @ self._directions(tokens).T - self.centre))
        said = torch.zeros(len(question), len(labels)).scatter_reduce(1, owner.expand(len(question), -1), near, "amax")
        worth = torch.sigmoid(self.label(tokens)[:, 0])
        return said, torch.zeros(len(labels)).index_add(0, owner, (1 - near.amax(0)) * worth)

    def _directions(self, tokens: torch.Tensor) -> torch.Tensor:
        return functional.normalize(self.project(tokens), dim=-1)

    def kept(self) -> TokenMetric:
        return TokenMetric(
            projection=rounded(self.project.weight.detach().numpy().T),
            question=rounded(self.question.weight.detach().numpy()[0]),
            label=rounded(self.label.weight.detach().numpy()[0]),
            **{
                name: round(value.item(), DIGITS)
                for name, value in (
                    ("question_bias", self.question.bias),
                    ("label_bias", self.label.bias),
                    ("sharpness", self.sharpness),
                    ("centre", self.centre),
                )
            },
        )


class KeptMetric(torch.nn.Module):
    """A metric that is left as it is; what it makes of a table is computed once."""

    def __init__(self, metric: TokenMetric) -> None:
        super().__init__()
        self._metric = metric
        self._known: dict[int, torch.Tensor] = {}

    def forward(self, read: Read) -> torch.Tensor:
        if id(read) not in self._known:
            found = self._metric.features(read.question, read.rows, read.columns, read.row, read.column)
            self._known[id(read)] = torch.tensor(found.astype(np.float32))
        return self._known[id(read)]

    def kept(self) -> TokenMetric:
        return self._metric


class Trained(torch.nn.Module):
    """The network of recap.scorer, with dropout, over standardised inputs."""

    def __init__(self, n_lexical: int, dim: int, kept: TokenMetric | None) -> None:
        super().__init__()
        n_meant = len(TOKEN_FEATURES)
        self.metric = TrainedMetric(dim) if kept is None else KeptMetric(kept)
        self.norm = torch.nn.BatchNorm1d(n_meant, affine=False, momentum=NORM_MOMENTUM)
        self.linear = torch.nn.Linear(n_lexical + n_meant, 1, bias=False)
        self.hidden = torch.nn.Linear(n_lexical + n_meant, N_UNITS)
        self.out = torch.nn.Linear(N_UNITS, 1, bias=False)
        self.dropout, self.input_dropout = torch.nn.Dropout(DROPOUT), torch.nn.Dropout(INPUT_DROPOUT)
        torch.nn.init.zeros_(self.linear.weight)

    def forward(self, lexical: torch.Tensor, reads: Sequence[Read]) -> torch.Tensor:
        x = torch.cat([lexical, self.norm(torch.cat([self.metric(read) for read in reads]))], dim=1)
        hidden = self.dropout(torch.relu(self.hidden(self.input_dropout(x))))
        return (self.linear(x) + self.out(hidden))[:, 0]


def fit_network(found: Sequence[Lookup], kept: TokenMetric | None = None, seed: int = 0) -> Network:
    """The network fitted to lookups whose cell is linked: softmax within each table, AdamW."""
    cases = [(one.read, one.linked) for one in found if one.read is not None and one.linked is not None]
    lexical = [read.features for read, _ in cases]
    together = np.vstack(lexical)
    mean, spread = together.mean(axis=0), together.std(axis=0) + 1e-3
    inputs = [
        torch.tensor(np.clip((own - mean) / spread, -scorer.MAX_SPREADS, scorer.MAX_SPREADS).astype(np.float32))
        for own in lexical
    ]
    model = train(inputs, cases, kept, seed)
    arrays = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    return Network(
        cases[0][0].names,
        mean=rounded(np.r_[mean, arrays["norm.running_mean"]]),
        spread=rounded(np.r_[spread, np.sqrt(arrays["norm.running_var"] + model.norm.eps)]),
        linear=rounded(arrays["linear.weight"][0]),
        hidden=rounded(arrays["hidden.weight"].T),
        bias=rounded(arrays["hidden.bias"]),
        out=rounded(arrays["out.weight"][0]),
        metric=model.metric.kept(),
        belief={},
    )


def rounded(values: npt.NDArray[Any]) -> Matrix:
    return np.round(values.astype(np.float64), DIGITS)


def train(
    inputs: Sequence[torch.Tensor], cases: Sequence[tuple[Read, int]], kept: TokenMetric | None, seed: int
) -> Trained:
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    model = Trained(inputs[0].shape[1], cases[0][0].question.shape[1], kept)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, EPOCHS * -(-len(cases) // BATCH))
    for _ in range(EPOCHS):
        shuffled = order.permutation(len(cases))
        for first in range(0, len(shuffled), BATCH):
            batch = shuffled[first : first + BATCH]
            scores = model(torch.cat([inputs[n] for n in batch]), [cases[n][0] for n in batch])
            by_table = scores.split([len(inputs[n]) for n in batch])
            losses = [torch.logsumexp(own, 0) - own[cases[n][1]] for n, own in zip(batch, by_table, strict=True)]
            optimizer.zero_grad()
            torch.stack(losses).mean().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return model.eval()


def is_best(one: Lookup, network: Network, n_best: int) -> bool:
    if one.read is None or one.linked is None:
        return False
    read = one.read
    meant = network.metric.features(read.question, read.rows, read.columns, read.row, read.column)
    scores = network.score(read.features.astype(np.float64), meant)
    return int((scores > scores[one.linked]).sum()) < n_best


# --- the belief -----------------------------------------------------------------------------------------------


class Judging:
    """The signs that tables' best cells give, read by the product with a network that has not seen the question."""

    def __init__(
        self, contexts: Mapping[str, Context], linked: Mapping[str, tuple[int, int]], folds: Sequence[Network]
    ) -> None:
        self._contexts = contexts
        self._linked = linked
        self._folds = folds
        self._reading = Contexts(list(contexts.values()))
        read = [context for context in contexts.values() if context.table is not None]
        self._tables = [[context for context in read if fold_of(context.id) == fold] for fold in range(N_FOLDS)]
        embedder = self._reading.similarity.embedder
        self._neighbours = [Neighbours(tables, embedder) for tables in self._tables]

    def judge(self, questions: Sequence[dict[str, Any]]) -> Iterator[Judged]:
        chance = random.Random(0)
        for asked in questions:
            own, fold = self._contexts[asked["table_id"]], fold_of(asked["table_id"])
            if asked["id"] not in self._linked:
                yield self._judge("calculated", asked, own)
                continue
            yield self._judge("own", asked, own)
            if chance.randrange(FOREIGN) == 0:
                yield self._judge("near", asked, self._neighbours[fold].nearest(asked["question"], 1, own)[0])
                other = next(each for each in chance.sample(self._tables[fold], 2) if each is not own)
                yield self._judge("random", asked, other)

    def _judge(self, kind: str, asked: dict[str, Any], context: Context) -> Judged:
        fold = fold_of(asked["table_id"])
        network = self._folds[fold]
        restated, base = self._reading.restate_in(context, asked["question"])
        seen: list[dict[str, float]] = []

        def record(signs: dict[str, float]) -> float:
            seen.append(signs)
            return 0.5

        with patch.object(scorer, "load_network", lambda: network), patch.object(cells, "probability_of", record):
            best = cells.match_cells(restated.whole, base, restated.names, cells.form_of(restated), 1)
        places = [(match.cell.row, match.cell.column) for match in best]
        is_right = kind == "own" and places == [self._linked[asked["id"]]]
        return Judged(kind, fold, seen[0] if seen else None, is_right)


def fit_belief(judged: Sequence[Judged]) -> dict[str, float]:
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


def print_curve(judged: Sequence[Judged], weights: Sequence[Mapping[str, float]]) -> None:
    """At each threshold: own lookups answered right, wrong and not, and how many others are answered."""
    print("threshold  right  wrong  refused  precision | answered of near  random  calculated")
    likely = [probability(one, weights[one.fold]) for one in judged]
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


def keep_network(network: Network, belief: Mapping[str, float], path: Path) -> None:
    kept = {name: round(weight, DIGITS) for name, weight in belief.items()}
    stored = {**asdict(network), "features": (*network.features, *TOKEN_FEATURES), "belief": kept}
    path.write_text(json.dumps(stored, default=lambda array: array.tolist()) + "\n", "utf-8")


if __name__ == "__main__":
    main()
