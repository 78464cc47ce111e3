"""Tables of a sheet that follow each other without a blank row: each is read by its own title and headings."""

from __future__ import annotations

from typing import Any

import pytest

from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.test_sheets import fill_rows, make_book, read

COSTS = [["Rent", 1200, 1210], ["Food", 400, 385], ["Travel", 90, 120]]
MONTHS = ("January 2024", "February 2024", "March 2024")


def tables_of(rows: list[list[Any]]) -> list[Table]:
    document = read(make_book(fill_rows(rows)), "costs.xlsx")
    found = (grid_to_table(grid, document="d", title="costs") for grid in document.grids)
    return [table for table in found if table is not None]


def test_a_month_above_the_headings_is_the_title_of_its_own_rows_alone() -> None:
    rows = [row for month in MONTHS for row in ([month], [None, "Budget", "Actual"], *COSTS)]
    tables = tables_of([["Costs of the workshop"], *rows])
    assert [table.title for table in tables] == [f"Costs of the workshop: {MONTHS[0]}", *MONTHS[1:]]
    assert [table.locator.cells for table in tables] == ["A1:C6", "A7:C11", "A12:C16"]
    assert all([row.path for row in table.rows] == [("Rent",), ("Food",), ("Travel",)] for table in tables)
    assert all([column.path for column in table.columns] == [("Budget",), ("Actual",)] for table in tables)


def test_a_month_in_the_corner_names_its_block() -> None:
    tables = tables_of([row for month in MONTHS for row in ([month, "Budget", "Actual"], *COSTS)])
    assert [table.title for table in tables] == list(MONTHS)
    assert [len(table.rows) for table in tables] == [3, 3, 3]


def test_a_month_over_the_headings_heads_its_own_figures_alone() -> None:
    rows = [row for month in MONTHS for row in ([None, month], [None, "Budget", "Actual"], *COSTS)]
    tables = tables_of(rows)
    assert [table.columns[0].path for table in tables] == [(month, "Budget") for month in MONTHS]


def test_a_month_among_the_headings_heads_its_own_figures_alone() -> None:
    tables = tables_of([row for month in MONTHS for row in (["Item", month, "Share"], *COSTS)])
    assert [table.columns[0].path for table in tables] == [(month,) for month in MONTHS]


@pytest.mark.parametrize("title", [[], [["Costs of the workshop"]]])
def test_headings_said_again_word_by_word_part_no_table(title: list[list[Any]]) -> None:
    head: list[Any] = ["Item", "Budget", "Actual"]
    assert len(tables_of([*title, head, *COSTS, head, ["Wood", 70, 65]])) == 1


def test_a_note_below_a_block_is_not_taken_for_the_title_of_the_next() -> None:
    head: list[Any] = [None, "Budget", "Actual"]
    rows = [["January 2024"], head, *COSTS, ["* without tax"], ["February 2024"], head, *COSTS]
    first, second = tables_of([["Costs"], *rows, ["March 2024"], head, *COSTS])[:2]
    assert (first.notes, second.title) == (("* without tax",), "February 2024")
