"""How likely a table's best cell is what was asked.

A best pair of paths is there in every table, also in one that has nothing to do with the question. So a cell is
believed by how clearly it stands before the table's others, and by how much of the question is said by it, around it
or nowhere. Weights fitted to questions asked of their own and of other tables make one probability of these signs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from mixrag_cli.reading import chance_of

# Fitted by tests/benchmarks/hitab_pairs.py, like the weights of the pairs. Of 1,831 lookups that neither fit has seen,
# 60.8 % are answered by the linked cell where four in five answers are right; 1.1 % of lookups asked of a random table
# are then answered, and 20 % of those asked of the nearest.
WEIGHTS_FILE = "acceptance_weights.json"
MIN_KNOWN = 0.3  # a term said less than so anywhere near is unknown there
LEAST_LIKELY = 1e-4
TOP = (-5.0, 20.0)  # scores beyond which a cell is no worse and no better

Vector = npt.NDArray[np.float64]


def probability_of(signs: Mapping[str, float]) -> float:
    """How likely the cell is what was asked, in (0, 1)."""
    weights = load_weights()
    return chance_of(weights["constant"] + sum(weights[name] * sign for name, sign in signs.items()))


@lru_cache(maxsize=1)
def load_weights() -> dict[str, float]:
    """The fitted weight of each sign, and the constant."""
    found: dict[str, float] = json.loads(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8"))
    return found


def signs_of(
    scores: Vector, weights: Vector, own: Vector, sayable: Vector, credit: Vector, *, meant: float, time: float
) -> dict[str, float]:
    """The signs for and against a table's best cell, by name.

    scores: (n_cells,), log odds of all cells that can answer. weights, own, sayable, credit: (n_terms,), each term's
    weight, and how well it is said by the cell's paths, by any of the table's, and around it. meant: how much of the
    question the cell's paths and what is around say by their meaning. time: as evidence.time_score.
    """
    best = float(scores.max())
    likely = max(1 / float(np.exp(scores - best).sum()), LEAST_LIKELY)
    unknown = np.maximum(sayable, credit) < MIN_KNOWN
    return {
        "likely": math.log(likely / max(1 - likely, LEAST_LIKELY)),
        "top": min(max(best, TOP[0]), TOP[1]),
        "said_of_sayable": float(weights @ own) / max(float(weights @ sayable), LEAST_LIKELY),
        "unknown": float(weights @ unknown) / max(float(weights.sum()), LEAST_LIKELY),
        "meant": meant,
        "time": time,
    }
