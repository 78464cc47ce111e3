"""Fusion: one score out of several sources whose raw scores live on different scales.

The default is a weighted sum of scores normalised for each query. Reciprocal rank fusion stands beside it for
comparison; it loses to words alone where the meaning side is weak, because it trusts every source alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

RRF_K = 60  # the paper's value, not tuned here
WORDS_WEIGHT = 0.6
MEANING_WEIGHT = 1 - WORDS_WEIGHT


def fuse(
    words: Mapping[str, float], meaning: Mapping[str, float], words_weight: float = WORDS_WEIGHT
) -> dict[str, float]:
    """The fused score of each candidate, in [0, 1].

    Example: words {"a": 8, "b": 4}, meaning {"a": 0.2, "b": 0.6}, weight 0.5 -> {"a": 0.5, "b": 0.75}.

    words: BM25 scores; meaning: cosines; by candidate id. A candidate that a source did not return gets that
    source's floor: 0 for words, the lowest cosine seen for meaning.
    """
    ceiling = max(words.values(), default=0.0)
    low, high = min(meaning.values(), default=0.0), max(meaning.values(), default=0.0)
    fused = {}
    for key in words.keys() | meaning.keys():
        by_words = words.get(key, 0.0) / ceiling if ceiling > 0 else 0.0
        by_meaning = (meaning.get(key, low) - low) / (high - low) if high > low else 0.0
        fused[key] = words_weight * by_words + (1 - words_weight) * by_meaning
    return fused


def fuse_by_rank(rankings: Sequence[Sequence[str]], k: int = RRF_K) -> dict[str, float]:
    """The reciprocal-rank score of each candidate.

    Example: [["a", "b"], ["b"]] -> {"a": 1/61, "b": 1/62 + 1/61}.

    rankings: one list a source, best first; ranks count from 1.
    Source: Cormack, Clarke, Buettcher, SIGIR 2009.
    """
    fused: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + 1 / (k + rank)
    return fused
