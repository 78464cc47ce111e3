"""What the words of a question ask for, and what the words of a header path say of its figures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from mixrag_cli.quantities.facets import Facets, facets_of, without_facets
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.words import COMMON_WORDS, stem, words_of

WHOLE_WORDS = frozenset(("total", "all", "both", "overall"))  # what is meant where no part is named
PERCENT_UNITS = ("%", "pp", "bp")
MAX_PERCENT = 100  # of a part: what is more than its whole is another thing than was asked for
# What a comparison is of, where it does not say so itself: who is older has the higher age.
COMPARATIVES = {"older": "age", "younger": "age", "taller": "height", "heavier": "weight", "lighter": "weight"}
_SUPERLATIVES = {"oldest": "age", "youngest": "age", "tallest": "height", "heaviest": "weight", "lightest": "weight"}
_VERBS = {
    "earn earns earned": "salary wage income earnings pay",
    "weigh weighs weighed heavy": "weight mass",
    "old": "age",
    "tall": "height",
}
_IMPLIED_MEASURES = {
    **{word: frozenset((stem(measure),)) for word, measure in (*COMPARATIVES.items(), *_SUPERLATIVES.items())},
    **{
        word: frozenset(stem(measure) for measure in measures.split())
        for words, measures in _VERBS.items()
        for word in words.split()
    },
}
MIN_NEGATED = 4  # letters of "non…" and more: "nonmanufacturing", not "none"
PERCENT = re.compile(r"%|\b(?:per ?cent(?:age)?s?|proportion|share|rate)\b", re.IGNORECASE)
COUNT = re.compile(r"\bhow many\b(?! per ?cent)|\bnumber of\b", re.IGNORECASE)
MONEY = re.compile(
    r"[$€£]|\b(?:dollars?|euros?|pounds?|usd|eur|gbp|cost|spen[dt]|paid|earn(?:ed|ings)?)\b", re.IGNORECASE
)
CHANGE = re.compile(
    r"\b(?:chang|increas|decreas|declin|grow|grew|differ|drop|fell|fall|rise|rose|gap)\w*|\bpercentage points?\b",
    re.IGNORECASE,
)
TOTAL = re.compile(r"\b(?:total(?:ly|s)?|overall|altogether|all|entire|combined)\b", re.IGNORECASE)
STATISTIC = re.compile(
    r"\b(?:confidence|interval|ci|error|deviation|ref|reference|significan\w*|p.value|lower|upper|rank|index|ratio)\b",
    re.IGNORECASE,
)
AVERAGE = re.compile(r"\b(?:average|mean|median|avg|per)\b", re.IGNORECASE)
MOST = re.compile(r"\b(?:highest|largest|biggest|greatest|most|maximum|max|top|peak)\b", re.IGNORECASE)
LEAST = re.compile(r"\b(?:lowest|smallest|least|fewest|minimum|min)\b", re.IGNORECASE)
RATIO = re.compile(r"\bratios?\b", re.IGNORECASE)
_WHICH = re.compile(
    r"\b(?:which|who)\b|\bwhat (?:was|is|were|are) the (?:name|result|title|opponent|place)\b"
    r"|\bwhat (?!percent|percentage|proportion|number|share|fraction|is|was|were|are|did|do|does)\w+",
    re.IGNORECASE,
)
_NUMBER_WORD = re.compile(r"\bnumber\b|\bcount\b|\bno\b|\bn\b", re.IGNORECASE)
_SIGNS = (("%", " percent "), ("#", " number "))
_DIGITS = {
    word: str(number)
    for number, words in enumerate(
        ("one first 1st", "two second 2nd", "three third 3rd", "four fourth 4th", "five fifth 5th", "six sixth 6th",
         "seven seventh 7th", "eight eighth 8th", "nine ninth 9th", "ten tenth 10th"), start=1)
    for word in words.split()
}  # fmt: skip
_SPELLED = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:what|which|how much|how many|how)\b\s*(?:was|were|is|are|did|do|does|the|percentage|percent|proportion|"
    r"share|number|of|a|an|per cent|total|average|many|much|million|millions|billion|dollars|'s|points?|\s)*",
    re.IGNORECASE,
)
_HEAD_ENDS = re.compile(
    r"\b(?:of|in|for|among|from|by|with|who|that|which|at|on|to|was|were|is|are|did|had|have|has|do|does|than|as|when|"
    r"where|during|between|and|or|within|without)\b|[,?.;]",
    re.IGNORECASE,
)
_NEGATIONS = frozenset(
    ("not", "non", "no", "without", "never", "neither", "nor", "un", "outside", "other", "except", "excluding")
)
_LETTERS = re.compile(r"[a-z]+")


def any_wording(*patterns: str) -> re.Pattern[str]:
    """One pattern that holds where any of the wordings stands, whatever the case."""
    return re.compile("|".join(patterns), re.IGNORECASE)


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
    return _SPELLED.sub(lambda found: _DIGITS[found.group().lower()], text)


def is_currency(unit: str) -> bool:
    """Whether a unit is the code of a currency, "USD"."""
    return len(unit) == 3 and unit.isupper()


def head_of(question: str) -> tuple[str, ...]:
    """The stems of what is asked for: behind the question word, up to the next word that joins or ends.

    Example: head_of("What was the capacity of the north station?") -> ("capacity",).
    """
    asks = _ASKS.search(question)
    if asks is None:
        return ()
    behind = question[asks.end() :]
    ends = _HEAD_ENDS.search(behind)
    words = words_of(spelled_out(behind[: ends.start()] if ends else behind))
    return tuple(stem(word) for word in words if word not in COMMON_WORDS)


def is_negated(text: str) -> bool:
    """Whether the text says "not", "without", "non…" or the like."""
    words = _LETTERS.findall(text.lower())
    return any(word in _NEGATIONS or (word.startswith("non") and len(word) > MIN_NEGATED) for word in words)


def measures_implied(text: str) -> frozenset[str]:
    """Stems of the measures that the text compares or asks without naming them.

    Example: "the oldest of them" -> {"age"}.
    """
    return frozenset().union(*(_IMPLIED_MEASURES[word] for word in words_of(text) if word in _IMPLIED_MEASURES))
