"""What the collection knows of each word: which documents hold it, how rare it is, how high BM25 can go."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

BM25_K1 = 1.2  # of the store's full-text index


class WordCounter(Protocol):
    """What the statistics need of a store."""

    def count_documents(self, words: Sequence[str], where: str | None = None) -> Mapping[str, int]:
        """For each document id the number of its passages that hold at least one of the words."""

    def count_passages(self, words: Sequence[str], where: str | None = None) -> int:
        """The number of passages that hold at least one of the words."""


def term_weight(n_holding: int, n_passages: int) -> float:
    """The inverse document frequency of a term, in (0, log(2 + 2n)].

    Example: term_weight(0, 1000) -> log(1 + 1000.5 / 0.5): a word the collection does not know weighs most.
    Source: Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009, eq. 3.3, with + 1 inside the log.
    """
    return math.log(1 + (n_passages - n_holding + 0.5) / (n_holding + 0.5))


class WordStatistics:
    """Counts of words over one committed state of a collection, each looked up once."""

    def __init__(self, store: WordCounter, n_passages: int, n_documents: int) -> None:
        self._store = store
        self._n_passages = n_passages
        self._n_documents = n_documents
        self._known: dict[tuple[str, ...], Mapping[str, int]] = {}
        self._counts: dict[str, int] = {}

    def holding(self, words: Sequence[str]) -> Mapping[str, int]:
        """For each document id the number of its passages that hold at least one of the words."""
        key = tuple(words)
        if key not in self._known:
            self._known[key] = self._store.count_documents(words)
        return self._known[key]

    def document_weight(self, words: Sequence[str]) -> float:
        """The inverse document frequency of the words taken as one term.

        Over documents, not passages: a column's name stands in every row of its table, and is no less telling for it.
        """
        return term_weight(len(self.holding(words)), self._n_documents)

    def ceiling(self, terms: Iterable[str]) -> float:
        """The BM25 score that a passage made of nothing but these terms would tend to.

        Terms that no passage holds are left out: they cannot add to any score.
        """
        return sum(self.weights(terms).values()) * (BM25_K1 + 1)

    def weights(self, terms: Iterable[str]) -> dict[str, float]:
        """Each term's inverse document frequency over passages; terms that no passage holds are left out."""
        counts = {term: self._count(term) for term in dict.fromkeys(terms)}
        return {term: term_weight(count, self._n_passages) for term, count in counts.items() if count}

    def _count(self, term: str) -> int:
        if term not in self._counts:
            self._counts[term] = self._store.count_passages([term])
        return self._counts[term]
