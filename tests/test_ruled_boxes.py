"""Ruled boxes around lines of aligned words and figures are no cells: the lines are rows, and what stands under what
says the columns.
"""

from __future__ import annotations

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.painted_pdf import read_pages
from tests.test_unruled_headers import table_of

LINES = (
    ("Parts", "", "", "2,100"),
    ("Body Labor", "2", "150", "300"),
    ("Paint Labor", "1.5", "150", "225"),
    ("Frame Labor", "3", "150", "450"),
    ("Wheel Labor", "1", "150", "150"),
    ("Supplies", "", "", "60"),
    ("Other Charges", "", "", "15"),
    ("Subtotal", "", "", "3,300"),
    ("Sales Tax", "", "", "278.46"),
)
TOTAL = ("GRAND TOTAL", "", "", "3,578.46")
LEFTS = (80, 250, 310, 380)


def draw_boxes(canvas: Canvas, lines: tuple[tuple[str, ...], ...]) -> None:
    """A box of labels, a box of figures beside it, and a box of each below for the total."""
    for number, texts in enumerate((("", "Hours", "Rate", "Cost"), *lines)):
        for left, text in zip(LEFTS, texts, strict=True):
            canvas.drawString(left, 700 - 14 * number, text)
    bottom = 700 - 14 * len(lines)
    for left, text in zip(LEFTS, TOTAL, strict=True):
        canvas.drawString(left, bottom - 18, text)
    for y in (714, bottom - 5, bottom - 24):
        canvas.line(76, y, 480, y)
    for x in (76, 245, 480):
        canvas.line(x, 714, x, bottom - 24)


@pytest.mark.parametrize("lines", [LINES, LINES[1:5]])
def test_lines_of_figures_in_one_box_are_rows(lines: tuple[tuple[str, ...], ...]) -> None:
    table = table_of(read_pages(lambda canvas: draw_boxes(canvas, lines)))
    assert [header.path[-1] for header in table.columns] == ["Hours", "Rate", "Cost"]
    assert [row.path[-1] for row in table.rows] == [texts[0] for texts in (*lines, TOTAL)]
    cells = {(table.rows[cell.row - table.rows[0].index].path[-1], cell.column): cell.text for cell in table.cells}
    assert cells["Body Labor", 2] == "150" and cells["GRAND TOTAL", 3] == "3,578.46"


def test_lone_figures_elsewhere_leave_the_rulings_their_cells() -> None:
    """Four cells of several figures among more of one: the rulings part rows and columns."""

    def paint(canvas: Canvas) -> None:
        for row in range(6):
            y = 700 - 20 * row
            canvas.drawString(80, y, f"Town {row}")
            canvas.drawString(250, y, f"{row + 3}")
            canvas.drawString(350, y, f"1{row}" + (f"        2{row}" if row < 4 else ""))
        for number in range(7):
            canvas.line(76, 714 - 20 * number, 480, 714 - 20 * number)
        for x in (76, 245, 345, 480):
            canvas.line(x, 714, x, 594)

    (grid,) = read_pages(paint).grids
    assert (grid.n_rows, grid.n_columns, grid.confidence) == (6, 3, 0.9)


LEVELS = (("20-50", "+6 dB/oct", "+3 dB/oct"), ("50-800", "0.16", "0.08"), ("800-2000", "-6 dB/oct", "-3 dB/oct"))
TOLD = (
    ("Sweep below the first", "Every axis in its turn as", "Not asked for where the part"),
    ("resonance of the whole", "long as the clamps allow it", "has flown before and nothing"),
    ("assembly on its plate", "without being tightened", "of it was changed since then"),
)


def draw_levels(canvas: Canvas, lines: tuple[tuple[str, ...], ...]) -> None:
    """A header row and one ruled row, in which the lines stand level in three columns."""
    rows = (("Frequency", "Qualification", "Acceptance"), *lines)
    for number, texts in enumerate(rows):
        for left, text in zip((80, 200, 330), texts, strict=True):
            canvas.drawString(left, 700 - 14 * number, text)
    for y in (714, 695, 695 - 14 * len(lines)):
        canvas.line(76, y, 480, y)
    for x in (76, 196, 326, 480):
        canvas.line(x, 714, x, 695 - 14 * len(lines))


def test_lists_that_stand_level_in_all_boxes_of_a_row_are_rows() -> None:
    table = table_of(read_pages(lambda canvas: draw_levels(canvas, LEVELS)))
    assert [row.path[-1] for row in table.rows] == [texts[0] for texts in LEVELS]
    assert [cell.text for cell in table.cells] == [text for texts in LEVELS for text in texts[1:]]


def test_texts_that_fill_their_boxes_are_one_row_however_level_their_lines_are() -> None:
    (grid,) = read_pages(lambda canvas: draw_levels(canvas, TOLD)).grids
    assert grid.n_rows == 2


BUDGET = (
    ("Income", "", "", "", ""),
    ("Student fees", "264,749", "0", "250,000", "251,000"),
    ("Lockers", "10,618", "954", "10,600", "10,700"),
    ("Expense", "", "", "", ""),
    ("Postage", "167", "0", "300", "310"),
    ("Courier", "52", "0", "100", "110"),
    ("Audit", "27,142", "14,266", "25,000", "26,000"),
)
HEADINGS = (("", "Actuals", "Actuals to", "Budget", "Budget"), ("", "May 13", "14", "Summer", "Fall 14"))
NAMED = {("Income", "Lockers"): "10,618", ("Expense", "Courier"): "52"}


def draw_budget(canvas: Canvas, first: int, left: int) -> None:
    """Rulings around each figure from row first on, and a frame without any around the labels where left is theirs."""
    for number, texts in enumerate((*HEADINGS, *BUDGET)):
        for x, text in zip((80, 200, 270, 340, 410), texts, strict=True):
            canvas.drawString(x, 700 - 14 * number, text)
    ends = [710 - 14 * number for number in range(len(HEADINGS) + first, len(HEADINGS) + len(BUDGET) + 1)]
    for y in ends:
        canvas.line(left if y in (ends[0], ends[-1]) else 195, y, 475, y)
    for x in {left, 195, 265, 335, 405, 475}:
        canvas.line(x, ends[0], x, ends[-1])


@pytest.mark.parametrize(("first", "left"), [(0, 195), (1, 195), (0, 76), (1, 76)])
def test_labels_and_sections_beside_ruled_figures_are_those_of_their_rows(first: int, left: int) -> None:
    """The rulings go around the figures alone, or the labels stand in one frame without rulings between them."""
    table = table_of(read_pages(lambda canvas: draw_budget(canvas, first, left)))
    assert [" ".join(header.path) for header in table.columns][1:] == [
        "Actuals to 14",
        "Budget Summer",
        "Budget Fall 14",
    ]
    paths = {row.index: row.path for row in table.rows}
    said = {paths[cell.row]: cell.text for cell in table.cells if cell.column == 1}
    assert said.items() >= NAMED.items()


def test_running_text_beside_ruled_figures_is_no_column_of_labels() -> None:
    def paint(canvas: Canvas) -> None:
        for number in range(7):
            canvas.drawString(250, 700 - 14 * number, f"{number + 3}00")
            canvas.line(245, 710 - 14 * number, 345, 710 - 14 * number)
        for number in range(10):
            canvas.drawString(80, 700 - 10 * number, "some words of a text that runs")
        for x in (245, 295, 345):
            canvas.line(x, 710, x, 612)

    document = read_pages(paint)
    assert not document.grids or document.grids[0].n_columns <= 2


@pytest.mark.parametrize("hidden", [(), (2, 3)])
def test_a_row_keeps_its_figures_where_a_shade_hides_rulings(hidden: tuple[int, ...]) -> None:
    """Rows 2 to 4 have no rulings around the second and third column."""
    edges, tops = (76, 130, 190, 250, 310, 370), range(714, 574, -20)

    def paint(canvas: Canvas) -> None:
        for row in range(6):
            label = "Votes in" if row == 0 else f"Mary Anne Over {'ABCDE'[row - 1]}."
            canvas.drawString(80, 700 - 20 * row, label)
            for column in range(2, 5):
                if not (2 <= row < 5 and column in hidden[:1]):
                    text = f"Pct {column}" if row == 0 else f"{row}{column}5"
                    canvas.drawRightString(edges[column + 1] - 4, 700 - 20 * row, text)
        for number, y in enumerate(tops):
            for column in range(5):
                if not (2 < number < 5 and column in hidden):
                    canvas.line(edges[column], y, edges[column + 1], y)
        for number, x in enumerate(edges):
            for row in range(6):
                is_label = number == 1 and row > 0
                if not is_label and not (2 <= row < 5 and number in hidden):
                    canvas.line(x, tops[row], x, tops[row + 1])

    table = table_of(read_pages(paint))
    rows = {row.index: row.path[-1] for row in table.rows}
    assert list(rows.values()) == [f"Mary Anne Over {letter}." for letter in "ABCDE"]
    found = {(rows[cell.row], cell.text) for cell in table.cells}
    assert {("Mary Anne Over C.", "335"), ("Mary Anne Over C.", "345")} <= found
    assert (("Mary Anne Over C.", "325") in found) is not bool(hidden)


def test_a_ruling_that_a_scan_broke_in_two_parts_the_rows_all_the_same() -> None:
    """The left frame meets the rest of the table only through the two halves of a ruling that is not level."""
    edges, tops = (76, 180, 270, 360), (714, 690, 650, 610)

    def paint(canvas: Canvas) -> None:
        for row, texts in enumerate(
            (("Hospitals", "Ward", "Ventilator"), ("Accredited", "10", "18"), ("Other", "8", "15"))
        ):
            for left, text in zip(edges, texts, strict=False):
                canvas.drawString(left + 4, tops[row] - 16, text)
        for top in tops:
            is_broken = top == 650
            canvas.line(edges[0] + (60 if is_broken else 0), top, edges[3], top)
            if is_broken:
                canvas.line(edges[0], top - 2, edges[0] + 70, top - 2)
        for x in edges[1:]:
            canvas.line(x, tops[0], x, tops[-1])
        canvas.line(edges[0], 655, edges[0], 620)

    table = table_of(read_pages(paint))
    assert [row.path for row in table.rows] == [("Accredited",), ("Other",)]


def test_a_title_above_columns_of_codes_is_no_heading_of_theirs() -> None:
    """No ruling parts the title from the codes below it: the rulings down end and begin anew between the two."""
    edges = (76, 150, *range(210, 210 + 28 * 10, 28))
    codes = [str(22401 + 7 * number) for number in range(8)]
    rows = [("MOORE", *(str(90 + 3 * number) for number in range(8)), "804"), ("LANE", *map(str, range(61, 69)), "516")]

    def paint(canvas: Canvas) -> None:
        canvas.drawString(edges[2], 706, "OFFICIAL ABSTRACT OF VOTES")
        for number, texts in enumerate((("CANDIDATE", *codes, "TOTAL"), *rows)):
            for left, text in zip(edges, texts, strict=False):
                canvas.drawString(left + 2, 688 - 16 * number, text)
        for y in (720, 684, 668, 652):
            canvas.line(edges[0], y, edges[10], y)
        for x in edges[1:10]:
            canvas.line(x, 694, x, 652)
        for x in (edges[1], *edges[6:10]):
            canvas.line(x, 720, x, 698.5)
        for x in (edges[0], edges[10]):
            canvas.line(x, 720, x, 652)

    table = table_of(read_pages(paint, size=6))
    assert [header.path[-1] for header in table.columns] == [*codes, "TOTAL"]
    assert [row.path for row in table.rows] == [("MOORE",), ("LANE",)]


def test_strokes_that_make_letters_bold_are_no_rulings() -> None:
    """A print program draws the stems of "i", "l" and "p" anew, over the letters of a heading."""
    rows = (("Year", "Population", "Decennial spill"), ("1961", "75,90,524", "33.79"), ("1971", "1,00,36,431", "32.22"))
    stems = {"i": (0.0, 5.0), "l": (0.0, 6.3), "p": (-1.8, 6.5)}  # below and above the baseline

    def paint(canvas: Canvas) -> None:
        canvas.setLineWidth(0.25)
        for number, texts in enumerate(rows):
            for left, text in zip((80, 150, 230), texts, strict=True):
                canvas.drawString(left, 700 - 12 * number, text)
                for place, letter in enumerate(text):
                    if letter in stems:
                        x = left + canvas.stringWidth(text[:place], "Helvetica", 9) + 0.6
                        low, height = stems[letter]
                        canvas.rect(x, 700 - 12 * number + low, 0.9, height)
        for y in (709, 697, 685, 673):
            canvas.rect(76, y, 264, 1, stroke=0, fill=1)
        for x in (76, 145, 225, 340):
            canvas.rect(x, 673, 1, 36, stroke=0, fill=1)

    table = table_of(read_pages(paint))
    assert [header.path for header in table.columns] == [("Population",), ("Decennial spill",)]
    assert [row.path for row in table.rows] == [("1961",), ("1971",)]
    assert [cell.text for cell in table.cells] == ["75,90,524", "33.79", "1,00,36,431", "32.22"]


def test_a_frame_that_nearly_touches_a_table_is_no_part_of_it() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        canvas.rect(70, 652, 420, 56, fill=0)
        for number, (name, formula) in enumerate((("Drop: V", "= I x R"), ("Loss: P", "= I x V"), ("Load:", "= V"))):
            canvas.drawString(78, 692 - 14 * number, name)
            canvas.drawString(160, 692 - 14 * number, formula)
        rows = (("Current", "Voltage", "Loss"), *((f"{n}.5 A", f"1{n}.05 V", f"0.{n}4 W") for n in range(5)))
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                canvas.drawString(90 + 130 * column, 637 - 18 * row, text)
        for row in range(len(rows) + 1):
            canvas.line(80, 650 - 18 * row, 470, 650 - 18 * row)
        for column in range(4):
            canvas.line(80 + 130 * column, 650, 80 + 130 * column, 650 - 18 * len(rows))

    document = read_pages(paint)
    table = table_of(document)
    assert [header.path for header in table.columns] == [("Voltage",), ("Loss",)]
    assert [row.path for row in table.rows] == [(f"{n}.5 A",) for n in range(5)]
    assert "Drop: V = I x R" in " ".join(block.text for block in document.blocks if block.kind != "table")


def test_a_unit_below_its_own_heading_parts_a_row_without_rulings_of_its_own() -> None:
    rows = [("Name", "Offset", "Unit"), ("Voltage", "0", "V"), ("Charge", "0", "%"), ("Time", "7", "h")]

    def paint(canvas: Canvas) -> None:
        for number, texts in enumerate(rows):
            canvas.line(72, 700 - 16 * number, 232, 700 - 16 * number)
            for x, text in zip((76, 192 if number else 174, 206), texts, strict=True):
                canvas.drawString(x, 688 - 16 * number, text)
        canvas.line(72, 636, 232, 636)
        for x in (72, 172, 201, 232):
            canvas.line(x, 636, x, 652)
        canvas.line(232, 636, 232, 700)
        canvas.line(72, 636, 72, 700)

    (grid,) = read_pages(paint, size=7).grids
    assert [[cell.text for cell in grid.cells if cell.row == row] for row in range(4)] == [list(row) for row in rows]
