"""The score of every cell of a table for a question: a small network over the features of its pair of paths.

score = w·x + v·max(0, Wx + b), with x the features as they differ from their mean, in parts of their spread. Linear
terms carry what holds everywhere, hidden units what holds together only: a total is meant where its side is silent.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from mixrag_cli.recap.pairing import FEATURES, pair_features
from mixrag_cli.recap.wording import Asked
from mixrag_cli.records import Table

# Fitted by tests/benchmarks/hitab_pairs.py on one half of the tables of HiTab's training set; on the lookups of the
# other half (1,932) the best pair is the linked cell in 64.9 % and among three in 83.1 %, on its own (1,665) in 66.9 %.
WEIGHTS_FILE = "pairing_weights.json"
MAX_SPREADS = 6.0  # a feature further from its mean counts as if it were so far

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Network:
    """mean, spread, linear: (n_features,). hidden: (n_features, n_units). bias, out: (n_units,)."""

    mean: Matrix
    spread: Matrix
    linear: Matrix
    hidden: Matrix
    bias: Matrix
    out: Matrix

    def score(self, features: Matrix) -> Matrix:
        """(n_cells, n_features) -> (n_cells,); higher is likelier, differences are log odds."""
        x = np.clip((features - self.mean) / self.spread, -MAX_SPREADS, MAX_SPREADS)
        return np.asarray(x @ self.linear + np.maximum(x @ self.hidden + self.bias, 0.0) @ self.out)


def score_pairs(asked: Asked, table: Table) -> dict[tuple[int, int], float]:
    """The score of every data cell by its row and column; higher is likelier, differences are log odds."""
    features, cells = pair_features(asked, table)
    scores = load_network().score(features)
    return {(cell.row, cell.column): float(score) for cell, score in zip(cells, scores, strict=True)}


@lru_cache(maxsize=1)
def load_network() -> Network:
    """The fitted network. Raises ValueError where it was fitted to other features."""
    stored = json.loads(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8"))
    if tuple(stored.pop("features")) != FEATURES:
        raise ValueError("the pairs' network was fitted to other features")
    return Network(**{name: np.array(values, dtype=np.float64) for name, values in stored.items()})
