"""What broken or spare sheets are: kinds in the first column, counted labels, sections below headers, titles aside."""

from __future__ import annotations

import pytest

from mixrag_cli.tables.text import key_columns
from tests.table_samples import lefts, to_table, tops


def test_a_first_column_of_kinds_stays_a_column() -> None:
    rows = [["shift", "post", "wage"], *([kind, "guard", str(90 + n)] for n in range(4) for kind in ("Day", "Night"))]
    table = to_table(rows)
    assert tops(table) == [("shift",), ("post",), ("wage",)]
    assert key_columns(table)


def test_labels_that_stand_once_or_twice_are_no_kinds() -> None:
    table = to_table([["ward", "beds", "nurses"], ["North", "12", "3"], ["South", "14", "4"], ["North", "2", "1"]])
    assert tops(table) == [("beds",), ("nurses",)]


def test_numbers_that_go_on_by_one_below_two_header_rows_name_the_rows() -> None:
    counts = [[str(n), str(7 * n % 5), str(3 * n % 7)] for n in range(14)]
    table = to_table([["mark", "Physics", "Latin"], ["year", "2014", "2014"], *counts, ["999", "4", "1"]])
    assert tops(table) == [("Physics", "2014"), ("Latin", "2014")]
    assert lefts(table)[9] == ("mark", "9")


def test_figures_that_only_rise_are_no_labels() -> None:
    rows = [["length", "width", "mass"], ["cm", "cm", "kg"], *([str(3 * n), "4", "1"] for n in range(14))]
    assert len(to_table(rows).columns) == 3


def test_a_section_alone_below_the_headers_heads_its_rows() -> None:
    table = to_table(
        [
            ["", "Crop", "Price", "", "Stored"],
            ["", "", "Open", "Close", ""],
            ["", "RED WHEAT", "", "", ""],
            ["202103", "March, 2021", "210", "212", "77"],
            ["202105", "May, 2021", "214", "215", "12"],
            ["", "WHITE RYE", "", "", ""],
            ["202103", "March, 2021", "180", "181", "5"],
            ["202105", "May, 2021", "182", "186", "9"],
        ],
        spans={(0, 1): (2, 1), (0, 2): (1, 2), (0, 4): (2, 1)},
    )
    assert tops(table) == [("Price", "Open"), ("Price", "Close"), ("Stored",)]
    assert lefts(table)[0] == ("RED WHEAT", "202103", "March, 2021")
    assert lefts(table)[-1] == ("WHITE RYE", "202105", "May, 2021")


def test_a_title_with_a_date_at_its_side_is_no_header() -> None:
    table = to_table(
        [
            ["Harbour report", "", "Date: 3 May 2021", ""],
            ["Ships at a glance", "", "", ""],
            ["Kind", "Calls", "Tonnes", "Crew"],
            ["Ferries", "12", "400", "90"],
            ["Tankers", "3", "9000", "60"],
        ]
    )
    assert tops(table) == [("Calls",), ("Tonnes",), ("Crew",)]
    assert lefts(table) == [("Ferries",), ("Tankers",)]
    assert table.title == "Harbour report Date: 3 May 2021: Ships at a glance"


def test_a_total_one_column_too_far_right_is_one() -> None:
    table = to_table(
        [["Dock", "Calls", "Crew"], ["North", "12", "90"], ["South", "3", "60"], ["", "Total", "150"]],
    )
    assert [row.is_total for row in table.rows] == [False, False, True]


def test_months_below_the_first_of_a_year_are_of_that_year() -> None:
    table = to_table(
        [
            ["Month", "Price", "Sold"],
            *(["1990-Jan", "3", "4"], ["Feb", "4", "4"], ["Mar.", "5", "6"]),
            *(["1991-Jan", "7", "2"], ["Feb", "3", "3"], ["Average", "5", "4"], ["Feb", "1", "1"]),
        ]
    )
    assert lefts(table) == [
        *(("1990-Jan",), ("1990", "Feb"), ("1990", "Mar.")),
        *(("1991-Jan",), ("1991", "Feb"), ("Average",), ("Feb",)),
    ]


@pytest.mark.parametrize(
    "labels", [("Jan", "Feb", "Mar"), ("2019 Q4", "Q1", "Q3"), ("1990-Jan", "Mar"), ("2019", "Jan", "Feb")]
)
def test_months_that_follow_no_year_of_their_own_have_none(labels: tuple[str, ...]) -> None:
    table = to_table([["Period", "Price", "Sold"], *([label, str(n), "4"] for n, label in enumerate(labels))])
    assert lefts(table) == [(label,) for label in labels]


@pytest.mark.parametrize(("span", "names"), [(2, ("Deaths", "men")), (3, ("by registration", "Deaths", "men"))])
def test_what_stands_over_a_part_of_a_heading_below_is_a_title(span: int, names: tuple[str, ...]) -> None:
    table = to_table(
        [
            ["Deaths and rates", "", "", "", ""],
            ["", "by registration", "", "", "persons"],
            ["Year", "Deaths", "", "", "Rate"],
            ["", "all", "men", "women", ""],
            ["1958", "754", "400", "354", "7.6"],
            ["1959", "745", "390", "355", "7.2"],
        ],
        spans={(0, 0): (1, 5), (1, 1): (1, span), (2, 0): (2, 1), (2, 1): (1, 3), (2, 4): (2, 1)},
    )
    assert tops(table)[1] == names


def test_a_row_of_texts_without_a_label_is_a_record_where_all_columns_hold_texts() -> None:
    rows = [["Area", "Cost", "Definition"], ["Staff", "salaries", "paid each month"], ["", "fees", "paid at once"]]
    table = to_table([*rows, ["Rooms", "rent", "paid ahead"], ["", "repairs", "paid by hour"]])
    assert [row.path for row in table.rows] == [("Staff",), ("Staff",), ("Rooms",), ("Rooms",)]
    figures = [["Area", "Cost", "Beds"], ["Staff", "90", "2"], ["", "Places", "Tents"], ["Lawn", "7", "8"]]
    assert lefts(to_table(figures)) == [("Staff",)]


def test_texts_that_all_reach_beyond_another_column_are_kept() -> None:
    rows = [
        ["Flow", "77", "", "m³/h"],
        ["Head", "84", "", "m"],
        ["Casing", "", "316 SS", ""],
        ["Speed", "91", "", "rpm"],
    ]
    table = to_table(
        [["Item", "Value", "", "Unit"], *rows], spans={(3, 2): (1, 2), **{(row, 1): (1, 2) for row in (0, 1, 2, 4)}}
    )
    assert [cell.text for cell in table.cells if cell.column == 1] == ["77", "84", "91"]
    assert "316 SS" in [cell.text for cell in table.cells]
