"""An inverted file over the passages' vectors: a search reads the part of them that lies near the question.

Every vector lies in the list of the centre that it is nearest to. A search takes the lists of the nearest centres and
scores their vectors as exactly as a search over all: the file holds the same bytes as the table does. It belongs to one
version of the table. A reader of another version, or without the file, searches all vectors.

    header as JSON, padded     version, sizes, checksums
    centres (k, dim) float32   starts (k + 1) int64
    rows (n) uint64            lengths (n) float32            codes (n, dim) int8

Source: Sivic & Zisserman, Video Google, ICCV 2003; Jegou et al., Product quantization, TPAMI 2011, for the lists.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mixrag_cli.store.layout import PRIVATE_FILE
from mixrag_cli.store.nearest import CODES_AT_ONCE, TIE_SLACK, count_wanted, lengths_of
from mixrag_cli.store.quantising import VectorCodes, Vectors, decode_vectors

# Below, all vectors are scored in 10 ms of computing, and 25 MB of them are held.
FEWEST_ROWS = 65_536
# Of the lists. Of the 60 passages nearest to a question among 100,000 (8,000 of them real, real questions), .3 of the
# lists holds .967, .4 .983, .5 .993, .6 .997, for 18, 22, 26, 32 ms of computing on a busy machine. With .3, nDCG@10
# was 1.6 points below that of all vectors (tests/benchmarks/scale.py CACHE STORES 100000).
PROBED = 0.5
ROUNDS = 6  # of k-means; centres that are a little off cost a little more reading, nothing else
SAMPLE_A_CENTRE = 48
GROWTH_KEPT = 2.0  # times the rows that the centres were made for; beyond, they are made anew
HEADER_BYTES = 4_096
FORM = "mixrag.inverted/1"
SEED = 1

Rows = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Inverted:
    """The file, its large parts left on disk until they are read."""

    centres: Vectors
    starts: npt.NDArray[np.int64]
    rows: Rows
    lengths: Vectors
    codes: VectorCodes
    made_for: int

    def nearest(self, query: Vectors, limit: int) -> Rows:
        """The ids of the rows nearest to the query, (dim,) of length 1, and of ties beyond the limit, best first."""
        n_probed = max(1, round(PROBED * len(self.centres)))
        chosen = np.argsort(-(self.centres @ query), kind="stable")[:n_probed]
        spans = [(int(self.starts[n]), int(self.starts[n + 1])) for n in np.sort(chosen)]
        spans = [span for span in spans if span[0] < span[1]]
        if not spans:
            return np.empty(0, np.uint64)
        scores = np.concatenate([self._scores(first, last, query) for first, last in spans])
        rows = np.concatenate([self.rows[first:last] for first, last in spans])
        wanted = min(limit + TIE_SLACK, len(scores))
        best = np.argpartition(-scores, wanted - 1)[:wanted]
        best = best[np.lexsort((rows[best], -scores[best]))]
        return rows[best[: count_wanted(scores[best], limit)]]

    def _scores(self, first: int, last: int, query: Vectors) -> Vectors:
        scores: Vectors = (self.codes[first:last].astype(np.float32) @ query) / self.lengths[first:last]
        return scores

    def list_of(self) -> npt.NDArray[np.int32]:
        """The list in which each vector of the file lies."""
        return np.repeat(np.arange(len(self.centres), dtype=np.int32), np.diff(self.starts))


def open_inverted(path: Path, version: int | None) -> Inverted | None:
    """The file of this version of the table, None for whichever; None where there is none that is whole."""
    try:
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
            known = json.loads(head.rstrip(b"\0 \n"))
            n, k, dim = int(known["rows"]), int(known["centres"]), int(known["dim"])
            small = file.read(k * dim * 4 + (k + 1) * 8)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_sound = (
        known.get("form") == FORM and version in (None, known.get("version")) and zlib.crc32(small) == known["crc"]
    )
    if not is_sound or path.stat().st_size != HEADER_BYTES + len(small) + n * (12 + dim):
        return None
    centres = np.frombuffer(small, np.float32, k * dim).reshape(k, dim)
    starts = np.frombuffer(small, np.int64, offset=k * dim * 4)
    at = HEADER_BYTES + len(small)
    rows = np.memmap(path, np.uint64, "r", at, (n,))
    lengths = np.memmap(path, np.float32, "r", at + 8 * n, (n,))
    codes = np.memmap(path, np.int8, "r", at + 12 * n, (n, dim))
    return Inverted(centres, starts, rows, lengths, codes, int(known["made_for"]))


def write_inverted(path: Path, version: int, rows: Rows, codes: VectorCodes, before: Inverted | None) -> None:
    """Write the file of these vectors, durably, under its name only once it is whole.

    rows: (n,) ids; codes: (n, dim). before: the file of an older version, whose centres and lists are kept where it
    has not outgrown them: a vector that it knows is not compared with the centres again.
    """
    has_vector = np.concatenate([block.any(axis=1) for block in _blocks(codes)] or [np.empty(0, bool)])
    rows, codes = rows[has_vector], codes[has_vector]
    if before is not None and not before.made_for / GROWTH_KEPT <= len(rows) <= before.made_for * GROWTH_KEPT:
        before = None
    centres = _centres_of(codes) if before is None else before.centres
    lists = _assign(codes, centres) if before is None else _assign_new(rows, codes, before)
    order = np.argsort(lists, kind="stable")
    starts = np.searchsorted(lists[order], np.arange(len(centres) + 1)).astype(np.int64)
    made_for = len(rows) if before is None else before.made_for
    small = np.ascontiguousarray(centres, np.float32).tobytes() + starts.tobytes()
    head = {"form": FORM, "version": version, "rows": len(rows), "centres": len(centres), "dim": codes.shape[1]}
    header = json.dumps({**head, "made_for": made_for, "crc": zlib.crc32(small)}).encode("ascii")
    fresh = path.with_name(f"{path.name}.new")
    with fresh.open("wb") as file:
        os.fchmod(file.fileno(), PRIVATE_FILE)
        file.write(header.ljust(HEADER_BYTES, b"\0") + small)
        file.write(rows[order].astype(np.uint64).tobytes())
        for part in _parts(order):
            file.write(lengths_of(codes[part]).tobytes())
        for part in _parts(order):
            file.write(codes[part].tobytes())
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(path)


def _centres_of(codes: VectorCodes) -> Vectors:
    """About the square root of n centres by k-means over directions, the same for the same vectors."""
    rng = np.random.default_rng(SEED)
    k = max(1, round(len(codes) ** 0.5))
    sample = decode_vectors(codes[np.sort(rng.permutation(len(codes))[: k * SAMPLE_A_CENTRE])])
    centres = sample[rng.permutation(len(sample))[:k]]
    for _ in range(ROUNDS):
        lists = np.concatenate([np.argmax(part @ centres.T, axis=1) for part in _blocks(sample)])
        order = np.argsort(lists, kind="stable")
        filled, starts = np.unique(lists[order], return_index=True)
        sums = np.add.reduceat(sample[order], starts, axis=0)
        centres = centres.copy()
        centres[filled] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-9))
    return centres


def _assign(codes: VectorCodes, centres: Vectors) -> npt.NDArray[np.int32]:
    """The number of the centre that each vector is nearest to."""
    found = [np.argmax(decode_vectors(part) @ centres.T, axis=1).astype(np.int32) for part in _blocks(codes)]
    return np.concatenate(found) if found else np.empty(0, np.int32)


def _assign_new(rows: Rows, codes: VectorCodes, before: Inverted) -> npt.NDArray[np.int32]:
    """As _assign; a vector that the older file holds under the same row stays in its list."""
    order = np.argsort(before.rows, kind="stable")
    sorted_rows = before.rows[order]
    at = np.minimum(np.searchsorted(sorted_rows, rows), max(0, len(sorted_rows) - 1))
    lists = np.full(len(rows), -1, np.int32)
    old_lists = before.list_of()
    for part in _parts(np.arange(len(rows))):
        places = order[at[part]]
        same = (before.rows[places] == rows[part]) & (before.codes[places] == codes[part]).all(axis=1)
        lists[part[same]] = old_lists[places[same]]
    new = np.flatnonzero(lists < 0)
    lists[new] = _assign(codes[new], before.centres)
    return lists


def _blocks(rows: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    return (rows[start : start + CODES_AT_ONCE] for start in range(0, len(rows), CODES_AT_ONCE))


def _parts(order: Places) -> Sequence[Places]:
    return [order[start : start + CODES_AT_ONCE] for start in range(0, len(order), CODES_AT_ONCE)]
