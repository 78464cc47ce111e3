"""The characters of a PDF's page as arrays, and the words made of them."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mixrag_cli.cleaning import safe_text
from mixrag_cli.readers.pdf.directions import go_leftwards
from mixrag_cli.readers.pdf.leaders import leader_runs
from mixrag_cli.readers.pdf.page import Frame, TurnedWord, Word, is_bold_name, is_italic_name
from mixrag_cli.readers.pdf.pdfium import (
    get_font,
    get_font_info,
    get_loose_box,
    get_mode,
    get_object,
    get_origin,
    get_size,
    get_unicode,
    is_white,
    matrix_of_char,
)

SPACE_SHARE = 0.16  # of the character height (about 0.2 of the type size): a wider gap ends a word
SAME_BOX_POINTS = 0.1
SHIFT_SHARE = 0.08  # of the character height: a raised or larger character is a word of its own
FARTHEST_POINTS = 100_000.0  # a page is 14,400 points at most; this also turns NaN away
INVISIBLE = 3
TINY_POINTS = 2.0
MIN_SLANT = 0.1  # sideways for each point of height: programs slant upright type by 0.2 to 0.35 for want of an italic
BOLD_FLAG = 1 << 18
ITALIC_FLAG = 1 << 6
HYPHEN_MARKS = (2, 0xFFFE, 0xAD, 0x2010)  # pdfium writes U+0002 for a hyphen at a line's end
SPACES = (0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)
ASCENT, DESCENT = 0.76, 0.22  # of the type size: one box for all fonts, so that lines compare
LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


@dataclass(frozen=True, slots=True)
class _Style:
    """How a text object is set. size: in points. angle: in quarter turns."""

    size: float
    bold: bool
    italic: bool
    angle: int
    is_hidden: bool
    is_white: bool


class TextPage:
    """The characters of one page as arrays, and the words made of them."""

    def __init__(self, handle: int, n_chars: int, fonts: dict[int, tuple[bool, bool]]) -> None:
        self._handle = handle
        self._fonts = fonts
        self._styles: dict[int, _Style] = {}
        self._codes = np.fromiter((get_unicode(handle, index) for index in range(n_chars)), np.uint32, n_chars)
        boxes = np.zeros((n_chars, 4), np.float32)
        address = boxes.ctypes.data
        for index in range(n_chars):
            get_loose_box(handle, index, address + 16 * index)
        boxes = np.nan_to_num(boxes, nan=0.0, posinf=0.0, neginf=0.0).astype(np.float64)
        self._boxes = boxes[:, [0, 3, 2, 1]]  # left, top, right, bottom -> left, bottom, right, top
        self._is_space = (self._codes <= 32) & (self._codes != 2) | np.isin(self._codes, SPACES)

    def main_turn(self, page_turn: int) -> int:
        """The quarter turns after which most of the text stands upright; the page's own where there is none."""
        drawn = np.flatnonzero(~self._is_space)
        if not len(drawn):
            return page_turn
        sample = drawn[:: max(1, len(drawn) // 64)]
        turns = [self._style(int(index)).angle for index in sample]
        return max(set(turns), key=lambda turn: (turns.count(turn), turn == page_turn))

    def words(self, frame: Frame) -> tuple[list[Word], list[Word], list[Word]]:
        """All words on the page, those that nobody can see, and those in white."""
        words: list[Word] = []
        hidden: list[Word] = []
        white: list[Word] = []
        width, height = frame.size()
        if not len(self._codes):
            return words, hidden, white
        text = self._page_text
        for start, end, x0, x1, is_glued in self._spans(frame.turn(self._boxes)):
            style = self._style(start)
            shown = _clean(text[start:end])
            if not shown or style.angle != frame.rotation:
                continue
            word = self._to_word(shown, start, (x0, x1), style, frame, is_glued)
            if not abs(word.baseline) < FARTHEST_POINTS:
                continue
            words.append(word)
            if style.is_hidden or word.size < TINY_POINTS or not _is_on_page(word, width, height):
                hidden.append(word)
            elif style.is_white:
                white.append(word)
        return words, hidden, white

    def turned_words(self, frame: Frame) -> list[TurnedWord]:
        """The words that stand on their side beside the upright ones."""
        others = {style.angle for style in self._styles.values() if (style.angle - frame.rotation) % 2}
        shown = frame.turn(self._boxes) if others else self._boxes
        text = self._page_text if others else ""
        found: list[TurnedWord] = []
        for angle in sorted(others):
            side = Frame(frame.left, frame.bottom, frame.right, frame.top, angle)
            for start, end, *_ in self._spans(side.turn(self._boxes)):
                style = self._style(start)
                word = _clean(text[start:end])
                if style.angle == angle and word and not style.is_hidden:
                    x0, top = shown[start:end, :2].min(axis=0).tolist()
                    x1, bottom = shown[start:end, 2:].max(axis=0).tolist()
                    reads_up = (angle - frame.rotation) % 4 == 1
                    found.append(TurnedWord(word, x0, top, x1, bottom, style.size, reads_up))
        return found

    def _spans(self, boxes: np.ndarray) -> Iterator[tuple[int, int, float, float, bool]]:
        """Each word's first and end character, left and right edge, and whether it is glued to the one before it."""
        heights = np.maximum(boxes[:, 3] - boxes[:, 1], 0.1)
        tallest = np.maximum(heights[1:], heights[:-1])
        is_leftwards = go_leftwards(self._codes)
        gaps = np.where(is_leftwards, boxes[:-1, 0] - boxes[1:, 2], boxes[1:, 0] - boxes[:-1, 2])
        farthest_back = np.where(is_leftwards, 2.0, 0.5) * tallest  # vowel points stand on their letters
        is_far = (gaps > SPACE_SHARE * tallest) | ((gaps < -farthest_back) & ~_is_one_glyph(boxes))
        is_shifted = np.abs(boxes[1:, 3] - boxes[:-1, 3]) > SHIFT_SHARE * tallest
        breaks = self._is_space[1:] | self._is_space[:-1] | is_far | is_shifted
        for start, end in leader_runs(self._page_text, boxes):
            breaks[start : end - 1] = False
            breaks[end - 1 : end] = True
        starts = np.concatenate(([0], np.flatnonzero(breaks) + 1))
        ends = np.concatenate((starts[1:], [len(boxes)]))
        lefts = np.minimum.reduceat(boxes[:, 0], starts)
        rights = np.maximum.reduceat(boxes[:, 2], starts)
        before = np.maximum(starts - 1, 0)
        overlaps = (boxes[starts, 1] < boxes[before, 3]) & (boxes[starts, 3] > boxes[before, 1])
        is_near = np.concatenate(([False], ~is_far))[starts]
        glued = is_near & overlaps & ~self._is_space[before]
        drawn = ~self._is_space[starts]
        return zip(*(column[drawn].tolist() for column in (starts, ends, lefts, rights, glued)), strict=True)

    @cached_property
    def _page_text(self) -> str:
        """All characters, one for one, with plain hyphens."""
        codes = np.where(np.isin(self._codes, HYPHEN_MARKS), ord("-"), self._codes)
        codes = np.where(codes >= 0x110000, 0xFFFD, codes).astype("<u4")
        return codes.tobytes().decode("utf-32-le", "surrogatepass")

    def _to_word(
        self, text: str, start: int, edges: tuple[float, float], style: _Style, frame: Frame, glued: bool
    ) -> Word:
        x, y = ctypes.c_double(), ctypes.c_double()
        get_origin(self._handle, start, ctypes.addressof(x), ctypes.addressof(y))
        baseline = frame.turn_point(x.value, y.value)[1]
        size = style.size or max(1.0, float(self._boxes[start, 3] - self._boxes[start, 1]))
        top, bottom = baseline - ASCENT * size, baseline + DESCENT * size
        return Word(text, edges[0], top, edges[1], bottom, baseline, size, style.bold, style.italic, glued)

    def _style(self, index: int) -> _Style:
        """The style of the text object that the character belongs to."""
        text_object = get_object(self._handle, index) or 0
        if (known := self._styles.get(text_object)) is not None:
            return known
        turn_a, turn_b, shear_c, shear_d, _, _ = matrix_of_char(self._handle, index)
        signed = get_size(self._handle, index)  # negative where a program turns the page and the type
        width = math.hypot(turn_a, turn_b)
        height = abs(turn_a * shear_d - turn_b * shear_c) / width if width else math.hypot(shear_c, shear_d)
        size = abs(signed) * height
        a, b = math.copysign(1.0, signed) * turn_a, math.copysign(1.0, signed) * turn_b
        angle = round(math.atan2(b, a) / (math.pi / 2)) % 4 if math.isfinite(size) else 0
        bold, italic = self._font_style(text_object, index)
        mode = get_mode(text_object) if text_object else 0
        style = _Style(
            round(size, 2) if math.isfinite(size) else 0.0,
            bold,
            italic or abs(turn_a * shear_c + turn_b * shear_d) > MIN_SLANT * width * height,
            angle,
            mode == INVISIBLE,
            bool(text_object) and is_white(text_object),
        )
        self._styles[text_object] = style
        return style

    def _font_style(self, text_object: int, index: int) -> tuple[bool, bool]:
        font = (get_font(text_object) if text_object else 0) or 0
        if (known := self._fonts.get(font)) is not None:
            return known
        flags = ctypes.c_int()
        name = ctypes.create_string_buffer(256)
        get_font_info(self._handle, index, name, len(name), ctypes.addressof(flags))
        family = name.value.decode("latin-1")
        # pdfium's weight is worked out from the stems, which many writers misstate: "Times-Roman" comes to 695.
        bold = bool(flags.value & BOLD_FLAG) or is_bold_name(family)
        italic = bool(flags.value & ITALIC_FLAG) or is_italic_name(family)
        self._fonts[font] = (bold, italic)
        return bold, italic


def _is_one_glyph(boxes: np.ndarray) -> np.ndarray:
    """For each character but the last, whether it and the next are drawn as one, as "Th" is in some fonts."""
    same: np.ndarray = np.abs(boxes[1:] - boxes[:-1]).max(axis=1, initial=0.0) < SAME_BOX_POINTS
    return same


def _clean(text: str) -> str:
    """A word without control characters, with surrogate pairs joined and ligatures taken apart."""
    if text.isascii() and text.isprintable():
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").translate(LIGATURES)
    return safe_text(joined, keep_newlines=False).strip()


def _is_on_page(word: Word, width: float, height: float) -> bool:
    return word.x1 > 0 and word.x0 < width and word.bottom > 0 and word.top < height
