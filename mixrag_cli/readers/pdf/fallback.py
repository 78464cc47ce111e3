"""The second PDF reader, for files over which pdfium dies or hangs: pdfplumber's words and lines, the same layout.

The only module that touches pdfplumber. Ten times slower than pdfium, and pure Python, so it fails with an exception.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfplumber.utils.exceptions import PdfminerException

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.pdf.assembly import lay_out_page, pages_to_document
from mixrag_cli.readers.pdf.items import PageLayout
from mixrag_cli.readers.pdf.limits import MAX_PAGE_CHARS, MAX_PAGE_OBJECTS, MAX_PAGES, checked_bytes
from mixrag_cli.readers.pdf.page import (
    RULE_THICKNESS,
    PageContent,
    Rule,
    Word,
    is_bold_name,
    is_italic_name,
    merge_rules,
)
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document

DESCENT = 0.22  # of the type size, from a character box's bottom to its baseline
SPACE_SHARE = 0.16  # of the type size: a wider gap ends a word
STYLE_KEYS = ["fontname", "size"]


def read_pdf_fallback(source: ReadSource) -> Document:
    """The same Document as read_pdf gives, made with pdfplumber.

    Raises FileUnreadable with code "damaged", "password", "no-text" or "too-large".
    """
    raw = checked_bytes(source.file.read())
    try:
        return _read(source, raw)
    except (FileUnreadable, MemoryError):
        raise
    except PDFPasswordIncorrect as exc:
        raise FileUnreadable("password", "needs a password") from exc
    except PdfminerException as exc:
        if any(isinstance(cause, PDFPasswordIncorrect) for cause in (*exc.args, exc.__cause__)):
            raise FileUnreadable("password", "needs a password") from exc
        raise FileUnreadable("damaged", "not a readable PDF (pdfplumber)") from exc
    except Exception as exc:  # pdfminer meets damage with whatever exception the damaged spot happens to raise
        raise FileUnreadable("damaged", "not a readable PDF (pdfplumber)") from exc


def _read(source: ReadSource, raw: bytes) -> Document:
    layouts: list[PageLayout] = []
    warnings = ["read with the fallback engine (pdfplumber)"]
    n_images = 0
    with pdfplumber.open(io.BytesIO(raw)) as document:
        pages = document.pages
        if not pages:
            raise FileUnreadable("damaged", "damaged PDF (no pages)")
        if len(pages) > MAX_PAGES:
            warnings.append(f"{len(pages):,} pages; read the first {MAX_PAGES:,}")
        for index, page in enumerate(pages[:MAX_PAGES]):
            source.beat(index, len(pages))
            content = _to_content(page, index + 1)
            n_images += content.n_images
            warnings += [f"page {index + 1}: {text}" for text in content.warnings]
            layouts.append(lay_out_page(content))
            page.close()
        title = document.metadata.get("Title")
    shown = " ".join(safe_text(title, keep_newlines=False).split()) if isinstance(title, str) else ""
    return pages_to_document(layouts, shown, warnings, has_images=n_images > 0)


def _to_content(page: Any, number: int) -> PageContent:
    """One pdfplumber page in our terms."""
    warnings: list[str] = []
    if len(page.chars) > MAX_PAGE_CHARS:
        warnings.append(f"{len(page.chars):,} characters; page left out")
        words: tuple[Word, ...] = ()
    else:
        words = tuple(_to_words(page.extract_words(extra_attrs=STYLE_KEYS, x_tolerance_ratio=SPACE_SHARE)))
    n_objects = len(page.lines) + len(page.rects) + len(page.curves)
    has_tables = n_objects <= MAX_PAGE_OBJECTS
    if not has_tables:
        warnings.append("too many lines, tables not extracted")
    horizontal, vertical = _to_rules((*page.lines, *page.rects)) if has_tables else ([], [])
    return PageContent(
        number,
        float(page.width),
        float(page.height),
        words,
        tuple(merge_rules(horizontal)),
        tuple(merge_rules(vertical)),
        len(page.images),
        has_tables,
        tuple(warnings),
    )


def _to_words(found: Iterable[Mapping[str, Any]]) -> Iterable[Word]:
    for word in found:
        text = safe_text(word["text"], keep_newlines=False).strip()
        if text:
            size = float(word["size"])
            yield Word(
                text,
                float(word["x0"]),
                float(word["top"]),
                float(word["x1"]),
                float(word["bottom"]),
                float(word["bottom"]) - DESCENT * size,
                size,
                is_bold_name(word["fontname"]),
                is_italic_name(word["fontname"]),
            )


def _to_rules(shapes: Iterable[Mapping[str, Any]]) -> tuple[list[Rule], list[Rule]]:
    """Rulings across and down: lines, thin boxes, and the edges of boxes that are drawn and not only filled."""
    across: list[Rule] = []
    down: list[Rule] = []
    for shape in shapes:
        x0, top, x1, bottom = (float(shape[edge]) for edge in ("x0", "top", "x1", "bottom"))
        if bottom - top <= RULE_THICKNESS:
            across.append(Rule((top + bottom) / 2, x0, x1))
        if x1 - x0 <= RULE_THICKNESS:
            down.append(Rule((x0 + x1) / 2, top, bottom))
        if min(x1 - x0, bottom - top) > RULE_THICKNESS and shape["object_type"] == "rect" and shape["stroke"]:
            across += [Rule(top, x0, x1), Rule(bottom, x0, x1)]
            down += [Rule(x0, top, bottom), Rule(x1, top, bottom)]
    return across, down
