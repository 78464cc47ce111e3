"""What a chart says is read in one order, whatever order its words are held in."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from tests import hostile_pdf
from tests.test_pdf import paint_chart, read


def test_labels_at_one_place_of_a_chart_are_read_in_one_order() -> None:
    labels = ("rrr", "ssss", "ccccc", "wwwww", "mmmmmmm")

    def paint(page: Canvas) -> None:
        paint_chart(page, 350, 695, lines=True)
        for label in reversed(labels):
            page.drawString(380, 650, label)

    assert " ".join(labels) in read(hostile_pdf.canvas_pdf(paint)).text
