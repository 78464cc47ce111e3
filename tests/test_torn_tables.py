"""Tables between rulings that share their lines with running text beside them."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.tables.grid import grid_to_table
from tests.painted_pdf import read_pages

PROSE = "The wards of the town were asked by post in the autumn and gave what they had on paper to the clerk"
ROWS = (
    ("Town", "Visits, n (%)", "Beds, %"),
    *(("Abbey", "1,204 (12.3)", "32.1"), ("Brook", "998 (11.6)", "36.9"), ("Crown", "310 (6.3)", "34.0")),
    *(("Dene", "77 (4.5)", "37.1"), ("Elm", "45 (3.1)", "40.2"), ("Ford", "8 (0.3)", "43.4")),
)


def draw_prose(canvas: Canvas, left: float, top: float, n_lines: int) -> None:
    words = PROSE.split() * 2
    for line in range(n_lines):
        canvas.drawString(left, top - 11 * line, " ".join(words[4 * line % 17 :][:7])[:36])


def paint(canvas: Canvas) -> None:
    """Three columns of prose, and a table over two of them, whose rows are level with lines of the third."""
    for y in (746, 730, 660):
        canvas.line(40, y, 350, y)
    for number, row in enumerate(ROWS):
        y = 735 - 11 * number - (4 if number else 0)
        canvas.drawString(42, y, row[0])
        canvas.drawCentredString(200, y, row[1])
        canvas.drawCentredString(310, y, row[2])
    for left in (40, 205):
        draw_prose(canvas, left, 640, 40)
    draw_prose(canvas, 370, 742, 49)


def test_a_table_over_two_of_three_columns_is_read_without_the_third() -> None:
    document = read_pages(paint, size=8)
    (grid,) = document.grids
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    assert [header.path for header in table.columns] == [("Visits, n (%)",), ("Beds, %",)]
    assert [row.path for row in table.rows] == [(row[0],) for row in ROWS[1:]]
    assert [cell.text for cell in table.cells] == [text for row in ROWS[1:] for text in row[1:]]
    prose = " ".join(block.text for block in document.blocks if block.grid is None)
    assert not any(row[0] in prose for row in ROWS)
