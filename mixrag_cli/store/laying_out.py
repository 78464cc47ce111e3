"""The two files by which a store of some size is searched, as its tables stand, and whether they say what those say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from mixrag_cli.store.commit import sync_folder
from mixrag_cli.store.filters import in_parts
from mixrag_cli.store.layout import sketches_path, words_path
from mixrag_cli.store.open_tables import OpenTables
from mixrag_cli.store.posting_lists import Passages, write_words
from mixrag_cli.store.postings import FEWEST_PASSAGES, Rows, WordLists, is_in, open_words
from mixrag_cli.store.reading import StoreReader
from mixrag_cli.store.schema import CHUNKS, TERMS_COLUMNS, WORDS_COLUMN, ContentMismatchError, terms_crc
from mixrag_cli.store.sectioned import DamagedSectionError
from mixrag_cli.store.sketches import FEWEST_ROWS, open_sketches, write_sketches

KEY_DIGITS = 16


def lay_out(reader: StoreReader) -> None:
    """Write both files for the reader's state, by what older ones know; none that a store of its size does not need."""
    meaning = sketches_path(reader.store, reader.record.generation)
    words = words_path(reader.store, reader.record.generation)
    chunks = reader.record.tables.get(CHUNKS)
    if chunks is None or chunks.rows < FEWEST_ROWS:
        meaning.unlink(missing_ok=True)
    elif reader.sketches is None:
        before = open_sketches(meaning, None)
        write_sketches(meaning, chunks.version, chunks.rows, reader.each_vector_code, before)
    if chunks is None or chunks.rows < FEWEST_PASSAGES:
        words.unlink(missing_ok=True)
    elif reader.word_lists is None:
        tables, known = OpenTables(reader.store, reader.record), _sound_words(words)
        write_words(words, chunks.version, _passages_in(tables), lambda rows: _terms_in(tables, rows), known)
    sync_folder(meaning.parent)


def words_are_sound(reader: StoreReader) -> bool:
    """Whether the word lists are as they were written; also where there is no file."""
    if (lists := reader.word_lists) is None:
        return not (reader.record.is_finished and words_path(reader.store, reader.record.generation).exists())
    try:
        lists.file.verify_all()
    except DamagedSectionError:
        return False
    return lists.n_passages == reader.record.chunks


def sketches_are_sound(reader: StoreReader) -> bool:
    """Whether the sketches are as they were written; also where there are none, as words_are_sound says.

    What cannot be read, of a finished state, is not sound: searches do without it and take longer.
    """
    if reader.sketches is None:
        path = sketches_path(reader.store, reader.record.generation)
        return not (reader.record.is_finished and path.exists())
    return reader.sketches.is_sound()


def _passages_in(tables: OpenTables) -> Passages:
    """What word lists know of every passage beside its words."""
    number_of: dict[str, int] = {}
    parts = []
    with tables.contained():
        for batch in tables.each_batch(["id", "document", "search_crc"]):
            documents = batch["document"].combine_chunks().dictionary_encode()
            numbers = [number_of.setdefault(id_, len(number_of)) for id_ in documents.dictionary.to_pylist()]
            owners = np.array(numbers, np.int32)[documents.indices.to_numpy()]
            keys, crcs = _keys_of(batch["id"]), batch["search_crc"].to_numpy().astype(np.uint32)
            parts.append((batch["_rowid"].to_numpy(), keys, crcs, owners))
    rows, keys, crcs, owners = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(rows, kind="stable")
    return Passages(rows[order], keys[order], crcs[order], owners[order], list(number_of))


def _keys_of(ids: pa.ChunkedArray) -> npt.NDArray[np.uint64]:
    """The first 16 hex digits of each id as a number."""
    raw = bytes.fromhex("".join(pc.utf8_slice_codeunits(ids, 0, KEY_DIGITS).to_pylist()))
    return np.frombuffer(raw, ">u8").astype(np.uint64)


def _terms_in(tables: OpenTables, rows: Rows) -> Iterator[tuple[Rows, pa.StringArray]]:
    """The terms of the passages with these row ids, verified, in parts of ascending row ids."""
    columns = list(TERMS_COLUMNS)
    with tables.contained():
        if 2 * len(rows) > tables.count(CHUNKS):
            parts = tables.each_batch(columns)
        else:
            parts = (tables.chunk_rows(part, columns) for part in in_parts(rows.tolist()))
        for part in parts:
            found = part.filter(pa.array(is_in(part["_rowid"].to_numpy(), rows))).sort_by("_rowid").combine_chunks()
            for terms, crc in zip(*(found[name].to_pylist() for name in TERMS_COLUMNS), strict=True):
                if terms_crc(terms) != crc:
                    raise ContentMismatchError("the search terms of a passage")
            yield found["_rowid"].to_numpy(), found[WORDS_COLUMN].combine_chunks()


def _sound_words(path: Path) -> WordLists | None:
    """The word lists of an older state, where every byte of them is as it was written."""
    if (known := open_words(path, None)) is None:
        return None
    try:
        known.file.verify_all()
    except DamagedSectionError:
        return None
    return known
