"""A store in memory: the passages of a few files that are not indexed, asked as an index is.

Words are scored by rank-bm25 with the parameters of the full-text index, meaning by a dot product.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rank_bm25 import BM25Okapi

from mixrag_cli import __version__
from mixrag_cli.errors import WrongUsage
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.tables import Table
from mixrag_cli.store.commit import SCHEMA_VERSION, CommitRecord
from mixrag_cli.store.postings import K1, B
from mixrag_cli.store.quantising import TokenVectors, decode_tokens
from mixrag_cli.store.schema import ChunkRow, StoredDocument, StoredHit, hit_of
from mixrag_cli.terms import join_terms, text_to_terms


class MemoryStore:
    """Documents held in memory behind the methods of a StoreReader that asking needs. It has no filters."""

    def __init__(self, documents: Sequence[StoredDocument], embedder: str, dim: int, late_dim: int = 0) -> None:
        self.store = Path()
        self._documents = documents
        self._rows = [row for document in documents for row in _rows_of(document)]
        self._vectors = np.array([row.vector for row in self._rows], np.float32).reshape(-1, dim)
        self._late = {
            chunk.id: decode_tokens(tokens, late_dim)
            for document in documents
            for chunk, tokens in zip(document.chunks, document.late, strict=False)
            if tokens is not None
        }
        self._tables = {table.id: table for document in documents for table in document.tables}
        self._terms = [row.terms.split() for row in self._rows]
        counts = {"indexed": len(documents), "chunks": len(self._rows)}
        roots = tuple(dict.fromkeys(os.fsdecode(document.row.root) for document in documents))
        self.record = CommitRecord(SCHEMA_VERSION, "", 0, {}, embedder, dim, roots, counts, 0, 0, 0, 0, __version__)

    def document_rows(self) -> list[DocumentRow]:
        """The files, in the order in which they were given."""
        return list(self.each_document())

    def each_document(self) -> Iterator[DocumentRow]:
        """The files, in the order in which they were given."""
        return (document.row for document in self._documents)

    def documents(self, ids: Sequence[str]) -> dict[str, DocumentRow]:
        """The files of these ids; unknown ids are absent."""
        return {row.id: row for row in self.each_document() if row.id in ids}

    def documents_saying(self, text: str) -> list[DocumentRow]:
        """The files whose path holds the text, whatever the case."""
        return [row for row in self.each_document() if text.casefold() in row.path.casefold()]

    def count_stale(self) -> int:
        """None: the files were read just now."""
        return 0

    def count_unread(self) -> int:
        """None: what cannot be read is told before anything is asked."""
        return 0

    def search_words(self, query: str, limit: int, where: str | None = None) -> list[StoredHit]:
        """The passages that hold one of the query's terms, by BM25; at most limit, best first."""
        _refuse_filter(where)
        terms = list(dict.fromkeys(text_to_terms(query)))
        if not terms or not self._rows:
            return []
        scores = np.asarray(self._bm25.get_scores(terms))
        holding = [n for n, known in enumerate(self._terms) if not set(terms).isdisjoint(known)]
        return self._ranked(holding, scores, limit)

    def search_meaning(self, vector: npt.NDArray[np.float32], limit: int, where: str | None = None) -> list[StoredHit]:
        """The passages nearest to the query vector (dim,), of length 1, by cosine; at most limit, best first."""
        _refuse_filter(where)
        return self._ranked(range(len(self._rows)), self._vectors @ vector, limit)

    def passages(self) -> list[StoredHit]:
        """Every passage with its vector and its terms, in the order given; its score is 0."""
        return self._ranked(range(len(self._rows)), np.zeros(len(self._rows)), len(self._rows))

    def count_documents(self, words: Sequence[str], where: str | None = None) -> dict[str, int]:
        """For each document id the number of its passages that hold at least one of the words."""
        wanted = {term for word in words for term in text_to_terms(word)}
        known = zip(self._rows, self._terms, strict=True)
        return dict(Counter(row.chunk.document for row, terms in known if not wanted.isdisjoint(terms)))

    def count_passages(self, words: Sequence[str], where: str | None = None) -> int:
        """The number of passages that hold at least one of the words."""
        return sum(self.count_documents(words, where).values())

    def token_vectors(self, ids: Sequence[str]) -> dict[str, TokenVectors]:
        """The token vectors of these chunks, (n_tokens, late_dim) int8; those that have none kept are absent."""
        return {id_: self._late[id_] for id_ in ids if id_ in self._late}

    def tables(self, ids: Sequence[str]) -> dict[str, Table]:
        """The tables of these ids; unknown ids are absent."""
        return {id_: self._tables[id_] for id_ in ids if id_ in self._tables}

    def tables_of(self, document_id: str) -> list[Table]:
        """A document's tables in their order there, its facts apart."""
        return [table for table in self._all_tables(document_id) if table.kind == "table"]

    def facts(self, documents: Sequence[str]) -> dict[str, tuple[Table, ...]]:
        """The tables of kind "facts" by document id; documents that state none, and unknown ones, are absent."""
        found = {id_: tuple(table for table in self._all_tables(id_) if table.kind == "facts") for id_ in documents}
        return {id_: tables for id_, tables in found.items() if tables}

    def _all_tables(self, document_id: str) -> list[Table]:
        return [table for document in self._documents if document.row.id == document_id for table in document.tables]

    def chunks_of(self, document_id: str, first: int = 0, last: int | None = None) -> list[Chunk]:
        """A document's chunks by position; first, last: only these positions, both included."""
        own = (row.chunk for row in self._rows if row.chunk.document == document_id)
        return [chunk for chunk in own if chunk.position >= first and (last is None or chunk.position <= last)]

    def chunks_with_prefix(self, prefix: str) -> list[Chunk]:
        """The chunks whose id begins with these hex digits."""
        return [row.chunk for row in self._rows if row.chunk.id.startswith(prefix)]

    @cached_property
    def _bm25(self) -> BM25Okapi:
        return BM25Okapi(self._terms, k1=K1, b=B)

    def _ranked(self, candidates: Sequence[int], scores: npt.NDArray[np.floating], limit: int) -> list[StoredHit]:
        hits = [hit_of(self._rows[n], float(scores[n])) for n in candidates]
        hits.sort(key=lambda hit: (-hit.score, hit.path, hit.chunk.position))
        return hits[:limit]


def _rows_of(document: StoredDocument) -> Iterator[ChunkRow]:
    for chunk, vector in zip(document.chunks, document.vectors, strict=True):
        terms = join_terms((chunk.context, chunk.text), chunk.words)
        yield ChunkRow(chunk, document.row.path, document.row.title, vector, terms)


def _refuse_filter(where: str | None) -> None:
    if where is not None:
        raise WrongUsage("files read on the spot cannot be filtered", "name fewer files")
