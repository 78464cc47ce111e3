"""What is known of a source without any collection, its row; and what a collection lends its sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mixrag_cli.retrieval.rerank import Reranker
from mixrag_cli.retrieval.sources.base import PassageStore, Source
from mixrag_cli.retrieval.sources.passages import Passages
from mixrag_cli.retrieval.sources.tree import KeptTree


@dataclass(frozen=True, slots=True)
class Means:
    """What a collection lends its sources.

    reranker: what reads the best candidates closely, None for nothing. n_words, n_meaning: of how many passages these
    sources may propose; n_reranked: how many the reranker reads. passages: all of them; names: those that each of them
    says, () where no pipeline of the user's reads names; both read when they are first asked for. kept_tree: what is
    kept of the groups of passages, None for nothing.
    """

    store: PassageStore
    reranker: Reranker | None
    n_words: int
    n_meaning: int
    n_reranked: int
    passages: Callable[[], Passages]
    names: Callable[[], Sequence[frozenset[str]]] = tuple
    kept_tree: Callable[[], KeptTree | None] = lambda: None


def over_passages(make: Callable[[Means, Passages], Source]) -> Callable[[Means], Source | None]:
    """The maker of a source over all passages, which makes none where there are no passages."""

    def made(means: Means) -> Source | None:
        passages = means.passages()
        return make(means, passages) if len(passages.kept) else None

    return made


def as_it_is(score: float, ceiling: float) -> float:
    """The score itself: its scale is the same for every question."""
    return score


def lowest(seen: Sequence[float], n_asked: int) -> float | None:
    """The lowest score seen: a source that did not return a hit would have given it less."""
    return min(seen, default=None)


def unknown(seen: Sequence[float], n_asked: int) -> float | None:
    """Nothing: the source is asked of some passages only, and says nothing of the others."""
    return None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """What is known of a source without any collection.

    make: it, over a collection; None where the collection has nothing for it. normalise: a raw score under its query's
    BM25 ceiling as curves and weights take it; as_raw: the inverse. unseen: the normalised score of a hit that it did
    not return, from those that it returned and the number of passages it was asked for. ranks: whether reciprocal rank
    fusion takes its ranking. is_extra: whether it is made only where it is asked
    for; weight: with which it then counts.
    """

    name: str
    make: Callable[[Means], Source | None]
    normalise: Callable[[float, float], float] = as_it_is
    as_raw: Callable[[float, float], float] = as_it_is
    unseen: Callable[[Sequence[float], int], float | None] = lowest
    ranks: bool = False
    is_extra: bool = False
    weight: float = 0.0
