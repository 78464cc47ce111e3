"""Word, slides, books and mails: samples made by other programs, asked through the real commands; hostile twins."""

from __future__ import annotations

import io
import shutil
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest
from test_cli import ask, check_json

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers import ReadSource, fallback_reader_for, reader_for
from mixrag_cli.records.documents import Document

SAMPLES = Path(__file__).parent / "samples" / "office"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
)
BOMB = (
    '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)


def read(raw: bytes, name: str) -> Document:
    return reader_for(name)(ReadSource(name, len(raw), io.BytesIO(raw)))


def read_sample(name: str) -> Document:
    return read((SAMPLES / name).read_bytes(), name)


def told(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind, block.heading_path, block.text) for block in document.blocks]


def rebuilt(name: str, parts: dict[str, bytes]) -> bytes:
    """The sample with some of its parts replaced or added."""
    made = io.BytesIO()
    with zipfile.ZipFile(SAMPLES / name) as before, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as after:
        for info in before.infolist():
            if info.filename not in parts:
                after.writestr(info.filename, before.read(info))
        for part, content in parts.items():
            after.writestr(part, content)
    return made.getvalue()


# --- samples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ferry.docx", "ferry.odt", "ferry.epub"])
def test_headings_lists_and_tables_of_a_document(name: str) -> None:
    document = read_sample(name)
    assert (document.modality, document.title) == ("document", "Ferry report")
    found = told(document)
    assert ("heading", ("Winter service",), "Traffic by route") in found
    items = [text for kind, path, text in found if kind == "list" and path == ("Winter service",)]
    assert items[:4] == [
        "1. Cars board first.",
        "2. Cyclists board second.",
        "  a. with lamps lit" if name.endswith(".docx") else "  1. with lamps lit",
        "3. Walkers board last.",
    ]
    (grid,) = document.grids
    assert (grid.locator.sheet, grid.locator.section, grid.locator.cells) == ("Table 1", "Traffic by route", "A1:C3")
    assert {cell.address: cell.text for cell in grid.cells}["C3"] == "2,960"
    assert all(block.locator.lines is None and block.locator.section for block in document.blocks)


@pytest.mark.parametrize("name", ["ferry.docx", "ferry.odt"])
def test_a_footnote_stands_in_the_section_of_its_mark(name: str) -> None:
    found = told(read_sample(name))
    assert ("paragraph", ("Winter service",), "[1] On public holidays it leaves at 09:10.") in found
    assert any(text.endswith("each day.[1]") for _, _, text in found)


def test_merged_cells_of_a_word_table() -> None:
    grid = read_sample("bulletin.docx").grids[0]
    headers = [(cell.text, cell.row_span, cell.column_span) for cell in grid.cells if cell.is_header]
    assert headers[:3] == [("Variety", 2, 1), ("Harvest, tonnes", 1, 2), ("Price, EUR per kg", 2, 1)]
    assert (grid.n_rows, grid.n_columns) == (6, 4)


@pytest.mark.parametrize("name", ["glaze.pptx", "glaze.odp"])
def test_slides_have_sections_tables_charts_and_notes(name: str) -> None:
    document = read_sample(name)
    assert document.modality == "slides"
    assert ("paragraph", ("Sales of glazes", "Notes"), "The shop in Wexcombe opened in May 2030.") in told(document)
    chart, table = document.grids
    assert [cell.text for cell in chart.cells if cell.row == 1] == ["2029", "412", "198"]
    assert (chart.locator.page, table.locator.page) == (1, 2)
    assert [(cell.text, cell.row_span, cell.column_span) for cell in table.cells][:2] == [
        ("Glaze", 2, 1),
        ("Jars", 1, 2),
    ]


def test_a_mail_and_its_attachment() -> None:
    document = read_sample("berths.eml")
    assert (document.modality, document.title) == ("mail", "Berths at Saltby")
    found = told(document)
    assert found[1][2].startswith("From: Joel Farran <joel@example.org>\nTo: ines@example.org\nDate: ")
    assert ("heading", ("Berths at Saltby",), "fees.csv") in found
    assert document.grids[0].locator.section == "fees.csv"


def test_a_mailbox_has_a_section_a_message() -> None:
    document = read_sample("yard.mbox")
    headings = [(block.text, block.locator.section) for block in document.blocks if block.level == 1]
    assert headings == [("Berths at Saltby", "message 1"), ("Crane", "message 2")]
    assert document.grids[0].locator.section == "message 1/fees.csv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples, indexed together with hostile and with good files."""
    place = tmp_path_factory.mktemp("office") / "documents"
    shutil.copytree(SAMPLES, place, ignore=shutil.ignore_patterns("README.md", "*.png"))
    (place / "empty.docx").touch()
    (place / "text.docx").write_text("Only text under a Word name.\n")
    document = f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>&c;</w:t></w:r></w:p></w:body></w:document>'
    (place / "lol.docx").write_bytes(rebuilt("ferry.docx", {"word/document.xml": (BOMB + document).encode()}))
    (place / "bomb.pptx").write_bytes(rebuilt("glaze.pptx", {"ppt/slides/slide1.xml": bytes(300_000_000)}))
    (place / "locked.docx").write_bytes(ole_of("EncryptedPackage"))
    done = ask(place, "index", "--json")
    assert done.returncode == 3
    skipped = {each["path"]: (each["code"], each["reason"]) for each in check_json(done.stdout, "index")["skipped"]}
    assert skipped == {
        "text.docx": ("damaged", "not a readable Word document"),
        "lol.docx": ("forbidden", "forbidden XML entity declaration"),
        "bomb.pptx": ("too-large", "expands to 300 MB (limit 256 MB per entry)"),
        "locked.docx": ("password", "needs a password"),
    }
    return place


def ole_of(name: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000) + name.encode("utf-16-le") + bytes(3000)


@pytest.mark.parametrize(
    ("question", "value", "place"),
    [
        ("How many passengers travelled from Skerra to Ossel in Q2?", 2960, "ferry.docx#Table 1!C3"),
        ("How many Tenmoku were sold in 2030?", 251, "glaze.pptx#page=1"),
        ("How many large jars of Celadon are in stock?", 12, "glaze.pptx#page=2"),
        ("What is the fee of the Cedar berth?", 560, "berths.eml#section=fees.csv&L4"),
        ("How many passengers travelled from Skerra to Ossel in Q2?", 2960, "ferry.odt#Table 1!C3"),
        ("How many passengers travelled from Skerra to Ossel in Q2?", 2960, "ferry.epub#Table 1!C3"),
        ("How many large jars of Celadon are in stock?", 12, "glaze.odp#page=2"),
        ("What is the fee of the Cedar berth?", 560, "yard.mbox#section=message 1/fees.csv&L4"),
        ("What was the harvest of Brindle Russet in 2031?", 171, "bulletin.docx#Table 1!C4"),
    ],
)
def test_a_cell_is_asked_for_and_shown_at_its_place(folder: Path, question: str, value: int, place: str) -> None:
    asked = ("ask", question, "--path", place.partition("#")[0], "--accept", "likely")
    found = check_json(ask(folder, *asked, "--json").stdout, "answer")
    assert found["value"] == value
    assert place in ask(folder, *asked).stdout.decode()
    shown = check_json(ask(folder, "show", place, "--json").stdout, "show")
    assert any(
        f"{value:,}" in cell["text"] or str(value) in cell["text"]
        for table in shown["tables"]
        for cell in table["cells"]
    )


def test_places_without_pages_and_slides_are_opened(folder: Path) -> None:
    section = check_json(ask(folder, "show", "ferry.docx#section=Winter service", "--json").stdout, "show")
    assert "Marisa Quill" in section["text"]
    assert section["locator"]["section"] == "Winter service"
    slide = check_json(ask(folder, "show", "glaze.pptx#slide=1", "--json").stdout, "show")
    assert "Wexcombe" in slide["text"]
    message = check_json(ask(folder, "show", "yard.mbox#section=message 2", "--json").stdout, "show")
    assert "eleven tonnes" in message["text"]
    assert ask(folder, "show", "ferry.docx#section=Nowhere").returncode == 2


def test_searches_can_be_kept_to_the_new_kinds(folder: Path) -> None:
    for kind, path in (
        ("document", (".docx", ".odt", ".epub")),
        ("slides", (".pptx", ".odp")),
        ("mail", (".eml", ".mbox")),
    ):
        hits = check_json(
            ask(folder, "search", "Celadon berths harvest", "--modality", kind, "--json").stdout, "search"
        )["hits"]
        assert hits and all(hit["path"].endswith(path) and hit["modality"] == kind for hit in hits)


# --- formats in detail ----------------------------------------------------------------------------------------------


def odt_of(body: str, styles: str = "") -> bytes:
    content = (
        f"<office:document-content {ODF}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return rebuilt("ferry.odt", {"content.xml": content.encode()})


def test_numbered_lists_of_odt_go_on_and_bullets_stay_bullets() -> None:
    numbered = (
        '<text:list-style style:name="N" xmlns:style="s">'
        '<text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>'
    )
    item = "<text:list-item><text:p>{}</text:p></text:list-item>"
    body = (
        f'<text:list text:style-name="N">{item.format("one")}{item.format("two")}</text:list><text:p>between</text:p>'
        f'<text:list text:style-name="N" text:continue-numbering="true">{item.format("three")}</text:list>'
        f'<text:list text:style-name="B">{item.format("dot")}</text:list>'
    )
    texts = [block.text for block in read(odt_of(body, numbered), "a.odt").blocks]
    assert texts == ["1. one", "2. two", "between", "3. three", "- dot"]


def test_what_is_deleted_or_a_comment_in_odt_is_not_read() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes><text:p>kept<office:annotation><text:p>aside</text:p>"
        "</office:annotation><text:s text:c='3'/>here</text:p>"
    )
    assert [block.text for block in read(odt_of(body), "a.odt").blocks] == ["kept here"]


def test_the_chapters_of_a_book_come_in_the_order_of_its_spine() -> None:
    package = (
        '<package><metadata><title>Two parts</title></metadata><manifest><item id="b" href="text/b%20c.xhtml" '
        'media-type="application/xhtml+xml"/><item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/>'
        '</manifest><spine><itemref idref="b"/><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    parts = {
        "META-INF/container.xml": b'<container><rootfiles><rootfile full-path="x/p.opf"/></rootfiles></container>',
        "x/p.opf": package.encode(),
        "x/text/a.xhtml": b"<h1>Second</h1><p>later</p>",
        "x/text/b c.xhtml": b"<h1>First</h1><p>sooner</p>",
    }
    document = read(rebuilt("ferry.epub", parts), "two.epub")
    assert document.title == "Two parts"
    assert [block.text for block in document.blocks] == ["First", "sooner", "Second", "later"]
    parts["META-INF/encryption.xml"] = b"<e><EncryptionMethod Algorithm='aes'/></e>"
    assert failure(rebuilt("ferry.epub", parts), "two.epub")[0] == "password"


def mail_with(*attachments: tuple[str, bytes]) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Ünal <u@example.org>", "Größe des Lagers"
    mail.set_content("See what is attached.\n")
    for name, raw in attachments:
        mail.add_attachment(raw, maintype="application", subtype="octet-stream", filename=name)
    return mail


def test_mails_in_mails_and_what_cannot_be_read_in_them() -> None:
    inner = mail_with(
        ("ferry.docx", (SAMPLES / "ferry.docx").read_bytes()), ("locked.docx", ole_of("EncryptedPackage"))
    )
    outer = mail_with(("photo.heic", b"\0\1"), ("key.pem", b"-----BEGIN PRIVATE KEY-----"))
    outer.add_attachment(inner)
    document = read(outer.as_bytes(), "a.eml")
    assert document.title == "Größe des Lagers"
    path = ("Größe des Lagers", "Größe des Lagers", "ferry.docx", "Winter service", "Traffic by route")
    table = next(block for block in document.blocks if block.kind == "table")
    assert table.heading_path == path
    assert document.grids[0].locator.sheet == "[forwarded message/ferry.docx]Table 1"
    assert document.warnings == (
        "attachment photo.heic: no reader for this format",
        "attachment key.pem: no reader for this format",
        "attachment locked.docx: needs a password",
    )
    alone = fallback_reader_for("a.eml")(ReadSource("a.eml", 1, io.BytesIO(outer.as_bytes())))
    assert [block.text for block in alone.blocks][-1] == "See what is attached."
    assert "read without its attachments" in alone.warnings[0]


def test_a_table_in_a_mail_s_html_is_taken_and_plain_text_otherwise() -> None:
    mail = mail_with()
    mail.add_alternative(
        "<p>Rich</p><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", subtype="html"
    )
    assert [block.text for block in read(mail.as_bytes(), "a.eml").blocks][2:] == ["Rich", "a | b\n1 | 2"]
    mail = mail_with()
    mail.add_alternative("<p>Rich only in looks</p>", subtype="html")
    assert [block.text for block in read(mail.as_bytes(), "a.eml").blocks][2:] == ["See what is attached."]


# --- hostile twins --------------------------------------------------------------------------------------------------


def failure(raw: bytes, name: str) -> tuple[str, str]:
    with pytest.raises(FileUnreadable) as caught:
        read(raw, name)
    return caught.value.code, caught.value.reason


NAMES = ("ferry.docx", "glaze.pptx", "ferry.odt", "glaze.odp", "ferry.epub")


@pytest.mark.parametrize("name", NAMES)
def test_damaged_office_files(name: str) -> None:
    raw = (SAMPLES / name).read_bytes()
    assert read(b"", name).blocks == ()
    assert failure(raw[: len(raw) * 2 // 3], name)[0] == "damaged"
    assert failure(b"PK\x03\x04" + bytes(5000), name)[0] == "damaged"
    assert failure(ole_of("WordDocument"), name)[0] == "damaged"
    assert failure(ole_of("EncryptedPackage"), name) == ("password", "needs a password")
    assert failure(rebuilt(name, {f"extra/{number}": b"" for number in range(10_001)}), name)[0] == "too-large"


PARTS = {
    "ferry.docx": "word/document.xml",
    "glaze.pptx": "ppt/slides/slide1.xml",
    "ferry.odt": "content.xml",
    "glaze.odp": "content.xml",
    "ferry.epub": "META-INF/container.xml",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (BOMB.encode() + b"<d>&c;</d>", "forbidden"),
        (b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>', "forbidden"),
        (b"<d>" * 5_000 + b"</d>" * 5_000, "forbidden"),
        (b"<d>\xff\xfe</d", "damaged"),
    ],
)
def test_hostile_xml_in_office_files(name: str, content: bytes, code: str) -> None:
    assert failure(rebuilt(name, {PARTS[name]: content}), name)[0] == code


def test_odt_claims_are_bounded() -> None:
    row = '<table:table-row><table:table-cell table:number-columns-repeated="999999"/></table:table-row>'
    span = row.replace("columns-repeated", "rows-spanned").replace("/><", "><text:p>x</text:p></table:table-cell><")
    document = read(odt_of(f"<table:table>{row}{span}</table:table><text:p>after</text:p>"), "a.odt")
    assert document.blocks[-1].text == "after"
    encrypted = {"META-INF/manifest.xml": b"<m><encryption-data/></m>"}
    assert failure(rebuilt("ferry.odt", encrypted), "a.odt") == ("password", "needs a password")


@pytest.mark.parametrize(
    "raw",
    [
        b"Subject: =?no-such-charset?q?x?=\nContent-Type: text/plain; charset=nonsense\n\nbody\n",
        b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n--b\n--b--\nbody",
        b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 300,
        b"Subject: " + b"=?utf-8?q?" + b"a" * 100_000 + b"?=\n\nbody",
        b"Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n!!!!not base64\n",
        b'Content-Type: application/x; name="../../etc/passwd\x1b[31m"\nContent-Disposition: attachment\n\nx\n',
    ],
)
def test_odd_mails_are_read_or_bounded(raw: bytes) -> None:
    document = read(raw, "odd.eml")
    assert "\x1b" not in document.text
    assert len(document.text) < 5_000


def test_a_binary_is_no_mail() -> None:
    assert failure(b"\x7fELF\0\0\0", "a.eml") == ("binary", "looks binary")
    assert failure(b"\x7fELF\0\0\0", "a.mbox") == ("binary", "looks binary")
