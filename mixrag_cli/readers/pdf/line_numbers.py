"""The numbers in the margin that count a page's lines, as bills, transcripts and drafts have them: no part of the text.

They stand left of everything else, one below the other, and count up by one from line to line. So may the rows of a
table be numbered; beside a line's number runs prose, from one margin to the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mixrag_cli.readers.pdf.layout import COLUMN_GAP, words_to_lines
from mixrag_cli.readers.pdf.page import Word

MIN_NUMBERS = 10  # on a page
MAX_DIGITS = 5
SAME_EDGE = 2.0  # points between the edges of numbers in one margin
MIN_CLEAR = 0.5  # of the type size, between the numbers and the text
MAX_UNNUMBERED = 0.1  # of the lines beside the numbers
FULL_WIDTH = 0.8  # of the text's width: a line as wide runs from margin to margin
MIN_FULL = 0.15  # of the lines with text that are as wide
MIN_WHOLE = 0.7  # of them that no wide gap parts, as table cells are parted


def without_line_numbers(words: Sequence[Word]) -> list[Word]:
    """The page's words without the numbers of its lines; all of them where it has none."""
    numbers = _margin_numbers(words)
    if len(numbers) < MIN_NUMBERS:
        return list(words)
    rest = [word for word in words if word not in numbers]
    return rest if _are_beside_prose(sorted(numbers, key=lambda word: word.baseline), rest) else list(words)


def _margin_numbers(words: Sequence[Word]) -> frozenset[Word]:
    """Whole numbers under each other, left of all other words, each by one more than the one above."""
    whole = [word for word in words if word.text.isdecimal() and len(word.text) <= MAX_DIGITS]
    if len(whole) < MIN_NUMBERS:
        return frozenset()
    first = min(whole, key=lambda word: word.x1)
    column = sorted(
        (word for word in whole if abs(word.x1 - first.x1) < SAME_EDGE or abs(word.x0 - first.x0) < SAME_EDGE),
        key=lambda word: word.baseline,
    )
    found = frozenset(column)
    right = max(word.x1 for word in column) + MIN_CLEAR * first.size
    is_margin = all(word.x0 > right for word in words if word not in found)
    counts = all(int(below.text) == int(above.text) + 1 for above, below in pairwise(column))
    return found if is_margin and counts else frozenset()


def _are_beside_prose(numbers: Sequence[Word], rest: Sequence[Word]) -> bool:
    """Whether nearly every line from the first number to the last has one, and most of them are running text."""
    top, bottom = numbers[0].top, numbers[-1].bottom
    lines = words_to_lines([word for word in rest if top < word.baseline < bottom])
    if not lines:
        return False
    heights = [number.baseline for number in numbers]
    bare = sum(min(abs(line.baseline - height) for height in heights) > 0.5 * line.size for line in lines)
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    full = sum(line.x1 - line.x0 > FULL_WIDTH * (right - left) for line in lines)
    whole = sum(
        all(after.x0 - before.x1 < COLUMN_GAP * line.size for before, after in pairwise(line.words)) for line in lines
    )
    return bare <= MAX_UNNUMBERED * len(lines) and full >= MIN_FULL * len(lines) and whole >= MIN_WHOLE * len(lines)
