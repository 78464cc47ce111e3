"""The passages that searches found, read by row and kept for a while: two searches of one question find many alike."""

from __future__ import annotations

from collections.abc import Sequence

from mixrag_cli.store.open_tables import OpenTables
from mixrag_cli.store.schema import ChunkRow, table_to_chunk_rows

KEPT_ROWS = 1_000  # of some questions, 6 MB; a row that is read costs .1 ms
KEPT_ROW_IDS = 20_000  # 3 MB; without them, what is asked of these passages next takes a few milliseconds more


class FoundRows:
    """Rows of one commit, each verified when it was read."""

    def __init__(self, tables: OpenTables) -> None:
        self._tables = tables
        self._rows: dict[int, ChunkRow] = {}
        self._row_ids: dict[str, int] = {}

    def read(self, rows: Sequence[int]) -> list[ChunkRow | None]:
        """The passages with these row ids, with their terms; None where there is none. Raises ContentMismatchError."""
        missing = [row for row in rows if row not in self._rows]
        if len(self._rows) + len(missing) > KEPT_ROWS:
            missing = list(rows)
            self._rows.clear()
        if len(self._row_ids) > KEPT_ROW_IDS:
            self._row_ids.clear()
        found = self._tables.chunk_rows(missing) if missing else None
        if found is not None and found.num_rows:
            for row, passage in zip(found["_rowid"].to_pylist(), table_to_chunk_rows(found), strict=True):
                self._rows[row] = passage
                self._row_ids[passage.chunk.id] = row
        return [self._rows.get(row) for row in rows]

    def row_id(self, passage: str) -> int | None:
        """The row id of a passage that was found lately."""
        return self._row_ids.get(passage)
