"""PDFs that tests paint page by page, as the real reader reads them."""

from __future__ import annotations

import io
from collections.abc import Callable

from reportlab.lib.pagesizes import LETTER
from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.readers.pdf.reader import read_pdf
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document


def read_pages(*paints: Callable[[Canvas], object], size: int = 9) -> Document:
    """A document of one page a painter, in a type of that size."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=LETTER)
    for paint in paints:
        canvas.setFont("Helvetica", size)
        paint(canvas)
        canvas.showPage()
    canvas.save()
    return read_raw(target.getvalue())


def read_raw(raw: bytes) -> Document:
    """A PDF file's bytes, read."""
    return read_pdf(ReadSource("t.pdf", len(raw), io.BytesIO(raw)))
