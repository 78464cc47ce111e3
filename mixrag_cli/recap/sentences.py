"""Extract from running text and code: the sentences, and the numbers in them, that a question means."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from mixrag_cli.recap.evidence import (
    PATH_BONUS,
    EvidenceBase,
    context_credit,
    names_path,
    stems_of,
    surroundings_of,
    unknown_names,
)
from mixrag_cli.recap.language import facet_agreement, facet_conflict, facets_of, match_term
from mixrag_cli.recap.restate import Operand
from mixrag_cli.records import Hit, Locator
from mixrag_cli.tables.values import Value, find_numbers

MAX_SENTENCES = 24  # embedded for the choice: about 20 ms on two cores
MEANING_PART = 0.5  # of the score, beside coverage by words; equal parts until calibrated
WRONG_TIME = 0.5
RIGHT_TIME = 0.1
NUMBER_REACH = 60.0  # characters over which a number's tie to the words around it falls to 1/e
_BREAK = re.compile(r"(?<=[.!?])[\"”’)]?\s+(?=[\"“(]?[A-Z0-9])|\n{2,}|\n(?=\s*(?:[-*•]|\d+[.)])\s)|(?<=:)\n")
_ABBREVIATION = re.compile(r"\b(?:Inc|Corp|Ltd|Co|No|Mr|Ms|Mrs|Dr|vs|approx|e\.g|i\.e|U\.S|St|Fig|Sec|Art)\.$")


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """A sentence of a hit and how well it fits. start: its place in the hit's chunk text."""

    hit: Hit
    text: str
    start: int
    score: float
    coverage: float
    similarity: float
    time: float

    @property
    def locator(self) -> Locator:
        """The sentence's own place: the chunk's, narrowed to its lines where lines are counted."""
        where = self.hit.chunk.locator
        if where.lines is None:
            return where
        before = self.hit.chunk.text[: self.start].count("\n")
        first = min(where.lines[0] + before, where.lines[1])
        return replace(where, lines=(first, min(first + self.text.count("\n"), where.lines[1])))


@dataclass(frozen=True, slots=True)
class NumberMatch:
    """A number in a sentence. score: the sentence's, scaled by how close the number stands to what was asked."""

    sentence: SentenceMatch
    value: Value
    quote: str
    score: float


def split_sentences(text: str) -> list[tuple[int, str]]:
    """The sentences of a passage with their offsets; line breaks inside a sentence are kept.

    Example: "It is so. See No. 5." -> [(0, "It is so."), (10, "See No. 5.")].
    """
    pieces: list[tuple[int, str]] = []
    start = 0
    for found in _BREAK.finditer(text):
        if _ABBREVIATION.search(text, max(0, found.start() - 8), found.start()):
            continue
        pieces.append((start, text[start : found.start()]))
        start = found.end()
    pieces.append((start, text[start:]))
    return [(at, piece) for at, piece in pieces if piece.strip()]


def match_sentences(operand: Operand, base: EvidenceBase, names: frozenset[str], limit: int = 8) -> list[SentenceMatch]:
    """The best sentences of the evidence for the operand, best first."""
    matches = [
        match for hit in base.hits if hit.chunk.kind != "row" for match in _match_in_hit(operand, hit, base, names)
    ]
    matches.sort(key=lambda match: -(match.score + match.coverage + match.time + 0.1 * match.hit.score))
    matches = matches[:MAX_SENTENCES]
    if not matches:
        return []
    cosines = base.similarity([match.text[:600] for match in matches])
    scored = [
        replace(
            match,
            similarity=float(cosine),
            score=match.score + (1 - MEANING_PART) * match.coverage + MEANING_PART * float(cosine) + match.time,
        )
        for match, cosine in zip(matches, cosines, strict=True)
    ]
    return sorted(scored, key=lambda match: -match.score)[:limit]


def _match_in_hit(operand: Operand, hit: Hit, base: EvidenceBase, names: frozenset[str]) -> list[SentenceMatch]:
    if not operand.terms:
        return []
    weights = np.array([base.weight(term) for term in operand.terms])
    around, around_facets = surroundings_of(hit, None)
    credit = context_credit(operand.terms, names, around, base.knows.get(hit.chunk.document, frozenset()))
    named = PATH_BONUS if names_path(operand.text, hit.path) else 0.0
    matches = []
    for start, sentence in split_sentences(hit.chunk.text):
        stems = stems_of(sentence)
        said = np.array([match_term(term, stems) for term in operand.terms])
        if not said.any() or unknown_names(operand.terms, names, np.maximum(said, credit)):
            continue
        coverage = float(weights @ np.maximum(said, credit) / weights.sum())
        facets = facets_of(sentence)
        time = 0.0
        if operand.facets:
            wrong = facet_conflict(operand.facets, facets) or (
                not facets and facet_conflict(operand.facets, around_facets)
            )
            time = -WRONG_TIME if wrong else RIGHT_TIME * facet_agreement(operand.facets, facets | around_facets)
        matches.append(SentenceMatch(hit, sentence, start, named, coverage, 0.0, time))
    return matches


def match_numbers(operand: Operand, sentences: list[SentenceMatch], *, wants_percent: bool) -> list[NumberMatch]:
    """The numbers in the sentences, best first: near the asked words, of the asked kind, not part of a date."""
    found = []
    for sentence in sentences:
        for start, end, value in find_numbers(sentence.text):
            if (
                value.value is None
                or _restates_question(value, operand)
                or (wants_percent and value.unit not in ("%", "pp", "bp"))
            ):
                continue
            nearness = _nearness(sentence.text, start, end, operand)
            found.append(
                NumberMatch(sentence, value, sentence.text[start:end], sentence.score * (0.6 + 0.4 * nearness))
            )
    return sorted(found, key=lambda match: -match.score)


def _restates_question(value: Value, operand: Operand) -> bool:
    plain = format(value.value, "f") if value.value is not None else ""
    return plain in operand.terms or (plain.isdigit() and int(plain) in operand.facets.years)


def _nearness(text: str, start: int, end: int, operand: Operand) -> float:
    """In [0, 1]: the mean closeness of the number to each asked word that the sentence says."""
    distances = []
    for term in operand.terms:
        places = [m for m in re.finditer(r"\w+", text) if match_term(term, stems_of(m.group()))]
        if places:
            distances.append(min(max(m.start() - end, start - m.end(), 0) for m in places))
    return float(np.mean([np.exp(-d / NUMBER_REACH) for d in distances])) if distances else 0.0
