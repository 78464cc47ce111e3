"""Rich text (rtf): characters by their code pages, headings, lists, tables, footnotes; hostile twins."""

from __future__ import annotations

import io

import pytest
from test_office import read, told

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers import ReadLimits, ReadSource, reader_for
from mixrag_cli.records.documents import Document
from mixrag_cli.walking.rules import judge_file_name

HEAD = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Helvetica;}{\f1\fnil\fcharset204 Arial CYR;}}"
BODY = "Deposits are refundable within two days from the time the deposit is processed, not later."


def rich(body: str, head: str = HEAD) -> Document:
    return read((head + body + "}").encode("latin-1"), "terms.rtf")


def row(*texts: str, definition: str = "") -> str:
    edges = definition or "".join(rf"\cellx{2000 * (number + 1)}" for number in range(len(texts)))
    return r"\trowd" + edges + r"\pard\intbl " + "".join(rf"{text}\cell " for text in texts) + "\\row\n"


def cells(document: Document) -> list[tuple[str, str, int, int]]:
    (grid,) = document.grids
    return [(cell.address or "", cell.text, cell.row_span, cell.column_span) for cell in grid.cells]


def test_characters_are_those_of_their_code_pages() -> None:
    document = rich(
        r"\pard caf\'e9 \endash  {\uc1\u8364 ?}5 \u-10179?\u-8704?\par"
        r"{\f1\'cf\'f0\'e8\'e2\'e5\'f2}\par 10{\super 6} a\~b {\deleted gone}{\*\generator Msftedit;}\par"
    )
    assert [text for _, _, text in told(document)] == ["café – €5 😀", "Привет", "10⁶ a b"]
    assert document.modality == "document"


def test_the_end_of_a_group_brings_back_its_font_whatever_is_left_out_in_it() -> None:
    assert rich(r"\pard {\f1 {\*\bkmkstart a}\'cf}\'e9{\info{\title x}}\'e8\par").text == "Пéè"


def test_headings_are_those_by_their_outline_level_and_by_their_look() -> None:
    document = rich(
        rf"\pard\fs36\b Terms of service\par\pard\plain\fs22 {{\b Deposits}}\par {BODY}\par"
        rf"\pard\plain\s2\outlinelevel1\fs22\i Refunds\par\pard\plain\fs22 {BODY}\par\b Note:\b0  as always.\par"
    )
    assert document.title == "Terms of service"
    assert [(path, text) for kind, path, text in told(document) if kind == "heading"] == [
        ((), "Terms of service"),
        (("Terms of service",), "Deposits"),
        (("Terms of service",), "Refunds"),
    ]


def test_lists_and_footnotes() -> None:
    item = r"{{\listtext\pard\plain {}\tab}}\ls1 {}\par".format
    document = rich(
        r"\pard\fs28\b Fees\b0\fs22\par "
        + item("1.", "Pay in May") + item(r"{\f0\'b7}", "in cash")
        + r"\pard " + BODY + r"{\super\chftn}{\footnote\pard {\super\chftn} Not in winter.}\par"
        + r"\pard\fs28\b Hours\b0\fs22\par " + BODY + r"\par"
    )  # fmt: skip
    found = told(document)
    assert ("list", ("Fees",), "1. Pay in May") in found
    assert ("list", ("Fees",), "- in cash") in found
    assert ("paragraph", ("Fees",), f"{BODY}[1]") in found
    assert ("paragraph", ("Fees",), "[1] Not in winter.") in found


def test_a_table_keeps_its_bars_and_its_lines_in_a_cell() -> None:
    document = rich(
        r"\pard Prices | all in EUR\par " + row("Item", "Price") + row(r"Rope\par thick", "12 | 14") + r"\pard End\par"
    )
    assert document.blocks[0].text == "Prices | all in EUR"
    assert [text for _, text, _, _ in cells(document)] == ["Item", "Price", "Rope thick", "12 | 14"]
    assert document.blocks[-1].text == "End"


def test_merged_cells_and_rows_with_other_edges() -> None:
    document = rich(
        row("Variety", "Harvest", "", definition=r"\clvmgf\cellx2000\clmgf\cellx4000\clmrg\cellx6010")
        + row("", "2030", "2031", definition=r"\clvmrg\cellx2010\cellx4000\cellx6000")
        + row("Russet", "171", "180")
        + row("Total of both years", "351", definition=r"\cellx4000\cellx6000")
    )
    assert cells(document)[:5] == [
        ("A1", "Variety", 2, 1),
        ("B1", "Harvest", 1, 2),
        ("B2", "2030", 1, 1),
        ("C2", "2031", 1, 1),
        ("A3", "Russet", 1, 1),
    ]
    assert cells(document)[-2:] == [("A4", "Total of both years", 1, 2), ("C4", "351", 1, 1)]


def test_pictures_are_passed_over_and_text_goes_on_behind_them() -> None:
    picture = r"{\pict\wmetafile8\bin6 }}{{\\ ffd8ff}{\*\shppict{\pict\pngblip 89504e470d0a}}"
    assert [text for _, _, text in told(rich(rf"\pard before {picture}after\par"))] == ["before after"]


def test_an_encoding_that_is_not_known_costs_only_its_own() -> None:
    head = HEAD.replace(r"\fcharset204", r"\fcharset78")  # of old Macintosh systems; Python has none such
    assert "Fees in May" in rich(r"\pard {\f1 Fees} in May\par", head).text


def failure(raw: bytes, max_file_mb: int = 512) -> str:
    with pytest.raises(FileUnreadable) as caught:
        reader_for("a.rtf")(ReadSource("a.rtf", len(raw), io.BytesIO(raw), limits=ReadLimits(max_file_mb)))
    return caught.value.code


def test_what_is_no_rich_text_or_too_much_of_it_is_refused() -> None:
    assert read(b"", "a.rtf").blocks == ()
    assert failure(b"Only text under another name.\n") == "damaged"
    assert failure(b"PK\x03\x04" + bytes(500)) == "damaged"
    assert failure(b"{\\rtf1 " + b"{" * 5_000) == "forbidden"
    assert failure(b"{\\rtf1 " + bytes(1_100_000) + b"}", max_file_mb=1) == "too-large"
    assert read(b"{\\rtf1 no\\u9999999  body\\uc \\u8364?}", "a.rtf").text == "no body€"
    assert read(b"{\\rtf1\\ansi cut off {\\b in the mid", "a.rtf").text == "cut off in the mid"


def test_a_walk_takes_rich_text() -> None:
    assert judge_file_name(b"terms.rtf") is None


def test_the_reader_says_that_it_works() -> None:
    heard = list[int]()
    raw = (HEAD + r"\pard a\par" * 100_000 + "}").encode()
    reader_for("a.rtf")(ReadSource("a.rtf", len(raw), io.BytesIO(raw), beat=lambda done, _: heard.append(done)))
    assert len(heard) > 5
