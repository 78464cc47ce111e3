"""Candidates: the union of what the words find and what the meaning finds, with every raw score kept.

n = 40 by words and m = 60 by meaning, as in MixRAG, appendix C. The two searches run apart, because a hybrid
search inside the store hides the raw scores that fusion and calibration need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.retrieval.fusion import fuse


class StoredPassage(Protocol):
    """A passage as the store returns it. score: BM25 or cosine; vector: (dim,) float32 of length 1, or None.

    terms: those of the full-text index, in order, joined by blanks.
    """

    @property
    def chunk(self) -> Chunk: ...  # noqa: D102
    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def score(self) -> float: ...  # noqa: D102
    @property
    def vector(self) -> npt.NDArray[np.float32] | None: ...  # noqa: D102
    @property
    def terms(self) -> str: ...  # noqa: D102


class PassageStore(Protocol):
    """What retrieval needs of a store."""

    def search_words(self, query: str, limit: int, where: str | None) -> Sequence[StoredPassage]:
        """The best passages by BM25, best first."""

    def search_meaning(self, vector: npt.NDArray[np.float32], limit: int, where: str | None) -> Sequence[StoredPassage]:
        """The nearest passages by cosine, best first."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question ready for both searches.

    vector: (dim,) float32 of length 1. ceiling: the highest BM25 score the words can tend to. where: a filter of the
    store's own making. sought: by which vectors to search for meaning in the question's place, () for its own. roots:
    the indexed folders, as in the store's record.
    """

    text: str
    vector: npt.NDArray[np.float32]
    ceiling: float
    where: str | None = None
    sought: tuple[npt.NDArray[np.float32], ...] = ()
    roots: tuple[str, ...] = ()


def find_hits(store: PassageStore, query: Query, n_words: int, n_meaning: int) -> list[Hit]:
    """The candidates of both sources, fused, best first; ties by path, then position.

    Returns at most n_words + n_meaning hits, n_meaning for each vector sought. A hit's scores hold "words" only where
    the words found it, and "meaning" wherever its vector is known. The score "meaning" is always the question's own;
    what else was sought by decides what is found, and the order at first.
    """
    by_words = store.search_words(query.text, n_words, query.where)
    sought = query.sought or (query.vector,)
    by_meaning = [found for vector in sought for found in store.search_meaning(vector, n_meaning, query.where)]
    passages = {passage.chunk.id: passage for passage in (*by_meaning, *by_words)}
    words = {passage.chunk.id: passage.score for passage in by_words}
    meaning = {} if query.sought else {passage.chunk.id: passage.score for passage in by_meaning}
    near: dict[str, float] = {}
    for key, passage in passages.items():
        if passage.vector is not None:
            meaning.setdefault(key, float(passage.vector @ query.vector))
            near[key] = max(float(passage.vector @ vector) for vector in sought)
    fused = fuse(words, near if query.sought else meaning, ceiling=query.ceiling, n_words=n_words)
    hits = [
        Hit(
            passage.chunk,
            passage.path,
            passage.title,
            _raw_scores(key, words, meaning),
            fused[key],
            ceiling=query.ceiling,
            terms=passage.terms,
            root=_root_of(passage.path, query.roots),
        )
        for key, passage in passages.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.path, hit.chunk.position))


def _root_of(path: str, roots: Sequence[str]) -> str:
    """The innermost of the folders that the path lies in, "" for none."""
    return max((root for root in roots if path.startswith(f"{root}/")), key=len, default="")


def _raw_scores(key: str, words: dict[str, float], meaning: dict[str, float]) -> dict[str, float]:
    known = {"words": words.get(key), "meaning": meaning.get(key)}
    return {source: score for source, score in known.items() if score is not None}


def merge_hits(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The hits of several queries as one list, each chunk once with its best score, best first."""
    best: dict[str, Hit] = {}
    for hit in (hit for ranking in rankings for hit in ranking):
        known = best.get(hit.chunk.id)
        if known is None or hit.score > known.score:
            best[hit.chunk.id] = hit
    return sorted(best.values(), key=lambda hit: (-hit.score, hit.path, hit.chunk.position))


def fold_twins(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with those that show the same table text as one, which has the best score of each source.

    A table's summary is a passage that shows the table, found by the summary's words: two ways to one passage.
    """
    kept: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        shows_table = hit.chunk.kind == "table" and bool(hit.chunk.parent)
        key = (hit.chunk.parent, hit.chunk.text) if shows_table else (hit.chunk.id, "")
        if (twin := kept.get(key)) is None:
            kept[key] = hit
            continue
        names = dict.fromkeys((*twin.scores, *hit.scores))
        scores = {name: max(hit.scores.get(name, -inf), twin.scores.get(name, -inf)) for name in names}
        kept[key] = replace(twin, scores=scores, score=max(hit.score, twin.score))
    return list(kept.values())
