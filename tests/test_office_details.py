"""Word, slides and mails: what stands beside the text, and what the libraries do not know."""

from __future__ import annotations

import re
import zipfile

import pytest
from test_office import ODF, SAMPLES, WORD, read, rebuilt


def test_a_chart_that_the_library_does_not_know_is_read_by_its_series() -> None:
    chart = "ppt/charts/chart1.xml"
    with zipfile.ZipFile(SAMPLES / "glaze.pptx") as package:
        raised = package.read(chart).replace(b"c:barChart>", b"c:bar3DChart>")
    assert b"c:bar3DChart>" in raised
    document = read(rebuilt("glaze.pptx", {chart: raised}), "glaze.pptx")
    assert [cell.text for cell in document.grids[0].cells if cell.row == 1] == ["2029", "412", "198"]
    assert len(document.grids) == 2
    assert document.warnings == ()


def test_a_chart_that_cannot_be_read_costs_only_itself() -> None:
    links = "ppt/slides/_rels/slide1.xml.rels"
    with zipfile.ZipFile(SAMPLES / "glaze.pptx") as package:
        lost = re.sub(rb'<Relationship [^>]*relationships/chart"[^>]*>', b"", package.read(links))
    document = read(rebuilt("glaze.pptx", {links: lost}), "glaze.pptx")
    assert document.warnings == ("slide 1: a chart could not be read",)
    assert len(document.grids) == 1


def test_headers_and_footers_of_a_word_document_are_read_once_and_without_page_numbers() -> None:
    def part(kind: str, *paragraphs: str) -> bytes:
        return f'<w:{kind} xmlns:w="{WORD}">{"".join(f"<w:p>{each}</w:p>" for each in paragraphs)}</w:{kind}>'.encode()

    run = "<w:r><w:t>{}</w:t></w:r>".format
    number = '<w:fldSimple w:instr=" PAGE ">' + run("7") + "</w:fldSimple>"
    begin, middle, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    total = f"{begin}<w:r><w:instrText> NUMPAGES </w:instrText></w:r>{middle}{run('9')}{end}"
    tab = "<w:r><w:tab/></w:r>"
    headers = part("hdr", run("Contract no. FT-2031-044"), run("Page ") + number + run(" of ") + total)
    footers = part("ftr", run("Wexcombe Ferries") + tab + run("Page ") + number)
    parts = {"word/header1.xml": headers, "word/header2.xml": headers, "word/footer1.xml": footers}
    document = read(rebuilt("ferry.docx", parts), "ferry.docx")
    first, last = document.blocks[0], document.blocks[-1]
    assert (first.text, first.heading_path) == ("Contract no. FT-2031-044", ())
    assert (last.text, last.heading_path) == ("Wexcombe Ferries", ())
    assert document.text.count("FT-2031-044") == 1


def test_headers_and_footers_of_an_open_document_text_are_read_once() -> None:
    pages = (
        "<style:master-page><style:header><text:p>Contract no. FT-2031-044</text:p></style:header>"
        "<style:footer><text:p>Wexcombe Ferries<text:tab/>Page <text:page-number>7</text:page-number></text:p>"
        "</style:footer></style:master-page>"
    )
    styles = f'<office:document-styles {ODF} xmlns:style="s">{pages}{pages}</office:document-styles>'
    document = read(rebuilt("ferry.odt", {"styles.xml": styles.encode()}), "ferry.odt")
    first, last = document.blocks[0], document.blocks[-1]
    assert (first.text, last.text, last.heading_path) == ("Contract no. FT-2031-044", "Wexcombe Ferries", ())
    assert document.text.count("FT-2031-044") == 1


def test_a_table_in_a_cell_of_a_word_table_is_one_of_its_own() -> None:
    def table(*rows: tuple[str, ...]) -> str:
        cells = (f"<w:tr>{''.join(f'<w:tc>{cell}<w:p/></w:tc>' for cell in row)}</w:tr>" for row in rows)
        return f"<w:tbl>{''.join(cells)}</w:tbl>"

    said = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>".format
    inner = table((said("Metric"), said("Target")), (said("Response"), said("2 hours")))
    outer = table((said("Level"), said("Targets")), (said("Gold"), inner), (said("Iron"), said("none")))
    body = f'<w:document xmlns:w="{WORD}"><w:body>{outer}</w:body></w:document>'.encode()
    document = read(rebuilt("ferry.docx", {"word/document.xml": body}), "ferry.docx")
    first, second = document.grids
    assert [cell.text for cell in first.cells if cell.column == 0] == ["Level", "Gold", "Iron"]
    assert second.caption == "Gold"
    assert [cell.text for cell in second.cells] == ["Metric", "Target", "Response", "2 hours"]


def test_a_table_set_with_tabs_in_a_word_document_is_one() -> None:
    def line(*texts: str) -> str:
        parts = "<w:r><w:tab/></w:r><w:r><w:tab/></w:r>".join(f"<w:r><w:t>{text}</w:t></w:r>" for text in texts)
        return f"<w:p>{parts}</w:p>"

    leave = [("Years of service", "Rate of accrual"), ("1-5", "84 hours"), ("6-15", "126 hours"), ("16 +", "168 hours")]
    form = [("Name:", "____________"), ("Date:", "____________"), ("Grade:", "____________")]
    items = [("(a)", "at least 18 years"), ("(b)", "at most 65 years"), ("(c)", "a number of 9 digits")]
    told = [("Leave is earned so:",), *leave[:3], (" ",), leave[3], ("That is all.",), *form, *items]
    paragraphs = "".join(line(*texts) for texts in told)
    body = f'<w:document xmlns:w="{WORD}"><w:body>{paragraphs}</w:body></w:document>'.encode()
    document = read(rebuilt("ferry.docx", {"word/document.xml": body}), "ferry.docx")
    (grid,) = document.grids
    assert [cell.text for cell in grid.cells] == [text for row in leave for text in row]
    assert [cell.is_header for cell in grid.cells] == [True, True, *[False] * 6]
    assert "at most 65 years" in document.text


def test_the_entries_of_a_contents_are_no_table_of_page_numbers() -> None:
    def entry(title: str, page: int) -> str:
        look = '<w:pPr><w:pStyle w:val="TOC1"/></w:pPr>'
        return f"<w:p>{look}<w:r><w:t>{title}</w:t></w:r><w:r><w:tab/></w:r><w:r><w:t>{page}</w:t></w:r></w:p>"

    look = '<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>'
    entries = "".join(entry(title, page) for title, page in (("Leave", 3), ("Pay", 9), ("Travel", 14), ("Dress", 21)))
    parts = {
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{entries}</w:body></w:document>'.encode(),
        "word/styles.xml": f'<w:styles xmlns:w="{WORD}">{look}</w:styles>'.encode(),
    }
    document = read(rebuilt("ferry.docx", parts), "ferry.docx")
    assert (document.grids, "Travel" in document.text) == ((), True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_mail_saved_in_another_encoding_is_read_as_it_was(encoding: str) -> None:
    head = "From: Zoë <z@example.org>\r\nSubject: Terms\r\nContent-Type: text/plain; charset=iso-8859-1\r\n"
    raw = f"{head}Content-Transfer-Encoding: 8bit\r\n\r\nCrème brûlée costs 7 EUR.\r\n".encode(encoding)
    document = read(raw, "terms.eml")
    assert document.title == "Terms"
    assert document.blocks[-1].text == "Crème brûlée costs 7 EUR."
