"""Codes that look like figures, counts that look like years, and rows that go on with the row above."""

from __future__ import annotations

import pytest

from tests.table_samples import lefts, to_table, tops

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
