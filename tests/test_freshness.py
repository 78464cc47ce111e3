"""What a question is told of its index: files that came, changed or went, a run that was stopped, one under way."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixrag_cli.cli import app
from mixrag_cli.records.files import DocumentRow, content_key
from mixrag_cli.settings import Settings
from mixrag_cli.store import open_reader, written_since
from mixrag_cli.store.lock import write_lock
from mixrag_cli.stories.freshness import freshness_note
from mixrag_cli.walking import document_id
from tests.store_samples import make_document, writer_of

PATIENT_S = 60.0
FILES = ("a.md", "below/b.md", "below/deep/c.md")


def write(folder: Path, name: str, text: str = "Words.\n") -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def remember(folder: Path, names: Sequence[str], *, ends: bool = True) -> None:
    """Make the folder's index say that these files were read just now. ends: whether the run comes to its end."""
    rows = []
    for name in names:
        now, key = (folder / name).stat(), name.encode()
        known = {
            "size": now.st_size,
            "mtime_ns": now.st_mtime_ns,
            "seen_ns": time.time_ns(),
            "content_hash": content_key("00"),
        }
        rows.append(DocumentRow(document_id(b".", key), b".", key, name, "indexed", **known))
    with writer_of(folder / ".mixrag", roots=[folder]) as writer:
        writer.put_rows(rows)
        if ends:
            writer.finish()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an index of its three files."""
    for name in FILES:
        write(tmp_path, name)
    remember(tmp_path, FILES)
    return tmp_path


def note_of(folder: Path, glance_s: float = PATIENT_S) -> str:
    with open_reader(folder / ".mixrag") as reader:
        return freshness_note(reader, Settings(), glance_s)


def test_files_that_came_changed_or_went_are_counted_wherever_they_lie(folder: Path) -> None:
    assert note_of(folder) == ""
    write(folder, "below/deep/new.md")
    assert note_of(folder) == "1 file new since the last index; run mixrag index"
    write(folder, "other/folder/new.md")
    write(folder, "below/b.md", "Other words.\n")
    (folder / "a.md").unlink()
    assert note_of(folder) == "1 file changed, 2 new, 1 gone since the last index; run mixrag index"


def test_what_no_index_run_would_take_is_not_new(folder: Path) -> None:
    write(folder, "below/.gitignore", "*.log\n")
    write(folder, "below/run.log")
    write(folder, "below/.hidden.md")
    (folder / "nothing").mkdir()
    assert note_of(folder) == ""


def test_what_lay_beside_a_file_that_alone_was_indexed_is_not_new(tmp_path: Path) -> None:
    for name in FILES:
        write(tmp_path, name)
    remember(tmp_path, FILES[:1])
    assert note_of(tmp_path) == ""


def test_a_run_that_was_stopped_is_told_with_what_is_missing(tmp_path: Path) -> None:
    for name in FILES:
        write(tmp_path, name)
    remember(tmp_path, FILES[:1], ends=False)
    assert note_of(tmp_path) == "the index is not finished: it holds 1 file, 2 are missing; run mixrag index"
    remember(tmp_path, FILES)
    assert note_of(tmp_path) == ""


def test_a_run_that_was_stopped_before_its_first_file_is_told(tmp_path: Path) -> None:
    with writer_of(tmp_path / ".mixrag", roots=[tmp_path]):
        pass
    assert note_of(tmp_path) == ""  # nothing was there to be read
    write(tmp_path, "a.md")
    assert note_of(tmp_path) == "the index is not finished: it holds 0 files, 1 is missing; run mixrag index"


def test_a_run_under_way_is_told_with_its_beginning(folder: Path) -> None:
    write(folder, "new.md")
    with write_lock(folder / ".mixrag"):
        since = time.strftime("%H:%M", time.localtime(written_since(folder / ".mixrag")))
        assert note_of(folder) == f"the index is being written since {since}: it holds 3 files, 1 is missing"
    assert written_since(folder / ".mixrag") is None


def test_status_tells_the_run(folder: Path) -> None:
    def told() -> tuple[str, str]:
        done = [
            CliRunner().invoke(app, ["status", "--store", str(folder / ".mixrag"), *more]) for more in ([], ["--json"])
        ]
        return done[0].stdout, json.loads(done[1].stdout)["run"]

    assert told()[1] == "finished"
    assert "\nrun " not in told()[0]
    with write_lock(folder / ".mixrag"):
        text, run = told()
        assert run == "under way"
        assert "run        under way since " in text
    with writer_of(folder / ".mixrag") as writer:
        writer.write_batch([make_document("d.md")])
    text, run = told()
    assert run == "stopped"
    assert "run        stopped before its end (to go on: mixrag index)" in text


def test_who_only_looks_keeps_no_writer_out(folder: Path) -> None:
    ends = threading.Event()

    def look() -> None:
        while not ends.is_set():
            written_since(folder / ".mixrag")

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for looker in lookers:
        looker.start()
    try:
        for _ in range(100):
            with write_lock(folder / ".mixrag"):
                pass
    finally:
        ends.set()
        for looker in lookers:
            looker.join()


def test_the_glance_counts_what_is_gone_and_gives_up_in_time(tmp_path: Path) -> None:
    rows = [
        DocumentRow(f"{n:032x}", b".", b"%d/%d.md" % (n % 50, n), f"{n}.md", "indexed", size=1) for n in range(5_000)
    ]
    with writer_of(tmp_path / ".mixrag", roots=[tmp_path]) as writer:
        writer.put_rows(rows)
        writer.finish()
    assert note_of(tmp_path) == "5,000 files gone since the last index; run mixrag index"
    assert note_of(tmp_path, glance_s=0) == ""
