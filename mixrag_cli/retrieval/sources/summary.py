"""The source "summary": how near the question is to the summary that a generator wrote of a passage's table.

A summary is no passage: its words and its vector are searched here alone, and what it finds is the table. So it can
only add to what words and meaning find of the table's own text.
Source: FinanceRAG study, section 3: summaries beside the tables, which stay in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import PassageStore, Proposal, Query, StoredPassage
from mixrag_cli.retrieval.sources.passages import Passages, Vectors
from mixrag_cli.retrieval.sources.row import Means, SourceRow, unknown

NAME = "summary"
# The best over FinQA "paper", short and long, chosen on these questions: tests/benchmarks/source_gains.py. Sets with
# further contexts do not count: only their right ones were ever summarised, so that a heavier weight gives them away.
WEIGHT = 0.2
BUDGET = 10  # tables that it may bring in


@dataclass(frozen=True, slots=True)
class Summaries:
    """Scores the passages of summarised tables; proposes the passage that shows the table.

    vectors: (n, dim), of the summaries; tables: the id of each one's table; shown: the row of the passage that shows
    it; added: the terms that each says and the table's own passage does not.
    """

    passages: Passages
    vectors: Vectors
    tables: Sequence[str]
    shown: Sequence[int]
    added: Sequence[frozenset[str]]
    name: str = NAME

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """The tables whose summaries are nearest, in the second round."""
        if not seeds:
            return ()
        near = [self.shown[place] for place in np.argsort(-self._scores(query), kind="stable")[:BUDGET]]
        return self.passages.propose(near, query, seeds, BUDGET)

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """Of a table's passage, what its summary says of the question; None for any other passage."""
        near = dict(zip(self.tables, self._scores(query).tolist(), strict=True))
        return [near.get(hit.chunk.parent) if hit.chunk.parent else None for hit in hits]

    def _scores(self, query: Query) -> npt.NDArray[np.float64]:
        """(n,): the cosine, and the share of the question's weight that the words carry which the summary adds."""
        shares = [query.terms.share(terms) for terms in self.added]
        near: npt.NDArray[np.float64] = self.vectors @ query.vector + np.array(shares)
        return near


@dataclass(frozen=True, slots=True)
class WithoutSummaries:
    """A store whose searches leave summaries out."""

    store: PassageStore

    def search_words(self, query: str, limit: int, where: str | None) -> Sequence[StoredPassage]:
        """The best passages by BM25 that are no summaries: of twice as many, so that enough are left."""
        return _without(self.store.search_words(query, 2 * limit, where), limit)

    def search_meaning(self, vector: Vectors, limit: int, where: str | None) -> Sequence[StoredPassage]:
        """The nearest passages that are no summaries: of twice as many, so that enough are left."""
        return _without(self.store.search_meaning(vector, 2 * limit, where), limit)


def _without(found: Sequence[StoredPassage], limit: int) -> list[StoredPassage]:
    return [passage for passage in found if not passage.chunk.is_summary][:limit]


def _make(means: Means) -> Summaries | None:
    passages = means.passages()
    whole = {chunk.parent: row for row, chunk in reversed(list(enumerate(passages.chunks))) if chunk.is_whole_table}
    rows = [row for row, chunk in enumerate(passages.chunks) if chunk.is_summary and chunk.parent in whole]
    if not rows:
        return None
    tables = [passages.chunks[row].parent for row in rows]
    shown = [whole[table] for table in tables]
    said = [frozenset(passages.kept[row].terms.split()) for row in rows]
    added = [terms - frozenset(passages.kept[row].terms.split()) for terms, row in zip(said, shown, strict=True)]
    return Summaries(passages, passages.vectors[rows], tables, shown, added)


ROW = SourceRow(NAME, _make, unseen=unknown, is_extra=True, weight=WEIGHT)
