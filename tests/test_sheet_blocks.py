"""Workbooks with blank rows and columns in their tables, and boxes beside them: what is one table and what is two."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date

import openpyxl

from mixrag_cli.readers.sheets.reader import read_sheet
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.table_samples import lefts, tops

Rows = Sequence[Sequence[object]]
HEAD = ["Item", "Count", "Link", "Notes"]
FRAME: Rows = [
    ["Frame"],
    ["Rail", 4, "https://shop.example/rail"],
    ["Bracket", 8, "https://shop.example/bracket", "left and right"],
]
SEAT: Rows = [
    ["Seat"],
    ["Board", None, "from the timber yard"],
    ["Slat", None, "from the timber yard"],
    ["Hinge", None, "https://shop.example/hinge", "brass"],
]
EXTRAS: Rows = [["Extras"], ["Bell", None, "https://shop.example/bell"]]
BLANK: list[object] = []


def read(rows: Rows) -> list[Table]:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    raw = io.BytesIO()
    book.save(raw)
    document = read_sheet(ReadSource("book.xlsx", raw.tell(), io.BytesIO(raw.getvalue())))
    tables = [grid_to_table(grid, document="d", title="book") for grid in document.grids]
    return [table for table in tables if table is not None]


def test_sections_apart_whose_columns_are_named_once_are_one_table() -> None:
    (table,) = read([HEAD, *FRAME, BLANK, BLANK, *SEAT, BLANK, BLANK, *EXTRAS])
    assert tops(table) == [("Count",), ("Link",), ("Notes",)]
    assert [row.path for row in table.rows] == [
        *(("Frame", "Rail"), ("Frame", "Bracket")),
        *(("Seat", "Board"), ("Seat", "Slat"), ("Seat", "Hinge")),
        ("Extras", "Bell"),
    ]


def test_records_with_gaps_below_a_blank_row_go_on_with_the_list() -> None:
    (table,) = read(
        [
            ["Test", "Found on", "Issue", "Notes", "Mended by"],
            ["N/A", date(2021, 7, 29), "panel 1", "before the scripts", "Ann"],
            *(["N/A", date(2021, 8, 3 + n), f"panel {2 + n}"] for n in range(4)),
            BLANK,
            ["PUMP4", date(2021, 8, 25), "valve 2", None, "Ben"],
            ["TANK1", date(2021, 8, 26), None, "as above", "Cleo"],
        ]
    )
    assert len(table.rows) == 7
    assert tops(table) == [("Found on",), ("Issue",), ("Notes",), ("Mended by",)]


def test_a_list_with_names_of_its_own_is_a_table_of_its_own() -> None:
    names = ("Ann", "Ben", "Cleo", "Dan", "Eve")
    shown = [[name, date(2021, 5, 1 + n), f"{name}@club.example"] for n, name in enumerate(names)]
    first, second = read([["Name", "Joined", "Mail"], *shown, BLANK, ["Guest", "Visited", "Host"], *shown])
    assert (tops(first)[-2:], tops(second)[-2:]) == ([("Joined",), ("Mail",)], [("Visited",), ("Host",)])
    assert len(lefts(first)) == len(lefts(second)) == 5


def test_amounts_across_a_blank_column_are_those_of_the_names_beside_them() -> None:
    parts = [["R1", "resistor", None, "11.3k", "yes"], ["R2", "resistor", None, "9.09k", "yes"]]
    names = ["Label", "Kind", None, "Value", "Ordered", "Notes"]
    (table,) = read([["Filter", "Stage 1"], names, *parts, ["C1", "capacitor", None, "160p", "yes", "150p instead"]])
    assert lefts(table) == [("R1",), ("R2",), ("C1",)]
    assert [path[-1] for path in tops(table)] == ["Kind", "Value", "Ordered", "Notes"]


def test_lists_of_names_side_by_side_are_kept_apart() -> None:
    rows = [["Crew", "Boat", None, "Guest", "Cabin"], ["Ann", "Gull", None, "Ida", "aft"]]
    tables = read([*rows, ["Ben", "Tern", None, "Jon", "bow"], ["Cleo", "Kite", None, "Kim", "mid"]])
    assert [lefts(table) for table in tables] == [[("Ann",), ("Ben",), ("Cleo",)], [("Ida",), ("Jon",), ("Kim",)]]


def test_dated_lists_side_by_side_with_headings_of_their_own_are_kept_apart() -> None:
    tables = read(
        [
            ["Sailing course", None, None, None, "Knots and splices"],
            ["Day", "Hours", "Taught by", None, "Day", "Present", "Taught by"],
            *([date(2021, 4, 2 + n), 1.5, "Ann", None, date(2021, 5, 9 + 2 * n), 12 + n, "Ben"] for n in range(5)),
        ]
    )
    assert [tops(table) for table in tables] == [[("Hours",), ("Taught by",)], [("Present",), ("Taught by",)]]
    assert [table.title for table in tables] == ["Sailing course", "Knots and splices"]


def test_names_above_their_figures_beside_a_table_are_no_column_of_it() -> None:
    (table,) = read(
        [
            ["Winch, parts", None, None, None, None, "Priced on 3 May"],
            ["Part", "Count", "Price", "Total", None, "All with the motor"],
            ["Drum", 1, 12.5, 12.5, None, 72.63],
            ["Bearing", 2, 1.29, 2.58, None, "All without the motor"],
            ["Bolt", 8, 0.2, 1.6, None, 42.64],
            ["Rope", 4, 2, 8],
        ]
    )
    assert [path[-1] for path in tops(table)] == ["Count", "Price", "Total"]
    assert len(table.rows) == 4


def test_a_column_of_figures_across_a_blank_column_is_of_the_table() -> None:
    rows = [["Town", "People", None, "Growth"], ["Aber", 100, None, 1.5], ["Birk", 200, None, "n/a"]]
    (table,) = read([*rows, ["Carn", 300, None, 2.5], ["Dunn", 150, None, "n/a"], ["Esk", 170, None, 3.5]])
    assert tops(table) == [("People",), ("Growth",)]


def test_tables_of_figures_beside_each_other_with_a_title_over_all_columns_each_are_two() -> None:
    titles = ["Normal operation", None, None, "Extreme sea", None]
    names = ["Wind (m/s)", "Wave (m)", None, "Return period", "Wave (m)"]
    rows = [[4, 1.1, None, 1, 9.7], [6, 1.2, None, 50, 16.7], [8, 1.3], [10, 1.5]]
    left, right = read([titles, names, *rows])
    assert (left.title, len(left.rows)) == ("Normal operation", 4)
    assert (right.title, tops(right), len(right.rows)) == ("Extreme sea", [("Return period",), ("Wave (m)",)], 2)


def test_groups_of_figures_beside_labels_stay_one_table() -> None:
    rows = [["North", 1, 5, None, 7, 9], ["South", 2, 6, None, 8, 11]]
    (table,) = read([["Town", "Men", None, None, "Women"], [None, "Young", "Old", None, "Young", "Old"], *rows])
    assert lefts(table) == [("North",), ("South",)]


def test_boxes_that_nobody_ticked_are_neither_rows_nor_a_table() -> None:
    tests = [["Test", "Found", "Pass", "Fail"], ["CON1", "60 s", True, False], ["CON2", "90 s", False, False]]
    blank = [[None, None, False, False]] * 3
    (table,) = read([*tests, *blank, BLANK, BLANK, *blank])
    assert [cell.text for cell in table.cells if cell.column == 2] == ["TRUE", "FALSE"]


def test_keys_below_a_list_are_a_table_of_their_own() -> None:
    rows = [[n, f"Part {n}", "Alder", n + 3] for n in range(1, 5)]
    keys = [["Groups:", None, 4], ["Parts:", None, 22], ["Source:", None, "main.sch"]]
    parts, said = read([["No", "Part", "Maker", "Quantity"], *rows, BLANK, *keys])
    assert len(parts.rows) == 4
    assert lefts(said) == [("Groups",), ("Parts",), ("Source",)]


def test_sums_below_a_list_are_rows_of_it() -> None:
    sums = [["Net:", 50], ["Tax:", 5], ["Total:", 55]]
    (table,) = read([["Item", "Amount"], ["Board", 30], ["Slat", 20], BLANK, *sums])
    assert len(table.rows) == 5


def test_keys_above_a_numbered_list_name_no_columns_of_it() -> None:
    head = [["Project:", None, None, "By:"], ["Tag:", None, None, "Checked:"], ["Use:", "Pumping"], ["OPERATING DATA"]]
    items = [
        [1, "Design flow", 77, "m³/h"],
        [2, "Minimum flow", 12, "m³/h"],
        [3, "Head", 30, "m"],
        [4, "Mounting", "dry"],
    ]
    tables = read([*head, *items])
    assert tables[-1].rows[0].path == ("OPERATING DATA", "1", "Design flow")
    assert not any(part.endswith(":") for column in tables[-1].columns for part in column.path)
