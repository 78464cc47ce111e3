"""The engine's tables of one commit, opened at their recorded versions when first read, and its errors as ours."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

os.environ.setdefault("LANCE_LOG", "error")  # read by the engine when it is loaded

import lance
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from lance.query import MatchQuery

from mixrag_cli.store.commit import CommitRecord, TableState
from mixrag_cli.store.engine_errors import read_errors
from mixrag_cli.store.layout import DELETIONS_DIR, WORDS_INDEX_DIR, table_path
from mixrag_cli.store.schema import (
    CHUNK_COLUMNS,
    CHUNKS,
    DOCUMENTS,
    DOCUMENTS_SCHEMA,
    TABLES,
    TABLES_SCHEMA,
    TERMS_COLUMNS,
    WORDS_COLUMN,
    chunks_schema,
)
from mixrag_cli.store.trust import verify_engine_files, verify_manifest

ROWS_AT_ONCE = 16_384  # of few columns
# As the engine comes, reading the vectors of a million passages holds 330 MB; so it holds 140, and takes no longer.
_LITTLE_AHEAD = {"batch_readahead": 2, "fragment_readahead": 1, "io_buffer_size": 64 * 2**20}


class OpenTables:
    """The tables that a commit record names."""

    def __init__(self, store: Path, record: CommitRecord) -> None:
        self._store = store
        self._record = record
        self._opened: dict[str, Any] = {}
        self._word_index_is_verified = False

    def scan(self, name: str, *, words: str = "", **wishes: Any) -> pa.Table:
        """What the engine's scanner finds in the table for these wishes; no rows where no file has filled it yet.

        words: only rows that hold one of these terms, which blanks part, by the engine's full-text index.
        """
        if (dataset := self.dataset(name)) is None:
            return self._empty_table(name)
        if words:
            self._verify_word_index(name)
            wishes["full_text_query"] = MatchQuery(words, WORDS_COLUMN)
        return dataset.scanner(**wishes).to_table()

    def chunk_rows(self, rows: Sequence[int], columns: Sequence[str] = (*CHUNK_COLUMNS, *TERMS_COLUMNS)) -> pa.Table:
        """The passages with these row ids, in no order."""
        where = f"_rowid IN ({','.join(map(str, rows))})" if len(rows) else "false"
        return self.scan(CHUNKS, columns=list(columns), with_row_id=True, filter=where)

    def each_batch(self, columns: Sequence[str], batch_rows: int = ROWS_AT_ONCE) -> Iterator[pa.Table]:
        """All passages with their row ids, so many at a time, in the order stored; little is read ahead."""
        if (dataset := self.dataset(CHUNKS)) is not None:
            scanner = dataset.scanner(columns=list(columns), with_row_id=True, batch_size=batch_rows, **_LITTLE_AHEAD)
            yield from (pa.Table.from_batches([batch]) for batch in scanner.to_batches())

    def rows_left(self, where: str) -> npt.NDArray[np.uint64]:
        """The row ids of the passages that a filter leaves, in order."""
        found = self.scan(CHUNKS, columns=[], with_row_id=True, filter=where)
        return np.sort(found["_rowid"].to_numpy()) if found.num_rows else np.empty(0, np.uint64)

    def state(self, name: str) -> TableState | None:
        """The table as recorded; None where no file has filled it yet."""
        return self._record.tables.get(name)

    def count(self, name: str) -> int:
        """The rows of the table."""
        state = self.state(name)
        return 0 if state is None else state.rows

    def dataset(self, name: str) -> Any | None:
        """The table at its recorded version; None where no file has filled it yet."""
        if (state := self.state(name)) is None:
            return None
        if name not in self._opened:
            generation = self._record.generation
            verify_manifest(self._store, name, state, generation)
            verify_engine_files(self._store, name, state, generation, DELETIONS_DIR)
            self._opened[name] = lance.dataset(str(table_path(self._store, name, generation)), version=state.version)
        return self._opened[name]

    def _verify_word_index(self, name: str) -> None:
        """Only a question that the engine answers pays for reading its index: 1 ms a megabyte, once."""
        if not self._word_index_is_verified:
            verify_engine_files(self._store, name, self._record.tables[name], self._record.generation, WORDS_INDEX_DIR)
            self._word_index_is_verified = True

    def _empty_table(self, name: str) -> pa.Table:
        schemas = {DOCUMENTS: DOCUMENTS_SCHEMA, TABLES: TABLES_SCHEMA, CHUNKS: chunks_schema(self._record.dim)}
        return schemas[name].empty_table()

    def contained(self) -> AbstractContextManager[None]:
        """Turns whatever the engine throws inside, its panics included, into one of our errors."""
        return read_errors(self._store, self._record.generation)
