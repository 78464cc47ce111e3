"""Pages that are pictures: what tesseract sees on them as the words and rules of a page like any other.

From there the layout is that of all pages, so that headings and tables of a scan are found as those of a print.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import monotonic

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.pdf.page import PageContent, Rule, Word, merge_rules
from mixrag_cli.readers.pdf.pdfium import render_page
from mixrag_cli.readers.pdf.words import ASCENT, DESCENT
from mixrag_cli.readers.tesseract import SeenPage, is_installed, recognise

MAX_SCANNED_PAGES = 100  # at 1.5 to 2 s each within the 300 s of a file
SCAN_SECONDS = 240.0  # of a file: the rest of the 300 s is for what follows
DOTS_PER_INCH = 300  # what tesseract is made for
# Type is taken for one size unless it is this much larger: the height of a line says which letters are in it.
LARGER_LINE = 1.3
THIN = 8  # times as long as thick: a ruling
POINTS = 72


class ScanReader:
    """Reads the scanned pages of one PDF, as many as time allows."""

    def __init__(self, beat: Callable[[int, int], None], is_wanted: bool = True) -> None:
        self._beat = beat
        self._ends = monotonic() + SCAN_SECONDS
        self.is_usable = is_wanted and is_installed()
        self.n_read = 0
        self.n_left = 0

    def read(self, page: object, content: PageContent) -> PageContent:
        """The page with what is seen on it; as it was where time or pages have run out, or nothing is seen."""
        if self.n_read >= MAX_SCANNED_PAGES or monotonic() > self._ends:
            self.n_left += 1
            return content
        self.n_read += 1
        try:
            seen = recognise(render_page(page, DOTS_PER_INCH), self._beat)
        except FileUnreadable as failure:
            if failure.code not in ("damaged", "timeout"):
                raise
            self.n_left += 1
            return content
        return _content_of(seen[0], content) if seen else content

    def warnings(self) -> list[str]:
        """How many pages were read in this way, and how many were not."""
        told = [f"{self.n_read} scanned pages read by OCR"] if self.n_read else []
        return [*told, f"{self.n_left} scanned pages were not read"] if self.n_left else told


def image_page(seen: SeenPage, number: int) -> PageContent:
    """A page of an image file; its size in points is chosen so that its type is of 10 points."""
    size = median(word.size for word in seen.words) if seen.words else 10.0
    scale = 10.0 / max(size, 1.0)
    return _content_of(seen, PageContent(number, seen.width * scale, seen.height * scale, (), n_images=1))


def _content_of(seen: SeenPage, content: PageContent) -> PageContent:
    scale = content.width / max(seen.width, 1)
    body = median(word.size for word in seen.words) if seen.words else 0.0
    words = []
    for word in seen.words:
        size = (word.size if word.size > LARGER_LINE * body else body) * scale
        baseline = word.baseline * scale
        x0, x1 = word.box[0] * scale, word.box[2] * scale
        words.append(Word(word.text, x0, baseline - ASCENT * size, x1, baseline + DESCENT * size, baseline, size))
    flat = [box for box in seen.rules if box[2] - box[0] > THIN * (box[3] - box[1])]
    upright = [box for box in seen.rules if box[3] - box[1] > THIN * (box[2] - box[0])]
    return PageContent(
        content.number,
        content.width,
        content.height,
        tuple(words),
        tuple(merge_rules(Rule((y0 + y1) / 2 * scale, x0 * scale, x1 * scale) for x0, y0, x1, y1 in flat)),
        tuple(merge_rules(Rule((x0 + x1) / 2 * scale, y0 * scale, y1 * scale) for x0, y0, x1, y1 in upright)),
        content.n_images,
        warnings=content.warnings,
    )
