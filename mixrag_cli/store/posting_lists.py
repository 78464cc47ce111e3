"""Writing the file of word lists: the lists of new passages, merged with those of an older file.

1. which passages the older file knows, by the beginning of their ids and the checksums of their terms
2. the terms of the others, in runs of passages, each sorted by term, on disk
3. lists, a few million entries at a time: of the older file what is still there, then of every run
"""

from __future__ import annotations

import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from mixrag_cli.store.postings import FORM, Places, Rows, WordLists
from mixrag_cli.store.sectioned import SectionedWriter

ENTRIES_AT_ONCE = 4_000_000  # 100 MB while they are sorted
MOST_COUNTED = 2**8 - 1  # of one term in one passage; BM25 has long been flat there

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Passages:
    """All passages of a table by ascending row id. documents: of each the number of its document's id."""

    rows: Rows
    keys: npt.NDArray[np.uint64]
    crcs: npt.NDArray[np.uint32]
    documents: npt.NDArray[np.int32]
    document_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Run:
    """One run: its entries by term, then by place."""

    terms: npt.NDArray[np.uint32]
    places: Places
    counts: npt.NDArray[np.uint8]


def write_words(
    path: Path,
    version: int,
    passages: Passages,
    terms_of: Callable[[Rows], Iterator[tuple[Rows, pa.StringArray]]],
    before: WordLists | None,
) -> None:
    """Write the file of these passages, durably, under its name only once it is whole.

    terms_of: of passages by their row ids, part by part and in order within a part, the terms, joined by blanks.
    before: the file of an older version.
    """
    moved, is_known = _moves(passages, before)
    lengths = np.zeros(len(passages.rows), np.uint32)
    if before is not None:
        kept = np.flatnonzero(moved >= 0)
        lengths[moved[kept]] = before.file.read("lengths")[kept]
    vocabulary: dict[str, int] = {}
    fresh = path.with_name(f"{path.name}.new")
    with tempfile.TemporaryFile() as scratch, tempfile.TemporaryFile() as counts, fresh.open("wb") as file:
        runs = [
            _write_run(scratch, texts, np.searchsorted(passages.rows, rows).astype(np.uint32), lengths, vocabulary)
            for rows, texts in terms_of(passages.rows[~is_known])
        ]
        terms, of_old, of_new = _merge_terms(before, vocabulary)
        vocabulary.clear()
        runs = [_renumbered(run, of_new) for run in runs]
        writer = SectionedWriter(file)
        sizes: list[Ints] = []
        merged = _merged(before, moved, of_old, runs, len(terms))
        writer.add("places", _narrowest(len(passages.rows)), _places_of(merged, counts, sizes))
        counts.seek(0)
        writer.add("counts", "u1", _parts_of(counts))
        _add_terms(writer, terms, np.concatenate([np.zeros(0, np.int64), *sizes]))
        _add_passages(writer, passages, lengths)
        writer.finish(FORM, {"version": version})
    fresh.rename(path)


def _moves(passages: Passages, before: WordLists | None) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """By place in the older file the place here, -1 for none; and whether the older file knows each passage."""
    if before is None or not before.n_passages:
        return np.empty(0, np.int64), np.zeros(len(passages.rows), np.bool_)
    keys, crcs = before.file.read("keys"), before.file.read("crcs")
    order = np.argsort(keys, kind="stable")
    at = order[np.minimum(np.searchsorted(keys[order], passages.keys), len(order) - 1)]
    is_known = (keys[at] == passages.keys) & (crcs[at] == passages.crcs)
    moved = np.full(len(order), -1, np.int64)
    moved[at[is_known]] = np.flatnonzero(is_known)
    return moved, is_known


def _write_run(
    scratch: BinaryIO,
    texts: pa.StringArray,
    places: Places,
    lengths: npt.NDArray[np.uint32],
    vocabulary: dict[str, int],
) -> _Run:
    """Count the terms of some passages; the vocabulary gets a number for each new one, lengths those of the passages.

    The run's terms are numbers of the vocabulary.
    """
    found = pc.split_pattern(texts, " ")
    per_passage = pc.list_value_length(found).to_numpy(zero_copy_only=False)
    coded = found.flatten().dictionary_encode()
    numbers = np.array(
        [vocabulary.setdefault(term, len(vocabulary)) for term in coded.dictionary.to_pylist()], np.int64
    )
    terms, owners = numbers[coded.indices.to_numpy()], np.repeat(places, per_passage).astype(np.int64)
    if (empty := vocabulary.get("")) is not None:
        terms, owners = terms[terms != empty], owners[terms != empty]
    lengths[places] = np.bincount(np.searchsorted(places, owners), minlength=len(places))
    entries, counts = np.unique(terms << 32 | owners, return_counts=True)
    kept = (
        (entries >> 32).astype(np.uint32),
        entries.astype(np.uint32),
        np.minimum(counts, MOST_COUNTED).astype(np.uint8),
    )
    return _Run(*(_on_disk(scratch, part) for part in kept))


def _on_disk(scratch: BinaryIO, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, mapped from the end of the file."""
    at = scratch.seek(0, 2)
    scratch.write(array.tobytes() or b"\0" * 8)
    scratch.write(b"\0" * (-scratch.tell() % 8))
    scratch.flush()
    return np.memmap(scratch, array.dtype, "r+", at, array.shape) if len(array) else array


def _merge_terms(before: WordLists | None, vocabulary: dict[str, int]) -> tuple[list[bytes], Ints, Ints]:
    """All terms in order, and the number there of each older term and of each in the vocabulary."""
    old = [] if before is None else before.terms()
    known = set(old)
    by_number = [term.encode("utf-8") for term in vocabulary]
    added = sorted(term for term in by_number if term and term not in known)
    places = np.array([bisect_left(old, term) for term in added], np.int64)
    of_old = np.arange(len(old)) + np.searchsorted(places, np.arange(len(old)), side="right")
    terms = sorted([*old, *added])
    number_of = {term: number for number, term in enumerate(terms)}
    return terms, of_old, np.array([number_of.get(term, 0) for term in by_number], np.int64)


def _renumbered(run: _Run, numbers: Ints) -> _Run:
    """The run with these numbers for its terms, in their order, in the place where it lies."""
    if not len(run.terms):
        return run
    terms = numbers[run.terms].astype(np.uint32)
    order = np.argsort(terms, kind="stable")
    run.terms[:], run.places[:], run.counts[:] = terms[order], run.places[order], run.counts[order]
    return run


def _merged(
    before: WordLists | None, moved: Ints, of_old: Ints, runs: Sequence[_Run], n_terms: int
) -> Iterator[tuple[Ints, Places, npt.NDArray[np.uint8]]]:
    """The lists of all terms in order, some millions of entries at a time: how long each is, places, counts."""
    starts = np.zeros(1, np.int64) if before is None else before.file.read("starts")
    sizes = np.zeros(n_terms, np.int64)
    sizes[of_old] = np.diff(starts)
    for run in runs:
        sizes += np.bincount(run.terms, minlength=n_terms)
    ends = np.cumsum(sizes)
    first = 0
    while first < n_terms:
        done = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + ENTRIES_AT_ONCE, side="right")))
        parts = [_part_of(run, first, last) for run in runs]
        if before is not None:
            parts.insert(0, _part_of_old(before, moved, of_old, first, last))
        terms, places, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.argsort((terms.astype(np.int64) << 32) | places, kind="stable")
        yield np.bincount(terms - first, minlength=last - first), places[order], counts[order]
        first = last


def _part_of(run: _Run, first: int, last: int) -> tuple[Ints, Places, npt.NDArray[np.uint8]]:
    start, end = np.searchsorted(run.terms, (first, last))
    return run.terms[start:end].astype(np.int64), run.places[start:end], run.counts[start:end]


def _part_of_old(
    before: WordLists, moved: Ints, of_old: Ints, first: int, last: int
) -> tuple[Ints, Places, npt.NDArray[np.uint8]]:
    """The older file's entries of these terms, where their passages are now; without those that are gone."""
    begin, end = np.searchsorted(of_old, (first, last)).tolist()
    starts = before.file.read("starts", begin, end + 1)
    places = moved[before.file.read("places", int(starts[0]), int(starts[-1]))]
    terms = np.repeat(of_old[begin:end], np.diff(starts))
    counts = before.file.read("counts", int(starts[0]), int(starts[-1]))
    is_there = places >= 0
    return terms[is_there], places[is_there].astype(np.uint32), counts[is_there]


def _places_of(
    merged: Iterator[tuple[Ints, Places, npt.NDArray[np.uint8]]], counts: BinaryIO, sizes: list[Ints]
) -> Iterator[Places]:
    """The places; the counts go to the file, the lengths of the lists to sizes."""
    for lengths, places, times in merged:
        sizes.append(lengths)
        counts.write(times.tobytes())
        yield places


def _parts_of(counts: BinaryIO) -> Iterator[npt.NDArray[np.uint8]]:
    while raw := counts.read(ENTRIES_AT_ONCE):
        yield np.frombuffer(raw, np.uint8)


def _add_terms(writer: SectionedWriter, terms: Sequence[bytes], sizes: Ints) -> None:
    """The terms that some passage holds, and where their lists begin."""
    is_held = sizes > 0
    held = list(compress(terms, is_held.tolist()))
    ends = np.cumsum(np.fromiter(map(len, held), np.int64, len(held)))
    begins = np.cumsum(sizes[is_held])
    writer.add("starts", _narrowest(int(sizes.sum()) + 1), [np.zeros(1, np.int64), begins])
    writer.add("term_starts", _narrowest(int(ends[-1]) + 1 if held else 1), [np.zeros(1, np.int64), ends])
    writer.add("terms", "u1", [np.frombuffer(b"".join(held), np.uint8)])


def _narrowest(n: int) -> str:
    """The kind of numbers below n that takes the fewest bytes."""
    return next((kind for kind, most in (("<u2", 2**16), ("<u4", 2**32)) if n <= most), "<i8")


def _add_passages(writer: SectionedWriter, passages: Passages, lengths: npt.NDArray[np.uint32]) -> None:
    writer.add("rows", "<u8", [passages.rows])
    writer.add("keys", "<u8", [passages.keys])
    writer.add("crcs", "<u4", [passages.crcs])
    writer.add("lengths", "<u4", [lengths])
    writer.add("documents", "<i4", [passages.documents])
    writer.add("document_ids", "S32", [np.array(passages.document_ids, "S32")])
