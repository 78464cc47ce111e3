"""An index says the same however it came to be: in one run, or in several that were killed on the way."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mixrag_cli.retrieval.drawing import DrawnQuestion
from mixrag_cli.settings import Settings
from mixrag_cli.store import check_store, open_reader, read_record
from mixrag_cli.store.failpoints import VARIABLE
from mixrag_cli.stories import calibrating
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.wishes import IndexWishes
from tests.store_contents import contents_of
from tests.store_processes import start
from tests.test_calibrate_command import HEADER, N_FILES, THINGS, fit_patiently, write_collection

# The first has 31 passages of like scores about its tenth, the second many; the others few.
ALIKE = 0.999  # cosine of the token vectors of a passage; a fitted number over the other
QUERIES = (
    "which orchard keeps the lantern",
    "lantern",
    "brewery kettle Noor",
    "sextant weighed",
    "saddle of Wanda repaired",
)


def index_and_die(folder: Path, store: Path, failpoint: str) -> None:
    fit_patiently(pytest.MonkeyPatch())  # in a process of its own
    os.environ[VARIABLE] = failpoint
    build_index([folder], Settings(store=store), events=Silent(), wishes=IndexWishes(prune=True))


def killed_at(folder: Path, store: Path, failpoint: str) -> None:
    child = start(index_and_die, folder, store, failpoint)
    child.join(120)
    assert child.exitcode == -signal.SIGKILL


def all_of(store: Path) -> dict[str, Any]:
    """What the store holds, what it promises, and how it scores words."""
    with open_reader(store) as reader:
        words = {
            query: [(hit.path, hit.chunk.position, round(hit.score, 4)) for hit in reader.search_words(query, 10)]
            for query in QUERIES
        }
        holding = {thing: reader.count_passages([thing]) for thing in THINGS}
    return {**contents_of(store), "words": words, "holding": holding, "extra": read_record(store).extra}


def assert_alike(one: dict[str, Any], other: dict[str, Any]) -> None:
    """The same but for the last bits of float32, which follow the shape of a batch on processors with AVX2.

    A number of a token's vector at the edge of one of its four levels may then be the next one; a fit moves as little.
    """
    late, other_late = (
        [np.frombuffer(each or b"", np.int8).astype(float) for each in of.pop("late")] for of in (one, other)
    )
    for own, others in zip(late, other_late, strict=True):
        assert own @ others >= ALIKE * np.linalg.norm(own) * np.linalg.norm(others)
    said, others_said = leaves_of(one.pop("extra")), leaves_of(other.pop("extra"))
    assert said.keys() == others_said.keys()
    for path, leaf in said.items():
        is_fitted = isinstance(leaf, float)
        assert leaf == (pytest.approx(others_said[path], rel=1 - ALIKE) if is_fitted else others_said[path]), path
    assert one == other


def leaves_of(value: Any, path: str = "") -> dict[str, Any]:
    """What stands at the ends of nested mappings, by their path."""
    if isinstance(value, dict):
        return {name: leaf for key in value for name, leaf in leaves_of(value[key], f"{path}/{key}").items()}
    return {path: value}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder as it is in the end."""
    folder = tmp_path_factory.mktemp("home") / "books"
    write_collection(folder)
    return folder


@pytest.fixture(scope="module")
def at_once(folder: Path, tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Path:
    store = tmp_path_factory.mktemp("at-once") / "store"
    with pytest.MonkeyPatch.context() as patch:
        fit_patiently(patch)
        build_index([folder], Settings(store=store), events=Silent())
    return store


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    fit_patiently(monkeypatch)


@pytest.mark.slow
def test_a_store_that_was_killed_and_finished_equals_one_made_at_once(
    folder: Path, at_once: Path, tmp_path: Path
) -> None:
    """Other files first, some of them to be changed or removed; kills before, in and after commits; a whole run."""
    aside, store = tmp_path / "aside", tmp_path / "store"
    shutil.copytree(folder, aside)
    try:
        for number in range(4, N_FILES, 2):
            (folder / f"inventory{number}.csv").unlink()
        for name in ("inventory1.csv", "inventory3.csv", "gone.csv"):
            (folder / name).write_text(f"{HEADER}lantern,quay,Noor,sold mar kel bra\n", "utf-8")
        killed_at(folder, store, "before_tidy")
        (folder / "gone.csv").unlink()
        for number in (4, 6, 8):
            shutil.copy2(aside / f"inventory{number}.csv", folder)
        killed_at(folder, store, "after_documents")
        build_index([folder], Settings(store=store), events=Silent(), wishes=IndexWishes(prune=True))
        shutil.copy2(aside / "inventory10.csv", folder)
        killed_at(folder, store, "after_record")
    finally:
        for path in folder.iterdir():
            path.unlink()
        shutil.copytree(aside, folder, dirs_exist_ok=True)
    build_index([folder], Settings(store=store), events=Silent(), wishes=IndexWishes(prune=True))
    assert check_store(store, deep=True) == []
    assert_alike(all_of(store), all_of(at_once))
    kept = read_record(store).extra["calibration"]["late"]
    assert kept["origin"] == "collection"


@pytest.mark.slow
def test_a_copy_of_the_folder_elsewhere_is_asked_the_same_questions(
    folder: Path, at_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[list[DrawnQuestion]] = []
    draw = calibrating.draw
    monkeypatch.setattr(calibrating, "draw", lambda *given: drawn.append(draw(*given)) or [])  # noted, and not asked
    monkeypatch.setattr(calibrating, "READ_WHOLE", 128)  # as of a large collection, only a sample is read
    for place in ("one", "other"):
        shutil.copytree(folder, tmp_path / place)
        build_index([tmp_path / place], Settings(), events=Silent())
    texts = [[question.text for question in each] for each in drawn]
    assert len(texts) == 2 and texts[0] == texts[1]
    assert len(texts[0]) > 20 and len({question.chunk.document for question in drawn[0]}) > 5
