"""The PDF reader on real PDFs built by script: reading order, headings, tables, damage, bombs."""

from __future__ import annotations

import io
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import hostile_pdf
import pytest
from pdf_reading import outcomes_of
from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers import tesseract
from mixrag_cli.readers.pdf.fallback import read_pdf_fallback
from mixrag_cli.readers.pdf.layout import count_words, is_number, join_lines
from mixrag_cli.readers.pdf.reader import read_pdf
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document, Grid
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.words import words_of

REPORTS = Path(__file__).parents[2] / "shared" / "data" / "collection" / "files" / "reports"
PROSE = (
    "The committee reviewed the plan for the coming year and found that most of the goals had been met. "
    "It asked the board to report on the remaining ones before the end of the season, with a note on cost. "
    "Members agreed that the work had been done with care, and thanked all who had taken part in it. "
)


def read(raw: bytes, name: str = "test.pdf") -> Document:
    return read_pdf(ReadSource(name, len(raw), io.BytesIO(raw)))


def failure_of(raw: bytes) -> FileUnreadable:
    with pytest.raises(FileUnreadable) as caught:
        read(raw)
    return caught.value


def matrix(grid: Grid) -> list[list[str]]:
    rows = [[""] * grid.n_columns for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row][cell.column] = cell.text
    return rows


def spans(grid: Grid) -> dict[str, tuple[int, int]]:
    return {cell.text: (cell.row_span, cell.column_span) for cell in grid.cells if cell.row_span * cell.column_span > 1}


def write_prose(page: Canvas, x: float, y: float, width: int, repeat: int = 3, leading: float = 12) -> float:
    """Write lines of about width characters; returns the y below the last one."""
    page.setFont("Helvetica", 9)
    words, line = (PROSE * repeat).split(), ""
    for word in words:
        if len(line) + len(word) > width:
            page.drawString(x, y, line.strip())
            line, y = "", y - leading
        line += word + " "
    page.drawString(x, y, line.strip())
    return y - leading


# --- text ------------------------------------------------------------------------------------------------------


def test_every_block_has_its_page_its_box_and_its_characters() -> None:
    document = read(
        hostile_pdf.canvas_pdf(
            lambda page: page.drawString(72, 700, "First page text."),
            lambda page: page.drawString(100, 600, "Second page text."),
            title="First Page Text",
        )
    )
    first, second = document.blocks
    assert (document.title, document.modality) == ("First Page Text", "pdf")
    assert (first.locator.page, second.locator.page) == (1, 2)
    start, end = second.locator.chars
    assert document.text[start:end] == second.text == "Second page text."
    assert second.locator.bbox is not None
    assert second.locator.bbox[0] == pytest.approx(100, abs=1)
    assert second.locator.bbox[3] == pytest.approx(792 - 600, abs=4)


def test_two_columns_are_read_one_after_the_other() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica-Bold", 16)
        page.drawString(72, 740, "A title over both of the columns")
        left = write_prose(page, 60, 700, 44)
        page.drawString(60, left, "Left column ends.")
        write_prose(page, 330, 700, 44)
        page.drawString(330, left, "Right column ends.")

    text = read(hostile_pdf.canvas_pdf(paint)).text
    assert text.index("A title over") < text.index("The committee") < text.index("Left column ends.")
    assert text.index("Left column ends.") < text.rindex("thanked all who") < text.index("Right column ends.")
    assert read(hostile_pdf.canvas_pdf(paint)).grids == ()


def test_three_columns_are_read_one_after_the_other() -> None:
    def paint(page: Canvas) -> None:
        for number, x in enumerate((50, 226, 402)):
            left = write_prose(page, x, 740, 30)
            page.drawString(x, left, f"Column {number} ends.")

    document = read(hostile_pdf.canvas_pdf(paint))
    text = " ".join(document.text.split())
    assert text == " ".join(f"{PROSE * 3}Column {number} ends." for number in range(3))
    assert document.grids == ()


def test_running_headers_footers_and_page_numbers_are_dropped() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica", 8)
        page.drawString(72, 770, "Annual report of the society")
        write_prose(page, 72, 740, 90)
        page.drawString(72, 500, f"Own words of page {'abcde'[page.getPageNumber() - 1]} and no other.")
        page.drawString(300, 30, f"Page {page.getPageNumber()} of 5")

    document = read(hostile_pdf.canvas_pdf(*[paint] * 5))
    assert document.text.count("Annual report of the society") == 1  # where it stands first
    assert "of 5" not in document.text
    assert [block.locator.page for block in document.blocks if "Own words" in block.text] == [1, 2, 3, 4, 5]


def test_headings_by_size_and_weight_give_the_heading_path() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica-Bold", 18)
        page.drawString(72, 740, "Handbook")
        page.setFont("Helvetica-Bold", 13)
        page.drawString(72, 700, "Travel")
        y = write_prose(page, 72, 680, 90)
        page.setFont("Helvetica-Bold", 9)
        page.drawString(72, y - 10, "Trains")
        write_prose(page, 72, y - 30, 90)

    document = read(hostile_pdf.canvas_pdf(paint))
    assert [(block.text, block.level) for block in document.blocks if block.kind == "heading"] == [
        ("Handbook", 1),
        ("Travel", 2),
        ("Trains", 3),
    ]
    assert document.blocks[-1].heading_path == ("Handbook", "Travel", "Trains")


def test_hyphenation_is_mended_by_the_documents_own_words() -> None:
    known = count_words(["an international treaty", "a long-term plan"])
    assert join_lines(["an inter-", "national treaty"], known) == "an international treaty"
    assert join_lines(["a long-", "term plan"], known) == "a long-term plan"
    assert join_lines(["Year-", "over-year growth"], known) == "Year-over-year growth"
    assert join_lines(["from Smith-", "Jones"], known) == "from Smith-Jones"


def test_a_turned_page_is_read_as_it_is_shown() -> None:
    def paint(page: Canvas) -> None:
        page.setPageRotation(90)
        page.rotate(90)
        page.drawString(100, -100, "Turned words stand upright")

    document = read(hostile_pdf.canvas_pdf(paint))
    assert document.text == "Turned words stand upright"
    assert document.blocks[0].locator.bbox is not None
    assert document.blocks[0].locator.bbox[0] == pytest.approx(100, abs=2)


# --- tables ----------------------------------------------------------------------------------------------------

STATEMENT = (
    ("Net sales:", 0, ()),
    ("Products", 10, ("60,584", "63,355", "(4)")),
    ("Services", 10, ("21,213", "19,604", "8")),
    ("Total net sales", 20, ("81,797", "82,959", "(1)")),
    ("Cost of sales", 0, ("45,384", "47,074", "—")),
)


def paint_statement(page: Canvas, top: float = 640) -> None:
    """A borderless statement as filings print it: spanning header, "$" and "%" apart from their figures."""
    page.setFont("Helvetica-Bold", 8)
    page.drawCentredString(395, top + 40, "Three Months Ended")
    page.line(330, top + 37, 460, top + 37)
    for x, (upper, lower) in ((395, ("July 1,", "2023")), (460, ("June 25,", "2022"))):
        page.drawCentredString(x - 30, top + 28, upper)
        page.drawCentredString(x - 30, top + 20, lower)
    page.drawCentredString(520, top + 20, "Change")
    page.setFont("Helvetica", 8)
    for number, (label, indent, figures) in enumerate(STATEMENT):
        y = top - 14 * number
        page.drawString(72 + indent, y, label)
        for column, figure in enumerate(figures):
            right = (395, 460, 530)[column]
            if column < 2 and number in (1, 3):
                page.drawString(right - 63, y, "$")
            page.drawRightString(right, y, figure)
            if column == 2:
                page.drawString(right + (1 if figure.endswith(")") else 3), y, "%")


def test_a_borderless_statement_becomes_a_grid_with_spans_and_indents() -> None:
    def paint(page: Canvas) -> None:
        write_prose(page, 72, 760, 100, repeat=1)
        page.drawString(72, 705, "The following table shows net sales by category (dollars in millions):")
        paint_statement(page)
        write_prose(page, 72, 540, 100)

    document = read(hostile_pdf.canvas_pdf(paint))
    (grid,) = document.grids
    assert matrix(grid) == [
        ["", "Three Months Ended", "", "Change"],
        ["", "July 1, 2023", "June 25, 2022", ""],
        ["Net sales:", "", "", ""],
        ["Products", "$60,584", "$63,355", "(4)%"],
        ["Services", "21,213", "19,604", "8%"],
        ["Total net sales", "$81,797", "$82,959", "(1)%"],
        ["Cost of sales", "45,384", "47,074", "—%"],
    ]
    assert spans(grid) == {"Three Months Ended": (1, 2), "Change": (2, 1)}
    assert [cell.indent for cell in grid.cells if cell.column == 0] == [0, 1, 1, 2, 0]
    assert {cell.text for cell in grid.cells if cell.is_header and cell.bold} >= {"Three Months Ended", "Change"}
    assert grid.caption == "The following table shows net sales by category (dollars in millions):"
    assert all(cell.bbox is not None for cell in grid.cells)
    block = next(block for block in document.blocks if block.kind == "table")
    assert block.grid == 0
    assert "Products | $60,584 | $63,355 | (4)%" in block.text
    assert [block.kind for block in document.blocks] == ["paragraph", "paragraph", "table", "paragraph"]


def test_both_engines_read_the_same_table() -> None:
    raw = hostile_pdf.canvas_pdf(paint_statement)
    slow = read_pdf_fallback(ReadSource("test.pdf", len(raw), io.BytesIO(raw)))
    assert matrix(slow.grids[0]) == matrix(read(raw).grids[0])
    assert slow.warnings == ("read with the fallback engine (pdfplumber)",)


def test_a_label_that_wraps_is_one_row_with_its_figures() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica", 8)
        y = 700.0
        for lines, figures in (
            (("Corporate bonds",), ("10", "20")),
            (("Debt securities issued by the U.S.", "Treasury"), ("30", "40")),
            (("Other",), ("50", "60")),
        ):
            for line in lines:
                page.drawString(72, y, line)
                y -= 9
            for right, figure in zip((300, 380), figures, strict=True):
                page.drawRightString(right, y + 9, figure)
            y -= 6

    (grid,) = read(hostile_pdf.canvas_pdf(paint)).grids
    assert matrix(grid)[1] == ["Debt securities issued by the U.S. Treasury", "30", "40"]
    assert grid.n_rows == 3


def test_a_second_header_begins_a_second_table() -> None:
    def paint(page: Canvas) -> None:
        for top, years in ((700, ("2023", "2022")), (600, ("2021", "2020"))):
            page.setFont("Helvetica-Bold", 8)
            for right, year in zip((300, 380), years, strict=True):
                page.drawRightString(right, top, year)
            page.setFont("Helvetica", 8)
            for number, label in enumerate(("North", "South", "West")):
                page.drawString(72, top - 14 * (number + 1), label)
                page.drawRightString(300, top - 14 * (number + 1), f"1,0{number}0")
                page.drawRightString(380, top - 14 * (number + 1), f"2,0{number}0")

    grids = read(hostile_pdf.canvas_pdf(paint)).grids
    assert [matrix(grid)[0] for grid in grids] == [["", "2023", "2022"], ["", "2021", "2020"]]


def test_a_ruled_table_keeps_its_merged_cells() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica", 9)
        for x in (72, 172, 352):
            page.line(x, 700, x, 640)
        page.line(262, 680, 262, 640)
        for y in (700, 640):
            page.line(72, y, 352, y)
        page.line(172, 680, 352, 680)
        page.line(72, 660, 352, 660)
        page.drawString(80, 675, "Region")
        page.drawString(240, 687, "Harvest")
        for x, texts in ((180, ("Wheat", "12")), (270, ("Rye", "34"))):
            page.drawString(x, 667, texts[0])
            page.drawString(x, 647, texts[1])
        page.drawString(80, 647, "North")

    (grid,) = read(hostile_pdf.canvas_pdf(paint)).grids
    assert matrix(grid) == [["Region", "Harvest", ""], ["", "Wheat", "Rye"], ["North", "12", "34"]]
    assert spans(grid) == {"Region": (2, 1), "Harvest": (1, 2)}


def test_prose_lists_and_contents_are_no_tables() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica", 9)
        for number, (title, at) in enumerate((("Introduction", 1), ("Methods", 4), ("Results", 9), ("Outlook", 12))):
            page.drawString(72, 740 - 14 * number, title)
            page.drawRightString(500, 740 - 14 * number, str(at))
        for number, text in enumerate(("Bring 2 copies of the form", "Wait for 30 minutes", "Pay 12 euros")):
            page.drawString(72, 640 - 14 * number, "•")
            page.drawString(100, 640 - 14 * number, text)
        write_prose(page, 72, 560, 100)

    document = read(hostile_pdf.canvas_pdf(paint, *[lambda page: None] * 11))  # the pages that the contents tell
    assert document.grids == ()
    assert "• Wait for 30 minutes" in document.text


PAIRS = {
    "figures that rise": ([("Staff", "12"), ("Rent", "31"), ("Travel", "88"), ("Books", "112")], False),
    "by year": ([("2020", "12"), ("2021", "14"), ("2022", "17"), ("2023", "19")], False),
    "two on one edge": ([("Staff", "1,204"), ("Rent", "310")], True),
    "with units": ([("Length", "12.5 m"), ("Weight", "120 kg"), ("Power", "7.5 kW"), ("Speed", "25 km/h")], True),
    "a text last": ([("Founded", "1984"), ("Seat", "Berlin"), ("Members", "240"), ("Chair", "A. Stone")], True),
}


@pytest.mark.parametrize(("pairs", "is_left"), PAIRS.values(), ids=PAIRS)
def test_labels_and_values_in_two_columns_are_a_table(pairs: list[tuple[str, str]], is_left: bool) -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica", 9)
        write_prose(page, 72, 560, 100)
        for number, (label, value) in enumerate(pairs):
            page.drawString(72, 740 - 14 * number, label)
            (page.drawString if is_left else page.drawRightString)(300, 740 - 14 * number, value)

    (grid,) = read(hostile_pdf.canvas_pdf(paint)).grids
    assert matrix(grid) == [list(pair) for pair in pairs]


def test_the_marks_along_a_charts_axes_are_no_table() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica", 8)
        for number in range(8):
            page.drawRightString(90, 700 - 20 * number, str(70 - 10 * number))
            page.drawRightString(340, 700 - 20 * number, str(700 - 100 * number))

    assert read(hostile_pdf.canvas_pdf(paint)).grids == ()


def paint_chart(page: Canvas, left: float, top: float, *, lines: bool) -> None:
    """A bar chart of five marks and three bars: with lines across at its marks, or with an axis and ticks."""
    page.setFont("Helvetica", 7)
    for number in range(5):
        y = top - 20 * number
        page.drawRightString(left, y - 2.5, f"{2 - 0.5 * number:.1f}")
        page.line(left + 6, y, left + (150 if lines else 11), y)
    if not lines:
        page.line(left + 8, top, left + 8, top - 80)
    for number, name in enumerate(("North", "South", "East")):
        page.rect(left + 30 + 40 * number, top - 80, 15, 30 + 10 * number, stroke=0, fill=1)
        page.drawCentredString(left + 37 + 40 * number, top - 92, name)
        page.drawCentredString(left + 37 + 40 * number, top - 101, str(2020 + number))


@pytest.mark.parametrize("lines", [True, False])
def test_a_chart_beside_a_table_is_text_of_its_own(lines: bool) -> None:
    def paint(page: Canvas) -> None:
        paint_chart(page, 350, 695, lines=lines)
        page.setFont("Helvetica", 9)
        for number, name in enumerate(("Barley", "Oats", "Rye", "Wheat", "Maize", "Millet", "Spelt")):
            page.drawString(72, 700 - 14 * number, name)
            page.drawRightString(200, 700 - 14 * number, f"{1.25 + number:.2f} - {1.5 + number:.2f}")
            page.drawRightString(290, 700 - 14 * number, f"{3.25 * number + 1:.2f}")

    document = read(hostile_pdf.canvas_pdf(paint))
    (grid,) = document.grids
    assert (grid.n_rows, grid.n_columns) == (7, 3)
    assert [cell.text for cell in grid.cells[:3]] == ["Barley", "1.25 - 1.50", "1.00"]
    assert "North South East 2020 2021 2022 2.0 1.5 1.0 0.5 0.0" in document.text


def test_a_ruled_table_of_falling_years_is_no_chart() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica", 9)
        for number in range(7):
            page.line(72, 707 - 14 * number, 300, 707 - 14 * number)
            if number < 6:
                page.drawRightString(100, 697 - 14 * number, str(2024 - number))
                page.drawRightString(290, 697 - 14 * number, f"{3.25 * number + 1:.2f}")
        for x in (72, 110, 300):
            page.line(x, 707, x, 707 - 14 * 6)

    (grid,) = read(hostile_pdf.canvas_pdf(paint)).grids
    assert (grid.n_rows, grid.n_columns) == (6, 2)


def test_header_words_that_stand_close_are_parted_as_the_line_above_them_is() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Helvetica", 6)
        groups = {"Both": 150, "Men": 232, "Women": 314}
        for name, left in groups.items():
            page.drawCentredString(left + (28.3 if name != "Women" else 32), 712, name)
            page.drawRightString(left + 13, 696, "Total")
            for right, upper, lower in ((40, "Under 18", "years"), (68, "18 years", "and over")):
                page.drawRightString(left + right, 703, upper)
                page.drawRightString(left + right, 696, lower)
        page.drawString(40, 703, "Offense")
        for row, label in enumerate(("Theft", "Fraud", "Arson", "Assault")):
            page.drawString(40, 684 - 8 * row, label)
            for number, left in enumerate(groups.values()):
                for place, right in enumerate((13, 40, 68)):
                    page.drawRightString(
                        left + right, 684 - 8 * row, f"{1 + number}{place}{row}.5" if place else "1,100.5"
                    )

    (grid,) = read(hostile_pdf.canvas_pdf(paint)).grids
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    columns = ["Total", "Under 18 years", "18 years and over"]
    assert [column.path for column in table.columns][3:] == [(n, c) for n in ("Men", "Women") for c in columns]


def test_dot_leaders_part_a_label_from_its_figures() -> None:
    def paint(page: Canvas) -> None:
        page.setFont("Courier", 9)
        page.drawString(72, 714, f"{'Region':<22}{'2021':>8}{'2022':>8}")
        page.drawString(72, 707, "-" * 38)
        for number, (label, figures) in enumerate((("North", (800, 880)), ("South", (160, 176)), ("West", (80, 88)))):
            line = f"{label + ' ':.<22}" + "".join(f"{figure:>8}" for figure in figures)
            page.drawString(72, 700 - 12 * number, line)

    (grid,) = read(hostile_pdf.canvas_pdf(paint)).grids
    assert matrix(grid) == [
        ["Region", "2021", "2022"],
        ["North", "800", "880"],
        ["South", "160", "176"],
        ["West", "80", "88"],
    ]


@pytest.mark.parametrize(
    "text", ["1,234", "(265)", "$1.27", "35.4%", "(2)%", "—", "1 234,5", "n/a", "-3.5", "12*", "1.35 - 1.42", "3–5 %"]
)
def test_figures_are_known(text: str) -> None:
    assert is_number(text)


@pytest.mark.parametrize("text", ["July 1,", "29,", "Total", "Level 1", "8-K", "ASC 606", "001-36743", "$", "%"])
def test_texts_are_no_figures(text: str) -> None:
    assert not is_number(text)


# --- real filings ----------------------------------------------------------------------------------------------


def read_report(name: str) -> Document:
    path = REPORTS / name
    if not path.exists():
        pytest.skip("the collection of real filings is not here")
    return read(path.read_bytes(), name)


def test_a_real_income_statement_and_its_neighbours() -> None:
    document = read_report("2023_Q3_AAPL.pdf")
    by_page = {grid.locator.page: grid for grid in document.grids}
    income = matrix(by_page[4])
    assert income[0] == ["", "Three Months Ended", "", "Nine Months Ended", ""]
    assert income[1] == ["", "July 1, 2023", "June 25, 2022", "July 1, 2023", "June 25, 2022"]
    assert ["Products", "$60,584", "$63,355", "$230,901", "$245,241"] in income
    assert ["Other income/(expense), net", "(265)", "(10)", "(594)", "(97)"] in income
    assert by_page[4].n_rows == 26
    category = by_page[19]
    assert spans(category) == {"Three Months Ended": (1, 3), "Nine Months Ended": (1, 3)}
    assert matrix(category)[-1] == ["Total net sales", "$81,797", "$82,959", "(1)%", "$293,787", "$304,182", "(3)%"]
    assert ["Products", "35.4%", "34.5%", "36.5%", "36.8%"] in matrix(by_page[20])
    assert not [grid for grid in document.grids if grid.locator.page in (1, 2, 3)]  # cover and contents


# --- damage and bombs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [b"", b"%PDF-1.7\n", b"These are only words.\n", bytes(100_000), b"%PDF-1.4\n" + bytes(50_000)],
    ids=["empty", "header only", "text", "NUL", "header and NUL"],
)
def test_what_is_no_pdf_is_told(raw: bytes) -> None:
    failure = failure_of(raw)
    assert failure.code == "damaged"
    assert failure.reason.startswith("not a readable PDF (")


@pytest.mark.parametrize(
    "build", ["truncated", "pages_loop", "huge_count", "prev_loop", "no_root", "length_lie", "xref_off"]
)
def test_damaged_structures_are_recovered_or_told(build: str) -> None:
    try:
        document = read(getattr(hostile_pdf, build)())
    except FileUnreadable as failure:
        assert failure.code in ("damaged", "no-text", "needs-ocr")
    else:
        assert document.text == "Hello from page one"


def test_deep_nesting_is_told() -> None:
    assert failure_of(hostile_pdf.deep_array()).code in ("damaged", "no-text", "needs-ocr")


def test_a_password_is_asked_for() -> None:
    failure = failure_of(hostile_pdf.with_password())
    assert (failure.code, failure.reason) == ("password", "needs a password")
    assert failure_of(hostile_pdf.broken_encrypt()).code == "damaged"
    raw = hostile_pdf.with_password()
    with pytest.raises(FileUnreadable, match="needs a password"):
        read_pdf_fallback(ReadSource("test.pdf", len(raw), io.BytesIO(raw)))


@pytest.mark.parametrize("build", [hostile_pdf.flate_bomb, hostile_pdf.nested_flate_bomb])
def test_a_bomb_is_refused_before_an_engine_sees_it(build: type) -> None:
    failure = failure_of(build())
    assert (failure.code, failure.reason) == ("too-large", "text stream larger than 75 MB")


def test_a_tower_of_filters_is_refused() -> None:
    assert failure_of(hostile_pdf.many_filters()).code == "too-large"


def test_a_scan_without_text_is_told() -> None:
    failure = failure_of(hostile_pdf.image_only())
    told = "no text layer (scanned?)"
    needed = ("needs-ocr", f"{told}; needs OCR: apt install tesseract-ocr")
    assert (failure.code, failure.reason) == (("no-text", told) if tesseract.is_installed() else needed)


def test_control_bytes_never_reach_the_text() -> None:
    text = read(hostile_pdf.control_bytes()).text
    assert "before" in text
    assert "end" in text
    assert not [char for char in text if (ord(char) < 32 and char not in "\n\t") or 127 <= ord(char) < 160]


@pytest.mark.parametrize("kind", ["invisible", "white", "tiny", "off-page"])
def test_hidden_text_is_kept_and_flagged(kind: str) -> None:
    document = read(hostile_pdf.hidden_text(kind))
    assert document.warnings == ("page 1: hidden text (invisible, white or tiny)",)
    assert "ignore previous instructions" in document.text


def test_white_text_on_a_dark_field_is_not_hidden() -> None:
    document = read(hostile_pdf.hidden_text("white on black"))
    assert document.warnings == ()
    assert "ordinary heading" in document.text


def test_a_negative_type_size_is_a_size() -> None:
    raw = hostile_pdf.one_page(hostile_pdf.stream(b"BT /F1 -12 Tf -1 0 0 -1 72 700 Tm (Turned twice) Tj ET"))
    assert read(raw).text == "Turned twice"


def test_too_many_lines_switch_tables_off_for_the_page() -> None:
    document = read(hostile_pdf.many_lines(20_500))
    assert document.warnings == ("page 1: too many lines, tables not extracted",)
    assert "Hello from page one" in document.text


def test_too_many_characters_are_cut_and_told() -> None:
    document = read(hostile_pdf.many_characters(210_000))
    assert any("characters; read the first 200,000" in warning for warning in document.warnings)
    assert len(document.text) < 205_000


def test_the_beat_comes_with_every_page() -> None:
    raw = hostile_pdf.canvas_pdf(*[lambda page: page.drawString(72, 700, "text")] * 4)
    heard: list[tuple[int, int]] = []
    read_pdf(ReadSource("test.pdf", len(raw), io.BytesIO(raw), lambda done, total: heard.append((done, total))))
    assert heard == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


# --- in a process of its own -----------------------------------------------------------------------------------


def write_all(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    for name, raw in files.items():
        (folder / name).write_bytes(raw)
    return [folder / name for name in files]


@pytest.mark.slow
def test_files_that_hang_the_engine_are_left_alone_after_a_while(tmp_path: Path) -> None:
    files = {
        "before.pdf": hostile_pdf.hello(),
        "recursion.pdf": hostile_pdf.form_recursion(),
        "tower.pdf": hostile_pdf.form_exponential(),
        "after.pdf": hostile_pdf.hello(),
    }
    outcomes = outcomes_of(write_all(tmp_path, files), silence_s=1.5)
    assert outcomes["before.pdf"] == outcomes["after.pdf"] == "read"
    assert outcomes["recursion.pdf"] in ("silent", "crashed", "no-text", "needs-ocr")
    assert outcomes["tower.pdf"] in ("silent", "crashed", "no-text", "needs-ocr")


def test_damaged_copies_end_in_text_or_a_told_failure(tmp_path: Path) -> None:
    seeds = [
        hostile_pdf.canvas_pdf(paint_statement),
        hostile_pdf.hello(),
        hostile_pdf.form_recursion().replace(b"/X Do /X Do", b"/X Do      "),
        hostile_pdf.image_only(),
        hostile_pdf.with_password(),
    ]
    copies = {f"{number:03}.pdf": raw for number, raw in enumerate(hostile_pdf.mutations(seeds, 100, seed=20231029))}
    outcomes = Counter(outcomes_of(write_all(tmp_path, copies), silence_s=30).values())  # none is silent for 1 s
    assert outcomes.total() == 100
    assert outcomes["read"] > 20
    assert (
        outcomes["crashed"] + outcomes["silent"] <= 3
    )  # the pool replaces such a worker; an exception of ours counts too


# --- many pages -------------------------------------------------------------------------------------------------------

WELL_WORDS = words_of("The wells of upper valleys were dug by hand before any road led from lowland farms to them.")
MAX_KB_A_PAGE = 12
READ_AND_TELL = """
import resource, sys
from tests.painted_pdf import read_raw
document = read_raw(open(sys.argv[1], "rb").read())
print(document.blocks[-1].locator.page, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_of(folder: Path, n_pages: int) -> int:
    """Kilobytes that a process of its own takes at most to read so many pages."""

    def painter(number: int) -> Callable[[Canvas], None]:
        def paint(page: Canvas) -> None:
            for line in range(6):
                text = " ".join(WELL_WORDS[(3 * number + line + step * number) % len(WELL_WORDS)] for step in range(12))
                page.drawString(72, 700 - 100 * line, text)

        return paint

    path = folder / f"{n_pages}.pdf"
    path.write_bytes(hostile_pdf.canvas_pdf(*map(painter, range(n_pages))))
    done = subprocess.run(
        [sys.executable, "-c", READ_AND_TELL, str(path)], cwd=Path(__file__).parents[1], capture_output=True, check=True
    )
    last_page, peak_kb = map(int, done.stdout.split())
    assert last_page == n_pages
    return peak_kb


@pytest.mark.slow
def test_a_page_more_takes_little_more_memory(tmp_path: Path) -> None:
    """What is kept of a page is its text with its places: 8 kB of six lines, whatever the page holds besides."""
    assert (peak_of(tmp_path, 2000) - peak_of(tmp_path, 200)) / 1800 <= MAX_KB_A_PAGE
