"""The sketches of a large store: what they find, that they grow with the store, that their damage harms nobody."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mixrag_cli.store import (
    StoredDocument,
    StoreReader,
    build_filter,
    check_store,
    laying_out,
    open_reader,
    publish,
    reading,
    sketches,
)
from mixrag_cli.store.layout import sketches_path
from mixrag_cli.store.nearest import count_wanted, nearest_rows
from tests.store_samples import make_document, write_store, writer_of

pytestmark = pytest.mark.slow

DIM, CHUNKS_A_FILE, N_TOPICS, WANTED = 32, 50, 25, 20
LENGTHS = {"dim": DIM, "late_dim": 0}  # of vectors; no token has one
TOPICS = np.random.default_rng(3).standard_normal((N_TOPICS, DIM)).astype(np.float32)


def document(name: str, seed: int) -> StoredDocument:
    """A document whose passages lie near one another."""
    rng = np.random.default_rng(seed)
    made = make_document(name, CHUNKS_A_FILE, dim=DIM)
    vectors = TOPICS[seed % N_TOPICS] + 0.4 * rng.standard_normal((CHUNKS_A_FILE, DIM))
    vectors[0] = 0  # searched by words alone
    return replace(made, vectors=vectors.astype(np.float32), late=(), tables=())


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of 1,500 passages that counts as large."""
    monkeypatch.setattr(laying_out, "FEWEST_ROWS", 1_000)
    monkeypatch.setattr(reading, "SKETCHED_ROWS", 200)
    monkeypatch.setattr(sketches, "FEWEST_BY_SIGNS", 600)
    monkeypatch.setattr(sketches, "BY_NUMBERS", 300)
    monkeypatch.setattr(sketches, "BLOCK_ROWS", 512)
    store = tmp_path / ".mixrag"
    write_store(store, [document(f"file{number}", number) for number in range(30)], **LENGTHS)
    return store


def questions() -> np.ndarray:
    rng = np.random.default_rng(5)
    near = TOPICS + 0.4 * rng.standard_normal(TOPICS.shape).astype(np.float32)
    return (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)


def exact_ids(reader: StoreReader, query: np.ndarray) -> list[int]:
    rows, codes = reader.vector_codes()
    return rows[nearest_rows(codes, query, WANTED)[:WANTED]].tolist()


def recall(reader: StoreReader) -> float:
    """The mean share of the nearest passages that the sketches find."""
    assert reader.sketches is not None
    found = [reader.sketches.nearest(query, WANTED)[:WANTED].tolist() for query in questions()]
    exact = [exact_ids(reader, query) for query in questions()]
    return float(np.mean([len({*one} & {*other}) / WANTED for one, other in zip(found, exact, strict=True)]))


def test_a_large_store_is_searched_by_sketches_of_what_is_near(large: Path) -> None:
    with open_reader(large) as reader:
        assert recall(reader) >= 0.98
        assert reader.sketches is not None and len(reader.sketches.rows) == 30 * (CHUNKS_A_FILE - 1)
        for query in questions()[:5]:
            hits = reader.search_meaning(query, WANTED)
            assert len(hits) == WANTED
            assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
            assert [hit.score for hit in hits] == [pytest.approx(float(hit.vector @ query)) for hit in hits]
        assert reader._all_codes is None  # not all vectors were read
    assert check_store(large, deep=True) == []


def test_a_filter_that_leaves_much_is_searched_by_sketches_too(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"file{number}" for number in range(30)]
    wanted = [document(name, 0).row.id for name in names[:20]]
    where = build_filter(document_ids=wanted)
    with open_reader(large) as reader:
        found = [reader.search_meaning(query, WANTED, where) for query in questions()]
        assert all(hit.chunk.document in wanted for hits in found for hit in hits)
        monkeypatch.setattr(reading, "SKETCHED_ROWS", 10_000)
        exact = [reader.search_meaning(query, WANTED, where) for query in questions()]
        shares = [
            len({hit.chunk.id for hit in one} & {hit.chunk.id for hit in other}) / WANTED
            for one, other in zip(found, exact, strict=True)
        ]
    assert np.mean(shares) >= 0.98


def test_a_small_store_has_no_sketches(tmp_path: Path) -> None:
    write_store(tmp_path / ".mixrag", [document("file", 1)], **LENGTHS)
    assert not sketches_path(tmp_path / ".mixrag").exists()


def test_the_sketches_grow_with_the_store_and_forget_what_left_it(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    signs_of = sketches._signs_of

    def counting(codes: np.ndarray, mean: np.ndarray) -> np.ndarray:
        compared.append(len(codes))
        return signs_of(codes, mean)

    monkeypatch.setattr(sketches, "_signs_of", counting)
    with open_reader(large) as before, writer_of(large, **LENGTHS) as writer:
        assert recall(before) >= 0.98
        writer.write_batch([document("new", 31), document("file3", 12)])
        writer.remove([document("file4", 4).row.id])
        writer.finish()
        assert recall(before) >= 0.98  # who reads on has the sketches of the state that it opened
    assert sum(compared) == 2 * (CHUNKS_A_FILE - 1)
    with open_reader(large) as after:
        assert recall(after) >= 0.98
        assert after.sketches is not None and len(after.sketches.rows) == 30 * (CHUNKS_A_FILE - 1)
    assert check_store(large, deep=True) == []


def test_a_store_that_has_doubled_gets_a_mean_of_its_own_and_one_that_shrinks_none(large: Path) -> None:
    with writer_of(large, **LENGTHS) as writer:
        writer.write_batch([document(f"more{number}", 100 + number) for number in range(40)])
        writer.finish()
    with open_reader(large) as reader:
        assert reader.sketches is not None
        assert reader.sketches.made_for == 70 * CHUNKS_A_FILE
        assert recall(reader) >= 0.98
    with writer_of(large, **LENGTHS) as writer:
        writer.remove([document(f"more{number}", 100 + number).row.id for number in range(40)])
        writer.remove([document(f"file{number}", number).row.id for number in range(25)])
        writer.finish()
    assert not sketches_path(large).exists()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.62, 0.999])
def test_a_flipped_byte_is_found_and_misleads_nobody(large: Path, share: float) -> None:
    path = sketches_path(large)
    raw = bytearray(path.read_bytes())
    raw[int(len(raw) * share)] ^= 0x40
    path.write_bytes(raw)
    with open_reader(large) as reader:
        for query in questions():
            hits = reader.search_meaning(query, WANTED)
            assert len(hits) >= WANTED - 1
            assert all(hit.score == pytest.approx(float(hit.vector @ query)) for hit in hits)
    assert any("searching by meaning" in finding.message for finding in check_store(large, deep=True))


@pytest.mark.parametrize("length", [0, 100, 5_000])
def test_a_file_that_was_cut_short_is_not_read(large: Path, length: int) -> None:
    os.truncate(sketches_path(large), length)
    with open_reader(large) as reader:
        assert reader.sketches is None
        assert len(reader.search_meaning(questions()[0], WANTED)) == WANTED
    assert any("searching by meaning" in finding.message for finding in check_store(large, deep=True))


def test_a_published_store_brings_its_sketches(large: Path, tmp_path: Path) -> None:
    publish(large, str(tmp_path / "published"))
    with open_reader(large) as reader:
        expected = [hit.chunk.id for hit in reader.search_meaning(questions()[0], WANTED)]
    names = {path.stat().st_size for path in (tmp_path / "published" / "objects").iterdir()}
    assert sketches_path(large).stat().st_size in names and expected


def test_passages_that_mean_the_same_are_not_all_compared(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.repeat(document("same", 3).vectors[1:2], CHUNKS_A_FILE, axis=0)
    alike = [replace(document(f"same{number}", number), vectors=vectors) for number in range(20)]
    write_store(large, alike, **LENGTHS)
    monkeypatch.setattr(sketches, "FEWEST_BY_SIGNS", 100)
    monkeypatch.setattr(sketches, "BY_NUMBERS", 50)
    compared: list[int] = []
    codes_of = sketches.Sketches.codes_of

    def counting(self: sketches.Sketches, places: np.ndarray) -> np.ndarray:
        compared.append(len(places))
        return codes_of(self, places)

    monkeypatch.setattr(sketches.Sketches, "codes_of", counting)
    query = vectors[0] / np.linalg.norm(vectors[0])
    with open_reader(large) as reader:
        hits = reader.search_meaning(query, WANTED)
    assert compared == [50]
    assert [hit.score for hit in hits] == [pytest.approx(1, abs=0.01)] * WANTED


def test_what_is_fetched_beyond_the_limit_are_ties() -> None:
    scores = np.array([0.9, 0.5, 0.5, 0.5, 0.4], np.float32)
    assert [count_wanted(scores, limit) for limit in (1, 2, 3, 4, 5, 9)] == [1, 4, 4, 4, 5, 5]
    below = np.array([-0.1, -0.1, -0.2], np.float32)
    assert count_wanted(below, 1) == 2
