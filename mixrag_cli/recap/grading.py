"""Grading: one probability of being right for every candidate, and what is said at which probability.

    signs ─► choice ─► forest of small trees ─► probability ─► surety of the best answer ─► one of three grades

The choice, a conditional logit, compares what tables and keys say: of their cells, values and tallies one is meant.
The forest and the surety are fitted on domains that the trained reader did not see, through the product's own
retrieval (training/grading). The surety, a logistic, makes of the best answer's probability and of what
its question wants how often such an answer is right: by what, leaving one domain out at a time, is right of the other.
Source: Kamath et al., Selective Question Answering under Domain Shift, ACL 2020 (a calibrator that saw other domains);
Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 2001 (the forest); McFadden,
Conditional Logit Analysis of Qualitative Choice Behavior, 1974 (the choice).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from mixrag_cli.reading import chance_of, log_odds, log_sum
from mixrag_cli.recap.signs import KINDS, SIGNS, Draft
from mixrag_cli.recap.wanted import BIAS, logistic

WEIGHTS_FILE = "grading_weights.json"
CHOICE = "choice"  # the sign that the choice gives: the log probability of being the one meant among those compared
CHOSEN = ("cell", "computed", "column", "fact")  # the kinds that are compared
INPUTS = (*SIGNS, CHOICE, *(f"is {kind}" for kind in KINDS))
# Of the best answer's signs those that tell how sure one may be, beside what the forest makes of all of them.
SURE_SIGNS = ("none", "promise", "accepted", "documents", "text_asked", "asked", "done", "number")

# A leaf's log odds, or: input's number, threshold, whether a missing one goes left, tree up to it, tree above it.
Tree = float | tuple[int, float, bool, "Tree", "Tree"]
Weighed = Mapping[str, tuple[float, float]]  # of an input: its weight, and what one that is missing counts as


@dataclass(frozen=True, slots=True)
class Forest:
    """The sum of what each tree says, in log odds. inputs: names, by which the trees' numbers count."""

    inputs: tuple[str, ...]
    bias: float
    trees: tuple[Tree, ...]

    def __call__(self, signs: Mapping[str, float]) -> float:
        """The probability, in (0, 1)."""
        values = [signs.get(name, math.nan) for name in self.inputs]
        return chance_of(self.bias + sum(_leaf(tree, values) for tree in self.trees))


def _leaf(tree: Tree, values: Sequence[float]) -> float:
    while isinstance(tree, tuple):
        number, threshold, is_left_missing, left, right = tree
        value = values[number]
        is_missing = value != value  # NaN alone differs from itself: twice as quick as isnan in this loop
        tree = left if (is_left_missing if is_missing else value <= threshold) else right
    return tree


def inputs_of(kind: str, signs: Mapping[str, float]) -> dict[str, float]:
    """What a forest is asked of a candidate: its signs, and 1 for its own kind, 0 for the others."""
    return {**signs, **{f"is {other}": float(other == kind) for other in KINDS}}


def choices(weights: Weighed, candidates: Sequence[tuple[str, Mapping[str, float]]]) -> list[float | None]:
    """Of each candidate of a question, by its kind and signs, the sign of the choice; None of kinds that have none."""
    chosen = [inputs_of(kind, signs) for kind, signs in candidates if kind in CHOSEN]
    scores = [sum(slope * own.get(name, usual) for name, (slope, usual) in weights.items()) for own in chosen]
    total = log_sum(scores)
    left = iter(scores)
    return [next(left) - total if kind in CHOSEN else None for kind, _ in candidates]


def as_answer(kind: str, signs: Mapping[str, float], chance: float) -> float:
    """The chance that a candidate is one as a stated answer: a passage is none to a question for one value."""
    return chance * (signs["text_asked"] if kind == "passage" else 1.0)


def surety_inputs(kind: str, signs: Mapping[str, float], chance: float) -> dict[str, float]:
    """What the surety of a stated answer is asked of."""
    return {
        BIAS: 1.0,
        "answer": log_odds(as_answer(kind, signs, chance)),
        "chance": log_odds(chance),
        **{f"is {other}": float(kind == other) for other in KINDS},
        **{name: signs.get(name, 0.0) for name in SURE_SIGNS},
    }


@dataclass(frozen=True, slots=True)
class Grading:
    """The fitted forest and surety, and the probabilities from which on something is said.

    surety: of a logistic over surety_inputs. stated: the least, of an answer, at which it is stated. likely: the least
    of any candidate that is shown; held: of all shown together, at which one of them probably holds the answer. choice:
    of the conditional logit over inputs_of.
    """

    forest: Forest
    surety: Mapping[str, float]
    stated: float
    likely: float
    held: float
    choice: Weighed

    def compared(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts of a question with the sign of the choice."""
        found = choices(self.choice, [(draft.kind, draft.signs) for draft in drafts])
        return [one if log is None else one.with_signs({CHOICE: log}) for one, log in zip(drafts, found, strict=True)]

    def probability(self, draft: Draft) -> float:
        """How likely the candidate is right; of a passage, that the answer stands in it."""
        return self.forest(inputs_of(draft.kind, draft.signs))

    def sure_of(self, draft: Draft, chance: float) -> float:
        """How likely the best answer of its question, a candidate of that probability, is right when it is stated."""
        return logistic(self.surety, surety_inputs(draft.kind, draft.signs, chance))

    def shifted(self, offset: float) -> Grading:
        """As sure of every answer, but for so many log odds."""
        return replace(self, surety={**self.surety, BIAS: self.surety[BIAS] + offset})

    def shows(self, probabilities: Sequence[float]) -> bool:
        """Whether candidates are worth being shown: one is likely, or all together probably hold the answer."""
        together = 1 - math.prod(1 - each for each in probabilities)
        return bool(probabilities) and (max(probabilities) >= self.likely or together >= self.held)


@cache
def shipped_grading() -> Grading:
    """What is shipped with the program."""
    return grading_from_json(json.loads(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8")))


def grading_from_json(known: Mapping[str, Any]) -> Grading:
    """The grading of such a file (training/grading/weights.py). Raises ValueError where it names an unknown sign."""
    choice = {name: (slope, usual) for name, (slope, usual) in known["choice"].items()}
    if unknown := {*known["inputs"], *choice} - {*INPUTS}:
        raise ValueError(f"unknown signs in {WEIGHTS_FILE}: {', '.join(sorted(unknown))}")
    forest = Forest(tuple(known["inputs"]), float(known["bias"]), tuple(map(_to_tree, known["trees"])))
    stated, likely, held = (float(known[name]) for name in ("stated", "likely", "held"))
    return Grading(forest, known["surety"], stated, likely, held, choice)


def _to_tree(known: object) -> Tree:
    if not isinstance(known, list):
        return float(str(known))
    number, threshold, is_left_missing, left, right = known
    return int(number), float(threshold), bool(is_left_missing), _to_tree(left), _to_tree(right)
