"""PDF to Document: pdfium's characters and lines, read page by page, then layout and tables in pure functions.

    bytes ─► checked_bytes ─► pdfium pages ─► PageContent (words, rules) ─► PageLayout ─► pages_to_document

Not for use in threads; it runs in a worker process that can be killed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.pdf.assembly import lay_out_page, pages_to_document
from mixrag_cli.readers.pdf.items import PageLayout
from mixrag_cli.readers.pdf.limits import MAX_PAGE_CHARS, MAX_PAGES, checked_bytes
from mixrag_cli.readers.pdf.page import Frame, PageContent, Word, merge_rules, without_letters
from mixrag_cli.readers.pdf.paths import Paths
from mixrag_cli.readers.pdf.pdfium import (
    box_of_page,
    count_chars,
    count_pages,
    open_document,
    open_page,
    rotation_of_page,
    title_of,
)
from mixrag_cli.readers.pdf.running_words import with_running_lines
from mixrag_cli.readers.pdf.scans import ScanReader
from mixrag_cli.readers.pdf.words import TextPage
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.tesseract import NEEDS_OCR
from mixrag_cli.records.documents import Document

LETTER = (0.0, 0.0, 612.0, 792.0)  # a page that states no box, in points


def read_pdf(source: ReadSource) -> Document:
    """The file's text in reading order, with headings and tables, each block with its page and box.

    Pages without a text layer are read by OCR where tesseract is installed.
    Raises FileUnreadable with code "damaged", "password", "no-text", "needs-ocr" or "too-large".
    """
    raw = checked_bytes(source.file.read())
    with open_document(raw) as document:
        return _read_pages(document, source)


def _read_pages(document: ctypes.c_void_p, source: ReadSource) -> Document:
    n_pages = count_pages(document)
    if n_pages <= 0:
        raise FileUnreadable("damaged", "damaged PDF (no pages)")
    warnings: list[str] = []
    if n_pages > MAX_PAGES:
        warnings.append(f"{n_pages:,} pages; read the first {MAX_PAGES:,}")
        n_pages = MAX_PAGES
    layouts: list[PageLayout] = []
    n_read = n_images = 0
    scans = ScanReader(source.beat, is_wanted=source.limits.ocr)
    reader = _PageReader(document, scans)

    def read_contents() -> Iterator[PageContent]:
        for index in range(n_pages):
            source.beat(index, n_pages)
            if (content := reader.read(index)) is not None:
                yield content

    for content, running in with_running_lines(read_contents()):
        n_read += 1
        n_images += content.n_images
        warnings += [f"page {content.number}: {text}" for text in content.warnings]
        layouts.append(lay_out_page(content, running))
    source.beat(n_pages, n_pages)
    if n_read < n_pages:
        if not n_read:
            raise FileUnreadable("damaged", "damaged PDF (no readable page)")
        warnings.append(f"{n_pages - n_read} of {n_pages} pages could not be read")
    warnings += scans.warnings()
    if n_images and not scans.is_usable and source.limits.ocr and not any(layout.items for layout in layouts):
        raise FileUnreadable(NEEDS_OCR[0], f"no text layer (scanned?); {NEEDS_OCR[1]}")
    return pages_to_document(layouts, title_of(document), warnings, has_images=n_images > 0)


class _PageReader:
    """Reads pages of one open document; keeps what is known of its fonts."""

    def __init__(self, document: ctypes.c_void_p, scans: ScanReader) -> None:
        self._document = document
        self._scans = scans
        self._fonts: dict[int, tuple[bool, bool]] = {}

    def read(self, index: int) -> PageContent | None:
        """One page's content; None where pdfium cannot load the page."""
        with open_page(self._document, index) as opened:
            if not opened:
                return None
            content = self._read(index, *opened)
            if content.words or not content.n_images or not self._scans.is_usable:
                return content
            return self._scans.read(opened[0], content)

    def _read(self, index: int, page: object, text_page: int) -> PageContent:
        warnings: list[str] = []
        n_chars = max(0, count_chars(text_page))
        if n_chars > MAX_PAGE_CHARS:
            warnings.append(f"{n_chars:,} characters; read the first {MAX_PAGE_CHARS:,}")
            n_chars = MAX_PAGE_CHARS
        frame = _frame_of(page)
        chars = TextPage(text_page, n_chars, self._fonts)
        frame = Frame(frame.left, frame.bottom, frame.right, frame.top, chars.main_turn(frame.rotation))
        words, hidden, white = chars.words(frame)
        paths = Paths(frame)
        is_complete = paths.collect(page)
        if not is_complete:
            warnings.append("too many lines, tables not extracted")
            paths.horizontal, paths.vertical = [], []  # which nobody looks at then
        if _is_suspicious(words, hidden, paths.n_images) or any(not paths.is_filled(word) for word in white):
            warnings.append("hidden text (invisible, white or tiny)")
        width, height = frame.size()
        return PageContent(
            index + 1,
            width,
            height,
            tuple(words),
            tuple(merge_rules(without_letters(paths.horizontal, words, is_down=False))),
            tuple(merge_rules(without_letters(paths.vertical, words, is_down=True))),
            paths.n_images,
            is_complete,
            tuple(warnings),
            tuple(chars.turned_words(frame)),
            tuple(paths.shapes),
            count_pages(self._document),
        )


def _is_suspicious(words: list[Word], hidden: list[Word], n_images: int) -> bool:
    """Whether invisible words are more than the text layer of a scan, which is invisible as a whole."""
    return bool(hidden) and not (n_images and len(hidden) > 0.9 * len(words))


def _frame_of(page: object) -> Frame:
    box = box_of_page(page)
    return Frame(*box, rotation_of_page(page)) if box else Frame(*LETTER, 0)
