"""Extract from code: the function, method or class that a question means."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from mixrag_cli.recap.evidence import (
    PATH_BONUS,
    EvidenceBase,
    context_credit,
    names_path,
    stems_of,
    surroundings_of,
)
from mixrag_cli.recap.language import match_heading, match_term, stem
from mixrag_cli.recap.restate import Operand
from mixrag_cli.records import Hit

NAME_BONUS = 0.35  # of the part of the definition's own name that the question says
PRIVATE_PENALTY = 0.1  # people ask for what they may call
# What is asked for is a definition; that it is called one tells none from another.
KIND_WORDS = frozenset(stem(word) for word in ("function", "method", "class", "decorator", "module", "exception"))
_DEFINITION = re.compile(
    r"^[ \t]*(?:export\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|default\s+|pub\s+|final\s+|abstract\s+)*"
    r"(?:def|class|function|func|fn|struct|interface|trait|impl|enum|module|type)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*[?!]?)[^\n]*",
    re.MULTILINE,
)
_DOCSTRING = re.compile(r'[rRuU]?("""|\'\'\')\s*(.+?)(?:\n\s*\n|\1)', re.DOTALL)
_COMMENT = re.compile(r"^\s*(?://[/!]?|#|\*)\s*(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DefinitionMatch:
    """A definition with its first documentation sentence."""

    hit: Hit
    name: str
    signature: str
    summary: str
    score: float
    coverage: float


def match_definitions(
    operand: Operand, base: EvidenceBase, names: frozenset[str], limit: int = 3
) -> list[DefinitionMatch]:
    """The definitions among the hits that say the operand's terms, best first."""
    found = [match for hit in base.hits if hit.chunk.kind == "code" and (match := _match(operand, hit, base, names))]
    return sorted(found, key=lambda match: -match.score)[:limit]


def _match(operand: Operand, hit: Hit, base: EvidenceBase, names: frozenset[str]) -> DefinitionMatch | None:
    definition = _DEFINITION.search(hit.chunk.text)
    if definition is None or not operand.terms:
        return None
    weights = np.array([0.0 if term in KIND_WORDS else base.weight(term) for term in operand.terms])
    if not weights.any():
        return None
    around, _ = surroundings_of(hit, None)
    credit = context_credit(operand.terms, names, around, base.knows.get(hit.chunk.document, frozenset()))
    name = definition.group(1)
    summary = summary_of(hit.chunk.text)
    head = stems_of(f"{name} {summary}")
    body = stems_of(hit.chunk.text)
    said = np.array([max(match_heading(term, head), 0.6 * match_term(term, body)) for term in operand.terms])
    coverage = float(weights @ np.maximum(said, credit) / weights.sum())
    own = stems_of(name)
    named = sum(1 for word in own if match_term(word, operand.terms) >= 0.9) / len(own) if own else 0.0
    score = coverage + NAME_BONUS * named + 0.1 * hit.score - (PRIVATE_PENALTY if name.startswith("_") else 0.0)
    score += PATH_BONUS if names_path(operand.text, hit.path_below) else 0.0
    return DefinitionMatch(hit, _qualified(name, hit), definition.group().strip(), summary, score, coverage)


def _qualified(name: str, hit: Hit) -> str:
    scope = re.findall(r"\b(?:class|struct|impl|trait|interface|module)\s+(\w+)", hit.chunk.context)
    return ".".join([*(part for part in scope if part != name), name])


def summary_of(code: str) -> str:
    """The first sentence of a definition's documentation, "" where it has none."""
    found = _DOCSTRING.search(code) or _COMMENT.search(code)
    if found is None:
        return ""
    text = " ".join((found.group(2) if found.re is _DOCSTRING else found.group(1)).split())
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
