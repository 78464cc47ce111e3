"""Parts of a statement below a heading of their own are named by the headings above its first part."""

from __future__ import annotations

from collections.abc import Sequence

from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.painted_pdf import read_pages

LABELS_AT, FIGURES_END = 72, (300, 420)
ASSETS = (("Cash", "1,204", "998"), ("Stocks", "3,310", "3,127"), ("Debtors", "870", "1,015"))
DEBTS = (("Loans", "2,400", "2,650"), ("Creditors", "611", "702"), ("Total debts", "3,011", "3,352"))


def draw(canvas: Canvas, top: float, rows: Sequence[Sequence[str]], ends: Sequence[float] = FIGURES_END) -> None:
    for number, row in enumerate(rows):
        y = top - 13 * number
        canvas.drawString(LABELS_AT, y, row[0])
        for right, text in zip(ends, row[1:], strict=False):
            canvas.drawRightString(right, y, text)


def tables_below(rows: Sequence[Sequence[str]], ends: Sequence[float] = FIGURES_END) -> list[Table]:
    """The tables of a page: assets under the years, a line in large type, and these rows."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        draw(canvas, 700, [("", "2021", "2020")])
        canvas.line(LABELS_AT, 696, FIGURES_END[-1], 696)
        canvas.setFont("Helvetica", 9)
        draw(canvas, 684, ASSETS)
        canvas.setFont("Helvetica-Bold", 12)
        canvas.drawString(LABELS_AT, 600, "What the guild owes to its members and to others")
        canvas.setFont("Helvetica", 9)
        draw(canvas, 560, rows, ends)

    grids = read_pages(page).grids
    return [table for grid in grids if (table := grid_to_table(grid, document="d", title="t")) is not None]


def test_a_block_in_the_same_columns_takes_the_years_above() -> None:
    first, second = tables_below(DEBTS)
    assert [header.path for header in second.columns] == [header.path for header in first.columns]
    assert [header.path[-1] for header in second.columns] == ["2021", "2020"]
    assert [header.path[-1] for header in second.rows] == ["Loans", "Creditors", "Total debts"]
    assert [cell.text for cell in second.cells][:2] == ["2,400", "2,650"]


def test_a_block_in_other_columns_keeps_its_own() -> None:
    for ends in ((250, 350), (300, 470)):
        tables = tables_below(DEBTS, ends)
        assert all("2021" not in header.path for table in tables[1:] for header in table.columns)


def test_a_block_that_names_its_columns_keeps_its_names() -> None:
    _, second = tables_below([("", "Short", "Long"), *DEBTS])
    assert [header.path[-1] for header in second.columns] == ["Short", "Long"]


WARDS = (150, 190, 240, 280, 330, 380)  # right edges: two wards of two precincts and a total each


def draw_box(canvas: Canvas, top: float, rows: Sequence[Sequence[str]], edges: Sequence[float]) -> float:
    """Ruled rows of a label and figures; the foot of the box."""
    foot = top - 14 * len(rows)
    for number in range(len(rows) + 1):
        canvas.line(edges[0], top - 14 * number, edges[-1], top - 14 * number)
    for x in edges:
        canvas.line(x, top, x, foot)
    for number, row in enumerate(rows):
        canvas.drawString(edges[0] + 2, top - 10 - 14 * number, row[0])
        for right, text in zip(edges[2:], row[1:], strict=False):
            canvas.drawRightString(right - 3, top - 10 - 14 * number, text)
    return foot


def draw_votes(canvas: Canvas, groups: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> None:
    """A box of headings, and below it a box with its name above it for each group; blanks are between them."""
    edges = (20, 110, *WARDS)
    for left, right, name in ((110, 240, "Ward 1"), (240, 380, "Ward 2")):
        canvas.drawCentredString((left + right) / 2, 734, name)
        for x in (left, right):
            canvas.line(x, 744, x, 730)
    canvas.line(20, 744, 20, 730)
    canvas.line(20, 744, 380, 744)
    y = draw_box(canvas, 730, [("Precinct", "1", "2", "Total", "1", "2", "Total")], edges)
    for name, rows in groups:
        canvas.drawString(22, y - 20, name)
        y = draw_box(canvas, y - 24, rows, edges)


def test_a_box_of_headings_names_the_boxes_below_it_which_stand_under_their_names() -> None:
    rows = [("Yes", "45", "59", "104", "43", "46", "89"), ("No", "76", "48", "124", "52", "72", "124")]
    document = read_pages(lambda canvas: draw_votes(canvas, [("PARKS", rows), ("SCHOOLS", rows[:1])]))
    first, second = (grid_to_table(grid, document="d", title="t") for grid in document.grids)
    assert first is not None and second is not None
    assert [header.path for header in first.columns] == [
        (ward, name) for ward in ("Ward 1", "Ward 2") for name in ("1", "2", "Total")
    ]
    assert [row.path for row in (*first.rows, *second.rows)] == [("PARKS", "Yes"), ("PARKS", "No"), ("SCHOOLS", "Yes")]
    assert [cell.text for cell in second.cells] == list(rows[0][1:])


def test_a_box_below_a_table_from_the_page_before_goes_on_in_its_columns() -> None:
    edges, head = (20, 110, 150, 190, 240), ("", "Pct 1", "Pct 2", "Total")
    rows = [(f"Name {number}", f"{number}1", f"{number}2", f"{number}3") for number in range(1, 40)]

    def second(canvas: Canvas) -> None:
        foot = draw_box(canvas, 740, rows[3:6], edges)
        draw_box(canvas, foot - 40, [("Yes", "45", "59", "104"), ("No", "76", "48", "124")], edges)

    whole, part = read_pages(lambda canvas: draw_box(canvas, 740, [head, *rows], edges), second).grids
    table = grid_to_table(part, document="d", title="t")
    assert whole.locator.last_page == 2 and table is not None
    assert [header.path for header in table.columns] == [("Pct 1",), ("Pct 2",), ("Total",)]
    assert [cell.page for cell in part.cells if cell.is_header] == [1, 1, 1]
