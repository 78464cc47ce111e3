"""Brackets of numbers in words: "15- to 24-year-olds", "65 and over", "under $20,000", "more than 6 months"."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from mixrag_cli.recap.wording import comparisons_in

_NUMBER = r"[$€£]?(\d[\d,]*(?:\.\d+)?)"
_THING = r"\s*(?:-?\s*(?:years?|hours?|months?|weeks?|days?|employees|people|%|percent))?\s*(?:old|of age)?\s*"
_BRACKET = re.compile(
    rf"{_NUMBER}(?:{_THING}-?\s*(?:to|through|and|–|—|-)\s*(?:less than |under )?{_NUMBER}"
    rf"|{_THING}(?:and|or|&) (?:(?P<above>over|older|more|above|up|greater|longer|larger|higher)"
    r"|(?:under|younger|less|below|fewer|lower|shorter))|\s?(?P<plus>\+))"
)
_BEHIND = re.compile(rf"\s*(?:the )?(?:ages? )?(?:of )?{_NUMBER}")
_AGED = re.compile(r"(?<=\d)-(?=\s*(?:to|year|month|week|day|hour)\b)|(?<=year)-(?=old)")
YEARS = (1900, 2100)  # a range of years is a time, not a bracket


@lru_cache(maxsize=65536)
def brackets_of(text: str) -> frozenset[tuple[float, float]]:
    """The brackets that the text names as (least, most), whole numbers taken for granted.

    Example: "women under the age of 15" -> {(0, 14)}, as "0 to 14 years".
    """
    text = _AGED.sub(" ", text.lower())
    found: list[tuple[float, float]] = []
    brackets = list(_BRACKET.finditer(text))
    for match in brackets:
        first, last = _value(match[1]), _value(match[2] or match[1])
        is_open = bool(match["above"] or match["plus"])
        found.append((first if match[2] or is_open else 0.0, math.inf if is_open else last))
    for sign, _, end in comparisons_in(text):
        number = _BEHIND.match(text, end)
        is_inside = any(match.start() <= end < match.end() for match in brackets)
        if number is not None and sign != "between" and not is_inside:
            limit = _value(number[1])
            found.append({"<=": (0.0, limit), "<": (0.0, limit - 1)}.get(sign, (limit, math.inf)))
    are_years = (any(YEARS[0] <= end <= YEARS[1] for end in each) for each in found)
    return frozenset(each for each, is_time in zip(found, are_years, strict=True) if each[0] <= each[1] and not is_time)


def _value(number: str) -> float:
    return float(number.replace(",", ""))
