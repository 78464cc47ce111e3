"""Scans and images: read through tesseract where it is installed, else named."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import hostile_pdf
import pytest
from reportlab.pdfgen import canvas
from test_cli import ask, check_json

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers import ReadLimits, ReadSource, reader_for, tesseract
from mixrag_cli.records.documents import Document

SAMPLE = Path(__file__).parent / "samples" / "office" / "harvest.png"
needs_tesseract = pytest.mark.skipif(not tesseract.is_installed(), reason="tesseract is not installed")


def read(raw: bytes, name: str, limits: ReadLimits = ReadLimits()) -> Document:  # noqa: B008
    return reader_for(name)(ReadSource(name, len(raw), io.BytesIO(raw), limits=limits))


def scanned_pdf() -> bytes:
    made = io.BytesIO()
    page = canvas.Canvas(made, pagesize=(540, 223))
    page.drawImage(str(SAMPLE), 0, 0, 540, 223)
    page.save()
    return made.getvalue()


def without_tesseract(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)


@needs_tesseract
def test_the_words_tables_and_headings_of_a_scan() -> None:
    document = read(SAMPLE.read_bytes(), "harvest.png")
    assert (document.modality, document.title) == ("image", "Orchard bulletin 2031")
    assert any("64 members" in block.text and block.locator.page == 1 for block in document.blocks)
    rows = {}
    for cell in document.grids[0].cells:
        rows.setdefault(cell.row, []).append(cell.text)
    assert ["Brindle Russet", "154", "171", "1.88"] in rows.values()
    assert document.warnings == ("read by OCR",)


@needs_tesseract
def test_a_page_without_a_text_layer_is_read_by_ocr() -> None:
    document = read(scanned_pdf(), "scan.pdf")
    assert document.modality == "pdf"
    assert document.warnings == ("1 scanned pages read by OCR",)
    assert "Corran Beauty" in document.text
    with pytest.raises(FileUnreadable) as caught:
        read(scanned_pdf(), "scan.pdf", ReadLimits(ocr=False))
    assert (caught.value.code, caught.value.reason) == ("no-text", "no text layer (scanned?)")


@needs_tesseract
def test_images_without_text_are_empty_and_damaged_ones_are_told() -> None:
    assert read(b"\x89PNG", "icon.png").blocks == ()
    with pytest.raises(FileUnreadable) as caught:
        read(b"\x89PNG\r\n\x1a\n" + bytes(10_000), "broken.png")
    assert caught.value.code == "damaged"


@needs_tesseract
def test_an_indexed_image_answers(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path)
    assert ask(tmp_path, "index").returncode == 0
    question = "How many members does the Tarn Valley growers' society have?"
    found = check_json(ask(tmp_path, "ask", question, "--modality", "image", "--json").stdout, "answer")
    assert found["candidates"][0]["source"]["path"] == SAMPLE.name and "64" in found["candidates"][0]["source"]["text"]


def test_without_tesseract_scans_and_images_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_tesseract(monkeypatch)
    with pytest.raises(FileUnreadable) as caught:
        read(hostile_pdf.image_only(), "scan.pdf")
    assert caught.value.code == "needs-ocr"
    assert caught.value.reason == "no text layer (scanned?); needs OCR: apt install tesseract-ocr"
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    (tmp_path / "note.md").write_text("# A note\n\nOf little weight.\n")
    done = ask(tmp_path, "index", "--json")
    assert "1 file has no reader: 1 .png (needs OCR: apt install tesseract-ocr)" in done.stderr.decode()
    assert check_json(done.stdout, "index")["no_reader"] == {".png": 1}
    assert done.returncode == 0


def test_a_scan_is_tried_again_once_tesseract_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    (tmp_path / "note.md").write_text("# A note\n\nOf little weight.\n")
    with monkeypatch.context() as hidden:
        without_tesseract(hidden)
        ask(tmp_path, "index")
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    found = check_json(ask(tmp_path, "index", "--json").stdout, "index")
    assert (found["added"], found["no_reader"]) == (1, {})  # an icon: read, and empty


def test_hocr_words_and_rulings() -> None:
    page = tesseract._HocrPass()
    page.start("div", {"class": "ocr_page", "title": "bbox 0 0 600 800"})
    page.start("span", {"class": "ocr_line", "title": "bbox 10 20 300 50; baseline 0 -5; x_size 30"})
    for text, sure in (("kept|", 90), ("blurred", 20), ("", 95)):
        page.start("span", {"class": "ocrx_word", "title": f"bbox 10 20 60 50; x_wconf {sure}"})
        page.text(text)
        page.end("span")
    (seen,) = page.pages
    assert [(word.text, word.baseline, word.size) for word in seen.words] == [("kept", 45.0, 30.0)]
    assert seen.rules == [(10, 20, 60, 50)]
