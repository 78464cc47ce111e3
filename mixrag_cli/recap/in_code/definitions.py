"""Extract from code: the function, method or class that a question means."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import (
    PATH_BONUS,
    EvidenceBase,
    context_credit,
    names_path,
    stems_of,
    surroundings_of,
)
from mixrag_cli.recap.language import match_heading, match_term, stem
from mixrag_cli.recap.likeness import PREFIX_MATCH, match_like
from mixrag_cli.records import Hit

NAME_BONUS = 0.35  # of the part of the definition's own name that the question says
DOC_MATCH = 0.9  # of a word that stands further down in the documentation, for who asks which one does a thing
MAX_DOC_WORDS = 150  # of such a documentation
BODY_MATCH = 0.6
UNSAID_DEED = 2.0  # times its weight: what a definition does tells it from others on the same thing
PRIVATE_PENALTY = 0.1  # people ask for what they may call
# What is asked for is a definition; that it is called one tells none from another.
KIND_WORDS = frozenset(stem(word) for word in ("function", "method", "class", "decorator", "module", "exception"))
_DEFINITION = re.compile(
    r"^[ \t]*(?:export\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|default\s+|pub\s+|final\s+|abstract\s+)*"
    r"(?:def|class|function|func|fn|struct|interface|trait|impl|enum|module|type)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*[?!]?)[^\n]*",
    re.MULTILINE,
)
_DOCSTRING = re.compile(r'[rRuU]?("""|\'\'\')\s*(.+?)(?:\n\s*\n|\1)', re.DOTALL)
_DOCSTRING_WHOLE = re.compile(r'[rRuU]?("""|\'\'\')(.+?)(?:\1|\Z)', re.DOTALL)
_COMMENT = re.compile(r"^\s*(?://[/!]?|#|\*)\s*(.+)$", re.MULTILINE)


_ASKS_KIND = re.compile(
    r"\b(?:which|what) (?:[\w.-]+ )?(?P<kind>function|method|class)(?: (?:that|which))? (?P<deed>[a-z]+s)\b",
    re.IGNORECASE,
)
_CLASS = re.compile(r"\b(?:class|struct|interface|trait|enum|type|module|impl)\s")
# What nearly all of them do, and no documentation needs to say.
_ANY_DEED = frozenset(
    stem(word)
    for word in (
        "returns", "gets", "gives", "computes", "calculates", "makes", "does", "creates", "implements", "is", "has",
        "handles", "performs", "provides", "represents", "carries", "holds", "defines", "builds", "takes", "uses",
    )
)  # fmt: skip


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
    if definition is None or not operand.terms or not _is_of_kind(definition.group(), operand.text):
        return None
    weights = np.array([0.0 if term in KIND_WORDS else base.weight(term) for term in operand.terms])
    if not weights.any():
        return None
    around, _ = surroundings_of(hit, None)
    credit = context_credit(operand.terms, names, around, base.knows.get(hit.chunk.document, frozenset()))
    name = definition.group(1)
    summary = summary_of(hit.chunk.text)
    head, doc, body = (
        stems_of(f"{name} {summary}"),
        stems_of(documentation_of(hit.chunk.text)),
        stems_of(hit.chunk.text),
    )
    in_doc = DOC_MATCH if _ASKS_KIND.search(operand.text) else BODY_MATCH
    said = np.array(
        [
            max(match_heading(term, head), in_doc * match_term(term, doc), BODY_MATCH * match_term(term, body))
            for term in operand.terms
        ]
    )
    weights *= _weights_of_deed(operand, (*head, *doc))
    coverage = float(weights @ np.maximum(said, credit) / weights.sum())
    own = stems_of(name)
    named = sum(1 for word in own if match_term(word, operand.terms) >= 0.9) / len(own) if own else 0.0
    score = coverage + NAME_BONUS * named + 0.1 * hit.score - (PRIVATE_PENALTY if name.startswith("_") else 0.0)
    score += PATH_BONUS if names_path(operand.text, hit.path_below) else 0.0
    return DefinitionMatch(hit, _qualified(name, hit), definition.group().strip(), summary, score, coverage)


def _is_of_kind(signature: str, question: str) -> bool:
    """Whether a definition is what the question calls for: a class is no function."""
    asked = _ASKS_KIND.search(question)
    if asked is None:
        return True
    is_class = _CLASS.search(signature) is not None
    return is_class if asked["kind"].lower() == "class" else not is_class


def _weights_of_deed(operand: Operand, said: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """More weight for what the definition is asked to do, where its documentation does not say it: (n_terms,).

    "Which function writes the log?" is not answered by one that reads it.
    """
    asked = _ASKS_KIND.search(operand.text)
    deed = stem(asked["deed"].lower()) if asked and asked["deed"] else ""
    is_said = not deed or deed in _ANY_DEED or any(match_like(deed, word) >= PREFIX_MATCH for word in said)
    return np.array([UNSAID_DEED if term == deed and not is_said else 1.0 for term in operand.terms])


def _qualified(name: str, hit: Hit) -> str:
    scope = re.findall(r"\b(?:class|struct|impl|trait|interface|module)\s+(\w+)", hit.chunk.context)
    return ".".join([*(part for part in scope if part != name), name])


def documentation_of(code: str) -> str:
    """All of a definition's documentation or its comments, "" where it is so long that it speaks of many things."""
    found = _DOCSTRING_WHOLE.search(code)
    text = found[2] if found is not None else " ".join(_COMMENT.findall(code))
    return text if len(text.split()) <= MAX_DOC_WORDS else ""


def summary_of(code: str) -> str:
    """The first sentence of a definition's documentation, "" where it has none."""
    found = _DOCSTRING.search(code) or _COMMENT.search(code)
    if found is None:
        return ""
    text = " ".join((found.group(2) if found.re is _DOCSTRING else found.group(1)).split())
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
