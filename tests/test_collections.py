"""Indexes found again: from folders that the store does not lie above, and by a name; several asked at once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from mixrag_cli.cli import app
from mixrag_cli.client import _store_of
from mixrag_cli.errors import MixragError
from mixrag_cli.models.library import library_folder
from mixrag_cli.settings import cache_folder, data_folder
from mixrag_cli.store import find_store, read_registry, remember_roots
from mixrag_cli.store.registry import REGISTRY_FILE
from mixrag_cli.stories.several import fuse_answers
from tests.cli_fixtures import CODE, HANDBOOK, SHEET
from tests.northmere import abstained, answered, candidate, likely, near, passage

LEAVE = "How many days of paid leave does every member of the workshop have?"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three small folders, without an index."""
    root = tmp_path_factory.mktemp("folders")
    for name, file, text in (
        ("one", "handbook.md", HANDBOOK),
        ("two", "prices.py", CODE),
        ("three", "stock.csv", SHEET),
    ):
        (root / name / "deep").mkdir(parents=True)
        (root / name / file).write_text(text, "utf-8")
    return root


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(autouse=True)
def surrounded(folders: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("MIXRAG_DATA_DIR", str(data))
    monkeypatch.chdir(folders)
    yield


@pytest.fixture(scope="module")
def named(folders: Path, data: Path) -> Path:
    """The collections "leave" (one) and "stock" (three)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MIXRAG_DATA_DIR", str(data))
        patch.chdir(folders)
        run("index", "--collection", "leave", "one")
        run("index", "--collection", "stock", "three")
    return data


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.stderr
    return done.stdout


def as_json(*arguments: str, code: int = 0) -> dict:
    found = json.loads(run(*arguments, "--json", code=code))
    name, _, version = found["schema"].removeprefix("mixrag.").partition("/")
    schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", f"{name}-{version}.json").read_text("utf-8"))
    jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)
    return found


def refused(code: int, *arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.stderr
    assert done.stdout == ""
    return done.stderr


# --- the store of a folder that it does not lie above -----------------------------------------------------------------


@pytest.mark.slow
def test_an_index_of_two_folders_is_found_from_both(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(app, ["index", "one", "two"])
    assert done.exit_code == 0
    assert f"the index lies in {folders / 'one' / '.mixrag'}; it is found from {folders / 'two'} too" in done.stderr
    monkeypatch.chdir(folders / "two" / "deep")
    assert as_json("status")["store"] == str(folders / "one" / ".mixrag")
    assert {each["path"] for each in as_json("ls")["files"]} == {"handbook.md", str(folders / "two" / "prices.py")}
    (folders / "two" / "new.md").write_text("# New\n\nThe kiln is lit on the first Monday of May.\n")
    assert as_json("index")["added"] == 1  # both folders are brought up to date from either
    (folders / "two" / "new.md").unlink()
    monkeypatch.chdir(folders / "three")
    assert "no index for" in refused(10, "status")


def test_places_are_named_as_people_have_them(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("index", "one", "two")
    prices = folders / "two" / "prices.py"
    for here, ref in (
        ("three", f"{prices}#L4-6"),  # no index serves this folder; one serves the file's
        ("two", "prices.py#L4-6"),
        ("two", "./prices.py#L4-6"),
        ("two/deep", "../prices.py#L4-6"),
        ("one", f"{prices}#L4-6"),
        ("one/deep", "handbook.md"),
    ):
        monkeypatch.chdir(folders / here)
        assert as_json("show", ref)["path"] in (str(prices), "handbook.md")
    monkeypatch.chdir(folders / "two")
    best = as_json("search", "price with tax", "--limit", "1")["hits"][0]["path"]
    assert as_json("show", best)["path"] == best
    monkeypatch.chdir(folders / "three")
    assert "no index for" in refused(10, "show", "nothing.md")
    assert as_json("remove", "../two/prices.py")["removed"] == [str(prices)]
    monkeypatch.chdir(folders / "one")
    assert as_json("remove", "./handbook.md")["removed"] == ["handbook.md"]
    assert as_json("index")["added"] == 2


def test_steps_up_do_not_hide_which_folder_is_meant(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folders / "other").mkdir(exist_ok=True)
    (folders / "other" / "a.md").write_text("# A\n\nThe lathe stands in the east wing.\n")
    run("index", "one")
    monkeypatch.chdir(folders / "one")
    assert as_json("index", "../other")["store"] == str(folders / "other" / ".mixrag")
    shutil.rmtree(folders / "other")


@pytest.mark.slow
def test_a_folder_is_one_root_by_whatever_link_it_is_reached(
    folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, lying, link = tmp_path / "store", tmp_path / "lying" / "docs", tmp_path / "link" / "docs"
    shutil.copytree(folders / "one", lying)
    (lying / "deep" / "prices.py").write_text(CODE, "utf-8")
    (tmp_path / "link").symlink_to("lying")

    assert as_json("index", "--store", str(store), str(link), str(lying))["added"] == 2
    assert as_json("index", "--store", str(store), str(lying), str(lying / "deep"))["unchanged"] == 2
    assert as_json("status", "--store", str(store))["roots"] == [str(link)]  # as it was typed first
    for named in (link, lying):
        assert as_json("show", "--store", str(store), str(named / "handbook.md"))["path"] == str(link / "handbook.md")
    assert as_json("remove", "--store", str(store), str(lying / "deep/*.py"))["removed"] == [
        str(link / "deep/prices.py")
    ]

    (tmp_path / "short").symlink_to("lying/docs/deep")
    run("index", str(lying))
    assert as_json("index", str(tmp_path / "short"))["store"] == str(lying / ".mixrag")
    run("index", "one", str(tmp_path / "lying"))
    monkeypatch.chdir(tmp_path / "link")
    assert as_json("status")["store"] == str(folders / "one" / ".mixrag")


def test_an_own_index_goes_before_one_elsewhere(tmp_path: Path) -> None:
    for name in ("store-a", "b/.mixrag"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "state.json").write_text("{}")
    remember_roots(tmp_path / "store-a", [tmp_path / "b", tmp_path / "c"])
    assert find_store(tmp_path / "b") == tmp_path / "b" / ".mixrag"
    assert find_store(tmp_path / "c" / "below") == tmp_path / "store-a"


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"roots": [], "collections": {}}', "[" * 100_000])
def test_a_damaged_registry_stops_nothing_but_names(
    tmp_path: Path, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIXRAG_DATA_DIR", str(tmp_path))
    (tmp_path / REGISTRY_FILE).write_text(content)
    (tmp_path / "x" / ".mixrag").mkdir(parents=True)
    (tmp_path / "x" / ".mixrag" / "state.json").write_text("{}")
    assert find_store(tmp_path / "x") == tmp_path / "x" / ".mixrag"
    with pytest.raises(MixragError, match="is damaged"):
        remember_roots(tmp_path / "x" / ".mixrag", [tmp_path / "y"])
    assert (tmp_path / REGISTRY_FILE).read_text() == content
    assert "is damaged" in refused(1, "collections")


def test_the_registry_is_the_users_own(named: Path) -> None:
    assert (data_folder() / REGISTRY_FILE).stat().st_mode & 0o077 == 0
    assert set(read_registry().collections) >= {"leave", "stock"}


def test_the_users_folders_may_be_named_from_home(
    tmp_path: Path, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MIXRAG_DATA_DIR", "~/kept")
    monkeypatch.setenv("MIXRAG_CACHE_DIR", "~/made")
    run("index", "--collection", "leave", "one")
    assert (tmp_path / "kept" / REGISTRY_FILE).is_file()
    assert _store_of(["ask", LEAVE, "--collection", "leave"]) == str(tmp_path / "kept" / "collections" / "leave")
    assert library_folder() == tmp_path / "kept" / "models"
    assert cache_folder("models") == tmp_path / "made" / "models"
    assert not (folders / "~").exists()


# --- names ------------------------------------------------------------------------------------------------------------


def test_a_collection_is_asked_by_its_name_from_anywhere(named: Path, folders: Path) -> None:
    found = as_json("ask", LEAVE, "--collection", "leave", "--accept", "likely")
    assert "27" in found["answer"]
    assert "collection" not in found["candidates"][0]["source"]  # only one was asked
    assert as_json("status", "--collection", "leave")["documents"]["indexed"] == 1
    assert as_json("show", "handbook.md", "--collection", "leave")["path"] == str(folders / "one" / "handbook.md")
    assert as_json("index", "--collection", "leave")["unchanged"] == 1
    assert as_json("ls", "--collection", "stock")["files"][0]["path"] == str(folders / "three" / "stock.csv")
    assert not (folders / "three" / ".mixrag").exists()


def test_collections_are_listed(named: Path, folders: Path) -> None:
    found = {each["name"]: each for each in as_json("collections")["collections"]}
    assert found["leave"]["store"] == str(named / "collections" / "leave")
    assert (found["leave"]["state"], found["leave"]["files"]) == ("ok", 1)
    assert found["leave"]["bytes"] > 10_000
    lines = run("collections").splitlines()
    assert [line.split()[0] for line in lines] == sorted(found)
    assert run("collections", "list") == run("collections")


def test_a_name_is_given_forgotten_and_its_index_deleted_only_by_wish(named: Path, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nThe lathe stands in the east wing.\n")
    run("index", str(tmp_path))
    run("collections", "add", "lathe", str(tmp_path))
    assert as_json("search", "lathe", "--collection", "lathe")["files"] == ["a.md"]
    assert "is" in refused(2, "collections", "add", "lathe", str(named / "collections" / "leave"))
    run("collections", "remove", "lathe")
    assert (tmp_path / ".mixrag" / "state.json").is_file()
    run("collections", "add", "lathe", str(tmp_path / ".mixrag"))
    (tmp_path / ".mixrag" / "mine.txt").write_text("not the program's")
    assert "--yes" in refused(2, "collections", "remove", "lathe", "--delete")
    run("collections", "remove", "lathe", "--delete", "--yes")
    assert [path.name for path in (tmp_path / ".mixrag").iterdir()] == ["mine.txt"]
    assert (tmp_path / "a.md").is_file()
    assert "lathe" not in read_registry().collections


def test_a_collection_whose_index_is_gone_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nThe lathe stands in the east wing.\n")
    run("index", "--collection", "passing", str(tmp_path))
    shutil.rmtree(data_folder() / "collections" / "passing")
    state = {each["name"]: each["state"] for each in as_json("collections")["collections"]}
    assert state["passing"] == "gone"
    assert "no index at" in refused(10, "search", "lathe", "--collection", "passing")
    run("collections", "remove", "passing", "--delete", "--yes")


@pytest.mark.parametrize(
    ("code", "arguments", "said"),
    [
        (10, ["search", "x", "--collection", "leaf"], "no collection 'leaf' (nearest: leave)"),
        (10, ["ask", "x", "--collection", "leave,nothing"], "no collection 'nothing'"),
        (2, ["status", "--collection", "leave,stock"], "only ask, search, serve and mcp take several collections"),
        (2, ["search", "x", "--collection", "leave", "--store", "."], "--store and --collection both name an index"),
        (2, ["search", "x", "--collection", " , "], "--collection needs a name"),
        (2, ["search", "x", "--collection", "leave", "--file", "one/handbook.md"], "--collection is for an index"),
        (2, ["index", "--collection", "../up", "one"], "'../up' is no name for a collection"),
        (10, ["collections", "remove", "nothing"], "no collection 'nothing'"),
        (10, ["collections", "add", "x", "three"], "no index at three"),
    ],
)
def test_what_cannot_be_meant_is_one_line(named: Path, code: int, arguments: list[str], said: str) -> None:
    assert refused(code, *arguments).startswith(f"mixrag: {said}")


# --- several at once --------------------------------------------------------------------------------------------------


def test_several_collections_are_searched_and_each_hit_says_of_which_it_is(named: Path) -> None:
    found = as_json("search", "paid leave of members", "--collection", "leave,stock", "--limit", "20")
    scores = [hit["fused"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert {hit["collection"] for hit in found["hits"]} == {"leave", "stock"}
    assert found["hits"][0]["collection"] == "leave"
    same = as_json("search", "paid leave of members", "--collection", "stock", "--collection", "leave", "--limit", "20")
    assert {hit["id"] for hit in same["hits"]} == {hit["id"] for hit in found["hits"]}
    shown = run("search", "paid leave of members", "--collection", "leave,stock", "--limit", "1")
    assert shown.startswith("one/handbook.md  in leave") and found["hits"][0]["path"].endswith("/one/handbook.md")
    first = as_json("search", "stock.csv", "--collection", "leave,stock", "--limit", "1", "--context", "1")["hits"][0]
    assert (first["collection"], first["path"].endswith("stock.csv")) == ("stock", True)
    only = as_json("search", "paid leave", "--collection", "leave,stock", "--path", "*.csv")
    assert {hit["collection"] for hit in only["hits"]} == {"stock"}
    assert "no indexed file matches" in refused(2, "search", "x", "--collection", "leave,stock", "--path", "nowhere")


def test_several_collections_are_asked_and_the_surest_answers(named: Path) -> None:
    alone = as_json("ask", LEAVE, "--collection", "leave", "--accept", "likely")
    both = as_json("ask", LEAVE, "--collection", "stock,leave", "--accept", "likely")
    assert both["answer"] == alone["answer"]
    assert both["candidates"][0]["source"]["collection"] == "leave"
    shown = CliRunner().invoke(app, ["ask", LEAVE, "--collection", "stock,leave"])
    assert "in leave" in shown.stdout


def test_answers_of_several_are_fused_by_their_probability() -> None:
    book, report = passage("handbook.md", "Digging deeper than"), passage("annual-report.pdf", "Total revenue")
    sure = answered("q", "27 days", [book], confidence=0.9)
    less = answered("q", "28 days", [report], confidence=0.7)
    perhaps = likely("q", candidate(book, "Digging", 0.3), candidate(book, "deeper", 0.2))
    rather = likely("q", candidate(report, "Total", 0.6))
    none = abstained("q", "nothing is said of it", near("handbook.md", "Digging deeper than"))
    assert fuse_answers([less, perhaps, sure, none]) == sure
    assert [each.probability for each in fuse_answers([none, perhaps, rather]).candidates] == [0.6, 0.3, 0.2]
    assert fuse_answers([none, none]).status == "abstained"
    assert len(fuse_answers([none, none, none, none]).refused) == 3
