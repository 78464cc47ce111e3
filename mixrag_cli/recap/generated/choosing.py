"""The rule that picks the answer, written as a table: the first row whose needs are all met decides.

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

from collections.abc import Set
from typing import Literal, NamedTuple

Fact = Literal["computed", "supported", "refused", "retry", "built-in", "sure", "disputed"]
Way = Literal["calculator", "model", "retry", "likely", "built-in", "abstain"]


class Row(NamedTuple):
    """One row of the rule. needs: facts that must hold; bars: facts that must not."""

    way: Way
    needs: frozenset[Fact] = frozenset()
    bars: frozenset[Fact] = frozenset()


RULE: tuple[Row, ...] = (
    Row("calculator", needs=frozenset({"computed"}), bars=frozenset({"disputed"})),
    Row("model", needs=frozenset({"supported"}), bars=frozenset({"disputed"})),
    Row("built-in", needs=frozenset({"refused", "sure"})),
    Row("abstain", needs=frozenset({"refused"})),
    Row("retry", needs=frozenset({"retry"})),
    Row("likely", needs=frozenset({"disputed"})),
    Row("built-in", needs=frozenset({"built-in"})),
    Row("abstain"),
)


def choose(facts: Set[Fact]) -> Way:
    """The way that the rule takes for these facts.

    Example: choose({"supported", "retry"}) -> "model"; choose({"retry"}) -> "retry".
    """
    return next(row.way for row in RULE if row.needs <= facts and not row.bars & facts)
