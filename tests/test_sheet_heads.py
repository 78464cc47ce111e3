"""What a sheet says of itself right above the names of its columns is its caption, and names none of them."""

from __future__ import annotations

from typing import Any

import pytest

from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.cited_lines import read_document
from tests.test_sheets import fill_rows, make_book, read

NAMES = ["Number", "Part", "Value", "Maker", "Its number", "Supplier", "Quantity"]
PARTS: list[list[Any]] = [
    ["R1", "Resistor", "10k", "Yageo", "RC10", "Mouser", 2],
    ["R2", "Resistor", "22k", "Yageo", "RC22", "Mouser", 1],
    ["C1", "Capacitor", "1uF", "Kemet", "C08", "LCSC", 4],
]
STOCK: list[list[Any]] = [["Bolt", "A", 4, 2, 7, 1], ["Nut", "B", 3, 1, 5, 2], ["Pin", "B", 2, 2, 1, 1]]
DAY = "2020-07-18"


def tables_of(rows: list[list[Any]], merges: tuple[str, ...] = ()) -> list[Table]:
    def fill(book: Any) -> None:
        for row in rows:
            book.active.append(row)
        for merge in merges:
            book.active.merge_cells(merge)

    found = (grid_to_table(grid, document="d", title="parts") for grid in read(make_book(fill)).grids)
    return [table for table in found if table is not None]


@pytest.mark.parametrize(
    ("head", "merges"),
    [
        ([["Name: Hub", None, None, None, None, DAY], [*[None] * 5, 1.2]], ("A2:E2", "F2:G2", "F3:G3")),
        ([["Name: Hub", *[None] * 4, "Revision", "B"], ["Author", "J. Doe", *[None] * 3, "Date", DAY]], ()),
    ],
)
def test_names_and_values_above_the_headings_are_the_caption(head: list[list[Any]], merges: tuple[str, ...]) -> None:
    (table,) = tables_of([["Bill of Materials"], *head, NAMES, *PARTS], merges)
    assert {column.path for column in table.columns} <= {(name,) for name in NAMES}
    assert [row.path[0] for row in table.rows] == ["R1", "R2", "C1"]
    assert table.title == "Bill of Materials"


def test_a_date_beside_all_columns_does_not_widen_the_table() -> None:
    rows: list[list[Any]] = [["Finish", "gold"], ["Mask", "green"], ["Print", "none"], ["Drill", "fine"]]
    head: list[list[Any]] = [["Name: Hub", None, None, DAY], [None, None, None, 1.2], ["What", "How"]]
    (table,) = tables_of([*head, *rows], ("A1:B1",))
    assert [(row.path, cell.text) for row, cell in zip(table.rows, table.cells, strict=True)] == [
        ((name,), how) for name, how in rows
    ]


def test_a_small_table_right_above_a_wider_one_is_no_head() -> None:
    small: list[list[Any]] = [["Month", "Sales"], ["Jan", 10], ["Feb", 12]]
    document = read(make_book(fill_rows([*small, NAMES, *PARTS])))
    assert not [block for block in document.blocks if block.kind == "paragraph"]


def test_names_and_values_stand_so_in_a_file_that_a_sheet_is_saved_as() -> None:
    text = "Parts,,,,,,\nName: Hub,,,,,Revision,B\nAuthor,J. Doe,,,,Date,2020-07-18\n"
    rows = "".join(f"{','.join(map(str, row))}\n" for row in (NAMES, *PARTS))
    document = read_document("parts.csv", f"{text}{rows}".encode())
    assert document.blocks[0].text == "Parts\nName: Hub, Revision: B\nAuthor: J. Doe, Date: 2020-07-18"
    table = grid_to_table(document.grids[0], document="d", title="parts")
    assert table is not None and {column.path for column in table.columns} <= {(name,) for name in NAMES}


@pytest.mark.parametrize("first", [["Name: Hub", None, None, "Date", DAY], ["Parts of the hub"]])
def test_groups_above_the_headings_still_head_them(first: list[Any]) -> None:
    groups = [None, None, None, "Made", None, "Order"]
    (table,) = tables_of([first, groups, NAMES, *PARTS], ("D2:E2", "F2:G2"))
    assert [column.path for column in table.columns][-2:] == [("Order", "Supplier"), ("Order", "Quantity")]


def test_days_that_head_groups_are_no_values() -> None:
    (table,) = tables_of([[None, None, DAY, None, "2020-08-18"], ["Part", "Shelf", "In", "Out", "Got", "Gone"], *STOCK])
    assert [column.path for column in table.columns][-2:] == [("2020-08-18", "Got"), ("2020-08-18", "Gone")]


def test_the_first_record_below_names_of_all_columns_is_a_row() -> None:
    rows: list[list[Any]] = [["Cell type", "18650 Li-ion"], ["Voltage", "3.7 V"], ["Capacity", "2.0 Ah"], ["Cells", 18]]
    (table,) = tables_of([["Parameter", "Value"], *rows])
    assert [column.path for column in table.columns] == [("Value",)]
    assert [row.path[0] for row in table.rows] == [row[0] for row in rows]


def test_names_in_two_languages_are_two_levels() -> None:
    rows: list[list[Any]] = [["Nord", 120, 130], ["Ost", 80, 75], ["West", 64, 70]]
    (table,) = tables_of([["Bezirk", "Männer", "Frauen"], ["District", "Men", "Women"], *rows])
    assert [column.path for column in table.columns] == [("Männer", "Men"), ("Frauen", "Women")]


def test_a_second_row_of_names_above_dates_is_a_header() -> None:
    rows: list[list[Any]] = [["1997-01-15", 3.45], ["1997-02-15", 2.15], ["1997-03-15", 1.89]]
    (table,) = tables_of([["Contents", "Gas prices"], ["Date", "Spot price"], *rows])
    assert [column.path for column in table.columns] == [("Gas prices", "Spot price")]


def test_a_note_merged_over_all_columns_and_two_rows_heads_none() -> None:
    rows: list[list[Any]] = [["A", "6MV", 1, 0.98], ["A", "6MV", 2, 0.97], ["B", "10MV", 1, 0.95]]
    (table,) = tables_of(
        [["See the report for what was done"], [], ["Site", "Energy", "Size", "Rate"], *rows], ("A1:D2",)
    )
    assert [column.path for column in table.columns][-1] == ("Rate",)
    assert table.title == "See the report for what was done"


def test_numbers_said_again_under_each_group_above_names_are_a_level() -> None:
    rows: list[list[Any]] = [
        [None, 20966, 45480, 18303, 38852],
        [None, 21011, 45481, 18288, 38853],
        ["Mean", 1, 2, 3, 4],
    ]
    head: list[list[Any]] = [
        [None, "Four", None, "One"],
        ["f", 99609, 49805, 99609, 49805],
        ["Port", "R0", "R1", "R0", "R0"],
    ]
    (table,) = tables_of([*head, *rows], ("B1:C1", "D1:E1"))
    assert [column.path for column in table.columns][1:3] == [("Four", "49805", "R1"), ("One", "99609", "R0")]


def test_long_headings_above_a_mark_here_and_there_name_columns() -> None:
    names = [f"The level sensor of the upper tank turns the first pump on in case {number}" for number in range(6)]
    marks: list[list[Any]] = [
        [f"use {row}", *("X" if (row + at) % 4 == 0 else None for at in range(6))] for row in range(5)
    ]
    (table,) = tables_of([[None, *names], *marks])
    assert [column.path for column in table.columns] == [(name,) for name in names]
