"""Rows of dots that lead from a name to its value part the two; those that lead to pages state nothing."""

from __future__ import annotations

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.tables.grid import grid_to_table
from tests import hostile_pdf
from tests.cited_lines import read_document

DOT_STEP = 5.0  # points: tabs set dots to a grid, whose last one may touch the value
CONTENTS = ("PREPARATION", "Work area", "ASSEMBLY", "Unpacking", "OPERATION")
VALUES = (
    ("Depth of throat at 90 degrees", '9"'),
    ("Table tilt", "0 to 45"),
    ("Blade length", '62"'),
    ("Blade speed", "2460 FPM"),
    ("Thickness", ".035"),
)


def lead(canvas: Canvas, left: float, right: float, top: float, name: str, value: str) -> None:
    """Paint a name, dots on the grid and a value that ends at right."""
    canvas.drawString(left, top, name)
    canvas.drawRightString(right, top, value)
    end, x = right - stringWidth(value, "Helvetica", 10), left + stringWidth(name, "Helvetica", 10) + 3
    x += -x % DOT_STEP
    while x + stringWidth(".", "Helvetica", 10) < end:
        canvas.drawString(x, top, ".")
        x += DOT_STEP


def read_specifications() -> tuple[dict[str, str], str]:
    """What the specifications beside a table of contents say, and the page's text outside of them."""

    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for number, section in enumerate(CONTENTS):
            canvas.drawString(72, 700 - 16 * number, section)
        for number, (name, value) in enumerate(VALUES):
            lead(canvas, 320, 540, 700 - 16 * number, name, value)

    document = read_document("saw.pdf", hostile_pdf.canvas_pdf(paint))
    (grid,) = document.grids
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    rows = {row.index: row.path for row in table.rows}
    text = "\n".join(block.text for block in document.blocks if block.kind != "table")
    return {rows[cell.row][0]: cell.text for cell in table.cells}, text


def test_values_that_dots_lead_to_are_read_apart_from_the_contents_beside_them() -> None:
    found, text = read_specifications()
    assert found == dict(VALUES)
    assert all(section in text for section in CONTENTS) and "Blade" not in text


def test_a_table_of_contents_with_dots_is_no_table() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for number, name in enumerate(("Safety", "Assembly", "Operation", "Parts")):
            canvas.drawString(72, 700 - 16 * number, "Read all of this before you start the saw")
            lead(canvas, 320, 540, 700 - 16 * number, name, str(3 + 2 * number))

    document = read_document("saw.pdf", hostile_pdf.canvas_pdf(paint))
    assert not document.grids and not document.facts


@pytest.mark.parametrize("name", ["saw.txt", "saw.md"])
def test_lines_of_text_with_dots_state_facts_unless_they_point_to_pages(name: str) -> None:
    text = (
        "Blade length ........ 62 in\nBlade speed . . . . . 2460 FPM\nThroat ……… 9 in\n\n"
        "Safety .......... 3\nAssembly ........ 5\nParts . . . . . . 12\n\n"
        "He said .... nothing.\nThen he left.\n"
    )
    facts = read_document(name, text.encode()).facts
    assert [(fact.path[-1], fact.values[0].text, fact.values[0].line) for fact in facts] == [
        ("Blade length", "62 in", 1),
        ("Blade speed", "2460 FPM", 2),
        ("Throat", "9 in", 3),
    ]
