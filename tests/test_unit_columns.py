"""Units that stand in a column of their own, row by row."""

from __future__ import annotations

from decimal import Decimal

from mixrag_cli.recap.in_rows.conditions import find_conditions
from mixrag_cli.records.tables import Table
from tests.table_samples import to_table

AMOUNTS = [
    ["Item", "Raw amount", "Currency", "Euros"],
    ["Grants", "8000", "USD", "6880"],
    ["Fees", "2000", "EUR", "2000"],
    ["Travel", "500", "USD", "430"],
]


def units_of(table: Table, column: int) -> list[str]:
    return [cell.unit for cell in table.cells if cell.column == column]


def test_a_currency_is_about_the_figures_on_its_left() -> None:
    table = to_table(AMOUNTS)
    assert units_of(table, 1) == ["USD", "EUR", "USD"]
    assert [cell.value for cell in table.cells if cell.column == 1] == [Decimal(8000), Decimal(2000), Decimal(500)]


def test_a_unit_without_figures_on_its_left_is_about_those_on_its_right() -> None:
    rows = [["Area", "Unit", "Value"], ["North", "Percentage (%)", "53.9"], ["South", "Percentage (%)", "51.6"]]
    assert units_of(to_table(rows), 2) == ["%", "%"]


def test_units_are_about_all_figures_on_their_right() -> None:
    """As an agency's export writes them, under headings without figures."""
    head = ["", "", "", "2000", "2010", "2014"]
    groups = [["", "Electricity", "Billion kWh"], ["", "Generation", ""]]
    rows = [["", f"Country {n}", "Billion kWh", f"{n}.9", f"{n}.6", f"{n}.2"] for n in range(4)]
    table = to_table([["Source: U.S. EIA"], head, *groups, *rows])
    assert {(cell.unit, cell.scale) for cell in table.cells if cell.value is not None} == {("kWh", 10**9)}
    assert sum(cell.value is not None for cell in table.cells) == 12


def test_texts_end_what_a_unit_is_about() -> None:
    head = ["Contract", "Unit", "First", "Second", "Remark", "Staff"]
    table = to_table([head, *([f"Road {n}", "EUR million", f"{n}1", f"{n}2", "paid", f"{n}3"] for n in range(1, 5))])
    assert [set(units_of(table, column)) for column in (2, 3, 5)] == [{"EUR"}, {"EUR"}, {""}]


def test_a_scale_counts() -> None:
    rows = [["Area", "Value", "Unit"], ["North", "53.9", "USD millions"], ["South", "51.6", "USD thousands"]]
    table = to_table(rows)
    assert [(cell.unit, cell.scale) for cell in table.cells if cell.column == 1] == [("USD", 10**6), ("USD", 1000)]


def test_money_of_a_year_is_a_unit() -> None:
    rows = [["Country", "Unit", "Output"], ["Chad", "constant 2015 US$", "53.9"], ["Mali", "constant 2015 US$", "51.6"]]
    assert units_of(to_table(rows), 2) == ["USD", "USD"]


def test_texts_that_are_no_units_say_none() -> None:
    rows = [["Area", "Value", "Kind"], ["North", "53.9", "EUR"], ["South", "51.6", "town"]]
    assert units_of(to_table(rows), 1) == ["", ""]


def test_a_unit_in_the_heading_goes_before_one_beside() -> None:
    rows = [["Item", "Length (km)", "Price in"], ["Road", "12", "USD"], ["Rail", "34", "EUR"]]
    assert units_of(to_table(rows), 1) == ["km", "km"]


def test_figures_with_a_unit_are_no_units_of_the_figures_beside() -> None:
    rows = [["Segment", "2019", "Change"], ["Software", "3,788", "( 25 ) % ( % )"], ["Hardware", "1,200", "4 %"]]
    assert units_of(to_table([*rows, ["Other", "90", "—"]]), 1) == ["", "", ""]


def test_a_unit_in_brackets_is_no_part_of_a_columns_name() -> None:
    rows = [[f"P{n}", str(150 + 40 * n), str(20 * n), str(18 * n)] for n in range(4)]
    table = to_table([["Part", "Est. Weight (g)", "Load (kg)", "Load (lb)"], *rows])
    said = {each.label for each in find_conditions("parts with an est. weight above 200 g", table)}
    assert said == {"Est. Weight (g) > 200"}
    assert not find_conditions("parts with a load above 30", table)  # of which of the two
