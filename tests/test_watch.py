"""index --watch keeps an index fresh until a signal comes; --sync brings changed files in before a question."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO

import pytest
from typer.testing import CliRunner

from mixrag_cli.cli import app
from mixrag_cli.store import written_since
from mixrag_cli.stories.roots import IndexPlan, RootPlan
from mixrag_cli.walking import may_matter
from tests.bounded import PATIENCE_S, patience
from tests.cli_fixtures import PROGRAM, copy_indexed, environment_of, run_here

pytestmark = pytest.mark.slow

pytest.importorskip("watchfiles", reason="an environment made before index --watch lacks watchfiles")


class Watcher:
    """A running `mixrag index --watch` and the lines that it prints, as they come."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "index", "--watch", *arguments],
            cwd=folder,
            env=environment_of(folder.parent),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: Queue[str] = Queue()
        self.objects: Queue[str] = Queue()
        for stream, lines in ((self.process.stderr, self.lines), (self.process.stdout, self.objects)):
            Thread(target=_pour, args=(stream, lines)).start()

    def line_with(self, text: str) -> str:
        """The next line that holds the text; those before it are passed over."""
        while line := self.lines.get(timeout=PATIENCE_S):
            if text in line:
                return line
        raise AssertionError(f"no line with {text!r}")

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


def _pour(stream: IO[bytes], lines: Queue[str]) -> None:
    """Each line as it comes, and an empty one at the end."""
    with stream:
        for line in stream:
            lines.put(line.decode())
    lines.put("")


@pytest.fixture
def folder(indexed: Path, tmp_path: Path) -> Path:
    return copy_indexed(indexed, tmp_path / "own")


@pytest.fixture
def watcher(folder: Path) -> Iterator[Watcher]:
    running = Watcher(folder, "--json")
    running.line_with("watching for changes")
    yield running
    running.process.kill()
    running.process.wait()


def texts_found(folder: Path, query: str) -> str:
    done = run_here("search", query, "--json", cwd=folder, env=environment_of(folder.parent))
    return " ".join(hit["text"] for hit in json.loads(done.stdout)["hits"])


def test_the_index_follows_the_folder(folder: Path, watcher: Watcher) -> None:
    json.loads(watcher.objects.get(timeout=PATIENCE_S))  # of the first run
    (folder / "canteen.md").write_text("# Canteen\n\nThe canteen serves 83 lunches a day.\n")
    assert "1 added (canteen.md); 1 passage in" in watcher.line_with("canteen.md")
    assert json.loads(watcher.objects.get(timeout=PATIENCE_S))["added"] == 1
    assert "83 lunches" in texts_found(folder, "How many lunches does the canteen serve?")
    assert written_since(folder / ".mixrag") is None  # nobody writes while it waits
    (folder / "canteen.md").unlink()
    assert "1 removed (canteen.md)" in watcher.line_with("canteen.md")
    assert "83 lunches" not in texts_found(folder, "How many lunches does the canteen serve?")
    assert watcher.end() == 130
    assert watcher.line_with("stopped watching")


def test_a_burst_is_one_refresh_and_what_vanishes_is_no_trouble(folder: Path, watcher: Watcher) -> None:
    for number in range(8):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nThe note has the number {number}.\n")
    (folder / "passing.md").write_text("Here for a moment.\n")
    (folder / "passing.md").unlink()
    assert "8 added (note-0.md, note-1.md, note-2.md and 5 more)" in watcher.line_with("note-0.md")
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7\n" + b"\x00" * 200)
    assert "torn.pdf: " in watcher.line_with("skipped")
    assert "1 unreadable (torn.pdf)" in watcher.line_with("torn.pdf")
    assert watcher.end(signal.SIGTERM) == 143
    with pytest.raises(AssertionError):
        watcher.line_with(" in ")  # its own writing made no refresh


def test_a_refresh_that_fails_is_told_and_the_next_is_tried(folder: Path, watcher: Watcher) -> None:
    kept = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for path in kept:
        path.unlink()
    watcher.line_with("are missing; nothing removed")
    for path, content in kept.items():
        path.write_bytes(content)
    (folder / "canteen.md").write_text("# Canteen\n\nThe canteen serves 83 lunches a day.\n")
    assert "canteen.md" in watcher.line_with("added")
    assert watcher.end() == 130


@pytest.mark.parametrize(
    ("path", "matters"),
    [
        (b"notes.md", True),
        (b"deep/down/a.pdf", True),
        (b"scan.png", True),
        (b".gitignore", True),
        (b"deep/.mixragignore", True),
        (b".git/index", False),
        (b"node_modules/x/readme.md", False),
        (b".notes.md.swp", False),
        (b"deep/.mixrag", False),
        (b"film.mp4", False),
    ],
)
def test_what_tools_write_is_no_change(path: bytes, matters: bool) -> None:
    assert may_matter(path) is matters


def test_it_is_time_for_a_look_though_nothing_was_told(tmp_path: Path) -> None:
    from mixrag_cli.stories.watching import due_refreshes

    plan = IndexPlan(tmp_path / ".mixrag", (RootPlan(tmp_path, b"."),))
    due = due_refreshes(plan, look_again_s=0.0)
    next(due)
    with patience():
        next(due)
    due.close()


def test_a_single_file_is_watched_though_it_is_replaced(tmp_path: Path) -> None:
    from mixrag_cli.stories.watching import due_refreshes

    (tmp_path / "one.md").write_text("one")
    plan = IndexPlan(tmp_path / ".mixrag", (RootPlan(tmp_path, b".", b"one.md"),))
    due = due_refreshes(plan)
    next(due)
    (tmp_path / "other.md").write_text("other")
    (tmp_path / ".one.new").write_text("two")
    os.replace(tmp_path / ".one.new", tmp_path / "one.md")  # noqa: PTH105 - as editors do it
    next(due)
    due.close()


# --- before a question ----------------------------------------------------------------------------------------------


def test_sync_brings_changed_files_in_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "canteen.md").write_text("# Canteen\n\nThe canteen serves 83 lunches a day.\n")
    before = CliRunner().invoke(app, ["search", "lunches canteen", "--json"])
    assert "83 lunches" not in before.stdout
    assert "since the last index" in before.stderr or before.stderr == ""
    done = CliRunner().invoke(app, ["ask", "How many lunches does the canteen serve a day?", "--sync", "--json"])
    assert "83" in done.stdout
    assert "1 added" in done.stderr
    assert "canteen.md" in done.stderr
    again = CliRunner().invoke(app, ["search", "lunches canteen", "--sync", "--json"])
    assert "83 lunches" in again.stdout
    assert again.stderr == ""  # nothing was to be done
    quiet = CliRunner().invoke(app, ["search", "lunches canteen", "--sync", "--quiet"])
    assert quiet.stderr == ""


def test_sync_makes_no_index_and_wants_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["search", "anything", "--sync"])
    assert done.exit_code == 10
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a.md").write_text("text")
    both = CliRunner().invoke(app, ["search", "anything", "--sync", "--file", "a.md"])
    assert both.exit_code == 2
    assert "--sync" in both.stderr
