"""What a question wants: a passage that says who, why or how, or one value.

A logistic over what the trained reader makes of the question and how it is worded. It is fitted on questions as people
ask them of their folders (training/grading): short ones without a question word are many there, and neither the reader
nor the wording alone knows them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from mixrag_cli.reading import QuestionReading
from mixrag_cli.recap.odds import chance_of
from mixrag_cli.recap.restate import Restated, asks_passage

WEIGHTS_FILE = "wanted_weights.json"
BIAS = "bias"


def text_wanted(restated: Restated, reading: QuestionReading) -> float:
    """How likely a passage answers the question, not one value, in (0, 1)."""
    return logistic(shipped_weights(), wanted_inputs(restated, reading))


def wanted_inputs(restated: Restated, reading: QuestionReading) -> dict[str, float]:
    """What is known of a question: the reader's probabilities of each form and operation, and its wording."""
    return {
        BIAS: 1.0,
        **{f"expects {name}": chance for name, chance in reading.expects.items()},
        **{f"operation {name}": chance for name, chance in reading.operation.items()},
        "worded for text": float(asks_passage(restated)),
        "worded for a number": float(restated.expects in ("number", "percent")),
        "worded for anything": float(restated.expects == "any"),
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
