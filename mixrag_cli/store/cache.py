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
import numpy.typing as npt

MAX_BYTES = 1_000_000_000  # of vectors: 650,000 of 384 numbers
_KEYS_A_QUERY = 500  # SQLite's safe number of parameters
_KEPT_SHARE = 0.8  # after eviction, so that it does not happen at every batch

_TABLE = (
    "CREATE TABLE IF NOT EXISTS vectors (model TEXT, hash TEXT, vector BLOB NOT NULL, sum INTEGER NOT NULL,"
    " PRIMARY KEY (model, hash))"
)


class EmbeddingCache:
    """A file of vectors keyed by (model, text hash); rows are evicted oldest first beyond max_bytes."""

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

    def get_many(self, hashes: Sequence[str], model: str) -> dict[str, npt.NDArray[np.float32]]:
        """The known vectors, (dim,) float32 each; unknown hashes are absent."""
        found: dict[str, npt.NDArray[np.float32]] = {}
        try:
            for hash_, raw, checksum in self._rows(hashes, model):
                if _checksum(raw) == checksum:
                    found[hash_] = np.frombuffer(raw, dtype="<f4")
        except sqlite3.Error:
            self._start_over()
        return found

    def put_many(self, vectors: Mapping[str, npt.NDArray[np.float32]], model: str) -> None:
        """Remember the vectors, by text hash."""
        if self._connection is None:
            return
        rows = [
            (model, hash_, raw := vector.astype("<f4").tobytes(), _checksum(raw)) for hash_, vector in vectors.items()
        ]
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
                self._evict()
        except sqlite3.OperationalError:  # disk full, or another process is writing: the vectors are made again
            return
        except sqlite3.Error:
            self._start_over()

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _rows(self, hashes: Sequence[str], model: str) -> Iterator[tuple[str, bytes, int]]:
        if self._connection is None:
            return
        for start in range(0, len(hashes), _KEYS_A_QUERY):
            part = hashes[start : start + _KEYS_A_QUERY]
            marks = ",".join("?" * len(part))
            yield from self._connection.execute(
                f"SELECT hash, vector, sum FROM vectors WHERE model = ? AND hash IN ({marks})", (model, *part)
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
        rows, width = self._connection.execute(
            "SELECT COUNT(*), COALESCE(MAX(LENGTH(vector)), 0) FROM vectors"
        ).fetchone()
        if rows * width > self._max_bytes:
            surplus = rows - int(self._max_bytes * _KEPT_SHARE / width)
            self._connection.execute(
                "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY rowid LIMIT ?)", (surplus,)
            )


def _checksum(raw: bytes) -> int:
    return zlib.crc32(raw)
