"""Restate: what kind of question it is, what it asks for, and which operands an answer needs.

The trained reader says which form of answer is expected, the words which calculation gives it. A question becomes one
or two operands, each a small question of its own ("Apple's total net sales", quarter ended July 1, 2023) that evidence
is sought for by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mixrag_cli.quantities.facets import facets_of, period_spans, years_between
from mixrag_cli.quantities.prose_numbers import limits_in
from mixrag_cli.reading import QuestionReading
from mixrag_cli.recap.asked_operands import Operand, names_of, operands_of, period_operands, whole_of
from mixrag_cli.recap.wording import CHANGES, CHANGING, MULTIPLE, PERCENT, SHARE_WORDS
from mixrag_cli.words import any_of

Operation = Literal[
    "lookup", "difference", "change_percent", "sum", "average", "ratio", "share", "maximum", "minimum", "count"
]
Expects = Literal["number", "percent", "any", "text", "code", "label"]


@dataclass(frozen=True, slots=True)
class Calculation:
    """An operation and the operands that it is over."""

    operation: Operation
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Restated:
    """The question, understood.

    calculations: what may be asked to be done with which operands, the one that the words call for first. names: terms
    written as names in the question, which evidence must know. reading: what the trained reader makes of it.
    """

    question: str
    calculations: tuple[Calculation, ...]
    expects: Expects
    whole: Operand
    names: frozenset[str]
    reading: QuestionReading

    @property
    def operation(self) -> Operation:
        """What the words ask to be done."""
        return self.calculations[0].operation

    @property
    def operands(self) -> tuple[Operand, ...]:
        """What the words ask it to be done with."""
        return self.calculations[0].operands

    @property
    def asks(self) -> str:
        """What is sought, each operand in its words."""
        return "; ".join(operand.text for operand in self.operands)

    def meant_as(self, operation: Operation) -> Restated:
        """The question with that one of its calculations alone; as it is where it is none of them."""
        found = tuple(each for each in self.calculations if each.operation == operation)
        return replace(self, calculations=found) if found else self

    def is_unsigned(self, operation: Operation) -> bool:
        """Whether what is less is told without a sign: "by how much do they differ", "by what percent did it fall"."""
        falls = _FALL.search(self.question) is not None
        if operation == "difference":
            return falls or _DISTANCE.search(self.question) is not None
        return falls and operation == "change_percent"

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


# Of the reader's probability of an extreme. Of 2,613 questions to learn from 106 say "highest" or the like: 89 are
# found, none in the wrong direction, and nine more, five rightly ("dearest"); all but two of the rest ask for a value.
MIN_EXTREME = 0.4
MIN_BESIDE_LIMIT = 0.9  # which the reader takes for one at up to .83 ("in which year was it less than 5")
MIN_UNSAID = 0.5  # of a difference that none of its words asks for ("how much has it risen since")
MIN_OTHER = 0.2  # of a calculation that is tried beside the one that the words call for; set by judgement
# What the reader's operations are called here; of a ratio it does not say whether a percentage is asked for.
_CALLED: dict[str, Operation] = {
    "difference": "difference",
    "percent_change": "change_percent",
    "sum": "sum",
    "average": "average",
    "ratio": "share",
}
_VALUES, _LABELS = ("max", "min"), ("argmax", "argmin")  # which of an extreme the reader takes for what is asked
_MOST, _LEAST = ("max", "argmax"), ("min", "argmin")
_MORE = ("more", "less", "fewer", "higher", "lower", "greater", "larger", "smaller", "longer", "shorter")
_HOW_MUCH_MORE = tuple(f"how {much} {more}" for much in ("much", "many") for more in _MORE)
# What a question says that asks for a calculation, in the order in which they are tried.
_CALCULATIONS: dict[Operation, re.Pattern[str]] = {
    "change_percent": any_of(
        "by what percent…, by what %, by how many percent…, growth rate, change rate, rate of growth, rate of change",
        *(f"{percent} {change}" for percent in ("percent", "percentage", "%") for change in CHANGES),
    ),
    "ratio": any_of("ratio of, ratio between"),
    "share": any_of(*(f"{word} of" for word in SHARE_WORDS)),
    "difference": any_of(
        "difference, differ, differs, differed, net change, change in, change of, change between, by how much, by "
        "how many",
        *_HOW_MUCH_MORE,
        *(f"{changing} {joint}" for changing in CHANGING for joint in ("in", "of", "between", "from")),
    ),
    "count": any_of(
        *(f"how many {word}" for word in ("rows", "entries", "records", "different", "distinct", "items", "lines"))
    ),
    "average": any_of("average, mean"),
    "sum": any_of("sum of, combined, altogether, together, add up, in total, total of"),
}
_IN_PERCENT = any_of("in percent, in per cent, in %")
_DISTANCE = any_of("differ…, gap, days, by how much, by how many", *_HOW_MUCH_MORE)
_FALL = any_of("fall…, fell, drop…, declin…, decreas…, reduc…, shrink, shrank, lose, lost")


def restate(question: str, reading: QuestionReading) -> Restated:
    """Understand the question: its calculation and operands by its words, the form of its answer by the trained reader.

    Other calculations that the reader holds for likely follow, each with the operands that the words name for it.

    Example: "What share of NVIDIA's revenue came from Data Center in 2023?" -> operation "share", expects
    "percent", operands ("Data Center" 2023, "NVIDIA's revenue" 2023).
    """
    operation = operation_of(question, reading)
    named, *others = (
        Calculation(each, _operands(question, each)) for each in (operation, *_other_operations(operation, reading))
    )
    return Restated(
        question=question,
        calculations=(named, *others),
        expects=expects_of(question, operation, reading),
        whole=whole_of(question),
        names=names_of(question),
        reading=reading,
    )


def _operands(question: str, operation: Operation) -> tuple[Operand, ...]:
    asked = _as_asked(question, operation == "lookup") if operation in ("lookup", "ratio") else ()
    calculated = operands_of(question, operation) if operation in (*_CALLED.values(), "ratio") else ()
    return asked or calculated or (whole_of(question),)


def _other_operations(operation: Operation, reading: QuestionReading) -> list[Operation]:
    """The calculations that the trained reader takes for likely, beside the one that the words call for."""
    if _form(reading) != "number":
        return []
    likely = sorted((-reading.operation.get(name, 0.0), called) for name, called in _CALLED.items())
    known = (operation, "share" if operation == "ratio" else operation)
    return [called for minus, called in likely if -minus >= MIN_OTHER and called not in known]


def _as_asked(question: str, with_between: bool) -> tuple[Operand, ...]:
    """As period_operands, in the order in which the question names the periods."""
    asked = [facets_of(question[start:end]) for start, end in period_spans(question)]
    found = period_operands(question, with_between)
    first, last = (min(asked[end].years, default=0) for end in (0, -1)) if asked else (0, 0)

    def place(one: Operand) -> int:
        if one.facets.dates:
            return next((n for n, said in enumerate(asked) if one.facets.dates & said.dates), -1)
        return question.find(str(min(one.facets.years)))

    if years_between(question):
        return found if first <= last else found[::-1]
    return tuple(sorted(found, key=place))


def operation_of(question: str, reading: QuestionReading) -> Operation:
    """The calculation that the question's wording calls for, where the reader expects what one gives, else "lookup"."""

    def says(wording: re.Pattern[str]) -> bool:
        return wording.search(question) is not None

    most, least = _share(reading, _MOST), _share(reading, _LEAST)
    if most + least >= (MIN_BESIDE_LIMIT if limits_in(question) else MIN_EXTREME) and "default" not in question.lower():
        return "maximum" if most >= least else "minimum"
    if _form(reading) != "number":  # expected with .66 and more where a calculation is asked for, of 728 questions
        return "lookup"
    if says(MULTIPLE) and reading.operation.get("ratio", 0.0) >= MIN_OTHER:
        return "ratio"  # else a count: "how many times did …"
    said = next((name for name, wording in _CALCULATIONS.items() if says(wording)), None)
    if said == "difference" and says(_IN_PERCENT):
        return "change_percent"
    return said or ("difference" if reading.operation.get("difference", 0.0) >= MIN_UNSAID else "lookup")


def expects_of(question: str, operation: Operation, reading: QuestionReading) -> Expects:
    """The form of the answer: a number, a percentage, a label of a row, a piece of code, text, or any."""
    form = _form(reading)
    if operation in ("change_percent", "share"):
        return "percent"
    if operation in ("maximum", "minimum"):
        return "number" if _share(reading, _VALUES) > _share(reading, _LABELS) else "label"
    if operation != "lookup":
        return "number"
    if form == "number":
        return "percent" if PERCENT.search(question) else "number"
    forms: dict[str, Expects] = {"passage": "text", "yes-no": "text", "code": "code"}
    return forms.get(form, "any")


def _share(reading: QuestionReading, operations: Sequence[str]) -> float:
    """The reader's probability of any of the operations."""
    return sum(reading.operation.get(name, 0.0) for name in operations)


def _form(reading: QuestionReading) -> str:
    """The likeliest form of the answer."""
    return max(reading.expects, key=lambda name: reading.expects[name])
