"""The words of a question and of its evidence: terms, how they match, and the facets of time in them.

A term is a lower-cased, lightly stemmed word or a plain number. Matching is graded: equal stems 1, a shared
meaning 0.9, an abbreviation ("exp" for "expectancy") 0.6. Facets (years, dates, quarters, spans of months) are
compared apart from words, because a wrong date is a wrong answer however many words agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_UNICODE_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d,]*(?:\.\d+)?")
_CAMEL = re.compile(r"(?<=[a-z0-9]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")

_COMMON_WORDS = """
    use uses used using a an and any are as at be between been being but by can could did do does doing done for
    from had has have having he her his how i if in into is it its just like many may me might more most much my
    no nor not of on one or our out over please shall she should show so some such tell than that the their them
    then there these they this those to up us was we were what when where which who whom whose why will with
    within would you your give find get got according amount number value report reported come came bring
    brought make made each per during ever also ended ending s t d ll re ve both
    don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn
"""
STOP_WORDS = frozenset(_COMMON_WORDS.split())

# Units written into labels ("capacity_m3_per_day") say how a column counts, not what.
_UNIT_WORDS = """
    m m2 m3 km km2 cm mm kg g t l ml kwh mwh gwh kw mw s h hr hrs min day month year usd eur gbp pct percent cubic
    square metr meter litr liter tonn
"""
UNIT_WORDS = frozenset(_UNIT_WORDS.split())

# Groups of words that people use for one another in questions about reports. Small on purpose: a wrong
# equivalence costs more than a missed one, and meaning search already bridges the rest.
_SYNONYM_GROUPS = (
    "revenue sales turnover",
    "profit earnings income",
    "expense cost spend spent expenditure",
    "staff employee headcount worker",
    "percentage percent share proportion",
    "mean average",
    "female woman girl",
    "male man boy",
    "begin start opening",
    "end closing",
    "die died death",
    "born birth",
    "raise increase growth grow rise",
    "fall decrease decline drop",
    "allow permit let",
    "people person individual",
    "highest largest biggest maximum max greatest top",
    "lowest smallest minimum min least",
)

_IRREGULAR = {
    "spent": "spend",
    "grew": "grow",
    "rose": "rise",
    "fell": "fall",
    "sold": "sell",
    "paid": "pay",
    "men": "man",
    "women": "woman",
    "children": "child",
    "shelves": "shelf",
    "halves": "half",
    "knives": "knife",
    "loaves": "loaf",
    "feet": "foot",
}

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
_DATE_MD = re.compile(rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!,?\s+(?:19|20)\d\d)", re.IGNORECASE)
_DATE_MONTH = re.compile(rf"\b({_MONTH})\.?,?\s+((?:19|20)\d\d)\b", re.IGNORECASE)
_DATE_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b")
_YEAR = re.compile(r"(?<![\d.,$€£])((?:19|20)\d\d)(?![\d%]|[.,]\d)")
_ANY_DATE = re.compile(
    "|".join(p.pattern for p in (_DATE_MDY, _DATE_DMY, _DATE_MONTH, _DATE_ISO, _YEAR)), re.IGNORECASE
)
_QUARTER = re.compile(
    r"(?<![a-z0-9])q([1-4])(?![a-z0-9])|\b(first|second|third|fourth|1st|2nd|3rd|4th)\s+(?:fiscal\s+)?quarter\b",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(three|six|nine|twelve|3|6|9|12)[\s-]+months?\b"
    r"|\b(quarter|half[\s-]year|full[\s-]year|fiscal year|year ended|years ended)\b",
    re.IGNORECASE,
)
_SPAN_MONTHS = {"three": 3, "3": 3, "six": 6, "6": 6, "nine": 9, "9": 9, "twelve": 12, "12": 12, "quarter": 3}
QUARTER_WORDS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = {word: number for number, word in enumerate(_ORDINAL_WORDS.split(), start=1)}
_ANY_ORDINAL = re.compile(rf"\b(?:({'|'.join(_ORDINALS)})|(\d{{1,3}})(?:st|nd|rd|th))\b", re.IGNORECASE)

# Before a word they make another of it: "nonsmoker", "underweight".
_TURNING = frozenset(("non", "dis", "mis", "anti", "sub", "pre", "post", "over", "under", "inter", "counter"))

SYNONYM_MATCH = 0.9
ABBREVIATION_MATCH = 0.6
SKELETON_MATCH = 0.5  # less than a prefix: more words share their consonants than their beginning
MAX_SKELETON = 3  # letters
JOINED_MATCH = 0.8  # "price" in a heading without spaces, "copperprice"
MIN_JOINED = 4  # letters of a word in such a heading, and
MIN_REST = 3  # of what is joined to it
MIN_ABBREVIATION = 3  # letters; "exp" for "expectancy", but never "ex"


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Cut the common English endings, so that "sales", "sale" and "operating", "operated" meet.

    Example: stem("activities") -> "activity"; stem("redirects") -> "redirect".
    """
    word = _IRREGULAR.get(word, word)
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            base = word[: -len(ending)]
            return base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base.rstrip("e")
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


_SYNONYMS: dict[str, int] = {
    stem(word): number for number, group in enumerate(_SYNONYM_GROUPS) for word in group.split()
}


def words_of(text: str) -> list[str]:
    """The text's words and numbers, lower-cased, identifiers split, thousands marks and possessives gone.

    Example: words_of("Apple's totalBill of 1,234") -> ["apple", "total", "bill", "of", "1234"].
    """
    found = []
    for part in _CAMEL.split(text):
        for word in _UNICODE_WORD.findall(part):
            if word[0].isdigit():
                found.append(word.replace(",", "").rstrip("."))
            else:
                found.append(re.sub(r"['’](s|t|d|ll|re|ve)?$", "", word.lower()))
    return [word for word in found if word]


def terms_of(text: str) -> tuple[str, ...]:
    """The stems of the text's content words, each once, in order of first appearance."""
    return tuple(dict.fromkeys(stem(word) for word in words_of(text) if word not in STOP_WORDS))


def says_nothing_new(text: str, question: str) -> bool:
    """Whether a text repeats the question's words and has none of its own; a choice between two says both."""
    asked = {stem(word) for word in words_of(question)}
    said = {stem(word) for word in words_of(text)}
    return said <= asked and "or" not in asked and any(word.isalpha() for word in said)


def without_facets(text: str) -> str:
    """The text less its dates, years, quarters and period lengths: what is asked, apart from when."""
    for pattern in (_DATE_MDY, _DATE_DMY, _DATE_ISO, _DATE_MONTH, _DATE_MD, _QUARTER, _SPAN, _YEAR):
        text = pattern.sub(" ", text)
    return text


def ordinals_of(text: str) -> tuple[int, ...]:
    """The places in an order that the text names, dates and quarters apart.

    Example: ordinals_of("the fifth day and the 12th") -> (5, 12).
    """
    found = _ANY_ORDINAL.findall(without_facets(text.replace("_", " ")))
    return tuple(_ORDINALS[word.lower()] if word else int(digits) for word, digits in found)


def ordinal_conflict(asked: str, found: str) -> bool:
    """Whether both texts name places in an order, and no place is named by both."""
    wanted, own = set(ordinals_of(asked)), set(ordinals_of(found))
    return bool(wanted and own) and not wanted & own


def match_term(term: str, candidates: Iterable[str]) -> float:
    """How well the best of the candidate stems matches the term, in {0, 0.5, 0.6, 0.9, 1}."""
    best = 0.0
    for candidate in candidates:
        if candidate == term:
            return 1.0
        if (match := match_pair(term, candidate)) > best:
            best = match
    return best


@lru_cache(maxsize=262144)
def match_pair(term: str, candidate: str) -> float:
    """How well one stem stands for another, in {0, 0.5, 0.6, 0.9, 1}."""
    if term == candidate:
        return 1.0
    group = _SYNONYMS.get(term)
    if group is not None and _SYNONYMS.get(candidate) == group:
        return SYNONYM_MATCH
    if is_abbreviation(candidate, term):
        return ABBREVIATION_MATCH
    return SKELETON_MATCH if is_skeleton(candidate, term) else 0.0


def match_heading(term: str, candidates: Iterable[str]) -> float:
    """As match_term, for headings and names, which may be written without spaces between their words."""
    words = tuple(candidates)
    found = match_term(term, words)
    is_joined = found < JOINED_MATCH and any(is_joined_in(term, word) for word in words)
    return JOINED_MATCH if is_joined else found


def is_joined_in(term: str, word: str) -> bool:
    """Whether a word written without spaces begins or ends with the term, and the rest does not turn its meaning."""
    if len(term) < MIN_JOINED or len(word) - len(term) < MIN_REST or not word.isalpha():
        return False
    return word.startswith(term) or (word.endswith(term) and word.removesuffix(term) not in _TURNING)


def is_abbreviation(short: str, long: str) -> bool:
    """Whether one stem is a plain prefix of the other, as headers abbreviate ("exp", "expectancy")."""
    if len(short) > len(long):
        short, long = long, short
    return len(short) >= MIN_ABBREVIATION and short.isalpha() and long.startswith(short)


def is_skeleton(short: str, long: str) -> bool:
    """Whether a header's short form keeps some of a word's consonants in order ("yds" for "yard", "td" "touchdown")."""
    plain = short.removesuffix("s")
    if not 2 <= len(plain) <= MAX_SKELETON or len(long) <= len(plain) + 1 or plain[0] != long[0]:
        return False
    letters = iter(long)
    return plain.isalpha() and not set(plain) & set("aeiou") and all(letter in letters for letter in plain)


@dataclass(frozen=True, slots=True)
class Facets:
    """The times a text speaks of.

    dates: (year, month, day), year or day 0 where not said. months: lengths of periods.
    """

    years: frozenset[int] = frozenset()
    dates: frozenset[tuple[int, int, int]] = frozenset()
    quarters: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()

    def __or__(self, other: Facets) -> Facets:
        return Facets(
            self.years | other.years,
            self.dates | other.dates,
            self.quarters | other.quarters,
            self.months | other.months,
        )

    def __bool__(self) -> bool:
        return bool(self.years or self.dates or self.quarters or self.months)


@lru_cache(maxsize=16384)
def facets_of(text: str) -> Facets:
    """Find years, dates, quarters and lengths of periods.

    Example: "three months ended July 1, 2023" -> dates {(2023, 7, 1)}, years {2023}, months {3}.
    """
    dates = {(int(y), _MONTHS[m.lower()], int(d)) for m, d, y in _DATE_MDY.findall(text)}
    dates |= {(int(y), _MONTHS[m.lower()], int(d)) for d, m, y in _DATE_DMY.findall(text)}
    dates |= {(int(y), int(m), int(d)) for y, m, d in _DATE_ISO.findall(text)}
    whole_months = {(int(y), _MONTHS[m.lower()], 0) for m, y in _DATE_MONTH.findall(text)}
    dates |= {month for month in whole_months if not any(month[:2] == date[:2] for date in dates)}
    dates |= {(0, _MONTHS[m.lower()], int(d)) for m, d in _DATE_MD.findall(text) if int(d) <= 31}
    years = {int(year) for year in _YEAR.findall(text)} | {date[0] for date in dates if date[0]}
    quarters = {int(digit) if digit else QUARTER_WORDS[word.lower()] for digit, word in _QUARTER.findall(text)}
    months = set()
    for number, phrase in _SPAN.findall(text):
        word = (number or phrase).lower().replace("-", " ")
        months.add(_SPAN_MONTHS.get(word, 6 if "half" in word else 12))
    if quarters:
        months.add(3)
    return Facets(frozenset(years), frozenset(dates), frozenset(quarters), frozenset(months))


def dates_agree(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    """Whether two dates can be the same day, where an unsaid year or day (0) agrees with any."""
    return all(a == b or not a or not b for a, b in zip(one, other, strict=True))


def date_text(date: tuple[int, int, int]) -> str:
    """A date as American filings write it. Example: date_text((2023, 7, 1)) -> "July 1, 2023"."""
    year, month, day = date
    name = next(name for name, number in _MONTHS.items() if number == month).capitalize()
    return f"{name} {day}, {year}"


def facet_conflict(asked: Facets, found: Facets) -> bool:
    """Whether the found text speaks of another time than the one asked for.

    Only a facet that both texts have can disagree: a header without a date conflicts with no date.
    """
    if asked.dates and found.dates:
        if not any(dates_agree(a, f) for a in asked.dates for f in found.dates):
            return True
    elif asked.years and found.years and not asked.years & found.years:
        return True
    if asked.months and found.months and not asked.months & found.months:
        return True
    return bool(asked.quarters and found.quarters and not asked.quarters & found.quarters)


def facet_agreement(asked: Facets, found: Facets) -> float:
    """The part of the asked facets that the found text states, in [0, 1]; 1 where nothing was asked."""
    wanted = [
        (asked.dates, any(dates_agree(a, f) for a in asked.dates for f in found.dates)),
        (asked.years, bool(asked.years & found.years)),
        (asked.months, bool(asked.months & found.months)),
        (asked.quarters, bool(asked.quarters & found.quarters)),
    ]
    asked_for = [agrees for facet, agrees in wanted if facet]
    return sum(asked_for) / len(asked_for) if asked_for else 1.0


def period_spans(text: str) -> list[tuple[int, int]]:
    """Where the text names times, [start, end), in order; times that touch each other are one.

    Example: "sales in the first quarter of 2021" -> the place of "first quarter of 2021".
    """
    patterns = (_DATE_MDY, _DATE_DMY, _DATE_ISO, _DATE_MONTH, _DATE_MD, _QUARTER, _SPAN, _YEAR)
    joined: list[tuple[int, int]] = []
    for start, end in sorted(match.span() for pattern in patterns for match in pattern.finditer(text)):
        if joined and text[joined[-1][1] : start].strip().lower() in ("", "of", ",", "ended", "ending"):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif not joined or start >= joined[-1][1]:
            joined.append((start, end))
    return joined
