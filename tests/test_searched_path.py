"""A passage is searched by its path from the indexed folder on, wherever the folder and its index lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.errors import WrongUsage
from mixrag_cli.records.files import path_from_root
from mixrag_cli.settings import Settings
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.stories.unindexed import open_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pumps" / "tools"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "gauge.py").write_text("def read_gauge():\n    return 3\n")
    return folder


def said_of(session: Session) -> tuple[str, str]:
    (hit,) = session.search("read gauge", Scope(), 1).hits
    return hit.chunk.context, hit.terms


def test_the_folders_above_the_indexed_one_are_no_words_of_its_passages(folder: Path, tmp_path: Path) -> None:
    build_index([folder], Settings(), events=Silent())
    within = said_of(open_session(folder, Settings()))
    assert within[0] == "src/gauge.py"
    assert "pumps" not in within[1]

    elsewhere = Settings(store=tmp_path / "elsewhere")
    build_index([folder], elsewhere, events=Silent())
    named = said_of(open_session(folder, elsewhere))
    assert named[0] == "tools/src/gauge.py"
    assert "pumps" not in named[1]

    on_the_spot = said_of(open_files([folder / "src" / "gauge.py"], Settings()))
    assert on_the_spot[0] == "src/gauge.py"
    assert "pumps" not in on_the_spot[1]


def test_a_path_outside_the_root_stays_as_it_is() -> None:
    assert path_from_root("/home/ann/filings/2023/q1.pdf", "/home/ann/filings") == "filings/2023/q1.pdf"
    assert path_from_root("/home/ann/filings-old/q1.pdf", "/home/ann/filings") == "/home/ann/filings-old/q1.pdf"
    assert path_from_root("2023/q1.pdf", ".") == "2023/q1.pdf"
    assert path_from_root("/q1.pdf", "/") == "/q1.pdf"


@pytest.mark.parametrize("pattern", ["gauge.py", "src", "./src/gauge.py", "tools/src", "src/gauge.py"])
def test_a_file_is_meant_by_the_end_of_its_path_or_a_folder_on_its_way(
    folder: Path, tmp_path: Path, pattern: str
) -> None:
    elsewhere = Settings(store=tmp_path / "elsewhere")  # its files are called by their absolute paths
    build_index([folder], elsewhere, events=Silent())
    session = open_session(folder, elsewhere)
    assert len(session.search("read gauge", Scope(paths=(pattern,)), 1).hits) == 1
    with pytest.raises(WrongUsage):
        session.search("read gauge", Scope(paths=("auge.py",)), 1)
