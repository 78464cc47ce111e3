"""Hostile spreadsheets among good ones, through the real program: each is reported, the rest is indexed and found."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import openpyxl
import pytest
from cli_fixtures import environment_of, run_here, run_mixrag

from mixrag_cli.chunking import chunk_document
from mixrag_cli.models.tokens import load_token_counter
from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.tables.grid import grid_to_table

WINDOW = 256
ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
STRINGS = (
    '<?xml version="1.0"?>{declared}<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si>'
    "<t>{text}</t></si></sst>"
)


def good_book(word: str) -> bytes:
    book = openpyxl.Workbook()
    for row in (["kiln", "firings"], [word, 31], ["other kiln", 12]):
        book.active.append(row)
    raw = io.BytesIO()
    book.save(raw)
    return raw.getvalue()


def with_part(raw: bytes, name: str, content: bytes) -> bytes:
    """The workbook with one part replaced."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            if info.filename != name:
                new.writestr(info, old.read(info))
        new.writestr(name, content)
    return changed.getvalue()


def hostile_files() -> dict[str, bytes]:
    book = good_book("ash kiln")
    strings = STRINGS.format(declared=ENTITY, text="&e;").encode()
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    lol = STRINGS.format(declared=f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>', text="&l9;").encode()
    return {
        "no_zip.xlsx": b"this is no workbook",
        "cut.xlsx": book[: len(book) // 2],
        "encrypted.xlsx": bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 4_000,
        "entity.xlsx": with_part(book, "xl/sharedStrings.xml", strings),
        "laughs.xlsx": with_part(book, "xl/sharedStrings.xml", lol),
        "bomb.xlsx": with_part(book, "xl/worksheets/sheet1.xml", b" " * 300_000_000),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home") / "documents"
    folder.mkdir()
    for name, raw in hostile_files().items():
        (folder / name).write_bytes(raw)
    for number, word in enumerate(("birch kiln", "cedar kiln", "maple kiln")):
        (folder / f"good{number}.xlsx").write_bytes(good_book(word))
    return folder


@pytest.mark.slow
def test_each_is_reported_and_the_rest_is_found(folder: Path) -> None:
    env = environment_of(folder.parent)
    done = run_mixrag("index", "--json", cwd=folder, env=env)
    report = json.loads(done.stdout)
    assert done.returncode == 3
    assert b"Traceback" not in done.stderr
    assert {entry["path"] for entry in report["skipped"]} == set(hostile_files())
    reasons = {entry["path"]: entry["reason"] for entry in report["skipped"]}
    assert "expands to 300 MB (limit 256 MB per entry)" in reasons["bomb.xlsx"]
    assert "forbidden XML entity declaration" in reasons["entity.xlsx"]
    assert "forbidden XML entity declaration" in reasons["laughs.xlsx"]
    assert report["added"] == 3
    found = json.loads(run_here("search", "kiln", "--json", cwd=folder, env=env).stdout)["hits"]
    assert {hit["path"] for hit in found} == {"good0.xlsx", "good1.xlsx", "good2.xlsx"}
    stored = b"".join(path.read_bytes() for path in (folder / ".mixrag").rglob("*") if path.is_file())
    assert b"root:x:0:0" not in stored
    again = run_here("index", "--json", cwd=folder, env=env)
    assert again.returncode == 3
    report = json.loads(again.stdout)
    assert (report["added"], report["unchanged"], len(report["skipped"])) == (0, 3, len(hostile_files()))


def test_a_formula_in_a_cell_is_shown_as_it_stands(folder: Path) -> None:
    (folder / "sums.csv").write_text("lot,total\nquartz,=1+2\nfeldspar,@cmd\n", "utf-8")
    env = environment_of(folder.parent)
    run_here("index", cwd=folder, env=env)
    shown = run_here("show", "sums.csv", cwd=folder, env=env).stdout.decode()
    assert "=1+2" in shown and "@cmd" in shown


@pytest.mark.slow
def test_no_passage_of_a_wide_sheet_is_wider_than_the_window() -> None:
    n_columns = 16_384
    names = ",".join(f"measure{i}" for i in range(n_columns))
    raw = f"{names}\n{','.join(map(str, range(n_columns)))}\n".encode()
    document = read_delimited(ReadSource("wide.csv", len(raw), io.BytesIO(raw)))
    tables = [
        (number, table)
        for number, grid in enumerate(document.grids)
        if (table := grid_to_table(grid, document="d", title=document.title)) is not None
    ]
    assert len(tables) > n_columns // 200
    count = load_token_counter()
    chunks = chunk_document(document, tables, document_id="d", path="wide.csv", count_tokens=count, window=WINDOW)
    rows = [chunk for chunk in chunks if chunk.kind == "row"]
    assert f"measure{n_columns - 1} {n_columns - 1}" in rows[-1].text
    assert max(count(f"{chunk.context}\n{chunk.text}") for chunk in rows) <= WINDOW
