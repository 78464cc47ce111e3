"""Tables of a PDF that follow each other in columns of different places: each is read in its own."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.painted_pdf import read_pages

LEVELS = (("1", "$1,590", "$1,128"), ("2", "$1,960", "$1,484"), ("3", "$2,209", "$1,727"), ("4", "$2,428", "$1,940"))
DRUGS = (
    ("Epidural block, for each 15 minutes", "$105"),
    ("General", "$127"),
    ("Spinal block", "$106"),
    ("Other", "$91"),
)
FURTHER = (("Sedation, first", "$375"), ("Sedation, more", "$177"), ("Regional", "$44"), ("Bier", "$75"))


def paint(canvas: Canvas) -> None:
    """Charges by level under wide names, and right below them charges in two columns of a list."""
    for x, name in ((72, "Complexity Level"), (181, "Initial 30 Minutes"), (304, "Each Addtl. 30 Minutes")):
        canvas.drawCentredString(x, 700, name)
    for row, (level, first, further) in enumerate(LEVELS):
        y = 680 - 16 * row
        canvas.drawString(70, y, level)
        canvas.drawRightString(196, y, first)
        canvas.drawRightString(320, y, further)
    canvas.drawString(36, 602, "There is a charge for drugs:")
    for row, (left, right) in enumerate(zip(DRUGS, FURTHER, strict=True)):
        for x, (name, charge) in ((36, left), (309, right)):
            canvas.drawString(x, 584 - 16 * row, name)
            canvas.drawRightString(x + 211, 584 - 16 * row, charge)


def tables() -> list[Table]:
    found = (grid_to_table(grid, document="d", title="t") for grid in read_pages(paint).grids)
    return [table for table in found if table is not None]


def test_rows_whose_columns_clash_with_those_below_are_a_table_of_their_own() -> None:
    levels, drugs = tables()
    fees = {row.path: tuple(cell.text for cell in levels.cells if cell.row == row.index) for row in levels.rows}
    assert fees == {("Complexity Level", level): tuple(charges) for level, *charges in LEVELS}
    assert {row.path[-1] for row in drugs.rows} == {name for name, _ in (*DRUGS, *FURTHER)}


def test_wide_names_centred_over_narrow_columns_are_their_headings() -> None:
    names = ["Initial 30 Minutes", "Each Addtl. 30 Minutes"]
    assert [column.path[-1] for column in tables()[0].columns] == names
