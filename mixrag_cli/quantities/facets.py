"""The times that a text speaks of: dates, years, quarters, lengths of periods; and places in an order.

They are compared apart from words, because a wrong date is a wrong answer however many words agree.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"), start=1)
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE_MDY = re.compile(rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)\b", re.IGNORECASE)
_DATE_DMY = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+({_MONTH})\.?,?\s+((?:19|20)\d\d)\b", re.IGNORECASE)
_DATE_D_M_Y = re.compile(  # as sheets and files are dated: "11-Mar-24", "11_Mar_2024"
    rf"(?<![^\W_])(0?[1-9]|[12]\d|3[01])([-_./])({_MONTH})\2((?:19|20)?\d\d)(?![^\W_])", re.IGNORECASE
)
_DATE_MD = re.compile(rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!,?\s+(?:19|20)\d\d)", re.IGNORECASE)
_DATE_MONTH = re.compile(rf"\b({_MONTH})\.?,?\s+((?:19|20)\d\d)\b", re.IGNORECASE)
_YEAR_MONTH = re.compile(  # as groups of a table say it: "2016 May"; "in 2016 may" names no month
    rf"(?<![\w.$€£])((?:19|20)\d\d)\s+((?=[A-Z])(?i:{_MONTH}))\b(?!\s+\d)"
)
_DATE_SHORT = re.compile(rf"\b({_MONTH})[-'’](\d\d)(?![-\w])", re.IGNORECASE)  # as sheets show months: "Jan-10"
_JOINT = r"(?:\s*[,–—-]\s*(?:and\s+)?|\s+(?:and|or|to|through|until|till)\s+)"
_MONTHS_BEFORE = re.compile(  # "March" of "from March to April 2020", and the year
    rf"\b({_MONTH})\.?(?=(?:{_JOINT}(?:{_MONTH})\.?)+,?\s+((?:19|20)\d\d)\b)", re.IGNORECASE
)
_DATE_ISO = re.compile(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b")
_MONTH_ISO = re.compile(r"(?<![\d-])((?:19|20)\d\d)[-M](0[1-9]|1[0-2])(?![\d-])")  # Eurostat's "2023M05", too
_DATE_DIGITS = re.compile(r"(?<![\d./])(\d\d?)([./])(\d\d?)\2((?:19|20)\d\d)(?![\d./])")
_YEAR = re.compile(r"(?<![\d.$€£])((?:19|20)\d\d)(?![\d%]|\.\d|,\d{3}(?!\d))")  # "2017,2018" are two
_SHORT_YEAR = re.compile(r"(?<![a-z])FY[\s_]?['’]?(\d\d)(?![\d%]|[/–-]\d)", re.IGNORECASE)  # "FY09", a fiscal year
_SPLIT_YEAR = re.compile(r"(?<![\d.$€£])((?:19|20)\d\d)[/_–-]((?:19|20)?\d\d)(?![\d%/-]|[.,]\d)")
_QUARTER = re.compile(
    r"(?:(?<![a-z0-9])|(?<=\d{4}))q([1-4])(?![a-z0-9])|\b(first|second|third|fourth|1st|2nd|3rd|4th)\s+(?:fiscal\s+)?quarter\b",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(three|six|nine|twelve|3|6|9|12)[\s-]+months?\b"
    r"|\b(quarter|half[\s-]year|full[\s-]year|fiscal year|year ended|years ended)\b",
    re.IGNORECASE,
)
_ANY_TIME = re.compile(rf"(?:19|20)\d\d|q[1-4]|FY|quarter|month|year|{_MONTH}", re.IGNORECASE)  # in each of these
_TIMES = (
    _DATE_MDY, _DATE_DMY, _DATE_D_M_Y, _DATE_ISO, _DATE_MONTH, _DATE_SHORT, _MONTHS_BEFORE, _DATE_MD, _MONTH_ISO,
    _DATE_DIGITS, _QUARTER, _SPAN, _YEAR, _SHORT_YEAR,
)  # fmt: skip
_SPAN_MONTHS = {"three": 3, "3": 3, "six": 6, "6": 6, "nine": 9, "9": 9, "twelve": 12, "12": 12, "quarter": 3}
QUARTER_WORDS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
MONTHS, DAYS = 12, 31  # of a year; of a month at most
MOST_DAYS = 1_100  # of a stretch whose days are looked for one by one: three years
FIRST_OF_1900S = 30  # of years of two digits; Excel's and LibreOffice's default
_PERIOD = "\0"  # where a time stood, with the words that lead to it
_PERIODS = re.compile(
    rf"(?:\b(?:between|from|and|to|the|in|for|at|on|during|as|of|ended|ending|year)\s+)*{_PERIOD}", re.IGNORECASE
)
UNTIL = ("to", "through", "until", "till", "-", "–", "—")  # what joins the ends of a stretch of time
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS.split(), start=1)}
_NUMBER_WORDS = "one two three four five six seven eight nine ten"
_NUMBERS = {word: number for number, word in enumerate(_NUMBER_WORDS.split(), start=1)}
_ANY_ORDINAL = re.compile(rf"\b(?:({'|'.join(_ORDINALS)})|(\d{{1,3}})(?:st|nd|rd|th))\b", re.IGNORECASE)


def without_facets(text: str) -> str:
    """The text less its dates, years, quarters and period lengths: what is asked, apart from when."""
    kept = list(text)
    for start, end in _times_in(text):
        kept[start:end] = " " * (end - start)
    return "".join(kept)


def _times_in(text: str) -> list[tuple[int, int]]:
    """Where the text names times, [start, end), in order; a date and its year are two."""
    found = [match for pattern in _TIMES for match in pattern.finditer(text)]
    return sorted(match.span() for match in (*found, *_split_years(text)))


def _split_years(text: str) -> list[re.Match[str]]:
    """Where the text names years that end in the next one: "2014/15", "2014-15", "2014-2015"."""
    return [match for match in _SPLIT_YEAR.finditer(text) if str(int(match[1]) + 1).endswith(match[2])]


def ordinals_of(text: str) -> tuple[int, ...]:
    """The places in an order that the text names, dates and quarters apart.

    Example: ordinals_of("the fifth day and the 12th") -> (5, 12).
    """
    found = _ANY_ORDINAL.findall(without_facets(text.replace("_", " ")))
    return tuple(_ORDINALS[word.lower()] if word else int(digits) for word, digits in found)


def in_digits(word: str) -> str:
    """A small number or ordinal in digits, any other word as it is. Example: in_digits("second") -> "2"."""
    number = _NUMBERS.get(word.lower()) or _ORDINALS.get(word.lower())
    return str(number) if number else word


def ordinal_conflict(asked: str, found: str) -> bool:
    """Whether both texts name places in an order, and no place is named by both."""
    wanted, own = set(ordinals_of(asked)), set(ordinals_of(found))
    return bool(wanted and own) and not wanted & own


@dataclass(frozen=True, slots=True)
class Facets:
    """The times a text speaks of.

    dates: (year, month, day), year or day 0 where not said. months: lengths of periods. splits: the first years of
    those that end in the next ("2014/15").
    """

    years: frozenset[int] = frozenset()
    dates: frozenset[tuple[int, int, int]] = frozenset()
    quarters: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()
    splits: frozenset[int] = frozenset()

    def __or__(self, other: Facets) -> Facets:
        return Facets(
            self.years | other.years,
            self.dates | other.dates,
            self.quarters | other.quarters,
            self.months | other.months,
            self.splits | other.splits,
        )

    def __bool__(self) -> bool:
        return bool(self.years or self.dates or self.quarters or self.months)


@lru_cache(maxsize=16384)
def facets_of(text: str) -> Facets:
    """Find years, dates, quarters and lengths of periods.

    Example: "three months ended July 1, 2023" -> dates {(2023, 7, 1)}, years {2023}, months {3}; "March to April 2020"
    -> dates {(2020, 3, 0), (2020, 4, 0)}, years {2020}.
    """
    if not _ANY_TIME.search(text):  # as of most headers of a long table, at a quarter of the time
        return Facets()
    dates = {(int(y), _MONTHS[m.lower()], int(d)) for m, d, y in _DATE_MDY.findall(text)}
    dates |= {(int(y), _MONTHS[m.lower()], int(d)) for d, m, y in _DATE_DMY.findall(text)}
    dates |= {(full_year(y), _MONTHS[m.lower()], int(d)) for d, _, m, y in _DATE_D_M_Y.findall(text)}
    dates |= {(int(y), int(m), int(d)) for y, m, d in _DATE_ISO.findall(text)}
    dates |= {day for match in _DATE_DIGITS.finditer(text) for day in _day_of(match)}
    whole_months = {
        (int(y), _MONTHS[m.lower()], 0) for pattern in (_DATE_MONTH, _MONTHS_BEFORE) for m, y in pattern.findall(text)
    }
    splits = _split_years(text)
    ends = {split.start() for split in splits}  # "2010-11" is no November
    whole_months |= {(int(m[1]), int(m[2]), 0) for m in _MONTH_ISO.finditer(text) if m.start() not in ends}
    whole_months |= {(int(y), _MONTHS[m.lower()], 0) for y, m in _YEAR_MONTH.findall(text)}
    whole_months |= {(full_year(y), _MONTHS[m.lower()], 0) for m, y in _DATE_SHORT.findall(text)}
    dates |= {month for month in whole_months if not any(month[:2] == date[:2] for date in dates)}
    dates |= {(0, _MONTHS[m.lower()], int(d)) for m, d in _DATE_MD.findall(text) if int(d) <= 31}
    years = {int(year) for year in _YEAR.findall(text)} | {date[0] for date in dates if date[0]}
    years |= {full_year(year) for year in _SHORT_YEAR.findall(text)}
    quarters = {int(digit) if digit else QUARTER_WORDS[word.lower()] for digit, word in _QUARTER.findall(text)}
    months = set()
    for number, phrase in _SPAN.findall(text):
        word = (number or phrase).lower().replace("-", " ")
        months.add(_SPAN_MONTHS.get(word, 6 if "half" in word else 12))
    if quarters:
        months.add(3)
    firsts = frozenset(int(split[1]) for split in splits)
    return Facets(frozenset(years), frozenset(dates), frozenset(quarters), frozenset(months), firsts)


def _day_of(match: re.Match[str]) -> frozenset[tuple[int, int, int]]:
    """The day that digits mean: "1.5.2023" and "5/31/2023" are in May; "1/5/2023" may be in January: none."""
    one, other, year = int(match[1]), int(match[3]), int(match[4])
    orders = {(one, other)} if match[2] == "." else {(one, other), (other, one)}
    days = {(year, month, day) for day, month in orders if 1 <= month <= MONTHS and 1 <= day <= DAYS}
    return frozenset(days) if len(days) == 1 else frozenset()


def full_year(digits: str) -> int:
    """The year of two digits, as spreadsheets read them: "29" -> 2029, "30" -> 1930; of four as it is."""
    if len(digits) > len("30"):
        return int(digits)
    return int(digits) + (2000 if int(digits) < FIRST_OF_1900S else 1900)


def dates_agree(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    """Whether two dates can be the same day, where an unsaid year or day (0) agrees with any."""
    return all(a == b or not a or not b for a, b in zip(one, other, strict=True))


def _date_text(date: tuple[int, int, int]) -> str:
    """A date as American filings write it. Example: _date_text((2023, 7, 1)) -> "July 1, 2023"."""
    year, month, day = date
    return f"{month_name(month)} {day}, {year}" if day else f"{month_name(month)} {year}"


def month_name(month: int) -> str:
    """Its English name. Example: 3 -> "March"."""
    return next(name for name, number in _MONTHS.items() if number == month).capitalize()


def _share_a_year(asked: Facets, found: Facets) -> bool:
    """Whether one year is in both; of those that end in the next the first years say it."""
    return bool(asked.splits & found.splits if asked.splits and found.splits else asked.years & found.years)


def facet_conflict(asked: Facets, found: Facets) -> bool:
    """Whether the found text speaks of another time than the one asked for.

    Only a facet that both texts have can disagree: a header without a date conflicts with no date.
    """
    if asked.dates and found.dates:
        if not any(dates_agree(a, f) for a in asked.dates for f in found.dates):
            return True
    elif asked.years and found.years and not _share_a_year(asked, found):
        return True
    if asked.months and found.months and not asked.months & found.months:
        return True
    return bool(asked.quarters and found.quarters and not asked.quarters & found.quarters)


def facet_agreement(asked: Facets, found: Facets) -> float:
    """The part of the asked facets that the found text states, in [0, 1]; 1 where nothing was asked."""
    wanted = [
        (asked.dates, any(dates_agree(a, f) for a in asked.dates for f in found.dates)),
        (asked.years, _share_a_year(asked, found)),
        (asked.months, bool(asked.months & found.months)),
        (asked.quarters, bool(asked.quarters & found.quarters)),
    ]
    asked_for = [agrees for facet, agrees in wanted if facet]
    return sum(asked_for) / len(asked_for) if asked_for else 1.0


def day_number(text: str) -> Decimal | None:
    """The number of the one day that the text names, so that days between two can be counted; None where it names none.

    Example: the difference of those of "2024-06-22" and "2024-05-12" is 41.
    """
    days = [day for day in facets_of(text).dates if all(day)]
    try:
        return Decimal(datetime.date(*days[0]).toordinal()) if len(days) == 1 else None
    except ValueError:  # no calendar has it: "2023-02-31"
        return None


def dated_otherwise(text: str) -> str:
    """The text with its days and months as files write them, too; "" where it names none together with a year.

    Example: "sales on 5 June 2012" -> "sales 2012-06-05 5/6/2012 June".
    """
    dates = sorted(date for date in facets_of(text).dates if date[0])
    forms = [
        f"{year}-{month:02}{f'-{day:02} {day}/{month}/{year}' if day else ''} {month_name(month)}"
        for year, month, day in dates
    ]
    return " ".join((without_periods(text), *forms)) if forms else ""


def period_spans(text: str) -> list[tuple[int, int]]:
    """Where the text names times, [start, end), in order; times that touch each other are one.

    Example: "sales in the first quarter of 2021" -> the place of "first quarter of 2021".
    """
    joined: list[tuple[int, int]] = []
    for start, end in _times_in(text):
        if joined and text[joined[-1][1] : start].strip().lower() in ("", "of", ",", "ended", "ending"):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif not joined or start >= joined[-1][1]:
            joined.append((start, end))
    return joined


def year_places(text: str) -> list[tuple[int, int, int]]:
    """Where the text names years, as (start, end, year), in order."""
    return [(*match.span(1), int(match[1])) for match in _YEAR.finditer(text)]


@lru_cache(maxsize=256)  # a question is asked of every table
def years_between(text: str) -> frozenset[int]:
    """The years inside the stretches of time that the text names by their ends.

    Example: "from 2017 to 2020" and "between 2017 and 2020" -> {2018, 2019}; "in 2017 and 2020" -> {}.
    """
    found: set[int] = set()
    for first, last in _stretches_in(text):
        ends = facets_of(first).years | facets_of(last).years
        found |= set(range(min(ends, default=0) + 1, max(ends, default=0)))
    return frozenset(found)


def times_meant(text: str) -> list[tuple[int, int, int]]:
    """The day, month or year that the text names, or all of the one stretch that it names by its ends; else [].

    (year, month, day) each, 0 where not said. Example: "from April to June 2012" -> (2012, 4, 0), (2012, 5, 0),
    (2012, 6, 0).
    """
    known = facets_of(text)
    times = sorted(date for date in known.dates if date[0]) or [(year, 0, 0) for year in sorted(known.years)]
    if len(times) != 2 or len(_stretches_in(text)) != 1:
        return times if len(times) == 1 else []
    (first, month, day), (last, last_month, last_day) = times
    if day and last_day:
        return _days_between(*times)
    if month and last_month and not day and not last_day:
        months = range(MONTHS * first + month - 1, MONTHS * last + last_month)
        return [(number // MONTHS, number % MONTHS + 1, 0) for number in months]
    return [(year, 0, 0) for year in range(first, last + 1)] if not month and not last_month else []


def _days_between(first: tuple[int, int, int], last: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """All days from the first to the last; [] for more than MOST_DAYS, or what is in no calendar."""
    try:
        start, end = (datetime.date(*each).toordinal() for each in (first, last))
    except ValueError:
        return []
    if end - start >= MOST_DAYS:
        return []
    days = map(datetime.date.fromordinal, range(start, end + 1))
    return [(day.year, day.month, day.day) for day in days]


def _stretches_in(text: str) -> list[tuple[str, str]]:
    """The ends of the stretches of time that the text names by them. Example: "from May to July 2017" is one."""
    found = []
    for (start, end), (after, last) in pairwise(period_spans(text)):
        joint = text[end:after].lower().split()
        is_between = joint[:1] == ["and"] and "between" in text[:start].lower()
        if is_between or (joint and joint[0] in UNTIL):
            found.append((text[start:end], text[after:last]))
    return found


def named_times(text: str, *, with_between: bool = False) -> dict[str, Facets]:
    """The times that the text names, each in words and alone, the earliest first: its dates where it names several,
    else its years.

    with_between: whether "from 2017 to 2019" means all of these years, as where they are added up, or its two ends;
    which days or months are in such a stretch is not known. Example: "sales in May and July 2017" -> "May 2017", "July
    2017".
    """
    known = facets_of(text)
    dates = sorted(date for date in known.dates if date[0])
    if len(dates) < 2:
        years = known.splits or known.years
        return years_alone(text, years | years_between(text) if with_between else years)
    if with_between and _stretches_in(text):
        return {}
    return {_date_text(date): replace(known, years=frozenset({date[0]}), dates=frozenset({date})) for date in dates}


def years_alone(text: str, years: Iterable[int]) -> dict[str, Facets]:
    """Years with what else the text says of time but its dates, in its way of writing years: "2014", "2014/15"."""
    known = replace(facets_of(text), dates=frozenset())
    called = {f"{year}/{(year + 1) % 100:02}" if known.splits else str(year): year for year in sorted(years)}
    return {
        name: replace(known, years=frozenset({year}), splits=facets_of(name).splits) for name, year in called.items()
    }


def without_periods(text: str) -> str:
    """The text less its times and the words that joined them ("between … and …")."""
    for start, end in reversed(period_spans(text)):
        text = f"{text[:start]}{_PERIOD}{text[end:]}"
    return " ".join(_PERIODS.sub(" ", text).split())
