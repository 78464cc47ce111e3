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
