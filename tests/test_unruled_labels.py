"""Labels of tables without rulings that wrap: whose they are where the lines stand at even steps."""

from __future__ import annotations

from collections.abc import Sequence

from reportlab.pdfgen.canvas import Canvas

from tests.painted_pdf import read_pages

ROWS = [("Hospice", "8,700"), ("Skate park", "3,250"), ("River garden –", ""), ("in trust", "250")]
WRAPPED = [("Newton Wallace", ""), ("Food Bank", "8,030"), ("Festivals", "100")]


def labels_of(sections: Sequence[str], font: str) -> list[list[str]]:
    """The first column's cells, of a table whose sections have names in that font above the same rows each."""

    def paint(canvas: Canvas) -> None:
        top = 700
        for section in sections:
            canvas.setFont(font, 10)
            canvas.drawString(72, top, section)
            canvas.setFont("Helvetica", 10)
            for number, (label, figure) in enumerate((*ROWS, *WRAPPED), start=1):
                canvas.drawString(72, top - 14 * number, label)
                canvas.drawRightString(300, top - 14 * number, figure)
            top -= 14 * (len(ROWS) + len(WRAPPED) + 1)

    return [[cell.text for cell in grid.cells if cell.column == 0] for grid in read_pages(paint).grids]


def test_a_plain_line_without_figures_wraps_into_the_next_row_where_names_of_sections_are_bold() -> None:
    (labels,) = labels_of(["National", "Abroad"], "Helvetica-Bold")
    assert labels[-6:] == [
        "Abroad",
        "Hospice",
        "Skate park",
        "River garden – in trust",
        "Newton Wallace Food Bank",
        "Festivals",
    ]


def test_it_is_the_name_of_a_section_where_none_is_bold() -> None:
    (labels,) = labels_of(["National", "Abroad"], "Helvetica")
    assert labels[-4:] == ["River garden – in trust", "Newton Wallace", "Food Bank", "Festivals"]
