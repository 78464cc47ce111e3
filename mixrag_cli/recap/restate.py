"""Restate: what kind of question it is, what it asks for, and which operands an answer needs.

By rule, from the question's words alone. A question becomes one or two operands, each a small question of its
own ("Apple's total net sales", quarter ended July 1, 2023) that evidence is sought for by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from mixrag_cli.quantities.facets import Facets, facets_of
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.recap.asked_operands import (
    MANNER,
    Operand,
    all_years,
    as_asked,
    names_of,
    operand_of,
    pair_operands,
    parts_of,
    period_operands,
    share_operands,
    whole_of,
    year_before_operands,
)
from mixrag_cli.recap.splitting import AS_SHARE, SHARE_WORD, compared_texts, listed_texts
from mixrag_cli.recap.wording import any_wording

Operation = Literal[
    "lookup", "difference", "change_percent", "sum", "average", "ratio", "share", "maximum", "minimum", "count"
]
Expects = Literal["number", "percent", "any", "text", "code", "label"]


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


def asks_passage(restated: Restated) -> bool:
    """Whether a paragraph or a code block is an answer: to how, why and who, not to which value."""
    return restated.operation == "lookup" and restated.expects in ("text", "code")


_CHANGE_WORD = r"(?:change|increase|decrease|growth|decline|rise|drop)"
_CHANGE_PERCENT = any_wording(
    rf"\b(percent(age)?|%)\s+{_CHANGE_WORD}\b",
    r"\bby (what|how many) (percent|percentage|%)",
    r"\b(growth|change) rate\b|\brate of (growth|change)\b|\bchange \(%\)",
    r"\b(change|increase|decrease|grow|grew|rise|rose|fall|fell|decline)\w*\b[^?]*\bin (percent|per cent|percentage|%)",
)
_DIFFERENCE = any_wording(
    r"\bdifference\b|\bdiffer(ed|s)?\b|\b(net )?change (in|of|between)\b|\bby how much\b",
    r"\bby how many\b(?! times)[^?]*\b(?:exceed|than\b|increas|decreas|declin|grow|grew|r[io]se|fall|fell|drop|chang)",
    r"\bhow many (?:more|fewer|less)\b[^?]*\bthan\b",
    r"\bhow much (more|less|higher|lower|greater|larger|smaller|longer|shorter)\b",
    r"\bhow much (?:did|has|have)\b[^?]*\b(?:increase|decrease|decline|grow|rise|fall|drop|change)\b",
    r"\b(increase|decrease|decline|grow|growth|rise|drop)\w*( ?/ ?\(?\w+\)?)? (in|of|between|from)\b",
)
_DISTANCE = any_wording(r"\b(differ|difference|by how much|how much (more|less|higher|lower))")
_SHARE = any_wording(
    rf"\b(?:what|which|how (?:large|big|high))\b[^?]*?\b{SHARE_WORD}(?: constitution| composition)?\s+of\b"
)
_RATIO = any_wording(r"\bratio (of|between)\b", r"\bhow many times (as|more|larger|greater)\b")
_AVERAGE = any_wording(r"\b(?<!weighted[ -])(average|mean)\b")
_SUM = any_wording(r"\b(sum of|combined|altogether|(?:taken|put|added) together|sum total|in total|total of)\b")
_MAXIMUM = any_wording(
    r"\b(highest|largest|biggest|greatest|maximum|most|longest|oldest|tallest)\b",
    r"\bwhich\b.*\b(higher|larger|bigger|greater|more)\b(?! than (?:[$€£]\s?)?\d)",
)
_MINIMUM = any_wording(
    r"\b(lowest|smallest|least|minimum|fewest|shortest|youngest)\b",
    r"\bwhich\b.*\b(lower|smaller|less|fewer)\b(?! than (?:[$€£]\s?)?\d)",
)
_TOTAL_OVER_PERIODS = any_wording(r"\b(total|combined|overall)\b")
_LIMIT = any_wording(
    r"\bat (most|least)\b|\bmost recent|\bup to\b|\b(maximum|minimum) (number|size|length|interval|of)\b|\bdefault\b"
)
_COUNT = any_wording(r"\bhow many (rows|entries|records|different|distinct|countries|states|stations|items|lines)\b")
_ASKS_LABEL = any_wording(r"^\s*(which|who|where|when|(?:in|for|at|on) which|what \w+ (?:had|has|have|was|is|were))\b")
_QUANTITY = any_wording(
    r"\bhow (much|many|high|large|big|long|old|far|tall|heavy|often)\b",
    r"\bwhat (was|were|is|are) the (total|number|amount|value|price|cost|rate|size|sum|default|maximum|minimum|average|"
    r"mean|balance|level)\b",
    r"\bwhat (percentage|percent|share|rate|effective|number|amount|proportion)\b",
    r"\b(?:at|for) what (price|cost|age|value|level|height|weight|speed|temperature)\b",
)
_COSTS = any_wording(r"^\s*(?:what|how much) (?:does|do|did|will|would) [^?]+? (?:cost|weigh|measure|charge|earn)\W*$")
_HOW_MANY = any_wording(r"\bhow (much|many)\b")
_HOW_MANY_PERCENT = any_wording(r"\bhow (?:much|many) (?:per ?cent(?:age)?|percentage points|%)")
_PERCENT = any_wording(r"\b(percent|percentage|per cent|share|proportion|rate|margin percentage)\b|%")
_CODE = any_wording(
    r"\b(which|what) (function|method|class|decorator|module|exception|attribute|constant|command|option|flag)\b",
    r"\b(function|method|class) (that|which|is|does|for)\b|\w+\(\)",
)
_PROSE = any_wording(
    r"^\s*how (do|does|can|should|would|to|is|are)\b",
    r"^\s*(who|whom|whose|where|why|when|which|name|define|describe|explain)\b",
)
_REASON = any_wording(
    r"^\s*why\b",
    r"\b(?:reasons?|causes?|drivers?|explanations?) (?:for|of|behind|why)\b",
    r"^\s*what (?:\w+ )?(?:caused|drove|led|contributed|resulted|explains?|explained|affected|impacted)\b",
    r"\b(?:due|attributable|attributed) to what\b",
)
_YEARS_LISTED = any_wording(
    r"(?:19|20)\d\d(?:,| and|, and)\s+(?:(?!between|from|to)[a-z]+\s+){0,3}?(?:\d{1,2},\s+)?(?:19|20)\d\d\b(?!\s*-)",
    r"\brespective(?:ly)?\b",
)
_ASKS_PERIODS = any_wording(
    r"\b(?:how many|which|what)(?: of the)?(?: fiscal| financial)? (?:years?|quarters?|periods?|months?)\b"
    r"(?: (?:did|was|were|had|has|is|are|does|do|that))?(?: the)?"
)
_COMPARED = re.compile(
    r"\b(?:(?:was|were|is|are|had|of)\s+)?(?:(?P<above>exceed(?:s|ed|ing)?|(?:above|over)|(?:more|greater|higher|larger)\s+"
    r"than)|(?:below|under|(?:less|lower|smaller|fewer)\s+than))\s+(?=[$€£]?\s?\d)",
    re.IGNORECASE,
)
_SPAN_OF_TIME = any_wording(r"\b(?:between|from)\b[^?]*(?:19|20)\d\d")
_RESPECTIVELY = any_wording(r",?\s*\brespective(?:ly)?\b")
_ASKS_YEAR = any_wording(r"\b(?:which|what) (?:fiscal |financial )?years?\b")


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
        whole=whole_of(question),
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
    years = frozenset(all_years(question[: compared.end()], facets_of(question[: compared.end()])))
    operand = operand_of(question[asked.end() : compared.start()], Facets())
    return Condition(compared["above"] is not None, limits[0].value * limits[0].scale, operand, years)


def operation_of(question: str) -> Operation:
    """The calculation that the question's wording calls for, "lookup" where it calls for none."""
    if _REASON.search(question) or MANNER.search(question):
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
    if _TOTAL_OVER_PERIODS.search(question) and len(period_operands(question)) >= 2:
        return "sum"
    return "lookup"


def expects_of(question: str, operation: Operation) -> Expects:
    """The form of the answer: a number, a percentage, a label of a row, a piece of code, or text."""
    if operation in ("change_percent", "share"):
        return "percent"
    if operation == "lookup" and (_REASON.search(question) or MANNER.search(question)):
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
    return "text" if _PROSE.search(question) else "any"


def operands_of(question: str, operation: Operation) -> tuple[Operand, ...]:
    """The things to find, in the order in which the formula names them."""
    if operation == "share":
        return share_operands(question)
    if operation in ("difference", "change_percent", "ratio", "sum", "average"):
        text = _TOTAL_OVER_PERIODS.sub(" ", question) if operation == "sum" else question
        changes = operation in ("difference", "change_percent")
        since = year_before_operands(text) if changes else ()
        if operation == "difference" and (split := compared_texts(text)):
            return tuple(operand_of(each) for each in split)
        if operation == "sum" and (split := listed_texts(text)) and not period_operands(text):
            return tuple(operand_of(each) for each in split)
        return period_operands(text, with_inner=not changes) or pair_operands(text) or since or (operand_of(text),)
    if operation == "lookup" and _lists_periods(question):
        return as_asked(question, period_operands(_RESPECTIVELY.sub(" ", question))) or (whole_of(question),)
    return (whole_of(question),)


def _lists_periods(question: str) -> bool:
    """Whether one value a period is asked for ("in 2018 and 2019, respectively"), not one over a span of time."""
    if _REASON.search(question):
        return False
    is_span = _SPAN_OF_TIME.search(question) is not None
    return _RESPECTIVELY.search(question) is not None or (not is_span and _YEARS_LISTED.search(question) is not None)
