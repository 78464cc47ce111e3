"""Old binary workbooks: cells as their number formats show them; damage that costs no more than the formats."""

from __future__ import annotations

import io
from decimal import Decimal

import pytest
import xlwt
from test_sheets import read, tables_of

from mixrag_cli.readers.sheets.xls_formats import read_formats
from mixrag_cli.readers.source import stay_silent

CODES = ("", "0.0%", "#,##0;(#,##0)", "[h]:mm", "[$€-2] #,##0.00")
ROWS = (("Tea", 0.125, -400, 1.5625, 3.5), ("Cocoa", 0.08, 900, 0.25, 12345.6))


def make_xls(n_rows: int = 2) -> bytes:
    book = xlwt.Workbook()
    sheet = book.add_sheet("Old")
    styles = [xlwt.easyxf(num_format_str=code) if code else xlwt.easyxf() for code in CODES]
    for column, heading in enumerate(("Item", "Margin", "Profit", "Worked", "Price"), 1):
        sheet.write(2, column, heading)
    for row in range(n_rows):
        for column, value in enumerate(ROWS[row % 2]):
            sheet.write(3 + row, 1 + column, value, styles[column])
    raw = io.BytesIO()
    book.save(raw)
    return raw.getvalue()


@pytest.mark.parametrize("n_rows", [2, 400])
def test_cells_are_shown_by_their_number_formats(n_rows: int) -> None:
    (table,) = tables_of(read(make_xls(n_rows), "old.xls"))
    cells = [cell for cell in table.cells if cell.row == 1 and cell.column]
    assert [(cell.text, cell.value, cell.unit) for cell in cells] == [
        ("12.5%", Decimal("12.5"), "%"),
        ("(400)", Decimal(-400), ""),
        ("37:30", Decimal("37.5"), "hours"),
        ("€ 3.50", Decimal("3.5"), "EUR"),
    ]


def test_broken_records_and_rings_of_sectors_give_no_formats() -> None:
    raw = make_xls(400)
    assert len(read_formats(io.BytesIO(raw), stay_silent)[0]) == 1_600
    ring = bytearray(raw)
    table = int.from_bytes(raw[76:80], "little")
    start = (table + 1) * 512
    ring[start : start + 4] = bytes(4)  # the first sector is followed by itself
    for broken in (raw[:700], bytes(ring), raw[:512] + bytes(len(raw) - 512), b""):
        assert sum(map(len, read_formats(io.BytesIO(broken), stay_silent))) <= 1_600
