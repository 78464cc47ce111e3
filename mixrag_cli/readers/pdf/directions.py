"""Hebrew and Arabic in PDFs: letters that go leftwards within a word, and words within a line.

A PDF gives each character its place, and pdfium the characters in the order in which they are read. Figures and Latin
words go rightwards in the midst of them. Source: the levels of the Unicode Bidirectional Algorithm (UAX #9), for lines
of words that are known by their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from mixrag_cli.readers.pdf.page import Word

# Blocks of Hebrew, Arabic and their relatives without the figures of Arabic, which go rightwards.
_LEFTWARDS = ((0x590, 0x65F), (0x66A, 0x6EF), (0x6FA, 0x8FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFC))
_SIGNS = ((0, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0xBF), (0x2000, 0x206F))  # that go with their neighbours
_FIRST = _LEFTWARDS[0][0]


def go_leftwards(codes: np.ndarray) -> np.ndarray:
    """(n,) code points -> (n - 1,) whether the next character of a word stands on the left of each.

    So it does in such a script; what is neither letter nor figure goes with its neighbour.
    """
    if codes.max(initial=0) < _FIRST:
        return np.zeros(max(len(codes) - 1, 0), bool)
    leftwards = _is_in(codes, _LEFTWARDS)
    rightwards = ~leftwards & ~_is_in(codes, _SIGNS)
    pairs: np.ndarray = (leftwards[1:] | leftwards[:-1]) & ~(rightwards[1:] | rightwards[:-1])
    return pairs


def _is_in(codes: np.ndarray, ranges: Sequence[tuple[int, int]]) -> np.ndarray:
    found = np.zeros(len(codes), bool)
    for first, last in ranges:
        found |= (codes >= first) & (codes <= last)
    return found


def in_reading_order(words: Sequence[Word]) -> Sequence[Word]:
    """Words of a line, from left to right, in the order in which they are read."""
    if all(word.text.isascii() for word in words):
        return words
    sides = [_side(word.text) for word in words]
    if True not in sides:
        return words
    is_leftwards = sides.count(True) >= sides.count(False)
    runs = groupby(zip(words, sides, strict=True), key=lambda one: one[1] is (not is_leftwards))
    ordered = [list(run)[:: 1 if is_against is is_leftwards else -1] for is_against, run in runs]
    return [word for run in (ordered[::-1] if is_leftwards else ordered) for word, _ in run]


def _side(text: str) -> bool | None:
    """Whether a word goes leftwards; None where it has neither letters nor figures."""
    codes = [ord(sign) for sign in text]
    if max(codes) >= _FIRST and any(first <= code <= last for code in codes for first, last in _LEFTWARDS):
        return True
    return False if any(map(str.isalnum, text)) else None
