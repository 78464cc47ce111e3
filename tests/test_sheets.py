"""Workbooks: tables found, styles kept, hostile files refused."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
import xlwt
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table as OdfTable
from odf.table import TableCell, TableRow
from odf.text import P
from openpyxl.comments import Comment
from openpyxl.styles import Alignment, Font

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.sheets.number_formats import show_number
from mixrag_cli.readers.sheets.reader import read_sheet
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.bounded import patience

CONTENT_TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" '
    'Target="{target}"/></Relationships>'
)
BOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    "<sheetData>{rows}</sheetData></worksheet>"
)


def read(raw: bytes, name: str = "book.xlsx") -> Document:
    return read_sheet(ReadSource(name, len(raw), io.BytesIO(raw)))


def make_book(fill: Callable[[Any], None]) -> bytes:
    book = openpyxl.Workbook()
    fill(book)
    raw = io.BytesIO()
    book.save(raw)
    return raw.getvalue()


def fill_rows(rows: list[list[Any]]) -> Callable[[Any], None]:
    def fill(book: Any) -> None:
        for row in rows:
            book.active.append(row)

    return fill


def make_raw(rows: str, extra: dict[str, str] | None = None) -> bytes:
    """A workbook written by hand, so that it can say what no program would write."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES)
        archive.writestr("_rels/.rels", RELATIONS.format(kind="officeDocument", target="xl/workbook.xml"))
        archive.writestr("xl/workbook.xml", BOOK)
        archive.writestr(
            "xl/_rels/workbook.xml.rels", RELATIONS.format(kind="worksheet", target="worksheets/sheet1.xml")
        )
        archive.writestr("xl/worksheets/sheet1.xml", rows if rows.startswith("<?xml") else SHEET.format(rows=rows))
        for part, text in (extra or {}).items():
            archive.writestr(part, text)
    return raw.getvalue()


def code_of(raw: bytes, name: str = "book.xlsx") -> tuple[str, str]:
    with pytest.raises(FileUnreadable) as caught:
        read(raw, name)
    return caught.value.code, caught.value.reason


def tables_of(document: Document) -> list[Table]:
    found = [grid_to_table(grid, document="d", title=document.title) for grid in document.grids]
    return [table for table in found if table is not None]


def fill_survey(book: Any) -> None:
    sheet = book.active
    sheet.title = "Survey"
    sheet["A1"] = "Table 3: Workers by sex\nSummary of the survey."
    sheet.merge_cells("A1:C1")
    for place, text in {"B3": "Region 1", "B4": "French", "C4": "English", "B5": "percent", "A6": "Sex"}.items():
        sheet[place] = text
    for area in ("B3:C3", "B5:C5", "A3:A5"):
        sheet.merge_cells(area)
    sheet["A6"].font = Font(bold=True)
    for row, (label, french, english) in enumerate([("Female", 35.3, 28.0), ("Male", 64.7, 72.0)], 7):
        sheet.cell(row, 1, label).alignment = Alignment(indent=1)
        sheet.cell(row, 2, french)
        sheet.cell(row, 3, english)
    sheet["A10"] = "Source: a census."


def test_titles_merges_indents_and_notes_become_a_table() -> None:
    document = read(make_book(fill_survey))
    (table,) = tables_of(document)
    assert table.title == "Table 3: Workers by sex"
    assert [column.path for column in table.columns] == [("Region 1", "French"), ("Region 1", "English")]
    assert [row.path for row in table.rows] == [("Sex", "Female"), ("Sex", "Male")]
    assert (table.unit, table.locator.sheet, table.locator.cells) == ("percent", "Survey", "A3:C8")
    female = next(cell for cell in table.cells if cell.address == "B7")
    assert (female.text, female.value, female.unit) == ("35.3", Decimal("35.3"), "%")
    assert table.notes[-1] == "Source: a census."
    kinds = [(block.kind, block.locator.cells) for block in document.blocks]
    assert kinds == [("heading", None), ("paragraph", "A1:C1"), ("table", "A3:C8"), ("paragraph", "A10")]
    assert all(document.text[slice(*block.locator.chars)] == block.text for block in document.blocks)


def test_a_merged_corner_without_text_holds_the_header_rows_together() -> None:
    def fill(book: Any) -> None:
        sheet = book.active
        for row in ([None, "5 km", "10 km"], [None, "f", "f"], ["East", 3, 4], ["West", 5, 6]):
            sheet.append(row)
        sheet.merge_cells("A1:A2")

    (table,) = tables_of(read(make_book(fill)))
    assert [column.path for column in table.columns] == [("5 km", "f"), ("10 km", "f")]
    assert [row.path for row in table.rows] == [("East",), ("West",)]


def test_tables_side_by_side_and_below_each_other_are_kept_apart() -> None:
    def fill(book: Any) -> None:
        sheet = book.active
        for top, left, name in ((3, 2, "a"), (3, 6, "b"), (10, 2, "c")):
            sheet.cell(top - 1, left, f"Table {name}")
            for row in range(4):
                for column in range(3):
                    text = f"{name}{row}" if column == 0 else f"col{column}" if row == 0 else row * column
                    sheet.cell(top + row, left + column, text)

    tables = tables_of(read(make_book(fill)))
    assert [(table.title, table.locator.cells) for table in tables] == [
        ("Table a", "B2:D6"),
        ("Table b", "F2:H6"),
        ("Table c", "B9:D13"),
    ]


@pytest.mark.parametrize(
    "heads", [["Region \\ Age", "0-17", "18-64"], ["Region", "Women", "Men"], ["Region", 2023, 2024]]
)
def test_a_header_below_a_blank_row_begins_another_table(heads: list[Any]) -> None:
    rows = [["Region", 2021, 2022], ["North", 5, 6], ["South", 8, 9], [], heads, ["North", 2, 4], ["South", 3, 1]]
    first, second = tables_of(read(make_book(fill_rows(rows))))
    assert [header.path for header in first.columns] == [("2021",), ("2022",)]
    assert [header.path for header in second.columns] == [(str(head),) for head in heads[1:]]
    assert [cell.text for cell in second.cells if cell.row == second.rows[0].index] == ["2", "4"]


def test_periods_named_once_name_the_columns_of_every_block_below() -> None:
    rows = [["", "Q1", "Q2", 2024], ["Sales", 5, 6, 11], ["Costs", 8, 9, 17], [], ["Gas"], [], []]
    rows += [["Output"], ["", "", "", ""], ["North", 2, 4, 6], ["South", 3, 1, 4]]
    sales, output = tables_of(read(make_book(fill_rows(rows))))
    assert [header.path for header in output.columns] == [header.path for header in sales.columns]
    assert [(cell.address, cell.text) for cell in output.cells][:3] == [("B10", "2"), ("C10", "4"), ("D10", "6")]
    assert output.locator.cells == "A10:D11"


def test_a_section_right_below_headings_is_not_named_in_the_blocks_below() -> None:
    rows = [["County", "Ayes", "Noes"], ["ADA"], ["North", 5, 6], ["South", 8, 9], *[[]] * 6]
    rows += [["State"], ["First", 50, 60], ["Second", 80, 90]]
    _, state = tables_of(read(make_book(fill_rows(rows))))
    assert [header.path for header in state.columns] == [("Ayes",), ("Noes",)]
    assert [header.path for header in state.rows] == [("State", "First"), ("State", "Second")]


def test_a_block_that_opens_with_a_title_and_a_mark_beside_it_is_named_from_above() -> None:
    rows = [["", "", "", "Q1", "Q2", 2024], ["Profit", "", "", 5, 6, 11], ["Loss", "", "", 8, 9, 17], [], [], [], []]
    rows += [
        ["Sales by region", "", "b"],
        ["", "North", "", 2, 4, 6],
        ["", "South", "", 3, 1, 4],
        ["", "West", "", 1, 1, 2],
    ]
    _, sales = tables_of(read(make_book(fill_rows(rows))))
    assert [header.path for header in sales.columns][-3:] == [("Q1",), ("Q2",), ("2024",)]
    assert [cell.text for cell in sales.cells if cell.row == sales.rows[-1].index][-3:] == ["1", "1", "2"]


def test_headings_far_above_labels_in_two_columns_name_the_figures() -> None:
    rows = [["", "", "", "Q1", "Q2", 2024], [], [], ["Profit", "", "", 5, 6, 11], ["", "Hedges", "", 8, 9, 17]]
    (table,) = tables_of(read(make_book(fill_rows([*rows, ["", "Taxes", "", 1, 2, 3]]))))
    assert [header.path for header in table.columns] == [("Q1",), ("Q2",), ("2024",)]
    assert [cell.text for cell in table.cells][:3] == ["5", "6", "11"]


def test_figures_beside_columns_that_nothing_names_get_no_headings_from_above() -> None:
    rows = [["", "Q1", "Q2"], ["Sales", 5, 6], ["Costs", 8, 9], [], [], [], [], []]
    rows += [["Posts", 2, 4, 6], ["Rooms", 3, 1, 4]]
    _, posts = tables_of(read(make_book(fill_rows(rows))))
    assert [header.path for header in posts.columns] == [("column 2",), ("column 3",), ("column 4",)]


def test_a_title_and_its_headings_above_a_blank_row_belong_to_what_follows() -> None:
    rows = [
        ["2", "Purpose of visits by month"],
        [None, None, None, None, None, "thousands"],
        [None, None, "All visits", None, "Purpose"],
        [None, None, None, None, "Holiday", "Business"],
        [],
        [None, None, "NSA", "SA", "NSA", "NSA"],
        ["2012", "Jan", 2245.6, 2660, 708.0, 517.3],
        [None, "Feb", 1736.1, 2470, 538.0, 548.8],
        [None, "Mar", 2267.4, 2670, 845.9, 634.5],
    ]
    (table,) = tables_of(read(make_book(fill_rows(rows))))
    assert table.title == "2 Purpose of visits by month"
    assert [column.path for column in table.columns][-2:] == [
        ("Purpose", "Holiday", "NSA"),
        ("Purpose", "Business", "NSA"),
    ]
    assert [row.path for row in table.rows][:2] == [("2012", "Jan"), ("2012", "Feb")]
    assert table.scale == 1000


def test_marks_for_missing_figures_below_a_blank_row_begin_none() -> None:
    rows = [["Region", "Women", "Men"], ["North", 5, 6], [], ["South", "n/a", "-"], ["West", 3, 1]]
    (table,) = tables_of(read(make_book(fill_rows(rows))))
    assert [header.path for header in table.rows] == [("North",), ("South",), ("West",)]


def test_a_pivot_table_keeps_its_counted_columns_and_both_labels() -> None:
    rows = [
        ["Sum of hours", None, "Week"],
        ["Team", "Person", "1", "2", "Grand Total"],
        ["Red", "Ana", 8, 6, 14],
        [None, "Ben", 5, 7, 12],
        ["Red Total", None, 13, 13, 26],
        ["Grand Total", None, 13, 13, 26],
    ]
    (table,) = tables_of(read(make_book(fill_rows(rows))))
    assert [header.path for header in table.columns] == [("Week", "1"), ("Week", "2"), ("Week", "Grand Total")]
    assert [header.path for header in table.rows] == [("Red", "Ana"), ("Red", "Ben"), ("Red Total",), ("Grand Total",)]
    assert [header.is_total for header in table.rows] == [False, False, True, True]


def test_blank_rows_and_columns_inside_a_table_do_not_cut_it() -> None:
    rows = [["", None, 2019, None, 2018], ["Sales", None, 5, None, 4], [None], ["Costs", None, 3, None, 2]]
    (table,) = tables_of(read(make_book(fill_rows(rows))))
    assert [row.path for row in table.rows] == [("Sales",), ("Costs",)]
    assert [column.path for column in table.columns] == [("2019",), ("2018",)]


def test_a_row_without_figures_does_not_cut_a_table_with_a_blank_row_after_each() -> None:
    rows: list[list[Any]] = [["Year", "Paper", "Web"]]
    for year, paper, web in ((2015, 81, 125), (2016, 92, 131), (2017, None, None), (2018, 88, 140)):
        rows += [[year, paper, web], [None]]
    (table,) = tables_of(read(make_book(fill_rows(rows))))
    assert [row.path for row in table.rows] == [("2015",), ("2016",), ("2017",), ("2018",)]
    assert {cell.row for cell in table.cells} == {header.index for header in table.rows if header.path != ("2017",)}


def test_figures_without_headings_below_blank_rows_belong_to_the_headings_above() -> None:
    rows = [[None, 2014, 2015], ["Direct", 23, 22], ["Share", 0.1, 0.2], [None], [None], ["Wind", 7, 6], ["Sun", 5, 4]]
    (table,) = tables_of(read(make_book(fill_rows(rows))))
    assert [row.path for row in table.rows] == [("Direct",), ("Share",), ("Wind",), ("Sun",)]
    assert [column.path for column in table.columns] == [("2014",), ("2015",)]


@pytest.mark.parametrize(
    ("totals", "place"),
    [
        ([None, None, 65, 25, 90], "A1:E12"),
        ([None, None, 66, 25], "A1:D4"),  # one of two is no majority
        ([None, None, 65.004, 25.001], "A1:D12"),
        ([None, "all", 65, 25], "A1:D12"),
        ([None, None, 65, 26], "A1:D4"),
        ([None, None, 12, 13], "A1:D4"),
    ],
)
def test_the_sums_of_a_table_belong_to_it_across_any_blank_rows(totals: list[Any], place: str) -> None:
    entries = [["Date", "Payee", "Amount", "VAT"], ["1 May", "Cross", 40, 20], ["2 May", "Fleet", 25, 5]]
    document = read(make_book(fill_rows([*entries, ["3 May", "gift", 0], *([[]] * 7), totals])))
    assert document.grids[0].locator.cells == place


def test_headings_above_a_blank_row_name_the_figures_beside_their_labels() -> None:
    rows = [
        [None, "Year", "Year", "Year"],
        [None, "2015", "2016", "2017"],
        [None, "Actual", "Estimated", "Proposed"],
        [None, "Obligations", "Obligations", "Budget"],
        [None],
        ["Museum", None, None, None],
        ["Wages", 25, 26, 27, None, 1],
        ["Rent", 5, 6, 7],
        [None],
        [None],
        ["Library", None, None, None],
        ["Wages", 35, 36, 37],
        ["Rent", 8, 9, 10],
    ]
    (table,) = tables_of(read(make_book(fill_rows(rows))))
    assert [row.path for row in table.rows] == [
        ("Museum", "Wages"),
        ("Museum", "Rent"),
        ("Library", "Wages"),
        ("Library", "Rent"),
    ]
    assert table.columns[2].path == ("Year", "2017", "Proposed", "Budget")


def test_tables_side_by_side_whose_figures_stand_in_other_rows_are_kept_apart() -> None:
    rows = [
        ["INCOME", None, None, "SUMMARY", None, None],
        ["Item", "Amount", None, None, None, None],
        ["Wages", 2500, None, None, None, None],
        ["Rent", 250, None, None, None, None],
        [None, None, None, "All income", "All expenses", "Balance"],
        ["EXPENSES", None, None, 2750, 1150, 1600],
        ["Item", "Amount", None, None, None, None],
        ["Food", 500, None, None, None, None],
        ["Power", 650, None, None, None, None],
    ]
    tables = tables_of(read(make_book(fill_rows(rows))))
    assert [table.locator.cells for table in tables] == ["A1:B4", "D5:F6", "A6:B9"]
    assert [row.path for row in tables[2].rows] == [("Food",), ("Power",)]


def test_numbers_dates_and_errors_are_shown_as_a_person_sees_them() -> None:
    def fill(book: Any) -> None:
        sheet = book.active
        sheet.append(["what", "value", "other"])
        rows = [
            ("percent", 0.353, "0.0%"),
            ("money", -1234.5, '"$"#,##0.00;("$"#,##0.00)'),
            ("day", date(2019, 3, 31), "yyyy-mm-dd"),
            ("long id", "123456789012345678", "@"),
            ("general", 0.1 + 0.2, "General"),
            ("error", "#DIV/0!", "General"),
            ("injected", "@SUM(A1)", "General"),
        ]
        for row, (name, value, code) in enumerate(rows, 2):
            sheet.cell(row, 1, name)
            sheet.cell(row, 2, value).number_format = code
            sheet.cell(row, 3, row)

    (table,) = tables_of(read(make_book(fill)))
    cells = {cell.row: cell for cell in table.cells if cell.column == 1}
    texts = [cells[row].text for row in range(1, 8)]
    assert texts == [
        "35.3%",
        "($1,234.50)",
        "2019-03-31",
        "123456789012345678",
        "0.3",
        "#DIV/0!",
        "@SUM(A1)",
    ]
    assert [cells[row].value for row in (1, 2, 3, 4, 6, 7)] == [
        Decimal("35.3"),
        Decimal("-1234.5"),
        None,
        None,
        None,
        None,
    ]
    assert (cells[1].unit, cells[2].unit) == ("%", "USD")


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        ("1234567", "#,##0", "1,234,567"),
        ("1234567", "#,##0,", "1,235"),
        ("0.5", "0%", "50%"),
        ("2.5", '0.0"x"', "2.5x"),
        ("1234.5", "[$€-407] #,##0.00", "€ 1,234.50"),
        ("-5", "0;[Red](0)", "(5)"),
        ("0", '0;(0);"-"', "-"),
        ("43555", "mmm-yy", "Mar 2019"),
        ("43555.75", "m/d/yy h:mm", "2019-03-31 18:00"),
        ("1", "yyyy-mm-dd", "1900-01-01"),
        ("0.75", "h:mm", "18:00"),
        ("1.5625", "[h]:mm", "37:30"),
        ("0", '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', "$-"),
        ("0", "#,###", "0"),
        ("1.5625", "[h]:mm:ss", "37:30:00"),
        ("-0.1", "[h]:mm", "-2:24"),
        ("0.05", "[mm]:ss", "72:00"),
        ("12345678901", "General", "12345678901"),
        ("99999999999", "yyyy-mm-dd", "99999999999"),
    ],
)
def test_number_formats(number: str, code: str, shown: str) -> None:
    assert show_number(Decimal(number), code)[0] == shown


def test_the_calendar_of_1904_is_known() -> None:
    assert show_number(Decimal(0), "yyyy-mm-dd", is_1904=True)[0] == "1904-01-01"


def test_a_duration_beyond_a_day_is_a_number_of_hours() -> None:
    def fill(book: Any) -> None:
        for row in (["", "Worked"], ["Ana", 1.5625], ["Ben", 0.25]):
            book.active.append(row)
        for place in ("B2", "B3"):
            book.active[place].number_format = "[h]:mm"

    (table,) = tables_of(read(make_book(fill)))
    assert [(cell.text, cell.value, cell.unit) for cell in table.cells] == [
        ("37:30", Decimal("37.5"), "hours"),
        ("6:00", Decimal(6), "hours"),
    ]


def test_lists_in_one_sheet_with_a_blank_row_after_each_are_one_table() -> None:
    heads = ["list", "name", "label", "state", "county"]
    states = [["state", "texas", "Texas"], ["state", "ohio", "Ohio"]]
    counties = [["county", name, name.title(), "ohio"] for name in ("adams", "allen", "clark", "knox")]
    cities = [["city", name, name.title(), "ohio", "adams"] for name in ("peebles", "winchester")]
    found = tables_of(read(make_book(fill_rows([heads, *states, [], *counties, [], *cities]))))
    assert [[column.path for column in table.columns] for table in found] == [[(name,) for name in heads[1:]]]
    assert len(found[0].rows) == 8
    others = [["tool", "size", "colour", "box", "shelf"], ["saw", "long", "red", "a", "b"]]
    assert len(tables_of(read(make_book(fill_rows([heads, *states, [], *counties, [], *others]))))) == 2


def test_formulas_without_values_are_shown_and_never_computed() -> None:
    document = read(make_book(fill_rows([["a", "b", "c"], ["x", "=1+2", 5], ["y", "=A1", 6]])))
    (table,) = tables_of(document)
    assert [(cell.text, cell.value) for cell in table.cells if cell.column == 1] == [("=1+2", None), ("=A1", None)]
    assert document.warnings == (
        "sheet Sheet: 2 formulas have no stored value; open and save the file in a spreadsheet program",
    )


def test_a_formula_that_gave_no_text_has_its_value() -> None:
    cells = '<c r="{}1" t="{}"><f>{}</f>{}</c>'.format
    row = "".join((cells("A", "str", "IF(1,&quot;&quot;)", "<v></v>"), cells("B", "n", "1+2", "<v>3</v>")))
    document = read(make_raw(f"<row r='1'>{row}{cells('C', 'n', '', '')}</row>"))
    assert document.text == "S\n\n3"
    assert document.warnings == (
        "sheet S: 1 formula has no stored value; open and save the file in a spreadsheet program",
    )


def test_hidden_sheets_and_rows_are_indexed_and_told() -> None:
    def fill(book: Any) -> None:
        book.active.append(["a", "b"])
        book.active.append(["x", 1])
        book.active.row_dimensions[2].hidden = True
        secret = book.create_sheet("Secret")
        secret.append(["k", "v"])
        secret.append(["z", 2])
        secret.sheet_state = "hidden"
        book.create_chartsheet("Chart")

    document = read(make_book(fill))
    assert len(document.grids) == 2
    assert document.warnings == ("sheet Sheet: hidden rows: 2", "sheet Secret: hidden sheet")


def test_comments_and_the_rests_of_long_texts_stand_at_their_cells() -> None:
    long = "The boiler was seen to. " * 500 + "It leaks at the third valve."

    def fill(book: Any) -> None:
        fill_rows([["item", "2030", "note"], ["Tax", -2870, "short"], ["Heat", 12, long]])(book)
        book.active["B2"].comment = Comment("Holds a settlement of 212.", "the treasurer")

    document = read(make_book(fill))
    rest, comment = document.blocks[-2:]
    assert rest.text.endswith("It leaks at the third valve.")
    assert (rest.locator.cells, comment.locator.cells) == ("C3", "B2")
    assert comment.text == "Comment on B2 (-2870): Holds a settlement of 212."


def test_a_comment_in_an_open_document_sheet_is_read() -> None:
    content = "<office:annotation><dc:creator>Ann</dc:creator><text:p>Holds a settlement.</text:p></office:annotation>"
    with zipfile.ZipFile(io.BytesIO(make_ods())) as before:
        parts = {name: before.read(name) for name in before.namelist()}
    cell = b'office:value="1.5"'
    start = parts["content.xml"].index(b">", parts["content.xml"].index(cell)) + 1
    head, tail = parts["content.xml"][:start], parts["content.xml"][start:]
    parts["content.xml"] = head + content.encode() + tail
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as after:
        for name, part in parts.items():
            after.writestr(name, part)
    document = read(made.getvalue(), "open.ods")
    assert document.blocks[-1].text == "Comment on B2 (1.5): Holds a settlement."
    assert document.blocks[-1].locator.cells == "B2"


def test_three_hundred_sheets() -> None:
    def fill(book: Any) -> None:
        for i in range(300):
            sheet = book.create_sheet(f"S{i}")
            sheet.append(["a", "b"])
            sheet.append([f"x{i}", i])

    assert len(read(make_book(fill)).grids) == 300


def test_two_cells_in_opposite_corners_of_the_grid() -> None:
    raw = make_raw('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>')
    with patience():
        document = read(raw)
    assert sorted(cell.address or "" for grid in document.grids for cell in grid.cells) == ["A1", "XFD1048576"]


def test_cells_outside_the_grid_are_ignored_and_told() -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c><c r="XFE1"><v>2</v></c></row>'
    rows += '<row r="16777217"><c r="A16777217"><v>3</v></c></row>'
    document = read(make_raw(rows))
    assert document.text.splitlines()[-1] == "1"
    assert document.warnings == ("sheet S: 2 cells outside the sheet's grid were ignored",)


@pytest.mark.slow
@pytest.mark.parametrize("n_columns", [10_000, 16_384])
def test_very_wide_sheets_become_groups_of_columns(n_columns: int) -> None:
    header = "".join(f'<c t="str"><v>c{i}</v></c>' for i in range(n_columns))
    values = '<c t="str"><v>key</v></c>' + "".join(f"<c><v>{i}</v></c>" for i in range(1, n_columns))
    document = read(make_raw(f"<row>{header}</row><row>{values}</row>"))
    assert all(grid.n_columns <= 128 for grid in document.grids)
    tables = tables_of(document)
    assert sum(len(table.columns) for table in tables) == n_columns - 1
    assert tables[-1].columns[-1].path == (f"c{n_columns - 1}",)


def test_a_long_sheet_is_sampled_with_profiles() -> None:
    rows = "".join(f'<row r="{i + 2}"><c t="str"><v>n{i}</v></c><c><v>{i}</v></c></row>' for i in range(20_000))
    document = read(make_raw(f'<row r="1"><c t="str"><v>name</v></c><c t="str"><v>amount</v></c></row>{rows}'))
    grid = document.grids[0]
    assert (grid.total_rows, grid.profiles[1].numbers, grid.profiles[1].total) == (20_001, 20_000, Decimal(199_990_000))
    assert grid.n_rows < 2_000


@pytest.mark.slow
def test_a_bomb_is_refused_before_it_unfolds() -> None:
    raw = io.BytesIO()
    with (
        zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w") as part,
    ):
        for _ in range(300):
            part.write(b" " * 1_000_000)
    assert code_of(raw.getvalue()) == ("too-large", "expands to 300 MB (limit 256 MB per entry)")


@pytest.mark.slow
def test_a_bomb_that_lies_about_its_size_is_stopped_while_it_unfolds() -> None:
    raw = bytearray(make_raw(SHEET.format(rows="<!--" + " " * 120_000_000 + "-->")))
    true_size, lie = struct.pack("<I", len(SHEET.format(rows="")) * 2 + 120_000_007), struct.pack("<I", 1_000)
    sizes = [info.file_size for info in zipfile.ZipFile(io.BytesIO(raw)).infolist()]
    true_size = struct.pack("<I", max(sizes))
    assert raw.count(true_size) == 2  # local header and directory
    code, _ = code_of(bytes(raw.replace(true_size, lie)))
    assert code in ("too-large", "damaged")


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
        '<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;',
    ],
)
@pytest.mark.parametrize("part", ["xl/sharedStrings.xml", "xl/styles.xml", "xl/worksheets/sheet1.xml"])
def test_entities_are_refused_wherever_they_stand(declaration: str, part: str) -> None:
    text = f'<?xml version="1.0"?><!DOCTYPE sst [{declaration}]><sst><si><t>&b;&a;</t></si></sst>'
    raw = make_raw(text) if part.endswith("sheet1.xml") else make_raw("<row/>", {part: text})
    assert code_of(raw) == ("forbidden", "forbidden XML entity declaration")


def test_what_is_no_workbook_is_told() -> None:
    good = make_book(fill_rows([["a", "b"], ["x", 1]]))
    assert code_of(b"hello, world")[0] == "damaged"
    assert code_of(good[: len(good) * 2 // 3])[0] == "damaged"
    assert code_of(b"PK\x03\x04" + bytes(100))[0] == "damaged"
    assert code_of(make_raw("<row><c><v>1</v></c></row>").replace(b"workbook.xml", b"workbuuk.xml"))[0] == "damaged"
    assert code_of(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000))[0] == "damaged"
    assert (
        code_of(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(900) + "EncryptedPackage".encode("utf-16-le"))[0]
        == "password"
    )


def test_broken_xml_is_told() -> None:
    assert code_of(make_raw("<row><c><v>1</v></c>"))[0] == "damaged"
    assert code_of(make_raw("<a>" * 300 + "</a>" * 300))[0] == "forbidden"


def test_names_that_climb_out_and_duplicates_do_no_harm() -> None:
    raw = io.BytesIO(make_raw('<row><c t="str"><v>kept</v></c></row>'))
    with zipfile.ZipFile(raw, "a") as archive:
        archive.writestr("../../escaped.xml", "<x/>")
        archive.writestr("/etc/escaped.xml", "<x/>")
    assert "kept" in read(raw.getvalue()).text


def test_too_many_entries() -> None:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for i in range(10_001):
            archive.writestr(f"p{i}", b"")
    assert code_of(raw.getvalue())[0] == "too-large"


def test_an_empty_file_and_an_empty_workbook_have_no_blocks() -> None:
    assert read(b"").blocks == ()
    assert read(make_book(lambda book: None)).blocks == ()


def test_old_binary_workbooks() -> None:
    book = xlwt.Workbook()
    sheet = book.add_sheet("Old")
    sheet.write_merge(2, 2, 2, 3, "Years")
    for row, cells in enumerate([("", 2019, 2018), ("Sales", 1.5, 2.5), ("Costs", 3, -4)], 3):
        for column, text in enumerate(cells, 1):
            sheet.write(row, column, text)
    raw = io.BytesIO()
    book.save(raw)
    (table,) = tables_of(read(raw.getvalue(), "old.xls"))
    assert [column.path for column in table.columns] == [("Years", "2019"), ("Years", "2018")]
    assert [(cell.value, cell.address) for cell in table.cells if cell.row == 3] == [
        (Decimal(3), "C6"),
        (Decimal(-4), "D6"),
    ]


def make_ods(repeat_rows: int = 1) -> bytes:
    document = OpenDocumentSpreadsheet()
    table = OdfTable(name="Open")
    for texts in (["", "2019"], ["Sales", "1.5"], ["Share", "0.353"]):
        row = TableRow(numberrowsrepeated=repeat_rows) if texts[0] == "Share" and repeat_rows > 1 else TableRow()
        for text in texts:
            is_number = text.replace(".", "").isdigit()
            kind = "percentage" if text == "0.353" else "float"
            cell = TableCell(valuetype=kind, value=text) if is_number else TableCell()
            if text:
                cell.addElement(P(text="35.3 %" if text == "0.353" else text))
            row.addElement(cell)
        table.addElement(row)
    document.spreadsheet.addElement(table)
    raw = io.BytesIO()
    document.write(raw)
    return raw.getvalue()


def test_open_document_sheets() -> None:
    (table,) = tables_of(read(make_ods(), "open.ods"))
    assert [(cell.text, cell.value, cell.unit) for cell in table.cells] == [
        ("1.5", Decimal("1.5"), ""),
        ("35.3 %", Decimal("35.3"), "%"),
    ]


def text_cell(text: str) -> TableCell:
    cell = TableCell()
    cell.addElement(P(text=text))
    return cell


def test_a_formula_of_an_open_document_that_gave_a_blank_line_says_nothing() -> None:
    document = OpenDocumentSpreadsheet()
    table = OdfTable(name="Open")
    blank, unknown = TableCell(formula='of:=IF([.B1]="";"";1)'), TableCell(formula="of:=[.B1]+1")
    blank.addElement(P(text=""))
    for cells in ([TableCell(), text_cell("2019")], [text_cell("Sales"), blank], [text_cell("Costs"), unknown]):
        row = TableRow()
        for cell in cells:
            row.addElement(cell)
        table.addElement(row)
    document.spreadsheet.addElement(table)
    raw = io.BytesIO()
    document.write(raw)
    read_again = read(raw.getvalue(), "open.ods")
    assert "IF" not in read_again.text
    assert "=[.B1]+1" in read_again.text
    assert read_again.warnings[0].startswith("sheet Open: 1 formula has no stored value")


def test_a_row_repeated_a_billion_times_is_capped() -> None:
    with patience():
        document = read(make_ods(10**9), "open.ods")
    assert "is repeated 1,000,000,000 times" in document.warnings[0]
