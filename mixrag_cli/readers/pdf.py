"""PDF to Document: pdfium's characters and lines, read page by page, then layout and tables in pure functions.

    bytes ─► checked_bytes ─► pdfium pages ─► PageContent (words, rules) ─► PageLayout ─► pages_to_document

The only module that touches pypdfium2. pdfium is called through ctypes in bulk, because its helper layer costs
more than pdfium itself. Not for use in threads; it runs in a worker process that can be killed.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pypdfium2.raw as pdfium

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.pdf_assembly import lay_out_page, pages_to_document
from mixrag_cli.readers.pdf_items import PageLayout
from mixrag_cli.readers.pdf_limits import MAX_PAGE_CHARS, MAX_PAGE_OBJECTS, MAX_PAGES, checked_bytes
from mixrag_cli.readers.pdf_page import (
    RULE_THICKNESS,
    Frame,
    Matrix,
    PageContent,
    Rule,
    Word,
    is_bold_name,
    is_italic_name,
    map_box,
    map_point,
    merge_rules,
    multiply,
)
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records import Document

MAX_FORM_DEPTH = 6
PASSWORD_ERROR = 4
LOAD_ERRORS = {3: "data format error", 5: "unsupported security scheme", 6: "page not found"}
SPACE_SHARE = 0.16  # of the character height (about 0.2 of the type size): a wider gap ends a word
SHIFT_SHARE = 0.08  # of the character height: a raised or larger character is a word of its own
FARTHEST_POINTS = 100_000.0  # a page is 14,400 points at most; this also turns NaN away
INVISIBLE = 3
TINY_POINTS = 2.0
BOLD_FLAG = 1 << 18
ITALIC_FLAG = 1 << 6
BOLD_WEIGHT = 600
HYPHEN_MARKS = (2, 0xFFFE, 0xAD, 0x2010)  # pdfium writes U+0002 for a hyphen at a line's end
SPACES = (0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF)
ASCENT, DESCENT = 0.76, 0.22  # of the type size: one box for all fonts, so that lines compare
STRAIGHT_POINTS = 0.7
MAX_SEGMENTS = 4_000
LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


def read_pdf(source: ReadSource) -> Document:
    """The file's text in reading order, with headings and tables, each block with its page and box.

    Raises FileUnreadable with code "damaged", "password", "no-text" or "too-large".
    """
    raw = checked_bytes(source.file.read())
    with _open_document(raw) as document:
        return _read_pages(document, source)


def _read_pages(document: ctypes.c_void_p, source: ReadSource) -> Document:
    n_pages = pdfium.FPDF_GetPageCount(document)
    if n_pages <= 0:
        raise FileUnreadable("damaged", "damaged PDF (no pages)")
    warnings: list[str] = []
    if n_pages > MAX_PAGES:
        warnings.append(f"{n_pages:,} pages; read the first {MAX_PAGES:,}")
        n_pages = MAX_PAGES
    layouts: list[PageLayout] = []
    n_failed = n_images = 0
    reader = _PageReader(document)
    for index in range(n_pages):
        source.beat(index, n_pages)
        content = reader.read(index)
        if content is None:
            n_failed += 1
            continue
        n_images += content.n_images
        warnings += [f"page {index + 1}: {text}" for text in content.warnings]
        layouts.append(lay_out_page(content))
    source.beat(n_pages, n_pages)
    if n_failed:
        if n_failed == n_pages:
            raise FileUnreadable("damaged", "damaged PDF (no readable page)")
        warnings.append(f"{n_failed} of {n_pages} pages could not be read")
    return pages_to_document(layouts, _title_of(document), warnings, has_images=n_images > 0)


@contextmanager
def _open_document(raw: bytes) -> Iterator[ctypes.c_void_p]:
    document = pdfium.FPDF_LoadMemDocument64(raw, len(raw), None)
    if not document:
        code = pdfium.FPDF_GetLastError()
        if code == PASSWORD_ERROR:
            raise FileUnreadable("password", "needs a password; skipped")
        cause = {3: "data format error", 5: "unsupported security scheme", 6: "page not found"}.get(
            code, "unknown error"
        )
        raise FileUnreadable("damaged", f"not a readable PDF ({cause})")
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


def _title_of(document: ctypes.c_void_p) -> str:
    size = pdfium.FPDF_GetMetaText(document, b"Title", None, 0)
    if not 2 < size < 2_000:
        return ""
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDF_GetMetaText(document, b"Title", buffer, size)
    title = buffer.raw[: size - 2].decode("utf-16-le", "replace")
    return " ".join(safe_text(title, keep_newlines=False).split())


def _native(function: object, *types: object, result: object = ctypes.c_int) -> Callable[..., int]:
    """The same native function with bare pointer types: a third of the cost a call of the checked binding."""
    address = ctypes.cast(function, ctypes.c_void_p).value  # type: ignore[arg-type]
    return ctypes.CFUNCTYPE(result, *types)(address)  # type: ignore[arg-type]


_POINTER, _INT = ctypes.c_void_p, ctypes.c_int
_get_unicode = _native(pdfium.FPDFText_GetUnicode, _POINTER, _INT, result=ctypes.c_uint)
_get_loose_box = _native(pdfium.FPDFText_GetLooseCharBox, _POINTER, _INT, _POINTER)
_get_origin = _native(pdfium.FPDFText_GetCharOrigin, _POINTER, _INT, _POINTER, _POINTER)
_get_matrix = _native(pdfium.FPDFText_GetMatrix, _POINTER, _INT, _POINTER)
_get_size = _native(pdfium.FPDFText_GetFontSize, _POINTER, _INT, result=ctypes.c_double)
_get_object = _native(pdfium.FPDFText_GetTextObject, _POINTER, _INT, result=_POINTER)
_get_font = _native(pdfium.FPDFTextObj_GetFont, _POINTER, result=_POINTER)
_get_mode = _native(pdfium.FPDFTextObj_GetTextRenderMode, _POINTER)
_get_font_info = _native(pdfium.FPDFText_GetFontInfo, _POINTER, _INT, _POINTER, ctypes.c_ulong, _POINTER)
_get_weight = _native(pdfium.FPDFText_GetFontWeight, _POINTER, _INT)
_get_fill = _native(pdfium.FPDFPageObj_GetFillColor, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER)
_get_type = _native(pdfium.FPDFPageObj_GetType, _POINTER)
_get_page_object = _native(pdfium.FPDFPage_GetObject, _POINTER, _INT, result=_POINTER)
_get_form_object = _native(pdfium.FPDFFormObj_GetObject, _POINTER, ctypes.c_ulong, result=_POINTER)
_get_bounds = _native(pdfium.FPDFPageObj_GetBounds, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER)
_get_draw_mode = _native(pdfium.FPDFPath_GetDrawMode, _POINTER, _POINTER, _POINTER)


def _address(handle: object) -> int:
    return ctypes.cast(handle, _POINTER).value or 0  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Style:
    size: float
    bold: bool
    italic: bool
    angle: int  # in quarter turns
    is_hidden: bool
    is_white: bool


class _PageReader:
    """Reads pages of one open document; keeps what is known of its fonts."""

    def __init__(self, document: ctypes.c_void_p) -> None:
        self._document = document
        self._fonts: dict[int, tuple[bool, bool]] = {}

    def read(self, index: int) -> PageContent | None:
        """One page's content; None where pdfium cannot load the page."""
        page = pdfium.FPDF_LoadPage(self._document, index)
        if not page:
            return None
        try:
            text_page = pdfium.FPDFText_LoadPage(page)
            if not text_page:
                return None
            try:
                return self._read(index, page, text_page)
            finally:
                pdfium.FPDFText_ClosePage(text_page)
        finally:
            pdfium.FPDF_ClosePage(page)

    def _read(self, index: int, page: object, text_page: object) -> PageContent:
        warnings: list[str] = []
        n_chars = max(0, pdfium.FPDFText_CountChars(text_page))
        if n_chars > MAX_PAGE_CHARS:
            warnings.append(f"{n_chars:,} characters; read the first {MAX_PAGE_CHARS:,}")
            n_chars = MAX_PAGE_CHARS
        frame = _frame_of(page)
        chars = _TextPage(_address(text_page), n_chars, self._fonts)
        frame = Frame(frame.left, frame.bottom, frame.right, frame.top, chars.main_turn(frame.rotation))
        words, hidden, white = chars.words(frame)
        paths = _Paths(frame)
        is_complete = paths.collect(page)
        if not is_complete:
            warnings.append("too many lines, tables not extracted")
        if _is_suspicious(words, hidden, paths.n_images) or any(not paths.is_filled(word) for word in white):
            warnings.append("hidden text (invisible, white or tiny)")
        width, height = frame.size()
        return PageContent(
            index + 1,
            width,
            height,
            tuple(words),
            tuple(merge_rules(paths.horizontal)),
            tuple(merge_rules(paths.vertical)),
            paths.n_images,
            is_complete,
            tuple(warnings),
        )


def _is_suspicious(words: list[Word], hidden: list[Word], n_images: int) -> bool:
    """Whether invisible words are more than the text layer of a scan, which is invisible as a whole."""
    return bool(hidden) and not (n_images and len(hidden) > 0.9 * len(words))


def _frame_of(page: object) -> Frame:
    box = pdfium.FS_RECTF()
    if not pdfium.FPDF_GetPageBoundingBox(page, box) or not box.right > box.left or not box.top > box.bottom:
        return Frame(0.0, 0.0, 612.0, 792.0, 0)
    return Frame(box.left, box.bottom, box.right, box.top, pdfium.FPDFPage_GetRotation(page) % 4)


class _TextPage:
    """The characters of one page as arrays, and the words made of them."""

    def __init__(self, handle: int, n_chars: int, fonts: dict[int, tuple[bool, bool]]) -> None:
        self._handle = handle
        self._fonts = fonts
        self._styles: dict[int, _Style] = {}
        self._codes = np.fromiter((_get_unicode(handle, index) for index in range(n_chars)), np.uint32, n_chars)
        boxes = np.zeros((n_chars, 4), np.float32)
        address = boxes.ctypes.data
        for index in range(n_chars):
            _get_loose_box(handle, index, address + 16 * index)
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
        text = self._page_text()
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

    def _spans(self, boxes: np.ndarray) -> Iterator[tuple[int, int, float, float, bool]]:
        """Each word's first and end character, left and right edge, and whether it is glued to the one before it."""
        heights = np.maximum(boxes[:, 3] - boxes[:, 1], 0.1)
        tallest = np.maximum(heights[1:], heights[:-1])
        gaps = boxes[1:, 0] - boxes[:-1, 2]
        is_far = (gaps > SPACE_SHARE * tallest) | (gaps < -0.5 * tallest)
        is_shifted = np.abs(boxes[1:, 3] - boxes[:-1, 3]) > SHIFT_SHARE * tallest
        breaks = self._is_space[1:] | self._is_space[:-1] | is_far | is_shifted
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

    def _page_text(self) -> str:
        """All characters, one for one, with plain hyphens."""
        codes = np.where(np.isin(self._codes, HYPHEN_MARKS), ord("-"), self._codes)
        codes = np.where(codes >= 0x110000, 0xFFFD, codes).astype("<u4")
        return codes.tobytes().decode("utf-32-le", "surrogatepass")

    def _to_word(
        self, text: str, start: int, edges: tuple[float, float], style: _Style, frame: Frame, glued: bool
    ) -> Word:
        x, y = ctypes.c_double(), ctypes.c_double()
        _get_origin(self._handle, start, ctypes.addressof(x), ctypes.addressof(y))
        baseline = frame.turn_point(x.value, y.value)[1]
        size = style.size or max(1.0, float(self._boxes[start, 3] - self._boxes[start, 1]))
        top, bottom = baseline - ASCENT * size, baseline + DESCENT * size
        return Word(text, edges[0], top, edges[1], bottom, baseline, size, style.bold, style.italic, glued)

    def _style(self, index: int) -> _Style:
        """The style of the text object that the character belongs to."""
        text_object = _get_object(self._handle, index) or 0
        if (known := self._styles.get(text_object)) is not None:
            return known
        matrix = pdfium.FS_MATRIX()
        _get_matrix(self._handle, index, ctypes.addressof(matrix))
        signed = _get_size(self._handle, index)  # negative where a program turns the page and the type
        size = abs(signed) * math.hypot(matrix.c, matrix.d)
        a, b = math.copysign(1.0, signed) * matrix.a, math.copysign(1.0, signed) * matrix.b
        angle = round(math.atan2(b, a) / (math.pi / 2)) % 4 if math.isfinite(size) else 0
        bold, italic = self._font_style(text_object, index)
        mode = _get_mode(text_object) if text_object else 0
        style = _Style(
            round(size, 2) if math.isfinite(size) else 0.0,
            bold,
            italic,
            angle,
            mode == INVISIBLE,
            bool(text_object) and _is_white(text_object),
        )
        self._styles[text_object] = style
        return style

    def _font_style(self, text_object: int, index: int) -> tuple[bool, bool]:
        font = (_get_font(text_object) if text_object else 0) or 0
        if (known := self._fonts.get(font)) is not None:
            return known
        flags = ctypes.c_int()
        name = ctypes.create_string_buffer(256)
        _get_font_info(self._handle, index, name, len(name), ctypes.addressof(flags))
        family = name.value.decode("latin-1")
        weight = _get_weight(self._handle, index)
        bold = bool(flags.value & BOLD_FLAG) or weight >= BOLD_WEIGHT or is_bold_name(family)
        italic = bool(flags.value & ITALIC_FLAG) or is_italic_name(family)
        self._fonts[font] = (bold, italic)
        return bold, italic


def _clean(text: str) -> str:
    """A word without control characters, with surrogate pairs joined and ligatures taken apart."""
    if text.isascii() and text.isprintable():
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").translate(LIGATURES)
    return safe_text(joined, keep_newlines=False).strip()


def _is_on_page(word: Word, width: float, height: float) -> bool:
    return word.x1 > 0 and word.x0 < width and word.bottom > 0 and word.top < height


def _is_white(text_object: int) -> bool:
    channels = (ctypes.c_uint * 4)()
    address = ctypes.addressof(channels)
    known = _get_fill(text_object, address, address + 4, address + 8, address + 12)
    return bool(known) and (min(channels[:3]) >= 250 or channels[3] == 0)


class _Paths:
    """The straight rules and filled areas among a page's objects, forms included."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._n_left = MAX_PAGE_OBJECTS
        self.horizontal: list[Rule] = []
        self.vertical: list[Rule] = []
        self.filled: list[tuple[float, float, float, float]] = []
        self.n_images = 0

    def collect(self, page: object) -> bool:
        """Walk the page's objects; False when there are too many."""
        handle = _address(page)
        n_objects = pdfium.FPDFPage_CountObjects(page)
        boxes: list[tuple[float, float, float, float]] = []
        is_complete = self._walk((_get_page_object(handle, index) for index in range(n_objects)), None, 0, boxes)
        if boxes:
            self._sort_boxes(self._frame.turn(np.array(boxes)))
        return is_complete

    def is_filled(self, word: Word) -> bool:
        """Whether the word stands on a painted area or an image."""
        x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
        return any(x0 <= x <= x1 and top <= y <= bottom for x0, top, x1, bottom in self.filled)

    def _walk(
        self, objects: Iterator[int], matrix: Matrix | None, depth: int, boxes: list[tuple[float, float, float, float]]
    ) -> bool:
        edges = (ctypes.c_float * 4)()
        address = ctypes.addressof(edges)
        for item in objects:
            kind = _get_type(item)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                continue
            if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < MAX_FORM_DEPTH:
                if not self._walk_form(item, matrix, depth, boxes):
                    return False
                continue
            self.n_images += kind == pdfium.FPDF_PAGEOBJ_IMAGE
            if kind not in (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE):
                continue
            self._n_left -= 1
            if self._n_left < 0:
                return False
            if not _get_bounds(item, address, address + 4, address + 8, address + 12):
                continue
            box = map_box(matrix, (edges[0], edges[1], edges[2], edges[3]))
            if not all(map(math.isfinite, box)):
                continue
            if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                self.filled.append(tuple(self._frame.turn(np.array([box]))[0].tolist()))
            elif min(box[2] - box[0], box[3] - box[1]) <= RULE_THICKNESS:
                boxes.append(box)
            else:
                self._add_shape(item, matrix, box, boxes)
        return True

    def _walk_form(
        self, item: int, matrix: Matrix | None, depth: int, boxes: list[tuple[float, float, float, float]]
    ) -> bool:
        own = pdfium.FS_MATRIX()
        if not pdfium.FPDFPageObj_GetMatrix(ctypes.cast(item, pdfium.FPDF_PAGEOBJECT), own):
            return True
        inner = multiply((own.a, own.b, own.c, own.d, own.e, own.f), matrix)
        n_objects = pdfium.FPDFFormObj_CountObjects(ctypes.cast(item, pdfium.FPDF_PAGEOBJECT))
        return self._walk((_get_form_object(item, index) for index in range(n_objects)), inner, depth + 1, boxes)

    def _add_shape(
        self,
        item: int,
        matrix: Matrix | None,
        box: tuple[float, float, float, float],
        boxes: list[tuple[float, float, float, float]],
    ) -> None:
        """Split a path that is wide and high into straight strokes, or note the area that it fills."""
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        _get_draw_mode(item, ctypes.addressof(fill), ctypes.addressof(stroke))
        if fill.value and not _is_white(item):
            self.filled.append(tuple(self._frame.turn(np.array([box]))[0].tolist()))
        if not stroke.value:
            return
        handle = ctypes.cast(item, pdfium.FPDF_PAGEOBJECT)
        own = pdfium.FS_MATRIX()
        pdfium.FPDFPageObj_GetMatrix(handle, own)
        place = multiply((own.a, own.b, own.c, own.d, own.e, own.f), matrix)
        for x0, y0, x1, y1 in _strokes(handle):
            (ax, ay), (bx, by) = map_point(place, x0, y0), map_point(place, x1, y1)
            if min(abs(ax - bx), abs(ay - by)) <= STRAIGHT_POINTS:
                boxes.append((min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)))

    def _sort_boxes(self, boxes: np.ndarray) -> None:
        for x0, top, x1, bottom in boxes.tolist():
            is_dot = max(x1 - x0, bottom - top) <= RULE_THICKNESS
            if is_dot or x1 - x0 >= bottom - top:
                self.horizontal.append(Rule((top + bottom) / 2, x0, x1))
            if is_dot or x1 - x0 < bottom - top:
                self.vertical.append(Rule((x0 + x1) / 2, top, bottom))


def _strokes(path: object) -> Iterator[tuple[float, float, float, float]]:
    """The straight segments of a path, in its own space."""
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = (0.0, 0.0)
    for index in range(min(pdfium.FPDFPath_CountSegments(path), MAX_SEGMENTS)):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        if not pdfium.FPDFPathSegment_GetPoint(segment, x, y):
            return
        point = (x.value, y.value)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield (*last, *point)
        last = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield (*point, *start)
            last = start
