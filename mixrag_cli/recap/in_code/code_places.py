"""The values that the evidence's code gives, each with the definitions that it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mixrag_cli.recap.evidence import EvidenceBase, context_credit, stems_of, surroundings_of, unknown_names
from mixrag_cli.recap.in_code.code_values import NamedValue, named_values
from mixrag_cli.recap.language import is_joined_in, match_term
from mixrag_cli.recap.likeness import match_like
from mixrag_cli.records import Hit

BODY_MATCH = 0.6  # of a word that stands elsewhere in the definition, as for definitions
JOINED_MATCH = 0.8  # of a word in a name without spaces, as for headings
MIN_USED_LETTERS = 5  # of a constant whose uses are sought: shorter names stand everywhere
SCOPE = re.compile(
    r"\b(?:class|struct|impl|trait|interface|module|mod|type|enum|def|fn|func|function)\s+(?:\([^)]*\)\s*)?(\w+)"
)
_NOW_CALLED = re.compile(
    r"^[ \t]*(?:export\s+|default\s+|async\s+)*(?:const|let|var)\s+(\w+)\s*=[^\n]*=>", re.MULTILINE
)
_FUNCTION = re.compile(r"\b(?:def|fn|func|function)\b")


@dataclass(frozen=True, slots=True)
class PlacedValue:
    """A named value in its passage. scopes: the names of the definitions and the file that it belongs to."""

    hit: Hit
    value: NamedValue
    scopes: frozenset[str]

    def with_value(self, value: str) -> PlacedValue:
        """The same place with a part of its value."""
        return replace(self, value=replace(self.value, value=value))


def placed_values(base: EvidenceBase) -> list[PlacedValue]:
    """All values that the code among the hits gives."""
    return [each for hit in base.hits if hit.chunk.kind == "code" for each in _values_of(hit)]


def resolved(placed: Sequence[PlacedValue]) -> list[PlacedValue]:
    """The values with those that are the names of constants of their file replaced by what these are."""
    known = {
        (each.hit.chunk.document, name): each
        for each in placed
        if each.value.kind == "constant" and not each.value.refers_to
        for name in each.value.names
    }
    found = []
    for each in placed:
        meant = known.get((each.hit.chunk.document, each.value.refers_to))
        if meant is not None:
            value = replace(meant.value, names=each.value.names, kind=each.value.kind)
            each = PlacedValue(meant.hit, value, each.scopes)
        found.append(each)
    return found


def coverage_of(each: PlacedValue, terms: tuple[str, ...], base: EvidenceBase, names: frozenset[str]) -> float:
    """How much of the terms the value's names, what it belongs to and the lines that use it say, in [0, 1]."""
    hit, value = each.hit, each.value
    around, _ = surroundings_of(hit, None)
    credit = context_credit(terms, names, around, base.knows.get(hit.chunk.document, frozenset()))
    if unknown_names(terms, names, credit):
        return 0.0
    own = stems_of(" ".join((*value.names, value.comment, *each.scopes, *_uses(each, base))))
    body = stems_of(" ".join(other.chunk.text for other in base.hits if _is_beside(other, each)))
    said = np.array([max(_match(term, own), BODY_MATCH * match_term(term, body)) for term in terms])
    return _weighed(np.maximum(said, credit), terms, base)


def own_coverage(each: PlacedValue, terms: tuple[str, ...], base: EvidenceBase) -> float:
    """How much of the terms the value's own names say, in [0, 1]."""
    own = stems_of(" ".join(each.value.names))
    return _weighed(np.array([match_term(term, own) for term in terms]), terms, base)


def _weighed(said: np.ndarray, terms: tuple[str, ...], base: EvidenceBase) -> float:
    weights = np.array([base.weight(term) for term in terms])
    return float(weights @ said / weights.sum())


def _match(term: str, words: Sequence[str]) -> float:
    return max((max(match_like(term, word), JOINED_MATCH * is_joined_in(term, word)) for word in words), default=0.0)


def _values_of(hit: Hit) -> Iterator[PlacedValue]:
    text, context = hit.chunk.text, hit.chunk.context
    above = (*SCOPE.findall(context), hit.path_below.rpartition("/")[2].partition(".")[0])
    defined = [(match.start(), match[1]) for pattern in (SCOPE, _NOW_CALLED) for match in pattern.finditer(text)]
    in_function = _FUNCTION.search(context) is not None
    for value in named_values(text, in_function=in_function, is_go=hit.path.endswith(".go")):
        own = (name for start, name in defined if start <= value.start + len(value.line))
        yield PlacedValue(hit, value, frozenset((*above, *own)))


def _is_beside(other: Hit, each: PlacedValue) -> bool:
    """Whether a passage is of the definition that a value belongs to."""
    if other.chunk.document != each.hit.chunk.document:
        return False
    if other.chunk.id == each.hit.chunk.id:
        return True
    defined = {*SCOPE.findall(other.chunk.context), *SCOPE.findall(other.chunk.text)}
    return bool(defined & set(SCOPE.findall(each.hit.chunk.context)))


def _uses(each: PlacedValue, base: EvidenceBase) -> Iterator[str]:
    """The lines that use a constant, with the definitions in which they stand."""
    name = each.value.names[0]
    if each.value.kind != "constant" or len(name) < MIN_USED_LETTERS:
        return
    used = re.compile(rf"^.*\b{re.escape(name)}\b.*$", re.MULTILINE)
    for hit in base.hits:
        if hit.chunk.document == each.hit.chunk.document and hit.chunk.id != each.hit.chunk.id:
            lines = used.findall(hit.chunk.text)
            if lines:
                yield " ".join((*lines, *SCOPE.findall(hit.chunk.context), *SCOPE.findall(hit.chunk.text)))
