"""Answer from code what a definition gives back, and when: the return statement below the condition that is asked.

A condition is matched by its words and by its signs: ">" says "exceeds", and '== ""' says "none".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import EvidenceBase, stems_of
from mixrag_cli.recap.in_code.code_places import SCOPE
from mixrag_cli.recap.in_code.code_values import plain_text
from mixrag_cli.recap.in_code.given_values import called_names
from mixrag_cli.recap.in_text.sentences import SentenceMatch
from mixrag_cli.recap.language import stem, terms_of, words_of
from mixrag_cli.recap.likeness import match_like
from mixrag_cli.records import Hit

MIN_CONDITION = 0.6  # of the weight of what is asked for as the condition
NEGATED = "none"  # the word for which a condition's "== null" stands
TOO_NEAR = 0.1  # of another return, whose condition says nearly as much
ASKS_RETURN = re.compile(
    r"^\s*what (?:does|do|did|will|would) (?P<whose>.+?) (?:return|yield|give back|raise|throw)\b(?P<rest>[^?]*)",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:when|if|once|for|in case|unless|where|as soon as|after|on)\b(?P<said>.+)", re.IGNORECASE)
_NEGATION = re.compile(r"\b(?:no|not|none|nothing|without|missing|empty|null)\b|n['’]t\b", re.IGNORECASE)
_SAYS_RETURN = re.compile(r"\b(?:return(?:s|ed|ing)?|yields?|gives? back|raises?|throws?)\b", re.IGNORECASE)
_PROGRAM = re.compile(r"[{};]|[=!]=|\b(?:def|fn|func|function|const|let|var)\s+\w+|^\s*return\b")
_GIVES = re.compile(r"^(?P<indent>[ \t]*)(?:return|yield|raise|throw)\b[ \t]*(?P<value>[^\n;]*)", re.MULTILINE)
_GUARD = re.compile(r"^[\s}]*(?:if|elif|elsif|else if|case|when|unless|while|for|except|catch)\b|=>|\?$")
_COMMENT = re.compile(r"^\s*(?:#|//|\*|--)")
_SIGNS = (
    (re.compile(r"(?<![-=<>])>=?(?!>)"), "more greater longer larger higher exceed over above after past"),
    (re.compile(r"(?<![-=<>])<=?(?!<)"), "less fewer shorter smaller lower below under before"),
    (re.compile(r"\bnot\b|!(?!=)|\b(?:None|null|nil|undefined)\b|== ?(?:\"\"|'')"), "no none not empty without zero"),
    (re.compile(r"\bisinstance\b|\btypeof\b"), "type instance"),
)  # fmt: skip
_SHORT = {"len": "length", "str": "string", "num": "number", "int": "integer", "err": "error", "msg": "message"}
_MEASURES = {"long": "length", "longer": "length", "short": "length", "shorter": "length"}


@dataclass(frozen=True, slots=True)
class ReturnMatch:
    """What is given back, and the lines that say when."""

    line: SentenceMatch
    name: str
    value: str


def asks_return(question: str) -> bool:
    """Whether a question asks what a definition gives back."""
    return ASKS_RETURN.search(question) is not None


def says_return(text: str) -> bool:
    """Whether a text says in words what is given back: no program does, documentation may."""
    return _SAYS_RETURN.search(text) is not None and _PROGRAM.search(text) is None


def match_return(operand: Operand, base: EvidenceBase) -> ReturnMatch | None:
    """The value that the named definition gives back under the asked condition, None where none surely is it."""
    asked = ASKS_RETURN.search(operand.text)
    condition = _CONDITION.search(asked["rest"]) if asked else None
    if asked is None or condition is None:
        return None
    names = called_names(asked["whose"])
    terms = tuple(term for term in terms_of(condition["said"]) if term not in {stem(name) for name in names})
    terms = (*terms, NEGATED) if _NEGATION.search(condition["said"]) else terms
    found = [match for hit in base.hits if hit.chunk.kind == "code" for match in _returns(hit, names, terms, base)]
    found.sort(key=lambda match: -match.line.score)
    if not found or found[0].line.coverage < MIN_CONDITION:
        return None
    rivals = (each for each in found if each.line.score > found[0].line.score - TOO_NEAR)
    return found[0] if all(each.value == found[0].value for each in rivals) else None


def _returns(hit: Hit, names: frozenset[str], terms: tuple[str, ...], base: EvidenceBase) -> Iterator[ReturnMatch]:
    text = hit.chunk.text
    name = next((each for each in (*SCOPE.findall(text), *SCOPE.findall(hit.chunk.context)) if each in names), "")
    if not name or not terms:
        return
    weights = np.array([base.weight(term) for term in terms])
    for given in _GIVES.finditer(text):
        start, guard = _guard_of(text, given)
        if start < 0:
            continue
        own = _stems_with_signs(guard)
        said = np.array([max((_match(term, word) for word in own), default=0.0) for term in terms])
        coverage = float(weights @ said / weights.sum())
        line = SentenceMatch(hit, text[start : given.end()].rstrip(), start, coverage, coverage, 0.0, 0.0)
        yield ReturnMatch(line, name, plain_text(given["value"].rstrip("{ ")) or " ".join(line.text.split()))


def _match(term: str, word: str) -> float:
    return max(match_like(term, word), match_like(_MEASURES.get(term, term), _SHORT.get(word, word)))


def _guard_of(text: str, given: re.Match[str]) -> tuple[int, str]:
    """Where the condition of a return begins, and its text with the comments below it; (-1, "") where it has none."""
    depth, end, said = len(given["indent"].expandtabs(4)), given.start(), list[str]()
    if _GUARD.search(text[text.rfind("\n", 0, given.start()) + 1 : given.start()]):
        return -1, ""
    while end > 0:
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start : end - 1]
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        if line.strip() and indent < depth:
            if not _GUARD.search(line):
                return -1, ""
            return start + len(line) - len(line.lstrip()), "\n".join((line, *said))
        if _COMMENT.match(line):
            said.append(line)
        end = start
    return -1, ""


def _stems_with_signs(guard: str) -> tuple[str, ...]:
    signs = (word for pattern, words in _SIGNS if pattern.search(guard) for word in words.split())
    return (*stems_of(guard), *(stem(word) for word in signs), *words_of(guard))
