"""Fit what tells a question for a passage from one for a value, on the bank's questions that may be learnt from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from mixrag_cli.models.reader import load_reader
from mixrag_cli.recap.restate import restate
from mixrag_cli.recap.wanted import BIAS, Found, evidence_inputs, logistic, wanted_inputs
from training.grading.domains import Domain
from training.grading.signs import Signed

DIGITS = 4
HELD_BACK = 1.0  # the inverse of what weights cost; .3 to 3 are alike


@dataclass(frozen=True, slots=True)
class Wanting:
    """A question of a domain: what is known of it and of what was found for it, and whether a passage answers it.

    is_natural: whether somebody asked it as people do, of a folder; the others are of data sets of one kind each.
    """

    domain: str
    question: int
    inputs: Mapping[str, float]
    is_of_text: bool
    is_natural: bool
    is_answerable: bool


def wantings_of(domains: Sequence[Domain], natural: Set[str], examples: Sequence[Signed]) -> list[Wanting]:
    """What is known of all questions of the domains. examples: their candidates."""
    reader = load_reader()
    found: dict[tuple[str, int], list[Found]] = defaultdict(list)
    for one in examples:
        found[one.domain, one.question].append((one.kind, one.signs))
    return [
        Wanting(
            domain.name,
            number,
            {
                **wanted_inputs(restate(asked.text, reader.question(asked.text))),
                **evidence_inputs(found[domain.name, number]),
            },
            asked.is_answered_by_text,
            domain.name in natural,
            bool(asked.gold),
        )
        for domain in domains
        for number, asked in enumerate(domain.questions)
    ]


def fit_wanted(wantings: Sequence[Wanting]) -> dict[str, float]:
    """The weights, by the natural questions that have an answer."""
    known = [one for one in wantings if one.is_natural and one.is_answerable]
    names = sorted({name for one in known for name in one.inputs} - {BIAS})
    inputs = np.array([[one.inputs.get(name, 0.0) for name in names] for one in known])
    found = LogisticRegression(C=HELD_BACK, max_iter=3000).fit(inputs, [one.is_of_text for one in known])
    weights = dict(zip(names, found.coef_[0].tolist(), strict=True))
    return {name: round(weight, DIGITS) for name, weight in {BIAS: float(found.intercept_[0]), **weights}.items()}


def chances_without(wantings: Sequence[Wanting], unseen: Set[str]) -> dict[tuple[str, int], float]:
    """Of every question how likely it wants a passage, by a fit that has not seen some domains'."""
    weights = fit_wanted([one for one in wantings if one.domain not in unseen])
    return {(one.domain, one.question): logistic(weights, one.inputs) for one in wantings}
