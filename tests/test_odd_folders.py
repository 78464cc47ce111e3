"""Folders, files and clocks that change under the index: nothing is lost, nothing is done twice, all of it is told."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from mixrag_cli.records.files import DocumentRow
from mixrag_cli.settings import Settings
from mixrag_cli.store import open_reader
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import IndexReport, build_index
from tests.cli_fixtures import run_here, run_mixrag
from tests.test_cli import check_error, check_json

DAY_S = 24 * 3600
N_FILES = 12
FACTS = {n: f"The lantern of orchard {n} weighs {n + 40} grams and hangs in barn {n % 3}." for n in range(N_FILES)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "orchards"
    folder.mkdir()
    for number, fact in FACTS.items():
        (folder / f"orchard-{number:02}.md").write_text(f"# Orchard {number}\n\n{fact}\n", "utf-8")
    return folder


def index(folder: Path) -> IndexReport:
    return build_index([folder], Settings(store=folder.parent / "store"), events=Silent())


def rows_of(folder: Path) -> dict[str, DocumentRow]:
    with open_reader(folder.parent / "store") as reader:
        return {row.path: row for row in reader.document_rows()}


# --- clocks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift_s", [-DAY_S, DAY_S], ids=["a day back", "a day ahead"])
def test_a_clock_that_jumps_between_runs_loses_nothing(
    folder: Path, shift_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert index(folder).added == N_FILES
    before, now_ns = rows_of(folder), time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() + shift_s * 10**9)
    again = index(folder)
    assert (again.added, again.changed, again.removed, again.unchanged) == (0, 0, 0, N_FILES)
    edited = folder / "orchard-03.md"
    edited.write_text(edited.read_text("utf-8").replace("43 grams", "99 grams"), "utf-8")  # as long as before
    stamp = (now_ns() + shift_s * 10**9) // 10**9 * 10**9
    os.utime(edited, ns=(stamp, stamp))
    after_edit = index(folder)
    assert (after_edit.added, after_edit.changed, after_edit.removed) == (0, 1, 0)
    monkeypatch.undo()
    last = index(folder)
    assert (last.added, last.changed, last.removed, last.unchanged) == (0, 0, 0, N_FILES)
    hashes = {path: row.content_hash for path, row in rows_of(folder).items()}
    assert [path for path in hashes if hashes[path] != before[path].content_hash] == [str(edited)]


def test_another_time_zone_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert index(folder).added == N_FILES
    for zone in ("Pacific/Kiritimati", "Etc/GMT+12"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        again = index(folder)
        assert (again.added, again.changed, again.removed, again.unchanged) == (0, 0, 0, N_FILES)


# --- files that cannot be reached -----------------------------------------------------------------------------------


def bound_by_permissions(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """A run for which permission bits count, also when the tests run as root."""
    if os.geteuid() != 0:
        return run_mixrag(*arguments, cwd=folder)
    without = "-dac_override,-dac_read_search"
    return run_mixrag(*arguments, cwd=folder, program=("setpriv", f"--bounding-set={without}", f"--inh-caps={without}"))


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root needs setpriv (util-linux)")
def test_a_file_without_permission_is_told_and_what_is_known_of_it_is_kept(folder: Path) -> None:
    assert run_here("index", ".", cwd=folder).returncode == 0
    (folder / "orchard-01.md").chmod(0)
    again = bound_by_permissions(folder, "index", ".", "--json")
    assert again.returncode == 3
    report = check_json(again.stdout, "index")
    assert [(each["path"], each["code"]) for each in report["skipped"]] == [("orchard-01.md", "permission")]
    assert (report["changed"], report["removed"]) == (0, 0)
    found = check_json(run_here("search", "lantern of orchard 1 grams", "--json", cwd=folder).stdout, "search")
    assert "41 grams" in found["hits"][0]["text"]
    assert check_json(run_here("status", "--json", cwd=folder).stdout, "status")["stale"] == 1


# --- folders that are gone ------------------------------------------------------------------------------------------


def test_an_emptied_folder_costs_nothing_until_it_is_said_so(folder: Path) -> None:
    store = ("--store", str(folder.parent / "store"))
    assert run_here("index", str(folder), *store, cwd=folder.parent).returncode == 0
    folder.rename(folder.parent / "moved")
    gone = run_here("index", str(folder), *store, "--json", cwd=folder.parent)
    check_error(gone, 2)
    folder.mkdir()  # as a place where nothing is mounted
    empty = check_error(run_here("index", str(folder), *store, "--json", cwd=folder.parent), 1)
    assert empty["message"].endswith("12 of 12 files are missing; nothing removed")
    assert "--prune" in empty["hint"]
    search = ("search", "lantern of orchard 7 grams", *store, "--json")
    assert "47 grams" in check_json(run_here(*search, cwd=folder.parent).stdout, "search")["hits"][0]["text"]
    pruned = run_here("index", str(folder), *store, "--prune", "--json", cwd=folder.parent)
    assert check_json(pruned.stdout, "index")["removed"] == N_FILES
    assert check_json(run_here(*search, cwd=folder.parent).stdout, "search")["hits"] == []


def test_a_question_to_a_folder_without_files_is_told_that_nothing_can_be_searched(tmp_path: Path) -> None:
    assert run_here("index", cwd=tmp_path).returncode == 0
    asked = run_here("ask", "What is the fee?", cwd=tmp_path)
    assert (asked.returncode, asked.stdout.decode().strip()) == (4, "No answer: what is searched holds no passage")


def test_hidden_files_are_counted_and_read_where_they_are_named(folder: Path) -> None:
    (folder / ".mergify.yml").write_text("rules: 5\n", "utf-8")
    (folder / ".github").mkdir()
    (folder / ".github" / "ci.yml").write_text("on: push\n", "utf-8")
    store = f"--store={folder.parent / 'store'}"
    said = run_here("index", str(folder), store, cwd=folder).stderr.decode()
    assert "12 added, 2 left out by rule (2 hidden); " in said
    listed = run_here("status", "--skipped", store, cwd=folder).stdout.decode()
    assert "begins with a dot; read where you name it  [hidden]" in listed
    assert b"1 added" in run_here("index", str(folder / ".mergify.yml"), store, cwd=folder).stderr
    assert "indexed" in {row.status for path, row in rows_of(folder).items() if path.endswith(".mergify.yml")}
