"""Titles of the tables of a sheet: above blocks that follow each other, and with texts at their side."""

from __future__ import annotations

from typing import Any

import pytest

from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.test_sheets import fill_rows, make_book, read

COSTS: list[list[Any]] = [["Rent", 1200, 1210], ["Food", 400, 385], ["Travel", 90, 120]]
MONTHS = ("January 2024", "February 2024", "March 2024")


def blocks(*heads: list[Any]) -> list[list[Any]]:
    """For each month these rows, in which "month" is its name, above the costs."""
    return [
        row
        for month in MONTHS
        for row in (*([month if text == "month" else text for text in head] for head in heads), *COSTS)
    ]


def tables_of(rows: list[list[Any]]) -> list[Table]:
    document = read(make_book(fill_rows(rows)), "costs.xlsx")
    found = (grid_to_table(grid, document="d", title="costs") for grid in document.grids)
    return [table for table in found if table is not None]


def test_a_month_above_the_headings_is_the_title_of_its_own_rows_alone() -> None:
    tables = tables_of([["Costs of the workshop"], *blocks(["month"], [None, "Budget", "Actual"])])
    assert [table.title for table in tables] == [f"Costs of the workshop: {MONTHS[0]}", *MONTHS[1:]]
    assert [table.locator.cells for table in tables] == ["A1:C6", "A7:C11", "A12:C16"]
    assert all([row.path for row in table.rows] == [("Rent",), ("Food",), ("Travel",)] for table in tables)
    assert all([column.path for column in table.columns] == [("Budget",), ("Actual",)] for table in tables)


def test_a_month_in_the_corner_names_its_block() -> None:
    tables = tables_of(blocks(["month", "Budget", "Actual"]))
    assert [table.title for table in tables] == list(MONTHS)
    assert [len(table.rows) for table in tables] == [3, 3, 3]


def test_a_month_over_the_headings_heads_its_own_figures_alone() -> None:
    tables = tables_of(blocks([None, "month"], [None, "Budget", "Actual"]))
    assert [table.columns[0].path for table in tables] == [(month, "Budget") for month in MONTHS]


def test_a_month_among_the_headings_heads_its_own_figures_alone() -> None:
    tables = tables_of(blocks(["Item", "month", "Share"]))
    assert [table.columns[0].path for table in tables] == [(month,) for month in MONTHS]


@pytest.mark.parametrize("title", [[], [["Costs of the workshop"]]])
def test_headings_said_again_word_by_word_part_no_table(title: list[list[Any]]) -> None:
    head: list[Any] = ["Item", "Budget", "Actual"]
    assert len(tables_of([*title, head, *COSTS, head, ["Wood", 70, 65]])) == 1


def test_a_note_below_a_block_is_not_taken_for_the_title_of_the_next() -> None:
    head: list[Any] = [None, "Budget", "Actual"]
    rows: list[list[Any]] = [["January 2024"], head, *COSTS, ["* without tax"], ["February 2024"], head, *COSTS]
    first, second = tables_of([["Costs"], *rows, ["March 2024"], head, *COSTS])[:2]
    assert (first.notes, second.title) == (("* without tax",), "February 2024")


def test_titles_with_texts_at_their_side_are_the_caption_of_the_table_below() -> None:
    titles: list[list[Any]] = [
        ["Costs of the workshop"],
        ["All sites", None, None, None, "Contents"],
        [],
        ["Rented", None, "revised"],
        [],
    ]
    (table,) = tables_of([*titles, ["Item", "Budget", "Actual"], *COSTS])
    assert table.title == "Costs of the workshop"
    assert {"All sites", "Contents", "Rented", "revised"} <= set(table.notes)
    assert [column.path for column in table.columns] == [("Budget",), ("Actual",)]


def test_a_lone_text_beside_the_labels_below_a_title_is_a_heading() -> None:
    above: list[list[Any]] = [["Costs"], ["Item", "Budget"], []]
    (table,) = tables_of([*above, *(row[:2] for row in COSTS)])
    assert (table.title, [column.path for column in table.columns]) == ("Costs", [("Budget",)])


def test_a_list_of_two_columns_is_no_title() -> None:
    rows: list[list[Any]] = [["Place", "Keeper"], ["Gate", "Orla"], ["Kiln", "Sven"], []]
    keepers, costs = tables_of([*rows, ["Item", "Budget", "Actual"], *COSTS])
    assert keepers.columns[-1].path == ("Keeper",)
    assert costs.title == "costs"


SETTINGS: list[list[Any]] = [[None, "R AB", 10000, "largest"], [None, "R W", 100, "of the wiper"], [None, "Steps", 128]]
STEPS: list[list[Any]] = [["N", "R WB", "Limit"], *([n, 100 + 78 * n, 28 * n - 126] for n in range(5))]


@pytest.mark.parametrize("left", [0, 1])
def test_settings_right_above_the_headings_are_no_rows_of_the_table(left: int) -> None:
    settings, steps = tables_of([*(row[left:] for row in SETTINGS), *STEPS])
    assert [row.path for row in settings.rows] == [("R AB",), ("R W",), ("Steps",)]
    assert [column.path for column in steps.columns][-2:] == [("R WB",), ("Limit",)]
    assert (len(steps.rows), steps.locator.cells) == (5, "A4:C9")


def test_a_row_of_texts_among_rows_of_figures_parts_no_table() -> None:
    assert len(tables_of([["Item", "Budget", "Actual"], *COSTS, ["Wood", "see", "below"], *COSTS])) == 1


def test_a_list_of_tasks_whose_first_figure_comes_late_is_one_table() -> None:
    needed = {"Roles": None, "Plan": None, "Schools": 50, "Teams": 20, "Shifts": None, "Clubs": 30}
    (table,) = tables_of(
        [["Task", "Owner", "Status", "Needed"], *([task, "Ann", "open", n] for task, n in needed.items())]
    )
    assert [column.path for column in table.columns][-3:] == [("Owner",), ("Status",), ("Needed",)]
    assert len(table.rows) == len(needed)


def test_what_stands_above_the_first_block_holds_for_those_below() -> None:
    above: list[list[Any]] = [["Hospital Name:"], ["Foothill Campus"], ["Charges of June 1, 2018"], []]
    kinds = {"Emergency visits": [["Level 3", 99283, 751]], "Laboratory": [["Lipase", 83690, 163], ["TSH", 84443, 250]]}
    rows = [row for kind, found in kinds.items() for row in ([kind, "Code", "Charge"], *found)]
    first, second = tables_of([*above, *rows])
    assert first.title == "Hospital Name: Foothill Campus"
    assert (second.title, second.notes) == ("Hospital Name: Foothill Campus: Laboratory", ("Charges of June 1, 2018",))
    document = read(make_book(fill_rows([*above, *rows])), "charges.xlsx")
    assert document.text.count("Foothill Campus") == 1


def test_tables_side_by_side_whose_rows_are_named_by_the_same_numbers_are_two() -> None:
    sales = [[year, 10 * year, None, year, year - 7] for year in range(2019, 2024)]
    first, second = tables_of([["Year", "Sales", None, "Year", "Costs"], *sales])
    assert ([column.path for column in first.columns], first.locator.cells) == ([("Sales",)], "A1:B6")
    assert ([column.path for column in second.columns], second.locator.cells) == ([("Costs",)], "D1:E6")
    units = ["G.01", "G.02", "1.01", "1.02", "1.03", "2.01"]
    titles: list[list[Any]] = [["Deposits", None, None, "Keys"], ["Unit", "Held", None, "Unit", "Front", "Back"]]
    held = [[unit, 100 + n, None, unit, n, 1] for n, unit in enumerate(units)]
    assert [(table.title, len(table.rows)) for table in tables_of([*titles, *held])] == [("Deposits", 6), ("Keys", 6)]


def test_figures_that_happen_to_be_alike_beside_a_blank_column_part_no_table() -> None:
    rows: list[list[Any]] = [["Item", 5, None, 5, 9], ["Wood", 7, None, 7, 4], ["Iron", 8, None, 6, 2]]
    assert len(tables_of([["Name", "Low", None, "Low", "High"], *rows])) == 1


@pytest.mark.parametrize("gap", [0, 1])
def test_a_hidden_title_is_none_of_the_rows_that_are_shown(gap: int) -> None:
    head: list[Any] = ["Item", "Budget", "Actual"]
    rows = [["Old prices, do not use"], ["see the office"], ["Prices of 2025"], *[[]] * gap, head, *COSTS]

    def fill(book: Any) -> None:
        fill_rows(rows)(book)
        for number in (1, 2):
            book.active.row_dimensions[number].hidden = True

    document = read(make_book(fill), "costs.xlsx")
    (table,) = (grid_to_table(grid, document="d", title="costs") for grid in document.grids)
    assert table is not None
    assert (table.title, len(table.rows)) == ("Prices of 2025", 3)
    assert "Old prices, do not use" in document.text


def test_a_hidden_name_of_hidden_rows_still_heads_them() -> None:
    rows: list[list[Any]] = [["Item", "Budget", "Actual"], *COSTS, ["Workshop"], ["Wood", 70, 65], ["Iron", 9, 8]]

    def fill(book: Any) -> None:
        fill_rows(rows)(book)
        for number in (5, 6, 7):
            book.active.row_dimensions[number].hidden = True

    (grid,) = read(make_book(fill), "costs.xlsx").grids
    table = grid_to_table(grid, document="d", title="costs")
    assert table is not None
    assert [row.path for row in table.rows][-2:] == [("Workshop", "Wood"), ("Workshop", "Iron")]


@pytest.mark.parametrize(
    "letter",
    [
        [["Packing list"], ["Shipper:", "Garsdale Mill", None, None, "No.", "PL-117"], ["To:", "Fjord AS"]],
        [["Customer:", "Kettlewell"], ["Order:", "by phone", "urgent"], ["Terms:", "ex works"]],
    ],
)
def test_keys_with_their_values_above_a_table_head_no_column(letter: list[list[Any]]) -> None:
    table = tables_of([*letter, [], ["Item", "Budget", "Actual"], *COSTS])[-1]
    assert [column.path for column in table.columns] == [("Budget",), ("Actual",)]
    assert [row.path for row in table.rows] == [("Rent",), ("Food",), ("Travel",)]


def test_headings_above_a_blank_row_name_the_blocks_of_a_list_whose_kinds_stand_on_their_left() -> None:
    rows: list[list[Any]] = [[None, "SCREWS"], [None, "Part", "Use", "Stock", "Maker", "Shop"], []]
    rows += [["Wood", "W 3", "for doors", 5, None, "Ilves"], [None, "W 4", "for floors", 7, None, "Ilves"], [], []]
    rows += [["Metal", "M 3", "for frames", 2, "Kone"], [None, "M 4", "for frames", 4, None, "Aho"], *[[]] * 6]
    rows += [["Stone", "S 8", "for walls", 1, "Kone", "Aho"], [None, "S 9", "for walls", 9]]
    first, last = tables_of(rows)
    assert [column.path[-1] for column in first.columns] == ["Part", "Use", "Stock", "Maker", "Shop"]
    assert ([row.path[0] for row in first.rows][::2], len(first.rows)) == (["Wood", "Metal"], 4)
    assert [column.path[-1] for column in last.columns][-3:] == ["Stock", "Maker", "Shop"]
    assert [cell.text for cell in last.cells if cell.row == last.rows[-1].index][-1] == "9"


def test_jottings_beside_the_headings_of_a_table_are_none_of_it() -> None:
    rows: list[list[Any]] = [
        [None] * 5 + [320],
        [None] * 5 + [45],
        ["Item", "Budget", "Actual", None, None, 10],
        *COSTS,
    ]
    table = tables_of(rows)[-1]
    assert [column.path for column in table.columns] == [("Budget",), ("Actual",)]
    assert table.locator.cells == "A3:C6"


def test_a_figure_in_ten_beside_the_columns_leaves_a_block_its_headings() -> None:
    names = ["Model", *(f"Part {n}" for n in range(1, 7))]
    rows: list[list[Any]] = [names, *(["Kuusi", *range(n, n + 6)] for n in (3, 4)), *[[]] * 6]
    rows += [["Koivu", *range(20, 26)], ["Haapa", *range(30, 36), None, 17]]
    assert [column.path for column in tables_of(rows)[-1].columns][:6] == [(name,) for name in names[1:]]


def test_a_number_and_a_title_beside_each_other_are_the_caption_of_the_table_below() -> None:
    blocks_: list[list[Any]] = []
    for number, title in ((1, "Stationary combustion"), (2, "Mobile combustion")):
        blocks_ += [[f"Table {number}", title], [], [None, "Fuel", "Factor", "Heat"]]
        blocks_ += [[None, "Coal", 2602 + number, 25], [None, "Peat", 895, 8 + number], []]
    assert [table.title for table in tables_of(blocks_)] == [
        "Table 1 Stationary combustion",
        "Table 2 Mobile combustion",
    ]


def test_a_number_right_above_the_table_takes_no_column_from_it() -> None:
    rows: list[list[Any]] = [["Table 8", "Freight"], [None, "Vehicle", "CO2 (kg)", "CH4 (g)"]]
    (table,) = tables_of([*rows, *([None, name, 1.4 + n, 0.1 + n] for n, name in enumerate(("Truck", "Rail", "Ship")))])
    assert table.title == "Table 8 Freight"
    assert [row.path for row in table.rows] == [("Truck",), ("Rail",), ("Ship",)]
    assert [column.path for column in table.columns] == [("CO2 (kg)",), ("CH4 (g)",)]


def test_units_said_anew_among_the_rows_are_those_of_the_rows_below_them() -> None:
    rows: list[list[Any]] = [["Fuel factors"], [], ["Fuel", "Heat", "CO2"], [None, "mmBtu per ton", "kg CO2 per ton"]]
    rows += [["Solid"], ["Coal", 25, 2602], ["Peat", 8, 895], ["Tires", 28, 2407]]
    rows += [
        [None, "mmBtu per gallon", "kg CO2 per gallon"],
        ["Liquid"],
        ["Gasoline", 0.125, 8.78],
        ["Butane", 0.103, 6.67],
    ]
    solid, liquid = tables_of(rows)
    assert [column.path for column in solid.columns] == [("Heat", "mmBtu per ton"), ("CO2", "kg CO2 per ton")]
    assert [column.path for column in liquid.columns] == [("Heat", "mmBtu per gallon"), ("CO2", "kg CO2 per gallon")]
    assert [row.path for row in liquid.rows] == [("Liquid", "Gasoline"), ("Liquid", "Butane")]
    assert solid.title == liquid.title == "Fuel factors"
    assert [cell.address for cell in liquid.cells][-1] == "C12"


@pytest.mark.parametrize("n_blank", [3, 5])
def test_the_title_of_a_sheet_may_stand_far_above_its_first_table(n_blank: int) -> None:
    title: list[list[Any]] = [["Projection by group"], *([] for _ in range(n_blank))]
    (table,) = tables_of([*title, ["Item", "Budget", "Actual"], *COSTS])
    assert table.title == "Projection by group"


def test_headings_below_a_title_name_the_rows_below_lines_of_signs() -> None:
    """The headings leave out the labels' column, over which the title stands; a "$" by itself is no heading."""
    rows: list[list[Any]] = [
        ["Income statement - ($000s)"],
        [],
        [None, None, "Forecast", None, "Plan", None, "Variance"],
        [],
        ["Margin", "$", None, "$", None, "$"],
        ["Trading"],
        [],
        ["Consulting", None, 26, None, 40, None, 14],
        ["Office", None, 195, None, 240, None, 45],
    ]
    table = tables_of(rows)[-1]
    assert [column.path for column in table.columns] == [("Forecast",), ("Plan",), ("Variance",)]
    assert {(cell.unit, cell.scale) for cell in table.cells} == {("USD", 1000)}


def test_groups_above_a_blank_line_head_the_names_below_it() -> None:
    rows: list[list[Any]] = [
        [None, None, "United States", None, None, None, "United States", None],
        [None, None, "Senator", None, None, None, "Representative", None],
        [],
        ["County", "Moore", "Lane", "Ward", None, "Cole", "Hart", "Pike"],
        [],
        *([name, 10 + n, 20 + n, 30 + n, None, 40 + n, 50 + n, 60 + n] for n, name in enumerate(("Albany", "Crook"))),
    ]
    (table,) = tables_of(rows)
    assert [column.path[1:] for column in table.columns] == [
        *(("Senator", name) for name in ("Moore", "Lane", "Ward")),
        *(("Representative", name) for name in ("Cole", "Hart", "Pike")),
    ]


def test_a_label_and_its_value_above_a_blank_line_head_no_columns() -> None:
    rows: list[list[Any]] = [
        [None, None, "Depot:", "Leeds"],
        [],
        ["Shift", "Name", "Role", "Room", "Relief"],
        ["Early", "Ada Moor", "Driver", "North yard", "Tom Hale"],
        ["Late", "Ben Firth", "Fitter", "South yard", "Una Reid"],
    ]
    table = tables_of(rows)[-1]
    assert [column.path for column in table.columns][-4:] == [("Name",), ("Role",), ("Room",), ("Relief",)]


def test_headings_behind_a_mark_name_the_blocks_below_them() -> None:
    """Years once at the head; a title farther in than the sheet's own goes on from it, one at its edge does not."""
    years = [2016, 2017, 2018, 2019]
    beds: list[list[Any]] = [
        [None, None, label, None, None, *(value + each for each in range(4))] for label, value in (("A", 11), ("B", 70))
    ]
    rows: list[list[Any]] = [
        [None, "Beds"],
        [],
        [None, None, None, None, None, *years],
        [],
        [None, "·", "Hospitals"],
        [],
        *beds,
        [],
        [None, "·", "Homes"],
        [None, None, "(by service)"],
        [],
        *beds,
        [],
        [None, "Places in day care"],
        [],
        [None, "·", "Centres"],
        [],
        *beds,
    ]
    tables = tables_of(rows)
    assert [table.title for table in tables] == ["Beds", "Beds: Homes", "Places in day care"]
    assert [table.notes for table in tables] == [("Hospitals",), ("(by service)",), ("Centres",)]
    assert all([column.path for column in table.columns] == [(str(year),) for year in years] for table in tables)


def test_parameters_among_titles_and_notes_are_tables_of_their_own() -> None:
    """A measurement's sheet: what it was made with, for each coil beside the other, then the field."""
    rows: list[list[Any]] = [
        ["Coils test", None, None, None, "Coil 1 (lower)", None, None, "Coil 2 (upper)"],
        ["Notes", "negative z goes upwards"],
        ["separation [in]", 2.19, None, None, "I [A]", 4, None, "I [A]", 5],
        ["z center [cm]", 67.75, None, None, "Vdrop [V]", 0.3, None, "Vdrop [V]", 0.4],
        [None, None, "Background", None, "With background", None, None, None, None],
        ["z [cm]", "from center", "B0x [G]", "B0y [G]", "B1x [G]", "B1y [G]", "B1z [G]", "B2x [G]", "B2y [G]"],
    ]
    rows += [[62 + n, 5.75 - n, 0.1, -0.2, 0.3 + n, -1.3, 2.5, 0.7, 0.2 * n] for n in range(4)]
    made, lower, upper, field = tables_of(rows)
    told = {(row.leaf, cell.text) for row in made.rows for cell in made.cells if cell.row == row.index}
    assert told == {("separation [in]", "2.19"), ("z center [cm]", "67.75")}
    assert (lower.title, upper.title) == ("Coil 1 (lower)", "Coil 2 (upper)")
    assert [[cell.text for cell in each.cells] for each in (lower, upper)] == [["4", "0.3"], ["5", "0.4"]]
    paths = [column.path for column in field.columns]
    assert ("Background", "B0x [G]") in paths and ("With background", "B1x [G]") in paths


def test_lines_of_two_columns_above_fewer_headings_are_one_table() -> None:
    rows: list[list[Any]] = [["Item", "Amount"], ["Rent", 12], ["Heat", 7], ["Costs", "EUR"]]
    (table,) = tables_of([*rows, ["Food", 4], ["Wine", 3], ["Bread", 2], ["Salt", 1]])
    assert len(table.rows) >= 6
