"""A reply as a draft: what the model claims, in one form for all strategies. Nothing in it is believed yet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mixrag_cli.cleaning import safe_text
from mixrag_cli.lenient_json import read_object

MAX_CLAIMS = 24
MAX_TEXT = 2_000
KEYS = ("restate", "extract", "compute", "formula", "program", "steps", "thoughts", "answer", "present")
NOT_FOUND = "not found"  # what prompts tell the model to answer where the evidence holds nothing
_REFUSALS = re.compile(
    r"^\W*(?:not found|n/?a|none|unknown|not (?:available|stated|given|provided|specified|mentioned)|no answer|"
    r"cannot (?:be )?(?:answered|determined|answer)|insufficient (?:evidence|information|data))\W*$",
    re.IGNORECASE,
)
# A period of 1 to 120 signs said eight times over and nothing behind it: a model that cannot stop.
_REPEATS = re.compile(r"(.{1,120}?)\1{7,}\W*$", re.DOTALL)
_REPEATS_WINDOW = 1_200
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


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
    kind: str = ""
    claims: tuple[Claim, ...] = ()
    formula: str = ""
    thoughts: str = ""
    answer: str = ""
    present: str = ""

    @property
    def refuses(self) -> bool:
        """Whether the model says, in the agreed words or near them, that the evidence holds no answer."""
        return _REFUSALS.match(self.answer) is not None and not self.formula


def text_to_draft(text: str) -> Draft | None:
    """The draft that a reply holds, None where it holds none."""
    reply = read_object(text, KEYS)
    return None if reply is None else _draft(reply)


def repeats_itself(text: str) -> bool:
    """Whether the text ends in one piece said over and over. Example: "5 5 5 5 5 5 5 5 5" does."""
    return _REPEATS.search(text[-_REPEATS_WINDOW:].strip()) is not None


def _draft(reply: Mapping[str, Any]) -> Draft:
    restate = reply.get("restate")
    if isinstance(restate, Mapping):
        asks, kind = _text(restate.get("asks")), _text(restate.get("type"))
    else:
        asks, kind = _text(restate), ""
    compute = reply.get("compute")
    formula = compute.get("formula") if isinstance(compute, Mapping) else compute
    formula = formula or reply.get("formula") or reply.get("program")
    return Draft(
        asks=asks,
        kind=kind,
        claims=_claims(reply.get("extract")),
        formula=_joined_steps(reply.get("steps")) or _formula(_text(formula)),
        thoughts=_text(reply.get("thoughts")),
        answer=_text(reply.get("answer")),
        present=_text(reply.get("present")),
    )


def _claims(extract: Any) -> tuple[Claim, ...]:
    items = extract if isinstance(extract, list) else [extract]
    claims = []
    for number, item in enumerate(items[:MAX_CLAIMS], 1):
        if isinstance(item, Mapping):
            fields = {name: _text(item.get(name)) for name in ("source", "quote", "value", "unit")}
            name = _text(item.get("id")) or f"e{number}"
            claims.append(Claim(name, **{**fields, "source": _source_id(fields["source"])}))
    return tuple(claims)


def _source_id(text: str) -> str:
    """Example: "S1", "[s1]", "source 1" and 1 are "s1"; anything else stays as it is."""
    found = re.fullmatch(r"\W*(?:s|source|passage)?\W*(\d{1,3})\W*", text, re.IGNORECASE)
    return f"s{found[1]}" if found else text


def _formula(text: str) -> str:
    """The right side of a formula in the calculator's signs; "" where the model says that there is none."""
    if text.strip().lower() in ("", "none", "n/a", "null", "-"):
        return ""
    right = text.split("=", 1)[1] if re.match(r"^\s*\w+\s*=[^=]", text) else text.split("=")[0]
    for sign, plain in (("×", "*"), ("÷", "/"), ("−", "-"), ("–", "-"), ("·", "*"), ("$", ""), ("[", "("), ("]", ")")):
        right = right.replace(sign, plain)
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", right).strip()


def _joined_steps(steps: Any) -> str:
    """Steps that build on one another as one formula: t1 = e2 - e1, t2 = t1 / e1 gives ((e2 - e1)) / e1."""
    known: dict[str, str] = {}
    last = ""
    for number, step in enumerate(steps if isinstance(steps, list) else [], 1):
        if not isinstance(step, Mapping):
            continue
        own = _formula(_text(step.get("formula") or step.get("expression")))
        last = _NAME.sub(lambda found: f"({known[found[0]]})" if found[0] in known else found[0], own)[:MAX_TEXT]
        if last:
            known[_text(step.get("id")) or f"t{number}"] = last
    return last


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, str | int | float):
        return safe_text(str(value)[:MAX_TEXT]).strip()
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text, value)))[:MAX_TEXT]
    return _text(value.get("text") or value.get("value")) if isinstance(value, Mapping) else ""
