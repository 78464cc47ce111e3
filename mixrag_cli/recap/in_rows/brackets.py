"""Brackets of numbers in words: "15- to 24-year-olds", "65 and over", "under $20,000", "more than 6 months"."""

from __future__ import annotations

import math
import re
from functools import lru_cache

_NUMBER = r"[$€£]?(\d[\d,]*(?:\.\d+)?)"
_THING = r"\s*(?:-?\s*(?:years?|hours?|months?|weeks?|days?|employees|people|%|percent))?\s*(?:old|of age)?\s*"
_RANGE = re.compile(rf"{_NUMBER}{_THING}-?\s*(?:to|through|and|–|—|-)\s*(?:less than |under )?{_NUMBER}")
_ABOVE = re.compile(
    rf"{_NUMBER}{_THING}(?:and|or|&) (?:over|older|more|above|up|greater|longer|larger|higher)"
    rf"|(?:over|(?:more|older|greater|longer|larger|higher) than|above|at least|exceeding|>=?)\s*{_NUMBER}"
    rf"|{_NUMBER}\s?\+"
)
_BELOW = re.compile(
    rf"{_NUMBER}{_THING}(?:and|or|&) (?:under|younger|less|below|fewer|lower|shorter)"
    rf"|(?:up to|at most|<=)\s*{_NUMBER}"
)
_UNDER = re.compile(
    rf"(?:under|(?:less|younger|fewer|lower|shorter) than|below|<)\s*(?:the )?(?:ages? )?(?:of )?{_NUMBER}"
)
_AGED = re.compile(r"(?<=\d)-(?=\s*(?:to|year|month|week|day|hour)\b)|(?<=year)-(?=old)")
YEARS = (1900, 2100)  # a range of years is a time, not a bracket


@lru_cache(maxsize=65536)
def brackets_of(text: str) -> frozenset[tuple[float, float]]:
    """The brackets that the text names as (least, most), whole numbers taken for granted.

    Example: "women under the age of 15" -> {(0, 14)}, as "0 to 14 years".
    """
    text = _AGED.sub(" ", text.lower())
    found: list[tuple[float, float]] = []
    taken: list[tuple[int, int]] = []
    for pattern in (_RANGE, _ABOVE, _BELOW, _UNDER):
        for match in pattern.finditer(text):
            first, *others = (float(each.replace(",", "")) for each in match.groups() if each)
            is_free = all(match.end() <= start or end <= match.start() for start, end in taken)
            if not is_free or YEARS[0] <= first <= YEARS[1] or (others and others[0] <= first):
                continue
            taken.append(match.span())
            ends = {_RANGE: (first, *others), _ABOVE: (first, math.inf), _UNDER: (0.0, first - 1)}
            least, most = ends.get(pattern, (0.0, first))
            found.append((least, most))
    return frozenset(found)
