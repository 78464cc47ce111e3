"""Numbers that count a page's lines in its margin are left out; numbers that count a table's rows stay."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from tests.painted_pdf import read_pages

CLAUSE = "The Board of Directors may amend these Bylaws by a vote of two thirds of the members who are present "
TOWNS = [f"{name} {part}" for name in ("Aber", "Birk", "Carn", "Dale") for part in ("North", "South", "East", "West")]


def test_numbers_of_lines_are_no_text() -> None:
    def paint(canvas: Canvas) -> None:
        for number in range(30):
            canvas.drawRightString(58, 740 - 14 * number, str(259 + number))
            if number % 7 != 3:  # a blank line has its number, too
                canvas.drawString(72, 740 - 14 * number, CLAUSE if number % 7 else "Article of the Bylaws")

    document = read_pages(paint)
    assert not any(character.isdigit() for character in document.text)
    assert not document.grids
    assert "by a vote of two thirds of the members who are present The Board" in document.text


def test_numbers_of_rows_stay() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawString(72, 754, "No.")
        canvas.drawString(110, 754, "Town")
        canvas.drawString(260, 754, "People")
        for number, town in enumerate(TOWNS, 1):
            canvas.drawString(72, 754 - 14 * number, str(number))
            canvas.drawString(110, 754 - 14 * number, town)
            canvas.drawRightString(290, 754 - 14 * number, f"{number}00")

    document = read_pages(paint)
    (grid,) = document.grids
    assert {cell.text for cell in grid.cells if cell.column == 0} >= {"1", "16"}


def test_numbers_of_short_entries_stay() -> None:
    def paint(canvas: Canvas) -> None:
        for number, town in enumerate(TOWNS, 1):
            canvas.drawString(72, 740 - 14 * number, str(number))
            canvas.drawString(90, 740 - 14 * number, town if number > 1 else f"{town} and all that lies around it")

    assert "16" in read_pages(paint).text
