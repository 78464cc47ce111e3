"""What a document calls its periods: "the second quarter of fiscal 2024" are its "three months ended July 30, 2023".

A company's fiscal year ends when it likes. A report says by both names which period it is of: in running text by
quarter and year, in the heads of its columns by the day on which the period ends; from these two all others follow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from mixrag_cli.quantities.facets import QUARTER_WORDS, Facets

QUARTER_DAYS = 365.25 / 4
SAME_END_DAYS = 12  # fiscal quarters end on a weekday near the calendar's: 13 weeks, or 14 now and then
MONTH_END_DAYS = 7  # "the March quarter" may end on the first Saturday of April
_QUARTER_OF = re.compile(
    rf"\b(?:({'|'.join(QUARTER_WORDS)})\s+(?:fiscal\s+)?quarters?|Q([1-4]))"
    r"(?:,?\s+(?:of\s+)?(?:(?:our|the)\s+)?)(?:fiscal\s+)?(?:years?\s+)?(20\d\d|19\d\d)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Calendar:
    """The quarter that a report is of, by its fiscal year, and the day on which it ends."""

    year: int
    quarter: int
    end: date

    def end_of(self, year: int, quarter: int) -> date:
        """About when another quarter ends."""
        offset = 4 * (year - self.year) + quarter - self.quarter
        return self.end + timedelta(days=round(QUARTER_DAYS * offset))


def calendar_of(texts: Iterable[str], heads: Iterable[Facets]) -> Calendar | None:
    """The calendar of a report from its passages and its tables' headers; None where they do not tell.

    Its own quarter is the one that its text speaks of most, this year's beside the last; its columns end with it.
    """
    ends = [end for head in heads if head.months == {3} for end in days_of(head)]
    said = [
        (int(digit) if digit else QUARTER_WORDS[word.lower()], int(year))
        for text in texts
        for word, digit, year in _QUARTER_OF.findall(text)
    ]
    if not said or not ends:
        return None
    ((quarter, _),) = Counter(quarter for quarter, _ in said).most_common(1)
    return Calendar(max(year for known, year in said if known == quarter), quarter, max(ends))


def in_days(asked: Facets, calendar: Calendar | None, heads: Iterable[Facets]) -> Facets:
    """The asked time by the day that one of a table's headers names for it; as it is, where none does.

    Example: quarter 2 of 2024, a calendar whose quarter 2 of 2024 ends on 2023-07-30, a column of that day
    -> dates {(2023, 7, 30)}, years {2023}, months {3}.
    """
    target, reach = _target(asked, calendar)
    if target is None:
        return asked
    near = [(abs(end - target), end) for head in heads for end in days_of(head)]
    distance, end = min(near, default=(timedelta.max, target))
    if distance > reach:
        return asked
    return replace(
        asked,
        years=frozenset((end.year,)),
        dates=frozenset(((end.year, end.month, end.day),)),
        quarters=frozenset(),
        months=frozenset((3 * _n_quarters(asked),)),
    )


def days_of(facets: Facets) -> list[date]:
    """The dates of which day, month and year are said, and are days at all."""
    days = []
    for year, month, day in facets.dates:
        try:
            days.append(date(year, month, day))
        except ValueError:
            continue
    return days


def _target(asked: Facets, calendar: Calendar | None) -> tuple[date | None, timedelta]:
    """About when the asked period ends, and how far from that its day may lie; None for no such period."""
    months = [(year, month) for year, month, day in asked.dates if year and not day]
    if len(asked.dates) == len(months) == 1 and 3 in asked.months:
        (year, month) = months[0]
        return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1), timedelta(days=MONTH_END_DAYS)
    quarters = asked.quarters or frozenset({_n_quarters(asked)} - {1})
    if calendar is None or asked.dates or len(asked.years) != 1 or len(quarters) != 1:
        return None, timedelta()
    return calendar.end_of(next(iter(asked.years)), next(iter(quarters))), timedelta(days=SAME_END_DAYS)


def _n_quarters(asked: Facets) -> int:
    """Over how many quarters the asked period runs, counted from the year's beginning where they are several."""
    return next((months // 3 for months in (9, 6) if months in asked.months and not asked.quarters), 1)
