"""How well a label's words stand for a question's: the same stem, a synonym, a word of one stock, a misspelling."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mixrag_cli.quantities.facets import without_facets
from mixrag_cli.recap.wording import WHOLE_WORDS, spelled_stems
from mixrag_cli.words import COMMON_WORDS, match_pair

Matrix = npt.NDArray[np.float64]

PREFIX_MATCH = 0.8  # "employed", "employment": words of one stock
SPELLING_MATCH = 0.7  # "ependiture", "expenditure": most letter triples agree
INITIAL_MATCH = 0.4  # "W" for "won"
INITIALS_MATCH = 0.9  # "b.c" for "british columbia", and the other way round
MIN_INITIALS, MAX_INITIALS = 2, 5  # letters
MIN_SAYS = 0.4
MIN_LIKE_LETTERS = 5
MIN_LIKE_PREFIX = 0.6  # of the longer word
MIN_LIKE_TRIPLES = 0.6  # Dice coefficient


def said_by(labels: Sequence[str], terms: Sequence[str]) -> Matrix:
    """(n_terms, n_labels): how well the best word of each label stands for each term, or all of the label for several.

    Each word is matched once.
    """
    initials = "".join(term[0] for term in terms)
    words = [spelled_stems(label) for label in labels]
    at = {word: n for n, word in enumerate(dict.fromkeys(word for label in words for word in label))}
    match = np.array([[match_like(term, word) for word in at] for term in terms]).reshape(len(terms), len(at))
    said = np.zeros((len(terms), len(labels)))
    for place, label in enumerate(words):
        if label:
            said[:, place] = match[:, [at[word] for word in label]].max(axis=1)
            start, end = _spelled_at(label, initials)
            said[start:end, place] = np.maximum(said[start:end, place], INITIALS_MATCH)
            own = "".join(word[0] for word in label)
            spelled = [n for n, term in enumerate(terms) if _is_short(term) and term in own]
            said[spelled, place] = np.maximum(said[spelled, place], INITIALS_MATCH)
    return said


def _spelled_at(label: Sequence[str], initials: str) -> tuple[int, int]:
    """The terms whose first letters spell a short label, "b.c" for "british columbia"; (0, 0) for none."""
    short = "".join(label)
    start = initials.find(short) if _is_short(short) and len(label) in (1, len(short)) else -1
    return (start, start + len(short)) if start >= 0 else (0, 0)


def _is_short(word: str) -> bool:
    return MIN_INITIALS <= len(word) <= MAX_INITIALS and word.isalpha()


def count_unsaid(label: str, asked: frozenset[str], known: dict[str, bool]) -> tuple[int, int]:
    """How many of a label's telling words the question does not say, and how many there are. known: words so far."""
    words = _telling(label)
    for word in words:
        if word not in known:
            known[word] = word in asked or any(match_like(word, each) >= MIN_SAYS for each in asked)
    return sum(not known[word] for word in words), len(words)


@lru_cache(maxsize=65536)
def _telling(label: str) -> tuple[str, ...]:
    return tuple(
        word for word in spelled_stems(without_facets(label)) if word not in COMMON_WORDS and word not in WHOLE_WORDS
    )


@lru_cache(maxsize=262144)
def match_like(term: str, candidate: str) -> float:
    """How well one stem stands for another, in [0, 1]: as match_pair, or as a word of one stock or a misspelling."""
    match = match_pair(term, candidate)
    if min(len(term), len(candidate)) == 1 and term[0] == candidate[0] and term.isalpha():
        return max(match, INITIAL_MATCH)
    if match >= PREFIX_MATCH or min(len(term), len(candidate)) < MIN_LIKE_LETTERS:
        return match
    if not (term.isalpha() and candidate.isalpha()):
        return match
    common = next(
        (n for n, (a, b) in enumerate(zip(term, candidate, strict=False)) if a != b), min(len(term), len(candidate))
    )
    if common >= MIN_LIKE_LETTERS and common >= MIN_LIKE_PREFIX * max(len(term), len(candidate)):
        return PREFIX_MATCH
    one, other = _triples(term), _triples(candidate)
    is_misspelt = 2 * len(one & other) >= MIN_LIKE_TRIPLES * (len(one) + len(other))
    return max(match, SPELLING_MATCH) if is_misspelt else match


@lru_cache(maxsize=65536)
def _triples(word: str) -> frozenset[str]:
    padded = f"^{word}$"
    return frozenset(padded[n : n + 3] for n in range(len(padded) - 2))
