"""Embeddings by text hash and model, so that a text that comes back costs no embedding.

A cache and nothing more: damage makes it empty, a full disk makes it useless, neither makes an error.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from mixrag_cli.store.layout import PRIVATE_FILE, file_mode, make_inner_folder, size_of_store
from mixrag_cli.store.quantising import decode_vectors, encode_vectors
from mixrag_cli.store.schema import Embedding

CACHE_FILE = Path("cache", "embeddings.2.sqlite")  # inside the store's folder
OLD_FILES = ("embeddings.sqlite",)  # vectors of four bytes an axis
# Of the file. At least 4,000 passages, several batches of a run that may be killed; at most some 120,000, of 60 MB of
# text. Beyond, embedding them again takes minutes, not the disk.
MIN_BYTES, MAX_BYTES = 8_000_000, 256_000_000
_KEYS_A_QUERY = 500  # SQLite's safe number of parameters
_KEPT_SHARE = 0.8  # after eviction, so that it does not happen at every batch

_TABLE = (
    "CREATE TABLE IF NOT EXISTS embeddings (model TEXT, hash BLOB, vector BLOB NOT NULL, code_bytes INTEGER NOT NULL,"
    " late BLOB NOT NULL, sum INTEGER NOT NULL, used_ns INTEGER NOT NULL, PRIMARY KEY (model, hash)) WITHOUT ROWID"
)
_USED_BYTES = (
    "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)


class EmbeddingCache:
    """A file of embeddings keyed by (model, text hash in hex); beyond max_bytes the rows used longest ago go."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._connection: sqlite3.Connection | None = None
        try:
            make_inner_folder(path.parent)
            self._make()
            if path.name not in OLD_FILES:
                _remove_older(path.parent)
            self._open()
        except sqlite3.Error:
            self._start_over()
        except OSError:
            return

    def __enter__(self) -> EmbeddingCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get_many(self, hashes: Sequence[str], model: str) -> dict[str, Embedding]:
        """The known embeddings; unknown hashes are absent."""
        found: dict[str, Embedding] = {}
        try:
            for hash_, vector, code_bytes, late, checksum in self._rows(hashes, model):
                if _checksum(vector, late) == checksum:
                    tokens = np.frombuffer(late, np.uint8).reshape(-1, code_bytes) if code_bytes else None
                    found[hash_.hex()] = Embedding(decode_vectors(np.frombuffer(vector, np.int8)[None])[0], tokens)
            self._mark_used(found, model)
        except sqlite3.Error:
            self._start_over()
        return found

    def put_many(self, embeddings: Mapping[str, Embedding], model: str) -> None:
        """Remember the embeddings, by text hash."""
        if self._connection is None:
            return
        rows = (
            (model, bytes.fromhex(hash_), *_to_columns(embedding), time.time_ns())
            for hash_, embedding in embeddings.items()
        )
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
                self._evict()
        except sqlite3.OperationalError:  # disk full, or another process is writing: it is all made again
            return
        except sqlite3.Error:
            self._start_over()

    def forget(self, hashes: Iterable[str], model: str) -> None:
        """Let go of these embeddings, which an index holds now."""
        self._change("DELETE FROM embeddings WHERE model = ? AND hash = ?", ((model, bytes.fromhex(h)) for h in hashes))

    def clear(self) -> None:
        """Let go of all embeddings: an index holds what is wanted of them."""
        self._change("DELETE FROM embeddings WHERE used_ns >= ?", [(0,)])

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _rows(self, hashes: Sequence[str], model: str) -> Iterator[tuple[bytes, bytes, int, bytes, int]]:
        if self._connection is None:
            return
        for start in range(0, len(hashes), _KEYS_A_QUERY):
            part = [bytes.fromhex(each) for each in hashes[start : start + _KEYS_A_QUERY]]
            marks = ",".join("?" * len(part))
            yield from self._connection.execute(
                f"SELECT hash, vector, code_bytes, late, sum FROM embeddings WHERE model = ? AND hash IN ({marks})",
                (model, *part),
            )

    def _mark_used(self, found: Iterable[str], model: str) -> None:
        now = time.time_ns()
        update = "UPDATE embeddings SET used_ns = ? WHERE model = ? AND hash = ?"
        self._change(update, ((now, model, bytes.fromhex(each)) for each in found))

    def _change(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        if self._connection is None:
            return
        try:
            with self._connection:
                self._connection.executemany(statement, rows)
            self._connection.execute("PRAGMA incremental_vacuum").fetchall()
        except sqlite3.Error:  # a full disk, or damage that the next look finds: what was found is found all the same
            return

    def _open(self) -> None:
        self._connection = sqlite3.connect(self._path, timeout=5, check_same_thread=False)
        self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(_TABLE)

    def _make(self) -> None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        try:
            if os.fstat(descriptor).st_uid == os.geteuid():
                os.fchmod(descriptor, file_mode(self._path.parent))
        finally:
            os.close(descriptor)

    def _start_over(self) -> None:
        self.close()
        try:
            for path in self._path.parent.glob(f"{self._path.name}*"):
                path.unlink()
            self._make()
            self._open()
        except (OSError, sqlite3.Error):
            self.close()

    def _evict(self) -> None:
        if self._connection is None:
            return
        (used,) = self._connection.execute(_USED_BYTES).fetchone()
        if used > self._max_bytes:
            (rows,) = self._connection.execute("SELECT COUNT(*) FROM embeddings").fetchone()
            surplus = rows - int(rows * self._max_bytes * _KEPT_SHARE / used)
            self._connection.execute(
                "DELETE FROM embeddings WHERE (model, hash) IN"
                " (SELECT model, hash FROM embeddings ORDER BY used_ns LIMIT ?)",
                (surplus,),
            )
            self._connection.execute("PRAGMA incremental_vacuum")


def cache_of(store: Path) -> EmbeddingCache:
    """The embeddings of what was removed from a store, or is not committed yet.

    It may grow as large as all that is beside it, within MIN_BYTES and MAX_BYTES: an index that is edited often must
    not weigh much more than what it holds.
    """
    path = store / CACHE_FILE
    beside = size_of_store(store) - size_of_store(path.parent)
    return EmbeddingCache(path, min(max(beside, MIN_BYTES), MAX_BYTES))


def _remove_older(folder: Path) -> None:
    """Remove the caches of older programs, which nothing would ever empty."""
    for name in OLD_FILES:
        for path in folder.glob(f"{name}*"):
            path.unlink(missing_ok=True)


def _to_columns(embedding: Embedding) -> tuple[bytes, int, bytes, int]:
    vector = encode_vectors(embedding.vector[None]).tobytes()
    code_bytes, late = (0, b"") if embedding.late is None else (embedding.late.shape[1], embedding.late.tobytes())
    return vector, code_bytes, late, _checksum(vector, late)


def _checksum(vector: bytes, late: bytes) -> int:
    return zlib.crc32(late, zlib.crc32(vector))
