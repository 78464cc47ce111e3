"""What a question wants: a passage that says who, why or how, or one value.

A logistic over what the trained reader makes of the question, whether its words ask for a calculation, and what was
found: "retry policy" wants a passage where a page explains it, and a value where a setting has that name. Fitted on
questions as people ask them of their folders (training/grading): short ones without a question word are many there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from operator import itemgetter

from mixrag_cli.reading import chance_of
from mixrag_cli.recap.restate import Restated

WEIGHTS_FILE = "wanted_weights.json"
BIAS = "bias"
# The kinds of candidates of which the best one tells what is wanted, and the sign that says which is best.
BEST = {"span": (("span",), "span"), "cell": (("cell", "fact"), "pair"), "passage": (("passage",), "holds")}

Found = tuple[str, Mapping[str, float]]  # a candidate's kind and signs


def text_wanted(restated: Restated, found: Sequence[Found]) -> float:
    """How likely a passage answers the question, not one value, in (0, 1). found: its candidates."""
    return logistic(shipped_weights(), {**wanted_inputs(restated), **evidence_inputs(found)})


def wanted_inputs(restated: Restated) -> dict[str, float]:
    """What is known of a question: the reader's probabilities of each form and operation, and whether it calculates."""
    return {
        BIAS: 1.0,
        **{f"expects {name}": chance for name, chance in restated.reading.expects.items()},
        **{f"operation {name}": chance for name, chance in restated.reading.operation.items()},
        "worded for a calculation": float(restated.operation != "lookup"),
    }


def evidence_inputs(found: Sequence[Found]) -> dict[str, float]:
    """What its candidates tell of a question: how sure the best span, cell and passage are, and how long."""
    best = {
        name: max((signs for kind, signs in found if kind in kinds), key=itemgetter(sign), default=None)
        for name, (kinds, sign) in BEST.items()
    }
    known = {name: signs for name, signs in best.items() if signs is not None}
    return {
        **{f"no {name}": float(name not in known) for name in BEST},
        **{f"best {name}": signs[BEST[name][1]] for name, signs in known.items()},
        **{f"length of best {name}": signs["length"] for name, signs in known.items()},
    }


def logistic(weights: Mapping[str, float], inputs: Mapping[str, float]) -> float:
    """The probability that the weighted inputs speak for."""
    return chance_of(sum(weights.get(name, 0.0) * value for name, value in inputs.items()))


@cache
def shipped_weights() -> Mapping[str, float]:
    """What is shipped with the program."""
    weights: dict[str, float] = json.loads(files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8"))
    return weights
