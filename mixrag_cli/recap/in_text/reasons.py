"""Answer "why" from running text: the sentence that gives a reason, and those that go on with it.

A sentence on the subject is no reason. One is where a word of cause stands before something new: "acceleration due to
gravity" gives none to who asks about gravity. A reason seldom repeats the question's words; where its passage says
them, and nothing but a word of cause is missing, it is one too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import (
    MIN_TIME,
    EvidenceBase,
    context_credit,
    is_supported,
    stems_of,
    surroundings_of,
    time_score,
    unknown_names,
)
from mixrag_cli.recap.in_text.sentences import BEFORE_MATCH, SentenceMatch, split_sentences
from mixrag_cli.recap.in_text.wholes import announces, extended, joined, preceding
from mixrag_cli.recap.language import STOP_WORDS, facets_of, match_term, stem, words_of
from mixrag_cli.records import Hit

MAX_PASSAGES = 12  # nearest first
MIN_COVERAGE = 0.55  # of a sentence, as elsewhere
MIN_WEAK_COVERAGE, MIN_WEAK_SIMILARITY = 0.6, 0.6  # of one that only says what something is good for
# Of a passage that says the question around a reason, and of that reason's meaning; set on reports and manuals.
MIN_PASSAGE_COVERAGE, MIN_PASSAGE_SIMILARITY = 0.6, 0.38
MIN_PASSAGE_SCORE = 0.15  # of the passage among those found
MIN_BEFORE = 4  # words that a consequence follows from, in its own sentence
STRONG_BONUS = 0.3  # of a word of cause, over one that only says what something is good for
MAX_BACK = 3  # sentences
_ASKS = re.compile(r"^\s*(?:[^?]{0,80}?,\s*)?why\b", re.IGNORECASE)
_STRONG = re.compile(
    r"\b(?:because(?: of)?|since(?=\s+[a-z])|due to|as a result of|owing to|thanks to|caused by|results? from|"
    r"for (?:the|this|these|several|two|three|the following) reasons?|reasons?(?: (?:is|are|was|were|for|why)\b)?|"
    r"so that|in order to|so as to|explained by|attribut(?:able|ed) to|driven by|benefit(?:ed|ing)? from|"
    r"by the effects? of|thereby|as (?:the|we|it|they|this|these)(?= [\w ]+? (?:is|are|was|were|would|will|can)\b)|"
    r"for(?: \w+){1,2} purposes|to (?:avoid|prevent|reduce|minimi[sz]e|limit|assess|protect|improve|save))\b",
    re.IGNORECASE,
)
_THUS = re.compile(r"\b(?:and so|therefore|hence|thus|(?:this|that|which) is why|consequently)\b", re.IGNORECASE)
_STARTS_THUS = re.compile(r"^\W*(?:hence|therefore|thus|consequently|that is why|this is why)\b", re.IGNORECASE)
_WEAK = re.compile(
    r"\b(?:ensures?|allows?|makes? it|enables?|lets|helps?|prevents?|avoids?|means that)\b", re.IGNORECASE
)
_GOES_ON = re.compile(
    r"^\W*(?:another|second(?:ly)?|third(?:ly)?|also|moreover|furthermore|finally|in addition)\b", re.IGNORECASE
)


def asks_why(question: str) -> bool:
    """Whether a question asks for a reason with "why"."""
    return _ASKS.search(question) is not None


def gives_reason(text: str, question: str) -> bool:
    """Whether a text has a word of cause that something new stands behind, or before ("and so").

    Example: gives_reason("It fell because prices rose.", "Why did it fall?") -> True.
    """
    asked = {stem(word) for word in words_of(question)}
    for found in _STRONG.finditer(text):
        behind = [stem(word) for word in words_of(text[found.end() :]) if word not in STOP_WORDS]
        if behind and behind[0] not in asked:
            return True
        if not behind and announces(text):
            return True
    return any(len(words_of(text[: found.start()])) >= MIN_BEFORE for found in _THUS.finditer(text))


def match_reason(operand: Operand, base: EvidenceBase, names: frozenset[str]) -> SentenceMatch | None:
    """The sentence that gives the reason asked for, with those that go on with it; None where none surely does."""
    found = [match for hit in base.hits[:MAX_PASSAGES] for match in _in_passage(operand, hit, base, names)]
    if not found:
        return None
    cosines = base.similarity([match.text for match, *_ in found])
    rated = [
        (_rate(match, is_strong, passage, float(cosine)), match)
        for (match, is_strong, passage), cosine in zip(found, cosines, strict=True)
    ]
    rate, best = max(rated, key=lambda pair: pair[0])
    return extended(_first_of(best, operand.text)) if rate > 0 else None


def _rate(match: SentenceMatch, is_strong: bool, passage: float, cosine: float) -> float:
    """How surely a sentence is the reason, 0 where it is not: by itself, by its passage, or by what it is good for."""
    if match.time <= MIN_TIME:
        return 0.0
    total = match.coverage + cosine + match.time
    if is_strong and is_supported(match.coverage, cosine, MIN_COVERAGE):
        return STRONG_BONUS + total
    is_near = passage >= MIN_PASSAGE_COVERAGE and match.hit.score >= MIN_PASSAGE_SCORE
    if is_strong and is_near and cosine >= MIN_PASSAGE_SIMILARITY:
        return total
    is_weak = match.coverage >= MIN_WEAK_COVERAGE and cosine >= MIN_WEAK_SIMILARITY
    return total if is_weak and not is_strong else 0.0


def _in_passage(
    operand: Operand, hit: Hit, base: EvidenceBase, names: frozenset[str]
) -> Iterator[tuple[SentenceMatch, bool, float]]:
    """The sentences with a word of cause or of use, whether it is of cause, and how much of the question is around."""
    if hit.chunk.kind != "prose" or not operand.terms:
        return
    terms, weights = operand.terms, np.array([base.weight(term) for term in operand.terms])
    around, around_facets = surroundings_of(hit, None)
    known = base.knows.get(hit.chunk.document, frozenset())
    credit = context_credit(terms, names, around, known)
    body = stems_of(hit.chunk.text)
    passage = np.maximum([match_term(term, body) for term in terms], credit)
    if unknown_names(terms, names, passage):
        return
    before, times = np.zeros(len(terms)), facets_of("")
    for start, sentence in split_sentences(hit.chunk.text):
        stems = stems_of(sentence)
        own = np.array([match_term(term, stems) for term in terms])
        said, before = np.maximum(own, BEFORE_MATCH * before), own
        times = facets_of(sentence) or times  # a reason is of the time that was spoken of before it
        is_strong = gives_reason(sentence, operand.text) or _STARTS_THUS.match(sentence) is not None
        if is_strong or _WEAK.search(sentence):
            coverage = float(weights @ np.maximum(said, credit) / weights.sum())
            time = time_score(operand.facets, times, around_facets, known)
            match = SentenceMatch(hit, sentence, start, coverage, coverage, 0.0, time)
            yield match, is_strong, float(weights @ passage / weights.sum())


def _first_of(match: SentenceMatch, question: str) -> SentenceMatch:
    """The first of the sentences that give reasons, where this one only goes on with them."""
    if _STARTS_THUS.match(match.text):
        return joined(preceding(match), match)
    first = match
    for _ in range(MAX_BACK):
        if not _GOES_ON.match(first.text) and first is not match:
            return first if gives_reason(first.text, question) else match
        before = preceding(first)
        if before is None or not (_GOES_ON.match(first.text) or first is not match):
            return match
        first = before
    return first if gives_reason(first.text, question) else match
