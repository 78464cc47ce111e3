"""Restate for tables of records: which tally over their rows a question wants, by its words alone.

"How many …" is a count and "the total …" a sum where rows are records, though the same words look one cell up in a
report: such a tally is not sure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from mixrag_cli.recap.restate import Restated
from mixrag_cli.words import stem

TallyOperation = Literal["sum", "average", "maximum", "minimum", "count"]
MAX_BEST = 20  # rows that a list of the greatest names
_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
BEST_STEMS = frozenset(stem(word) for word in ("top", "bottom", "first", *_NUMBER_WORDS))  # words of "the top three"
_SUPERLATIVE = r"highest|largest|biggest|greatest|lowest|smallest|most|least|best|longest|shortest|oldest|youngest"
_BEST = re.compile(
    rf"\b(?:top|bottom|first)\s+(?P<after>\d{{1,2}}|{'|'.join(_NUMBER_WORDS)})\b"
    rf"|\b(?P<before>\d{{1,2}}|{'|'.join(_NUMBER_WORDS)})\s+(?:\w+\s+)?(?:{_SUPERLATIVE})\b",
    re.IGNORECASE,
)
HOW_MANY = re.compile(r"\bhow many\b|\b(?:what (?:is|was) )?the number of\b", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|overall|combined|altogether|sum)\b", re.IGNORECASE)
_AVERAGE = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_NUMBER_OF = re.compile(r"\bnumber of\b|\b(?:most|fewest)\b", re.IGNORECASE)
_GREATEST = re.compile(r"\b(?:highest|largest|biggest|greatest|most|maximum|top)\b", re.IGNORECASE)
_LEAST = re.compile(r"\b(?:lowest|smallest|least|fewest|minimum)\b", re.IGNORECASE)
_ASKS_PROSE = re.compile(r"\s*(?:who|whom|whose|why|how|when|where|describe|explain|define)\b", re.IGNORECASE)
_BY = re.compile(r"\b(?:by|per|for each|for every|in each)\s+(.+)", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:which|what)\s+(.+)", re.IGNORECASE)


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
    best: Literal["maximum", "minimum"] | None = None
    is_sure: bool = True
    of_one_row: bool = False


def tally_of(restated: Restated) -> Tally | None:
    """What the question wants tallied, None where its words call for no tally.

    Example: "How many orders came from Spain?" -> a count, not sure: a report may state the number in a cell.
    """
    question = restated.question
    found = _BEST.search(question)
    n_best = min(_number(found["after"] or found["before"]), MAX_BEST) if found else 1
    operation, is_sure = _operation_of(restated, question)
    if operation is None:
        is_value = restated.operation == "lookup" and restated.expects in ("number", "percent", "any")
        return Tally("maximum", is_sure=False, of_one_row=True) if is_value else None
    inner: TallyOperation | None = (
        "average" if _AVERAGE.search(question) else "sum" if _TOTAL.search(question) else None
    )
    inner = inner or ("count" if _NUMBER_OF.search(question) else None)
    best = "maximum" if _GREATEST.search(question) else "minimum" if _LEAST.search(question) else None
    grouped = _BY.search(question) or (_WHICH.search(question) if best and inner else None)
    if grouped and inner:
        return Tally(inner, n_best, grouped.group(1), cast("Literal['maximum', 'minimum'] | None", best), is_sure)
    return Tally(operation, n_best, is_sure=is_sure)


def _operation_of(restated: Restated, question: str) -> tuple[TallyOperation | None, bool]:
    if restated.operation in ("sum", "average", "maximum", "minimum", "count"):
        return restated.operation, True
    if restated.operation != "lookup" or restated.expects not in ("number", "any", "label", "text"):
        return None, False
    if _BEST.search(question) and restated.expects != "text":
        return ("minimum" if _LEAST.search(question) else "maximum"), True
    if HOW_MANY.search(question):
        return "count", False
    return ("sum", False) if _TOTAL.search(question) and not _ASKS_PROSE.match(question) else (None, False)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBER_WORDS.index(text.lower()) + 2
