"""Restate for tables of records: which tally over their rows a question wants.

The operation is the one that the question is read for; over what it goes, how many rows an extreme names and by what it
groups is read from the words that say numbers, totals, means and extremes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import AVERAGE, COUNT, TOTAL, says_best

TallyOperation = Literal["sum", "average", "maximum", "minimum", "count"]
TALLIES = ("sum", "average", "maximum", "minimum", "count")
MAX_BEST = 20  # rows that a list of the greatest names
_BY = re.compile(r"\b(?:by|per|for each|for every|in each)\s+(.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tally:
    """What is to be computed.

    n_best: how many rows or groups an extreme names. by: the words that name groups, "" for none; best: the extreme of
    them that is asked for, None for all of them. of_one_row: a value that is no tally, of the one row that the
    conditions leave.
    """

    operation: TallyOperation
    n_best: int = 1
    by: str = ""
    best: Literal["maximum", "minimum"] | None = None
    of_one_row: bool = False


def tally_of(restated: Restated) -> Tally | None:
    """What the question wants tallied, None where it is read for no tally.

    Example: "the three regions with the highest total sales" -> sums by region, the three greatest.
    """
    question = restated.question
    if restated.operation not in TALLIES:
        is_value = restated.operation == "lookup" and restated.expects in ("number", "percent", "any")
        return Tally("maximum", of_one_row=True) if is_value else None
    operation = cast("TallyOperation", restated.operation)
    n_best = min(says_best(question) or 1, MAX_BEST)
    best: Literal["maximum", "minimum"] | None = None
    inner: TallyOperation | None = operation
    if operation in ("maximum", "minimum"):
        best = operation
        inner = next((name for name, rule in _INNER if rule.search(question)), None)
    grouped = _BY.search(question)
    if inner is not None and (grouped or best):
        return Tally(inner, n_best, grouped.group(1) if grouped else question, best)
    return Tally(operation, n_best)


_INNER: tuple[tuple[TallyOperation, re.Pattern[str]], ...] = (("average", AVERAGE), ("sum", TOTAL), ("count", COUNT))
