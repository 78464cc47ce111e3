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
