"""Dying is allowed at every moment: the store opens at its last commit, and going on ends where a clean run does."""

from __future__ import annotations

import itertools
import re
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from store_processes import start
from store_samples import (
    STORY,
    acknowledged,
    build_store,
    digest_of,
    make_document,
    rebuild_store,
    story_digests,
    tell_story,
    writer_of,
)

import mixrag_cli.store
from mixrag_cli.errors import NoIndex
from mixrag_cli.store import check_store, open_reader, read_record
from mixrag_cli.store.layout import generations

pytestmark = pytest.mark.slow

POINTS = sorted(
    {
        point
        for module in Path(mixrag_cli.store.__file__).parent.glob("*.py")
        for point in re.findall(r'\breach\("(\w+)"\)', module.read_text())
    }
)
REBUILD_POINTS = ("before_swap", "after_swap")  # that only a rebuild reaches
POINTS = [point for point in POINTS if point not in REBUILD_POINTS]
POWER_LOSSES = 30
RANDOM_KILLS = 5


@pytest.fixture(scope="module")
def digests(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return story_digests(tmp_path_factory.mktemp("clean") / ".mixrag")


@pytest.fixture(scope="module")
def half_done(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Stores killed when all of a step was written but its record."""
    stores = []
    for turn in (3, 5, 8):  # the sixth and seventh are the two of finish()
        store = tmp_path_factory.mktemp("half") / ".mixrag"
        child = start(tell_story, store, 0, f"before_record:{turn}")
        child.join(60)
        assert child.exitcode == -signal.SIGKILL
        stores.append(store)
    return stores


def go_on_and_compare(store: Path, digests: list[str]) -> None:
    """The store holds every acknowledged step, and the rest of the story leads to the clean end."""
    n_done, _ = acknowledged(store)
    try:
        with open_reader(store) as reader:
            seen = digest_of(reader)
    except NoIndex:
        assert n_done == 0
        seen = digests[0]
    assert seen in digests[n_done : n_done + 2]
    first = n_done if seen == digests[n_done] else n_done + 1
    with writer_of(store) as writer:
        for step in STORY[first:]:
            step(writer)
    with open_reader(store) as reader:
        assert digest_of(reader) == digests[-1]
    assert check_store(store, deep=True) == []
    assert not [path for path in store.rglob("*") if path.name.endswith((".new", ".tmp"))]


def test_every_step_of_the_story_is_a_state_of_its_own(digests: list[str]) -> None:
    changing = [after for before, after in itertools.pairwise(digests) if before != after]
    assert len(set(changing)) == len(changing) == len(STORY) - 2  # finish changes no content
    assert len(POINTS) > 15


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Path]]]:
    """For each named point a store whose writer died there; they are made beside the tests, one at a time.

    Starting a process asks after all others; of two threads that ask after the same one, one gets a wrong exit code.
    """

    def kill_at(point: str, store: Path) -> Path:
        turn = 4 if point.startswith(("record_", "before_record", "after_record", "after_sync")) else 1
        child = start(tell_story, store, 0, f"{point}:{turn}")
        child.join(60)
        assert child.exitcode == -signal.SIGKILL
        return store

    with ThreadPoolExecutor(max_workers=1) as pool:
        yield {point: pool.submit(kill_at, point, tmp_path_factory.mktemp(point) / ".mixrag") for point in POINTS}


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_any_named_point_loses_nothing(
    point: str, killed: dict[str, Future[Path]], digests: list[str]
) -> None:
    go_on_and_compare(killed[point].result(), digests)


@pytest.mark.parametrize("point", ["after_chunks", "before_tidy", *REBUILD_POINTS, "record_written", "before_cleanup"])
def test_a_rebuild_killed_anywhere_leaves_the_old_index_or_the_new_one(point: str, tmp_path: Path) -> None:
    store = tmp_path / ".mixrag"
    build_store(store, ["a.md", "b.md"])
    with open_reader(store) as reader:
        old = digest_of(reader)
    child = start(rebuild_store, store, ["a.md", "c.md"], 2, point)
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    with open_reader(store) as reader:
        is_old = point not in ("after_swap", "before_cleanup")
        assert (digest_of(reader) == old) is is_old
        assert {row.path for row in reader.document_rows()} == {"a.md", "b.md" if is_old else "c.md"}
    with writer_of(store) as writer:  # the next writer clears what was half built
        assert max(generations(store)) == read_record(store).generation
        writer.write_batch([make_document("d.md")])
        writer.finish()
    assert list(generations(store)) == [read_record(store).generation]
    with open_reader(store) as reader:
        assert len(reader.document_rows()) == 3
    assert check_store(store, deep=True) == []


def test_kills_at_random_moments_lose_nothing(tmp_path: Path, digests: list[str]) -> None:
    rng = np.random.default_rng()
    for number in range(RANDOM_KILLS):
        store = tmp_path / f"{number}" / ".mixrag"
        delay = float(rng.uniform(0.02, 0.8))
        child = start(tell_story, store)
        child.join(delay)
        child.kill()
        child.join(10)
        try:
            go_on_and_compare(store, digests)
        except AssertionError as exc:
            raise AssertionError(f"killed after {delay:.3f} s") from exc


def test_a_power_cut_costs_at_most_the_unfinished_step(
    half_done: list[Path], tmp_path: Path, digests: list[str]
) -> None:
    rng = np.random.default_rng(5)
    n_recovered = 0
    for number in range(POWER_LOSSES):
        origin = half_done[number % len(half_done)]
        store = tmp_path / f"{number}" / ".mixrag"
        shutil.copytree(origin, store)
        n_done, durable = acknowledged(origin)
        for path in sorted(store.rglob("*")):
            hint = path.name == "latest_version_hint.json"  # rewritten in place by the engine, so never certain
            if path.is_file() and (hint or str(path.relative_to(store)) not in durable):
                lose(path, int(rng.integers(5)))
        with open_reader(store) as reader:
            assert digest_of(reader) == digests[n_done]
        with writer_of(store) as writer:
            n_recovered += writer.recovered == "recovered: 1 unfinished write set aside"
            if number % 10 == 0:
                for step in STORY[n_done:]:
                    step(writer)
        with open_reader(store) as reader:
            assert digest_of(reader) == digests[-1 if number % 10 == 0 else n_done]
    assert n_recovered > POWER_LOSSES // 3


def lose(path: Path, way: int) -> None:
    """What a power cut may make of a file that was not synced."""
    raw = path.read_bytes()
    if way == 0:
        path.unlink()
    elif way < 4:
        path.write_bytes((b"", bytes(len(raw)), raw[: len(raw) // 2])[way - 1])
