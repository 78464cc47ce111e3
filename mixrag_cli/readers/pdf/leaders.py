"""Rows of dots that lead from a name to its value, told among a page's characters: "Blade length . . . . . 62"".

Where the last dot stands right before the value, the blank between them tells it from a decimal point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

LEADER_RUN = re.compile(r"[.·…_](?:\s{0,2}[.·…_]){2,}")
MIN_GLUED = 4  # an ellipsis may stand before a word
DOT_GAP = 0.6  # of the character height: dots farther apart are marks of empty cells
LOOSE_SHARE = 0.03  # of the character height: a decimal point and its digits leave no blank
SAME_LEVEL = 0.08  # of the character height


def leader_runs(text: str, boxes: np.ndarray) -> Iterator[tuple[int, int]]:
    """First and end character of each run of dots.

    boxes: of the characters, (n, 4) left, top, right, bottom.
    """
    for found in LEADER_RUN.finditer(text):
        dots = np.array([at for at in range(*found.span()) if not text[at].isspace()])
        gaps = boxes[dots[1:], 0] - boxes[dots[:-1], 2]
        height = max(0.1, float(boxes[dots[0], 3] - boxes[dots[0], 1]))
        is_level = np.ptp(boxes[dots, 3]) <= SAME_LEVEL * height
        if is_level and gaps.min() > -height and gaps.max() <= DOT_GAP * height:
            is_glued = len(dots) == found.end() - found.start()
            if not is_glued and _opens_figure(text, boxes, found.end(), height):
                dots = dots[:-1]
            if not is_glued or len(dots) >= MIN_GLUED:
                yield int(dots[0]), int(dots[-1]) + 1


def _opens_figure(text: str, boxes: np.ndarray, end: int, height: float) -> bool:
    """Whether the dot before a digit is its decimal point."""
    return end < len(text) and text[end].isdigit() and boxes[end, 0] - boxes[end - 1, 2] <= LOOSE_SHARE * height
