"""Tables whose right half goes on where the left one ends: balance sheets, and lists in two columns of a page."""

from __future__ import annotations

from decimal import Decimal

from mixrag_cli.records.tables import Table
from tests.table_samples import lefts, to_table, tops

BALANCE = [
    ["Assets", "", "Debts", ""],
    ["Cash", "120", "Loans", "80"],
    ["Stocks", "40", "Taxes", "15"],
    ["Claims", "7", "Others", "2"],
]


def value_of(table: Table, path: tuple[str, ...]) -> Decimal | None:
    row = next(row.index for row in table.rows if row.path == path)
    return next(cell.value for cell in table.cells if cell.row == row)


def test_the_title_of_a_half_is_the_section_of_its_rows() -> None:
    table = to_table(BALANCE)
    assert value_of(table, ("Assets", "Claims")) == 7
    assert value_of(table, ("Debts", "Loans")) == 80
    assert len(table.rows) == 6


def test_halves_with_the_same_headings_are_one_list() -> None:
    rows = [["State", "People", "State", "People"], ["Ohio", "11", "Iowa", "3"], ["Utah", "3", "Maine", "1"]]
    table = to_table([*rows, ["Idaho", "2", "Texas", "29"]])
    assert lefts(table) == [("Ohio",), ("Utah",), ("Idaho",), ("Iowa",), ("Maine",), ("Texas",)]
    assert tops(table) == [("People",)]


def test_a_column_of_units_is_no_half() -> None:
    rows = [["Editor", "500", "USD", "430"], ["Author", "551", "EUR", "551"], ["Reader", "600", "USD", "516"]]
    table = to_table([*rows, ["Printer", "90", "USD", "77"]])
    assert len(table.rows) == 4


def test_four_named_columns_are_no_halves() -> None:
    rows = [["Town", "People", "Mayor", "Votes"], ["Aber", "100", "Ann", "51"], ["Birk", "200", "Bob", "98"]]
    table = to_table([*rows, ["Carn", "300", "Cid", "140"]])
    assert len(table.rows) == 3


def test_halves_of_several_columns_with_the_same_headings_and_a_blank_between_are_one_list() -> None:
    head = ["Office", "Pct 1", "Pct 2", "", "Office", "Pct 1 ", "Pct 2"]
    rows = [
        ["GOVERNOR", "", "", "", "COUNCILLOR", "", ""],
        *[["Lee", "127", "94", "", "Olver", "161", "109"], ["Poe", "45", "21", "", "Engel", "7", "10"]],
        *[["CLERK", "", "", "", "", "", ""], ["Roe", "11", "13", "", "Gunn", "140", "83"]],
    ]
    table = to_table([["Votes of the town", *[""] * 6], head, *rows])
    assert tops(table) == [("Pct 1",), ("Pct 2",)]
    assert lefts(table) == [
        *[("GOVERNOR", "Lee"), ("GOVERNOR", "Poe"), ("CLERK", "Roe")],
        *[("COUNCILLOR", "Olver"), ("COUNCILLOR", "Engel"), ("COUNCILLOR", "Gunn")],
    ]
    assert value_of(table, ("COUNCILLOR", "Gunn")) == 140


def test_parts_with_a_title_each_are_sections_of_one_table() -> None:
    """As a field season is typed in, a species beside the other."""
    head = ["Date", "Plot", "Sex", "Weight"]
    rows = [
        ["Species: DM", "", "", "", "", "Species: DO", "", "", "", "", "Species: DS", "", "", ""],
        [*head, "", *head, "", *head],
        *[["2013-07-16", "2", "F", "33", "", "2013-08-19", "8", "F", "52", "", "2013-11-12", "9", "F", "117"]] * 2,
        ["2013-07-18", "7", "M", "40", "", "2013-10-17", "3", "M", "", "", "", "", "", ""],
    ]
    table = to_table(rows)
    assert [row.path[0] for row in table.rows] == [*["Species: DM"] * 3, *["Species: DO"] * 3, *["Species: DS"] * 2]
    assert [column.leaf for column in table.columns][-1] == "Weight"
    weights = [cell.text for cell in table.cells if cell.column == 3]
    assert weights == ["33", "33", "40", "52", "52", "117", "117"]


def test_a_list_of_texts_goes_on_beside_itself() -> None:
    head = ["Code", "Reference", "Year"]
    rows = [
        ["AA1", "ref-a", "2015", "", "BB2", "ref-b", "2009"],
        ["CC3", "ref-e", "2016", "late", "DD4", "ref-f", "2011"],
    ]
    table = to_table([[*head, "", *head], *rows, ["", "2 trials", "", "", "EE5", "ref-g", "2012"]])
    assert [cell.text for cell in table.cells if cell.column == 1] == ["ref-a", "ref-e", "ref-b", "ref-f", "ref-g"]
    assert all(len(row.path) == 1 for row in table.rows) and "2 trials" in table.notes


def test_the_same_headings_over_figures_alone_are_groups_of_columns() -> None:
    head = ["", "Low", "Mean", "High", "", "Low", "Mean", "High"]
    table = to_table([head, ["Oslo", "1", "2", "3", "", "4", "5", "6"], ["Bergen", "2", "3", "4", "", "5", "6", "7"]])
    assert len(table.rows) == 2


def test_the_same_headings_again_without_a_blank_are_more_of_the_same_row() -> None:
    head = ["Name", "Party", "Votes", "Name", "Party", "Votes"]
    rows = [["Lee", "R", "127", "Olver", "D", "61"], ["Poe", "D", "45", "Engel", "R", "7"]]
    table = to_table([head, *rows, ["Roe", "R", "11", "Gunn", "D", "4"]])
    assert len(table.rows) == 3


def test_lists_that_number_their_rows_under_the_same_headings_are_one() -> None:
    left = [["ID", "Model", "Power"], ["1", "Alder", "3"], ["2", "Birch", "5"]]
    right = [["ID", "Model", "Power"], ["1", "Cedar", "2"], ["2", "Elm", "4"]]
    table = to_table([[*a, *b] for a, b in zip(left, right, strict=True)])
    assert tops(table)[-1] == ("Power",)
    assert [row.leaf for row in table.rows] == ["Alder", "Birch", "Cedar", "Elm"]
