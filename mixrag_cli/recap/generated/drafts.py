"""A reply as a draft: what the model claims, in one form for all strategies. Nothing in it is believed yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mixrag_cli.cleaning import safe_text
from mixrag_cli.lenient_json import read_object
from mixrag_cli.quantities.calculator import plain_formula, replace_operands
from mixrag_cli.quantities.said_numbers import numbers_in
from mixrag_cli.words import words_of

MAX_CLAIMS = 24
MAX_TEXT = 2_000
KEYS = ("restate", "extract", "compute", "formula", "program", "steps", "thoughts", "answer", "present")
NOT_FOUND = "not found"  # what prompts tell the model to answer where the evidence holds nothing
# And what models say instead, as words ("N/A" is "n a").
_REFUSALS = frozenset(
    (
        *(NOT_FOUND, "n a", "na", "none", "unknown", "no answer", "cannot answer", "cannot be answered"),
        *("cannot be determined", "insufficient evidence", "insufficient information", "insufficient data"),
        *(f"not {word}" for word in ("available", "stated", "given", "provided", "specified", "mentioned")),
    )
)
# A model that cannot stop says a piece of at most so many characters so many times over.
_REPEATS, _MAX_REPEATED = 8, 120


@dataclass(frozen=True, slots=True)
class Claim:
    """One extracted piece as the model tells it. value: its number as text, "" where it claims none."""

    id: str
    source: str
    quote: str
    value: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply by its parts. formula: over the claims' ids, "" for none; answer: the model's own."""

    asks: str = ""
    claims: tuple[Claim, ...] = ()
    formula: str = ""
    thoughts: str = ""
    answer: str = ""
    present: str = ""

    @property
    def refuses(self) -> bool:
        """Whether the model says, in the agreed words or near them, that the evidence holds no answer."""
        return " ".join(words_of(self.answer)) in _REFUSALS and not self.formula


def text_to_draft(text: str) -> Draft | None:
    """The draft that a reply holds, None where it holds none."""
    reply = read_object(text, KEYS)
    if reply is None:
        return None
    formula = _part(reply.get("compute"), "formula") or reply.get("formula") or reply.get("program")
    return Draft(
        asks=_text(_part(reply.get("restate"), "asks")),
        claims=_claims(reply.get("extract")),
        formula=_joined_steps(reply.get("steps")) or _formula(_text(formula)),
        thoughts=_text(reply.get("thoughts")),
        answer=_text(reply.get("answer")),
        present=_text(reply.get("present")),
    )


def repeats_itself(text: str) -> bool:
    """Whether the text ends in one piece said over and over. Example: "5 5 5 5 5 5 5 5 5" does."""
    tail = text.strip()
    ends = (tail[-_REPEATS * length :] for length in range(1, _MAX_REPEATED + 1) if _REPEATS * length <= len(tail))
    return any(end == end[: len(end) // _REPEATS] * _REPEATS for end in ends)


def _part(value: Any, name: str) -> Any:
    """The named part of an object; of what a model wrote plainly, that itself."""
    return value.get(name) if isinstance(value, Mapping) else value


def _claims(extract: Any) -> tuple[Claim, ...]:
    items = extract if isinstance(extract, list) else [extract]
    return tuple(
        Claim(
            _text(item.get("id")) or f"e{number}",
            _source_id(_text(item.get("source"))),
            *(_text(item.get(name)) for name in ("quote", "value", "unit")),
        )
        for number, item in enumerate(items[:MAX_CLAIMS], 1)
        if isinstance(item, Mapping)
    )


def _source_id(text: str) -> str:
    """Example: "S1", "[s1]", "source 1" and 1 are "s1"; what does not say one number stays as it is."""
    numbers = numbers_in(text)
    return f"s{numbers[0]}" if len(numbers) == 1 else text


def _formula(text: str) -> str:
    """One side of a formula in the calculator's signs; "" where the model says that there is none.

    Example: "growth = e2 - e1" and "e2 - e1 = 103" are both "e2 - e1".
    """
    if text.lower() in ("none", "n/a", "null", "-"):
        return ""
    left, _, right = text.partition("=")
    return plain_formula(right.partition("=")[0] if right and left.strip().isidentifier() else left)


def _joined_steps(steps: Any) -> str:
    """Steps that build on one another as one formula: t1 = e2 - e1, t2 = t1 / e1 gives (e2 - e1) / e1."""
    known: dict[str, str] = {}
    last = ""
    for number, step in enumerate(steps if isinstance(steps, list) else [], 1):
        if isinstance(step, Mapping):
            own = _formula(_text(step.get("formula") or step.get("expression")))
            last = replace_operands(own, lambda part: known.get(part, part))[:MAX_TEXT]
            known[_text(step.get("id")) or f"t{number}"] = f"({last})" if last else ""
    return last


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, str | int | float):
        return safe_text(str(value)[:MAX_TEXT]).strip()
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text, value)))[:MAX_TEXT]
    return _text(value.get("text") or value.get("value")) if isinstance(value, Mapping) else ""
