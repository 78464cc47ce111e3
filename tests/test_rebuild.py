"""An index of another layout, or one whose record is lost, is made anew from the folders it was of."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from mixrag_cli.errors import StoreDamaged, StoreMismatch
from mixrag_cli.models import Embedder
from mixrag_cli.settings import Settings
from mixrag_cli.store import (
    Embedding,
    StoreWriter,
    check_store,
    find_store,
    forget_collection,
    name_collection,
    open_reader,
    read_record,
    read_roots,
)
from mixrag_cli.store.commit import write_record
from mixrag_cli.store.layout import generations
from mixrag_cli.stories import embedding
from mixrag_cli.stories.batching import Batch
from mixrag_cli.stories.embedding import embed_texts
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.wishes import IndexWishes

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("named", [True, False])
def test_an_index_of_another_layout_is_made_anew(
    named: bool, model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe gate opens at nine.\n", "utf-8")
    roots = [tmp_path] if named else []
    monkeypatch.chdir(tmp_path)
    build_index([tmp_path], Settings(), events=Silent())
    store = find_store(tmp_path, None)
    write_record(store, replace(read_record(store), schema_version=1))
    assert read_roots(store) == (".",)
    with pytest.raises(StoreMismatch, match="index layout 1"):
        build_index(roots, Settings(), events=Silent())
    report = build_index(roots, Settings(), events=Silent(), wishes=IndexWishes(rebuild=True))
    assert (report.added, read_record(store).roots) == (1, (".",))


def count_embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the model is given from now on."""
    seen: list[str] = []

    def embed(texts: Sequence[str], embedder: Embedder, *rest: object) -> list[Embedding]:
        seen.extend(texts)
        return embed_texts(texts, embedder)

    monkeypatch.setattr(embedding, "embed_texts", embed)
    return seen


def test_a_text_that_another_collection_holds_is_not_embedded_again(
    model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIXRAG_DATA_DIR", str(tmp_path / "data"))
    seen = count_embedded(monkeypatch)
    for name in ("one", "two", "strange"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.txt").write_text("The gate opens at nine.\n", "utf-8")
    build_index([tmp_path / "one"], Settings(), events=Silent())
    made = len(seen)
    name_collection("first", tmp_path / "one" / ".mixrag")
    build_index([tmp_path / "two"], Settings(), events=Silent())
    assert len(seen) == made > 0
    with open_reader(tmp_path / "one" / ".mixrag") as first, open_reader(tmp_path / "two" / ".mixrag") as second:
        assert [row.vector.tobytes() for row in first.chunk_rows()] == [
            row.vector.tobytes() for row in second.chunk_rows()
        ]
    shutil.rmtree(tmp_path / "strange")
    shutil.copytree(tmp_path / "one", tmp_path / "strange")  # not made there: its vectors are nobody's word
    forget_collection("first")
    name_collection("copied", tmp_path / "strange" / ".mixrag")
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "note.txt").write_text("The gate opens at nine.\n", "utf-8")
    build_index([tmp_path / "three"], Settings(), events=Silent())
    assert len(seen) == 2 * made


def test_another_collection_that_is_removed_while_a_run_goes_on_ends_nothing(
    model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIXRAG_DATA_DIR", str(tmp_path / "data"))
    seen = count_embedded(monkeypatch)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.txt").write_text("The gate opens at nine.\n", "utf-8")
    build_index([tmp_path / "one"], Settings(), events=Silent())
    made = len(seen)
    name_collection("first", tmp_path / "one" / ".mixrag")
    start = StoreWriter.prepare

    def remove_and_start(writer: StoreWriter) -> None:  # the other index was opened before
        shutil.rmtree(tmp_path / "one" / ".mixrag")
        start(writer)

    monkeypatch.setattr(StoreWriter, "prepare", remove_and_start)
    report = build_index([tmp_path / "two"], Settings(), events=Silent())
    assert not (tmp_path / "one" / ".mixrag").exists()
    assert (report.added, report.warnings, len(seen)) == (1, (), 2 * made)


def test_a_text_is_embedded_once_whatever_files_it_stands_in_and_however_often_they_are_indexed(
    model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = count_embedded(monkeypatch)
    same = "The gate opens at nine.\n"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.txt").write_text(same, "utf-8")
    build_index([tmp_path], Settings(), events=Silent())
    assert len(seen) == len(set(seen)) > 0
    made = len(seen)
    (tmp_path / "c.d").mkdir()
    (tmp_path / "c.d" / "note.txt").write_text(same, "utf-8")  # known from the store
    (tmp_path / "a" / "note.txt").rename(tmp_path / "a" / "kept.txt")  # leaves the store, comes back by the cache
    build_index([tmp_path], Settings(), events=Silent())
    build_index([tmp_path], Settings(), events=Silent(), wishes=IndexWishes(rebuild=True))
    assert [text for text in seen[made:] if text in seen[:made]] == []
    assert len(seen) == len(set(seen))
    store = find_store(tmp_path, None)
    assert check_store(store, deep=True) == []
    assert read_record(store).generation == 1
    with open_reader(store) as reader:
        assert len(reader.document_rows()) == 3


def test_an_interrupted_rebuild_leaves_the_index_and_its_work_is_not_lost(
    model_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe gate opens at nine.\n", "utf-8")
    build_index([tmp_path], Settings(), events=Silent())
    store = find_store(tmp_path, None)
    before = read_record(store)
    write_record(store, replace(before, embedder="another"))  # its vectors are of no use
    seen = count_embedded(monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(Batch, "flush", interrupt_after_embedding)
        report = build_index([tmp_path], Settings(), events=Silent(), wishes=IndexWishes(rebuild=True))
    assert report.interrupted
    assert report.as_before
    assert read_record(store).embedder == "another"
    assert list(generations(store)) == [0]
    made = len(seen)
    assert made > 0
    build_index([tmp_path], Settings(), events=Silent(), wishes=IndexWishes(rebuild=True))
    assert len(seen) == made
    assert read_record(store).embedder == before.embedder
    assert list(generations(store)) == [1]


def interrupt_after_embedding(batch: Batch) -> None:
    batch._embed_waiting()
    raise KeyboardInterrupt


def test_a_damaged_index_is_made_anew_beside_itself(model_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nThe gate opens at nine.\n", "utf-8")
    build_index([tmp_path], Settings(), events=Silent())
    store = find_store(tmp_path, None)
    for path in (store / "tables").rglob("*"):
        if path.is_file():
            path.write_bytes(bytes(path.stat().st_size))
    with pytest.raises(StoreDamaged):
        build_index([tmp_path], Settings(), events=Silent())
    assert build_index([tmp_path], Settings(), events=Silent(), wishes=IndexWishes(rebuild=True)).added == 1
    assert check_store(store, deep=True) == []
    assert list(generations(store)) == [1]
