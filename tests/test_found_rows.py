"""Rows of a long sheet that the word search found: they join the sampled table with their own places."""

from __future__ import annotations

import io
from dataclasses import replace

import openpyxl

from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.sheets.reader import read_sheet
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.found_rows import blocks_by_table, with_found_rows
from mixrag_cli.tables.grid import grid_to_table

N_ROWS = 5_400


def read_long_sheet() -> tuple[Table, Chunk]:
    """A sampled sheet, and a block of five of its rows that are not in the sample."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Wells")
    sheet.append(["well", "pumped (hours)", "note"])
    for number in range(N_ROWS):
        sheet.append([f"W{number:05d}", number + 0.5, "dry" if number % 2 else None])
    target = io.BytesIO()
    book.save(target)
    raw = target.getvalue()
    (grid,) = read_sheet(ReadSource("wells.xlsx", len(raw), io.BytesIO(raw))).grids
    table = grid_to_table(grid, document="d", title="wells")
    assert table is not None
    known = {cell.text for cell in table.cells}
    header, *lines = grid.row_lines
    start = next(n for n in range(2_000, N_ROWS) if not {f"W{n + k:05d}" for k in range(5)} & known)
    chosen = lines[start : start + 5]
    text = "\n".join([header.text, *(line.text for line in chosen)])
    place = replace(table.locator, cells=f"A{chosen[0].sheet_row}:C{chosen[-1].sheet_row}")
    return table, Chunk("c", "d", "row", "sheet", text, "", "", place, 0, table.id)


def test_found_rows_stand_among_the_sample_with_their_cells_and_units() -> None:
    table, block = read_long_sheet()
    whole = with_found_rows(table, [block, block])
    added = [row for row in whole.rows if row not in table.rows]
    assert len(added) == 5
    assert len(whole.rows) == len(table.rows) + 5
    assert whole.rows[0] == table.rows[0]
    assert whole.rows[-1] == table.rows[-1]
    for row in added:
        cells = {cell.column: cell for cell in whole.cells if cell.row == row.index}
        number = int(row.path[0][1:])
        assert (cells[1].value, cells[1].unit, cells[1].address) == (number + 0.5, "hours", f"B{number + 2}")
        assert (2 in cells) == bool(number % 2)


def test_found_rows_are_read_by_the_decimal_mark_of_their_table() -> None:
    raw = b"name;sum\n" + b"".join(b"N%05d;48.500\n" % number for number in range(N_ROWS))
    (grid,) = read_delimited(ReadSource("sums.csv", len(raw), io.BytesIO(raw))).grids
    table = grid_to_table(grid, document="d", title="sums")
    assert table is not None
    known = {cell.line for cell in table.cells}
    line = next(line for line in grid.row_lines[1_000:] if line.lines and line.lines[0] not in known)
    place = replace(table.locator, lines=line.lines)
    block = Chunk("c", "d", "row", "sheet", f"{grid.row_lines[0].text}\n{line.text}", "", "", place, 0, table.id)
    whole = with_found_rows(table, [block])
    added = [cell.value for cell in whole.cells if line.lines and cell.line == line.lines[0] and cell.column == 1]
    assert added == [48_500]


def test_blocks_whose_rows_cannot_be_told_apart_are_left_out() -> None:
    table, block = read_long_sheet()
    assert with_found_rows(table, [replace(block, text=f"{block.text}\nW9 | 1")]) == table
    bars = replace(block, text=block.text.replace(" | ", " | a | b | "))
    assert with_found_rows(table, [bars]) == table
    assert blocks_by_table([block, replace(block, row=3), replace(block, parent="")]) == {table.id: [block]}
