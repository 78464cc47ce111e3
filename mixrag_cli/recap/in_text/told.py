"""Answer from running text: the sentence, the number in one, or the release above one that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import MIN_TIME, EvidenceBase, is_supported
from mixrag_cli.recap.in_code.given_values import asks_default, says_default
from mixrag_cli.recap.in_code.identifiers import KIND_STEMS, says_sign
from mixrag_cli.recap.in_text.answer_forms import (
    answered_by_first,
    completed,
    form_bonus,
    has_form,
    least_coverage,
    says_subject,
)
from mixrag_cli.recap.in_text.reasons import asks_why, match_reason
from mixrag_cli.recap.in_text.releases import (
    asks_release,
    asks_version,
    asks_when_too,
    date_of,
    is_same_change,
    match_release_day,
    release_above,
    says_version,
    sought_change,
)
from mixrag_cli.recap.in_text.sentences import SentenceMatch, is_caption, is_heading, match_numbers, match_sentences
from mixrag_cli.recap.language import terms_of
from mixrag_cli.recap.pieces import Piece, number_piece, release_day_piece, release_piece, sentence_piece
from mixrag_cli.recap.restate import Restated

# In parts of the question's weight that the sentence says; set on the development collection.
MIN_NUMBER_COVERAGE = 0.6
MIN_SENTENCE_COVERAGE = 0.55
MIN_SENTENCE_SIMILARITY = 0.3  # below it a sentence shares words with the question by chance


def from_release_day(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The day of the version that the question names."""
    day = match_release_day(restated.question, base.hits)
    return release_day_piece(day) if day is not None else None


def from_number(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The number in a sentence that says enough of the question."""
    sentences = match_sentences(restated.whole, base, restated.names)
    in_time = [match for match in sentences if match.time > MIN_TIME]
    if asks_default(restated.question):  # another number of the code is what it takes when told so, or not at all
        in_time = [match for match in in_time if says_default(match.text)]
    wants_percent = restated.expects == "percent"
    numbers = match_numbers(restated.whole, in_time, wants_percent=wants_percent, min_coverage=MIN_NUMBER_COVERAGE)
    return number_piece(numbers[0]) if numbers else None


def from_sentence(restated: Restated, base: EvidenceBase, form: re.Pattern[str] | None = None) -> Piece | None:
    """The best sentence; where the question asks several things, the best for each of them.

    form: of a sign that the sentence must have.
    """
    parts = answered_by_first(restated.parts)
    parts = parts if form is None else tuple(_less_kind(part) for part in parts)
    best = ((part, _best_sentence(part, restated, base, form)) for part in parts)
    found = [(part, match) for part, match in best if match is not None]
    if not found:
        return None
    chosen = {(match.hit.chunk.id, match.start): (part, match) for part, match in found}
    pieces = [sentence_piece(part, match) for part, match in chosen.values()]
    if len(pieces) == 1:
        return pieces[0]
    evidence = tuple(replace(piece.evidence[0], id=f"e{n}", source=n) for n, piece in enumerate(pieces, start=1))
    sources = tuple(replace(piece.sources[0], ref=n) for n, piece in enumerate(pieces, start=1))
    text = " ".join(piece.text for piece in pieces)
    score = max(piece.score for piece in pieces)
    return Piece(text, score, min(piece.coverage for piece in pieces), evidence, sources)


def from_release(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The version under whose heading the best sentence stands; a sentence that names a version where none does."""
    question, change = restated.question, sought_change(restated.question)
    part = Operand(change, terms_of(change), restated.whole.facets)
    matches = _good_sentences(part, restated, base)
    match = next((match for match in matches if is_same_change(match.text, question)), None)
    if match is None:
        return None
    version, heading = release_above(match)
    if version:
        return release_piece(version, date_of(heading, version) if asks_when_too(question) else "", heading, match)
    return sentence_piece(restated.whole, match) if says_version(match.text, question) else None


def _best_sentence(
    part: Operand, restated: Restated, base: EvidenceBase, form: re.Pattern[str] | None = None
) -> SentenceMatch | None:
    if asks_why(part.text):
        return match_reason(part, base, restated.names & set(part.terms))
    best = next(_good_sentences(part, restated, base, form), None)
    return completed(best, part.text) if best is not None else None


def _good_sentences(
    part: Operand, restated: Restated, base: EvidenceBase, form: re.Pattern[str] | None = None
) -> Iterator[SentenceMatch]:
    """The sentences that say enough of a question and have its form, best first."""
    wants_version = asks_version(part.text) and not asks_release(part.text)
    matches = match_sentences(part, base, restated.names & set(part.terms), prefers_prose=True)
    for match in sorted(matches, key=lambda match: -(match.score + form_bonus(match, part.text))):
        is_near = match.time > MIN_TIME and match.similarity >= MIN_SENTENCE_SIMILARITY
        if wants_version and not says_version(match.text, restated.question):
            continue
        if (
            (form and not says_sign(match.text, form, restated.question))
            or (restated.expects == "any" and is_caption(match.text))
            or is_heading(match)
        ):
            continue
        least = least_coverage(match, part.text, MIN_SENTENCE_COVERAGE)
        is_near = is_near and is_supported(match.coverage, match.similarity, least) and has_form(match, part.text)
        if is_near and says_subject(match, part, restated, base):
            yield match


def _less_kind(part: Operand) -> Operand:
    return replace(part, terms=tuple(term for term in part.terms if term not in KIND_STEMS))
