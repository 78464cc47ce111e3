"""Comparisons with numbers in a text: "at least 5", "more than $3 million", "between 2 and 4"."""

from __future__ import annotations

import re
from functools import lru_cache

from mixrag_cli.quantities.numerals import Value
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.words import any_of

_MORE = "more, greater, higher, larger, bigger, longer, older, taller, heavier"
_FEWER = "less, lower, fewer, smaller, shorter, younger, lighter"
_COMPARISONS: dict[str, re.Pattern[str]] = {
    ">=": any_of(">=, at least, no less than, not less than, no fewer than"),
    "<=": any_of("<=, at most, up to, no more than, not more than"),
    ">": any_of(
        ">, above, over, exceed, exceeds, exceeded, exceeding", *(f"{more} than" for more in _MORE.split(", "))
    ),
    "<": any_of("<, below, under", *(f"{fewer} than" for fewer in _FEWER.split(", "))),
    "between": any_of("between"),
}


@lru_cache(maxsize=64)  # a question is asked of every table that was found
def limits_in(text: str) -> tuple[tuple[str, int, int, tuple[Value, ...]], ...]:
    """Each comparison with numbers right behind it: its sign, or "between", its place with them, and these numbers."""
    found = []
    for sign, start, end in comparisons_in(text):
        limits = [one for one in find_numbers(text[end:]) if one[2].value is not None][: 2 if sign == "between" else 1]
        if limits and len(text[end : end + limits[0][0]].split()) <= 1:
            found.append((sign, start, end + limits[-1][1], tuple(number for *_, number in limits)))
    return tuple(found)


def without_limits(text: str) -> str:
    """The text less its comparisons with numbers: "greater than 5" asks for no greatest."""
    for _, start, end, _ in reversed(limits_in(text)):
        text = text[:start] + text[end:]
    return text


def comparisons_in(text: str) -> list[tuple[str, int, int]]:
    """Each comparison's sign, or "between", and its place, in order: "no more than" is no "more than"."""
    said = (
        (found.start(), -found.end(), sign)
        for sign, wording in _COMPARISONS.items()
        for found in wording.finditer(text)
    )
    taken: list[tuple[str, int, int]] = []
    for start, minus_end, sign in sorted(said):
        if not taken or start >= taken[-1][2]:
            taken.append((sign, start, -minus_end))
    return taken
