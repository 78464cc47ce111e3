"""The three tables, and records ↔ rows. Describes and converts; opens nothing.

Every row carries a hash over its content: the files have no checksums of their own, and a flipped bit would
otherwise be quoted as what a document says.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from mixrag_cli.plain import table_from_plain, table_to_plain
from mixrag_cli.records.files import DocumentRow, stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Table
from mixrag_cli.store.quantising import (
    TokenCodes,
    TokenVectors,
    VectorCodes,
    Vectors,
    code_bytes,
    decode_tokens,
    decode_vectors,
    encode_vectors,
)
from mixrag_cli.terms import join_terms

DOCUMENTS, CHUNKS, TABLES = "documents", "chunks", "tables"
WORDS_COLUMN = "search"  # of chunks: the terms that the full-text index holds

# Two writers that get past the lock (a network file system) then conflict instead of duplicating rows.
_KEY = {"lance-schema:unenforced-primary-key": "true"}
# Texts, terms and places repeat themselves from row to row, so many rows are compressed together. Compressed one by one
# they took a quarter more. Ids and hashes take as much without, and are read in two thirds of the time.
_SMALL = {"lance-encoding:compression": "zstd", "lance-encoding:structural-encoding": "miniblock"}


class ContentMismatchError(ValueError):
    """A row's content is not what was written."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a model made of one text.

    vector: (dim,) float32 of length 1 or 0. late: the tokens' vectors in code, (n, bytes) uint8, see
    quantising.py; None where the model gives none.
    """

    vector: Vectors
    late: TokenCodes | None = None


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """All that the store keeps of one file.

    vectors: (len(chunks), dim) float32, rows of length 1 or 0 (unembedded). late: each chunk's token vectors in code,
    (n, bytes) uint8, None where it has none to be kept; empty where no chunk has any. text_keys: of what the model saw
    of each chunk, see text_key; empty where nothing is to be known by its text again.
    """

    row: DocumentRow
    chunks: Sequence[Chunk]
    vectors: Vectors
    tables: Sequence[Table] = ()
    late: Sequence[TokenCodes | None] = ()
    text_keys: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class StoredHit:
    """A passage that one source found. score: BM25 (words) or cosine (meaning). vector: (dim,), of length 1 or 0.

    terms: those of the full-text index, in order, joined by blanks.
    """

    chunk: Chunk
    path: str
    title: str
    score: float
    vector: Vectors | None = None
    terms: str = ""


def _field(name: str, kind: pa.DataType, metadata: Mapping[str, str] | None = None) -> pa.Field:
    return pa.field(name, kind, nullable=False, metadata=metadata)


DOCUMENTS_SCHEMA = pa.schema(
    [
        _field("id", pa.string(), _KEY),
        _field("root", pa.binary()),
        _field("key", pa.binary()),
        *(_field(name, pa.string()) for name in ("path", "status")),
        *(_field(name, pa.int64()) for name in ("size", "mtime_ns")),
        *(_field(name, pa.uint64()) for name in ("device", "inode")),
        _field("seen_ns", pa.int64()),
        *(_field(name, pa.string()) for name in ("content_hash", "modality", "title", "code", "reason")),
        *(_field(name, pa.int64()) for name in ("chunks", "tokens")),
        _field("stale", pa.bool_()),
        _field("warnings", pa.string()),
        _field("hash", pa.string()),
    ]
)

TABLES_SCHEMA = pa.schema(
    [
        _field("id", pa.string(), _KEY),
        _field("document", pa.string()),
        _field("position", pa.int32()),
        _field("kind", pa.string()),
        _field("body", pa.large_string(), _SMALL),
        _field("hash", pa.string()),
    ]
)


def chunks_schema(dim: int) -> pa.Schema:
    """The chunks table for vectors of `dim` numbers."""
    return pa.schema(
        [
            _field("id", pa.string(), _KEY),
            *(_field(name, pa.string()) for name in ("document", "kind", "modality")),
            *(_field(name, pa.string(), _SMALL) for name in ("text", "context", "words", "search")),
            _field("search_crc", pa.int64()),
            _field("locator", pa.string(), _SMALL),
            _field("position", pa.int32()),
            _field("parent", pa.string()),
            pa.field("row", pa.int64(), nullable=True),
            *(_field(name, pa.string()) for name in ("path", "title")),
            _field("hash", pa.string()),
            _field("vector", pa.list_(pa.int8(), dim)),
            pa.field("late", pa.large_binary(), nullable=True),
            _field("late_crc", pa.int64()),
            _field("text_key", pa.int64()),
        ]
    )


# What a Chunk is made of; the vector is fetched beside it, because the row's hash covers it. The token vectors are
# larger than all of these; they are fetched only for the few passages to be reranked, and have a checksum of their own.
CHUNK_COLUMNS = (
    "id", "document", "kind", "modality", "text", "context", "words", "locator", "position", "parent", "row",
    "path", "title", "hash", "vector",
)  # fmt: skip
LATE_COLUMNS = ("id", "late", "late_crc")
TERMS_COLUMNS = (WORDS_COLUMN, "search_crc")  # of what a search finds
_DOCUMENT_FIELDS = tuple(name for name in DOCUMENTS_SCHEMA.names if name != "hash")


def document_rows_to_table(rows: Sequence[DocumentRow]) -> pa.Table:
    """Arrow rows of the documents table."""
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in _DOCUMENT_FIELDS}
    for name in ("path", "title", "code", "reason"):
        columns[name] = [_encodable(text) for text in columns[name]]
    for name in ("device", "inode"):
        columns[name] = [number % 2**64 for number in columns[name]]
    columns["warnings"] = [json.dumps(list(row.warnings)) for row in rows]
    table = pa.table(columns, schema=pa.schema([DOCUMENTS_SCHEMA.field(name) for name in _DOCUMENT_FIELDS]))
    as_read = (table[name].to_pylist() for name in _DOCUMENT_FIELDS)
    hashes = [_document_hash(values) for values in zip(*as_read, strict=True)]
    return table.append_column(DOCUMENTS_SCHEMA.field("hash"), pa.array(hashes, pa.string()))


def table_to_document_rows(table: pa.Table) -> list[DocumentRow]:
    """The inverse of document_rows_to_table. Raises ContentMismatchError."""
    columns = [table[name].to_pylist() for name in _DOCUMENT_FIELDS]
    hashes = table["hash"].to_pylist()
    rows = []
    for values, stored in zip(zip(*columns, strict=True), hashes, strict=True):
        if _document_hash(values) != stored:
            raise ContentMismatchError(f"document {values[0]}")
        *known, warnings = values
        rows.append(DocumentRow(*(*known, () if warnings == "[]" else tuple(json.loads(warnings)))))
    return rows


def chunks_to_table(entries: Iterable[StoredDocument], dim: int) -> pa.Table:
    """Arrow rows of the chunks table; a chunk id that occurs twice is kept once."""
    rows: dict[str, dict[str, Any]] = {}
    vectors: list[VectorCodes] = []
    for entry in entries:
        late = entry.late or [None] * len(entry.chunks)
        keys = entry.text_keys or [0] * len(entry.chunks)
        codes = encode_vectors(entry.vectors.reshape(-1, dim))
        for chunk, vector, tokens, key in zip(entry.chunks, codes, late, keys, strict=True):
            if chunk.id not in rows:
                row = _chunk_to_row(chunk, entry.row, vector) | _late_to_row(chunk.id, tokens)
                rows[chunk.id] = {**row, "text_key": key}
                vectors.append(vector)
    schema = chunks_schema(dim)
    flat = np.concatenate(vectors) if vectors else np.empty(0, np.int8)
    columns: dict[str, Any] = {name: [row[name] for row in rows.values()] for name in schema.names if name != "vector"}
    columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(flat, pa.int8()), dim)
    return pa.table(columns, schema=schema)


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as stored, with the path and title of its document. vector: (dim,) float32; terms: where fetched."""

    chunk: Chunk
    path: str
    title: str
    vector: Vectors
    terms: str = ""


def hit_of(row: ChunkRow, score: float = 0.0) -> StoredHit:
    """A passage as a source found it."""
    return StoredHit(row.chunk, row.path, row.title, score, row.vector, row.terms)


def table_to_chunk_rows(table: pa.Table) -> list[ChunkRow]:
    """The inverse of chunks_to_table, for CHUNK_COLUMNS, with or without TERMS_COLUMNS. Raises ContentMismatchError."""
    codes = vector_codes_of(table)
    vectors = decode_vectors(codes)
    known = (name for name in (*CHUNK_COLUMNS, *TERMS_COLUMNS) if name != "vector" and name in table.column_names)
    rows = table.select(list(known)).to_pylist()
    return [_row_to_chunk(row, code, vector) for row, code, vector in zip(rows, codes, vectors, strict=True)]


def vector_codes_of(table: pa.Table) -> VectorCodes:
    """The vector column as one (rows, dim) array, without a copy where Arrow holds it in one piece."""
    dim = table.schema.field("vector").type.list_size
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in table["vector"].chunks]
    flat = parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, np.int8), *parts])
    return flat.reshape(-1, dim)


def table_to_token_codes(table: pa.Table, late_dim: int) -> dict[str, TokenCodes]:
    """The token vectors in code by chunk id, (n, bytes) each; chunks without any are absent.

    Raises ContentMismatchError.
    """
    found = {}
    for id_, raw, crc in zip(*(table[name] for name in LATE_COLUMNS), strict=True):
        if raw.as_buffer() is None:
            continue
        if _late_crc(id_.as_py(), raw.as_buffer()) != crc.as_py():
            raise ContentMismatchError(f"the token vectors of chunk {id_}")
        found[id_.as_py()] = np.frombuffer(raw.as_buffer(), dtype=np.uint8).reshape(-1, code_bytes(late_dim))
    return found


def table_to_token_vectors(table: pa.Table, late_dim: int) -> dict[str, TokenVectors]:
    """The token vectors by chunk id, (n, late_dim) int8 each; as table_to_token_codes, which costs less."""
    codes = table_to_token_codes(table, late_dim)
    if not codes:
        return {}
    decoded = decode_tokens(np.concatenate(list(codes.values())), late_dim)
    parts = np.split(decoded, np.cumsum([len(each) for each in codes.values()])[:-1])
    return dict(zip(codes, parts, strict=True))


def text_key(text: str) -> int:
    """The number by which a text that was embedded is found again; two texts may share one, so compare them."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def tables_to_table(entries: Iterable[StoredDocument]) -> pa.Table:
    """Arrow rows of the tables table."""
    rows: dict[str, tuple[str, int, str, str]] = {}
    for entry in entries:
        for position, table in enumerate(entry.tables):
            body = json.dumps(table_to_plain(table), separators=(",", ":"))
            rows.setdefault(table.id, (entry.row.id, position, table.kind, body))
    columns = {
        "id": list(rows),
        "document": [document for document, _, _, _ in rows.values()],
        "position": [position for _, position, _, _ in rows.values()],
        "kind": [kind for _, _, kind, _ in rows.values()],
        "body": [body for _, _, _, body in rows.values()],
        "hash": [stable_id(id_, *values) for id_, values in rows.items()],
    }
    return pa.table(columns, schema=TABLES_SCHEMA)


def table_to_tables(table: pa.Table) -> list[tuple[str, int, Table]]:
    """(document id, position, Table) of each row. Raises ContentMismatchError."""
    found = []
    for row in table.to_pylist():
        if stable_id(row["id"], row["document"], row["position"], row["kind"], row["body"]) != row["hash"]:
            raise ContentMismatchError(f"table {row['id']}")
        found.append((row["document"], row["position"], table_from_plain(json.loads(row["body"]))))
    return found


def terms_crc(terms: str) -> int:
    """The checksum of a chunk's full-text terms, which its hash leaves out because only searching fetches them."""
    return zlib.crc32(terms.encode("utf-8"))


def _document_hash(values: Sequence[Any]) -> str:
    return stable_id(repr(values))


def _chunk_to_row(chunk: Chunk, document: DocumentRow, vector: VectorCodes) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": chunk.id,
        "document": chunk.document,
        "kind": chunk.kind,
        "modality": chunk.modality,
        "text": _encodable(chunk.text),
        "context": _encodable(chunk.context),
        "words": _encodable(chunk.words),
        "locator": json.dumps(chunk.locator.to_plain(), separators=(",", ":")),
        "position": int(chunk.position),
        "parent": chunk.parent,
        "row": None if chunk.row is None else int(chunk.row),
        "path": _encodable(document.path),
        "title": _encodable(document.title),
    }
    row["hash"] = _chunk_hash(row, vector)
    row["search"] = join_terms((row["context"], row["text"]), row["words"])
    row["search_crc"] = terms_crc(row["search"])
    return row


def _late_to_row(chunk_id: str, tokens: TokenCodes | None) -> dict[str, Any]:
    raw = None if tokens is None else tokens.tobytes()
    return {"late": raw, "late_crc": 0 if raw is None else _late_crc(chunk_id, raw)}


def _late_crc(chunk_id: str, raw: Any) -> int:
    return zlib.crc32(raw, zlib.crc32(chunk_id.encode("ascii")))


def _row_to_chunk(row: Mapping[str, Any], code: VectorCodes, vector: Vectors) -> ChunkRow:
    if _chunk_hash(row, code) != row["hash"]:
        raise ContentMismatchError(f"chunk {row['id']}")
    terms = row.get("search", "")
    if terms and terms_crc(terms) != row["search_crc"]:
        raise ContentMismatchError(f"the full-text terms of chunk {row['id']}")
    chunk = Chunk(
        id=row["id"],
        document=row["document"],
        kind=row["kind"],
        modality=row["modality"],
        text=row["text"],
        context=row["context"],
        words=row["words"],
        locator=Locator.from_json(json.loads(row["locator"])),
        position=row["position"],
        parent=row["parent"],
        row=row["row"],
    )
    return ChunkRow(chunk, row["path"], row["title"], vector, terms)


_HASHED = tuple(name for name in CHUNK_COLUMNS if name not in ("hash", "vector"))


def _chunk_hash(row: Mapping[str, Any], vector: VectorCodes) -> str:
    return stable_id(repr([row[name] for name in _HASHED]), vector.tobytes())


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced: one of them would fail the whole batch."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
