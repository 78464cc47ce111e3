"""The files of weights that the product ships, as text."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mixrag_cli.recap.grading import Grading


def grading_to_json(grading: Grading) -> str:
    """The text of the file of the grading, a line a tree; recap/grading.py reads it."""
    forest = grading.forest
    trees = ",\n".join(f"  {json.dumps(tree)}" for tree in forest.trees)
    head = {
        "stated": grading.stated,
        "likely": grading.likely,
        "held": grading.held,
        "surety": grading.surety,
        "choice": grading.choice,
    }
    told = json.dumps({**head, "inputs": forest.inputs, "bias": forest.bias}, indent=1).removesuffix("\n}")
    return f'{told},\n "trees": [\n{trees}\n ]\n}}\n'


def wanted_to_json(weights: Mapping[str, float]) -> str:
    """The text of the file of what a question wants; recap/wanted.py reads it."""
    return json.dumps(weights, indent=1) + "\n"
