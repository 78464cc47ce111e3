"""Which passages hold words: by the word lists, or by the engine's full-text index where there are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from mixrag_cli.store.nearest import TIE_SLACK, count_wanted
from mixrag_cli.store.open_tables import OpenTables
from mixrag_cli.store.postings import Rows, WordLists, open_words
from mixrag_cli.store.schema import CHUNKS
from mixrag_cli.store.sectioned import DamagedSectionError

_T = TypeVar("_T")


class WordSearch:
    """The words of one commit's passages. path: where its word lists would lie."""

    def __init__(self, tables: OpenTables, path: Path) -> None:
        self._tables = tables
        self._path = path
        self._opened: tuple[WordLists | None] | None = None

    @property
    def lists(self) -> WordLists | None:
        """The word lists; None where the store is small, has none for its state, or they turned out damaged."""
        if self._opened is None:
            state = self._tables.state(CHUNKS)
            self._opened = (None if state is None else open_words(self._path, state.version),)
        return self._opened[0]

    def do_without_lists(self) -> None:
        """Ask the engine from now on."""
        self._opened = (None,)

    def best(self, terms: Sequence[str], limit: int, where: str | None) -> dict[int, float]:
        """The row ids of the passages with the highest BM25, with their scores; with some beyond the limit for ties."""
        known = self._in_lists(lambda lists: lists.best(terms, limit, self._left(where)))
        if known is not None:
            return dict(zip(known[0].tolist(), known[1].tolist(), strict=True))
        found = self._by_engine(terms, where, columns=["_score"], with_row_id=True, limit=limit + TIE_SLACK)
        if not found.num_rows:
            return {}
        if count_wanted(found["_score"].to_numpy(), limit) == limit + TIE_SLACK:  # which of the ties came is chance
            found = self._by_engine(terms, where, columns=["path", "position", "_score"], with_row_id=True)
            found = found.sort_by([("_score", "descending"), ("path", "ascending"), ("position", "ascending")])[:limit]
        return dict(zip(found["_rowid"].to_pylist(), found["_score"].to_pylist(), strict=True))

    def count_documents(self, terms: Sequence[str], where: str | None) -> dict[str, int]:
        """For each document the number of its passages that hold at least one of the terms."""
        with self._tables.contained():
            known = self._in_lists(lambda lists: lists.count_documents(lists.holding(terms, self._left(where))))
            if known is None and terms:
                found = self._by_engine(terms, where, columns=["document", "_score"])
                known = dict(Counter(found["document"].to_pylist())) if found.num_rows else {}
        return known or {}

    def count_passages(self, terms: Sequence[str], where: str | None) -> int:
        """The number of passages that hold at least one of the terms."""
        with self._tables.contained():
            known = self._in_lists(lambda lists: lists.count(terms, self._left(where)))
            if known is None and terms:
                known = self._by_engine(terms, where, columns=[], with_row_id=True).num_rows
        return known or 0

    def _by_engine(self, terms: Sequence[str], where: str | None, **wishes: object) -> pa.Table:
        return self._tables.scan(CHUNKS, words=" ".join(terms), filter=where, prefilter=True, **wishes)

    def _in_lists(self, read: Callable[[WordLists], _T]) -> _T | None:
        """What the lists say; None where there are none, or what is read of them is damaged: the engine knows."""
        if self.lists is None:
            return None
        try:
            return read(self.lists)
        except DamagedSectionError:
            self.do_without_lists()
            return None

    def _left(self, where: str | None) -> Rows | None:
        return None if where is None else self._tables.rows_left(where)
