"""The asking side of the store: opens the tables at exactly the recorded versions and writes nothing at all.

Words: lists of the passages that hold a word (BM25, k1 = 1.2, b = 0.75); in a small store, or one that was not
finished, the engine's full-text index over the `search` column.
Meaning: a dot product over the column of vectors, one byte an axis, read once and kept; with a filter, over the rows
that the filter leaves; in a large store, over those whose sketches are near to the question's.
Every row that is handed out was compared with the hash it was stored with.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from mixrag_cli.errors import StoreMismatch
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.tables import Table, TableKind
from mixrag_cli.store.commit import CommitRecord, read_record, rebuild_hint
from mixrag_cli.store.filters import check_filter, filters_in, in_parts
from mixrag_cli.store.found_rows import FoundRows
from mixrag_cli.store.layout import sketches_path, words_path
from mixrag_cli.store.lock import hold, opening_for_reading
from mixrag_cli.store.nearest import nearest_rows, ranked
from mixrag_cli.store.open_tables import OpenTables
from mixrag_cli.store.postings import WordLists
from mixrag_cli.store.quantising import TokenVectors, VectorCodes
from mixrag_cli.store.schema import (
    CHUNK_COLUMNS,
    CHUNKS,
    DOCUMENTS,
    LATE_COLUMNS,
    TABLES,
    TERMS_COLUMNS,
    ChunkRow,
    Embedding,
    StoredHit,
    hit_of,
    table_to_chunk_rows,
    table_to_document_rows,
    table_to_tables,
    table_to_token_codes,
    table_to_token_vectors,
    terms_crc,
    vector_codes_of,
)
from mixrag_cli.store.sketches import Sketches, open_sketches
from mixrag_cli.store.trust import check_ownership
from mixrag_cli.store.word_search import WordSearch
from mixrag_cli.terms import text_to_terms

Vector = npt.NDArray[np.float32]
_VectorCodes = tuple[npt.NDArray[np.uint64], VectorCodes]  # of all passages, with their row ids

DOCUMENTS_AT_ONCE = 512  # read in 5 ms
PASSAGES_AT_ONCE = 4_096  # with their texts
TOKENS_AT_ONCE = 1_024  # passages with the vectors of their tokens
SKETCHED_ROWS = 8_192  # that a filter leaves; fewer are compared by their vectors


def open_reader(store: Path) -> StoreReader:
    """The store at its last commit. Raises NoIndex, StoreDamaged, StoreMismatch."""
    with opening_for_reading(store) as descriptor:
        check_ownership(store)
        record = read_record(store)
        if descriptor is not None:
            hold(descriptor, record.lock_places())
        return StoreReader(store, record, descriptor)


class StoreReader:
    """A store opened at one commit; close it (or leave the with block) to let clean-up remove what only it reads."""

    def __init__(self, store: Path, record: CommitRecord, lock: int | None) -> None:
        self.store = store
        self.record = record
        self._lock = lock
        self._tables = OpenTables(store, record)
        self._words = WordSearch(self._tables, words_path(store, record.generation))
        self._all_codes: _VectorCodes | None = None
        self._found = FoundRows(self._tables)

    def __enter__(self) -> StoreReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what is read; the reader must not be used afterwards."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def document_rows(self, statuses: Sequence[str] | None = None) -> list[DocumentRow]:
        """All files that the store remembers, ordered by path; statuses: only those."""
        rows = list(self.each_document())
        if statuses is not None:
            rows = [row for row in rows if row.status in statuses]
        return sorted(rows, key=lambda row: (row.root, row.key))

    def each_document(self) -> Iterator[DocumentRow]:
        """All files that the store remembers, some at a time, in no order: who stops early has not read them all."""
        with self._tables.contained():
            if (dataset := self._tables.dataset(DOCUMENTS)) is not None:
                for batch in dataset.scanner(batch_size=DOCUMENTS_AT_ONCE).to_batches():
                    yield from table_to_document_rows(pa.Table.from_batches([batch]))

    def documents(self, ids: Sequence[str]) -> dict[str, DocumentRow]:
        """The files of these ids; unknown ids are absent."""
        with self._tables.contained():
            found = [self._tables.scan(DOCUMENTS, filter=where) for where in filters_in("id", ids)]
            return {row.id: row for table in found for row in table_to_document_rows(table)}

    def documents_saying(self, text: str) -> list[DocumentRow]:
        """The files whose path holds the text, whatever the case, ordered by path."""
        with self._tables.contained():
            known = self._tables.scan(DOCUMENTS, columns=["id", "path"])
        is_meant = pc.match_substring(known["path"], text, ignore_case=True)
        rows = self.documents(known["id"].filter(is_meant).to_pylist()).values()
        return sorted(rows, key=lambda row: (row.root, row.key))

    def count_stale(self) -> int:
        """The files that could not be read at the last index, so that their old text is kept."""
        return self._count_documents("stale")

    def count_unread(self) -> int:
        """The files that could not be read, of which no text is kept."""
        return self._count_documents("status = 'skipped'")

    def _count_documents(self, where: str) -> int:
        with self._tables.contained():
            return int(self._tables.scan(DOCUMENTS, columns=["id"], filter=where).num_rows)

    def search_words(self, query: str, limit: int, where: str | None = None) -> list[StoredHit]:
        """The passages that hold the query's terms, by BM25; at most limit, best first."""
        check_filter(where)
        terms = list(dict.fromkeys(text_to_terms(query)))
        if not terms or limit < 1:
            return []
        with self._tables.contained():
            scores = self._words.best(terms, limit, where)
            found = self._found.read(list(scores))
        scored = [(row, score) for row, score in zip(found, scores.values(), strict=True) if row is not None]
        return ranked(scored, limit)

    def search_meaning(self, vector: Vector, limit: int, where: str | None = None) -> list[StoredHit]:
        """The passages nearest to the query vector (dim,), of length 1, by cosine; at most limit, best first.

        Raises StoreMismatch for a vector of another model's size.
        """
        check_filter(where)
        query = np.ascontiguousarray(vector, dtype=np.float32).ravel()
        if len(query) != self.record.dim:
            raise StoreMismatch(
                f"index has vectors of {self.record.dim} numbers, the model gives {len(query)}",
                rebuild_hint(self.store),
            )
        if limit < 1 or not np.isfinite(query).all():
            return []
        with self._tables.contained():
            if not (best := self._nearest(query, limit, where)):
                return []
            found = self._found.read(best)
        embedded = [row for row in found if row is not None and row.vector.any()]
        return ranked([(row, float(row.vector @ query)) for row in embedded], limit)

    def token_vectors(self, ids: Sequence[str]) -> dict[str, TokenVectors]:
        """The token vectors of these chunks, (n_tokens, late_dim) int8; those that have none kept are absent.

        2 to 5 ms for 30 to 100 passages that a search of this reader returned, 3 times that for others.
        """
        if not self.record.late_dim or not ids:
            return {}
        known = [(id_, self._found.row_id(id_)) for id_ in ids]
        rows = [row for _, row in known if row is not None]
        others = [id_ for id_, row in known if row is None]
        filters = [f"_rowid IN ({','.join(map(str, rows))})"] if rows else []
        filters += filters_in("id", others)
        with self._tables.contained():
            found = [self._tables.scan(CHUNKS, columns=list(LATE_COLUMNS), filter=where) for where in filters]
            return {
                id_: vectors
                for table in found
                for id_, vectors in table_to_token_vectors(table, self.record.late_dim).items()
            }

    def count_documents(self, words: Sequence[str], where: str | None = None) -> dict[str, int]:
        """For each document the number of its passages that hold at least one of the words."""
        check_filter(where)
        return self._words.count_documents(_terms_of(words), where)

    def count_passages(self, words: Sequence[str], where: str | None = None) -> int:
        """The number of passages that hold at least one of the words; a third of the time of count_documents."""
        check_filter(where)
        return self._words.count_passages(_terms_of(words), where)

    def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """The chunks of these ids; unknown ids are absent."""
        return {row.chunk.id: row.chunk for row in self._rows_with("id", ids)}

    def chunks_of(self, document_id: str, first: int = 0, last: int | None = None) -> list[Chunk]:
        """A document's chunks by position; first, last: only these positions, both included."""
        places = f"position >= {int(first)}" + ("" if last is None else f" AND position <= {int(last)}")
        rows = self._rows_with("document", [document_id], places)
        return sorted((row.chunk for row in rows), key=lambda chunk: chunk.position)

    def embeddings_by_key(self, keys: Sequence[int]) -> list[tuple[Chunk, Embedding]]:
        """The passages whose text has one of these keys (see text_key), with what the model made of them."""
        whole = [int(key) for key in keys if key]
        filters = (f"text_key IN ({','.join(map(str, part))})" for part in in_parts(whole))
        return [found for where in filters for found in self._embeddings(where)]

    def embeddings_of(self, document_ids: Sequence[str]) -> list[tuple[Chunk, Embedding]]:
        """The embedded passages of these documents, with what the model made of them."""
        filters = filters_in("document", document_ids)
        return [found for where in filters for found in self._embeddings(f"{where} AND text_key != 0")]

    def _embeddings(self, where: str) -> list[tuple[Chunk, Embedding]]:
        with self._tables.contained():
            found = self._tables.scan(CHUNKS, columns=[*CHUNK_COLUMNS, *LATE_COLUMNS[1:]], filter=where)
            if not found.num_rows:
                return []
            codes = table_to_token_codes(found, self.record.late_dim) if self.record.late_dim else {}
            return [(row.chunk, Embedding(row.vector, codes.get(row.chunk.id))) for row in table_to_chunk_rows(found)]

    def chunks_with_prefix(self, prefix: str) -> list[Chunk]:
        """The chunks whose id begins with these hex digits. Raises ValueError for anything but hex."""
        if not prefix or set(prefix) - set("0123456789abcdef"):
            raise ValueError(f"not an id: {prefix!r}")
        with self._tables.contained():
            ids = self._tables.scan(CHUNKS, columns=["id"], filter=f"id >= '{prefix}' AND id <= '{prefix}g'")
        return list(self.chunks(ids["id"].to_pylist()).values()) if ids.num_rows else []

    def tables(self, ids: Sequence[str]) -> dict[str, Table]:
        """The tables of these ids; unknown ids are absent."""
        return {table.id: table for _, _, table in self._tables_with("id", ids)}

    def tables_of(self, document_id: str) -> list[Table]:
        """A document's tables in their order there, its facts apart."""
        found = self._tables_with("document", [document_id], kind="table")
        return [table for _, _, table in sorted(found, key=lambda entry: entry[1])]

    def facts(self, documents: Sequence[str]) -> dict[str, tuple[Table, ...]]:
        """The tables of kind "facts" by document id; documents that state none, and unknown ones, are absent."""
        found: dict[str, list[Table]] = {}
        for document, _, table in self._tables_with("document", documents, kind="facts"):
            found.setdefault(document, []).append(table)
        return {document: tuple(tables) for document, tables in found.items()}

    def table_places(self) -> list[tuple[str, str]]:
        """(table id, document id) of every table, facts apart; lighter than the tables themselves."""
        with self._tables.contained():
            found = self._tables.scan(TABLES, columns=["id", "document"], filter=_of_kind("table"))
        return list(zip(found["id"].to_pylist(), found["document"].to_pylist(), strict=True))

    def known_chunks(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are a chunk's; lighter than the chunks themselves."""
        with self._tables.contained():
            found = [self._tables.scan(CHUNKS, columns=["id"], filter=where) for where in filters_in("id", ids)]
        return {id_ for table in found for id_ in table["id"].to_pylist()}

    def chunk_rows(self, *, with_terms: bool = False) -> Iterator[ChunkRow]:
        """Every chunk, in the order stored, verified. with_terms: those of the full-text index too."""
        columns = [*CHUNK_COLUMNS, *(TERMS_COLUMNS * with_terms)]
        with self._tables.contained():
            for found in self._tables.each_batch(columns, PASSAGES_AT_ONCE):
                yield from table_to_chunk_rows(found)

    def passages(self) -> list[StoredHit]:
        """Every passage with its vector and its terms, by path and position; its score is 0."""
        return [hit_of(row) for row in self.chunk_rows(with_terms=True)]

    def chunks_in(self, places: Mapping[str, Collection[int]]) -> list[Chunk]:
        """The chunks at these positions of these documents, in the documents' order: a sample. Verified."""
        order = {id_: number for number, id_ in enumerate(places)}
        with self._tables.contained():
            rows: list[int] = []
            for where in filters_in("document", list(places)):
                found = self._tables.scan(CHUNKS, columns=["document", "position"], with_row_id=True, filter=where)
                here = found.to_pylist()
                rows += [each["_rowid"] for each in here if each["position"] in places[each["document"]]]
            read = [self._tables.chunk_rows(part, CHUNK_COLUMNS) for part in in_parts(rows)]
            chunks = [row.chunk for table in read for row in table_to_chunk_rows(table)]
        return sorted(chunks, key=lambda chunk: (order[chunk.document], chunk.position))

    def check_token_vectors(self) -> None:
        """Read all token vectors. Raises StoreDamaged at the first that are not as they were written."""
        with self._tables.contained():
            for found in self._tables.each_batch(LATE_COLUMNS, TOKENS_AT_ONCE):
                table_to_token_vectors(found, max(1, self.record.late_dim))

    def damaged_terms(self) -> Iterator[str]:
        """Ids of the chunks whose full-text terms are not as they were written."""
        columns = ["id", *TERMS_COLUMNS]
        with self._tables.contained():
            for found in self._tables.each_batch(columns, PASSAGES_AT_ONCE):
                for id_, terms, crc in zip(*(found[name].to_pylist() for name in columns), strict=True):
                    if terms_crc(terms) != crc:
                        yield id_

    def _rows_with(self, column: str, ids: Sequence[str], places: str = "") -> list[ChunkRow]:
        filters = [f"{where} AND {places}" if places else where for where in filters_in(column, ids)]
        with self._tables.contained():
            found = [self._tables.scan(CHUNKS, columns=list(CHUNK_COLUMNS), filter=where) for where in filters]
            return [row for table in found for row in table_to_chunk_rows(table)]

    def _tables_with(
        self, column: str, ids: Sequence[str], kind: TableKind | None = None
    ) -> list[tuple[str, int, Table]]:
        filters = [f"{where} AND {_of_kind(kind)}" if kind else where for where in filters_in(column, ids)]
        with self._tables.contained():
            return [entry for where in filters for entry in table_to_tables(self._tables.scan(TABLES, filter=where))]

    def _nearest(self, query: Vector, limit: int, where: str | None) -> Sequence[int]:
        """The row ids of the vectors nearest to the query, and of a few beyond the limit for ties."""
        left = None if where is None or self.sketches is None else self._tables.rows_left(where)
        if self.sketches is not None and (left is None or len(left) >= SKETCHED_ROWS):
            return [int(row) for row in self.sketches.nearest(query, limit, left)]
        if where is not None:
            rows, codes = self.vector_codes(where)
        else:
            self._all_codes = rows, codes = self._all_codes or self.vector_codes()
        best: list[int] = rows[nearest_rows(codes, query, limit)].tolist() if len(rows) else []
        return best

    @property
    def word_lists(self) -> WordLists | None:
        """The passages by the words that they hold; None where the store is small or has none for its state."""
        return self._words.lists

    @cached_property
    def sketches(self) -> Sketches | None:
        """A bit an axis of each vector; None where the store is small or has none for its state."""
        if (state := self.record.tables.get(CHUNKS)) is None:
            return None
        return open_sketches(sketches_path(self.store, self.record.generation), state.version)

    def each_vector_code(self) -> Iterator[_VectorCodes]:
        """The row ids and vectors in code of all passages, some at a time, in the order stored."""
        with self._tables.contained():
            for found in self._tables.each_batch(["vector"]):
                yield found["_rowid"].to_numpy(), vector_codes_of(found)

    def vector_codes(self, where: str | None = None) -> _VectorCodes:
        """The row ids and vectors in code of all passages, or of those that the filter leaves."""
        found = self._tables.scan(CHUNKS, columns=["vector"], with_row_id=True, filter=where, prefilter=True)
        if not found.num_rows:
            return np.empty(0, np.uint64), np.empty((0, self.record.dim), np.int8)
        return found["_rowid"].to_numpy(), vector_codes_of(found)


def _terms_of(words: Sequence[str]) -> list[str]:
    """The terms of all words, each once."""
    return list(dict.fromkeys(term for word in words for term in text_to_terms(word)))


def _of_kind(kind: TableKind) -> str:
    return f"kind = '{kind}'"
