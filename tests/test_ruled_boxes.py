"""Ruled boxes around lines of aligned words and figures are no cells: the lines are rows, and what stands under what
says the columns.
"""

from __future__ import annotations

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.painted_pdf import read_pages
from tests.test_unruled_headers import table_of

LINES = (
    ("Parts", "", "", "2,100"),
    ("Body Labor", "2", "150", "300"),
    ("Paint Labor", "1.5", "150", "225"),
    ("Frame Labor", "3", "150", "450"),
    ("Wheel Labor", "1", "150", "150"),
    ("Supplies", "", "", "60"),
    ("Other Charges", "", "", "15"),
    ("Subtotal", "", "", "3,300"),
    ("Sales Tax", "", "", "278.46"),
)
TOTAL = ("GRAND TOTAL", "", "", "3,578.46")
LEFTS = (80, 250, 310, 380)


def draw_boxes(canvas: Canvas, lines: tuple[tuple[str, ...], ...]) -> None:
    """A box of labels, a box of figures beside it, and a box of each below for the total."""
    for number, texts in enumerate((("", "Hours", "Rate", "Cost"), *lines)):
        for left, text in zip(LEFTS, texts, strict=True):
            canvas.drawString(left, 700 - 14 * number, text)
    bottom = 700 - 14 * len(lines)
    for left, text in zip(LEFTS, TOTAL, strict=True):
        canvas.drawString(left, bottom - 18, text)
    for y in (714, bottom - 5, bottom - 24):
        canvas.line(76, y, 480, y)
    for x in (76, 245, 480):
        canvas.line(x, 714, x, bottom - 24)


@pytest.mark.parametrize("lines", [LINES, LINES[1:5]])
def test_lines_of_figures_in_one_box_are_rows(lines: tuple[tuple[str, ...], ...]) -> None:
    table = table_of(read_pages(lambda canvas: draw_boxes(canvas, lines)))
    assert [header.path[-1] for header in table.columns] == ["Hours", "Rate", "Cost"]
    assert [row.path[-1] for row in table.rows] == [texts[0] for texts in (*lines, TOTAL)]
    cells = {(table.rows[cell.row - table.rows[0].index].path[-1], cell.column): cell.text for cell in table.cells}
    assert cells["Body Labor", 2] == "150" and cells["GRAND TOTAL", 3] == "3,578.46"


def test_lone_figures_elsewhere_leave_the_rulings_their_cells() -> None:
    """Four cells of several figures among more of one: the rulings part rows and columns."""

    def paint(canvas: Canvas) -> None:
        for row in range(6):
            y = 700 - 20 * row
            canvas.drawString(80, y, f"Town {row}")
            canvas.drawString(250, y, f"{row + 3}")
            canvas.drawString(350, y, f"1{row}" + (f"        2{row}" if row < 4 else ""))
        for number in range(7):
            canvas.line(76, 714 - 20 * number, 480, 714 - 20 * number)
        for x in (76, 245, 345, 480):
            canvas.line(x, 714, x, 594)

    (grid,) = read_pages(paint).grids
    assert (grid.n_rows, grid.n_columns, grid.confidence) == (6, 3, 0.9)


LEVELS = (("20-50", "+6 dB/oct", "+3 dB/oct"), ("50-800", "0.16", "0.08"), ("800-2000", "-6 dB/oct", "-3 dB/oct"))
TOLD = (
    ("Sweep below the first", "Every axis in its turn as", "Not asked for where the part"),
    ("resonance of the whole", "long as the clamps allow it", "has flown before and nothing"),
    ("assembly on its plate", "without being tightened", "of it was changed since then"),
)


def draw_levels(canvas: Canvas, lines: tuple[tuple[str, ...], ...]) -> None:
    """A header row and one ruled row, in which the lines stand level in three columns."""
    rows = (("Frequency", "Qualification", "Acceptance"), *lines)
    for number, texts in enumerate(rows):
        for left, text in zip((80, 200, 330), texts, strict=True):
            canvas.drawString(left, 700 - 14 * number, text)
    for y in (714, 695, 695 - 14 * len(lines)):
        canvas.line(76, y, 480, y)
    for x in (76, 196, 326, 480):
        canvas.line(x, 714, x, 695 - 14 * len(lines))


def test_lists_that_stand_level_in_all_boxes_of_a_row_are_rows() -> None:
    table = table_of(read_pages(lambda canvas: draw_levels(canvas, LEVELS)))
    assert [row.path[-1] for row in table.rows] == [texts[0] for texts in LEVELS]
    assert [cell.text for cell in table.cells] == [text for texts in LEVELS for text in texts[1:]]


def test_texts_that_fill_their_boxes_are_one_row_however_level_their_lines_are() -> None:
    (grid,) = read_pages(lambda canvas: draw_levels(canvas, TOLD)).grids
    assert grid.n_rows == 2
