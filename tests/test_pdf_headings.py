"""What heads the text of a PDF, and what does not: rows, page numbers and running headers."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from reportlab.lib.pagesizes import LETTER
from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.documents import Document
from tests.painted_pdf import read_pages, read_raw

SENTENCES = ("The works stand at the river.", "They were built by the town.", "Two of them are closed in winter.")


def write(canvas: Canvas, top: float, *, start: int = 0) -> None:
    canvas.setFont("Helvetica", 9)
    for number in range(start, start + 8):
        canvas.drawString(72, top - 13 * (number - start), f"{SENTENCES[number % 3]} Nobody counted visitors that day.")


def headings_of(document: Document) -> list[str]:
    return [block.text for block in document.blocks if block.kind == "heading"]


def test_a_bold_line_of_texts_far_apart_heads_nothing() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(72, 740, "Our works")
        write(canvas, 720)
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(72, 590, "Booking number")
        canvas.drawString(300, 590, "Way of payment")
        write(canvas, 570, start=8)

    document = read_pages(paint)
    assert headings_of(document) == ["Our works"]
    assert "Booking number Way of payment" in document.text
    assert document.blocks[-1].heading_path == ("Our works",)


def test_a_number_far_before_its_heading_is_part_of_it() -> None:
    def paint(canvas: Canvas) -> None:
        for number, name in enumerate(("Our works", "Their rivers")):
            canvas.setFont("Helvetica-Bold", 9)
            canvas.drawString(72, 740 - 160 * number, f"{number + 1}.")
            canvas.drawString(108, 740 - 160 * number, name)
            write(canvas, 720 - 160 * number, start=8 * number)

    assert headings_of(read_pages(paint)) == ["1. Our works", "2. Their rivers"]


def test_a_page_number_in_large_type_heads_nothing() -> None:
    def paint(canvas: Canvas) -> None:
        write(canvas, 720)
        canvas.setFont("Helvetica-Bold", 12)
        canvas.drawString(500, 40, "Page 1 / 1")

    document = read_pages(paint)
    assert headings_of(document) == []
    assert "Page 1 / 1" in document.text


def test_running_headers_with_pages_counted_by_chapter_are_dropped() -> None:
    def page(number: int) -> Callable[[Canvas], None]:
        def paint(canvas: Canvas) -> None:
            canvas.setFont("Helvetica-Bold", 9)
            canvas.drawString(72, 760, f"Guide to the works 8.{number + 15}")
            if number == 1:
                canvas.drawString(72, 735, "8.1 Rivers")
            write(canvas, 715, start=8 * number)

        return paint

    document = read_pages(*[page(number) for number in range(1, 6)])
    assert headings_of(document)[-1] == "8.1 Rivers"
    assert {block.heading_path[-1] for block in document.blocks if block.kind != "heading"} == {"8.1 Rivers"}
    assert "8.17" not in document.text


def test_a_running_version_number_is_none_of_a_page() -> None:
    def page(number: int) -> Callable[[Canvas], None]:
        def paint(canvas: Canvas) -> None:
            canvas.drawString(72, 760, "Guide to the works, version 2.1")
            write(canvas, 715, start=8 * number)

        return paint

    assert read_pages(*[page(number) for number in range(1, 6)]).text.count("version 2.1") == 1


def test_a_running_title_keeps_its_date_on_the_first_page() -> None:
    def page(number: int) -> Callable[[Canvas], None]:
        def paint(canvas: Canvas) -> None:
            canvas.drawString(72, 760, "Votes of Tuesday, 8 November 2016")
            canvas.drawString(300, 30, f"Printed on 22 November 2016, page {number} of 5")
            write(canvas, 715, start=8 * number)

        return paint

    text = read_pages(*[page(number) for number in range(1, 6)]).text
    assert text.count("Votes of Tuesday, 8 November 2016") == 1
    assert "page 3" not in text


def test_sections_numbered_in_headers_are_not_taken_for_pages() -> None:
    def page(number: int) -> Callable[[Canvas], None]:
        def paint(canvas: Canvas) -> None:
            canvas.setFont("Helvetica-Bold", 9)
            canvas.drawString(72, 760, f"Guide to the works 8.{(number + 1) // 2}")
            write(canvas, 715, start=8 * number)

        return paint

    document = read_pages(*[page(number) for number in range(1, 6)])
    assert "Guide to the works 8.2" in document.text


def test_centred_titles_at_the_head_of_a_page_are_those_of_the_statement_far_below() -> None:
    def paint(canvas: Canvas) -> None:
        for number, line in enumerate(("Balance sheet", "Governmental funds", "March 31, 2023")):
            canvas.drawCentredString(306, 740 - 12 * number, line)
        for column, name in enumerate(("Town", "Road")):
            canvas.drawRightString(400 + 80 * column, 668, name)
        for number, label in enumerate(("Cash", "Property taxes", "Prepaid items", "Accounts payable")):
            canvas.drawString(72, 652 - 13 * number, label)
            for column in range(2):
                canvas.drawRightString(400 + 80 * column, 652 - 13 * number, f"{number + 3},{100 + column}")

    (grid,) = read_pages(paint).grids
    assert grid.caption == "Balance sheet Governmental funds March 31, 2023"


def test_a_heading_alone_on_its_page_ends_the_section_before_it() -> None:
    def section(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(72, 740, "8. Other benefits")
        write(canvas, 720)

    def cover(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawString(72, 600, "Annual report")

    def divider(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawCentredString(306, 560, "Supplementary information")

    last = read_pages(cover, section, divider, lambda canvas: write(canvas, 720)).blocks[-1]
    assert last.heading_path == ("Supplementary information",)


def test_a_text_in_brackets_below_what_introduces_it_is_no_headnote() -> None:
    said = (
        "(This amendment pays for the costs of the commission on soldiers and their families, which was set up in the",
        "spring to look at laws on them, and which has to say by the first of May what it found of their pay, of",
        "their homes, and what is to be done about both.)",
    )
    rows = (("Department", "2024", "2025"), ("Assembly", "$10", "$50"), ("Courts", "$20", "$30"))

    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(72, 744, "Explanation:")
        canvas.setFont("Helvetica", 9)
        for number, line in enumerate(said):
            canvas.drawString(72, 729 - 11 * number, line)
        for number, row in enumerate(rows):
            for x, text in zip((72, 300, 400), row, strict=True):
                canvas.drawString(x, 684 - 13 * number, text)

    (grid,) = read_pages(paint).grids
    assert grid.caption == ""


def test_the_title_above_two_tables_without_text_between_is_that_of_both() -> None:
    def draw(canvas: Canvas, top: float, rows: Sequence[Sequence[str]]) -> None:
        for number in range(len(rows) + 1):
            canvas.line(72, top - 14 * number, 432, top - 14 * number)
        for x in (72, 192, 312, 432):
            canvas.line(x, top, x, top - 14 * len(rows))
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                canvas.drawString(76 + 120 * column, top - 10 - 14 * number, text)

    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(72, 744, "Coverage as on 10 May")
        canvas.drawString(72, 624, "6. Risk management")
        canvas.setFont("Helvetica", 9)
        draw(canvas, 730, (("Country", "First dose", "Second dose"), ("All", "1,344", "357")))
        draw(canvas, 680, (("State", "First dose", "Second dose"), ("North", "97", "13"), ("South", "53", "19")))

    grids = read_pages(paint).grids
    assert [grid.caption for grid in grids] == ["Coverage as on 10 May"] * 2
    assert grids[1].notes == ()  # the heading below is none of the table's notes


def test_bold_is_what_a_font_is_named_whatever_its_stems_are_said_to_measure() -> None:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=LETTER)
    canvas.setFont("Times-Bold", 9)
    canvas.drawString(72, 740, "Our works")
    canvas.setFont("Times-Roman", 9)
    for number in range(8):
        canvas.drawString(72, 720 - 13 * number, f"{SENTENCES[number % 3]} Nobody counted visitors that day.")
    canvas.save()
    stems = b"/FontDescriptor << /Type /FontDescriptor /FontName /Times-Roman /Flags 34 /StemV 139 >> "
    raw = target.getvalue().replace(b"/BaseFont /Times-Roman", stems + b"/BaseFont /Times-Roman")
    assert headings_of(read_raw(raw)) == ["Our works"]


def test_upright_type_that_is_slanted_is_italic_and_no_larger() -> None:
    def paint(canvas: Canvas) -> None:
        for number, slant in enumerate((0.33, 0.6)):
            text = canvas.beginText()
            text.setFont("Helvetica", 9)
            text.setTextTransform(1, 0, slant, 1, 72, 740 - 160 * number)
            text.textOut(
                ("Our works", "This one stands in slanted type all along, and so it ends like any other.")[number]
            )
            canvas.drawText(text)
            write(canvas, 720 - 160 * number, start=8 * number)

    assert headings_of(read_pages(paint)) == ["Our works"]


def test_a_bold_paragraph_above_a_table_is_not_its_title() -> None:
    def paint(canvas: Canvas) -> None:
        write(canvas, 740)
        canvas.setFont("Helvetica-Bold", 9)
        for number in range(3):
            canvas.drawString(72, 600 - 13 * number, f"{SENTENCES[number]} They have supported the town's projects.")
        canvas.setFont("Helvetica", 9)
        for number, label in enumerate(("Cash", "Property taxes", "Prepaid items", "Accounts payable")):
            canvas.drawString(72, 552 - 13 * number, label)
            for column in range(2):
                canvas.drawRightString(400 + 80 * column, 552 - 13 * number, f"{number + 3},{100 + column}")

    (grid,) = read_pages(paint).grids
    assert grid.caption == ""
