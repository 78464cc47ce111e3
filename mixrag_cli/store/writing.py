"""The indexing side of the store: batches in, one commit record a batch.

    1. take the lock; set aside what a crashed writer left beyond the record (opening.py)
    2. a batch: chunks, tables, document rows; sync the new files and their folders; the record
    3. at the end: merge fragments, refresh the word index, lay out the vectors; the record; forget old versions

Dying is allowed at every moment: only what the record names exists.
"""

from __future__ import annotations

import os
import shutil
import stat
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixrag_cli import __version__
from mixrag_cli.errors import MixragError, NoIndex, StoreDamaged
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.store.commit import (
    CommitRecord,
    TableState,
    keep_twin,
    lock_place,
    read_record,
    rebuild_hint,
    sync_folder,
    write_record,
)
from mixrag_cli.store.engine_errors import write_errors
from mixrag_cli.store.failpoints import reach
from mixrag_cli.store.filters import in_parts
from mixrag_cli.store.laying_out import lay_out
from mixrag_cli.store.layout import (
    TABLES_DIR,
    engine_files,
    file_mode,
    files_below,
    folder_mode,
    make_inner_folder,
    manifest_path,
    manifest_versions,
    size_of_store,
    table_path,
    tables_path,
)
from mixrag_cli.store.lock import cleaning_up
from mixrag_cli.store.quantising import code_bytes
from mixrag_cli.store.reading import StoreReader
from mixrag_cli.store.repair import prune_quarantine, remove_replaced, set_aside_unfinished
from mixrag_cli.store.schema import (
    CHUNKS,
    DOCUMENTS,
    DOCUMENTS_SCHEMA,
    TABLES,
    TABLES_SCHEMA,
    StoredDocument,
    chunks_schema,
    chunks_to_table,
    document_rows_to_table,
    tables_to_table,
)
from mixrag_cli.store.trust import crc_of_file

if TYPE_CHECKING:
    from mixrag_cli.store.engine import Tables

_TEXT_BYTES = 2_000  # of a chunk's row beside its vectors, on the sample folder 1.7 kB
_TOKENS = 110  # of a chunk, on a folder of mixed documents


class StoreWriter:
    """The one writer of a store. record: as committed last. recovered: what was repaired when opening, or None."""

    def __init__(
        self, store: Path, record: CommitRecord, recovered: str | None, held: ExitStack, *, replaces: bool = False
    ) -> None:
        self.store = store
        self.record = record
        self.recovered = recovered
        self._held = held
        self._identity = _identity(store)
        self._engine: Tables | None = None
        self._known: dict[str, tuple[str, int, int]] | None = None
        self._synced: set[str] = set()
        self._crcs: dict[str, int] = {}
        self._in_doubt = False
        self._wrote = False
        self._replaces = replaces

    def __enter__(self) -> StoreWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the lock; what was committed stays. A rebuild that was not finished leaves nothing."""
        if self._replaces:
            shutil.rmtree(tables_path(self.store, self.record.generation), ignore_errors=True)
        self._held.close()

    @property
    def replaces(self) -> bool:
        """Whether this makes an index anew that is not the one on disk yet: commits are known to this writer alone."""
        return self._replaces

    def prepare(self) -> None:
        """Begin to load the engine (0.9 s) beside other work, once it is known that something will be written."""
        threading.Thread(target=import_module, args=("mixrag_cli.store.engine",)).start()

    def document_rows(self) -> list[DocumentRow]:
        """All files that the store remembers, as committed last."""
        return self.read().document_rows()

    def write_batch(self, entries: Sequence[StoredDocument]) -> None:
        """Replace these documents, with all their chunks and tables, in one commit."""
        if not entries:
            return
        entries = list({entry.row.id: entry for entry in entries}.values())
        with self._writing() as engine:
            known = [entry.row.id for entry in entries if entry.row.id in self._documents()]
            engine.replace(CHUNKS, chunks_to_table(entries, self.record.dim), known)
            reach("after_chunks")
            engine.replace(TABLES, tables_to_table(entries), known)
            reach("after_tables")
            self._upsert_rows(engine, [entry.row for entry in entries])
            reach("after_documents")

    def add_chunks(self, entries: Sequence[StoredDocument]) -> None:
        """Add chunks to documents that the store holds, in one commit; one with a known id is replaced."""
        known = [entry for entry in entries if entry.chunks and entry.row.id in self._documents()]
        if known:
            with self._writing() as engine:
                engine.upsert(CHUNKS, chunks_to_table(known, self.record.dim))

    def remove_chunks(self, ids: Sequence[str]) -> None:
        """Forget these chunks, in one commit; unknown ids are passed over."""
        if ids:
            with self._writing() as engine:
                for part in in_parts(ids):
                    engine.delete(CHUNKS, "id", part)

    def read(self) -> StoreReader:
        """The store as committed last, for reading what is about to be changed."""
        return StoreReader(self.store, self.record, None)

    def put_rows(self, rows: Sequence[DocumentRow]) -> None:
        """Remember these files in one commit; passages stay only with those indexed or marked stale."""
        if not rows:
            return
        rows = list({row.id: row for row in rows}.values())
        with self._writing() as engine:
            emptied = [row.id for row in rows if row.status != "indexed" and not row.stale and self._has_chunks(row.id)]
            if emptied:
                self._delete_contents(engine, emptied)
            self._upsert_rows(engine, rows)
            reach("after_rows")

    def remove(self, document_ids: Sequence[str]) -> None:
        """Forget these documents with all they hold, in one commit; unknown ids are passed over."""
        ids = [id_ for id_ in dict.fromkeys(document_ids) if id_ in self._documents()]
        if not ids:
            return
        with self._writing() as engine:
            self._delete_contents(engine, ids)
            engine.delete(DOCUMENTS, "id", ids)
            reach("after_removal")
            for id_ in ids:
                del self._documents()[id_]

    def put_extra(self, values: Mapping[str, Any]) -> None:
        """Keep settings fitted to this collection (plain JSON values) in the record."""
        with write_errors(self.store, self._kept_files()):
            self._check_identity()
            self._publish(replace(self.record, extra={**self.record.extra, **values}))

    def finish(self) -> None:
        """Leave the store fast to ask and small; does nothing where nothing was written."""
        if not self._wrote and self.record.is_finished and not self._replaces:
            return
        with self._writing() as engine:
            chunk_bytes = self.record.dim + code_bytes(self.record.late_dim) * _TOKENS + _TEXT_BYTES
            for name, row_bytes in ((CHUNKS, chunk_bytes), (DOCUMENTS, 500), (TABLES, 50_000)):
                reach("before_tidy")
                engine.tidy(name, row_bytes)
                reach("after_tidy")
        with write_errors(self.store, self._kept_files()):
            lay_out(self.read())
            self._mark_tidied()
            self._swap()
            self._clean_up()
        self._wrote = False

    # -- one commit -------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[Tables]:
        """Changes to the tables inside, one commit after them; a failure inside leaves the last commit standing."""
        with write_errors(self.store, self._kept_files()):
            engine = self._ready_engine()
            self._in_doubt = True
            try:
                yield engine
                self._commit(engine)
            except Exception:
                self._check_identity()
                raise
            self._in_doubt = False
            self._wrote = True

    def _ready_engine(self) -> Tables:
        self._check_identity()
        if self._in_doubt:
            set_aside_unfinished(self.store, self.record)
            self._engine, self._known, self._in_doubt = None, None, False
        self._documents()
        if self._engine is None:
            self._engine = self._open_tables()
        return self._engine

    def _open_tables(self) -> Tables:
        from mixrag_cli.store.engine import Tables  # the border: 0.9 s, only when there is something to write

        folder = tables_path(self.store, self.record.generation)
        make_inner_folder(folder)
        engine = Tables(str(folder))
        schemas = {CHUNKS: chunks_schema(self.record.dim), TABLES: TABLES_SCHEMA, DOCUMENTS: DOCUMENTS_SCHEMA}
        for name, schema in schemas.items():
            state = self.record.tables.get(name)
            engine.open(name, schema, exists=state is not None)
            if state is not None and engine.version(name) != state.version:
                raise StoreDamaged(f"{self.store}: another program wrote into the index", rebuild_hint(self.store))
        reach("after_open")
        return engine

    def _commit(self, engine: Tables) -> None:
        self._check_identity()
        self._sync_new_files()
        reach("after_sync")
        states = {name: self._table_state(engine, name) for name in (CHUNKS, TABLES, DOCUMENTS)}
        counts = Counter(status for status, _, _ in self._documents().values())
        tokens = sum(tokens for _, _, tokens in self._documents().values())
        rows = {name: state.rows for name, state in states.items()}
        self._publish(replace(self.record, tables=states, counts={**counts, **rows}, tokens=tokens))

    def _table_state(self, engine: Tables, name: str) -> TableState:
        version = engine.version(name)
        raw = manifest_path(self.store, name, version, self.record.generation).read_bytes()
        return TableState(version, engine.count_rows(name), sha256(raw).hexdigest(), self._engine_crcs(name))

    def _engine_crcs(self, name: str) -> dict[str, int]:
        """The checksums of the files that the engine reads by itself; each is written once, so read once by us."""
        folder = table_path(self.store, name, self.record.generation)
        found = {}
        for path in engine_files(self.store, name, self.record.generation):
            if (known := self._crcs.get(str(path))) is None:
                known = self._crcs[str(path)] = crc_of_file(path)
            found[path.relative_to(folder).as_posix()] = known
        return found

    def _publish(self, record: CommitRecord) -> None:
        numbered = replace(record, number=self.record.number + 1, updated_ns=time.time_ns(), program=__version__)
        reach("before_record")
        if not self._replaces:
            write_record(self.store, numbered)
        self.record = numbered
        reach("after_record")

    def _sync_new_files(self) -> None:
        """Make all files durable that came since the last commit, then the folders that they came into."""
        folders: set[Path] = set()
        for entry in files_below(tables_path(self.store, self.record.generation)):
            if entry.path in self._synced:
                continue
            path = Path(entry.path)
            folders.add(path.parent)
            if entry.is_dir(follow_symlinks=False):
                _set_mode(path, folder_mode(self.store))
                folders.add(path)
            else:
                _set_mode(path, file_mode(self.store))
                _sync_file(path)
            if entry.name != "latest_version_hint.json":  # the one file that is written anew
                self._synced.add(entry.path)
        for folder in folders:
            sync_folder(folder)
        sync_folder(self.store)

    def _check_identity(self) -> None:
        """Raise where the store's folder is no longer the one that was opened."""
        replaced = MixragError("the index folder was replaced while running; nothing more written")
        try:
            here = _identity(self.store)
            same = here == self._identity
            if same and not self._replaces:
                same = read_record(self.store).store_id == self.record.store_id
        except (OSError, NoIndex) as exc:
            raise replaced from exc
        if not same:
            _remove_leftover(self.store, self._identity)
            raise replaced

    # -- what the store holds ---------------------------------------------------------------------------------

    def _documents(self) -> dict[str, tuple[str, int, int]]:
        """Status, chunks and tokens of every document, by id."""
        if self._known is None:
            self._known = {row.id: (row.status, row.chunks, row.tokens) for row in self.document_rows()}
        return self._known

    def _has_chunks(self, document_id: str) -> bool:
        return self._documents().get(document_id, ("", 0, 0))[1] > 0

    def _upsert_rows(self, engine: Tables, rows: Sequence[DocumentRow]) -> None:
        engine.upsert(DOCUMENTS, document_rows_to_table(rows))
        self._documents().update((row.id, (row.status, row.chunks, row.tokens)) for row in rows)

    def _delete_contents(self, engine: Tables, document_ids: Sequence[str]) -> None:
        engine.delete(CHUNKS, "document", document_ids)
        reach("after_chunks_deleted")
        engine.delete(TABLES, "document", document_ids)

    def _kept_files(self) -> int:
        return int(self.record.counts.get("indexed", 0))

    # -- the end of a run -------------------------------------------------------------------------------------

    def _mark_tidied(self) -> None:
        """Record that the run came to its end, and what the store weighs."""
        version = self.record.tables[CHUNKS].version
        if self.record.tidied != version:
            self._publish(replace(self.record, tidied=version, bytes=size_of_store(self.store)))

    def _swap(self) -> None:
        """Put a rebuilt index in the place of the old one, by the one rename that writes the record."""
        if self._replaces:
            reach("before_swap")
            write_record(self.store, self.record)
            self._replaces = False
            reach("after_swap")

    def _clean_up(self) -> None:
        """Forget the old versions that nobody reads; the others go in a later run."""
        with cleaning_up(self.store) as is_held:
            if is_held is None or self._engine is None:
                return
            keep_twin(self.store)
            generation = self.record.generation
            for name in (CHUNKS, TABLES, DOCUMENTS):
                reach("before_cleanup")
                old = set(manifest_versions(self.store, name, generation)) - {self.record.tables[name].version}
                free = [version for version in sorted(old) if not is_held(lock_place(name, generation, version), 1)]
                if free:
                    self._engine.forget_versions(name, free)
                reach("after_cleanup")
            remove_replaced(self.store, self.record, is_held)
            prune_quarantine(self.store)


def _identity(folder: Path) -> tuple[int, int]:
    known = folder.stat()
    return known.st_dev, known.st_ino


def _remove_leftover(store: Path, identity: tuple[int, int]) -> None:
    """Remove the folder that the engine made anew when the store was taken away under its hands.

    A store always has a lock file; a folder without one that holds nothing but tables is such a leftover.
    """
    if _identity(store) == identity or {path.name for path in store.iterdir()} != {TABLES_DIR}:
        return
    shutil.rmtree(store, ignore_errors=True)


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _set_mode(path: Path, mode: int) -> None:
    """What another member of the group has made has its mode already, and only its owner may set it."""
    if stat.S_IMODE(path.stat().st_mode) != mode:
        path.chmod(mode)
