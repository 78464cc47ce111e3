"""A sentence with those that it announces: "for the following reasons.", "in a few respects", "supported formats:"."""

from __future__ import annotations

import re
from dataclasses import replace

from mixrag_cli.recap.in_text.sentences import SentenceMatch, split_sentences

MAX_ANNOUNCED = 3  # sentences that one announces, at most
MAX_ANNOUNCED_CHARS = 420  # with it, so that an answer stays short
_ANNOUNCES = re.compile(
    r"\bthe following\b|\bas follows\b|\bbelow\s*[:.]?$|:\s*$"
    r"|\b(?:in|for) (?:a few|a number of|several|some|many|various|two|three|four|five) (?:\w+ )?"
    r"(?:respects|ways|reasons|aspects|points|manners)\b",
    re.IGNORECASE,
)
_MANY = re.compile(r"\bfollowing (?:\w+ )?\w+s\b|\b(?:respects|ways|reasons|aspects|points)\b|:\s*$", re.IGNORECASE)


def announces(text: str) -> bool:
    """Whether a sentence says that what it speaks of comes next.

    Example: announces("They differ in two respects.") -> True.
    """
    return _ANNOUNCES.search(text.strip()) is not None


def extended(match: SentenceMatch) -> SentenceMatch:
    """The sentence with those that it announces, the same sentence where it announces none."""
    if not announces(match.text):
        return match
    pieces = split_sentences(match.hit.chunk.text)
    places = [n for n, (start, _) in enumerate(pieces) if start == match.start]
    if not places:
        return match
    end, most = match.start + len(match.text), MAX_ANNOUNCED if _MANY.search(match.text) else 1
    for start, text in pieces[places[0] + 1 : places[0] + 1 + most]:
        if start + len(text) - match.start > MAX_ANNOUNCED_CHARS:
            break
        end = start + len(text)
    return replace(match, text=match.hit.chunk.text[match.start : end])


def preceding(match: SentenceMatch) -> SentenceMatch | None:
    """The sentence before in the same passage, None where it is the first."""
    pieces = split_sentences(match.hit.chunk.text)
    before = [(start, text) for start, text in pieces if start < match.start]
    return replace(match, start=before[-1][0], text=before[-1][1]) if before else None


def following(match: SentenceMatch) -> SentenceMatch | None:
    """The sentence behind in the same passage, None where it is the last."""
    pieces = split_sentences(match.hit.chunk.text)
    behind = [(start, text) for start, text in pieces if start >= match.start + len(match.text)]
    return replace(match, start=behind[0][0], text=behind[0][1]) if behind else None


def joined(first: SentenceMatch | None, last: SentenceMatch) -> SentenceMatch:
    """Two sentences of one passage with what is between them; the last alone where there is no first."""
    if first is None:
        return last
    return replace(last, start=first.start, text=last.hit.chunk.text[first.start : last.start + len(last.text)])
