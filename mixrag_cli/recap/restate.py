"""Restate: what kind of question it is, what it asks for, and which operands an answer needs.

By rule, from the question's words alone. A question becomes one or two operands, each a small question of its
own ("Apple's total net sales", quarter ended July 1, 2023) that evidence is sought for by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from mixrag_cli.recap.language import Facets, date_text, facets_of, terms_of, without_facets
from mixrag_cli.recap.splitting import AS_SHARE, SHARE_WORD, between_texts, compared_texts, listed_texts, share_texts
from mixrag_cli.tables.prose_numbers import find_numbers

Operation = Literal[
    "lookup", "difference", "change_percent", "sum", "average", "ratio", "share", "maximum", "minimum", "count"
]
Expects = Literal["number", "percent", "any", "text", "code", "label"]

MAX_OPERANDS = 4


@dataclass(frozen=True, slots=True)
class Operand:
    """One thing to find: its wording, its terms and its times. is_whole: whether it is the question itself."""

    text: str
    terms: tuple[str, ...]
    facets: Facets
    is_whole: bool = False

    @property
    def asked(self) -> str:
        """The wording with a question's mark, where it is one: a token's vector is of what is around it."""
        return f"{self.text}?" if self.is_whole else self.text


@dataclass(frozen=True, slots=True)
class Condition:
    """A limit that values must pass ("how many years did X exceed 5 million"). limit: in base units."""

    is_above: bool
    limit: Decimal
    operand: Operand
    years: frozenset[int]


@dataclass(frozen=True, slots=True)
class Restated:
    """The question, understood.

    parts: the questions in it ("what is X and which Y does it need"), one where it asks one thing. names: terms
    written as names in the question, which evidence must know.
    """

    question: str
    operation: Operation
    expects: Expects
    whole: Operand
    operands: tuple[Operand, ...]
    parts: tuple[Operand, ...]
    names: frozenset[str]
    asks: str
    condition: Condition | None = None

    @property
    def asks_distance(self) -> bool:
        """Whether a difference is asked for without its sign ("by how much do they differ")."""
        return self.operation == "difference" and _DISTANCE.search(self.question) is not None

    @property
    def asks_year(self) -> bool:
        """Whether the answer is to be a year ("in which fiscal year was …")."""
        return _ASKS_YEAR.search(self.question) is not None

    @property
    def kind(self) -> str:
        """The type as the JSON form tells it: lookup, arithmetic, aggregate, code or prose."""
        if self.operation in ("difference", "change_percent", "ratio", "share"):
            return "arithmetic"
        if self.operation != "lookup":
            return "aggregate"
        return {"code": "code", "text": "prose", "any": "lookup"}.get(self.expects, "lookup")


def _rule(*patterns: str) -> re.Pattern[str]:
    """One pattern that holds where any of the wordings stands, whatever the case."""
    return re.compile("|".join(patterns), re.IGNORECASE)


_CHANGE_WORD = r"(?:change|increase|decrease|growth|decline|rise|drop)"
_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"

_CHANGE_PERCENT = _rule(
    rf"\b(percent(age)?|%)\s+{_CHANGE_WORD}\b",
    r"\bby (what|how many) (percent|percentage|%)",
    r"\b(growth|change) rate\b|\brate of (growth|change)\b|\bchange \(%\)",
    r"\b(change|increase|decrease|grow|grew|rise|rose|fall|fell|decline)\w*\b[^?]*\bin (percent|per cent|percentage|%)",
)
_DIFFERENCE = _rule(
    r"\bdifference\b|\bdiffer(ed|s)?\b|\b(net )?change (in|of|between)\b|\bby how much\b",
    r"\bby how many\b(?! times)[^?]*\b(?:exceed|than\b|increas|decreas|declin|grow|grew|r[io]se|fall|fell|drop|chang)",
    r"\bhow many (?:more|fewer|less)\b[^?]*\bthan\b",
    r"\bhow much (more|less|higher|lower|greater|larger|smaller|longer|shorter)\b",
    r"\bhow much (?:did|has|have)\b[^?]*\b(?:increase|decrease|decline|grow|rise|fall|drop|change)\b",
    r"\b(increase|decrease|decline|grow|growth|rise|drop)\w*( ?/ ?\(?\w+\)?)? (in|of|between|from)\b",
)
_MANNER = _rule(
    r"^\s*(?:how|in (?:what|which) (?:way|respect|manner)s?) (?:do|does|did|would|is|are)\b[^?]*\bdiffer",
    r"^\s*what (?:does|do|did|will|would) [^?]*\b(?:return|yield|raise|throw)\b",
)
_DISTANCE = _rule(r"\b(differ|difference|by how much|how much (more|less|higher|lower))")
_SHARE = _rule(rf"\b(?:what|which|how (?:large|big|high))\b[^?]*?\b{SHARE_WORD}(?: constitution| composition)?\s+of\b")
_RATIO = _rule(r"\bratio (of|between)\b", r"\bhow many times (as|more|larger|greater)\b")
_AVERAGE = _rule(r"\b(?<!weighted[ -])(average|mean)\b")
_SUM = _rule(r"\b(sum of|combined|altogether|(?:taken|put|added) together|sum total|in total|total of)\b")
_MAXIMUM = _rule(
    r"\b(highest|largest|biggest|greatest|maximum|most|longest|oldest|tallest)\b",
    r"\bwhich\b.*\b(higher|larger|bigger|greater|more)\b(?! than (?:[$€£]\s?)?\d)",
)
_MINIMUM = _rule(
    r"\b(lowest|smallest|least|minimum|fewest|shortest|youngest)\b",
    r"\bwhich\b.*\b(lower|smaller|less|fewer)\b(?! than (?:[$€£]\s?)?\d)",
)
_TOTAL_OVER_PERIODS = _rule(r"\b(total|combined|overall)\b")
_LIMIT = _rule(
    r"\bat (most|least)\b|\bmost recent|\bup to\b|\b(maximum|minimum) (number|size|length|interval|of)\b|\bdefault\b"
)
_COUNT = _rule(r"\bhow many (rows|entries|records|different|distinct|countries|states|stations|items|lines)\b")
_ASKS_LABEL = _rule(r"^\s*(which|who|where|when|(?:in|for|at|on) which|what \w+ (?:had|has|have|was|is|were))\b")
_QUANTITY = _rule(
    r"\bhow (much|many|high|large|big|long|old|far|tall|heavy|often)\b",
    r"\bwhat (was|were|is|are) the (total|number|amount|value|price|cost|rate|size|sum|default|maximum|minimum|average|"
    r"mean|balance|level)\b",
    r"\bwhat (percentage|percent|share|rate|effective|number|amount|proportion)\b",
    r"\b(?:at|for) what (price|cost|age|value|level|height|weight|speed|temperature)\b",
)
_COSTS = _rule(r"^\s*(?:what|how much) (?:does|do|did|will|would) [^?]+? (?:cost|weigh|measure|charge|earn)\W*$")
_HOW_MANY = _rule(r"\bhow (much|many)\b")
_HOW_MANY_PERCENT = _rule(r"\bhow (?:much|many) (?:per ?cent(?:age)?|percentage points|%)")
_WHAT_IS = _rule(r"(?:^|,)\s*what(?:['’]s| (?:was|were|is|are))\b")  # also behind "in 2014, "
_PERCENT = _rule(r"\b(percent|percentage|per cent|share|proportion|rate|margin percentage)\b|%")
_CODE = _rule(
    r"\b(which|what) (function|method|class|decorator|module|exception|attribute|constant|command|option|flag)\b",
    r"\b(function|method|class) (that|which|is|does|for)\b|\w+\(\)",
)
_PROSE = _rule(
    r"^\s*how (do|does|can|should|would|to|is|are)\b",
    r"^\s*(who|whom|whose|where|why|when|which|name|define|describe|explain)\b",
)
_OPERATION_WORDS = _rule(
    rf"\b(?:{SHARE_WORD}|per cent|ratio|difference|differ(?:ed|s)?|by how much)\b|%",
    r"\bhow much (?:more|less|higher|lower)\b",
    r"\b(?:average|mean|sum|combined|altogether|(?:taken|put|added) together)\b",
    r"\b(?:highest|largest|biggest|greatest|lowest|smallest|least|most|fewest)\b",
    r"\b(?:higher|lower|larger|smaller|bigger|greater|more|less|fewer)\b",
    r"\b(?:in |for |at )?which (?:fiscal )?(?:year|quarter|period|month|date)\b",
    r"\b(?:longest|shortest|changed?|increased?|decreased?|declined?|grow(?:th|n)?|grew|rise|rose|fell|fall)s?\b",
)
_IN_UNIT = _rule(
    r"\bin (?:cubic |square |kilo|mega|milli|centi|thousands? of |millions? of )*"
    r"(?:metres?|meters?|feet|miles|litres?|liters?|grams?|tonnes?|watt[ -]?hours|kwh|km|kg|euros?|dollars?"
    r"|pounds?|percent|%|seconds|minutes|hours|days|weeks|months|years)(?: (?:per|a|an) \w+)?\b"
)
_AND_ASKS = _rule(r",? and (?=(?:what|which|who|how|when|where|why)\b)")
_REASON = _rule(
    r"^\s*why\b",
    r"\b(?:reasons?|causes?|drivers?|explanations?) (?:for|of|behind|why)\b",
    r"^\s*what (?:\w+ )?(?:caused|drove|led|contributed|resulted|explains?|explained|affected|impacted)\b",
    r"\b(?:due|attributable|attributed) to what\b",
)
_YEARS_LISTED = _rule(
    r"(?:19|20)\d\d(?:,| and|, and)\s+(?:(?!between|from|to)[a-z]+\s+){0,3}?(?:\d{1,2},\s+)?(?:19|20)\d\d\b(?!\s*-)",
    r"\brespective(?:ly)?\b",
)
_ASKS_PERIODS = _rule(
    r"\b(?:how many|which|what)(?: of the)?(?: fiscal| financial)? (?:years?|quarters?|periods?|months?)\b"
    r"(?: (?:did|was|were|had|has|is|are|does|do|that))?(?: the)?"
)
_COMPARED = re.compile(
    r"\b(?:(?:was|were|is|are|had|of)\s+)?(?:(?P<above>exceed(?:s|ed|ing)?|(?:above|over)|(?:more|greater|higher|larger)\s+"
    r"than)|(?:below|under|(?:less|lower|smaller|fewer)\s+than))\s+(?=[$€£]?\s?\d)",
    re.IGNORECASE,
)
_SPAN_OF_TIME = _rule(r"\b(?:between|from)\b[^?]*(?:19|20)\d\d")
_RESPECTIVELY = _rule(r",?\s*\brespective(?:ly)?\b")
_ASKS_YEAR = _rule(r"\b(?:which|what) (?:fiscal |financial )?years?\b")
_NAME = re.compile(r"(?<![.?!]\s)(?<!^)\b([A-Z][\w&.'’-]*[A-Za-z0-9]|[A-Z])\b")
_LEFT_JOINTS = _rule(r"\b(?:between|from)\s+(?:and|to)\b|\b(?:and|to)\b(?=\W*$)|\?")
_YEAR_RANGE = re.compile(r"\b((?:19|20)\d\d)\s*(?:-|–|through|to)\s*((?:19|20)\d\d)\b")
_PERIOD_PHRASE = _rule(
    r"(?:(?:the|in|for|at|on|during|as of)\s+)*"
    r"(?:(?:three|six|nine|twelve|3|6|9|12)[\s-]+months?|quarter|year|fiscal year)?\s*(?:ended|ending)?\s*"
    rf"(?:(?:19|20)\d\d-\d\d-\d\d|{_MONTH}\s+\d{{1,2}},?\s+(?:19|20)\d\d|\d{{1,2}}\s+{_MONTH}\s+(?:19|20)\d\d|(?:19|20)\d\d|q[1-4]\s+(?:19|20)\d\d)"
)


def restate(question: str) -> Restated:
    """Understand the question by rule.

    Example: "What share of NVIDIA's revenue came from Data Center in 2023?" -> operation "share", expects
    "percent", operands ("Data Center" 2023, "NVIDIA's revenue" 2023).
    """
    condition = condition_of(question)
    operation = operation_of(question) if condition is None else "count"
    operands = operands_of(question, operation) if condition is None else (condition.operand,)
    return Restated(
        question=question,
        operation=operation,
        expects="label" if condition and not _HOW_MANY.search(question) else expects_of(question, operation),
        whole=_whole(question),
        operands=operands,
        parts=parts_of(question),
        names=names_of(question),
        asks="; ".join(operand.text for operand in operands),
        condition=condition,
    )


def condition_of(question: str) -> Condition | None:
    """The limit that values of periods must pass, None where the question sets none.

    Example: "How many years did net income exceed $30 million?" -> above 30,000,000, operand "net income".
    """
    asked, compared = _ASKS_PERIODS.search(question), _COMPARED.search(question)
    if asked is None or compared is None or compared.start() < asked.end():
        return None
    limits = [value for _, _, value in find_numbers(question[compared.end() :]) if value.value is not None]
    if not limits or limits[0].value is None:
        return None
    years = frozenset(_all_years(question[: compared.end()], facets_of(question[: compared.end()])))
    operand = _operand(question[asked.end() : compared.start()], Facets())
    return Condition(compared["above"] is not None, limits[0].value * limits[0].scale, operand, years)


def operation_of(question: str) -> Operation:
    """The calculation that the question's wording calls for, "lookup" where it calls for none."""
    if _REASON.search(question) or _MANNER.search(question):
        return "lookup"
    if _CHANGE_PERCENT.search(question):
        return "change_percent"
    if _RATIO.search(question):
        return "ratio"
    if AS_SHARE.search(question) or _SHARE.search(question):
        return "share"
    if _DIFFERENCE.search(question):
        return "difference"
    if _COUNT.search(question):
        return "count"
    if _AVERAGE.search(question):
        return "average"
    if _SUM.search(question):
        return "sum"
    if not _LIMIT.search(question):
        if _MAXIMUM.search(question):
            return "maximum"
        if _MINIMUM.search(question):
            return "minimum"
    if _TOTAL_OVER_PERIODS.search(question) and len(_period_operands(question)) >= 2:
        return "sum"
    return "lookup"


def expects_of(question: str, operation: Operation) -> Expects:
    """The form of the answer: a number, a percentage, a label of a row, a piece of code, or text."""
    if operation in ("change_percent", "share"):
        return "percent"
    if operation == "lookup" and (_REASON.search(question) or _MANNER.search(question)):
        return "text"
    if operation in ("maximum", "minimum"):
        return "label" if _ASKS_LABEL.search(question) else "number"
    if operation != "lookup":
        return "number"
    if _CODE.search(question):
        return "code"
    if _HOW_MANY_PERCENT.search(question):
        return "percent"
    if _HOW_MANY.search(question) or _COSTS.search(question):
        return "number"
    if _QUANTITY.search(question):
        return "percent" if _PERCENT.search(question) else "number"
    if _PROSE.search(question):
        return "text"
    return "any" if _WHAT_IS.search(question) else "text"


def operands_of(question: str, operation: Operation) -> tuple[Operand, ...]:
    """The things to find, in the order in which the formula names them."""
    if operation == "share":
        return _share_operands(question)
    if operation in ("difference", "change_percent", "ratio", "sum", "average"):
        text = _TOTAL_OVER_PERIODS.sub(" ", question) if operation == "sum" else question
        changes = operation in ("difference", "change_percent")
        since = _year_before_operands(text) if changes else ()
        if operation == "difference" and (split := compared_texts(text)):
            return tuple(_operand(each) for each in split)
        if operation == "sum" and (split := listed_texts(text)) and not _period_operands(text):
            return tuple(_operand(each) for each in split)
        return _period_operands(text, with_inner=not changes) or _pair_operands(text) or since or (_operand(text),)
    if operation == "lookup" and _lists_periods(question):
        return _as_asked(question, _period_operands(_RESPECTIVELY.sub(" ", question))) or (_whole(question),)
    return (_whole(question),)


def _lists_periods(question: str) -> bool:
    """Whether one value a period is asked for ("in 2018 and 2019, respectively"), not one over a span of time."""
    if _REASON.search(question):
        return False
    is_span = _SPAN_OF_TIME.search(question) is not None
    return _RESPECTIVELY.search(question) is not None or (not is_span and _YEARS_LISTED.search(question) is not None)


def parts_of(question: str) -> tuple[Operand, ...]:
    """The questions that a question asks, each naming the subject of the first.

    Example: "What is HTTPX and which Python versions does it require?" -> ("What is HTTPX", "which Python versions
    does it require HTTPX").
    """
    first, *others = _AND_ASKS.split(question)
    if not others or not terms_of(first):
        return (_whole(question),)
    subject = " ".join(sorted(names_of(first)))
    return (_operand(first), *(_operand(f"{other} {subject}") for other in others))


def names_of(question: str) -> frozenset[str]:
    """Stems of the words that the question writes as names: capitals inside the sentence."""
    names = _NAME.findall(without_facets(question))
    return frozenset(term for name in names for term in terms_of(name) if not term.isdigit())


def _whole(question: str) -> Operand:
    whole = _operand(question)
    return replace(whole, is_whole=True, facets=_of_figures(whole.facets))


def _of_figures(facets: Facets) -> Facets:
    """The times of the figures, where a month is asked for as of a day of another: "May futures … on 3 March 2014"."""
    months = frozenset(date for date in facets.dates if date[0] and not date[2])
    if (
        not months
        or len(months) == len(facets.dates)
        or any(date[:2] == m[:2] for m in months for date in facets.dates - months)
    ):
        return facets
    return replace(facets, years=frozenset(year for year, _, _ in months), dates=months)


def _operand(text: str, facets: Facets | None = None) -> Operand:
    plain = _IN_UNIT.sub(" ", without_facets(text))
    plain = plain if _MANNER.search(text) else _OPERATION_WORDS.sub(" ", plain)  # "differ" is the deed, no operation
    return Operand(" ".join(text.split()).rstrip("?. "), terms_of(plain), facets_of(text) if facets is None else facets)


def _period_operands(question: str, *, with_inner: bool = True) -> tuple[Operand, ...]:
    """One operand a period, earliest first, where the question names two or more.

    with_inner: whether a range of years means those between its ends, too; a change is that from end to end.
    """
    facets = facets_of(question)
    full_dates = sorted(date for date in facets.dates if date[0] and date[2])
    what = _without_periods(question)
    if len(full_dates) >= 2:
        return tuple(
            _operand(
                f"{what} {date_text(date)}",
                Facets(frozenset({date[0]}), frozenset({date}), facets.quarters, facets.months),
            )
            for date in full_dates[:MAX_OPERANDS]
        )
    if len(facets.years) >= 2:
        return tuple(
            _operand(f"{what} {year}", Facets(frozenset({year}), frozenset(), facets.quarters, facets.months))
            for year in (_all_years(question, facets) if with_inner else sorted(facets.years))[:MAX_OPERANDS]
        )
    return ()


def _as_asked(question: str, operands: Sequence[Operand]) -> tuple[Operand, ...]:
    """Operands of a year each in the order in which the question names the years, where it names them all."""
    places = [question.find(str(max(operand.facets.years, default=0))) for operand in operands]
    if min(places, default=-1) < 0 or len(set(places)) < len(places):
        return tuple(operands)
    return tuple(operand for _, operand in sorted(zip(places, operands, strict=True), key=lambda pair: pair[0]))


def _without_periods(question: str) -> str:
    """The question less its periods and the words that joined them ("between … and …")."""
    return " ".join(_LEFT_JOINTS.sub(" ", _PERIOD_PHRASE.sub(" ", question)).split())


def _year_before_operands(question: str) -> tuple[Operand, ...]:
    """The year before and the year named: "the change in sales in 2019" is that since 2018."""
    facets = facets_of(question)
    if len(facets.years) != 1 or facets.dates:
        return ()
    (year,) = facets.years
    what = _without_periods(question)
    return tuple(
        _operand(f"{what} {each}", Facets(frozenset({each}), frozenset(), facets.quarters, facets.months))
        for each in (year - 1, year)
    )


def _all_years(question: str, facets: Facets) -> list[int]:
    """The years named, in order, those inside a range ("2017-2019") included."""
    years = set(facets.years)
    for ends in _YEAR_RANGE.findall(question):
        first, last = sorted(map(int, ends))
        years |= set(range(first, last + 1))
    return sorted(years)


def _pair_operands(question: str) -> tuple[Operand, ...]:
    """Two operands from "between A and B", where both are worded; the rest of the question goes to each."""
    return tuple(_operand(text) for text in between_texts(question))


def _share_operands(question: str) -> tuple[Operand, ...]:
    """The part and the whole of "what share of WHOLE came from PART" or "PART as a share of WHOLE"."""
    texts = share_texts(question)
    if not texts:
        return (_whole(question),)
    facets = facets_of(question)
    subject = " ".join(sorted(re.findall(r"\b\w+(?=['’]s\b)", question)))
    return _operand(f"{texts[0]} {subject}", facets), _operand(texts[1], facets)
