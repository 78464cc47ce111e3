"""Several tables in one csv, parted by blank lines: each has its own headings, and no row is lost."""

from __future__ import annotations

import io

from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table

BUDGET = """Exchange rate,0.86,,
,,,
Position,Held by,Monthly,Euros/month
Editor,Ann,500.00,430.00
Author,Bob,551.25,551.25

Yearly total,,,981.25
,,,
Other expenses,Raw amount,,Euros
Fees,5000,,5000.00
Trailer,1500,,1500.00
"""


def read(text: str) -> Document:
    raw = text.encode()
    return read_delimited(ReadSource("budget.csv", len(raw), io.BytesIO(raw)))


def tables_of(document: Document) -> list[Table]:
    found = [grid_to_table(grid, document="d", title=document.title) for grid in document.grids]
    return [table for table in found if table is not None]


def test_each_table_has_its_own_headings_and_lines() -> None:
    document = read(BUDGET)
    positions, others = tables_of(document)
    assert [column.path[0] for column in positions.columns] == ["Position", "Held by", "Monthly", "Euros/month"]
    assert [column.path[0] for column in others.columns] == ["Other expenses", "Raw amount", "Euros"]
    assert [grid.locator.lines for grid in document.grids] == [(1, 1), (3, 7), (9, 11)]
    fees = next(cell for cell in others.cells if cell.text == "5000.00")
    assert fees.line == 10
    assert sum(grid.n_rows for grid in document.grids) == sum(bool(line.strip(",")) for line in BUDGET.splitlines())


def test_what_is_no_table_stays_in_the_text() -> None:
    assert "Exchange rate | 0.86" in read(BUDGET).text


def test_a_blank_line_between_rows_parts_nothing() -> None:
    (table,) = tables_of(read("Town,People\nAber,100\n\nBirk,200\nCarn,300\n"))
    assert [row.path for row in table.rows] == [("Aber",), ("Birk",), ("Carn",)]


def test_a_list_of_texts_with_a_blank_line_is_one_table() -> None:
    document = read("Name,Town,Role\nAnn,Aber,editor\n\nBob,Birk,author\n")
    assert [grid.n_rows for grid in document.grids] == [3]


def test_rows_below_a_title_in_the_middle_keep_the_headings_of_the_file() -> None:
    first = "Day,From,To,Module,Room,Week\nMonday,9:00,10:00,CS4013,CSG001,1\nTuesday,9:00,11:00,CS4023,S206,2\n"
    document = read(
        f"{first}\n# Modules of LM174\n\nMonday,10:00,11:00,MS4613,HSG037,1\nFriday,9:00,10:00,CS4044,S206,2\n"
    )
    upper, lower = tables_of(document)
    assert [column.path for column in lower.columns] == [column.path for column in upper.columns]
    assert [[cell.text for cell in lower.cells if cell.row == row.index][-2:] for row in lower.rows] == [
        ["HSG037", "1"],
        ["S206", "2"],
    ]
    assert [grid.locator.lines for grid in document.grids] == [(1, 3), (5, 8)]
