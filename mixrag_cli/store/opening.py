"""Opening a store for writing: locked, repaired, or made anew beside what is there, for a rebuild."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from mixrag_cli import __version__
from mixrag_cli.errors import NoIndex, StoreDamaged, StoreMismatch, WrongUsage
from mixrag_cli.store.commit import (
    SCHEMA_VERSION,
    CommitRecord,
    read_record,
    rebuild_hint,
    root_to_text,
    sync_folder,
    write_record,
)
from mixrag_cli.store.engine_errors import write_errors
from mixrag_cli.store.failpoints import reach
from mixrag_cli.store.layout import (
    PRIVATE_FILE,
    TABLES_DIR,
    file_mode,
    generations,
    make_inner_folder,
    make_private_folder,
)
from mixrag_cli.store.location import holds_store, is_published
from mixrag_cli.store.lock import READERS_FILE, write_lock
from mixrag_cli.store.repair import remove_half_built, set_aside_all, set_aside_unfinished
from mixrag_cli.store.schema import CHUNKS, DOCUMENTS, TABLES
from mixrag_cli.store.scratch import scratch_in
from mixrag_cli.store.trust import check_ownership, verify_engine_files, verify_manifest
from mixrag_cli.store.writing import StoreWriter

_IGNORE_ALL = "*\n"  # a .gitignore of its own: an index is never committed by accident


def open_writer(
    store: Path,
    *,
    roots: Sequence[Path],
    embedder_name: str,
    dim: int,
    late_dim: int = 0,
    wait_s: float = 0,
    rebuild: bool = False,
) -> StoreWriter:
    """The store, made where there is none, locked for writing and repaired; use it in a with block.

    rebuild: begin with nothing, in tables of a new generation. They take the place of the old ones when the run is
    finished; until then everybody reads the old ones, and a run that does not get so far has changed nothing.
    roots: indexed folders, added to those the store knows. late_dim: length of a token's vector where the model gives
    some. wait_s: for another writer to finish.
    Raises StoreLocked, StoreMismatch (made with another model), StoreDamaged, MixragError (cannot write).
    """
    store = store.absolute()
    if is_published(store):
        raise WrongUsage(f"{store}: a published index is only read", "index the folder itself, then mixrag publish")
    with ExitStack() as held:
        with write_errors(store):
            make_private_folder(store)
        held.enter_context(write_lock(store, wait_s))
        with write_errors(store):
            check_ownership(store)
            held.enter_context(scratch_in(store))
            if rebuild and holds_store(store):
                record = _next_generation(store, _first_record(store, embedder_name, dim, late_dim), roots)
                return StoreWriter(store, record, None, held.pop_all(), replaces=True)
            record, recovered = _open_record(store, embedder_name, dim, late_dim)
            record = _with_roots(store, record, roots)
        return StoreWriter(store, record, recovered, held.pop_all())


def reopen_writer(store: Path, wait_s: float = 0) -> StoreWriter:
    """The store that is there, for changes that make no vectors. Raises as open_writer does, NoIndex for none."""
    record = read_record(store)
    return open_writer(
        store,
        roots=(),
        embedder_name=record.embedder,
        dim=record.dim,
        late_dim=record.late_dim,
        wait_s=wait_s,
    )


def _next_generation(store: Path, fresh: CommitRecord, roots: Sequence[Path]) -> CommitRecord:
    """The record of an empty index that will replace the one there, whatever its layout and its state."""
    try:
        old = read_record(store)
    except (StoreMismatch, StoreDamaged):
        last = max(generations(store), default=0)
    else:
        remove_half_built(store, old)
        last = old.generation
        fresh = replace(fresh, store_id=old.store_id, number=old.number, created_ns=old.created_ns)
    texts = tuple(dict.fromkeys(root_to_text(root, store) for root in roots))
    return replace(fresh, generation=last + 1, roots=texts)


def _open_record(store: Path, embedder_name: str, dim: int, late_dim: int) -> tuple[CommitRecord, str | None]:
    """The store's record after repair, or a first one."""
    try:
        record = read_record(store)
    except NoIndex:
        set_aside_all(store)
        record = _first_record(store, embedder_name, dim, late_dim)
        make_inner_folder(store / TABLES_DIR)
        (store / ".gitignore").write_text(_IGNORE_ALL)
        for name in (".gitignore", READERS_FILE):
            os.close(os.open(store / name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE))
            (store / name).chmod(file_mode(store))
        write_record(store, record)
        sync_folder(store.parent)
        reach("after_creation")
        return record, None
    if (record.embedder, record.dim) != (embedder_name, dim):
        made, asked = f"{record.embedder} ({record.dim})", f"{embedder_name} ({dim})"
        raise StoreMismatch(f"index was made with model {made}, not {asked}", rebuild_hint(store))
    for name, state in record.tables.items():
        verify_manifest(store, name, state, record.generation)
        verify_engine_files(store, name, state, record.generation)
    remove_half_built(store, record)
    recovered = "recovered: 1 unfinished write set aside" if set_aside_unfinished(store, record) else None
    return record, recovered


def _first_record(store: Path, embedder_name: str, dim: int, late_dim: int) -> CommitRecord:
    now = time.time_ns()
    return CommitRecord(
        schema_version=SCHEMA_VERSION,
        store_id=secrets.token_hex(16),
        number=0,
        tables={},
        embedder=embedder_name,
        dim=dim,
        roots=(),
        counts={DOCUMENTS: 0, CHUNKS: 0, TABLES: 0},
        tokens=0,
        bytes=0,
        created_ns=now,
        updated_ns=now,
        program=__version__,
        late_dim=late_dim,
        home=store.stat().st_ino,
    )


def _with_roots(store: Path, record: CommitRecord, roots: Iterable[Path]) -> CommitRecord:
    known = tuple(dict.fromkeys([*record.roots, *(root_to_text(root, store) for root in roots)]))
    if known == record.roots:
        return record
    updated = replace(record, roots=known, number=record.number + 1, updated_ns=time.time_ns())
    write_record(store, updated)
    return updated
