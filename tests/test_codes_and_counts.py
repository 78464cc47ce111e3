"""Codes that look like figures, counts that look like years, and rows that go on with the row above."""

from __future__ import annotations

import io

import pytest

from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.sheets.saved_text import read_saved_text
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.tables.grid import grid_to_table
from tests.table_samples import lefts, to_table, tops

FRAME = [
    (0, "code", "council"),
    (1, "E50", "Enfield"),
    (2, "E03", "Reading"),
    (3, "E19", "Southwark"),
    (4, "E7", "Bath"),
]
WARDS = ["1A", "1B", "1C", "2A", "2B", "3M"]


def test_digits_and_a_letter_among_other_letters_are_codes() -> None:
    across = to_table([["Governor", *WARDS], ["Blank votes", *"231442"], ["Doe and Roe", *"987656"]])
    assert tops(across) == [(ward,) for ward in WARDS]
    down = to_table([["Precinct", "Voters"], *([ward, f"{n}15"] for n, ward in enumerate(WARDS, 2))])
    assert lefts(down) == [(ward,) for ward in WARDS]
    rows = [[name, ward, "7"] for name, ward in zip("uvwxyz", WARDS, strict=True)]
    kinds = to_table([["Name", "Ward", "Votes"], *rows])
    assert [cell.value for cell in kinds.cells if cell.text in WARDS] == [None] * len(WARDS)


def test_digits_and_a_scale_alone_stay_figures() -> None:
    table = to_table([["Firm", "Sales"], ["Roe", "1B"], ["Doe", "12M"], ["Poe", "3M"]])
    assert [(cell.value, cell.scale > 1) for cell in table.cells] == [(1, True), (12, True), (3, True)]


@pytest.mark.parametrize(
    "rows",
    [
        [["Kind", "Homes"], ["Small", "2038"], ["Large", "278"], ["Closed", "150"]],
        [["Calls", "Account", "Late"], ["2043", "North", "no"], ["38", "North", "yes"], ["500", "South", "no"]],
    ],
)
def test_a_count_that_could_be_a_year_is_no_header(rows: list[list[str]]) -> None:
    table = to_table(rows)
    assert len(table.rows) == 3
    assert all(len(path) == 1 for path in tops(table))


def test_years_below_a_heading_stay_headers() -> None:
    table = to_table([["", "Sales", ""], ["Shop", "2019", "2020"], ["North", "31", "40"], ["South", "12", "9"]])
    assert tops(table) == [("Sales", "2019"), ("Sales", "2020")]


def test_rows_of_a_code_book_go_on_with_the_field_above() -> None:
    rows = [
        ["No", "Field", "Code", "Meaning"],
        ["1", "uid", "", ""],
        ["2", "kind", "open", "Not yet closed"],
        ["", "", "shut", "Closed for good"],
        ["", "", "moved", "Elsewhere"],
        ["3", "died", "1", "Yes"],
        ["", "", "0", "No, or not known"],
        ["4", "city", "", ""],
    ]
    table = to_table(rows)
    assert lefts(table) == [
        (no, dict(zip("1234", ["uid", "kind", "died", "city"], strict=True))[no]) for no in "1222334"
    ]
    assert {"Closed for good", "Elsewhere", "No, or not known"} <= {cell.text for cell in table.cells}


def test_numbers_above_the_names_of_columns_are_helpers() -> None:
    names = ["Schools", "Roads", "Care", "Homes", "Parks", "Police", "Fire", "Waste"]
    rows = [
        ["Spending of councils", *[""] * 9],
        ["Net", *[""] * 8, "Published before"],
        ["Hide or delete", "", *(str(n) for n in range(1, 9))],
        ["", "", *"11111111"],
        ["", "", "Services", "", "", "", "Safety", "", "", "Other"],
        ["", "", *(f"{n}90" for n in range(1, 9))],
        ["Code", "Council", *names],
        *([f"E{n}", f"Town {n}", *(f"{n}{column}.5" for column in range(8))] for n in range(5)),
    ]
    table = to_table(rows)
    assert [path[-1] for path in tops(table)] == names
    assert tops(table)[0] == ("Services", "Schools")
    assert lefts(table) == [(f"E{n}", f"Town {n}") for n in range(5)]


def test_school_years_written_together_head_columns() -> None:
    years = [f"20{n}{n + 1}" for n in range(15, 19)]
    rows = [[str(n), f"Town {n}", *(f"{n}4{column}" for column in range(4))] for n in range(1, 5)]
    table = to_table([["", "Town", *years], *rows])
    assert tops(table)[-4:] == [(year,) for year in years]


def test_codes_of_columns_stand_beside_a_blank_corner() -> None:
    codes = [str(n) for n in range(1012, 1020)]
    table = to_table([["", *codes], *([f"Town {n}", *(f"{n}.{c}" for c in range(8))] for n in range(3))])
    assert tops(table) == [(code,) for code in codes]


def test_a_title_over_the_midst_of_counted_columns_heads_none() -> None:
    names = [f"Pct {n}" for n in range(1, 7)]
    rows = [["Official results", "", "", "Town election", "", "", "", ""], ["", *names, "TOTAL"]]
    rows += [[name, *(f"{n}{len(name)}" for n in range(1, 8))] for name in ("Voters", "Votes", "Blanks")]
    table = to_table(rows, {(0, 3): (1, 3)})
    assert tops(table) == [(name,) for name in (*names, "TOTAL")]
    assert "Town election" in table.title


def test_a_title_over_the_first_names_heads_none() -> None:
    rows = [["Outlays by function", *[""] * 8], ["Function", *(str(year) for year in range(1940, 1948))]]
    rows += [[f"Kind {n}", *(f"{n},{column}60" for column in range(1, 9))] for n in range(3)]
    table = to_table(rows, {(0, 0): (1, 4)})
    assert tops(table) == [(str(year),) for year in range(1940, 1948)]
    assert table.title == "Outlays by function"


def test_a_name_without_figures_at_the_end_of_its_block_heads_nothing() -> None:
    rows = [
        ["Candidate", "Pct 1", "Pct 2"],
        ["GOVERNOR", "", ""],
        ["Patrick", "127", "94"],
        ["Stein", "11", "8"],
        ["Others", "", ""],
        ["Totals", "", ""],
        ["", "", ""],
        ["TREASURER", "", ""],
        ["Grossman", "155", "100"],
    ]
    found = lefts(to_table(rows))
    assert found[-1] == ("TREASURER", "Grossman")
    assert ("GOVERNOR", "Others") in found


def test_a_count_and_its_share_in_one_cell_are_two_columns() -> None:
    rows = [["Precinct", "Edwards", "Lee", "Total"], ["A 1", "39 11.54%", "288 85.21%", "338"]]
    rows += [["B 2", "26 10.04%", "224 86.49%", "259"], ["C 3", "8 11.27%", "62 87.32%", "71"]]
    table = to_table(rows)
    assert tops(table) == [("Edwards",), ("Edwards", "%"), ("Lee",), ("Lee", "%"), ("Total",)]
    assert [(str(cell.value), cell.unit) for cell in table.cells if cell.row == 1] == [
        ("39", ""),
        ("11.54", "%"),
        ("288", ""),
        ("85.21", "%"),
        ("338", ""),
    ]


def test_a_text_of_lines_with_as_many_quoted_fields_is_a_table() -> None:
    lines = [f'"{n}" ,99 ,"Election Total" ,"Race, {n}" ,"DEM" ,{n}02 ,' for n in range(1, 8)]
    raw = "\n".join([*lines, ""]).encode()
    document = read_saved_text(ReadSource("votes.txt", len(raw), io.BytesIO(raw)))
    assert [grid.n_rows for grid in document.grids] == [7]
    assert "Race, 3" in {cell.text.strip() for cell in document.grids[0].cells}
    talk = "\n".join(
        [*(f'"Well," said {name}, "no."' for name in ("Ann", "Bo", "Cy, who left", "Di", "Ed", "Flo")), ""]
    )
    prose = read_saved_text(ReadSource("talk.txt", len(talk), io.BytesIO(talk.encode())))
    assert not prose.grids


def test_row_names_of_a_frame_are_no_part_of_what_rows_are_called() -> None:
    raw = "".join(f'"{n or ""}","{code}","{name}",{n}5\n' for n, code, name in FRAME).encode()
    grid = read_delimited(ReadSource("frame.csv", len(raw), io.BytesIO(raw))).grids[0]
    table = grid_to_table(grid, document="d", title="frame")
    assert table is not None
    assert lefts(table) == [(code, name) for _, code, name in FRAME[1:]]
