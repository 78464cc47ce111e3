"""What the words of a question ask for, and what the words of a header path say of its figures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import dropwhile, takewhile

from mixrag_cli.quantities.facets import Facets, facets_of, without_facets
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.words import COMMON_WORDS, stem, words_of

WHOLE_WORDS = frozenset(("total", "all", "both", "overall"))  # what is meant where no part is named
PERCENT_UNITS = ("%", "pp", "bp")
MAX_PERCENT = 100  # of a part: what is more than its whole is another thing than was asked for
_ANY_ENDING = r"\w*"
MIN_NEGATED = 4  # letters of "non…" and more: "nonmanufacturing", not "none"


def any_of(*phrases: str) -> re.Pattern[str]:
    """One pattern that holds where any of the phrases stands, whatever the case. phrases: with commas between them.

    "chang…" is any word that begins so. Example: any_of("%, per cent") -> found in "5%" and "ten per cent".
    """
    each = [phrase.strip() for listed in phrases for phrase in listed.split(",")]
    return re.compile("|".join(map(_bounded, each)), re.IGNORECASE)


def _bounded(phrase: str) -> str:
    first, last = (r"\b" * sign.isalnum() for sign in (phrase[0], phrase[-1]))
    return f"{first}{re.escape(phrase).replace('…', _ANY_ENDING)}{last}"


PERCENT = any_of("%, percent, percents, per cent, percentage, percentages, proportion, proportions, share, rate")
HOW_MANY_PERCENT = any_of("how many percent…, how many per cent, how many %")
COUNT = any_of("how many, number of")
MONEY = any_of(
    "$, €, £, dollar, dollars, euro, euros, pound, pounds, usd, eur, gbp, cost, spend, spent, paid, earn, earned, "
    "earnings"
)
CHANGES = ("change", "increase", "decrease", "growth", "decline", "rise", "drop")
CHANGING = ("increas…", "decreas…", "declin…", "grow…", "rise…", "drop…")
CHANGE = any_of("chang…, grew…, differ…, fell…, fall…, rose…, gap…, percentage point, percentage points", *CHANGING)
TOTAL = any_of("total, totals, totally, overall, altogether, all, entire, combined")
STATISTIC = any_of(
    "confidence, interval, ci, error, deviation, ref, reference, significan…, p value, p-value, lower, upper, "
    "rank, index, ratio"
)
AVERAGE = any_of("average, mean, median, avg, per")
MOST = any_of(
    "highest, largest, biggest, greatest, most, maximum, max, top, peak, longest, oldest, tallest, higher, "
    "larger, bigger, greater"
)
LEAST = any_of("lowest, smallest, least, fewest, minimum, min, shortest, youngest, lower, smaller, fewer")
SHARE_WORDS = ("percentage", "percent", "per cent", "share", "proportion", "fraction", "portion", "part")
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
_WHICH = re.compile(
    r"\b(?:which|who)\b|\bwhat (?:was|is|were|are) the (?:name|result|title|opponent|place)\b"
    r"|\bwhat (?!percent|percentage|proportion|number|share|fraction|is|was|were|are|did|do|does)\w+",
    re.IGNORECASE,
)
_NUMBER_WORD = any_of("number, count, no, n")
_SIGNS = (("%", " percent "), ("#", " number "))
DIGITS = {
    word: str(number)
    for number, words in enumerate(
        ("one first 1st", "two second 2nd", "three third 3rd", "four fourth 4th", "five fifth 5th", "six sixth 6th",
         "seven seventh 7th", "eight eighth 8th", "nine ninth 9th", "ten tenth 10th"), start=1)
    for word in words.split()
}  # fmt: skip
_ASKING = frozenset(("what", "which", "how"))
_FILLER_WORDS = """
    was were is are did do does the percentage percent proportion share number of a an per cent total average many much
    million millions billion dollars point points
"""
_FILLERS = frozenset(_FILLER_WORDS.split())
_JOINING_WORDS = """
    of in for among from by with who that which at on to was were is are did had have has do does than as when where
    during between and or within without , ? . ;
"""
_HEAD_ENDS = frozenset(_JOINING_WORDS.split())
_WORD = re.compile(r"\w+")
_HEAD_TOKEN = re.compile(r"[^\s,?.;]+|[,?.;]")
_NEGATIONS = frozenset(
    ("not", "non", "no", "without", "never", "neither", "nor", "un", "outside", "other", "except", "excluding")
)


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


@dataclass(frozen=True, slots=True)
class Wants:
    """What kind of figure a question asks for, by its words."""

    percent: bool
    count: bool
    money: bool
    change: bool
    total: bool
    average: bool
    statistic: bool
    negated: bool
    which: bool

    @classmethod
    def of(cls, text: str) -> Wants:
        """Example: "how many percent …" -> percent; "which league …" -> which."""
        percent, count, money = (bool(rule.search(text)) for rule in (PERCENT, COUNT, MONEY))
        count = count and not HOW_MANY_PERCENT.search(text)
        return cls(
            percent,
            count,
            money,
            change=bool(CHANGE.search(text)),
            total=bool(TOTAL.search(text)),
            average=bool(AVERAGE.search(text)),
            statistic=bool(STATISTIC.search(text)),
            negated=is_negated(text),
            which=not (percent or count or money) and bool(_WHICH.search(text)),
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the cells of a table are scored against it.

    terms: content stems, operation words included. sequence: all stems in order. head: those of what is asked for
    ("how many touchdowns did …").
    """

    text: str
    terms: tuple[str, ...]
    sequence: tuple[str, ...]
    facets: Facets
    numbers: frozenset[Decimal]
    head: tuple[str, ...]
    wants: Wants

    @classmethod
    def of(cls, text: str, facets: Facets) -> Asked:
        """The words, times and plain numbers of a question."""
        plain = spelled_out(without_facets(text))
        words = words_of(plain)
        kept = dict.fromkeys(stem(word) for word in words if word not in COMMON_WORDS)
        numbers = {value.value for _, _, value in find_numbers(plain) if value.value is not None}
        sequence = tuple(stem(word) for word in words)
        return cls(text, tuple(kept), sequence, facets, frozenset(numbers), head_of(text), Wants.of(text))


@dataclass(frozen=True, slots=True)
class Kind:
    """What a path says of its figures."""

    is_percent: bool
    is_count: bool
    is_statistic: bool
    is_change: bool
    is_average: bool
    is_whole: bool
    facets: Facets


@lru_cache(maxsize=65536)
def kind_of(path: str) -> Kind:
    """What a header path, written as one text, says of its figures."""
    return Kind(
        is_percent=bool(PERCENT.search(path)),
        is_count=bool(_NUMBER_WORD.search(path)),
        is_statistic=bool(STATISTIC.search(path)),
        is_change=bool(CHANGE.search(path)),
        is_average=bool(AVERAGE.search(path)),
        is_whole=bool(WHOLE_WORDS & set(spelled_stems(path))),
        facets=facets_of(path),
    )


@lru_cache(maxsize=65536)
def spelled_stems(label: str) -> tuple[str, ...]:
    """The stems of a label in order, its signs and small numbers spelled one way."""
    return tuple(stem(word) for word in words_of(spelled_out(label)))


def spelled_out(text: str) -> str:
    """The text with its signs in words and its small numbers and ordinals in digits."""
    for sign, word in _SIGNS:
        text = text.replace(sign, word)
    return _WORD.sub(lambda found: in_digits(found.group()), text)


def in_digits(word: str) -> str:
    """A small number or ordinal in digits, any other word as it is."""
    return DIGITS.get(word.lower(), word)


def is_currency(unit: str) -> bool:
    """Whether a unit is the code of a currency, "USD"."""
    return len(unit) == 3 and unit.isupper()


def head_of(question: str) -> tuple[str, ...]:
    """The stems of what is asked for: behind the question word, up to the next word that joins or ends.

    Example: head_of("What was the capacity of the north station?") -> ("capacity",).
    """
    words = _HEAD_TOKEN.findall(question.lower())
    behind = dropwhile(lambda word: word not in _ASKING, words)
    asked = dropwhile(lambda word: word in _ASKING | _FILLERS, behind)
    head = words_of(spelled_out(" ".join(takewhile(lambda word: word not in _HEAD_ENDS, asked))))
    return tuple(stem(word) for word in head if word not in COMMON_WORDS)


def is_negated(text: str) -> bool:
    """Whether the text says "not", "without", "non…" or the like."""
    words = _WORD.findall(text.lower())
    return any(word in _NEGATIONS or (word.startswith("non") and len(word) > MIN_NEGATED) for word in words)
