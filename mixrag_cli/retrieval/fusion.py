"""Fusion: one score out of several sources whose raw scores live on different scales.

The default is a weighted sum of absolute scores: BM25 as a part of the query's ceiling, and the cosine. Both mean
the same for every query, so the sum can carry a threshold. Reciprocal rank fusion stands beside it for comparison;
it loses 9 points of nDCG@10 to words alone on FinQA, because it trusts every source alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

RRF_K = 60  # the paper's value, not tuned here
# Swept from 0.3 to 0.92 with tests/benchmarks/retrieval.py, nDCG@10 on FinQA "full", FinQA "paper" and HetDocQA among
# FinQA's contexts: .577 .830 .814 at 0.84, words alone .579 .827 .800, meaning alone .318 .637 .665.
WORDS_WEIGHT = 0.84


def fuse(
    words: Mapping[str, float],
    meaning: Mapping[str, float],
    *,
    ceiling: float,
    n_words: int,
    words_weight: float = WORDS_WEIGHT,
) -> dict[str, float]:
    """The fused score of each candidate, in [0, 1].

    Example: words {"a": 8}, meaning {"a": 0.2, "b": 0.6}, ceiling 16, n_words 40, words_weight 0.5
    -> {"a": 0.35, "b": 0.3}.

    words: BM25 scores; meaning: cosines; by candidate id. ceiling: the BM25 score that a passage made of nothing but
    the query would tend to. n_words: how many candidates the words were asked for; where they gave as many, one that
    they did not return still scores at most their lowest, and is given that.
    """
    floor = min(words.values(), default=0.0) if len(words) >= n_words else 0.0
    lowest = min(meaning.values(), default=0.0)
    fused = {}
    for key in words.keys() | meaning.keys():
        by_words = min(words.get(key, floor) / ceiling, 1.0) if ceiling > 0 else 0.0
        by_meaning = max(meaning.get(key, lowest), 0.0)
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
