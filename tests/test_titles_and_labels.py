"""What stands around a table's figures: units aside, totals of several years, ranges as data, columns of long texts."""

from __future__ import annotations

import pytest

from tests.table_samples import lefts, to_table, tops

INCOME = [["Mean income by level of education"], ["", "", "", "(TL)"], ["Level", "2017", "2018", "2019"]]
INCOME += [["Illiterate", "11581", "12043", "14129"], ["High school", "28260", "30485", "34115"]]


def test_a_text_in_brackets_above_the_last_column_is_about_all_of_them() -> None:
    table = to_table(INCOME)
    assert tops(table) == [("2017",), ("2018",), ("2019",)]
    assert table.title == "Mean income by level of education: (TL)"


def test_a_unit_above_the_last_column_is_that_of_all_figures() -> None:
    table = to_table([INCOME[0], ["", "", "", "(percent)"], *INCOME[2:]])
    assert {cell.unit for cell in table.cells} == {"%"}


@pytest.mark.parametrize("total", ["Total", "Toplam - Total", "All schools"])
def test_a_total_of_several_years_holds_for_each_of_them(total: str) -> None:
    rows = [["Level", "Year", "Spent"], [total, "2011", "77"], ["", "2012", "93"], ["", "2013", "106"]]
    rows += [["Primary", "2011", "16"], ["", "2012", "19"], ["", "2013", "20"]]
    assert lefts(to_table(rows)) == [(name, year) for name in (total, "Primary") for year in ("2011", "2012", "2013")]


def test_a_range_beside_a_name_with_a_colon_is_a_datum() -> None:
    rows = [
        ["", "Revenue target:", "$84,750-89,750"],
        ["", "Net revenue:", "$1,768.45"],
        ["", "Registration:", "$1,565"],
    ]
    table = to_table([*rows, ["", "Tax to remit:", "$203.45"]])
    assert next(cell.text for cell in table.cells) == "$84,750-89,750"
    assert len(table.rows) == 4


def test_ranges_in_a_row_name_their_columns() -> None:
    table = to_table([["Age", "0-4", "5-9"], ["Men", "12", "15"], ["Women", "11", "16"]])
    assert tops(table) == [("0-4",), ("5-9",)]


def test_days_above_long_texts_are_columns_all_of_them() -> None:
    talk = "9:00 welcome and the history of the programme, with a talk by its founders, then a break until eleven"
    days = [[f"{talk} {day}" for day in ("one", "two", "three")] for _ in range(2)]
    table = to_table([["Monday", "Tuesday", "Wednesday"], *days])
    assert tops(table) == [("Monday",), ("Tuesday",), ("Wednesday",)]
