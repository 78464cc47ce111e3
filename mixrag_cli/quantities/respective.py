"""Lists of numbers that belong to a list of years, each to its own: "$2.5, $2.6 and $2.7 in 2019, 2018 and 2017"."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from mixrag_cli.quantities.facets import year_places
from mixrag_cli.quantities.prose_numbers import find_numbers

_AND = r"(?:[\s,;]|\b(?:and|or)\b)*"
_BETWEEN_NUMBERS = re.compile(_AND)
_BETWEEN_YEARS = re.compile(rf"{_AND}(?:[A-Z][a-z]+\.? \d{{1,2}})?{_AND}")  # "December 31, 2019 and January 1, 2018"

Place = tuple[int, int]


def respective_number(sentence: str, start: int, end: int, years: Collection[int]) -> Place:
    """Where the number of the year asked for stands, if the stretch [start, end) is of a list of numbers and the
    sentence names as many years in a list; else the stretch.

    Example: respective_number("Sales were $5, $6 and $7 in 2019, 2018 and 2017.", 11, 13, {2018}) -> (15, 17)
    """
    lists = _lists_of([place[:2] for place in find_numbers(sentence)], sentence, _BETWEEN_NUMBERS)
    numbers = next((one for one in lists if one[0][0] < end and start < one[-1][1]), [])
    known = {place[:2]: place[2] for place in year_places(sentence)}
    for one in _lists_of([*known], sentence, _BETWEEN_YEARS):
        named = [known[place] for place in one]
        asked = set(named) & set(years)
        if len(one) == len(numbers) > 1 and len(set(named)) == len(named) and len(asked) == len(years) == 1:
            return numbers[named.index(asked.pop())]
    return start, end


def _lists_of(places: Sequence[Place], text: str, between: re.Pattern[str]) -> list[list[Place]]:
    """The places in order, those in one list that nothing but a list's signs and words parts."""
    lists: list[list[Place]] = []
    for place in places:
        if lists and between.fullmatch(text, lists[-1][-1][1], place[0]):
            lists[-1].append(place)
        else:
            lists.append([place])
    return lists
