"""Where a PDF's paragraphs and list items begin and end: numbers in front, hanging lines, bold words inside a text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.documents import Document
from tests.painted_pdf import read_pages

FULL = "The society keeps the works at the river open to all who come, and it asks no fee of them, whoever"
REST = "goes away again in the evening of the day on which the gates are shut for the winter by whoever"
Runs = Sequence[tuple[str, str]]  # fonts and texts


def read_lines(*lines: tuple[float, str | Runs]) -> Document:
    """A page of lines, each with its left edge and its text or its runs of type."""

    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        canvas.drawString(72, 740, FULL)
        for number, (left, runs) in enumerate(lines):
            text = canvas.beginText(left, 700 - 11 * number)
            for font, part in [("Helvetica", runs)] if isinstance(runs, str) else runs:
                text.setFont(font, 9)
                text.textOut(part)
            canvas.drawText(text)

    return read_pages(paint)


def blocks_of(document: Document) -> list[str]:
    return [block.text for block in document.blocks][1:]


@pytest.mark.parametrize("marks", ["a. b. c.", "1. 2. 3.", "i. ii. iii.", "2.1 2.2 2.3", "1 2 3"])
def test_an_item_begins_at_each_mark_that_hangs_out_however_full_the_lines_are(marks: str) -> None:
    items = [f"{mark} {FULL[:80]} comes there and" for mark in marks.split()]
    lines = [(left, text) for item in items for left, text in ((90.0, item), (108.0, REST))]
    assert blocks_of(read_lines(*lines)) == [f"{item} {REST}" for item in items]


def test_an_item_of_a_list_inside_another_begins_behind_a_full_line() -> None:
    lines = [(90, f"a. {FULL}"), (126, "i. Members pay on the first of May."), (126, "ii. Guests pay at the door.")]
    assert blocks_of(read_lines(*lines)) == [text for _, text in lines]


def test_a_number_that_a_full_line_leaves_to_the_next_opens_nothing() -> None:
    lines = [(72, f"{FULL} came by Article"), (72, "12. It is also open on Sundays, and on"), (72, "87 other days.")]
    assert blocks_of(read_lines(*lines)) == [" ".join(text for _, text in lines)]


def test_an_abbreviation_is_no_mark_of_a_list() -> None:
    document = read_lines((72, "Mr. Hutchinson gave an account of the works at the river."))
    assert document.blocks[-1].kind == "paragraph"


def test_the_lines_that_hang_below_the_first_are_one_paragraph() -> None:
    lines = [(72, f"Miller, A. {FULL}"), (90, f"has read of them, {FULL[:69]}"), (90, "has seen them.")]
    assert blocks_of(read_lines(*lines)) == [" ".join(text for _, text in lines)]


def test_bold_words_go_on_over_the_end_of_a_line() -> None:
    first = [("Helvetica", FULL[:77]), ("Helvetica-Bold", " and hand it in on the day of")]
    document = read_lines((72, first), (72, [("Helvetica-Bold", "arrival")]))
    assert blocks_of(document) == [f"{FULL[:77]} and hand it in on the day of arrival"]


@pytest.mark.parametrize("number", ["2", "2."])
@pytest.mark.parametrize("font", ["Helvetica", "Helvetica-Bold"])
def test_a_bold_line_heads_the_text_below_it_whatever_its_number_looks_like(number: str, font: str) -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont(font, 9)
        canvas.drawString(72, 740, number)
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(108, 740, "Five a side tournament")
        canvas.setFont("Helvetica", 9)
        for row in range(8):
            canvas.drawString(108, 729 - 11 * row, FULL)

    document = read_pages(paint)
    assert [block.text for block in document.blocks if block.kind == "heading"] == [f"{number} Five a side tournament"]


def test_a_small_number_far_behind_a_heading_is_no_raised_sign() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 740, "Resources")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(500, 744, "3")
        canvas.drawString(72, 700, FULL)

    assert read_pages(paint).blocks[0].text == "Resources 3"
