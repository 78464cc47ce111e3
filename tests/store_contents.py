"""All that a store says, in an order of its own: two stores of the same files are compared by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mixrag_cli.plain import table_to_plain
from mixrag_cli.store import open_reader


def contents_of(store: Path) -> dict[str, Any]:
    """Documents, passages with their vectors and token vectors, tables, and what the record counts."""
    with open_reader(store) as reader:
        rows = {row.id: row for row in reader.document_rows()}
        chunks = sorted(reader.chunk_rows(), key=lambda row: (rows[row.chunk.document].key, row.chunk.position))
        late = reader.token_vectors([row.chunk.id for row in chunks])
        tables = {
            id_: [table_to_plain(table) for table in (*reader.tables_of(id_), *reader.facts([id_]).get(id_, ()))]
            for id_ in rows
        }
        return {
            "documents": sorted(
                (row.key, row.path, row.status, row.content_hash, row.modality, row.title, row.chunks, row.tokens)
                for row in rows.values()
            ),
            "chunks": [(row.chunk, row.path, row.title) for row in chunks],
            "vectors": [row.vector.tobytes() for row in chunks],
            "late": [late[row.chunk.id].tobytes() if row.chunk.id in late else None for row in chunks],
            "tables": dict(sorted(tables.items())),
            "counts": dict(reader.record.counts),
            "tokens": reader.record.tokens,
        }
