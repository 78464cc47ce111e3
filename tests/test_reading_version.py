"""Files that an older program read are read again by `mixrag index`, and what depends on READING says so."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from mixrag_cli.records import files
from mixrag_cli.settings import Settings
from mixrag_cli.store import open_reader
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.terms import join_terms
from tests.cli_fixtures import run_here
from tests.evidence_samples import read_bytes

SAMPLES = Path(__file__).parent / "samples"
# What READING 18 makes of the samples: passages, their places, their terms and their tables' paths.
READ_AS = "9b0b4e29d4bb1208"


def digest_of_reading() -> str:
    """One number over the passages of all samples that need no program of the user's."""
    read = hashlib.sha256()
    for path in sorted((*(SAMPLES / "northmere").iterdir(), *(SAMPLES / "office").iterdir())):
        if path.is_file() and path.suffix != ".png":
            chunks, _, _ = read_bytes(path.name, path.read_bytes(), 160)
            told = [
                (each.kind, each.context, each.text, each.words, each.locator.to_plain(), join_terms([each.text], ""))
                for each in chunks
            ]
            read.update(json.dumps([path.name, told], sort_keys=True).encode())
    return read.hexdigest()[:16]


def test_reading_is_raised_when_the_samples_are_read_otherwise() -> None:
    message = "the samples make other passages: raise READING in records/files.py by one, and write the digest here"
    assert (files.READING, digest_of_reading()) == (18, READ_AS), message


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that a program with the READING before has indexed."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "oak.md").write_text("# Oak\n\nThe oak stands by the gate.\n")
    (folder / "elm.csv").write_text("tree,height\nelm,21\nwych elm,19\n")
    with monkeypatch.context() as before:
        before.setattr(files, "READING", files.READING - 1)
        build_index([folder], Settings(), events=Silent())
    return folder


def test_status_and_questions_say_that_an_older_version_read_the_files(folder: Path) -> None:
    status = run_here("status", "--json", cwd=folder)
    assert [Path(path).name for path in json.loads(status.stdout)["changes"]["outdated"]] == ["elm.csv", "oak.md"]
    assert b"2 read by an older version" in run_here("status", cwd=folder).stdout
    asked = run_here("search", "oak", cwd=folder)
    assert b"2 files read by an older version since the last index; run mixrag index" in asked.stderr


def test_index_reads_them_again_and_embeds_nothing_that_it_knows(folder: Path) -> None:
    texts = [row.chunk.text for row in open_reader(folder / ".mixrag").chunk_rows()]
    (folder / "oak.md").write_text("# Oak\n\nThe oak stands by the gate, and an ash.\n")
    report = build_index([folder], Settings(), events=Silent())
    assert (report.added, report.changed, report.reread, report.unchanged, report.removed) == (0, 1, 1, 0, 0)
    reader = open_reader(folder / ".mixrag")
    assert not any(row.is_outdated for row in reader.document_rows())
    assert sum(row.chunk.text in texts for row in reader.chunk_rows()) == len(texts) - 1
    again = build_index([folder], Settings(), events=Silent())
    assert (again.reread, again.unchanged) == (0, 2)
    assert json.loads(run_here("status", "--json", cwd=folder).stdout)["changes"]["outdated"] == []


def test_a_file_that_moved_meanwhile_is_renamed_not_lost(folder: Path) -> None:
    (folder / "oak.md").rename(folder / "quercus.md")
    report = build_index([folder], Settings(), events=Silent())
    assert (report.added, report.renamed, report.reread, report.removed) == (0, 1, 1, 0)
