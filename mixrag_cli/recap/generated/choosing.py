"""The rule that picks the answer: the first of its cases that holds decides.

A reply is reduced to facts, each true or false and each found without asking a model:

    computed    the answer is a number or left to a formula, and the formula has a value: it is well formed, every value
                in it stands verbatim in the passage that its claim cites, it holds no other numbers than the allowed,
                adds only what can be added, and depends on those values
    supported   the answer is a quoted number, or a text whose numbers and most of whose words are quoted
    refused     the draft says that the evidence holds no answer
    retry       this was the first reply, and it was not cut off by time or by hand
    built-in    the built-in reader has an answer
    sure        the built-in reader has an answer that needs no second opinion
    disputed    the reply's answer is another than the built-in reader states, or has not the unit that is asked for

What is disputed is asked once more. If it stays so, neither is stated: both are shown where they stand.
A refusal is not asked again: a model that finds nothing is often right, and only a sure reader speaks against it.
Nothing that the model alone says is ever shown: the calculator works on quoted values, and the model's own answer
stands only where the quotes say the same.

Source: MixRAG, section 4.3, step 4: "a rule-based mechanism then selects the more appropriate of the two".
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Literal

Fact = Literal["computed", "supported", "refused", "retry", "built-in", "sure", "disputed"]
Way = Literal["calculator", "model", "retry", "likely", "built-in", "abstain"]


def choose(facts: Set[Fact]) -> Way:
    """The way that the rule takes for these facts.

    Example: choose({"supported", "retry"}) -> "model"; choose({"retry"}) -> "retry".
    """
    if "computed" in facts and "disputed" not in facts:
        return "calculator"
    if "supported" in facts and "disputed" not in facts:
        return "model"
    if "refused" in facts:
        return "built-in" if "sure" in facts else "abstain"
    if "retry" in facts:
        return "retry"
    if "disputed" in facts:
        return "likely"
    return "built-in" if "built-in" in facts else "abstain"


def those_that_hold(facts: Mapping[Fact, bool]) -> frozenset[Fact]:
    """The facts that are true."""
    return frozenset(fact for fact, holds in facts.items() if holds)
