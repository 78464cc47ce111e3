"""Grading: one probability of being right for every candidate, and what is said at which probability.

    signs ─► logistic of the candidate's kind ─► probability ─► answered | likely | abstained

The logistics and the thresholds are fitted on domains that the trained reader did not see, through the product's own
retrieval (training/grading). A threshold is the one at which, leaving one domain out at a time, what is stated of the
domain left out is right often enough.
Source: Kamath et al., Selective Question Answering under Domain Shift, ACL 2020 (a calibrator that saw other domains);
Platt, Probabilistic outputs for support vector machines, 1999 (logistic of scores).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from mixrag_cli.recap.signs import SIGNS, Draft

WEIGHTS_FILE = "grading_weights.json"
N_LIKELY = 3  # candidates that are shown, from different places


@dataclass(frozen=True, slots=True)
class Logistic:
    """bias + weights · signs, each sign less its mean, in units of its scale."""

    bias: float
    mean: Mapping[str, float]
    scale: Mapping[str, float]
    weights: Mapping[str, float]

    def __call__(self, signs: Mapping[str, float]) -> float:
        """The probability, in (0, 1). A sign that the candidate has not counts as its mean."""
        score = self.bias + sum(
            weight * (signs[name] - self.mean[name]) / self.scale[name]
            for name, weight in self.weights.items()
            if name in signs
        )
        return 1 / (1 + math.exp(-max(min(score, 30.0), -30.0)))


@dataclass(frozen=True, slots=True)
class Grading:
    """The fitted logistics, one a kind of candidate, and the probabilities from which on something is said.

    stated: of a kind, the least at which a candidate is stated. likely: the least of any candidate that is shown;
    held: the least, of all shown together, at which one of them very probably holds the answer.
    """

    logistics: Mapping[str, Logistic]
    stated: Mapping[str, float]
    likely: float
    held: float

    def probability(self, draft: Draft) -> float:
        """How likely the candidate is right. Kinds that no fit has seen are never sure."""
        logistic = self.logistics.get(draft.kind)
        return logistic(draft.signs) if logistic is not None else 0.0

    def states(self, draft: Draft, probability: float) -> bool:
        """Whether the candidate is sure enough to be stated."""
        return probability >= self.stated.get(draft.kind, 1.0)

    def shows(self, probabilities: Sequence[float]) -> bool:
        """Whether candidates are worth being shown: one is likely, or all together very probably hold the answer."""
        together = 1 - math.prod(1 - each for each in probabilities)
        return bool(probabilities) and (max(probabilities) >= self.likely or together >= self.held)


@cache
def shipped_grading() -> Grading:
    """What is shipped with the program."""
    return grading_from_json(json.loads(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8")))


def eager_grading() -> Grading:
    """The shipped one, but whatever is likeliest is stated: for measuring what is read, apart from what is believed."""
    shipped = shipped_grading()
    return replace(shipped, stated=dict.fromkeys(shipped.stated, 0.0))


def grading_from_json(known: Mapping[str, object]) -> Grading:
    """The inverse of what the fit writes. Raises ValueError where it names a sign that there is not."""
    kinds = known["kinds"]
    assert isinstance(kinds, Mapping)
    unknown = {name for one in kinds.values() for name in one["weights"]} - set(SIGNS)
    if unknown:
        raise ValueError(f"unknown signs in {WEIGHTS_FILE}: {', '.join(sorted(unknown))}")
    logistics = {kind: Logistic(one["bias"], one["mean"], one["scale"], one["weights"]) for kind, one in kinds.items()}
    stated = {kind: one["stated"] for kind, one in kinds.items()}
    return Grading(logistics, stated, float(str(known["likely"])), float(str(known["held"])))
