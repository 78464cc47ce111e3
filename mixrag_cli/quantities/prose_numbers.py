"""Numbers in running text: found one by one, with their unit and scale; dates, ranges and references left out.

Those of a list belong to a list of years, each to its own: "$2.5, $2.6 and $2.7 in 2019, 2018 and 2017". Something may
be compared with one: "at least 5", "more than $3 million", "between 2 and 4".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from mixrag_cli.quantities.facets import year_places
from mixrag_cli.quantities.numerals import (
    AFTER,
    BEFORE,
    Value,
    digits_to_decimal,
    is_identifier,
    is_quantity,
    scale_of,
    signs_of,
    unit_of,
)
from mixrag_cli.quantities.periods import DATE
from mixrag_cli.quantities.unit_words import BASIS, MEASURES, PERCENT, POINTS
from mixrag_cli.words import LIST_MARK, any_of

FIRST_PROSE_YEAR, LAST_PROSE_YEAR = 1900, 2100  # in prose a plain "1600" is more often a quantity
_PROSE_NUMBER = re.compile(
    rf"""(?<![\w.,/’'-])(?P<sign>(?<!\S)[-−–+]|(?<=\()[-−])?(?P<before>{BEFORE})?\s?(?P<open>\()?(?P<sign2>[-−])?
    (?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?:[\u00a0\u202f’']\d{{3}})+(?:[.,]\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?P<exponent>e[+-]\d{{1,3}})?(?(open)\)|)(?P<trailing>)
    (?:(?:[\s-]?(?=\w\w)|(?(before)\s?|))(?P<scale>thousand|million|billion|trillion|mn|bn|tn|[kmb])\b)?
    (?:\s?(?P<after>{AFTER})|[\s-]?(?P<points>{POINTS})(?!\w)|\s?(?P<percent>{PERCENT})(?!\w)|[\s-]?(?P<basis>{BASIS})(?!\w)|\s(?P<measure>{MEASURES})\b)?
    (?![\w%]|[.,]\d|-\w)""",
    re.I | re.X,
)
_REFERENCE = re.compile(
    r"(?:\b(?:notes?|items?|pages?|tables?|figures?|sections?|chapters?|parts?|exhibits?|rules?|forms?|articles?|appendix|"
    r"levels?|steps?|no\.?|nos\.?|topic|asu|asc|ifrs|ias)\s|#\s?)$",
    re.I,
)
_QUANTITY_WORD = re.compile(
    r"\b(?:over|about|than|approximately|least|nearly|some|around|almost|most|total of|only)\s$", re.I
)
_AND = r"(?:[\s,;]|\b(?:and|or)\b)*"
_BETWEEN_NUMBERS = re.compile(_AND)
_BETWEEN_YEARS = re.compile(rf"{_AND}(?:[A-Z][a-z]+\.? \d{{1,2}})?{_AND}")  # "December 31, 2019 and January 1, 2018"
_SPAN_RANGE = re.compile(r"(?<![\w.,/-])\d[\d.,]*\s?%?\s?[–-]\s?\d[\d.,]*\s?%?(?![\w-])")
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


def find_numbers(text: str) -> list[tuple[int, int, Value]]:
    """The numbers of a prose text as (start, end, value), in order.

    Dates, years, ranges, list marks, enumerations "(1)" and references ("Note 5") are not numbers here.
    Example: "rose 12.4 % to $1.2 billion in 2019" -> 12.4 "%" and 1.2 "USD" scale 1,000,000,000.
    """
    taken = sorted(m.span() for pattern in (DATE, LIST_MARK, _SPAN_RANGE) for m in pattern.finditer(text))
    return [found for match in _outside(taken, text) if (found := _match_to_value(match, text)) is not None]


def _outside(taken: list[tuple[int, int]], text: str) -> Iterator[re.Match[str]]:
    """The number matches that touch none of the taken spans; one pass over both, as both are in order."""
    at = 0
    reached = 0
    for match in _PROSE_NUMBER.finditer(text):
        while at < len(taken) and taken[at][0] < match.end("digits"):
            reached = max(reached, taken[at][1])
            at += 1
        if match.start("digits") >= reached:
            yield match


def _match_to_value(match: re.Match[str], text: str) -> tuple[int, int, Value] | None:
    before = text[max(0, match.start() - 16) : match.start()]
    digits = match["digits"]
    plain = not is_quantity(match)
    if plain and (_REFERENCE.search(before) or is_identifier(digits) or _is_prose_year(digits, before)):
        return None
    if match["open"] and not match["before"]:
        return None  # "(1)" is an enumeration; "(12.5)" is told from it only by a currency in front
    value = digits_to_decimal(digits.replace("\u00a0", " ").replace("\u202f", " "), None, match["exponent"] or "")
    scale = scale_of(match)
    if value is None or (
        plain and before.endswith("(") and text[match.end() : match.end() + 1] == ")" and len(digits) < 3
    ):
        return None
    end = match.end()
    if scale is None:  # a measure that looks like a scale: keep the number without it
        scale, end = 1, match.end("digits")
    sign = -1 if match["open"] or "-" in signs_of(match) else 1
    found = Value(value * sign, unit_of(match), scale, text[match.start() : end].strip())
    start = match.start() + (len(text[match.start() : end]) - len(text[match.start() : end].lstrip()))
    return start, end, replace(found, text=text[start:end])


def _is_prose_year(digits: str, before: str) -> bool:
    if not re.fullmatch(r"\d{4}", digits) or not FIRST_PROSE_YEAR <= int(digits) <= LAST_PROSE_YEAR:
        return False
    return _QUANTITY_WORD.search(before) is None


def respective_number(sentence: str, start: int, end: int, years: Collection[int]) -> tuple[int, int]:
    """Where the number of the year asked for stands, if the stretch [start, end) is of a list of numbers and the
    sentence names as many years in a list; else the stretch.

    Example: respective_number("Sales were $5, $6 and $7 in 2019, 2018 and 2017.", 11, 13, {2018}) -> (15, 17)
    """
    if len(years) != 1:
        return start, end
    lists = _lists_of([place[:2] for place in find_numbers(sentence)], sentence, _BETWEEN_NUMBERS)
    numbers = next((one for one in lists if one[0][0] < end and start < one[-1][1]), [])
    known = {place[:2]: place[2] for place in year_places(sentence)}
    for one in _lists_of([*known], sentence, _BETWEEN_YEARS):
        named = [known[place] for place in one]
        asked = set(named) & set(years)
        if len(one) == len(numbers) > 1 and len(set(named)) == len(named) and asked:
            return numbers[named.index(asked.pop())]
    return start, end


def _lists_of(places: Sequence[tuple[int, int]], text: str, between: re.Pattern[str]) -> list[list[tuple[int, int]]]:
    """The places in order, those in one list that nothing but a list's signs and words parts."""
    lists: list[list[tuple[int, int]]] = []
    for place in places:
        if lists and between.fullmatch(text, lists[-1][-1][1], place[0]):
            lists[-1].append(place)
        else:
            lists.append([place])
    return lists


@lru_cache(maxsize=64)  # a question is asked of every table that was found
def limits_in(text: str) -> tuple[tuple[str, int, int, tuple[Value, ...]], ...]:
    """Each comparison with numbers right behind it: its sign, or "between", its place with them, and these numbers."""
    found = []
    for sign, start, end in _comparisons_in(text):
        limits = [one for one in find_numbers(text[end:]) if one[2].value is not None][: 2 if sign == "between" else 1]
        if limits and len(text[end : end + limits[0][0]].split()) <= 1:
            found.append((sign, start, end + limits[-1][1], tuple(number for *_, number in limits)))
    return tuple(found)


def _comparisons_in(text: str) -> list[tuple[str, int, int]]:
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
