"""Files under the name of another format: read by what their first bytes say."""

from __future__ import annotations

import io
import re
from decimal import Decimal
from pathlib import Path

import pytest
import xlwt
from reportlab.pdfgen.canvas import Canvas
from test_extraction import extract, job_of

from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.records.documents import Document
from mixrag_cli.settings import Settings
from mixrag_cli.tables.grid import grid_to_table

PAGE = "<html><body><table><tr><th>Item</th><th>Amount</th></tr><tr><td>Rent</td><td>1,200.00</td></tr></table></html>"


def read(raw: bytes, name: str) -> Document:
    return reader_for(name, raw[:16])(ReadSource(name, len(raw), io.BytesIO(raw)))


@pytest.mark.parametrize(
    "text",
    [
        PAGE,
        "<?xml version='1.0'?>\n<!-- made by books --><HTML><body>" + PAGE[12:],
        f"MIME-Version: 1.0\nContent-Type: text/html\n\n{PAGE}",
        "Item\tAmount\nRent\t1,200.00\n",
        "Item;Amount\nRent;1200,00\n",
    ],
)
def test_an_export_named_as_a_workbook_is_read_as_what_it_is(text: str) -> None:
    (grid,) = read(text.encode(), "export.xls").grids
    table = grid_to_table(grid, document="d", title="export")
    assert table is not None
    assert [cell.value for cell in table.cells if cell.column == 1] == [Decimal("1200.00")]


def test_a_workbook_named_as_a_csv_is_one() -> None:
    book = xlwt.Workbook()
    book.add_sheet("Rents").write(0, 0, "Rent of the yard")
    raw = io.BytesIO()
    book.save(raw)
    assert read(raw.getvalue(), "rents.csv").text == "Rents\n\nRent of the yard"


@pytest.mark.parametrize("name", ["invoice", "invoice.txt"])
def test_a_pdf_without_its_suffix_is_one(tmp_path: Path, name: str) -> None:
    made = io.BytesIO()
    canvas = Canvas(made)
    canvas.drawString(72, 720, "The invoice is over 310 EUR.")
    canvas.save()
    result = extract([job_of(tmp_path, name, made.getvalue())], Settings())[name]
    assert result.extraction is not None
    assert result.extraction.modality == "pdf"
    assert re.search("over 310 EUR", result.extraction.chunks[0].text)
