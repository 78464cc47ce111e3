"""Restate for tables of records: which tally over their rows a question wants.

"How many …" is a count and "the total …" a sum where rows are records, though the same words look one cell up in a
report: such a tally is not sure.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, cast

from mixrag_cli.recap.restate import Restated, asks_passage
from mixrag_cli.recap.wording import AVERAGE, COUNT, LEAST, MOST, TOTAL, any_of, in_digits

TallyOperation = Literal["sum", "average", "maximum", "minimum", "count"]
Extreme = Literal["maximum", "minimum"]
MAX_BEST = 20  # rows that a list of the greatest names
_ENDS = any_of("top, bottom, first")
_NUMBER_OF = any_of("number of, most, fewest")
_GROUPS = any_of("by, per, for each, for every, in each, which, what")


@dataclass(frozen=True, slots=True)
class Tally:
    """What is to be computed.

    n_best: how many rows or groups an extreme names. by: the words that name groups, "" for none; best: the extreme of
    them that is asked for, None for all of them. is_sure: worded as a tally and nothing else. of_one_row: a value that
    is no tally, of the one row that the conditions leave.
    """

    operation: TallyOperation
    n_best: int = 1
    by: str = ""
    best: Extreme | None = None
    is_sure: bool = True
    of_one_row: bool = False


def tally_of(restated: Restated) -> Tally | None:
    """What the question wants tallied, None where it wants no tally.

    Example: "How many orders came from Spain?" -> a count, not sure: a report may state the number in a cell.
    """
    question, operation, n_best = restated.question, restated.operation, _n_best(restated.question)
    if restated.kind == "arithmetic":
        return None
    if operation == "lookup" and n_best > 1 and not asks_passage(restated):
        operation = "minimum" if LEAST.search(question) else "maximum"
    if operation != "lookup":
        tally = Tally(cast("TallyOperation", operation), n_best)
    elif COUNT.search(question):
        tally = Tally("count", is_sure=False)
    elif TOTAL.search(question) and not asks_passage(restated):
        tally = Tally("sum", is_sure=False)
    else:
        is_value = restated.expects in ("number", "percent", "any")
        return Tally("maximum", is_sure=False, of_one_row=True) if is_value else None
    best: Extreme | None = operation if operation in ("maximum", "minimum") else None
    measured: tuple[tuple[TallyOperation, bool], ...] = (
        ("average", AVERAGE.search(question) is not None),
        ("sum", TOTAL.search(question) is not None),
        ("count", _NUMBER_OF.search(question) is not None),
    )
    inner = next((name for name, is_said in measured if is_said), None)
    by = _GROUPS.search(question)
    if by is None or inner is None or (best is None and by.group().lower() in ("which", "what")):
        return tally
    return Tally(inner, n_best, question[by.end() :].strip(), best, tally.is_sure)


def _n_best(question: str) -> int:
    """How many of the greatest or least are asked for: 3 of "the top 3", 5 of "the five largest", else 1."""
    for first, second in pairwise(map(in_digits, question.split())):
        is_extreme = MOST.fullmatch(second) or LEAST.fullmatch(second)
        number = second if _ENDS.fullmatch(first) else first if is_extreme else ""
        if number.isdigit():
            return min(int(number), MAX_BEST)
    return 1
