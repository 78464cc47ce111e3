"""Is this store sound? A quick look at the record and its manifests, or every stored byte that can be quoted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mixrag_cli.errors import MixragError, StoreDamaged
from mixrag_cli.store.commit import read_record, rebuild_hint
from mixrag_cli.store.laying_out import sketches_are_sound, words_are_sound
from mixrag_cli.store.reading import StoreReader, open_reader
from mixrag_cli.store.trust import verify_engine_files, verify_manifest


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. remedy: the command that mends it."""

    message: str
    remedy: str


def check_store(store: Path, *, deep: bool = False) -> list[Finding]:
    """What is wrong with the store; nothing for a sound one. deep: read and verify every row and vector.

    Raises NoIndex and StoreMismatch; damage is found, not raised.
    """
    try:
        reader = open_reader(store)
    except StoreDamaged as exc:
        return [Finding(exc.message, exc.hint or rebuild_hint(store))]
    with reader:
        thorough = (_check_documents, _check_chunks, _check_tables, _check_token_vectors)
        checks = [_check_manifests, *(thorough if deep else ())]
        return [finding for check in checks for finding in _run(check, reader)]


def _run(check: Callable[[StoreReader], Iterable[Finding]], reader: StoreReader) -> list[Finding]:
    try:
        return list(check(reader))
    except MixragError as exc:
        return [Finding(exc.message, exc.hint or rebuild_hint(reader.store))]


def _check_manifests(reader: StoreReader) -> Iterator[Finding]:
    if read_record(reader.store).store_id != reader.record.store_id:
        yield _finding(reader, "the index was replaced while being checked")
    for name, state in reader.record.tables.items():
        verify_manifest(reader.store, name, state, reader.record.generation)
        verify_engine_files(reader.store, name, state, reader.record.generation)


def _check_documents(reader: StoreReader) -> Iterator[Finding]:
    rows = reader.document_rows()
    if len(rows) != reader.record.counts.get("documents", 0):
        yield _finding(reader, f"{len(rows)} files are remembered, {reader.record.counts.get('documents', 0)} recorded")


def _check_chunks(reader: StoreReader) -> Iterator[Finding]:
    known = {row.id for row in reader.document_rows()}
    seen: set[str] = set()
    for row in reader.chunk_rows():
        if row.chunk.document not in known:
            yield _finding(reader, f"passage {row.chunk.id} belongs to no file")
        if row.chunk.id in seen:
            yield _finding(reader, f"passage {row.chunk.id} is stored twice")
        seen.add(row.chunk.id)
    for id_ in reader.damaged_terms():
        yield _finding(reader, f"the search terms of passage {id_} are damaged")
    if not sketches_are_sound(reader):
        yield _finding(reader, "the sketches for searching by meaning are damaged")
    if not words_are_sound(reader):
        yield _finding(reader, "the lists for searching by words are damaged")
    if len(seen) != reader.record.chunks:
        yield _finding(reader, f"{len(seen)} passages are stored, {reader.record.chunks} recorded")


def _check_tables(reader: StoreReader) -> Iterator[Finding]:
    ids = [row.id for row in reader.document_rows(["indexed"])]
    n_tables = sum(len(reader.tables_of(id_)) for id_ in ids) + sum(map(len, reader.facts(ids).values()))
    if n_tables != reader.record.counts.get("tables", 0):
        yield _finding(reader, f"{n_tables} tables are stored, {reader.record.counts.get('tables', 0)} recorded")


def _check_token_vectors(reader: StoreReader) -> tuple[Finding, ...]:
    reader.check_token_vectors()
    return ()


def _finding(reader: StoreReader, message: str) -> Finding:
    return Finding(f"{reader.store}: {message}", rebuild_hint(reader.store))
