"""What the collection knows of each word: which documents hold it, how rare it is, how high BM25 can go.

Source: Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009, eq. 3.3 and section 3.4 (BM25).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

BM25_K1 = 1.2  # of the store's full-text index
# What is looked up is kept for the next questions, within bounds: a word may stand in every document.
KEPT_HOLDINGS = 128  # words by document: some questions' worth
KEPT_COUNTS = 20_000  # words, 2 MB


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


def ceiling_of(weights: Mapping[str, float]) -> float:
    """The BM25 score that a passage made of nothing but these terms would tend to. weights: of each, its rarity."""
    return sum(weights.values()) * (BM25_K1 + 1)


class WordStatistics:
    """Counts of words over one committed state of a collection, kept while they are likely to be asked for again."""

    def __init__(self, store: WordCounter, n_passages: int, n_documents: int) -> None:
        self._n_passages = n_passages
        self._n_documents = n_documents
        self._holding = lru_cache(maxsize=KEPT_HOLDINGS)(store.count_documents)
        self._count = lru_cache(maxsize=KEPT_COUNTS)(lambda term: store.count_passages([term]))

    def holding(self, words: Sequence[str]) -> Mapping[str, int]:
        """For each document id the number of its passages that hold at least one of the words."""
        return self._holding(tuple(words))

    def document_weight(self, words: Sequence[str]) -> float:
        """The inverse document frequency of the words taken as one term.

        Over documents, not passages: a column's name stands in every row of its table, and is no less telling for it.
        """
        return term_weight(len(self.holding(words)), self._n_documents)

    def ceiling(self, terms: Iterable[str]) -> float:
        """The BM25 score that a passage made of nothing but these terms would tend to.

        Terms that no passage holds are left out: they cannot add to any score.
        """
        return ceiling_of(self.weights(terms))

    def weights(self, terms: Iterable[str]) -> dict[str, float]:
        """Each term's inverse document frequency over passages; terms that no passage holds are left out."""
        counts = {term: self._count(term) for term in dict.fromkeys(terms)}
        return {term: term_weight(count, self._n_passages) for term, count in counts.items() if count}
