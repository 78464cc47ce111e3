"""What a PDF engine hands over for one page: words, drawn rules and filled areas, in points from the top left."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

Box = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float]

SAME_RULE_POINTS = 1.0  # rulings less than this apart, along or across, are one
MIN_RULE_POINTS = 4.0
RULE_THICKNESS = 2.5  # points: a thinner box is a ruling
RULES_AT_ONCE = 500  # compared with all words of a page
OUTLINE_POINTS = 0.5  # how far the outline of a letter is drawn outside of it
BOLD_NAME = re.compile(r"bold|black|heavy|demi|medi(?!um)|-x?bd|cm\w*b\d|bx")  # with the short forms that foundries use
ITALIC_NAMES = ("italic", "oblique")


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without a space, with its place and its style.

    glued: stands right behind the word before it, with no space between (a raised "®", a change of font).
    """

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    baseline: float
    size: float
    bold: bool = False
    italic: bool = False
    glued: bool = False


@dataclass(frozen=True, slots=True)
class TurnedWord:
    """A word whose letters stand on their side, with its place on the shown page.

    reads_up: from the bottom to the top, as headings of narrow columns mostly do.
    """

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    reads_up: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight ruling; start and end run along it, at is its other coordinate."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class PageContent:
    """One page. number: from 1. horizontal rules have at = y; vertical ones at = x.

    has_tables: False where the page holds too much for tables to be looked for. warnings: for people.
    turned: words on their side, which only charts and the cells of ruled tables take in. shapes: boxes around what is
    drawn beside straight rulings: filled areas, curves and slanted lines. n_pages: of the document, 0 where unknown.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    horizontal: tuple[Rule, ...] = ()
    vertical: tuple[Rule, ...] = ()
    n_images: int = 0
    has_tables: bool = True
    warnings: tuple[str, ...] = field(default=())
    turned: tuple[TurnedWord, ...] = ()
    shapes: tuple[Box, ...] = ()
    n_pages: int = 0


def without_letters(rules: Sequence[Rule], words: Sequence[Word], *, is_down: bool) -> list[Rule]:
    """The rules without those that draw a letter: type is made bold by a line around each letter, too.

    Such a stroke lies in a word and is no longer than a letter is high. is_down: they run so. Across, only the strokes
    above the baseline are a letter's; below it dots may underline the word.
    """
    if not rules or not words:
        return list(rules)
    lefts, tops, rights, bottoms, sizes = np.array(
        [(word.x0, word.top, word.x1, word.bottom if is_down else word.baseline, word.size) for word in words]
    ).T
    along, across = ((tops, bottoms), (lefts, rights)) if is_down else ((lefts, rights), (tops, bottoms))
    longest = sizes.max()
    short = [rule for rule in rules if rule.end - rule.start <= longest]
    letters: set[int] = set()
    for first in range(0, len(short), RULES_AT_ONCE):
        part = short[first : first + RULES_AT_ONCE]
        at, start, end = np.array([(rule.at, rule.start, rule.end) for rule in part]).T[:, :, None]
        is_inside = (along[0] - OUTLINE_POINTS <= start) & (end <= along[1] + OUTLINE_POINTS)
        is_inside &= (across[0] - OUTLINE_POINTS <= at) & (at <= across[1] + OUTLINE_POINTS)
        in_word = (is_inside & (end - start <= sizes)).any(axis=1)
        letters.update(id(rule) for rule, is_letter in zip(part, in_word, strict=True) if is_letter)
    return [rule for rule in rules if id(rule) not in letters]


def merge_rules(rules: Iterable[Rule]) -> list[Rule]:
    """Join rulings that touch, as print programs draw them cell by cell; drop what stays a dot."""
    merged: list[Rule] = []
    line: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if line and rule.at - line[0].at > SAME_RULE_POINTS:
            merged += _join_collinear(line)
            line = []
        line.append(rule)
    merged += _join_collinear(line)
    return [rule for rule in merged if rule.end - rule.start >= MIN_RULE_POINTS]


def _join_collinear(line: Iterable[Rule]) -> list[Rule]:
    joined: list[Rule] = []
    for rule in sorted(line, key=lambda rule: rule.start):
        if joined and rule.start <= joined[-1].end + SAME_RULE_POINTS:
            joined[-1] = Rule(joined[-1].at, joined[-1].start, max(joined[-1].end, rule.end))
        else:
            joined.append(rule)
    return joined


@dataclass(frozen=True, slots=True)
class Frame:
    """How page space maps to points from the shown page's top left corner.

    left, bottom, right, top: the crop box in page space. rotation: clockwise quarter turns.
    """

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    def size(self) -> tuple[float, float]:
        """Width and height as shown."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.rotation % 2 else (width, height)

    def turn(self, boxes: np.ndarray) -> np.ndarray:
        """(n, 4) left, bottom, right, top in page space -> (n, 4) x0, top, x1, bottom as shown."""
        x0, y0, x1, y1 = boxes.T
        if self.rotation == 1:
            turned = (y0 - self.bottom, x0 - self.left, y1 - self.bottom, x1 - self.left)
        elif self.rotation == 2:
            turned = (self.right - x1, y0 - self.bottom, self.right - x0, y1 - self.bottom)
        elif self.rotation == 3:
            turned = (self.top - y1, self.right - x1, self.top - y0, self.right - x0)
        else:
            turned = (x0 - self.left, self.top - y1, x1 - self.left, self.top - y0)
        return np.stack(turned, axis=1)

    def turn_point(self, x: float, y: float) -> tuple[float, float]:
        """One point, as turn does it."""
        if self.rotation == 1:
            return y - self.bottom, x - self.left
        if self.rotation == 2:
            return self.right - x, y - self.bottom
        if self.rotation == 3:
            return self.top - y, self.right - x
        return x - self.left, self.top - y


def multiply(inner: Matrix, outer: Matrix | None) -> Matrix:
    """The map that applies inner, then outer."""
    if outer is None:
        return inner
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def map_point(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """Where the point lands."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def map_box(matrix: Matrix | None, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """The upright box around the mapped corners."""
    if matrix is None:
        return box
    (ax, ay), (bx, by) = map_point(matrix, box[0], box[1]), map_point(matrix, box[2], box[3])
    return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)


def is_bold_name(font: str) -> bool:
    """Whether the font's name, without the random letters before a "+", says that it is bold."""
    return BOLD_NAME.search(font.rpartition("+")[2].lower()) is not None


def is_italic_name(font: str) -> bool:
    """Whether the font's name says that it is italic."""
    return any(part in font.lower() for part in ITALIC_NAMES)
