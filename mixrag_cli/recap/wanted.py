"""What a question wants: a passage that says who, why or how, or one value.

A logistic over what the trained reader makes of the question and whether its words ask for a calculation, fitted on
questions as people ask them of their folders (training/grading): short ones without a question word are many there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from mixrag_cli.reading import chance_of
from mixrag_cli.recap.restate import Restated

WEIGHTS_FILE = "wanted_weights.json"
BIAS = "bias"


def text_wanted(restated: Restated) -> float:
    """How likely a passage answers the question, not one value, in (0, 1)."""
    return logistic(shipped_weights(), wanted_inputs(restated))


def wanted_inputs(restated: Restated) -> dict[str, float]:
    """What is known of a question: the reader's probabilities of each form and operation, and whether it calculates."""
    return {
        BIAS: 1.0,
        **{f"expects {name}": chance for name, chance in restated.reading.expects.items()},
        **{f"operation {name}": chance for name, chance in restated.reading.operation.items()},
        "worded for a calculation": float(restated.operation != "lookup"),
    }


def logistic(weights: Mapping[str, float], inputs: Mapping[str, float]) -> float:
    """The probability that the weighted inputs speak for."""
    return chance_of(sum(weights.get(name, 0.0) * value for name, value in inputs.items()))


@cache
def shipped_weights() -> Mapping[str, float]:
    """What is shipped with the program."""
    weights: dict[str, float] = json.loads(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8"))
    return weights
