"""LanceDB, the writing side: tables opened or made, rows replaced, indexes refreshed, old versions forgotten.

Knows nothing of records and locks. Errors are LanceDB's own; writing.py maps them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec, module_from_spec
from typing import Any

os.environ.setdefault("LANCEDB_LOG", "error")  # read by the engine when it is loaded
os.environ.setdefault("LANCE_LOG", "error")

# LanceDB needs the records of this client for catalogues on other machines; the client itself takes half of the import.
if (client := find_spec("lance_namespace_urllib3_client")) and client.name not in sys.modules:
    sys.modules[client.name] = module_from_spec(client)  # the package, so that its parts are found, and nothing in it

import lancedb
import pyarrow as pa
from lancedb.index import FTS

from mixrag_cli.store.filters import ids_in
from mixrag_cli.store.postings import FEWEST_PASSAGES
from mixrag_cli.store.schema import WORDS_COLUMN

# Our terms come ready (see terms.py): the engine splits at blanks and does nothing else to them.
WORDS_INDEX = FTS(
    base_tokenizer="whitespace",
    with_position=False,
    lower_case=False,
    stem=False,
    remove_stop_words=False,
    ascii_folding=False,
    max_token_length=None,
)

# Only where the word lists are damaged does a large store ask the index. Rows that are not in it yet are then searched
# one by one, at about 2 ms a hundred: cheaper than rewriting the index after each small edit.
UNINDEXED_SHARE = 0.02
# Compaction rewrites whole rows, vectors included: worth it for many small fragments, not after each run. A fragment is
# small below half of the rows that it may have; a million passages have 20 that are not.
FRAGMENTS_BEFORE_COMPACTION = 10
FRAGMENT_BYTES = 256 * 2**20  # bounds what compaction holds in memory
COMPACTION_BATCH_BYTES = 16 * 2**20


class Tables:
    """The LanceDB tables of one folder, opened at their newest version."""

    def __init__(self, folder: str) -> None:
        self._connection = lancedb.connect(folder)
        self._tables: dict[str, Any] = {}

    def open(self, name: str, schema: pa.Schema, exists: bool) -> None:
        """Open the table, or make it, with its word index where it has the column for it."""
        if exists:
            self._tables[name] = self._connection.open_table(name)
            return
        table = self._connection.create_table(name, schema=schema)
        if WORDS_COLUMN in schema.names:
            table.create_index(WORDS_COLUMN, config=WORDS_INDEX)
        self._tables[name] = table

    def version(self, name: str) -> int:
        """The newest version."""
        return int(self._tables[name].version)

    def count_rows(self, name: str) -> int:
        """Rows at the newest version."""
        return int(self._tables[name].count_rows())

    def upsert(self, name: str, rows: pa.Table) -> None:
        """Insert the rows; those with a known id are replaced."""
        self._merge(name).execute(rows)

    def replace(self, name: str, rows: pa.Table, known: Sequence[str]) -> None:
        """Append the rows, in the place of all that the table holds of these known documents.

        Merging by id would read the ids of the whole table for each batch.
        """
        if known:
            self._tables[name].delete(ids_in("document", known))
        if rows.num_rows:
            self._tables[name].add(rows)

    def delete(self, name: str, column: str, ids: Sequence[str]) -> None:
        """Delete the rows with these ids in the column."""
        self._tables[name].delete(ids_in(column, ids))

    def tidy(self, name: str, row_bytes: int) -> None:
        """Merge small fragments and bring the word index up to date, each only where it pays."""
        dataset = self._tables[name].to_lance()
        rows = max(1024, FRAGMENT_BYTES // row_bytes)
        small = [each for each in dataset.get_fragments() if each.metadata.physical_rows < rows // 2]
        if len(small) > FRAGMENTS_BEFORE_COMPACTION:
            dataset.optimize.compact_files(
                target_rows_per_fragment=rows,
                batch_size=max(16, COMPACTION_BATCH_BYTES // row_bytes),
                num_threads=1,
            )
        self._tables[name].checkout_latest()
        if WORDS_COLUMN in dataset.schema.names:
            self._tidy_words_index(name)

    def forget_versions(self, name: str, versions: Sequence[int]) -> None:
        """Delete these versions, but for the newest, and what crashed writes left. No reader may be using one."""
        self._tables[name].to_lance().cleanup_old_versions(versions=list(versions), delete_unverified=True)

    def _merge(self, name: str) -> Any:
        return self._tables[name].merge_insert("id").when_matched_update_all().when_not_matched_insert_all()

    def _tidy_words_index(self, name: str) -> None:
        """A small table's index is made anew, in 20 ms: one that is brought up to date still counts deleted rows in its
        weights, so that scores would depend on what the store held before.
        """
        table = self._tables[name]
        if table.count_rows() < FEWEST_PASSAGES:
            table.create_index(WORDS_COLUMN, config=WORDS_INDEX, replace=True)
        elif self._words_index_lags(name):
            table.to_lance().optimize.optimize_indices()
            table.checkout_latest()

    def _words_index_lags(self, name: str) -> bool:
        known = self._tables[name].index_stats(f"{WORDS_COLUMN}_idx")
        if known is None:
            return True
        return int(known.num_unindexed_rows) > UNINDEXED_SHARE * int(known.num_indexed_rows)
