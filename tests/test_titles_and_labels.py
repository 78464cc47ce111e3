"""What stands around a table's figures: units aside, totals of several years, ranges as data, columns of long texts."""

from __future__ import annotations

import pytest

from mixrag_cli.tables.units import unit_of_source
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


def test_the_index_of_a_frame_names_no_row_beside_names() -> None:
    frame = [["", "name", "AP"], ["0", "DETR", "42.0"], ["1", "DETR-DC5", "43.3"], ["2", "DETR-R", "43.5"]]
    assert lefts(to_table(frame)) == [("DETR",), ("DETR-DC5",), ("DETR-R",)]
    ranked = [["No.", *frame[0][1:]], *frame[1:]]
    assert lefts(to_table(ranked))[1] == ("1", "DETR-DC5")


def test_numbers_from_one_to_the_last_row_name_the_rows_beside_figures() -> None:
    vested = [["Year of service", "% vested"], *([str(year), str(20 * year - 20)] for year in range(1, 7))]
    table = to_table(vested)
    assert lefts(table)[3] == ("Year of service", "4")
    assert [cell.text for cell in table.cells if cell.row == table.rows[3].index][-1] == "60"
    gaps = [vested[0], *vested[1:4], ["9", "60"], ["11", "80"]]
    assert lefts(to_table(gaps))[0] != ("Year of service", "1")


def test_numbers_of_rows_beside_names_are_no_names() -> None:
    rows = [["Nr of entry", "Town", "Heads"]] + [[str(at), f"Town {chr(64 + at)}", str(at * 7)] for at in range(1, 6)]
    assert all(path[-1].startswith("Town ") for path in lefts(to_table(rows)))


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


def test_lines_below_a_title_that_tell_of_it_are_notes() -> None:
    told = ["Source: Forestry Commission", "This worksheet contains one table.", "Unit: million cubic metres of wood."]
    rows = [["Table 1: Growing stock"], *([line] for line in told), ["Species", "England", "Wales"]]
    table = to_table([*rows, ["Oak", "51.7", "7.7"], ["Ash", "30.1", "6.9"]])
    assert table.title == "Table 1: Growing stock"
    assert set(table.notes) == set(told)
    assert {cell.scale for cell in table.cells} == {1_000_000}


def test_a_label_with_a_mark_of_a_note_is_a_section() -> None:
    rows = [["Land", "England", "Wales", "Note"], ["Woodland", "", "", "[note 1]"]]
    rows += [["2021", "214", "115", ""], ["2022", "213", "116", ""], ["Other land", "", "", "[note 2, 3]"]]
    table = to_table([*rows, ["2021", "39", "8", "[note 4]"], ["2022", "38", "9", ""]])
    assert lefts(table) == [(land, year) for land in ("Woodland", "Other land") for year in ("2021", "2022")]
    assert tops(table) == [("England",), ("Wales",), ("Note",)]


@pytest.mark.parametrize(("last", "names"), [("Colour", ["pH", "Depth", "Oxygen", "Colour"]), ("", ["pH", "Oxygen"])])
def test_a_name_alone_at_the_end_of_an_export_is_a_record(last: str, names: list[str]) -> None:
    rows = [["name", "about", "source"], ["pH", "how acid it is", "a book"], ["Depth", "", ""]]
    rows += [["Oxygen", "how much is free", ""], *([[last, "", ""]] if last else [])]
    assert [path[-1] for path in lefts(to_table(rows))] == names


def test_citations_name_columns() -> None:
    table = to_table([["Task", "[12]", "[13]"], ["Parsing", "81.2", "83.0"], ["Tagging", "97.1", "97.4"]])
    assert tops(table) == [("[12]",), ("[13]",)]


def test_rough_figures_and_marks_of_missing_ones_are_data() -> None:
    rows = [["Year", "England (%)", "Wales (%)"], ["1086", "~15.0", "[x]"], ["Circa 1350", "~10.0", "[x]"]]
    table = to_table([*rows, ["1905", "5.2", "4.2"], ["1924", "5.1", "5.0"]])
    assert tops(table) == [("England (%)",), ("Wales (%)",)]
    assert [str(cell.value) for cell in table.cells if cell.column == 1] == ["15.0", "10.0", "5.2", "5.1"]


@pytest.mark.parametrize(
    ("line", "unit", "scale"),
    [
        ("Unit: £ million", "GBP", 1_000_000),
        ("Units: thousands", "", 1_000),
        ("Unit of measure: tonnes", "tonnes", 1),
        ("Unit: million cubic metres overbark standing. Data at 31 March.", "", 1_000_000),
        ("Einheit: EUR", "EUR", 1),
        ("Unit: Sales department", "", 1),
        ("State: PA", "", 1),
        ("Frequency: Month", "", 1),
    ],
)
def test_a_label_before_a_unit_says_what_all_figures_are_in(line: str, unit: str, scale: int) -> None:
    said = unit_of_source(line)
    assert (said.unit, said.scale) == (unit, scale)


def test_links_beside_names_are_no_names_of_the_rows() -> None:
    parts = [["Tubing", "Hose", "https://shop.example/1", "2", "9.50"], ["", "Clamp", "from the yard", "4", "0.75"]]
    rows = [["", "Part", "Link", "Count", "Price"], *parts, ["Wires", "Plug", "https://shop.example/7", "1", "3.20"]]
    table = to_table(rows)
    assert lefts(table) == [("Tubing", "Hose"), ("Tubing", "Clamp"), ("Wires", "Plug")]
    assert [cell.text for cell in table.cells if cell.column == 2] == [row[2] for row in rows[1:]]
