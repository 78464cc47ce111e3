"""How likely a table's best cell is what was asked, from the signs that a person would check before believing it.

A best pair of paths is there in every table, also in one that has nothing to do with the question. So a cell is
believed by how clearly it stands before the table's others, by how much of the question is said by it, around it or
nowhere, and by whether it is of the asked kind. Weights fitted to questions asked of their own and of other tables
make one probability of the signs.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from mixrag_cli.quantities.facets import Facets, facets_of
from mixrag_cli.recap.evidence import stems_of
from mixrag_cli.recap.odds import chance_of
from mixrag_cli.recap.restate import Expects
from mixrag_cli.recap.wording import AVERAGE, CHANGE, MAX_PERCENT, PERCENT, PERCENT_UNITS, STATISTIC, Asked
from mixrag_cli.records.tables import Cell
from mixrag_cli.words import match_term

# Fitted by tests/benchmarks/hitab_pairs.py, like the weights of the pairs.
WEIGHTS_FILE = "acceptance_weights.json"
# Where three in four of the accepted are right: of lookups that neither fit has seen 63.1 % are then the linked cell,
# 19.7 % another; 1.1 % of lookups asked of a random table are accepted, 26 % of those asked of the nearest.
MIN_PROBABILITY = 0.25
SURE_PROBABILITY = 0.5  # of a cell that is quoted where words stand against it
MIN_KNOWN = 0.3  # a term said less than so anywhere near is unknown there
AROUND = 0.7  # of a match in the title, where the head of the question is sought
MAX_MARGIN = 6.0  # log odds; a cell without a rival has it
LEAST_LIKELY = 1e-4
_PROSE = re.compile(
    r"^\s*(?:why|how (?:do|does|did|can|to|is|are)|who|where|when|describe|explain|name|list)\b", re.IGNORECASE
)
_WHICH = re.compile(r"^\s*(?:\w+ ){0,4}?which\b", re.IGNORECASE)

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Standing:
    """A table's best cell among the others, and what of the question is said where.

    around: title and context. odds: (n_cells,), log odds of all cells that can answer. weights, own, sayable, credit:
    (n_terms,), each term's weight, and how well it is said by the cell's paths, by any of the table's, and around it.
    meant, meant_around: how much of the question the cell's paths say by their meaning, alone and with what is around.
    row_extra: the part of the row's leaf that was not asked for. time: as evidence.time_score.
    """

    cell: Cell
    label: str
    around: str
    odds: Vector
    terms: tuple[str, ...]
    weights: Vector
    own: Vector
    sayable: Vector
    credit: Vector
    meant: float
    meant_around: float
    row_extra: float
    time: float


def probability_of(asked: Asked, expects: Expects, standing: Standing) -> float:
    """How likely the cell is what was asked, in (0, 1)."""
    weights = load_weights()
    odds = weights["constant"] + sum(weights[name] * sign for name, sign in signs_of(asked, expects, standing).items())
    return chance_of(odds)


@lru_cache(maxsize=1)
def load_weights() -> dict[str, float]:
    """The fitted weight of each sign, and the constant."""
    found: dict[str, float] = json.loads(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8"))
    return found


def signs_of(asked: Asked, expects: Expects, standing: Standing) -> dict[str, float]:
    """The signs for and against the cell, by name."""
    return {
        **_clearness(standing.odds),
        **_said(standing),
        **_times(asked.facets, facets_of(standing.label), facets_of(standing.around), standing.time),
        **_kinds(asked, expects, standing),
    }


def _clearness(odds: Vector) -> dict[str, float]:
    """How far the best stands before the others."""
    ordered = np.sort(odds)[::-1]
    likely = max(1 / float(np.exp(odds - ordered[0]).sum()), LEAST_LIKELY)
    return {
        "likely": math.log(likely / max(1 - likely, LEAST_LIKELY)),
        "margin": min(float(ordered[0] - ordered[1]), MAX_MARGIN) if len(odds) > 1 else MAX_MARGIN,
        "top": min(max(float(ordered[0]), -5.0), 20.0) / 5,
    }


def _said(standing: Standing) -> dict[str, float]:
    """How much of the question is said by the cell's paths, by the table at all, and around it."""
    weights, own, sayable, credit = standing.weights, standing.own, standing.sayable, standing.credit
    total = max(float(weights.sum()), LEAST_LIKELY)
    unknown = np.maximum(sayable, credit) < MIN_KNOWN
    numbers = np.array([any(sign.isdigit() for sign in term) for term in standing.terms])
    return {
        "coverage": float(weights @ np.maximum(own, credit)) / total,
        "own": float(weights @ own) / total,
        "said_of_sayable": float(weights @ own) / max(float(weights @ sayable), LEAST_LIKELY),
        "unsayable": float(weights @ (1 - np.maximum(sayable, credit))) / total,
        "unknown": float(weights @ unknown) / total,
        "number_unknown": float((unknown & numbers).any()),
        "n_known": math.log1p(int((~unknown).sum())),
        "n_terms": math.log1p(len(unknown)),
        "row_extra": standing.row_extra,
        "meant": standing.meant,
        "meant_around": standing.meant_around,
    }


def _times(asked: Facets, own: Facets, around: Facets, time: float) -> dict[str, float]:
    is_near = bool(asked.years & (own.years | around.years))
    return {
        "time": time,
        "year_around": float(is_near and not asked.years & own.years),
        "year_unsaid": float(bool(asked.years) and not is_near),
    }


def _kinds(asked: Asked, expects: Expects, standing: Standing) -> dict[str, float]:
    """Whether the cell is of the asked kind: a percentage, a change, an average, a number at all."""
    cell, label, around = standing.cell, standing.label, standing.around
    wants_percent, is_percent = asked.wants.percent, says_percent(cell, label)
    asks_change, is_change = asked.wants.change, bool(CHANGE.search(label))
    is_average = bool(AVERAGE.search(f"{label} {around}"))
    near, far = stems_of(label), stems_of(around)
    head = [max(match_term(term, near), AROUND * match_term(term, far)) for term in asked.head]
    is_text = cell.value is None
    return {
        "head_least": min(head, default=0.5),
        "percent_missing": float(wants_percent and not is_percent),
        "percent_unasked": float(is_percent and not wants_percent),
        "percent_over": float(wants_percent and cell.value is not None and abs(cell.value) > MAX_PERCENT),
        "change_missing": float(asks_change and not is_change),
        "change_unasked": float(is_change and not asks_change),
        "average_missing": float(asked.wants.average and not is_average),
        "statistic_unasked": float(bool(STATISTIC.search(label)) and not asked.wants.statistic),
        "counted": float(asked.wants.count),
        "prose": float(bool(_PROSE.search(asked.text))),
        "which": float(bool(_WHICH.search(asked.text))),
        "expects_text": float(expects == "text"),
        "number_for_text": float(expects == "text" and not is_text),
        "is_text": float(is_text),
    }


def says_percent(cell: Cell, label: str) -> bool:
    """Whether a cell is a percentage by its unit or, where it has none, by its headers."""
    return cell.unit in PERCENT_UNITS or (not cell.unit and PERCENT.search(label) is not None)
