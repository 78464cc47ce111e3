"""Figures with their comparing sign in a column of its own, as instruments and laboratories export them."""

from __future__ import annotations

import io

import openpyxl
import pytest

from mixrag_cli.records.tables import Table
from tests.evidence_samples import read_bytes

TWO_ROWS = ["sample,IC50 (nM),,note", ",q,value,", "AB1,>,100,x", "AB2,,35,y", "AB3,>,100,z"]
ONE_ROW = ["sample,IC50 (nM),,note", "AB1,>,100,x", "AB2,,35,y", "AB3,>,100,z"]


def read_csv(*lines: str) -> Table:
    (table,) = read_bytes("ic50.csv", "\n".join(lines).encode(), 256)[1].values()
    return table


def told(table: Table, column: int) -> list[tuple[str, bool]]:
    """What the cells of a column say, and whether as a number."""
    return [(cell.text, cell.value is not None) for cell in table.cells if cell.column == column]


@pytest.mark.parametrize(
    ("lines", "path"), [(TWO_ROWS, ("IC50 (nM)", "value")), (ONE_ROW, ("IC50 (nM)",))], ids=["two", "one"]
)
def test_more_than_a_figure_is_not_that_figure(lines: list[str], path: tuple[str, ...]) -> None:
    table = read_csv(*lines)
    column = next(column for column in table.columns if column.path == path)
    assert told(table, column.index) == [(">100", False), ("35", True), (">100", False)]
    assert all(cell.text != ">" for cell in table.cells)
    assert [cell.unit for cell in table.cells if cell.text == "35"] == ["nM"]


def test_in_a_workbook_the_heading_spans_both_columns() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Sample", "IC50 (uM)", None, "Slope"], ["AB1", ">", 10, 1.2], ["AB2", None, 3.5, 2.1]):
        sheet.append(row)
    sheet.merge_cells("B1:C1")
    raw = io.BytesIO()
    book.save(raw)
    (table,) = read_bytes("ic50.xlsx", raw.getvalue(), 256)[1].values()
    column = next(column for column in table.columns if column.path == ("IC50 (uM)",))
    assert told(table, column.index) == [(">10", False), ("3.5", True)]


def test_equal_and_about_leave_a_figure() -> None:
    table = read_csv("sample,sign,mass,note", "AB1,=,100,x", "AB2,~,35,y", "AB3,<,10,z")
    column = next(column for column in table.columns if column.path == ("mass",))
    assert told(table, column.index) == [("100", True), ("~35", True), ("<10", False)]


def test_signs_beside_texts_stay_where_they_are() -> None:
    table = read_csv("part,sheet,made of,count", "J1,~,steel,100", "J2,~,brass,35")
    assert [cell.text for cell in table.cells if cell.row == 1][-3:] == ["~", "steel", "100"]
