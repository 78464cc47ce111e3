"""PDF tables that begin with data have no header row; those that are headed by sizes keep theirs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mixrag_cli.records.tables import Table
from tests.painted_pdf import read_pages
from tests.test_running_tables import draw_table
from tests.test_unruled_headers import table_of


def read_table(rows: Sequence[Sequence[str]]) -> Table:
    return table_of(read_pages(lambda canvas: draw_table(canvas, 700, rows)))


UNITS = (
    ("capacity", "kg", "3,5,10,20(alloy); 80(steel)"),
    ("safe overload", "%FS", "120"),
    ("rated output", "mV/V", "1.0 ± 0.15"),
    ("excitation voltage", "V", "5 ~ 10"),
    ("zero balance", "%FS", "± 0.1"),
)
RANGES = (
    ("Effective range", "0~500 ug", "of PM2.5"),
    ("Maximum range", "≥1000 ug", "of PM2.5"),
    ("Response time", "≤10 s", "in all"),
    ("Supply", "4.5 - 5.5 V", "stable"),
)


@pytest.mark.parametrize("rows", [UNITS, RANGES, [row[:2] for row in RANGES]])
def test_a_first_row_that_measures_what_those_below_do_is_data(rows: Sequence[Sequence[str]]) -> None:
    table = read_table(rows)
    assert [row.path for row in table.rows] == [(row[0],) for row in rows]
    assert [cell.text for cell in table.cells] == [text for row in rows for text in row[1:]]


@pytest.mark.parametrize(
    ("header", "units"),
    [(("Speed", "5 km", "10 km"), ""), (("Item", "Value", "Unit"), "kg V A m")],
)
def test_names_of_columns_stay_a_header(header: Sequence[str], units: str) -> None:
    lasts = units.split() or ["18", "19", "20", "21"]
    rows = [(f"Team {letter}", f"{n}", lasts[n]) for n, letter in enumerate("ABCD")]
    assert [column.path[0] for column in read_table([header, *rows]).columns] == [*header[1:]]
