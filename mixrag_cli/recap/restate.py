"""Restate: what kind of question it is, what it asks for, and which operands an answer needs.

The trained reader tells which operation and which form of answer a question wants; its times, names and numbers are
read by their grammar. A question becomes one or more operands, each a small question of its own ("Apple's total net
sales", quarter ended July 1, 2023) that evidence is sought for by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from mixrag_cli.quantities.facets import Facets, facets_of
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.reading import QuestionReading
from mixrag_cli.recap.asked_operands import (
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
from mixrag_cli.recap.splitting import compared_texts, listed_texts
from mixrag_cli.recap.wording import AVERAGE, COMPARED, LEAST, PERCENT, TOTAL, says_best
from mixrag_cli.words import words_of

Operation = Literal[
    "lookup", "difference", "change_percent", "sum", "average", "ratio", "share", "maximum", "minimum", "count"
]
Expects = Literal["number", "percent", "any", "text", "code", "label"]

# What the trained reader calls an operation, as it is called here.
OPERATIONS: Mapping[str, Operation] = {
    "lookup": "lookup",
    "list": "lookup",
    "count": "count",
    "sum": "sum",
    "average": "average",
    "difference": "difference",
    "percent_change": "change_percent",
    "ratio": "ratio",
    "argmax": "maximum",
    "max": "maximum",
    "argmin": "minimum",
    "min": "minimum",
}
OF_PASSAGE = ("passage", "yes-no", "code", "name")  # forms of answer that a paragraph or a code block is, or shows
DISTANCES = frozenset(("differ", "differed", "differs", "difference", "than"))
LIKELY_OPERATION = 0.08  # of a calculation that is tried, too; of three more at most
MOST_READINGS = 3
HALF = 0.5  # of what the trained reader expects, from which on a form is taken for the one that is asked
ASKS_YEAR = re.compile(r"\b(?:which|what) (?:fiscal |financial )?years?\b", re.IGNORECASE)
ASKS_PERIODS = re.compile(
    r"\b(?:how many|which|what)(?: of the)?(?: fiscal| financial)? (?:year|quarter|period|month)s?\b", re.IGNORECASE
)
# One value a period is asked for ("in 2018 and 2019"), not one over a span of time.
LISTED_YEARS = re.compile(
    r"(?:19|20)\d\d(?:,| and|, and)\s+(?:[a-z]+\s+){0,3}?(?:\d{1,2},\s+)?(?:19|20)\d\d\b(?!\s*-)", re.IGNORECASE
)
SPAN_OF_TIME = re.compile(r"\b(?:between|from)\b[^?]*(?:19|20)\d\d", re.IGNORECASE)


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

    wants: what the trained reader makes of it. parts: the questions in it ("what is X and which Y does it need"), one
    where it asks one thing. names: terms written as names in the question, which evidence must know.
    """

    question: str
    wants: QuestionReading
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
        said = set(words_of(self.question))
        return self.operation == "difference" and bool(said & DISTANCES)

    @property
    def asks_year(self) -> bool:
        """Whether the answer is to be a year ("in which fiscal year was …")."""
        return ASKS_YEAR.search(self.question) is not None

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


def restate(question: str, wants: QuestionReading) -> Restated:
    """Understand the question. wants: what the trained reader makes of it.

    Example: "What share of NVIDIA's revenue came from Data Center in 2023?" -> operation "share", expects
    "percent", operands ("Data Center" 2023, "NVIDIA's revenue" 2023).
    """
    condition = condition_of(question)
    operation = operation_of(question, wants) if condition is None else "count"
    operands = operands_of(question, operation) if condition is None else (condition.operand,)
    return Restated(
        question=question,
        wants=wants,
        operation=operation,
        expects=expects_of(question, operation, wants),
        whole=whole_of(question),
        operands=operands,
        parts=parts_of(question),
        names=names_of(question),
        asks="; ".join(operand.text for operand in operands),
        condition=condition,
    )


def ways_to_read(restated: Restated) -> tuple[Restated, ...]:
    """The question by each operation that it is likely enough to want, likeliest first, and as a lookup in any case."""
    if restated.condition is not None:
        return restated, _read_as(restated, "lookup")
    chances = chances_of(restated.question, restated.wants)
    likely = sorted((name for name in chances if chances[name] >= LIKELY_OPERATION), key=lambda name: -chances[name])
    names = dict.fromkeys((restated.operation, *likely[:MOST_READINGS], *_worded(restated.question), "lookup"))
    return tuple(_read_as(restated, name) for name in names)


def _worded(question: str) -> Iterator[Operation]:
    """The calculations that the question may be worded for: for names side by side, a mean, a total."""
    if AVERAGE.search(question):
        yield "average"
    if TOTAL.search(question):
        yield "sum"
    if compared_texts(question):
        yield "difference"
    if listed_texts(question):
        yield "sum"
    if says_best(question):
        yield "minimum" if LEAST.search(question) else "maximum"


def _read_as(restated: Restated, operation: Operation) -> Restated:
    if operation == restated.operation and restated.condition is None:
        return restated
    question = restated.question
    expects, operands = expects_of(question, operation, restated.wants), operands_of(question, operation)
    return replace(restated, operation=operation, expects=expects, operands=operands, condition=None)


def condition_of(question: str) -> Condition | None:
    """The limit that values of periods must pass, None where the question sets none.

    Example: "How many years did net income exceed $30 million?" -> above 30,000,000, operand "net income".
    """
    asked, compared = ASKS_PERIODS.search(question), COMPARED.search(question)
    if asked is None or compared is None or compared.start() < asked.end() or compared["between"]:
        return None
    limits = [value for _, _, value in find_numbers(question[compared.end() :]) if value.value is not None]
    if not limits or limits[0].value is None:
        return None
    years = frozenset(all_years(question[: compared.end()], facets_of(question[: compared.end()])))
    operand = operand_of(question[asked.end() : compared.start()], Facets())
    return Condition(compared["c2"] is not None, limits[0].value * limits[0].scale, operand, years)


def operation_of(question: str, wants: QuestionReading) -> Operation:
    """The calculation that is likeliest wanted."""
    chances = chances_of(question, wants)
    return max(chances, key=lambda name: chances[name])


def chances_of(question: str, wants: QuestionReading) -> dict[Operation, float]:
    """How likely each calculation is wanted; a ratio that is to be told in percent is a share."""
    chances: dict[Operation, float] = {}
    for name, chance in wants.operation.items():
        own: Operation = "share" if name == "ratio" and PERCENT.search(question) else OPERATIONS[name]
        chances[own] = chances.get(own, 0.0) + chance
    return chances


def expects_of(question: str, operation: Operation, wants: QuestionReading) -> Expects:
    """The form of the answer: a number, a percentage, a label of a row, a piece of code, or text."""
    if operation in ("change_percent", "share"):
        return "percent"
    if operation in ("maximum", "minimum"):
        names = wants.operation["argmax"] + wants.operation["argmin"]
        return "label" if names > wants.operation["max"] + wants.operation["min"] else "number"
    if operation != "lookup":
        return "number"
    if sum(wants.expects[form] for form in OF_PASSAGE) >= HALF:
        return "code" if wants.expects["code"] >= HALF else "text"
    if wants.expects["number"] >= HALF:
        return "percent" if PERCENT.search(question) else "number"
    return "any"


def operands_of(question: str, operation: Operation) -> tuple[Operand, ...]:
    """The things to find, in the order in which the formula names them."""
    if operation == "share":
        return share_operands(question)
    if operation in ("difference", "change_percent", "ratio", "sum", "average"):
        changes = operation in ("difference", "change_percent")
        since = year_before_operands(question) if changes else ()
        if operation == "difference" and (split := compared_texts(question)):
            return tuple(operand_of(each) for each in split)
        if operation == "sum" and (split := listed_texts(question)) and not period_operands(question):
            return tuple(operand_of(each) for each in split)
        return (
            period_operands(question, with_inner=not changes) or pair_operands(question) or since
            or (operand_of(question),)
        )  # fmt: skip
    if operation == "lookup" and LISTED_YEARS.search(question) and not SPAN_OF_TIME.search(question):
        return as_asked(question, period_operands(question)) or (whole_of(question),)
    return (whole_of(question),)
