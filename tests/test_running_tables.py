"""Boxes that run on at the tops of pages are read once, and the tables between them go on over the pages."""

from __future__ import annotations

from collections.abc import Sequence

from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.documents import Document
from mixrag_cli.tables.grid import grid_to_table
from tests.painted_pdf import read_pages

PARAMETERS = (
    ("Parameter", "Index", "Unit"),
    ("Effective range", "0~500", "ug/m3"),
    ("Resolution", "1", "ug/m3"),
    ("Response time", "<=10", "s"),
    ("Supply", "4.5~5.5", "V"),
    ("Active current", "<=100", "mA"),
    ("Standby current", "<=200", "uA"),
)


def draw_table(canvas: Canvas, top: float, rows: Sequence[Sequence[str]], step: float = 120) -> None:
    """A table with all its rulings."""
    width = step * len(rows[0])
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            canvas.drawString(80 + step * column, top - 18 * row - 12, text)
    for row in range(len(rows) + 1):
        canvas.line(76, top - 18 * row, 76 + width, top - 18 * row)
    for column in range(len(rows[0]) + 1):
        canvas.line(76 + step * column, top, 76 + step * column, top - 18 * len(rows))


def read_sheet(n_pages: int, boxes: Sequence[Sequence[Sequence[str]]]) -> Document:
    """A data sheet whose one table stands at the end of its second page and goes on on the third."""

    def paint(canvas: Canvas, page: int) -> None:
        draw_table(canvas, 760, boxes[page - 1])
        if page == 2:
            for line in range(30):
                canvas.drawString(76, 680 - 14 * line, f"Line {line} of what the sensor is and how it is to be used.")
            draw_table(canvas, 200, PARAMETERS[:4], 160)
        elif page == 3:
            draw_table(canvas, 680, PARAMETERS[4:], 160)
        else:
            canvas.drawString(76, 600, f"Chapter {'ABCDE'[page - 1]} says something else of the sensor on its page.")

    return read_pages(*(lambda canvas, page=page: paint(canvas, page) for page in range(1, n_pages + 1)))  # type: ignore[misc]


def box(page: int, version: str = "V1.0") -> list[tuple[str, str, str]]:
    return [("Data sheet", "Document", "PTQ-15"), ("Sensor", "Version", version), ("Acme", "Page", f"{page}")]


def test_a_box_at_the_top_of_each_page_is_read_once_and_parts_no_table() -> None:
    document = read_sheet(5, [box(page) for page in range(1, 6)])
    running = [grid for grid in document.grids if any(cell.text == "PTQ-15" for cell in grid.cells)]
    assert [grid.locator.page for grid in running] == [1]
    (table,) = (grid for grid in document.grids if grid not in running)
    assert (table.locator.page, table.locator.last_page, table.n_rows) == (2, 3, len(PARAMETERS))
    assert [cell.text for cell in table.cells if cell.column == 0] == [row[0] for row in PARAMETERS]


def test_tables_of_one_form_that_say_different_things_stay() -> None:
    document = read_sheet(5, [box(page, f"{1 + page * page * 7}") for page in range(1, 6)])
    assert len(document.grids) == 7


def test_the_joined_table_is_named_by_its_own_header() -> None:
    document = read_sheet(5, [box(page) for page in range(1, 6)])
    (grid,) = (grid for grid in document.grids if grid.locator.last_page)
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None and [header.path for header in table.columns] == [("Index",), ("Unit",)]
