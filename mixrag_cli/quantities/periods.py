"""Dates, years and fiscal periods as people write them: the texts that look like numbers and are none."""

from __future__ import annotations

import re
from typing import Literal

FIRST_YEAR, LAST_YEAR = 1500, 2150  # statistical series reach back to about 1500; forecasts to 2100 and a little
_YEAR = re.compile(r"(\d{4})(?:\s?[rp]|\s[$€£¥])?", re.I)  # "2017r", "2018p": revised, preliminary; "2016 $"
FOOTNOTE = re.compile(r"(?<=[\d%)])\s?(?:\((?:\d{1,2}|[a-z]{1,2})\)|\[(?:\d{1,3}|[a-z]{1,2})\])$", re.I)
SUPERSCRIPTS = re.compile(r"[⁰¹²³⁴-⁹ⁱ⁺-ⁿᵃ-ᶻʰʲˡʳˢˣʸªº*†‡§¶#]+")
SPACES = re.compile(r"[\s\u00a0\u2000-\u200a\u202f\u205f\u3000]+")

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
YEAR = r"(?:1[5-9]|20|21)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DAYS = rf"{_DAY}(?:\s?[-–]\s?{_DAY})?"  # of one month: "17–18"
DATE = re.compile(
    rf"""(?:\b(?:{MONTH}\s?{_DAYS},?\s+{YEAR}|{_DAYS}[\s-]{MONTH}[\s,-]+(?:{YEAR}|\d\d)
    |{MONTH}[\s,’'-]+(?:{YEAR}|\d\d)|{MONTH}\s{_DAY}|\d{{1,2}}\s{MONTH})(?!\w))
    |(?<![\w.,/-])(?:{YEAR}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?
      |\d{{1,2}}[/.-]\d{{1,2}}[/.-](?:{YEAR}|\d\d))(?![\w/])
    |\b(?:fy|fiscal(?:\s+year)?|cy)\s?[’']?(?:{YEAR}|\d\d)(?:[-/](?:{YEAR}|\d\d))?[ae]?\b
    |\b[qh][1-4]\s?[-’'/]?\s?(?:fy\s?)?(?:{YEAR}|\d\d)?\b|\b[1-4][qh]\s?[-’']?(?:{YEAR}|\d\d)\b
    |(?<![\w.,/-]){YEAR}\s?[/–-]\s?(?:{YEAR}|\d\d)(?![\w/-])|(?<![\w.,/-]){YEAR}\s?[ae](?!\w)
    |(?<![\w:])\d{{1,2}}:\d\d(?::\d\d)?(?![\w:])""",
    re.I | re.X,
)
_PART_OF_YEAR = re.compile(
    rf"(?P<before>{YEAR})[\s,/-]*(?P<part>{MONTH}|q[1-4])|(?P<alone>{MONTH}|q[1-4])(?:[\s,/-]*(?P<after>{YEAR}))?", re.I
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPAN = re.compile(r"\d{1,2}[ -](?:weeks?|months?|days|quarters?)(?: ended| ending)?", re.I)
_PERIOD_WORDS = re.compile(
    r"^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:\s+|$))?"
    r"(?:(?:as (?:of|at)|for(?: the)?|at|in|the)\s+)?(?:(?:three|six|nine|twelve|first|second|third|fourth|[1-4])?\s?"
    r"(?:months?|quarters?|weeks?|years?|half|fiscal|calendar|periods?)\s?)*(?:ended|ending|to|of)?[\s,]*$",
    re.I,
)
_GROUPED = re.compile(r"[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")  # no period is written so, most cells of some tables are


def kind_of_period(text: str) -> Literal["year", "date"] | None:
    """ "year" for a plain year, "date" for dates and fiscal periods ("FY2019", "Three Months Ended July 1, 2023")."""
    plain = SUPERSCRIPTS.sub("", text).strip()
    plain = FOOTNOTE.sub("", plain)
    if year := _YEAR.fullmatch(plain):
        return "year" if FIRST_YEAR <= int(year[1]) <= LAST_YEAR else None
    if _GROUPED.fullmatch(plain):
        return None
    if _SPAN.fullmatch(plain):
        return "date"
    match = DATE.search(plain)
    if match is None:
        return None
    rest = DATE.sub(" ", plain)
    return "date" if _PERIOD_WORDS.match(SPACES.sub(" ", re.sub(rf"\b{YEAR}\b|[,;:()–-]", " ", rest)).strip()) else None


def is_duration(text: str) -> bool:
    """Whether a text says how long something is, and no day: "45 days"."""
    return _SPAN.fullmatch(text.strip()) is not None


def part_of_year(text: str) -> tuple[int, str]:
    """Which month or quarter a text names, from 1, and the year that it says with it; (0, "") for any other text.

    Example: "1990-Jan" -> (1, "1990"); "Feb." -> (2, ""); "Q3 2021" -> (3, "2021")
    """
    match = _PART_OF_YEAR.fullmatch(text.strip())
    if match is None:
        return 0, ""
    part = (match["part"] or match["alone"]).lower()
    number = int(part[1]) if part.startswith("q") else _MONTHS.index(part[:3]) + 1
    return number, match["before"] or match["after"] or ""
