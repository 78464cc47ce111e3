"""Is what the program said right? One verdict a question, from the JSON that scripts see.

A stated answer is right where it says one of the right forms, or the right value; of a question that a passage answers
(PASSAGE_KINDS) also where what it cites overlaps the place that was noted when the question was written. "likely" holds
the answer where one of its first N_CANDIDATES would be right so, or shows the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from questions import PASSAGE_KINDS, BankQuestion, Place

from mixrag_cli.evaluation.answers import VALUE_CHARS, is_same_value, leading_number, says_form

Outcome = Literal[
    "right", "wrong", "likely holds it", "likely does not", "nothing though there", "rightly nothing", "failed"
]
OUTCOMES: tuple[Outcome, ...] = Outcome.__args__  # type: ignore[attr-defined]
N_CANDIDATES = 3
SHOWN_CHARS = 4_000
AREA = re.compile(r"\b([A-Z]{1,3}\d+)(?::([A-Z]{1,3}\d+))?\b")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a question. confidence: that it stated, or of the best candidate; None where it has none.

    is_first_right: whether what it stated is right, or its best candidate; a passage is where the answer stands in it.
    says_value: whether what it stated is right, or one of the likely is, that is no passage where it stands.
    """

    question: BankQuestion
    outcome: Outcome
    confidence: float | None
    is_first_right: bool
    said: str
    milliseconds: float
    says_value: bool


def judge(question: BankQuestion, payload: Mapping[str, Any]) -> Verdict:
    """The verdict on one line of `mixrag ask --jsonl`."""
    candidates = payload.get("candidates") or []
    confidence = payload.get("confidence")
    if confidence is None and candidates:
        confidence = candidates[0].get("probability")
    said = payload.get("answer") or payload.get("reason") or payload.get("message") or ""
    spent = payload.get("timings_ms", {}).get("total", 0.0)
    outcome = _outcome(question, payload)
    is_first_right = outcome == "right" or (outcome.startswith("likely") and _is_as_promised(question, candidates[0]))
    values = [one for one in candidates[:N_CANDIDATES] if one.get("kind") != "passage"]
    says_value = outcome == "right" or any(
        outcome == "likely holds it" and _is_as_promised(question, value) for value in values
    )
    return Verdict(question, outcome, confidence, is_first_right, " ".join(said.split()), spent, says_value)


def _is_as_promised(question: BankQuestion, candidate: Mapping[str, Any]) -> bool:
    """Whether a candidate is what its probability is of: right, or of a passage that the answer stands in it."""
    if candidate.get("kind") == "passage":
        return question.is_answerable and holds_it(question, candidate)
    return question.is_answerable and is_right(question, {**candidate, "sources": [candidate.get("source") or {}]})


def _outcome(question: BankQuestion, payload: Mapping[str, Any]) -> Outcome:
    status = payload.get("status")
    if status == "answered":
        return "right" if question.is_answerable and is_right(question, payload) else "wrong"
    if status == "likely":
        shown = (payload.get("candidates") or [])[:N_CANDIDATES]
        holds = question.is_answerable and any(holds_it(question, candidate) for candidate in shown)
        return "likely holds it" if holds else "likely does not"
    if status == "abstained":
        return "nothing though there" if question.is_answerable else "rightly nothing"
    return "failed"


def is_right(question: BankQuestion, payload: Mapping[str, Any]) -> bool:
    """Whether the stated answer says what is right, or cites it where a passage answers."""
    text, value = payload.get("answer") or "", payload.get("value")
    if says_it(question, text, value, payload.get("unit") or ""):
        return True
    sources = payload.get("sources") or []
    return question.kind in PASSAGE_KINDS and any(
        shows_place(source, place, exactly=True) for source in sources for place in question.places
    )


def holds_it(question: BankQuestion, candidate: Mapping[str, Any]) -> bool:
    """Whether a candidate says what is right, or its passage shows it."""
    source = candidate.get("source") or {}
    if says_it(question, candidate.get("answer") or "", candidate.get("value"), candidate.get("unit") or ""):
        return True
    text = (source.get("text") or "")[:SHOWN_CHARS]
    return any(
        shows_place(source, place, exactly=True)
        or (shows_place(source, place, exactly=False) and any(says_form(form, text) for form in question.forms))
        for place in question.places
    )


def says_it(question: BankQuestion, text: str, value: Any, unit: str) -> bool:
    """Whether a text, or a value with its unit, is the right answer."""
    numbers = [question.value] if question.value is not None else []
    numbers += [number for form in question.forms if (number := leading_number(form)) is not None]
    if isinstance(value, int | float):
        return any(is_same_value(question.text, gold, question.forms, value, unit) for gold in numbers)
    if question.kind not in PASSAGE_KINDS and len(text) > VALUE_CHARS:
        return False
    return any(says_form(form, text) for form in question.forms)


def shows_place(source: Mapping[str, Any], place: Place, *, exactly: bool) -> bool:
    """Whether a cited passage lies in the place's file and, exactly, overlaps its lines, pages or cell.

    A place without lines or cell is shown exactly by a passage with its needle, wherever that breaks its lines.
    """
    if not f"/{source.get('path', '')}".endswith(f"/{place.file}"):
        return False
    if not exactly:
        return True
    locator = source.get("locator") or {}
    if place.lines:
        known = locator.get("lines")
        return bool(known) and known[0] <= place.lines[1] and place.lines[0] <= known[1]
    if place.cell:
        return bool(locator.get("cells")) and _overlap(locator["cells"], place.cell)
    if place.needle:
        return _plain(place.needle) in _plain(source.get("text") or "")
    return False  # a page alone says too little


def _plain(text: str) -> str:
    """A text without case, each run of white space one blank."""
    return " ".join(text.casefold().split())


def _overlap(cells: str, others: str) -> bool:
    """Whether any of the areas of both overlap; words that are no address count for nothing."""
    return any(
        left <= east and west <= right and top <= south and north <= bottom
        for left, top, right, bottom in _corners(cells)
        for west, north, east, south in _corners(others)
    )


def _corners(cells: str) -> Iterator[tuple[int, int, int, int]]:
    for first, last in AREA.findall(cells.rpartition("!")[2].replace("$", "").upper()):
        yield *_position(first), *_position(last or first)


def _position(address: str) -> tuple[int, int]:
    letters, digits = re.fullmatch(r"([A-Z]+)(\d+)", address.upper()).groups()  # type: ignore[union-attr]
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return column, int(digits)


def kinds_of(verdicts: Sequence[Verdict]) -> list[tuple[str, list[Verdict]]]:
    """The verdicts by set and kind, in the order of their names."""
    groups: dict[str, list[Verdict]] = {}
    for one in verdicts:
        groups.setdefault(f"{one.question.set} {one.question.kind}", []).append(one)
    return sorted(groups.items())
