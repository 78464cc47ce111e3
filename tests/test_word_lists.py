"""The word lists of a store: the engine's rankings and counts from them, growth, damage."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from mixrag_cli.records.files import stable_id
from mixrag_cli.store import (
    StoredDocument,
    StoreReader,
    build_filter,
    check_store,
    laying_out,
    open_reader,
    posting_lists,
    publish,
)
from mixrag_cli.store.layout import words_path
from mixrag_cli.store.postings import WordLists, open_words
from mixrag_cli.store.sectioned import DamagedSectionError
from tests.store_samples import document_id, make_document, write_store, writer_of

pytestmark = pytest.mark.slow

CHUNKS_A_FILE, N_FILES, WANTED = 20, 15, 12
VOCABULARY = [f"{sound}{ending}" for sound in "bcdfgklmnprt" for ending in ("alo", "eri", "ino", "otu", "ulé", "oma")]
QUERIES = ["balo ceri dino", "fotu", "galo galo kulé", "revision metre", "toma rino palo beri nalo", "unheard of"]


def document(name: str, seed: int) -> StoredDocument:
    """A document whose words fall unevenly: each passage of another length, some words rare."""
    dice = random.Random(seed)
    made = make_document(name, CHUNKS_A_FILE)
    weights = [1 / (1 + rank) for rank in range(len(VOCABULARY))]
    texts = [" ".join(dice.choices(VOCABULARY, weights, k=dice.randrange(1, 60))) for _ in made.chunks]
    chunks = [
        replace(chunk, text=text, id=stable_id(chunk.id, text)) for chunk, text in zip(made.chunks, texts, strict=True)
    ]
    return replace(made, chunks=chunks)


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of 300 passages that has word lists."""
    monkeypatch.setattr(laying_out, "FEWEST_PASSAGES", 100)
    store = tmp_path / ".mixrag"
    write_store(store, [document(f"file{number}", number) for number in range(N_FILES)])
    return store


def test_a_process_that_has_written_one_store_can_write_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(laying_out, "FEWEST_PASSAGES", 100)
    monkeypatch.setattr(tempfile, "tempdir", None)  # Python looks once a process where temporary files go
    for name in ("first", "second"):
        write_store(tmp_path / name, [document(f"file{number}", number) for number in range(N_FILES)])
        assert not Path(tempfile.gettempdir()).is_relative_to(tmp_path)


def lists_of(reader: StoreReader) -> WordLists:
    assert reader.word_lists is not None
    return reader.word_lists


def by_engine(reader: StoreReader, ask: Callable[[StoreReader], object]) -> object:
    """What the engine says where the lists are not there."""
    with open_reader(reader.store) as other:
        other._words.do_without_lists()
        return ask(other)


def said(reader: StoreReader, query: str, where: str | None) -> list[tuple[str, float]]:
    return [(hit.chunk.id, hit.score) for hit in reader.search_words(query, WANTED, where)]


@pytest.mark.parametrize(
    "where",
    [None, build_filter(document_ids=[document_id("file3"), document_id("file7")]), build_filter(kinds=["row"])],
)
def test_lists_rank_and_count_as_the_engine_does(large: Path, where: str | None) -> None:
    with open_reader(large) as reader:
        for query in QUERIES:
            ours, theirs = said(reader, query, where), by_engine(reader, lambda other, q=query: said(other, q, where))
            assert [id_ for id_, _ in ours] == [id_ for id_, _ in theirs]
            assert [score for _, score in ours] == pytest.approx([score for _, score in theirs], rel=1e-3)
            words = query.split()
            for name in ("count_passages", "count_documents"):
                counted = getattr(reader, name)(words, where)
                assert counted == by_engine(reader, lambda other, n=name, w=words: getattr(other, n)(w, where))
        assert any(said(reader, query, where) for query in QUERIES) == (where != build_filter(kinds=["row"]))


def arrays_of(path: Path) -> dict[str, list[object]]:
    """Everything in the file, rows apart, by passage: another table has other row ids."""
    lists = open_words(path, None)
    assert lists is not None
    order = np.argsort(lists.file.read("keys"))
    place_of = {int(old): new for new, old in enumerate(order)}
    starts, places, counts = (lists.file.read(name).tolist() for name in ("starts", "places", "counts"))
    entries = {
        term: sorted((place_of[place], n) for place, n in zip(places[a:b], counts[a:b], strict=True))
        for term, a, b in zip(lists.terms(), starts, starts[1:], strict=False)
    }
    documents = [lists.file.read("document_ids")[lists.file.read("documents")[old]] for old in order]
    lengths, crcs = lists.file.read("lengths")[order].tolist(), lists.file.read("crcs")[order].tolist()
    return {"entries": [entries], "documents": documents, "lengths": lengths, "crcs": crcs}


def test_lists_that_grew_are_those_of_a_store_made_at_once(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    write_run = posting_lists._write_run

    def counting(scratch: object, texts: pa.StringArray, *others: object) -> object:
        read.append(len(texts))
        return write_run(scratch, texts, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(posting_lists, "_write_run", counting)
    with open_reader(large) as before, writer_of(large) as writer:
        writer.write_batch([document("new", 31), document("file3", 50)])
        writer.remove([document_id("file4")])
        writer.finish()
        assert said(before, "balo ceri", None)  # who reads on has the lists of the state that it opened
    assert read == [2 * CHUNKS_A_FILE]
    others = [document(f"file{number}", 50 if number == 3 else number) for number in range(N_FILES) if number != 4]
    write_store(tmp_path / "at once" / ".mixrag", [*others, document("new", 31)])
    assert arrays_of(words_path(large)) == arrays_of(words_path(tmp_path / "at once" / ".mixrag"))
    assert check_store(large, deep=True) == []


def test_lists_survive_a_compaction_and_go_with_the_size(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):  # as many fragments as make the engine merge them, which gives passages new row ids
        write_store(large, [document(f"more{number}", 100 + number)])
    with open_reader(large) as reader:
        assert lists_of(reader).n_passages == (N_FILES + 12) * CHUNKS_A_FILE
        for query in QUERIES:
            assert reader.count_passages(query.split()) == by_engine(
                reader, lambda other, q=query: other.count_passages(q.split())
            )
    monkeypatch.setattr(laying_out, "FEWEST_PASSAGES", 10_000)
    write_store(large, [document("last", 1)])
    assert not words_path(large).exists()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 0.999])
def test_a_flipped_byte_is_found_and_misleads_nobody(large: Path, share: float) -> None:
    with open_reader(large) as reader:
        expected = {query: [id_ for id_, _ in said(reader, query, None)] for query in QUERIES}
    path = words_path(large)
    raw = bytearray(path.read_bytes())
    raw[int(len(raw) * share)] ^= 0x40
    path.write_bytes(raw)
    with open_reader(large) as reader:
        assert {query: [id_ for id_, _ in said(reader, query, None)] for query in QUERIES} == expected
    assert any("searching by words" in finding.message for finding in check_store(large, deep=True))
    write_store(large, [document("new", 77)])  # what is damaged is no ground to build on
    assert check_store(large, deep=True) == []


@pytest.mark.parametrize("length", [0, 100, 5_000])
def test_a_file_that_was_cut_short_is_not_read(large: Path, length: int) -> None:
    os.truncate(words_path(large), length)
    with open_reader(large) as reader:
        assert reader.word_lists is None
        assert said(reader, "balo", None)
    assert any("searching by words" in finding.message for finding in check_store(large, deep=True))


def test_damage_is_seen_at_its_first_reading_and_nowhere_else(large: Path) -> None:
    lists = open_words(words_path(large), None)
    assert lists is not None
    raw = bytearray(words_path(large).read_bytes())
    raw[-4 * len(lists.file._crcs) - 1] ^= 1  # in the last array
    words_path(large).write_bytes(raw)
    lists = open_words(words_path(large), None)
    assert lists is not None and len(lists.file.read("places", 0, 5)) == 5
    with pytest.raises(DamagedSectionError):
        lists.file.read("document_ids")


def test_a_published_store_brings_its_lists(large: Path, tmp_path: Path) -> None:
    publish(large, str(tmp_path / "published"))
    sizes = {path.stat().st_size for path in (tmp_path / "published" / "objects").iterdir()}
    assert words_path(large).stat().st_size in sizes
