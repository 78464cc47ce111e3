"""The score of every cell of a table for a question: a small network over the features of its pair of paths.

score = w·x + v·max(0, Wx + b), with x the features as they differ from their mean, in parts of their spread. Each
lexical feature is given twice, as it is and less its mean over the table, and those of the tokens' meaning once. Linear
terms carry what holds everywhere, hidden units what holds together only: a total is meant where its side is silent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from mixrag_cli.recap.in_tables.pairing import Pairs, pair_features
from mixrag_cli.recap.in_tables.token_match import TOKEN_FEATURES, TokenMetric, Tokens, TokenVectors
from mixrag_cli.recap.wording import Asked
from mixrag_cli.records.tables import Header, Table
from mixrag_cli.tables.text import ARROW

# Fitted by tests/benchmarks/hitab_pairs.py to the 3,597 lookups of HiTab's training set. Fitted without a question's
# table (five folds) the best pair is the linked cell in 70.1 % and among three in 86.8 %.
WEIGHTS_FILE = "pairing_weights.json"
MAX_SPREADS = 6.0  # a feature further from its mean counts as if it were so far
MAX_LABELS = 150  # of a side whose tokens are read, those that say most in words: some 0.1 s
NO_TOKENS: Tokens = np.zeros((0, 0), np.float32)

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Network:
    """features: the names of the lexical ones, in order. mean, spread, linear: (n_inputs,). bias, out: (n_units,).
    hidden: (n_inputs, n_units)."""

    features: tuple[str, ...]
    mean: Matrix
    spread: Matrix
    linear: Matrix
    hidden: Matrix
    bias: Matrix
    out: Matrix
    metric: TokenMetric

    def score(self, lexical: Matrix, meant: Matrix) -> Matrix:
        """(n_cells, n_features) and (n_cells, len(TOKEN_FEATURES)) -> (n_cells,).

        Higher is likelier; differences are log odds.
        """
        x = (to_inputs(lexical, meant) - self.mean) / self.spread
        x = np.clip(x, -MAX_SPREADS, MAX_SPREADS)
        return np.asarray(x @ self.linear + np.maximum(x @ self.hidden + self.bias, 0.0) @ self.out)


def to_inputs(lexical: Matrix, meant: Matrix) -> Matrix:
    """What the network reads: (n_cells, 2 * n_features + len(TOKEN_FEATURES))."""
    return np.hstack([lexical, lexical - lexical.mean(axis=0), meant])


def score_pairs(asked: Asked, table: Table, vectors: TokenVectors) -> dict[tuple[int, int], float]:
    """The score of every data cell by its row and column; higher is likelier, differences are log odds."""
    pairs, network = pair_features(asked, table), load_network()
    question, rows, columns = table_tokens(asked, table, pairs, vectors)
    meant = network.metric.features(question, rows, columns, pairs.row, pairs.column)
    scores = network.score(pairs.matrix(network.features), meant)
    return {(cell.row, cell.column): float(score) for cell, score in zip(pairs.cells, scores, strict=True)}


def meant_by(question: str, labels: Sequence[str], vectors: TokenVectors) -> float:
    """How much of the question the labels say together by the meaning of their tokens, in [0, 1]."""
    return load_network().metric.coverage(vectors.of_question(question), vectors.of_labels(labels))


def table_tokens(
    asked: Asked, table: Table, pairs: Pairs, vectors: TokenVectors
) -> tuple[Tokens, list[Tokens], list[Tokens]]:
    """The tokens of the question and of the header paths of either side; none for those beyond MAX_LABELS."""
    return (
        vectors.of_question(asked.text),
        _label_tokens(table.rows, pairs.row_said, vectors),
        _label_tokens(table.columns, pairs.column_said, vectors),
    )


def _label_tokens(headers: Sequence[Header], said: Matrix, vectors: TokenVectors) -> list[Tokens]:
    chosen = np.sort(np.argsort(-said, kind="stable")[:MAX_LABELS])
    tokens = [NO_TOKENS] * len(headers)
    for n, own in zip(chosen, vectors.of_labels([ARROW.join(headers[n].path) for n in chosen]), strict=True):
        tokens[n] = own
    return tokens


@lru_cache(maxsize=1)
def load_network() -> Network:
    """The fitted network."""
    return read_network(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8"))


def read_network(text: str) -> Network:
    """A network as JSON, which names its features."""
    stored: dict[str, Any] = json.loads(text)
    lexical = tuple(stored.pop("features")[: -len(TOKEN_FEATURES)])
    metric = TokenMetric(**_to_arrays(stored.pop("metric")))
    return Network(lexical, **_to_arrays(stored), metric=metric)


def _to_arrays(stored: dict[str, Any]) -> dict[str, Any]:
    """Lists as arrays; single numbers as they are."""
    return {name: np.array(value, np.float64) if isinstance(value, list) else value for name, value in stored.items()}
