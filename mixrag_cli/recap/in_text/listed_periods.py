"""Which number is of the asked period, where a sentence lists several of each in one order.

"As of July 1, 2023 and July 2, 2022, it owed $4.0 billion and $10.0 billion": the first of the one belongs to the
first of the other, whether the sentence says "respectively" or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from mixrag_cli.recap.language import Facets, facet_agreement, facet_conflict, facets_of, period_spans
from mixrag_cli.tables.prose_numbers import find_numbers

Span = tuple[int, int]

_YEAR = re.compile(r"(?:19|20)\d\d")
_YEARS = re.compile(rf"{_YEAR.pattern}(?:,\s*{_YEAR.pattern})+")
_JOINT = re.compile(r"\s*(?:,\s*(?:and|or)?|and|or)\s*", re.IGNORECASE)


def numbers_of_other_periods(text: str, numbers: Sequence[Span], asked: Facets) -> frozenset[int]:
    """Where those numbers begin that the sentence lists for other periods than the one asked for.

    Example: "In 2020 and 2019 we sold 5 and 7 boats, respectively.", 2019 -> the place of the 5.

    numbers: of the text, [start, end), in order. None are left out where lists and periods do not pair.
    """
    periods = [text[start:end] for start, end in _longest(_runs(text, _periods(text)))]
    place = _place_of(asked, periods)
    if place is None:
        return frozenset()
    lists = [run for run in _runs(text, numbers) if len(run) == len(periods)]
    return frozenset(start for run in lists for n, (start, _) in enumerate(run) if n != place)


def listed_part(text: str, part: str, asked: Facets) -> str:
    """Of a part of the sentence that is nothing but a list of numbers, the one of the asked period; else the part."""
    begin = text.find(part)
    numbers = [(start, end) for start, end, _ in find_numbers(text)]
    inside = [(start, end) for start, end in numbers if begin <= start and end <= begin + len(part)]
    others = numbers_of_other_periods(text, numbers, asked)
    kept = [span for span in inside if span[0] not in others]
    is_list = len(_runs(part, [(start - begin, end - begin) for start, end in inside])) == 1
    if begin < 0 or not others or len(kept) != 1 or not is_list or inside[0][0] - begin > 1:
        return part
    return text[slice(*kept[0])]


def _periods(text: str) -> list[Span]:
    """Where the text names periods, each year of a list by itself."""
    spans: list[Span] = []
    for start, end in period_spans(text):
        is_list = _YEARS.fullmatch(text, start, end)
        spans += [year.span() for year in _YEAR.finditer(text, start, end)] if is_list else [(start, end)]
    return spans


def _place_of(asked: Facets, periods: Sequence[str]) -> int | None:
    """Which of the periods is the one asked for; None where none or several may be."""
    if not asked or len(periods) < 2:
        return None
    told = [facets_of(period) for period in periods]
    agreeing = [
        n for n, each in enumerate(told) if not facet_conflict(asked, each) and facet_agreement(asked, each) > 0
    ]
    return agreeing[0] if len(agreeing) == 1 else None


def _runs(text: str, spans: Sequence[Span]) -> list[list[Span]]:
    """The spans that only a comma or an "and" parts, run by run, in order; lone ones are runs of one."""
    runs = [[span] for span in spans[:1]]
    for before, span in pairwise(spans):
        if _JOINT.fullmatch(text, before[1], span[0]):
            runs[-1].append(span)
        else:
            runs.append([span])
    return runs


def _longest(runs: Iterable[list[Span]]) -> list[Span]:
    return max(runs, key=len, default=[])
