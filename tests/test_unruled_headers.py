"""Headers that a page prints where no ruling tells them apart: each names the columns that it stands over."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.records.documents import Document
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.painted_pdf import read_pages

TOWNS = ("Aber", "Birk", "Carn", "Dale", "Esk", "Firth")
EDGES = (72, 152, 212, 272, 332, 392, 452, 512)
GROUPS = ("Person", "Male")
PARTS = ("Total", "Rural", "Urban")


def table_of(document: Document) -> Table:
    (grid,) = document.grids
    table = grid_to_table(grid, document="d", title=document.title)
    assert table is not None
    return table


def columns_of(document: Document) -> list[tuple[str, ...]]:
    return [header.path for header in table_of(document).columns]


def center(canvas: Canvas, first: int, last: int, y: float, text: str) -> None:
    canvas.drawCentredString((EDGES[first] + EDGES[last + 1]) / 2, y, text)


def draw_figures(canvas: Canvas, top: float, n_columns: int, step: float = 14) -> None:
    """Rows of a town and figures whose right edges stand under each other."""
    for number, town in enumerate(TOWNS):
        y = top - number * step
        canvas.drawString(EDGES[0] + 3, y, town)
        for column in range(1, n_columns):
            canvas.drawRightString(EDGES[column + 1] - 4, y, f"{10 * column + number}.{number}")


def draw_rulings(canvas: Canvas, ys: Sequence[float], n_columns: int, top: float) -> None:
    """Rulings across at ys, and down between the lowest and top."""
    for y in ys:
        canvas.line(EDGES[0], y, EDGES[n_columns], y)
    for edge in EDGES[: n_columns + 1]:
        canvas.line(edge, min(ys), edge, top)


def draw_groups(canvas: Canvas, y: float) -> None:
    """Two headings over three columns each, and below them the names that both have in common."""
    for number, group in enumerate(GROUPS):
        center(canvas, 1 + 3 * number, 3 + 3 * number, y, group)
    for column in range(1, 7):
        center(canvas, column, column, y - 12, PARTS[(column - 1) % 3])


GROUPED = [(group, part) for group in GROUPS for part in PARTS]


def test_header_lines_in_one_unparted_cell_are_headers_below_their_title() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFontSize(14)
        canvas.drawCentredString(292, 725, "Schooling")
        canvas.setFontSize(9)
        draw_groups(canvas, 708)
        canvas.drawString(75, 696, "Town")
        draw_figures(canvas, 680, 7)
        draw_rulings(canvas, [740, *(690 - 14 * number for number in range(7))], 7, 690)
        canvas.line(EDGES[0], 690, EDGES[0], 740)
        canvas.line(EDGES[7], 690, EDGES[7], 740)

    document = read_pages(paint)
    assert columns_of(document) == GROUPED
    table = table_of(document)
    assert [row.path for row in table.rows] == [(town,) for town in TOWNS]
    assert table.title.endswith("Schooling")


def test_headings_above_the_outermost_ruling_are_headers() -> None:
    names = ("Town", "Households", "Incomes", "Wells")

    def paint(canvas: Canvas) -> None:
        for column, name in enumerate(names):
            center(canvas, column, column, 700, name)
        draw_figures(canvas, 680, 4)
        draw_rulings(canvas, [690 - 14 * number for number in range(7)], 4, 690)

    assert columns_of(read_pages(paint)) == [(name,) for name in names[1:]]


def test_a_sentence_above_a_ruled_table_is_no_header() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawString(EDGES[0], 700, "The next table gives what each of the towns told the survey in that year.")
        draw_figures(canvas, 680, 4)
        draw_rulings(canvas, [690 - 14 * number for number in range(7)], 4, 690)

    document = read_pages(paint)
    assert all("told" not in part for path in columns_of(document) for part in path)
    assert any("told the survey" in block.text for block in document.blocks if block.kind != "table")


def test_headings_on_their_side_name_their_columns() -> None:
    names = ("Households in all", "Incomes of them", "Wells they dug")

    def paint(canvas: Canvas) -> None:
        canvas.drawString(75, 695, "Town")
        for column, name in enumerate(names, start=1):
            canvas.saveState()
            canvas.translate((EDGES[column] + EDGES[column + 1]) / 2 + 3, 694)
            canvas.rotate(90)
            for line, words in enumerate((name.split()[0], " ".join(name.split()[1:]))):
                canvas.drawString(0, -11 * line, words)
            canvas.restoreState()
        draw_figures(canvas, 680, 4)
        draw_rulings(canvas, [760, *(690 - 14 * number for number in range(7))], 4, 760)

    assert columns_of(read_pages(paint)) == [(name,) for name in names]


@pytest.mark.parametrize("rulings", ["none", "across", "below the headings"])
@pytest.mark.parametrize("label", ["Town", ""])
def test_headings_on_their_side_need_no_rulings(label: str, rulings: str) -> None:
    names = ("Households", "Incomes of\nall of them", "Wells they dug")

    def paint(canvas: Canvas) -> None:
        canvas.drawString(75, 695, label)
        for column, name in enumerate(names, start=1):
            canvas.saveState()
            canvas.translate((EDGES[column] + EDGES[column + 1]) / 2 + 16, 694)
            canvas.rotate(90)
            for line, words in enumerate(name.split("\n")):
                canvas.drawString(0, -11 * line, words)
            canvas.restoreState()
        draw_figures(canvas, 680, 4)
        ys = [690 - 14 * number for number in range(7)] if rulings != "none" else []
        draw_rulings(canvas, ys, 4, 690) if rulings == "below the headings" else None
        for y in ys if rulings == "across" else ():
            canvas.line(EDGES[0], y, EDGES[4], y)
        canvas.drawString(75, 560, "The next page says how the towns were chosen and who asked the questions in them.")

    table = table_of(read_pages(paint))
    assert [header.path for header in table.columns] == [(name.replace("\n", " "),) for name in names]
    assert [row.path for row in table.rows] == [(town,) for town in TOWNS]


def test_words_on_their_side_elsewhere_name_no_column() -> None:
    def paint(canvas: Canvas) -> None:
        for x in (24, EDGES[1] + 30, EDGES[2] + 30):
            canvas.saveState()
            canvas.translate(x, 730)
            canvas.rotate(90)
            canvas.drawString(0, 0, "Printed in spring")
            canvas.restoreState()
        draw_figures(canvas, 680, 4)

    table = table_of(read_pages(paint))
    assert all("spring" not in part for header in table.columns for part in header.path)


def test_a_ruling_leads_from_the_header_to_a_body_far_below() -> None:
    def paint(canvas: Canvas) -> None:
        draw_groups(canvas, 720)
        canvas.drawString(75, 708, "Town")
        canvas.line(EDGES[0], 702, EDGES[7], 702)
        draw_figures(canvas, 676, 7)

    assert columns_of(read_pages(paint)) == GROUPED


def test_a_headnote_beside_the_period_gives_all_columns_their_scale() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawString(75, 734, "Budget 2014-2015")
        canvas.drawRightString(EDGES[7], 734, "(In thousands of euros)")
        draw_groups(canvas, 718)
        draw_figures(canvas, 692, 7)

    table = table_of(read_pages(paint))
    assert [header.path for header in table.columns] == GROUPED
    assert {(cell.unit, cell.scale) for cell in table.cells} == {("EUR", 1000)}


def test_several_label_columns_and_empty_columns_have_their_headings() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawString(75, 700, "No.")
        canvas.drawString(110, 700, "Town")
        for column, name in enumerate(("Now", "Before", "Planned"), start=1):
            canvas.drawRightString(EDGES[column + 1] - 4, 700, name)
        draw_figures(canvas, 684, 3)

    assert columns_of(read_pages(paint)) == [("Now",), ("Before",), ("Planned",)]


def test_sections_parted_by_blanks_stand_under_one_header() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawRightString(EDGES[3] - 4, 716, "2016")
        canvas.line(EDGES[0], 712, EDGES[3], 712)
        y = 700
        for name in ("Class A", "Class B", "Whole fund"):
            canvas.drawString(75, y, name)
            for number, label in enumerate(("Net value", "Units", "Value of a unit"), start=1):
                canvas.drawString(75, y - 14 * number, label)
                canvas.drawRightString(EDGES[3] - 4, y - 14 * number, f"{number}4,{100 + number}")
            y -= 14 * 3 + 38

    table = table_of(read_pages(paint))
    assert [header.path for header in table.columns] == [("2016",)]
    assert [row.path[0] for row in table.rows] == [n for n in ("Class A", "Class B", "Whole fund") for _ in range(3)]


def test_a_headnote_in_brackets_above_the_header_gives_the_scale() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 9)
        canvas.drawString(EDGES[0], 760, "Table 7. Households by sex")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(EDGES[0], 744, "[In thousands (314 represents 314,000). As of July 1]")
        canvas.line(EDGES[0], 740, EDGES[7], 740)
        draw_groups(canvas, 720)
        draw_figures(canvas, 694, 7)

    table = table_of(read_pages(paint))
    assert {cell.scale for cell in table.cells} == {1000}
    assert "Households by sex" in table.title


def draw_boxed_figures(canvas: Canvas, beside: Sequence[str], step: float) -> None:
    """Two ruled columns of figures under headings; left of them lines of text, a step apart."""
    for column, heading in enumerate(("Yes", "No")):
        canvas.drawString(EDGES[2 + column] + 3, 704, heading)
        for row in range(4):
            canvas.drawRightString(EDGES[3 + column] - 4, 690 - 14 * row, f"{3 * row + column + 11}")
    for row in range(6):
        canvas.line(EDGES[2], 714 - 14 * row, EDGES[4], 714 - 14 * row)
    for edge in EDGES[2:5]:
        canvas.line(edge, 644, edge, 714)
    for number, text in enumerate(beside):
        canvas.drawString(72, 690 - step * number, text)


def test_labels_outside_of_the_rulings_name_their_rows() -> None:
    document = read_pages(lambda canvas: draw_boxed_figures(canvas, TOWNS[:4], 14))
    assert [row.path for row in table_of(document).rows] == [(town,) for town in TOWNS[:4]]
    assert columns_of(document) == [("Yes",), ("No",)]


def test_running_text_beside_a_table_names_no_rows() -> None:
    prose = ["the vote was held", "in all of the towns", "on a day in spring", "and few took part", "in it this time"]
    document = read_pages(lambda canvas: draw_boxed_figures(canvas, prose, 10.5))
    assert not any("vote" in part for row in table_of(document).rows for part in row.path)
    assert "the vote was held in all of the towns on a day in spring" in document.text


def test_a_headnote_of_several_lines_says_the_unit_and_is_no_title() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 11)
        canvas.drawString(72, 745, "Table 3. Arrests by sex: 2009")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(
            72, 733, "[In thousands (61.0 represents 61,000) for the year that ended on December 31, as the towns"
        )
        canvas.drawString(
            72, 722, "reported them to the office. Persons may be arrested more than once. See text in this part]"
        )
        center(canvas, 1, 1, 708, "Male")
        center(canvas, 2, 2, 708, "Female")
        draw_figures(canvas, 690, 3)

    table = table_of(read_pages(paint))
    assert (table.title, table.scale) == ("Table 3. Arrests by sex: 2009", 1000)


def test_headings_half_a_type_size_apart_are_parted_where_the_line_above_has_two() -> None:
    def paint(canvas: Canvas) -> None:
        for y, texts in (
            (700, ("Budget", "Actuals", "Budget")),
            (688, ("Summer 2017", "Jun 16 - May 17", "Summer 2016")),
        ):
            for x, text in zip((250, 320, 389.5), texts, strict=True):
                canvas.drawString(x, y, text)
        for number, label in enumerate(("Fees", "Lockers", "Alumni", "Other")):
            canvas.drawString(80, 670 - 12 * number, label)
            for right, figure in zip((300, 380, 440), ("270,000.00", "268,075.14", "1,270.00"), strict=True):
                canvas.drawRightString(right, 670 - 12 * number, figure)

    table = table_of(read_pages(paint))
    said = [" ".join(column.path) for column in table.columns]
    assert said == ["Budget Summer 2017", "Actuals Jun 16 - May 17", "Budget Summer 2016"]


@pytest.mark.parametrize("gap", [4, 40])
def test_a_tables_number_and_title_end_the_table_above(gap: int) -> None:
    def paint(canvas: Canvas) -> None:
        for number, top in enumerate((740, 624)):
            canvas.drawString(EDGES[0], top, f"Table {number + 1}.")
            canvas.drawString(EDGES[0] + 36 + gap, top, "Towns and their people")
            for column, part in enumerate(PARTS[: 3 - number], start=1):
                canvas.drawRightString(EDGES[column + 1] - 4, top - 14, part)
            draw_figures(canvas, top - 28, 4 - number)

    first, second = read_pages(paint).grids
    assert (first.n_rows, first.n_columns, second.n_rows, second.n_columns) == (7, 4, 7, 3)
    assert not any("Table" in cell.text for grid in (first, second) for cell in grid.cells)


def test_columns_that_hold_nothing_between_and_behind_others_keep_their_headings() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawString(EDGES[0], 754, "Town")
        for column, name in enumerate(("Least", "Usual", "Most", "Unit"), start=1):
            center(canvas, column, column, 754, name)
        canvas.drawString(EDGES[5] + 30, 754, "Conditions of the test")
        for number, town in enumerate(TOWNS):
            canvas.drawString(EDGES[0], 740 - 14 * number, town)
            for column, text in ((2, f"{4 + number}.{number}"), (3, f"{9 + number}.1"), (4, "mA")):
                center(canvas, column, column, 740 - 14 * number, text)

    table = table_of(read_pages(paint))
    columns = [header.path for header in table.columns]
    assert columns == [("Least",), ("Usual",), ("Most",), ("Unit",), ("Conditions of the test",)]
    assert [cell.text for cell in table.cells if cell.row == table.rows[0].index] == ["4.0", "9.1", "mA"]


def test_a_heading_may_be_longer_than_the_figures_it_begins_with() -> None:
    def paint(canvas: Canvas) -> None:
        for x, text in ((EDGES[0], "Fee item"), (EDGES[2], "Amount in shillings (Ksh.)")):
            canvas.drawString(x, 754, text)
        for number, fee in enumerate(("Admission and registration", "Tuition", "Library", "Medical fee")):
            canvas.drawString(EDGES[0], 738 - 16 * number, fee)
            canvas.drawString(EDGES[2], 738 - 16 * number, f"{900 * (number + 1):,}")

    assert columns_of(read_pages(paint)) == [("Amount in shillings (Ksh.)",)]


STATEMENT = (
    ("Real estate taxes", "$18,969,610", "$18,157,722", "$17,086,484"),
    ("Sales taxes", "7,032,259", "6,512,107", "6,190,215"),
    ("Other taxes", "2,656,383", "2,385,674", "2,201,835"),
)


def draw_statement(canvas: Canvas, top: float) -> None:
    """Labels with dots up to the first figures, below years in the same type."""
    for column, year in enumerate(("2013", "2012", "2011"), start=2):
        canvas.drawRightString(EDGES[column + 1], top, year)
    for number, (label, *figures) in enumerate(STATEMENT, start=1):
        y = top - 16 - 12 * number
        left = EDGES[3] - canvas.stringWidth(figures[0]) - 5
        dots = "." * int((left - EDGES[0] - canvas.stringWidth(label)) / canvas.stringWidth("."))
        canvas.drawString(EDGES[0], y, label + dots)
        for column, figure in enumerate(figures, start=2):
            canvas.drawRightString(EDGES[column + 1], y, figure)


def test_dots_that_reach_up_to_a_figure_leave_it_a_column_of_its_own() -> None:
    table = table_of(read_pages(lambda canvas: draw_statement(canvas, 700)))
    assert [header.path for header in table.columns] == [("2013",), ("2012",), ("2011",)]
    assert [row.path for row in table.rows] == [(label,) for label, *_ in STATEMENT]


def test_a_line_in_larger_type_above_the_years_is_a_title() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 13)
        canvas.drawString(EDGES[2], 718, "Changes in Fund Balances and Ten Year Trend")
        canvas.setFont("Helvetica", 9)
        draw_statement(canvas, 700)

    assert columns_of(read_pages(paint)) == [("2013",), ("2012",), ("2011",)]


SCHEDULE = (
    (0, "Revenues", ()),
    (8, "Property taxes", ("725,469", "726,624")),
    (8, "Other taxes", ("20,000", "52,381")),
    (0, "", ()),
    (0, "Expenditures", ()),
    (8, "Current", ()),
    (16, "General government", ()),
    (24, "Administration", ()),
    (32, "Salaries and benefits", ("340,440", "341,636")),
    (32, "Professional services", ("92,300", "68,040")),
    (0, "", ()),
    (40, "Total administration", ("432,740", "409,676")),
    (0, "", ()),
    (24, "Assessor", ()),
    (32, "Salaries and benefits", ("218,600", "136,743")),
    (32, "Supplies", ("3,000", "3,267")),
    (0, "", ()),
    (40, "Total assessor", ("221,600", "140,010")),
    (0, "", ()),
    (24, "Restricted for", ()),
    (32, "Road and bridge", ("10,000", "9,000")),
    (32, "Contingencies", ("35,000", "1,000")),
)


def test_labels_one_under_the_other_head_the_rows_of_a_schedule() -> None:
    def paint(canvas: Canvas) -> None:
        for column, name in enumerate(("Budget", "Actual"), start=4):
            canvas.drawRightString(EDGES[column], 712, name)
        for number, (indent, label, figures) in enumerate(SCHEDULE):
            canvas.drawString(EDGES[0] + indent, 690 - 12 * number, label)
            for column, figure in enumerate(figures, start=4):
                canvas.drawRightString(EDGES[column], 690 - 12 * number, figure)

    current = ("Expenditures", "Current", "General government")
    paths = [row.path for row in table_of(read_pages(paint)).rows]
    assert (*current, "Administration", "Salaries and benefits") in paths
    assert (*current, "Assessor", "Salaries and benefits") in paths
    assert (*current, "Restricted for", "Contingencies") in paths


def test_a_heading_in_larger_type_parts_the_tables_of_a_form() -> None:
    """Tables of other columns right below each other, as order forms have them."""
    summary = (("Screen", "Net amount", "Gross"), ("North", "$90", "$120"), ("South", "$20", "$30"))
    totals = (("Month", "Shows", "Share", "Amount"), ("May", "60", "20%", "$150"), ("June", "61", "30%", "$160"))
    blocks = (("Summary", (50, 140, 240), summary), ("Totals", (50, 110, 190, 300), totals))

    def paint(canvas: Canvas) -> None:
        for number, (title, lefts, rows) in enumerate(blocks):
            top = 700 - 58 * number
            canvas.setFont("Helvetica-Bold", 11)
            canvas.drawString(50, top, title)
            canvas.setFont("Helvetica", 9)
            for line, texts in enumerate(rows, start=1):
                for left, text in zip(lefts, texts, strict=True):
                    canvas.drawString(left, top - 3 - 12 * line, text)

    grids = read_pages(paint).grids
    assert [[cell.text for cell in grid.cells] for grid in grids] == [
        [text for row in rows for text in row] for *_, rows in blocks
    ]
