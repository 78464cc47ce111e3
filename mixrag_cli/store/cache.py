"""Embeddings by text hash and model, so that a rebuild or a renamed file costs no embedding.

A cache and nothing more: damage makes it empty, a full disk makes it useless, neither makes an error.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from mixrag_cli.store.schema import Embedding

MAX_BYTES = 2_000_000_000  # of the file
_KEYS_A_QUERY = 500  # SQLite's safe number of parameters
_KEPT_SHARE = 0.8  # after eviction, so that it does not happen at every batch

_TABLE = (
    "CREATE TABLE IF NOT EXISTS embeddings (model TEXT, hash TEXT, vector BLOB NOT NULL, late_dim INTEGER NOT NULL,"
    " late BLOB NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (model, hash))"
)
_USED_BYTES = (
    "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)


class EmbeddingCache:
    """A file of embeddings keyed by (model, text hash); rows are evicted oldest first beyond max_bytes."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._connection: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
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
            for hash_, vector, late_dim, late, checksum in self._rows(hashes, model):
                if _checksum(vector, late) == checksum:
                    tokens = np.frombuffer(late, dtype=np.int8).reshape(-1, late_dim) if late_dim else None
                    found[hash_] = Embedding(np.frombuffer(vector, dtype="<f4"), tokens)
        except sqlite3.Error:
            self._start_over()
        return found

    def put_many(self, embeddings: Mapping[str, Embedding], model: str) -> None:
        """Remember the embeddings, by text hash."""
        if self._connection is None:
            return
        rows = ((model, hash_, *_to_columns(embedding)) for hash_, embedding in embeddings.items())
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?, ?, ?)", rows)
                self._evict()
        except sqlite3.OperationalError:  # disk full, or another process is writing: it is all made again
            return
        except sqlite3.Error:
            self._start_over()

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _rows(self, hashes: Sequence[str], model: str) -> Iterator[tuple[str, bytes, int, bytes, int]]:
        if self._connection is None:
            return
        for start in range(0, len(hashes), _KEYS_A_QUERY):
            part = hashes[start : start + _KEYS_A_QUERY]
            marks = ",".join("?" * len(part))
            yield from self._connection.execute(
                f"SELECT hash, vector, late_dim, late, sum FROM embeddings WHERE model = ? AND hash IN ({marks})",
                (model, *part),
            )

    def _open(self) -> None:
        self._connection = sqlite3.connect(self._path, timeout=5, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(_TABLE)

    def _start_over(self) -> None:
        self.close()
        try:
            for path in self._path.parent.glob(f"{self._path.name}*"):
                path.unlink()
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
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
                "DELETE FROM embeddings WHERE rowid IN (SELECT rowid FROM embeddings ORDER BY rowid LIMIT ?)",
                (surplus,),
            )


def _to_columns(embedding: Embedding) -> tuple[bytes, int, bytes, int]:
    vector = embedding.vector.astype("<f4").tobytes()
    late_dim, late = (0, b"") if embedding.late is None else (embedding.late.shape[1], embedding.late.tobytes())
    return vector, late_dim, late, _checksum(vector, late)


def _checksum(vector: bytes, late: bytes) -> int:
    return zlib.crc32(late, zlib.crc32(vector))
