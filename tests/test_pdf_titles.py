"""What a PDF is called: what its first page says large near its top, or its metadata where that page says the same."""

from __future__ import annotations

import io

import pytest
from reportlab.lib.pagesizes import LETTER
from reportlab.pdfgen.canvas import Canvas

from tests.painted_pdf import read_raw

SENTENCE = "The rooms of the centre are let to schools in the summer, for a week or for two."


def title_of(*pages: list[tuple[str, int, str]], stated: str = "") -> str:
    """The title that is read of pages with lines of a font, a size and a text, above running text."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=LETTER)
    canvas.setTitle(stated)
    for lines in pages:
        for number, (font, size, text) in enumerate(lines):
            canvas.setFont(font, size)
            canvas.drawString(72, 740 - 30 * number, text)
        canvas.setFont("Helvetica", 10)
        for row in range(8 if lines else 0):
            canvas.drawString(72, 560 - 12 * row, SENTENCE)
        canvas.showPage()
    canvas.save()
    return read_raw(target.getvalue()).title


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Application Form", "Price list of the summer"),  # another file's
        ("Centre: Price List, Summer", "Centre: Price List, Summer"),
        ("", "Price list of the summer"),
    ],
)
def test_the_title_that_a_file_states_counts_where_its_first_page_says_it(stated: str, title: str) -> None:
    lines = [
        ("Helvetica-Bold", 16, "Price list of the summer"),
        ("Helvetica", 10, "Centre in the hills, rooms and meals"),
    ]
    assert title_of(lines, stated=stated) == title


def test_a_title_stands_on_the_first_page_that_has_text() -> None:
    first = [("Helvetica-Bold", 12, "Financial plan of the centre")]
    second = [("Helvetica-Bold", 18, "Budget")]
    assert title_of([], first, second) == "Financial plan of the centre"


def test_a_bold_title_as_large_as_the_text_is_one_line_alone() -> None:
    lines = [("Helvetica-Bold", 10, text) for text in ("Minutes of the board", "Held on a Monday", "1. Roll call")]
    assert title_of(lines) == "Minutes of the board"


def test_a_page_without_a_larger_or_bold_line_has_no_title() -> None:
    assert title_of([("Helvetica", 10, "Rooms and meals")], stated="Voucher of payment") == ""
