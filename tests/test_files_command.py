"""What is in the index and whether it is still so: ls, status, globs kept with a root, files named as people do."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from mixrag_cli.cli import app
from mixrag_cli.walking import Selection
from tests.cli_fixtures import copy_indexed


@pytest.fixture
def folder(indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An indexed folder of one's own, and the current one."""
    own = tmp_path / "own"
    copy_indexed(indexed, own)
    monkeypatch.chdir(own)
    assert CliRunner().invoke(app, ["index"]).exit_code == 3  # the copies are other files of the same content
    return own


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.stderr
    return done.stdout


def as_json(*arguments: str) -> dict:
    found = json.loads(run(*arguments, "--json"))
    name, _, version = found["schema"].removeprefix("mixrag.").partition("/")
    schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", f"{name}-{version}.json").read_text("utf-8"))
    jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)
    return found


def states(*arguments: str) -> dict[str, str]:
    return {each["path"]: each["state"] for each in as_json("ls", *arguments)["files"]}


def test_ls_tells_each_file_and_its_state(folder: Path) -> None:
    listed = {each["path"]: each for each in as_json("ls")["files"]}
    assert listed["handbook.md"]["modality"] == "markdown"
    assert listed["handbook.md"]["passages"] > 2
    assert listed["handbook.md"]["bytes"] == (folder / "handbook.md").stat().st_size
    assert listed["broken.pdf"]["state"] == "skipped"
    assert listed["broken.pdf"]["reason"]
    (folder / "handbook.md").write_text("Other words.\n")
    (folder / "prices.py").unlink()
    assert {path: state for path, state in states().items() if state in ("stale", "gone")} == {
        "handbook.md": "stale",
        "prices.py": "gone",
    }
    assert "stale     markdown" in run("ls", "handbook.md")


def test_ls_takes_globs_folders_and_places(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(states("*.csv", "prices.py")) == {"stock.csv", "prices.py"}
    assert set(states(str(folder / "stock.csv"))) == {"stock.csv"}
    assert set(states(str(folder))) == set(states())
    (folder / "below").mkdir(exist_ok=True)
    monkeypatch.chdir(folder / "below")
    assert set(states("../stock.csv")) == {"stock.csv"}
    assert "nothing.md: not in the index" in CliRunner().invoke(app, ["ls", "nothing.md"]).stderr


def test_ls_takes_a_folder_on_the_way_as_a_search_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "files" / "broker" / "man").mkdir(parents=True)
    (tmp_path / "files" / "broker" / "man" / "pub.md").write_text("It publishes.\n")
    (tmp_path / "files" / "other.md").write_text("Another.\n")
    monkeypatch.chdir(tmp_path)
    store = str(tmp_path / "store")
    run("index", "files", "--store", store, "--yes")
    assert [Path(path).name for path in states("broker/man", "--store", store)] == ["pub.md"]


def test_status_tells_what_differs_on_the_disk(folder: Path) -> None:
    assert as_json("status")["changes"] == {"new": [], "changed": [], "gone": [], "stale": [], "outdated": []}
    assert "as indexed" in run("status")
    (folder / "fresh.md").write_text("# Fresh\n\nNew words.\n")
    (folder / "stock.csv").write_text("product\nchair\n")
    (folder / "prices.py").unlink()
    assert as_json("status")["changes"] == {
        "new": ["fresh.md"],
        "changed": ["stock.csv"],
        "gone": ["prices.py"],
        "stale": [],
        "outdated": [],
    }
    told = run("status", "--changed")
    assert "1 new, 1 changed, 1 gone" in told
    assert "new      fresh.md" in told
    run("index", code=3)
    assert as_json("status")["changes"]["new"] == []


def test_search_and_ask_say_on_stderr_that_files_are_newer(folder: Path) -> None:
    note = "mixrag: 1 file changed, 2 new, 1 gone since the last index; run mixrag index"
    (folder / "stock.csv").write_text("product\nchair\n")
    (folder / "prices.py").unlink()
    (folder / "fresh.md").write_text("New words.\n")
    (folder / "further").mkdir()
    (folder / "further" / "more.md").write_text("More words.\n")
    for command in ("search", "ask"):
        done = CliRunner().invoke(app, [command, "days of paid leave"])
        assert note in done.stderr.splitlines()
        assert "last index" not in done.stdout
        assert "last index" not in CliRunner().invoke(app, [command, "leave", "--quiet"]).stderr


@pytest.mark.slow
def test_globs_are_kept_with_the_root(folder: Path) -> None:
    run("index", "--exclude", "*.csv", "--exclude", "drafts/", code=3)
    assert "stock.csv" not in states()
    (folder / "drafts").mkdir()
    (folder / "drafts" / "one.md").write_text("# One\n\nWords.\n")
    run("index", code=3)
    assert states("--all")["stock.csv"] == "left_out"
    assert "drafts/one.md" not in states()
    assert as_json("status")["changes"]["new"] == []
    run("index", "--rebuild", "--yes", code=3)
    assert "stock.csv" not in states()
    run("index", "--exclude", "", "--include", "*.md", code=0)
    assert all(path.endswith(".md") for path in states())
    run("index", "--include", "", code=3)
    assert {"stock.csv", "drafts/one.md", "prices.py"} <= set(states())


def test_an_encoding_that_is_said_is_kept_and_read_by(folder: Path) -> None:
    (folder / "old").mkdir()
    # Czech in the encoding of DOS: Central European letters that look like those of cp1250 to no reader
    for name in ("price.txt", "stav.csv"):
        (folder / "old" / name).write_bytes("zboží;cena\nžlutý kůň;12\nšálek;7\n".encode("cp852"))
    run("index", "--encoding", "old/=cp852", code=3)
    notes = {each["path"]: each["notes"] for each in as_json("ls")["files"]}
    assert notes["old/price.txt"] == notes["old/stav.csv"] == ["read as cp852, as told"]
    assert notes["handbook.md"] == []
    assert "(read as cp852, as told)" in run("ls", "old/price.txt")
    assert "old/stav.csv: read as cp852, as told" in run("status")
    assert as_json("search", "žlutý kůň")["hits"][0]["path"].startswith("old/")
    before = as_json("ls", "old/price.txt")
    run("index", code=3)
    assert as_json("ls", "old/price.txt") == before
    changed = json.loads(
        run("index", "--encoding", "*.csv=cp850", "--encoding", "old/price.txt=cp852", "--json", code=3)
    )
    assert (changed["changed"], changed["added"]) == (2, 0)  # stav.csv and stock.csv
    assert {each["path"]: each["notes"] for each in as_json("ls")["files"]}["old/stav.csv"] == [
        "read as cp850, as told"
    ]
    forgotten = json.loads(run("index", "--encoding", "", "--json", code=3))
    assert forgotten["changed"] == 3
    assert "as told" not in run("status")


@pytest.mark.parametrize(
    "given", ["*.txt=cp99999", "*.txt=base64", "*.txt=unicode_escape", "*.txt", "=cp850", "*.txt="]
)
def test_what_is_no_encoding_is_refused_in_one_line(folder: Path, given: str) -> None:
    done = CliRunner().invoke(app, ["index", "--encoding", given])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 2  # the second names a command that works
    assert done.stderr.startswith("mixrag: --encoding: ")


@pytest.mark.parametrize(
    ("selection", "path", "wanted"),
    [
        (Selection(include=("*.md",)), b"a/b.md", True),
        (Selection(include=("*.md",)), b"a/b.txt", False),
        (Selection(include=("docs/",)), b"docs/deep/b.txt", True),
        (Selection(include=("/docs",)), b"other/docs/b.txt", False),
        (Selection(), b"a", True),
    ],
)
def test_what_is_included(selection: Selection, path: bytes, wanted: bool) -> None:
    assert selection.includes(path) is wanted


def test_show_and_remove_take_the_paths_that_people_have(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run("show", "handbook.md#L3-6")
    assert run("show", f"{folder}/handbook.md#L3-6") == shown
    (folder / "below").mkdir(exist_ok=True)
    monkeypatch.chdir(folder / "below")
    assert run("show", "../handbook.md#L3-6") == shown
    assert as_json("show", f"{folder}/handbook.md", "--tables")["path"] == "handbook.md"
    monkeypatch.chdir(folder.parent)
    store = ("--store", str(folder / ".mixrag"))
    assert run("show", os.path.join("own", "handbook.md#L3-6"), *store) == shown  # noqa: PTH118
    assert run("remove", "own/stock.csv", *store) == "removed stock.csv\n"
    assert run("remove", "prices.py#L4-6", *store) == "removed prices.py\n"
    assert CliRunner().invoke(app, ["remove", "own/stock.csv", *store]).exit_code == 2


@pytest.mark.parametrize(
    ("ref", "words"),
    [
        ("broken.pdf", "broken.pdf: not in the index: not a readable"),
        ("blank.csv", "blank.csv: not in the index: holds no text"),
        ("gone.md", "gone.md: not in the index"),
        ("#zzzz", "#zzzz: neither a file nor the id of a passage"),
        ("", "an empty name: neither"),
    ],
)
def test_show_says_why_there_is_nothing_to_show(folder: Path, ref: str, words: str) -> None:
    (folder / "blank.csv").write_text("\n")
    CliRunner().invoke(app, ["index"])
    done = CliRunner().invoke(app, ["show", ref])
    assert done.exit_code == 2
    assert words in done.stderr
