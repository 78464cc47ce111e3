"""Raised signs are no digits of what they stand at: footnotes' marks and powers in every format that knows them."""

from __future__ import annotations

import io
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pptx
import pytest
from odf.opendocument import OpenDocumentSpreadsheet, OpenDocumentText
from odf.style import Style, TextProperties
from odf.table import Table as OdfTable
from odf.table import TableCell, TableRow
from odf.text import P, Span
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from pptx.util import Inches
from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.readers import reader_for
from mixrag_cli.readers.raised import raise_text
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.words import words_of
from tests.painted_pdf import read_pages

OFFICE = Path(__file__).parent / "samples" / "office"
HTML = """<p>About 10<sup>6</sup> J on the 4<sup>th</sup> day<sup>[3]</sup>.</p>
<table><tr><th>Year</th><th>Theft<sup>1, 2</sup></th></tr>
<tr><td>2019<sup>a</sup></td><td>1,234<sup>2</sup></td></tr><tr><td>2020</td><td>5,678</td></tr></table>"""
MARKDOWN = """About 10<sup>6</sup> J on the 4<sup>th</sup> day<sup>[3]</sup>.

| Year | Theft<sup>1, 2</sup> |
|------|------|
| 2019<sup>a</sup> | 1,234<sup>2</sup> |
| 2020 | 5,678 |
"""


def read(raw: bytes, name: str) -> Document:
    return reader_for(name)(ReadSource(name, len(raw), io.BytesIO(raw)))


def table_of(document: Document) -> Table:
    table = grid_to_table(document.grids[0], document="d", title="")
    assert table is not None
    return table


@pytest.mark.parametrize(
    ("text", "raised"),
    [("6", "⁶"), ("6, 7", "⁶, ⁷"), ("-3", "⁻³"), ("a", "ᵃ"), ("th", "th"), ("(1)", "(1)"), ("[3]", "[3]"), ("®", "®")],
)
def test_numbers_and_single_letters_are_raised(text: str, raised: str) -> None:
    assert raise_text(text) == raised


@pytest.mark.parametrize(("name", "text"), [("a.html", HTML), ("a.md", MARKDOWN)])
def test_a_mark_at_a_figure_is_no_digit_of_it(name: str, text: str) -> None:
    document = read(text.encode(), name)
    assert document.text.startswith("About 10⁶ J on the 4th day[3].")
    table = table_of(document)
    assert table.columns[-1].path == ("Theft¹, ²",)
    assert [cell.value for cell in table.cells if cell.column == 1] == [Decimal(1234), Decimal(5678)]


def test_a_mark_left_open_ends_with_its_block() -> None:
    assert read(b"<p>one<sup>1</p><p>2</p>", "a.html").text == "one¹\n\n2"


def test_a_raised_run_of_a_sheet() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    raised = InlineFont(vertAlign="superscript")
    sheet.append([CellRichText("Total", TextBlock(raised, "6, 7")), CellRichText(TextBlock(raised, "2"), "H 5")])
    target = io.BytesIO()
    book.save(target)
    assert [cell.text for cell in read(target.getvalue(), "a.xlsx").grids[0].cells] == ["Total⁶, ⁷", "²H 5"]


def test_raised_runs_of_a_slide() -> None:
    deck = pptx.Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[5]).shapes
    shapes.title.text_frame.text = "Incomes"
    table = shapes.add_table(3, 2, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for place, text in enumerate(("Year", "Theft", "2019", "1,234", "2020", "5,678")):
        table.cell(place // 2, place % 2).text = text
    marks = {(0, 1): ("30000", "1, 2"), (1, 1): ("30%", "2"), (2, 1): ("-25000", "3"), (2, 0): ("0", "r")}
    for at, (baseline, mark) in marks.items():
        run = table.cell(*at).text_frame.paragraphs[0].add_run()
        run.text = mark
        run._r.get_or_add_rPr().set("baseline", baseline)
    target = io.BytesIO()
    deck.save(target)
    cells = [cell.text for cell in read(target.getvalue(), "a.pptx").grids[0].cells]
    assert cells == ["Year", "Theft¹, ²", "2019", "1,234²", "2020r", "5,6783"]


@pytest.mark.parametrize(
    "raised",
    ['<w:position w:val="6"/><w:sz w:val="16"/>', '<w:rStyle w:val="Mark"/>', '<w:vertAlign w:val="superscript"/>'],
)
def test_raised_runs_of_a_word_document(raised: str) -> None:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    styles = (
        f'<w:styles xmlns:w="{word}"><w:style w:type="character" w:styleId="Plain"><w:rPr><w:b/></w:rPr></w:style>\n'
        '<w:style w:type="character" w:styleId="Mark">\n<w:name w:val="Mark"/><w:rPr>'
        '<w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>'
    )
    runs = "".join(
        f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"
        for properties, text in (("", "1,234"), (raised, "2"), ('<w:position w:val="1"/>', "5"), ("", " "))
    )
    body = f'<w:document xmlns:w="{word}"><w:body><w:p>{runs}</w:p></w:body></w:document>'
    sample = OFFICE / "ferry.docx"
    target = io.BytesIO()
    with zipfile.ZipFile(sample) as before, zipfile.ZipFile(target, "w") as after:
        for name in before.namelist():
            new = {"word/document.xml": body, "word/styles.xml": styles}.get(name)
            after.writestr(name, before.read(name) if new is None else new)
    assert read(target.getvalue(), "a.docx").text == "1,234²5"


def test_small_signs_above_the_line_of_a_page() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Breastfed")
        canvas.setFontSize(6)
        canvas.drawString(72.2 + canvas.stringWidth("Breastfed", "Helvetica", 9), 703.5, "10")
        canvas.setFontSize(9)
        canvas.drawString(72, 650, "H")
        canvas.setFontSize(6)
        canvas.drawString(78.6, 648, "2")
        canvas.setFontSize(9)
        canvas.drawString(82, 650, "O is water")

    text = read_pages(paint).text
    assert "Breastfed¹⁰" in text
    assert "H2O is water" in text


def test_a_mark_is_no_part_of_a_word() -> None:
    assert words_of("Violent crime³ and rapeᵃ") == words_of("Violent crime and rape")


def add_raised(document: Any, paragraph: Any) -> None:
    """An OpenDocument paragraph "Total" with a raised "6, 7"."""
    style = Style(name="T1", family="text")
    style.addElement(TextProperties(textposition="super 58%"))
    document.automaticstyles.addElement(style)
    paragraph.addText("Total")
    paragraph.addElement(Span(stylename=style, text="6, 7"))


def test_raised_spans_of_open_documents() -> None:
    text, sheet = OpenDocumentText(), OpenDocumentSpreadsheet()
    paragraph, of_cell = P(), P()
    add_raised(text, paragraph)
    add_raised(sheet, of_cell)
    text.text.addElement(paragraph)
    table, row, cell = OdfTable(name="One"), TableRow(), TableCell()
    cell.addElement(of_cell)
    row.addElement(cell)
    table.addElement(row)
    sheet.spreadsheet.addElement(table)
    for document, name in ((text, "a.odt"), (sheet, "a.ods")):
        target = io.BytesIO()
        document.write(target)
        assert "Total⁶, ⁷" in read(target.getvalue(), name).text


def test_a_number_behind_a_smaller_word_beside_a_title_is_no_raised_sign() -> None:
    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 16)
        canvas.drawString(72, 700, "School of Biochemistry")
        canvas.drawString(72, 600, "about 10")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(260, 704, "Phone : 0731-2460276")
        canvas.drawString(135, 606, "6")
        canvas.setFont("Helvetica", 16)
        canvas.drawString(145, 600, "joules")

    text = read_pages(paint).text
    assert "Phone : 0731-2460276" in text
    assert "about 10⁶ joules" in text
