"""A script in a model's place that knows TAT-QA's derivations and makes one kind of mistake in every reply: MISTAKES.

What it quotes it finds in the passages that its prompt shows, as a model would; of the gold it takes the derivation.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from scripted_server import BLOCK, NUMBER

from mixrag_cli.evaluation.tatqa import to_number
from mixrag_cli.quantities.calculator import CalculationError, evaluate, plain_formula, replace_operands
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.generated.examining import CONSTANTS
from mixrag_cli.recap.generated.strategies import STRATEGIES
from mixrag_cli.recap.restate import Restated
from mixrag_cli.records.answers import Answer
from mixrag_cli.tables.lines import BAR

MISTAKES = ("none", "arithmetic", "invented", "misquoted", "misplaced", "wrong cell")
TOO_HIGH = Decimal("1.1")
QUOTE_CHARS = 60  # before a number in running text
NEAR = 0.006  # of the gold, which is rounded to two decimals
NOT_FOUND = json.dumps({"extract": [], "answer": "not found"})


@dataclass(frozen=True, slots=True)
class Place:
    """A number as a passage writes it. line: whole; start, end: of the number in it."""

    source: str
    line: str
    start: int
    end: int

    @property
    def written(self) -> str:
        return self.line[self.start : self.end]

    @property
    def value(self) -> Decimal:
        size = Decimal(self.written.replace(",", ""))
        before = self.line[: self.start].rstrip("$€£ ")
        return -size if before.endswith(("(", "-", "−")) else size

    @property
    def quote(self) -> str:
        """The row from its label to the number's cell, or the words before the number."""
        if BAR not in self.line:
            return self.line[self.line.rfind(" ", 0, max(self.start - QUOTE_CHARS, 0)) + 1 : self.end]
        return self.line[: self.end] + self.line[self.end :].partition(BAR)[0]


@dataclass(frozen=True, slots=True)
class Task:
    """One question with what a model needs to answer it. formula: over e1, e2, …, "" where the one piece answers."""

    asked: Mapping[str, Any]
    restated: Restated
    base: EvidenceBase
    built_in: Answer
    pieces: Sequence[Place] = ()
    formula: str = ""
    blocks: Mapping[str, str] = field(default_factory=dict)


def places_in(blocks: Mapping[str, str]) -> list[Place]:
    """Every number of the passages, those of tables first."""
    found = [
        Place(name, line, number.start(), number.start() + len(number[0].rstrip(",.")))
        for name, text in blocks.items()
        for line in text.splitlines()[1:]
        for number in NUMBER.finditer(line)
    ]
    return sorted(found, key=lambda place: BAR not in place.line)


def solved(task: Task, blocks: Mapping[str, str]) -> Task | None:
    """The task with its pieces and its formula; None where its derivation does not give the gold answer."""
    asked, places = task.asked, places_in(blocks)
    gold = to_number(str(asked["answer"][0] if isinstance(asked["answer"], list) else asked["answer"]))
    if gold is None or not places:
        return None
    is_computed = asked["answer_type"] == "arithmetic"
    pieces: list[Place] = []

    def operand(part: str) -> str:
        if part[0].isalpha() or Decimal(part) in CONSTANTS:
            return part
        place = next((place for place in places if abs(place.value) == Decimal(part)), None)
        if place is not None and place not in pieces:
            pieces.append(place)
        return f"e{pieces.index(place) + 1}" if place is not None else part

    try:
        own = replace_operands(plain_formula(asked["derivation"] if is_computed else f"{abs(gold):.4f}"), operand)
    except CalculationError:
        return None
    values = {f"e{number}": place.value for number, place in enumerate(pieces, 1)}
    for signs in itertools.product(("{}", "(-{})"), repeat=len(pieces)) if pieces else ():
        names = {f"e{number}": sign.format(f"e{number}") for number, sign in enumerate(signs, 1)}
        signed = replace_operands(own, lambda part, names=names: names.get(part, part))  # type: ignore[misc]
        for formula in (signed, f"({signed}) * 100"):
            try:
                if abs(float(evaluate(formula, values)) - gold) < 0.006 and (is_computed or formula == own):
                    return replace(task, pieces=pieces, formula=formula if is_computed else "", blocks=blocks)
            except CalculationError:
                continue
    return None


@dataclass(slots=True)
class Script:
    """What the server says. Without a task it finds nothing, and keeps the passages that it was shown."""

    task: Task | None = None
    mistake: str = "none"
    way: str = "recap"
    blocks: dict[str, str] = field(default_factory=dict)

    def __call__(self, messages: list[dict[str, str]]) -> str:
        self.blocks = dict(BLOCK.findall(messages[-1]["content"]))
        return NOT_FOUND if self.task is None else json.dumps(self.parts(self.task))

    def parts(self, task: Task) -> dict[str, Any]:
        pieces = list(task.pieces)
        if self.mistake == "wrong cell":
            row = [place for place in places_in(task.blocks) if place.line == pieces[0].line]
            pieces[0] = next((place for place in row if abs(place.value) != abs(pieces[0].value)), pieces[0])
        claims = [
            {"id": f"e{number}", "source": place.source, "quote": place.quote, "value": f"{place.value:,}", "unit": ""}
            for number, place in enumerate(pieces, 1)
        ]
        values = {f"e{number}": place.value for number, place in enumerate(pieces, 1)}
        if self.mistake in ("invented", "misquoted"):
            other = str(int(pieces[0].written[0]) % 9 + 1) + pieces[0].written[1:]
            claims[0]["value"], values["e1"] = other, replace(pieces[0], line=other, start=0, end=len(other)).value
            if self.mistake == "invented":
                before, _, after = claims[0]["quote"].rpartition(pieces[0].written)
                claims[0]["quote"] = f"{before}{other}{after}"
        if self.mistake == "misplaced":
            claims[0]["source"] = next((name for name in task.blocks if name != pieces[0].source), "s99")
        result = evaluate(task.formula or "e1", values) * (TOO_HIGH if self.mistake == "arithmetic" else 1)
        sign = " %" if task.asked["scale"] == "percent" else ""
        answer = f"{result:,.2f}{sign}" if task.formula else claims[0]["value"]
        said = {
            "restate": {"type": "number", "asks": f"the number that says: {task.asked['question']}"},
            "extract": claims,
            "compute": {"formula": task.formula},
            "answer": answer,
            "present": f"It is {answer}.",
        }
        return {part: said[part] for part in STRATEGIES[self.way].parts}
