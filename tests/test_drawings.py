"""Drawing sheets in a PDF: their labels are one paragraph, their notes are text, and nothing of them is a table."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from tests.painted_pdf import read_pages

PARTS = [("R9", "56k"), ("R10", "3.3"), ("U1", "LM5107"), ("C12", "2.2u"), ("D5", "SMBJ36A")]


def paint_parts(canvas: Canvas) -> None:
    """Rows and columns of part names with their values, as close as those of a table, with a line around each."""
    for row in range(4):
        for column, (name, value) in enumerate(PARTS):
            x, y = 80 + 90 * column, 600 - 40 * row
            canvas.rect(x - 4, y - 14, 80, 26)
            canvas.drawString(x, y, f"{name}{row}")
            canvas.drawString(x, y - 10, value)


def paint_sheet(canvas: Canvas) -> None:
    """The parts within a frame of zones, with a note."""
    for number in range(1, 7):
        canvas.drawString(90 * number, 780, str(number))
        canvas.drawString(90 * number, 8, str(number))
    for number, letter in enumerate("ABCD"):
        canvas.drawString(10, 700 - 180 * number, letter)
        canvas.drawString(595, 700 - 180 * number, letter)
    paint_parts(canvas)
    canvas.drawString(80, 300, "All capacitors are rated for 50 V if nothing else is said.")


def test_labels_of_a_drawing_are_one_paragraph_and_no_table() -> None:
    document = read_pages(paint_sheet)
    assert not document.grids
    note, labels = [block.text for block in document.blocks]
    assert note == "All capacitors are rated for 50 V if nothing else is said."
    assert labels.startswith("R90; 56k;") and "U13; LM5107;" in labels
    assert "; A;" not in labels  # the zones say nothing


def test_boxes_without_a_frame_of_zones_are_a_table() -> None:
    assert len(read_pages(paint_parts).grids) == 1
