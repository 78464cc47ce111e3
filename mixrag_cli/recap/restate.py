"""Restate: what kind of question it is, what it asks for, and which operands an answer needs.

The trained reader says which form of answer and which calculation are expected. A question over several times becomes
as many operands, each a small question of its own ("Apple's total net sales", quarter ended July 1, 2023) that evidence
is sought for by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mixrag_cli.reading import QuestionReading
from mixrag_cli.recap.asked_operands import Operand, names_of, operands_of, whole_of
from mixrag_cli.recap.wording import PERCENT, any_of

Operation = Literal[
    "lookup", "difference", "change_percent", "sum", "average", "ratio", "share", "maximum", "minimum", "count"
]
Expects = Literal["number", "percent", "any", "text", "code", "label"]

# What restating calls an operation, as the trained reader calls it.
DOES: Mapping[Operation, tuple[str, ...]] = {
    "lookup": ("lookup", "list"),
    "count": ("count",),
    "sum": ("sum",),
    "average": ("average",),
    "difference": ("difference",),
    "change_percent": ("percent_change",),
    "ratio": ("ratio",),
    "share": ("ratio",),
    "maximum": ("argmax", "max"),
    "minimum": ("argmin", "min"),
}
EXTREMES: tuple[Operation, ...] = ("maximum", "minimum")
ARITHMETIC: tuple[Operation, ...] = ("difference", "change_percent", "ratio", "share")
MIN_PROPOSED = 0.1  # the reader's probability of an operation that candidates are computed by


@dataclass(frozen=True, slots=True)
class Restated:
    """The question, understood.

    operations: those that it may ask for, likeliest first, no lookup among them. names: terms written as names in the
    question, which evidence must know. reading: what the trained reader makes of it.
    """

    question: str
    operation: Operation
    operations: tuple[Operation, ...]
    expects: Expects
    whole: Operand
    operands: tuple[Operand, ...]
    names: frozenset[str]
    asks: str
    reading: QuestionReading

    @property
    def asks_distance(self) -> bool:
        """Whether a difference is asked for without its sign ("by how much do they differ")."""
        return _DISTANCE.search(self.question) is not None

    @property
    def asks_label(self) -> bool:
        """Whether of an extreme what has it is asked for, and not how much it is."""
        return _asks_label(self.reading)

    @property
    def kind(self) -> str:
        """The type as the JSON form tells it: lookup, arithmetic, aggregate, code or prose."""
        if self.operation in ARITHMETIC:
            return "arithmetic"
        if self.operation != "lookup":
            return "aggregate"
        return {"code": "code", "text": "prose", "any": "lookup"}.get(self.expects, "lookup")


_DISTANCE = any_of("differ…, by how much, how much more, how much less, how much higher, how much lower")


def asks_passage(restated: Restated) -> bool:
    """Whether a paragraph or a code block is an answer: to how, why and who, not to which value."""
    return restated.operation == "lookup" and restated.expects in ("text", "code")


def restate(question: str, reading: QuestionReading) -> Restated:
    """Understand the question: its calculation and the form of its answer by the reader, its times by its words.

    Example: "By how much did net sales differ between 2021 and 2022?" -> operation "difference", expects "number",
    operands ("By how much did net sales differ 2021", "By how much did net sales differ 2022").
    """
    operations = operations_of(question, reading)
    choices: tuple[Operation, ...] = ("lookup", *operations)
    operation = max(choices, key=lambda one: chance_of_operation(one, reading))
    operands = operands_of(question, operation)
    return Restated(
        question=question,
        operation=operation,
        operations=operations,
        expects=expects_of(question, operation, reading),
        whole=whole_of(question),
        operands=operands,
        names=names_of(question),
        asks="; ".join(operand.text for operand in operands),
        reading=reading,
    )


def operations_of(question: str, reading: QuestionReading) -> tuple[Operation, ...]:
    """The calculations that the reader holds for possible, likeliest first; of extremes alone where no number is
    expected."""
    is_number = _form(reading) == "number"
    left_out = "ratio" if PERCENT.search(question) else "share"
    known = [one for one in DOES if one not in ("lookup", left_out) and (is_number or one in EXTREMES)]
    likely = [one for one in known if chance_of_operation(one, reading) >= MIN_PROPOSED]
    return tuple(sorted(likely, key=lambda one: -chance_of_operation(one, reading)))


def chance_of_operation(operation: Operation, reading: QuestionReading) -> float:
    """The reader's probability of an operation."""
    return sum(reading.operation.get(name, 0.0) for name in DOES[operation])


def expects_of(question: str, operation: Operation, reading: QuestionReading) -> Expects:
    """The form of the answer: a number, a percentage, a label of a row, a piece of code, text, or any."""
    form = _form(reading)
    if operation in ("change_percent", "share"):
        return "percent"
    if operation in EXTREMES:
        return "label" if _asks_label(reading) else "number"
    if operation != "lookup":
        return "number"
    if form == "number":
        return "percent" if PERCENT.search(question) else "number"
    forms: dict[str, Expects] = {"passage": "text", "yes-no": "text", "code": "code"}
    return forms.get(form, "any")


def _asks_label(reading: QuestionReading) -> bool:
    value, label = (sum(reading.operation.get(name, 0.0) for name in names) for names in _OF_EXTREMES)
    return label > value and _form(reading) != "number"


_OF_EXTREMES = (("max", "min"), ("argmax", "argmin"))  # the extreme itself, and what has it


def _form(reading: QuestionReading) -> str:
    """The likeliest form of the answer."""
    return max(reading.expects, key=lambda name: reading.expects[name])
