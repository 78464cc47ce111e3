"""Lessons by rule of manuals and programs: what is asked, what answers it, and what is left out."""

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="the extra models is not installed")

from training.embedder import manuals

PAGE = ".TH x 1\n.SH OPTIONS\n.TP\n\\fB\\-\\-width\\fR=\\fIN\\fR\nset how many columns a line has.  It is 80.\n"
MODULE = '''
def wrap(text, width):
    """Break a long text into lines of that width."""
    lines = []
    return lines

parser.add_argument("--width", type=int, help="how many columns a line may have")
parser.add_argument("--quiet", help="silent")
'''


def draw(source: str, folder: Path) -> list[tuple[str, str]]:
    drawn: Iterator[tuple[str, tuple[str, str, str]]] = manuals.DRAWERS[source][1](folder, random.Random(1))
    return [(question, passage) for _, (question, passage, _) in drawn]


def test_a_command_is_asked_for_by_what_it_does(tmp_path: Path) -> None:
    pages = tmp_path / "tldr" / "pages" / "common"
    pages.mkdir(parents=True)
    (pages / "tar.md").write_text("# tar\n\n> Archiver.\n\n- [c]reate an archive from files:\n\n`tar cf {{a.tar}}`\n")
    [(question, passage)] = draw("tldr", tmp_path)
    assert question == "create an archive from files"
    assert passage.endswith("tar cf a.tar")


def test_a_manual_page_of_this_machine_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "man").mkdir()
    (tmp_path / "man" / "fold-text.1.gz").write_bytes(gzip.compress(PAGE.encode()))
    monkeypatch.setattr(manuals, "SYSTEM_PAGES", tmp_path / "none")
    [(question, passage)] = draw("man pages by rule", tmp_path)
    assert question == "set how many columns a line has"
    assert passage.startswith("fold-text --width=N")
    monkeypatch.setattr(manuals, "SYSTEM_PAGES", tmp_path / "man")
    assert draw("man pages by rule", tmp_path) == []


def test_an_option_is_asked_for_by_its_help_and_a_function_by_its_docstring(tmp_path: Path) -> None:
    package = tmp_path / "packages" / "folder_of_a_package" / "no_such_package"
    package.mkdir(parents=True)
    (package / "cli.py").write_text(MODULE)
    [(help_text, declared)] = draw("options by rule", tmp_path)
    assert help_text == "how many columns a line may have"
    assert "--width" in declared
    assert "columns" not in declared
    [(_, body)] = draw("functions by rule", tmp_path)
    assert "def wrap(text, width):" in body
    assert "Break a long text" not in body


def test_a_package_that_is_installed_is_left_out(tmp_path: Path) -> None:
    package = tmp_path / "packages" / "numpy" / "numpy"
    package.mkdir(parents=True)
    (package / "cli.py").write_text(MODULE)
    assert draw("options by rule", tmp_path) == []
