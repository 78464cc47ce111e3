"""A sketch of each passage's vector, one bit an axis: a search reads all sketches and only the vectors that seem near.

A vector is taken from the mean of all, turned by the matrix of quantising.py, and of each axis the sign is kept. How
many signs differ from the question's orders all passages roughly; the best of them are ordered again by the signs and
the question's own numbers, and the best of those by their vectors, exactly as a search over all would order them. The
file belongs to one version of the table. A reader of another version, or without the file, searches all vectors.

    header as JSON, padded     version, sizes, checksums
    mean (dim) float32         codes (n, dim) int8
    signs uint64, in blocks of BLOCK_ROWS passages, each (dim / 64, passages)         rows (n) uint64

Sources: Charikar, Similarity estimation techniques from rounding algorithms, STOC 2002, for the signs; Gao & Long,
RaBitQ, SIGMOD 2024, for turning first and for the question's own numbers.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from mixrag_cli.store.layout import file_mode
from mixrag_cli.store.nearest import TIE_SLACK, cosines, count_wanted, lengths_of
from mixrag_cli.store.postings import is_in
from mixrag_cli.store.quantising import VectorCodes, Vectors, decode_vectors, turning

# Below, all vectors are compared in 7 ms of one core, and 13 MB of them are held.
FEWEST_ROWS = 32_768
# Looked at again are so many of all passages by signs, then so many of them by numbers. Of the 60 passages nearest to
# 100 real questions that finds .9965 among 1,000,000 passages (30,000 of them real) in 22 ms of one core and .9987
# among 100,000 in 6 ms; with half of either, .985 in 16 ms and .994 in 3 ms (tests/benchmarks/sketches.py CACHE SIZE).
BY_SIGNS = 0.02
FEWEST_BY_SIGNS = 8_192
BY_NUMBERS = 2_048
GROWTH_KEPT = 2.0  # times the rows that the mean is of; beyond, the file is made anew
BLOCK_ROWS = 65_536
SIGNS_A_WORD = 64
HEADER_BYTES = 4_096
READ_BYTES = 1 << 20
FORM = "mixrag.sketches/1"
FAR = np.iinfo(np.uint16).max

Rows = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]
Signs = npt.NDArray[np.uint64]
Batches = Callable[[], Iterator[tuple[Rows, VectorCodes]]]


class _OpenFile:
    """The file by its descriptor, which goes with it: what is read by place is read from the file that was opened."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)

    def size(self) -> int:
        return os.fstat(self._descriptor).st_size

    def read(self, start: int, length: int) -> bytes:
        return os.pread(self._descriptor, length, start)

    def map(self, start: int, length: int) -> npt.NDArray[np.uint64]:
        with os.fdopen(os.dup(self._descriptor), "rb") as file:
            return np.memmap(file, np.uint64, "r", start, (length,))


@dataclass(frozen=True, slots=True)
class Sketches:
    """The file, held open; its large parts stay on disk until they are read. made_for: passages that the mean is of."""

    file: _OpenFile
    mean: Vectors
    rows: Rows
    signs: Signs
    codes_at: int
    made_for: int
    crc: int

    def nearest(self, query: Vectors, limit: int, among: Rows | None = None) -> Rows:
        """The ids of the rows nearest to the query, (dim,) of length 1, and of ties beyond the limit, best first.

        among: row ids in order, only these.
        """
        numbers = (query - self.mean) @ turning(len(query))
        apart = self._signs_apart(_signs_of_axes(numbers[None])[0])
        if among is not None:
            apart[~is_in(self.rows, among)] = FAR
        places = _least(apart, max(FEWEST_BY_SIGNS, round(BY_SIGNS * len(apart))))
        places = places[apart[places] != FAR]
        axes = np.unpackbits(self.signs_of(places).view(np.uint8), axis=1, count=len(query), bitorder="little")
        places = places[_least(-(axes.astype(np.float32) @ numbers), BY_NUMBERS)]
        scores = cosines(self.codes_of(places), query)
        best = np.lexsort((self.rows[places], -scores))[: limit + TIE_SLACK]
        found: Rows = self.rows[places[best[: count_wanted(scores[best], limit)]]]
        return found

    def codes_of(self, places: Places) -> VectorCodes:
        """The vectors at these places, read one by one: a mapping would hold the pages around each."""
        dim = len(self.mean)
        raw = [self.file.read(self.codes_at + dim * place, dim) for place in places.tolist()]
        return np.frombuffer(b"".join(raw), np.int8).reshape(-1, dim)

    def signs_of(self, places: Places) -> Signs:
        """The signs at these places, a row each."""
        n_words = len(self.signs) // len(self.rows)
        starts = places // BLOCK_ROWS * BLOCK_ROWS
        sizes = np.minimum(BLOCK_ROWS, len(self.rows) - starts)
        first = starts * n_words + places - starts
        signs: Signs = self.signs[first[:, None] + sizes[:, None] * np.arange(n_words)]
        return signs

    def is_sound(self) -> bool:
        """Whether every byte is as it was written."""
        crc = 0
        for start in range(HEADER_BYTES, self.file.size(), READ_BYTES):
            crc = zlib.crc32(self.file.read(start, READ_BYTES), crc)
        return crc == self.crc

    def _signs_apart(self, signs: Signs) -> npt.NDArray[np.uint16]:
        """In how many signs each passage differs from these."""
        apart = np.zeros(len(self.rows), np.uint16)
        for start in range(0, len(apart), BLOCK_ROWS):
            part = apart[start : start + BLOCK_ROWS]
            block = self.signs[start * len(signs) : (start + len(part)) * len(signs)].reshape(len(signs), -1)
            for known, asked in zip(block, signs, strict=True):
                part += np.bitwise_count(known ^ asked)
        return apart


def open_sketches(path: Path, version: int | None) -> Sketches | None:
    """The file of this version of the table, None for whichever; None where there is none that is whole."""
    try:
        file = _OpenFile(path)
        known = json.loads(file.read(0, HEADER_BYTES).rstrip(b"\0 \n"))
        n, dim, crc, made_for = (int(known[name]) for name in ("rows", "dim", "crc", "made_for"))
        mean = file.read(HEADER_BYTES, 4 * dim)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    n_words = -(-dim // SIGNS_A_WORD)
    codes_at = HEADER_BYTES + len(mean)
    signs_at = codes_at + n * dim
    rows_at = signs_at + 8 * n * n_words
    is_ours = known.get("form") == FORM and version in (None, known.get("version"))
    is_whole = zlib.crc32(mean) == known.get("mean_crc") and file.size() == rows_at + 8 * n
    if not (is_ours and is_whole):
        return None
    signs, rows = file.map(signs_at, n * n_words), file.map(rows_at, n)
    return Sketches(file, np.frombuffer(mean, np.float32), rows, signs, codes_at, made_for, crc)


def write_sketches(path: Path, version: int, n_passages: int, batches: Batches, before: Sketches | None) -> None:
    """Write the file of these vectors, durably, under its name only once it is whole; none where there is no vector.

    batches: the row ids and codes of all passages, some at a time, as often as they are asked for. before: the file of
    an older version, whose signs are kept for the vectors that it knows, unless the store has outgrown its mean.
    """
    if before is not None and not before.made_for / GROWTH_KEPT <= n_passages <= before.made_for * GROWTH_KEPT:
        before = None
    mean = _mean_of(batches) if before is None else before.mean
    made_for = n_passages if before is None else before.made_for
    fresh = path.with_name(f"{path.name}.new")
    with fresh.open("wb") as file, tempfile.TemporaryFile() as signs:
        os.fchmod(file.fileno(), file_mode(Path(file.name).parent))
        file.write(b"\0" * HEADER_BYTES)
        summed = _Summed(file)
        summed.write(mean.tobytes())
        rows = _write_codes(summed, signs, batches, mean, before)
        signs.seek(0)
        while raw := signs.read(READ_BYTES):
            summed.write(raw)
        summed.write(rows.tobytes())
        about = {"form": FORM, "version": version, "rows": len(rows), "dim": len(mean), "made_for": made_for}
        about |= {"mean_crc": zlib.crc32(mean.tobytes()), "crc": summed.crc}
        file.seek(0)
        file.write(json.dumps(about).encode("ascii").ljust(HEADER_BYTES, b"\0"))
        file.flush()
        os.fsync(file.fileno())
    if len(rows):
        fresh.rename(path)
    else:
        fresh.unlink()
        path.unlink(missing_ok=True)


class _Summed:
    """Writes, and knows the checksum of what was written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.crc = 0

    def write(self, raw: bytes) -> None:
        self._file.write(raw)
        self.crc = zlib.crc32(raw, self.crc)


def _write_codes(file: _Summed, signs: BinaryIO, batches: Batches, mean: Vectors, before: Sketches | None) -> Rows:
    """Write all codes to the one file, their signs in blocks to the other; the row ids in this order."""
    known = None if before is None else _Known(before)
    found: list[Rows] = []
    waiting: list[Signs] = []
    n_waiting = 0
    for rows, codes in map(_with_vector, batches()):
        file.write(codes.tobytes())
        found.append(rows)
        waiting.append(_signs_of(codes, mean) if known is None else known.signs_of(rows, codes))
        n_waiting += len(rows)
        while n_waiting >= BLOCK_ROWS:
            whole = np.concatenate(waiting)
            signs.write(np.ascontiguousarray(whole[:BLOCK_ROWS].T).tobytes())
            waiting, n_waiting = [whole[BLOCK_ROWS:]], n_waiting - BLOCK_ROWS
    if n_waiting:
        signs.write(np.ascontiguousarray(np.concatenate(waiting).T).tobytes())
    return np.concatenate(found) if found else np.empty(0, np.uint64)


class _Known:
    """The signs of an older file, by row id and code."""

    def __init__(self, before: Sketches) -> None:
        self._before = before
        self._order = np.argsort(before.rows, kind="stable")
        self._rows = before.rows[self._order]

    def signs_of(self, rows: Rows, codes: VectorCodes) -> Signs:
        """As _signs_of; those of a vector that the older file holds under the same row are kept."""
        at = self._order[np.minimum(np.searchsorted(self._rows, rows), len(self._rows) - 1)]
        same = self._before.rows[at] == rows
        same[same] = (self._before.codes_of(at[same]) == codes[same]).all(axis=1)
        found = np.empty((len(rows), len(self._before.signs) // len(self._rows)), np.uint64)
        found[same] = self._before.signs_of(at[same])
        found[~same] = _signs_of(codes[~same], self._before.mean)
        return found


def _with_vector(batch: tuple[Rows, VectorCodes]) -> tuple[Rows, VectorCodes]:
    """The batch without passages that are searched by words alone."""
    rows, codes = batch
    has_vector = codes.any(axis=1)
    return rows[has_vector], codes[has_vector]


def _mean_of(batches: Batches) -> Vectors:
    totals, n_rows = np.float64(0), 0
    for _, codes in map(_with_vector, batches()):
        totals = totals + decode_vectors(codes).sum(axis=0, dtype=np.float64)
        n_rows += len(codes)
    return np.atleast_1d(totals / max(1, n_rows)).astype(np.float32)


def _signs_of(codes: VectorCodes, mean: Vectors) -> Signs:
    """The signs of these vectors, (n, words)."""
    turned = codes.astype(np.float32) @ turning(codes.shape[1])
    turned -= lengths_of(codes)[:, None] * (mean @ turning(codes.shape[1]))
    return _signs_of_axes(turned)


def _signs_of_axes(turned: npt.NDArray[Any]) -> Signs:
    packed = np.packbits(turned > 0, axis=1, bitorder="little")
    words = -(-turned.shape[1] // SIGNS_A_WORD)
    return np.pad(packed, ((0, 0), (0, 8 * words - packed.shape[1]))).view(np.uint64)


def _least(values: npt.NDArray[Any], count: int) -> Places:
    """The places of the least values, so many; of those that equal the last of them the first ones."""
    if len(values) <= count:
        return np.arange(len(values))
    last = np.partition(values, count - 1)[count - 1]
    below = np.flatnonzero(values < last)
    return np.concatenate([below, np.flatnonzero(values == last)[: count - len(below)]])
