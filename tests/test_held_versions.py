"""Clean-up under readers: what one of them reads stays, all else goes, so a store that is served does not grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixrag_cli.store import check_store, laying_out, open_reader, read_record
from mixrag_cli.store.layout import files_below, generations, manifest_versions, size_of_store
from mixrag_cli.store.lock import cleaning_up, opening_for_reading
from tests.store_samples import build_store, digest_of, document_id, make_document, rebuild_store, writer_of

pytestmark = pytest.mark.slow

CYCLES = 25
NAMES = [f"a{number}.md" for number in range(6)]


def edit(store: Path, number: int) -> None:
    with writer_of(store) as writer:
        writer.write_batch([make_document(NAMES[number % len(NAMES)], revision=number)])
        writer.finish()


def count_files(store: Path) -> int:
    return sum(entry.is_file() for entry in files_below(store))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    build_store(tmp_path / ".mixrag", NAMES)
    return tmp_path / ".mixrag"


def test_a_session_at_the_last_commit_holds_up_nothing(store: Path) -> None:
    files, sizes = [], []
    held = open_reader(store)
    for number in range(CYCLES):
        edit(store, number)
        following = open_reader(store)  # as `serve` does between questions
        held.close()
        held = following
        files.append(count_files(store))
        sizes.append(size_of_store(store))
    half = CYCLES // 2
    assert max(files[half:]) <= 1.3 * max(files[:half]) and max(sizes[half:]) <= 1.3 * max(sizes[:half]), (files, sizes)
    assert len(manifest_versions(store, "chunks")) <= 3
    held.close()


def test_a_session_that_never_moves_keeps_its_commit_and_no_other(store: Path) -> None:
    with open_reader(store) as chat:
        before, own = digest_of(chat), chat.record.tables["chunks"].version
        for number in range(CYCLES):
            edit(store, number)
        last = read_record(store).tables["chunks"].version
        assert set(manifest_versions(store, "chunks")) == {own, last}
        assert digest_of(chat) == before and chat.chunks_of(document_id(NAMES[0]))
    edit(store, CYCLES)
    assert list(manifest_versions(store, "chunks")) == [read_record(store).tables["chunks"].version]
    assert check_store(store, deep=True) == []


def test_a_rebuild_removes_the_tables_before_only_once_nobody_reads_them(store: Path) -> None:
    with open_reader(store) as chat:
        before = digest_of(chat)
        rebuild_store(store, NAMES)
        rebuild_store(store, NAMES)
        assert sorted(generations(store)) == [0, 2]
        assert digest_of(chat) == before
    rebuild_store(store, NAMES)
    assert list(generations(store)) == [3]


def test_nothing_is_cleaned_while_a_reader_opens_the_store(store: Path) -> None:
    with opening_for_reading(store), cleaning_up(store) as is_held:
        assert is_held is None
    with cleaning_up(store) as is_held:
        assert is_held is not None and not is_held(1, 2**60)


def test_a_reader_of_a_large_store_keeps_what_it_finds(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for fewest in ("FEWEST_ROWS", "FEWEST_PASSAGES"):
        monkeypatch.setattr(laying_out, fewest, 10)
    edit(store, 1)
    with open_reader(store) as chat:
        found = [hit.chunk.id for hit in chat.search_words("river", 5)]
        for number in range(2, 8):
            edit(store, number)
        assert [hit.chunk.id for hit in chat.search_words("river", 5)] == found
