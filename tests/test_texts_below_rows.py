"""In tables without rulings a line of text below a row, in no label's column, goes on with that row's text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.documents import Document
from tests.painted_pdf import read_pages
from tests.test_unruled_headers import table_of

HEADER = ("Claim", "Payee", "Description", "Amount")
CLAIMS = (
    ("E-01", "A. Roy", "Train fare", "84.20"),
    ("E-02", "B. Sole", "Hotel", "132.00"),
    ("E-03", "C. Tan", "Taxi", "19.50"),
)
BELOW = ("London to Leeds, first class", "Two nights in Leeds", "Station to office")
LEFTS = (72, 132, 212, 420)


def draw_row(canvas: Canvas, y: float, texts: Sequence[str]) -> None:
    for left, text in zip(LEFTS, texts, strict=True):
        canvas.drawString(left, y, text)


def draw_claims(canvas: Canvas, step: float = 12, gap: float = 18, x: float = LEFTS[2], size: int = 9) -> None:
    """Three claims, each with a line below it; step to that line, gap to the next claim."""
    draw_row(canvas, 700, HEADER)
    for number, (claim, text) in enumerate(zip(CLAIMS, BELOW, strict=True)):
        y = 680 - number * (step + gap)
        draw_row(canvas, y, claim)
        canvas.setFont("Helvetica", size)
        canvas.drawString(x, y - step, text)
        canvas.setFont("Helvetica", 9)


def paths_of(document: Document) -> list[tuple[str, ...]]:
    return [row.path for row in table_of(document).rows]


@pytest.mark.parametrize(
    "paint",
    [draw_claims, lambda canvas: draw_claims(canvas, 16, 16), lambda canvas: draw_claims(canvas, 10, 14, size=8)],
)
def test_a_text_below_a_row_is_its_own_and_no_parent_of_the_next(paint: Callable[[Canvas], None]) -> None:
    document = read_pages(paint)
    assert paths_of(document) == [
        ("E-01", "A. Roy", "Train fare London to Leeds, first class"),
        ("E-02", "B. Sole", "Hotel Two nights in Leeds"),
        ("E-03", "C. Tan", "Taxi Station to office"),
    ]
    assert [block.text for block in document.blocks if block.kind == "paragraph"] == []


def test_a_text_of_several_lines_is_joined() -> None:
    def paint(canvas: Canvas) -> None:
        draw_claims(canvas, 11, 40)
        for number in range(3):
            canvas.drawString(LEFTS[2], 658 - 51 * number, "paid by card")

    assert [path[2] for path in paths_of(read_pages(paint))] == [
        f"{claim[2]} {text} paid by card" for claim, text in zip(CLAIMS, BELOW, strict=True)
    ]


@pytest.mark.parametrize("is_ruled", [False, True])
def test_a_line_nearer_to_the_row_below_or_ruled_off_is_not_joined(is_ruled: bool) -> None:
    def paint(canvas: Canvas) -> None:
        draw_claims(canvas, *((14, 14) if is_ruled else (18, 12)))
        for number in range(3 if is_ruled else 0):
            canvas.line(72, 677 - 28 * number, 460, 677 - 28 * number)

    assert ("E-01", "A. Roy", "Train fare") in paths_of(read_pages(paint))


def test_a_line_that_no_text_begins_above_is_not_joined() -> None:
    paths = paths_of(read_pages(lambda canvas: draw_claims(canvas, x=236)))
    assert paths[0] == ("E-01", "A. Roy", "Train fare")
