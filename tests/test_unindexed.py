"""Asking files that are not indexed gives what an index of them gives, and leaves nothing behind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.settings import Settings
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import open_session
from mixrag_cli.stories.unindexed import open_files
from tests.evidence_samples import shown_text

SAMPLES = Path(__file__).parent / "samples" / "northmere"
QUESTION = "By what percentage did total revenue increase between the years ended 31 March 2024 and 31 March 2025?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("annual-report.pdf", "handbook.md"):
        shutil.copy(SAMPLES / name, tmp_path / name)
    return tmp_path


@pytest.mark.slow
def test_a_file_answers_as_its_index_does(folder: Path) -> None:
    files = sorted(folder.iterdir())
    on_the_spot = open_files(files, Settings())
    answer = on_the_spot.ask(QUESTION, Scope())
    assert {path.name for path in folder.iterdir()} == {path.name for path in files}

    build_index([folder], Settings(), events=Silent())
    stored = open_session(folder, Settings())
    assert answer.text == stored.ask(QUESTION, Scope()).text == "5.05 %"
    assert answer.formula == "(e2 - e1) / abs(e1) * 100"

    query = "boil notice lifted by the head of water quality"
    here = [hit.chunk.text for hit in on_the_spot.search(query, Scope(), 3).hits]
    there = [hit.chunk.text for hit in stored.search(query, Scope(), 3).hits]
    assert here[0] == there[0]


def test_what_is_no_file_or_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="no such file"):
        open_files([tmp_path / "gone.pdf"], Settings())
    with pytest.raises(WrongUsage, match="a folder, and no file"):
        open_files([tmp_path], Settings())
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7")
    with pytest.raises(MixragError, match=r"bad\.pdf: not a readable PDF"):
        open_files([tmp_path / "bad.pdf"], Settings())


def test_filters_do_not_apply_to_files_read_on_the_spot(folder: Path) -> None:
    session = open_files([folder / "handbook.md"], Settings())
    with pytest.raises(WrongUsage, match="cannot be filtered"):
        session.search("notice", Scope(kinds=("prose",)), 3)


def test_a_single_short_passage_can_be_asked(tmp_path: Path) -> None:
    """BM25 over one passage gives every word a negative weight."""
    (tmp_path / "note.md").write_text("The sky over Fernhill is blue.\n")
    session = open_files([tmp_path / "note.md"], Settings())
    assert [hit.path.endswith("note.md") for hit in session.search("sky over Fernhill", Scope(), 5).hits] == [True]
    assert "blue" in shown_text(session.ask("What is the sky over Fernhill?", Scope()))
