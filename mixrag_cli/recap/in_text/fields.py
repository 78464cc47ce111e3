"""Extract from lines that name a thing and say it: "License: MIT", ":Creator: R. Hale", "- cm   circular mil".

Such a line answers "what is the NAME of …" and "how many NAMEs …" by what stands behind the name, and no sentence says
it better. The name must be the asked one, word for word; what it is a name of stands around the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import EvidenceBase, context_credit, stems_of, surroundings_of, unknown_names
from mixrag_cli.recap.in_text.sentences import SentenceMatch
from mixrag_cli.recap.language import STOP_WORDS, facets_of, match_term, terms_of
from mixrag_cli.records import Hit

FIELD_KINDS = ("prose", "code")
MAX_NAME_WORDS = 4
HIT_PART = 0.1  # of a score, as for cells and sentences
_LINE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]+)?[:*_`\"']{0,3}(?P<name>[A-Za-z][\w ./()-]{0,40}?)[*_`\"']{0,3}[ \t]*[:=][:*_]{0,2}[ \t]*"
    r"(?P<value>[^\n]*)$",
    re.MULTILINE,
)
_ITEM = re.compile(
    r"^[ \t]*[-*•][ \t]+[*_`]{0,2}(?P<name>[A-Za-z][\w.-]*)[*_`]{0,2}[ \t]+(?:[-–—:][ \t]+)?(?P<value>\S[^\n]*)$",
    re.MULTILINE,
)
_QUOTES = re.compile(r"^\s*[rRuUbBfF]?(?:\"\"\"|'''|[\"'])|(?:\"\"\"|'''|[\"'])[,;]?\s*$")
_BLOCK = re.compile(r"[rRuUbBfF]?(\"\"\"|''')(.*?)\1", re.DOTALL)
_NEXT_LINES = re.compile(r"\n?((?:[^\S\n]*\S[^\n]*\n?)+)")
_ASKS_NAME = re.compile(
    r"^\s*(?:what|who|which) (?:is|are|was|were) (?:the |an? )?(?P<name>[\w ./-]+?)"
    r"(?: (?:of|for|in|by|behind) (?P<of>.+?))?\W*$",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"^\s*(?:how many|what (?:is|was) the number of) (?P<name>(?:[\w-]+ ){0,2}?[\w-]+)"
    r"(?= (?:are|is|was|were|do|does|did|has|have|had|in|of|for)\b|\W*$)(?P<of>.*?)\W*$",
    re.IGNORECASE,
)
_KIND = re.compile(
    r"^(?P<name>\S+) (?:field|column|option|parameter|argument|attribute|setting|variable|property|flag|key|feature)$",
    re.IGNORECASE,
)
_OPENS = tuple("([{")


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """A line with its name, and the value behind the name. line: with score and coverage."""

    line: SentenceMatch
    value: str


@dataclass(frozen=True, slots=True)
class AskedName:
    """name: its stems. of: the terms of what it is a name of. is_item: whether it is called a field, an option …"""

    name: frozenset[str]
    of: tuple[str, ...]
    is_item: bool


def match_fields(operand: Operand, base: EvidenceBase, names: frozenset[str]) -> list[FieldMatch]:
    """The lines whose name is what the operand asks for, best first."""
    asked = None if operand.facets else asked_name(operand.text)
    if asked is None:
        return []
    found = [
        match for hit in base.hits if hit.chunk.kind in FIELD_KINDS for match in _match_in_hit(asked, hit, base, names)
    ]
    return sorted(found, key=lambda match: -match.line.score)


def asked_name(question: str) -> AskedName | None:
    """The name that a question asks for; None where it asks for none.

    Example: asked_name("Who is the author of the tide tables?") -> AskedName({"author"}, ("tide", "tabl"), False).
    """
    found = _ASKS_NUMBER.match(question) or _ASKS_NAME.match(question)
    if found is None:
        return None
    kind = _KIND.match(found["name"])
    name = _name_stems(kind["name"] if kind else found["name"])
    return AskedName(name, terms_of(found["of"] or ""), kind is not None) if name else None


def _name_stems(text: str) -> frozenset[str]:
    return frozenset(stem for stem in stems_of(text) if stem not in STOP_WORDS)


def _match_in_hit(asked: AskedName, hit: Hit, base: EvidenceBase, names: frozenset[str]) -> Iterator[FieldMatch]:
    text, of = hit.chunk.text, asked.of
    lines = [found for found in _named_lines(text, asked) if _name_stems(found["name"]) == asked.name]
    if not lines:
        return
    around, _ = surroundings_of(hit, None)
    near = (*around, *stems_of(text))
    credit = context_credit(of, names, near, base.knows.get(hit.chunk.document, frozenset()))
    if unknown_names(of, names, credit):
        return
    weights = np.array([base.weight(term) for term in of])
    said = np.array([max(match_term(term, near), own) for term, own in zip(of, credit, strict=True)])
    coverage = float(weights @ said / weights.sum()) if len(of) else 1.0
    for found in lines:
        value, end = _value_of(found, text)
        if value and not value.startswith(_OPENS) and not facets_of(found["name"]):
            score = coverage + HIT_PART * hit.score
            quote = text[found.start() : end].rstrip()
            yield FieldMatch(SentenceMatch(hit, quote, found.start(), score, coverage, 0.0, 0.0), value)


def _named_lines(text: str, asked: AskedName) -> Iterator[re.Match[str]]:
    for found in (*_LINE.finditer(text), *(_ITEM.finditer(text) if asked.is_item else ())):
        if len(found["name"].split()) <= MAX_NAME_WORDS and not found["value"].startswith("//"):
            yield found


def _value_of(found: re.Match[str], text: str) -> tuple[str, int]:
    """What the line says behind the name, or the lines below it where it ends with the name."""
    block = _BLOCK.match(text, found.start("value"))
    if block is not None:
        return " ".join(block[2].split()), block.end()
    value = _QUOTES.sub("", found["value"]).strip()
    if value:
        return value, found.end()
    below = _NEXT_LINES.match(text, found.end())
    if below is None or not below[1].strip():
        return "", found.end()
    return " ".join(_QUOTES.sub("", below[1]).split()), below.end()
