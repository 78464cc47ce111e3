"""A PDF's numbered heading is known by its number where its page sets it hardly larger than the body."""

from __future__ import annotations

from collections.abc import Callable

from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.documents import Document
from tests.painted_pdf import read_pages

BODY = (
    "Combined traffic statistics of the whole group, including the carriers of the islands in the south, and of",
    "the lines that other carriers fly under its name on days when its own aircraft are in the workshop.",
)


def page_with(title: str, size: float) -> Callable[[Canvas], None]:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", size)
        canvas.drawString(72, 740, title)
        canvas.setFont("Helvetica", 9)
        for number, line in enumerate(BODY):
            canvas.drawString(72, 710 - 12 * number, f"{title.split()[1]}: {line}")

    return paint


def headings_of(document: Document) -> list[str]:
    return [block.text for block in document.blocks if block.kind == "heading"]


def test_the_next_number_makes_a_slightly_larger_line_a_heading() -> None:
    pages = [
        page_with(*each) for each in (("1. Passengers", 14), ("1.1 Routes", 12), ("2. Cargo", 12), ("3. Delays", 9.6))
    ]
    document = read_pages(*pages)
    assert headings_of(document) == ["1. Passengers", "1.1 Routes", "2. Cargo", "3. Delays"]
    assert document.blocks[-1].heading_path == ("3. Delays",)


def test_another_number_or_the_size_of_the_body_does_not() -> None:
    document = read_pages(page_with("1. Passengers", 14), page_with("3. Delays", 9.6), page_with("2. Cargo", 9))
    assert headings_of(document) == ["1. Passengers"]
