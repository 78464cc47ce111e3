"""Header rows among other things: jottings beside them, units and identifiers below them, a line of values above."""

from __future__ import annotations

from mixrag_cli.tables.grid import grid_to_table
from tests.cited_lines import read_document
from tests.table_samples import lefts, to_table, tops

LIBRARY = [
    ["Name", "Vac", "Pso", "C0", "Maker"],
    ["Units", "V", "W", "1/W", ""],
    ["[0]", "inv_vac", "inv_pso", "inv_c0", "inv_maker"],
    ["Alder 250", "208", "2.1", "-0.04", "Alder"],
    ["Birch 300", "240", "2.2", "-0.03", "Birch"],
]


def test_jottings_beside_headings_say_nothing_of_their_row() -> None:
    jottings = [["50", "1.39"], ["", ""], ["", ""]]
    rows = [["Name", "Tariff", "Fee"], ["Acme", "35.4", "89.1"], ["Birch", "33.1", "60.5"]]
    table = to_table([[*row, "", *more] for row, more in zip(rows, jottings, strict=True)])
    assert tops(table)[:2] == [("Tariff",), ("Fee",)]
    assert lefts(table) == [("Acme",), ("Birch",)]


def test_a_figure_beside_one_name_is_a_record() -> None:
    rows = [["Snow", "Third offense", "$100.00"], ["Cars", "$25.00", ""], ["Boats", "$50.00", ""]]
    assert lefts(to_table(rows)) == [("Snow",), ("Cars",), ("Boats",)]


def test_units_and_identifiers_below_names_are_no_records() -> None:
    table = to_table(LIBRARY)
    assert tops(table) == [("Vac",), ("Pso",), ("C0",), ("Maker",)]
    assert [cell.unit for cell in table.cells if cell.row == 3] == ["V", "W", "1/W", ""]
    assert lefts(table) == [("Alder 250",), ("Birch 300",)]


def test_marks_of_what_was_withheld_are_a_record() -> None:
    rows = [["State", "Town", "Jobs", "Pay", "Rate"], ["OH", "Elm", "**", "**", "**"]]
    table = to_table([*rows, *(["PR", f"Ash {n}", f"{n}60", "4.4", "3.7"] for n in range(3))])
    assert len(table.rows) == 4


def test_a_line_of_values_above_the_names_is_text() -> None:
    names = "Time,GHI (W/m2),DNI (W/m2),Wind (m/s),Temp (C),Cloud,Dew,Rain"
    days = "".join(f"2001-01-0{n},{n}5,{n}0,2.1,{n},,,\n" for n in range(1, 5))
    document = read_document("a.csv", f"724940,ST HELENS,OR,-8.0,45.9,-122.8\n{names}\n{days}".encode())
    (grid,) = document.grids
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    assert document.text.startswith("724940,ST HELENS")
    assert [column.path for column in table.columns][:2] == [("Time",), ("GHI (W/m2)",)]
