"""Several processes at one store: one writes, the others wait, ask or are told."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest
from store_processes import start
from store_samples import (
    STORY,
    build_store,
    digest_of,
    document_id,
    hold_lock,
    make_document,
    read_repeatedly,
    rebuild_store,
    story_digests,
    write_after,
    writer_of,
)

from mixrag_cli.errors import StoreLocked
from mixrag_cli.store import check_store, open_reader, read_record
from mixrag_cli.store.layout import generations
from mixrag_cli.store.schema import DOCUMENTS_SCHEMA, document_rows_to_table

pytestmark = pytest.mark.slow

N_AT_ONCE = 4
N_ASKERS = 3


def run_at_once(store: Path, scratch: Path, wait_s: float) -> list[str]:
    gate, outcomes = scratch / "gate", [scratch / f"outcome{number}" for number in range(N_AT_ONCE)]
    children = [
        start(write_after, store, f"doc{number}.md", gate, outcome, wait_s) for number, outcome in enumerate(outcomes)
    ]
    time.sleep(0.3)
    gate.touch()
    for child in children:
        child.join(60)
    return [outcome.read_text() for outcome in outcomes]


def test_writers_that_wait_all_get_their_turn_on_a_store_that_none_had_made(tmp_path: Path) -> None:
    store = tmp_path / "folder" / ".mixrag"
    assert run_at_once(store, tmp_path, wait_s=60) == ["written"] * N_AT_ONCE
    with open_reader(store) as reader:
        assert sorted(row.path for row in reader.document_rows()) == [f"doc{number}.md" for number in range(N_AT_ONCE)]
        assert reader.record.chunks == 4 * N_AT_ONCE
    assert check_store(store, deep=True) == []


def test_writers_that_do_not_wait_are_turned_away_and_write_nothing(tmp_path: Path) -> None:
    store = tmp_path / "folder" / ".mixrag"
    outcomes = run_at_once(store, tmp_path, wait_s=0)
    written = [f"doc{number}.md" for number, outcome in enumerate(outcomes) if outcome == "written"]
    assert written
    assert all(outcome == "written" or outcome.startswith("11 another mixrag is indexing") for outcome in outcomes)
    with open_reader(store) as reader:
        assert sorted(row.path for row in reader.document_rows()) == written


def test_askers_see_only_committed_states_while_another_writes_and_cleans_up(tmp_path: Path) -> None:
    states = set(story_digests(tmp_path / "clean" / ".mixrag"))
    store = tmp_path / "busy" / ".mixrag"
    outcomes = [tmp_path / f"asker{number}" for number in range(N_ASKERS)]
    askers = [start(read_repeatedly, store, states, 2.0, outcome) for outcome in outcomes]
    while any(asker.is_alive() for asker in askers):
        with writer_of(store) as writer:
            writer.remove([row.id for row in writer.document_rows()])
            for step in STORY:
                step(writer)
    counts = [outcome.read_text() for outcome in outcomes]
    assert all(count.isdecimal() and int(count) > 0 for count in counts), counts


def test_a_killed_writer_leaves_no_lock(tmp_path: Path) -> None:
    store, held = tmp_path / ".mixrag", tmp_path / "held"
    build_store(store, ["a.md"])
    child = start(hold_lock, store, held)
    while not held.exists():
        time.sleep(0.01)
    with pytest.raises(StoreLocked, match=rf"pid {child.pid}, since \d\d:\d\d"):
        writer_of(store)
    assert child.is_alive()
    child.kill()
    child.join(10)
    assert child.exitcode == -signal.SIGKILL
    writer_of(store).close()


def test_a_reader_is_told_nothing_by_a_writer_that_only_waits(tmp_path: Path) -> None:
    store = tmp_path / ".mixrag"
    build_store(store, ["a.md"])
    with open_reader(store) as first, writer_of(store) as writer:
        writer.write_batch([make_document("b.md")])
        writer.finish()
        with open_reader(store) as second:
            assert [len(reader.document_rows()) for reader in (first, second)] == [1, 2]
            assert first.chunks_of(document_id("a.md"))


def test_two_writers_past_the_lock_make_no_duplicates(tmp_path: Path) -> None:
    """On a network file system both may get the lock: then the key column must stop the second."""
    store = tmp_path / ".mixrag"
    build_store(store, ["a.md"])
    tables = [lancedb.connect(str(store / "tables")).open_table("documents") for _ in range(2)]
    rows = document_rows_to_table([make_document("new.md").row])
    assert isinstance(rows, pa.Table)
    assert rows.schema.equals(DOCUMENTS_SCHEMA)
    for table in tables:
        table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)
    assert tables[1].count_rows() == 2
    assert read_record(store).tables["documents"].rows == 1
    with open_reader(store) as reader:
        assert [row.path for row in reader.document_rows()] == ["a.md"]


def test_askers_meet_an_index_at_every_moment_of_rebuild_after_rebuild(tmp_path: Path) -> None:
    store, names = tmp_path / ".mixrag", [f"a{n}.md" for n in range(6)]
    build_store(store, names)
    with open_reader(store) as reader:
        whole = digest_of(reader)
    outcomes = [tmp_path / f"asker{number}" for number in range(N_ASKERS)]
    askers = [start(read_repeatedly, store, {whole}, 3.0, outcome, True) for outcome in outcomes]
    n_rebuilt = 0
    while any(asker.is_alive() for asker in askers):
        rebuild_store(store, names)
        n_rebuilt += 1
    counts = [outcome.read_text() for outcome in outcomes]
    assert all(count.isdecimal() and int(count) > 0 for count in counts), counts
    assert read_record(store).generation == n_rebuilt > 1
    writer_of(store).close()
    rebuild_store(store, names)  # nobody is reading any more
    assert list(generations(store)) == [n_rebuilt + 1]
    assert check_store(store, deep=True) == []
