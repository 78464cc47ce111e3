"""The store: what goes in comes out, searches rank as BM25 and cosine do, damage and foreign stores are refused."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import math
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi
from store_samples import (
    DIM,
    LATE_DIM,
    MODEL,
    build_store,
    digest_of,
    document_id,
    late_of,
    make_document,
    make_table,
    text_of,
    vector_of,
    writer_of,
)

from mixrag_cli.errors import ExitCode, MixragError, NoIndex, StoreDamaged, StoreLocked, StoreMismatch, WrongUsage
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.records.passages import Chunk
from mixrag_cli.store import (
    Embedding,
    EmbeddingCache,
    build_filter,
    cache_of,
    check_store,
    find_store,
    open_reader,
    open_writer,
    read_record,
    store_for_new,
)
from mixrag_cli.store.commit import write_record
from mixrag_cli.store.layout import SCRATCH_DIR, manifest_path, manifest_versions
from mixrag_cli.store.lock import write_lock
from mixrag_cli.store.quantising import decode_tokens
from mixrag_cli.terms import text_to_terms

NAMES = [f"doc_{number:02d}.md" for number in range(12)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("built") / ".mixrag"
    build_store(store, NAMES)
    return store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "folder" / ".mixrag"


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """A store of one's own, to damage."""
    import shutil

    target = tmp_path / "copy" / ".mixrag"
    shutil.copytree(built, target)
    return target


# -- round trip -----------------------------------------------------------------------------------------------


def test_documents_chunks_and_tables_come_back_as_they_went_in(store: Path) -> None:
    entries = [make_document("a.md", 3), make_document("x' OR '1'='1.md", 2), make_document("empty.md", 0)]
    with writer_of(store) as writer:
        writer.write_batch(entries)
        writer.finish()
    with open_reader(store) as reader:
        assert {row.id: row for row in reader.document_rows()} == {entry.row.id: entry.row for entry in entries}
        for entry in entries:
            assert reader.chunks_of(entry.row.id) == list(entry.chunks)
            assert reader.tables_of(entry.row.id) == list(entry.tables)
        known = {chunk.id: chunk for chunk in entries[0].chunks}
        assert reader.chunks([*known, "0" * 32]) == known
        assert reader.chunks_of(entries[0].row.id, 1, 1) == [entries[0].chunks[1]]
        assert reader.chunks_with_prefix(entries[0].chunks[0].id[:12]) == [entries[0].chunks[0]]
        assert reader.tables([entries[0].tables[0].id]) == {entries[0].tables[0].id: entries[0].tables[0]}


def same_late(found: Mapping[str, np.ndarray], chunks: Iterable[Chunk]) -> bool:
    """Whether these are the token vectors of the chunks, and there is none for those that were given none."""
    wanted = {
        chunk.id: decode_tokens(codes, LATE_DIM) for chunk in chunks if (codes := late_of(chunk.text)) is not None
    }
    return found.keys() == wanted.keys() and all(
        found[key].dtype == np.int8 and np.array_equal(found[key], wanted[key]) for key in wanted
    )


def test_token_vectors_come_back_for_whom_they_are_asked(store: Path) -> None:
    entries = [make_document(name, 9) for name in NAMES]
    chunks = [chunk for entry in entries for chunk in entry.chunks]
    with writer_of(store) as writer:
        writer.write_batch(entries[:6])
        writer.write_batch(entries[6:])
        writer.write_batch([make_document(NAMES[0], 2, revision=1)])
        writer.finish()
    chunks = [*make_document(NAMES[0], 2, revision=1).chunks, *chunks[9:]]
    with open_reader(store) as reader:
        assert same_late(reader.token_vectors([chunk.id for chunk in chunks]), chunks)
        assert reader.token_vectors([]) == reader.token_vectors(["0" * 32]) == {}
        found = [hit.chunk for hit in reader.search_meaning(vector_of("a question"), 30)]
        found += [hit.chunk for hit in reader.search_words("the river", 30)]
        assert same_late(reader.token_vectors([chunk.id for chunk in (*found, chunks[0])]), [*found, chunks[0]])
        where = build_filter(document_ids=[document_id(NAMES[3])])
        found = [hit.chunk for hit in reader.search_meaning(vector_of("a question"), 30, where)]
        assert len(found) == 9
        assert same_late(reader.token_vectors([chunk.id for chunk in found]), found)


def test_a_store_whose_model_gives_no_token_vectors_has_none(store: Path) -> None:
    entry = replace(make_document("a.md"), late=())
    with writer_of(store, late_dim=0) as writer:
        writer.write_batch([entry])
        writer.finish()
    with open_reader(store) as reader:
        assert reader.token_vectors([chunk.id for chunk in entry.chunks]) == {}
        assert len(reader.chunks_of(entry.row.id)) == 4
    assert check_store(store, deep=True) == []


def test_writing_a_document_again_replaces_all_of_it(store: Path) -> None:
    with writer_of(store) as writer:
        writer.write_batch([make_document("a.md", 6), make_document("b.md", 2)])
        writer.write_batch([make_document("a.md", 2, revision=1)])
        writer.finish()
    with open_reader(store) as reader:
        assert [chunk.text for chunk in reader.chunks_of(document_id("a.md"))] == [
            text_of("a.md", n, 1) for n in range(2)
        ]
        assert reader.tables_of(document_id("a.md")) == [make_table(document_id("a.md"), 1)]
        assert len(reader.chunks_of(document_id("b.md"))) == 2
        assert reader.record.counts == {"indexed": 2, "documents": 2, "chunks": 4, "tables": 2}


def test_removing_takes_exactly_the_named_documents(store: Path) -> None:
    with writer_of(store) as writer:
        writer.write_batch([make_document(name) for name in NAMES])
        writer.remove([document_id(NAMES[0]), document_id(NAMES[5]), "f" * 32])
        writer.finish()
    with open_reader(store) as reader:
        assert {row.path for row in reader.document_rows()} == set(NAMES) - {NAMES[0], NAMES[5]}
        assert not reader.chunks_of(document_id(NAMES[0]))
        assert not reader.tables_of(document_id(NAMES[5]))
        assert check_store(store, deep=True) == []


def test_stale_rows_keep_their_passages_and_skipped_ones_lose_them(store: Path) -> None:
    with writer_of(store) as writer:
        kept, lost = make_document("kept.md"), make_document("lost.md")
        writer.write_batch([kept, lost])
        writer.put_rows(
            [
                replace(kept.row, stale=True, status="skipped", code="permission", reason="permission denied"),
                replace(lost.row, status="left_out", code="ignored", reason="ignored by .gitignore", chunks=0),
                DocumentRow(
                    "ab" * 16, b"/data", b"new.pdf", "new.pdf", "skipped", code="password", reason="needs a password"
                ),
            ]
        )
    with open_reader(store) as reader:
        assert len(reader.chunks_of(kept.row.id)) == 4
        assert reader.chunks_of(lost.row.id) == []
        assert [row.path for row in reader.document_rows(["skipped"])] == ["kept.md", "new.pdf"]


def test_an_unusable_vector_or_text_does_not_fail_its_batch(store: Path) -> None:
    entry = make_document("a.md", 3)
    vectors = entry.vectors.copy()
    vectors[1] = np.nan
    chunks = [replace(entry.chunks[0], text="broken \ud800 surrogate"), *entry.chunks[1:]]
    with writer_of(store) as writer:
        writer.write_batch([replace(entry, vectors=vectors, chunks=chunks)])
        writer.finish()
    with open_reader(store) as reader:
        assert reader.chunks_of(entry.row.id)[0].text == "broken \ufffd surrogate"
        found = reader.search_meaning(vector_of("anything"), 10)
        assert {hit.chunk.position for hit in found} == {0, 2}
        assert {hit.chunk.position for hit in reader.search_words("a.md", 10)} == {0, 1, 2}


def test_a_store_without_files_answers_with_nothing(store: Path) -> None:
    with writer_of(store) as writer:
        writer.finish()
    with open_reader(store) as reader:
        assert reader.record.chunks == 0
        assert reader.search_words("river", 5) == []
        assert reader.search_meaning(vector_of("river"), 5) == []
        assert reader.document_rows() == []
        assert check_store(store, deep=True) == []


# -- searching ------------------------------------------------------------------------------------------------


def test_words_rank_as_the_reference_bm25_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    words = [
        f"{first}{second}" for first in ("lo", "mi", "ta", "ru", "ke") for second in ("ran", "dev", "pol", "gim", "zut")
    ]
    weights = 1 / np.arange(1, len(words) + 1)
    entries = []
    for number in range(40):
        entry = make_document(f"f{number}", 5)
        texts = [" ".join(rng.choice(words, rng.integers(5, 40), p=weights / weights.sum())) for _ in entry.chunks]
        chunks = [replace(c, text=text, context="", words="") for c, text in zip(entry.chunks, texts, strict=True)]
        entries.append(replace(entry, chunks=chunks))
    store = tmp_path / ".mixrag"
    with writer_of(store) as writer:
        for start in range(0, 40, 8):
            writer.write_batch(entries[start : start + 8])
        writer.finish()
    corpus = [chunk for entry in entries for chunk in entry.chunks]
    tokens = [text_to_terms(chunk.text) for chunk in corpus]
    oracle = BM25Okapi(tokens, k1=1.2, b=0.75)
    for word in oracle.idf:  # Okapi's own goes negative for frequent words; Lucene's, which the engine has, does not
        holding = sum(word in document for document in tokens)
        oracle.idf[word] = math.log(1 + (len(corpus) - holding + 0.5) / (holding + 0.5))
    with open_reader(store) as reader:
        for query in ("zutran kezut", "kepol kegim tagim", "lopol mizut ruzut kedev"):
            scores = dict(zip((chunk.id for chunk in corpus), oracle.get_scores(text_to_terms(query)), strict=True))
            hits = reader.search_words(query, 10)
            assert [hit.score for hit in hits] == pytest.approx(sorted(scores.values(), reverse=True)[:10], rel=1e-3)
            assert [hit.score for hit in hits] == pytest.approx([scores[hit.chunk.id] for hit in hits], rel=1e-3)


def test_meaning_ranks_by_cosine(built: Path) -> None:
    query = vector_of("a question")
    chunks = [chunk for name in NAMES for chunk in make_document(name).chunks]
    cosines = {chunk.id: float(vector_of(chunk.text) @ query) for chunk in chunks}
    best = sorted(cosines.values(), reverse=True)[:7]
    with open_reader(built) as reader:
        for _ in range(2):  # the second time by vectors that are kept
            hits = reader.search_meaning(query, 7)
            assert [hit.score for hit in hits] == pytest.approx(best, abs=1e-6)
            assert all(hit.score == pytest.approx(cosines[hit.chunk.id], abs=1e-6) for hit in hits)


def test_rows_not_yet_in_the_word_index_are_found_and_old_ones_are_not(store: Path) -> None:
    with writer_of(store) as writer:
        writer.write_batch([make_document("first.md")])
        writer.finish()
        writer.write_batch([make_document("second.md"), make_document("first.md", revision=9)])
        with open_reader(store) as reader:
            assert {hit.path for hit in reader.search_words("second", 10)} == {"second.md"}
            assert {hit.chunk.text for hit in reader.search_words("first", 10)} == {
                text_of("first.md", n, 9) for n in range(4)
            }
            near = reader.search_meaning(vector_of(text_of("second.md", 2)), 1)
            assert near[0].score == pytest.approx(1.0, abs=1e-6)


def test_equal_scores_are_ordered_by_path_and_position(store: Path) -> None:
    entries = []
    for name in ("c.md", "a.md", "b.md"):
        entry = make_document(name, 3)
        same = [replace(chunk, text="the same sentence", context="", words="") for chunk in entry.chunks]
        entries.append(replace(entry, chunks=same, vectors=np.tile(vector_of("same"), (3, 1))))
    with writer_of(store) as writer:
        writer.write_batch(entries)
        writer.finish()
    expected = [(name, position) for name in ("a.md", "b.md", "c.md") for position in range(3)][:5]
    with open_reader(store) as reader:
        for hits in (reader.search_words("sentence", 5), reader.search_meaning(vector_of("same"), 5)):
            assert [(hit.path, hit.chunk.position) for hit in hits] == expected


@pytest.mark.parametrize(
    "query",
    [
        "",
        "  ",
        "the of",
        '"',
        "search:river",
        "text:*",
        "river AND NOT",
        "(((",
        "~^+-",
        "' OR '1'='1",
        "\ud800",
        "a" * 9000,
    ],
)
def test_any_question_is_plain_words_to_the_index(built: Path, query: str) -> None:
    with open_reader(built) as reader:
        assert isinstance(reader.search_words(query, 5), list)


def test_filters_hold_for_both_searches(built: Path) -> None:
    wanted = [document_id(NAMES[3]), document_id(NAMES[4])]
    with open_reader(built) as reader:
        where = build_filter(document_ids=wanted, modalities=["text"], kinds=["prose", "row"])
        query = " ".join(NAMES)
        for hits in (reader.search_words(query, 40, where), reader.search_meaning(vector_of("x"), 40, where)):
            assert {hit.chunk.document for hit in hits} == set(wanted)
            assert len(hits) == 8
        assert reader.search_words(query, 5, build_filter(kinds=["code"])) == []
        assert reader.search_meaning(vector_of("x"), 5, build_filter(document_ids=[])) == []
        assert reader.count_documents([NAMES[3]], build_filter(document_ids=wanted)) == dict.fromkeys(wanted, 4)


def test_filters_take_nothing_but_ids_and_known_words(built: Path) -> None:
    assert build_filter() is None
    with pytest.raises(ValueError, match="not an id"):
        build_filter(document_ids=["x' OR '1'='1"])
    with pytest.raises(WrongUsage, match="modality 'film'"):
        build_filter(modalities=["film"])
    with open_reader(built) as reader:
        for where in ("1 = 1", "kind IN ('row') OR 1 = 1", "position < 0 AND 1=1", ""):
            with pytest.raises(ValueError, match="not a filter"):
                reader.search_words("river", 5, where)
        with pytest.raises(ValueError, match="not an id"):
            reader.chunks_of("' OR '1'='1")


def test_terms_split_what_people_type() -> None:
    assert text_to_terms("The getNames cost $1,234.50") == ["getnam", "get", "name", "cost", "1234.50"]
    assert text_to_terms("C++ or C#, can't snake_case HTTPServer") == [
        "c++", "c#", "can", "snake_case", "snak", "case", "httpserver", "http", "server",
    ]  # fmt: skip
    assert text_to_terms("policies glasses status Company’s ﬁles") == ["policy", "glass", "status", "company", "file"]
    assert text_to_terms("東京都") == ["東京", "京都"]
    assert text_to_terms("v1.2.3 über_Größe 1.5m") == ["v", "1.2.3", "über_grösse", "über", "gröss", "1.5", "m"]


def test_a_query_of_another_dimension_is_refused(built: Path) -> None:
    with open_reader(built) as reader, pytest.raises(StoreMismatch, match="vectors of 8 numbers, the model gives 5"):
        reader.search_meaning(np.ones(5, np.float32), 3)


# -- snapshots, locks, identity -------------------------------------------------------------------------------


def test_a_reader_keeps_its_snapshot_through_replacement_and_clean_up(store: Path) -> None:
    build_store(store, NAMES[:4])
    reader = open_reader(store)
    before = digest_of(reader)
    with writer_of(store) as writer:
        writer.remove([document_id(NAMES[0])])
        writer.write_batch([make_document(name, revision=3) for name in NAMES[1:6]])
        writer.finish()
    assert digest_of(reader) == before
    assert len(manifest_versions(store, "chunks")) > 1
    reader.close()
    with writer_of(store) as writer:
        writer.write_batch([make_document(NAMES[7])])
        writer.finish()
    assert list(manifest_versions(store, "chunks")) == [read_record(store).tables["chunks"].version]


def test_a_second_writer_is_told_who_is_writing(store: Path) -> None:
    with writer_of(store), pytest.raises(StoreLocked) as caught:
        writer_of(store)
    assert f"another mixrag is indexing this folder (pid {os.getpid()}, since " in caught.value.message
    assert caught.value.exit_code == ExitCode.LOCKED
    writer_of(store).close()


def test_a_file_system_without_locks_is_named(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, kind: int, how: object = None) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    build_store(store, NAMES[:1])
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    with pytest.raises(MixragError, match=r"cannot lock .*: no locks available"), write_lock(store):
        pass
    assert open_reader(store).record.chunks == 4


@pytest.mark.parametrize("recreate", [False, True])
def test_a_store_taken_away_ends_the_writing_and_leaves_no_trace(store: Path, recreate: bool) -> None:
    with writer_of(store) as writer:
        writer.write_batch([make_document("a.md")])
        moved = store.rename(store.parent / "elsewhere")
        if recreate:
            build_store(store, ["other.md"])
        for attempt in (
            lambda: writer.write_batch([make_document("b.md")]),
            lambda: writer.remove([document_id("a.md")]),
        ):
            with pytest.raises(MixragError, match="the index folder was replaced while running; nothing more written"):
                attempt()
    assert store.exists() is recreate
    with open_reader(moved) as reader:
        assert [row.path for row in reader.document_rows()] == ["a.md"]


def test_a_removed_index_is_named_so_by_who_reads_it(store: Path) -> None:
    import shutil

    build_store(store, NAMES[:2])
    reader = open_reader(store)
    shutil.rmtree(store)
    with pytest.raises(NoIndex, match="the index was removed"):
        reader.search_words("river", 3)


def test_reading_writes_nothing(built: Path) -> None:
    def snapshot() -> dict[str, tuple[int, int]]:
        return {str(p): (p.stat().st_mtime_ns, p.stat().st_size) for p in [built, *built.rglob("*")]}

    before = snapshot()
    with open_reader(built) as reader:
        reader.search_words("river", 3)
        reader.search_meaning(vector_of("x"), 3)
        digest_of(reader)
    assert check_store(built, deep=True) == []
    assert snapshot() == before


# -- whose it is ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o022, 0o000])
def test_a_store_is_for_its_owner_alone_whatever_the_umask(store: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        build_store(store, NAMES[:3])
        EmbeddingCache(store / "cache" / "embeddings.sqlite").close()
    finally:
        os.umask(before)
    for path in [store, *store.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


@pytest.mark.parametrize("part", [".", "state.json", "tables"])
def test_a_store_that_others_can_write_is_refused(copied: Path, part: str) -> None:
    (copied / part).chmod(0o777)
    with pytest.raises(StoreDamaged, match="index is writable by others"):
        open_reader(copied)
    with pytest.raises(StoreDamaged, match="index is writable by others"):
        writer_of(copied)


def test_a_store_of_another_user_is_refused(copied: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(copied, 12345, 12345)
    with pytest.raises(StoreDamaged, match="index belongs to another user"):
        open_reader(copied)


def test_another_model_or_layout_is_a_mismatch(copied: Path) -> None:
    known = read_record(copied)
    with pytest.raises(StoreMismatch, match=r"index was made with model made-up \(8\), not other \(16\)") as caught:
        open_writer(copied, roots=[], embedder_name="other", dim=16)
    assert "mixrag index --rebuild" in caught.value.hint
    for version in (1, 99):  # of before token vectors were kept, and of times to come
        write_record(copied, replace(read_record(copied), schema_version=version))
        for opening in (lambda: open_reader(copied), lambda: writer_of(copied)):
            with pytest.raises(StoreMismatch, match=f"index layout {version}, this version reads") as caught:
                opening()
            assert caught.value.exit_code == ExitCode.MISMATCH
            assert caught.value.hint == f"mixrag index --rebuild {copied.parent}"
        write_record(copied, replace(known, number=known.number + 2))


# -- damage ---------------------------------------------------------------------------------------------------


def test_a_zeroed_manifest_is_damage_and_never_an_empty_index(copied: Path) -> None:
    manifest = manifest_path(copied, "chunks", read_record(copied).tables["chunks"].version)
    manifest.write_bytes(bytes(manifest.stat().st_size))
    with open_reader(copied) as reader, pytest.raises(StoreDamaged, match="table chunks is damaged") as caught:
        reader.search_words("river", 3)
    assert "mixrag index --rebuild" in caught.value.hint
    assert any("damaged" in finding.message for finding in check_store(copied))
    with pytest.raises(StoreDamaged):
        writer_of(copied)


@pytest.mark.slow
def test_no_flipped_bit_is_ever_quoted_and_every_one_that_matters_is_found(built: Path, copied: Path) -> None:
    rng = np.random.default_rng(11)
    with open_reader(built) as reader:
        truth = {row.chunk.id: (row.chunk, row.path) for row in reader.chunk_rows()}
        clean = digest_of(reader)
    files = sorted((copied / "tables").rglob("data/*.lance"))
    n_changed = 0
    for _ in range(60):
        victim = files[rng.integers(len(files))]
        raw = bytearray(victim.read_bytes())
        at, bit = int(rng.integers(len(raw))), 1 << int(rng.integers(8))
        raw[at] ^= bit
        victim.write_bytes(raw)
        with open_reader(copied) as reader:
            try:
                for hit in [
                    *reader.search_words("river engine orchard", 50),
                    *reader.search_meaning(vector_of("x"), 50),
                ]:
                    assert (hit.chunk, hit.path) == truth[hit.chunk.id]
                assert same_late(reader.token_vectors(list(truth)), [chunk for chunk, _ in truth.values()])
                changed = digest_of(reader) != clean
            except StoreDamaged:
                changed = True
        if changed:
            n_changed += 1
            assert check_store(copied, deep=True), (victim.name, at, bit)
        raw[at] ^= bit
        victim.write_bytes(raw)
    assert n_changed > 10


def test_a_damaged_record_falls_back_to_the_previous_one(store: Path) -> None:
    with writer_of(store) as writer:
        writer.write_batch([make_document("a.md")])
        writer.write_batch([make_document("b.md")])
    raw = bytearray((store / "state.json").read_bytes())
    raw[len(raw) // 2] ^= 4
    (store / "state.json").write_bytes(raw)
    with open_reader(store) as reader:
        assert [row.path for row in reader.document_rows()] == ["a.md"]
    with writer_of(store) as writer:
        assert writer.recovered == "recovered: 1 unfinished write set aside"
        writer.write_batch([make_document("b.md")])
        writer.finish()
    (store / "state.json").write_bytes(b"")
    with open_reader(store) as reader:
        assert len(reader.document_rows()) == 2
    (store / "state.prev").write_bytes(b"{}")
    with pytest.raises(StoreDamaged, match="the commit record is damaged"):
        open_reader(store)
    with writer_of(store, rebuild=True) as writer:
        writer.write_batch([make_document("c.md")])
        writer.finish()
    with open_reader(store) as reader:
        assert [row.path for row in reader.document_rows()] == ["c.md"]


def test_stray_files_do_no_harm(copied: Path) -> None:
    (copied / "tables" / "notes.txt").write_text("hello")
    (copied / "tables" / "chunks.lance" / "_versions" / "junk.manifest").write_bytes(b"junk")
    with open_reader(copied) as reader:
        assert len(reader.document_rows()) == 12
    with writer_of(copied) as writer:
        writer.write_batch([make_document("new.md")])
        writer.finish()
    assert check_store(copied, deep=True) == []


@pytest.mark.slow
def test_a_full_disk_keeps_what_was_committed(store: Path) -> None:
    with writer_of(store) as writer:
        writer.write_batch([make_document("a.md")])
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
        try:
            with pytest.raises(MixragError, match="disk full while writing the index; 1 files indexed so far are kept"):
                writer.write_batch([make_document("big.md", 2_000)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        writer.write_batch([make_document("c.md")])
        writer.finish()
    with open_reader(store) as reader:
        assert [row.path for row in reader.document_rows()] == ["a.md", "c.md"]
    assert check_store(store, deep=True) == []


@pytest.mark.parametrize("name", ["lock", "state.json.new"])
def test_a_store_that_cannot_be_written_says_so(copied: Path, name: str) -> None:
    """A folder in the place of a file fails the opening of that file for root as well."""
    (copied / name).unlink(missing_ok=True)
    (copied / name).mkdir()
    with pytest.raises(MixragError, match=r"cannot write .*: is a directory"), writer_of(copied) as writer:
        writer.write_batch([make_document("a.md")])
    with open_reader(copied) as reader:
        assert len(reader.document_rows()) == 12


def test_every_file_is_on_disk_before_the_record_names_it(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: set[tuple[int, int]] = set()
    real_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        known = os.fstat(descriptor)
        synced.add((known.st_ino, known.st_size if stat.S_ISREG(known.st_mode) else 0))
        real_fsync(descriptor)

    def check_then_write(place: Path, record: object) -> None:
        for path in place.rglob("*"):
            if SCRATCH_DIR in path.parts:  # the engine's own temporary files; gone with the writer
                continue
            known = path.stat()
            if path.parent != place and path.is_file() and path.suffix != ".json":
                assert (known.st_ino, known.st_size) in synced, path
            if path.is_dir() and path.name != "quarantine":
                assert (known.st_ino, 0) in synced, path
        write_record(place, record)  # type: ignore[arg-type]

    with writer_of(store) as writer:
        monkeypatch.setattr(os, "fsync", fsync)
        monkeypatch.setattr("mixrag_cli.store.writing.write_record", check_then_write)
        for number in range(3):
            writer.write_batch([make_document("a.md", revision=number), make_document(f"b{number}.md")])
        writer.remove([document_id("b0.md")])
        writer.finish()


def test_an_unchanged_store_is_left_alone(copied: Path) -> None:
    number = read_record(copied).number
    with writer_of(copied) as writer:
        writer.write_batch([])
        writer.put_rows([])
        writer.remove(["e" * 32])
        writer.finish()
    assert read_record(copied).number == number


def test_a_run_that_did_not_come_to_its_end_is_finished_by_the_next(store: Path) -> None:
    with writer_of(store) as writer:
        writer.write_batch([make_document(name) for name in NAMES])
    assert not read_record(store).is_finished
    with writer_of(store) as writer:
        writer.finish()
    assert read_record(store).is_finished


def test_versions_and_bytes_do_not_pile_up(store: Path) -> None:
    build_store(store, NAMES)
    clean = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    for number in range(8):
        with writer_of(store) as writer:
            writer.write_batch([make_document(name, revision=number % 2) for name in NAMES])
            writer.finish()
    assert len(manifest_versions(store, "chunks")) == 1
    assert sum(path.stat().st_size for path in store.rglob("*") if path.is_file()) < 2 * clean + 20_000


def test_merging_fragments_changes_nothing_that_is_found(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mixrag_cli.store.engine.FRAGMENTS_BEFORE_COMPACTION", 2)
    with writer_of(store) as writer:
        for number, name in enumerate(NAMES):
            writer.write_batch([make_document(name), make_document(NAMES[number // 2], 5, revision=number)])
        with open_reader(store) as reader:
            before = digest_of(reader)
            near = [hit.chunk.id for hit in reader.search_meaning(vector_of("x"), 20)]
        writer.finish()
    with open_reader(store) as reader:
        assert digest_of(reader) == before
        assert [hit.chunk.id for hit in reader.search_meaning(vector_of("x"), 20)] == near
        for name in NAMES:
            assert {hit.path for hit in reader.search_words(Path(name).stem, 4)} == {name}
    assert check_store(store, deep=True) == []


def test_roots_and_fitted_settings_are_remembered(store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other\udcff"
    with writer_of(store) as writer:
        writer.put_extra({"thresholds": {"words": 7.5}})
    with open_writer(store, roots=[store.parent, other], embedder_name=MODEL, dim=DIM) as writer:
        assert writer.record.roots == (".", str(other))
    with open_reader(store) as reader:
        assert reader.record.extra == {"thresholds": {"words": 7.5}}
        assert reader.record.roots == (".", str(other))
    assert json.loads((store / "state.json").read_text())["sha256"]


# -- where it lies --------------------------------------------------------------------------------------------


def test_the_nearest_store_upward_is_found(built: Path, tmp_path: Path) -> None:
    below = built.parent / "a" / "b"
    below.mkdir(parents=True, exist_ok=True)
    assert find_store(below) == built
    assert find_store(tmp_path, built) == built
    with pytest.raises(NoIndex) as caught:
        find_store(tmp_path)
    assert caught.value.message == f"no index for {tmp_path}"
    assert caught.value.hint == f"mixrag index {tmp_path}"


def test_a_folder_that_cannot_be_written_has_its_store_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert store_for_new(folder) == folder / ".mixrag"
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    outside = store_for_new(folder)
    assert outside.is_relative_to(tmp_path / "data")
    build_store(outside, NAMES[:1])
    assert find_store(folder / "deep" / "down") == outside


def test_naming_a_store_loads_no_engine() -> None:
    program = (
        "import sys; from mixrag_cli.store import find_store, read_record, store_for_new;"
        "assert not {'lance', 'lancedb', 'pyarrow', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_reading_never_loads_the_writing_engine(built: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from mixrag_cli.store import open_reader, open_writer;"
        f"reader = open_reader(Path({str(built)!r})); assert reader.search_words('engine', 3);"
        "assert 'lancedb' not in sys.modules and 'pandas' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == done.stderr == b""


# -- the embedding cache --------------------------------------------------------------------------------------

CACHE_BYTES = 64 * 1024


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[EmbeddingCache]:
    with EmbeddingCache(tmp_path / "cache" / "embeddings.sqlite", max_bytes=CACHE_BYTES) as cache:
        yield cache


def _keyed(numbers: range) -> dict[str, Embedding]:
    texts = [str(number) for number in numbers]
    return {hashlib.sha256(text.encode()).hexdigest(): Embedding(vector_of(text), late_of(text)) for text in texts}


def _same(found: Embedding, wanted: Embedding) -> bool:
    if found.late is None or wanted.late is None:
        return found.late is wanted.late and np.array_equal(found.vector, wanted.vector)
    return np.array_equal(found.vector, wanted.vector) and np.array_equal(found.late, wanted.late)


def test_the_cache_returns_vectors_by_text_and_model(cache: EmbeddingCache) -> None:
    vectors = _keyed(range(30))
    cache.put_many(vectors, "one")
    found = cache.get_many([*vectors, "0" * 64], "one")
    assert found.keys() == vectors.keys()
    assert all(_same(found[key], vectors[key]) for key in vectors)
    assert {embedding.late is None for embedding in found.values()} == {True, False}
    assert cache.get_many(list(vectors), "two") == {}


def test_the_cache_stays_within_its_size_and_keeps_what_is_used(cache: EmbeddingCache, tmp_path: Path) -> None:
    for start in range(0, 1000, 50):
        cache.put_many(_keyed(range(start, start + 50)), "one")
        cache.get_many(list(_keyed(range(5))), "one")
    assert len(cache.get_many(list(_keyed(range(5))), "one")) == 5
    assert cache.get_many(list(_keyed(range(5, 50))), "one") == {}
    assert len(cache.get_many(list(_keyed(range(950, 1000))), "one")) == 50
    cache.close()  # lets what stands in the log into the file
    assert (tmp_path / "cache" / "embeddings.sqlite").stat().st_size < 2 * CACHE_BYTES


@pytest.mark.slow
def test_a_cache_grows_with_what_is_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mixrag_cli.store.cache.MIN_BYTES", CACHE_BYTES)
    (tmp_path / "tables").mkdir()
    kept = []
    for beside in (0, 20 * CACHE_BYTES):
        (tmp_path / "tables" / "rows.lance").write_bytes(bytes(beside))
        with cache_of(tmp_path) as cache:
            for start in range(0, 1000, 50):
                cache.put_many(_keyed(range(start, start + 50)), "one")
            kept.append(len(cache.get_many(list(_keyed(range(1000))), "one")))
    assert 50 <= kept[0] < 600
    assert kept[1] == 1000


@pytest.mark.parametrize("damage", [b"", b"not a database" * 400, None])
def test_a_damaged_cache_starts_over(tmp_path: Path, damage: bytes | None) -> None:
    path = tmp_path / "embeddings.sqlite"
    vectors = _keyed(range(400))
    with EmbeddingCache(path) as cache:
        cache.put_many(vectors, "one")
    raw = bytearray(path.read_bytes())
    raw[5000:9000] = os.urandom(4000)
    path.write_bytes(raw if damage is None else damage)
    with EmbeddingCache(path) as cache:
        found = cache.get_many(list(vectors), "one")
        assert all(_same(found[key], vectors[key]) for key in found)
        cache.put_many(vectors, "one")
        assert len(cache.get_many(list(vectors), "one")) == 400


def test_a_cache_without_a_place_keeps_nothing_and_complains_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with EmbeddingCache(tmp_path / "file" / "embeddings.sqlite") as cache:
        cache.put_many(_keyed(range(3)), "one")
        assert cache.get_many(list(_keyed(range(3))), "one") == {}
