"""Fusion: one score out of several sources whose raw scores live on different scales.

    fuse          the first stage: BM25 over the query's ceiling and the cosine, a weighted sum
    fuse_hits     all sources after reranking: a weighted sum of their normalised scores and the probability that
                  calibration gives it, or one of the methods to compare with: "weighted", "rrf", a single source

A first-stage score means the same for every query; a probability does not, since the passages that match as well are
rivals for the few that a question has (lead_over_rivals). Reciprocal rank fusion loses 9 points of nDCG@10 to words on
FinQA, because it trusts every source alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.calibration import Calibration, modality_of, normalised
from mixrag_cli.retrieval.curves import Logistic
from mixrag_cli.retrieval.sources import ROWS

USUAL_SPREAD = 0.07  # of late interaction's scores over a query's candidates, on FinQA and HetDocQA
RRF_K = 60  # the paper's value, not tuned here
RIVALS = 30  # of a question: its best candidates by all evidence, as many as are reranked by default
# The evidence for one of them where a question has fewer, as in a folder of one page. The logarithm of their mean odds,
# the best left out: -0.06 in FinQA "full", -0.63 "paper", -1.58 HetDocQA, -0.19 HiTab, -0.40 the mixed collection.
USUAL_RIVAL = -0.5
# From the sum of the evidence to the score: any rising curve orders alike, this one uses [0, 1] on the sets that
# fit_priors.py fits on. The reader adds scores to signs of its own, so the curve is one for all collections.
SQUASH = Logistic(-0.5, 2.2)
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
    Source: ours, over the candidates of MixRAG, section 4.2, which are merged there without a score.
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
    Source: Cormack, Clarke, Buettcher, SIGIR 2009; Enhanced RAG, section III-B, eq. 5; "Beyond the Reranker", section
    4.3.
    """
    fused: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + 1 / (k + rank)
    return fused


def fuse_hits(hits: Sequence[Hit], calibration: Calibration, method: str = "calibrated", n_words: int = 0) -> list[Hit]:
    """The hits with their fused score and their probability of being relevant, best first.

    method: "calibrated"; "weighted", the scores of the first stage as they are; "rrf" over words, meaning and rerank;
    or the name of a single source. The probability is the calibrated one whatever orders the hits.
    n_words: how many candidates the words were asked for, as in fuse. Ties go by path, then position.
    Source: ours; "rrf" is Enhanced RAG, section III-B, eq. 5.
    """
    sums = sum_evidence(hits, calibration, n_words)
    evidence = {hit.chunk.id: total for hit, total in zip(hits, sums, strict=True)}
    scores = _scores(hits, method, evidence)
    # Not by the score itself, which in the calibrated case is 1 to many digits for all hits of an easy question.
    order = evidence if method == "calibrated" else scores
    scored = [
        replace(
            hit,
            score=scores[hit.chunk.id],
            probability=calibration.final_of(modality_of(hit.chunk)).probability(lead),
        )
        for hit, lead in zip(hits, lead_over_rivals(sums, calibration.rivalry), strict=True)
    ]
    return sorted(scored, key=lambda hit: (-order[hit.chunk.id], hit.path, hit.chunk.position))


def put_first(hits: Sequence[Hit], rank: Callable[[Hit], float | None]) -> list[Hit]:
    """The hits with those that a reader of them ranks before all others, the scores dealt out anew in that order.

    Example: scores .9 .8 .7 with ranks None, .5, 1 -> the third .9, the second .8, the first .7.

    hits: best first. rank: higher for better; None or 0 for one that it did not choose. An order has no scale that a
    sum of evidence could weigh, so who wants a reader to rank takes its word: a perfect one reaches nDCG@10 .974 on
    HetDocQA dev and .997 on FinQA "paper" (.960 and .973 as a source in the sum); one that is wrong about three
    questions in ten loses as much as it is wrong (.823 and .843, in the sum .938 and .931).
    Source: listwise reranking, Sun et al., EMNLP 2023; choosing a document, MixRAG, eq. 9-10.
    """
    ordered = sorted(hits, key=lambda hit: -(rank(hit) or 0.0))  # stable: the others keep their order
    return [replace(hit, score=place.score) for hit, place in zip(ordered, hits, strict=True)]


def lead_over_rivals(sums: Sequence[float], rivalry: float) -> list[float]:
    """What the evidence for each hit is beyond what its question's candidates hold in common.

    Example: a sum of 4 and 29 of 1, rivalry 0.5 -> 3.25, then 0.25 each.

    sums: of all candidates of one question. In a folder of filings a row of the right table in the wrong year matches
    a question nearly as well as the right row: what dozens of passages have speaks for none of them. The level taken
    off is the logarithm of the mean odds of the best RIVALS, the softmax's normaliser; with all of it (rivalry 1) only
    what sets candidates apart counts, with none each is promised by itself. Where there are fewer, the rest are taken
    to be as usual: a passage that is the only one is no rival of itself.
    Source: ours, in the form of a softmax's normaliser; RIVALS and the share are fitted by
    tests/benchmarks/fit_priors.py.
    """
    best = sorted([*sums, *[USUAL_RIVAL] * (RIVALS - len(sums))], reverse=True)[:RIVALS]
    level = best[0] + math.log(sum(math.exp(each - best[0]) for each in best) / RIVALS)
    return [each - rivalry * level for each in sums]


def _scores(hits: Sequence[Hit], method: str, evidence: Mapping[str, float]) -> dict[str, float]:
    if method == "calibrated":
        return {key: SQUASH.probability(total) for key, total in evidence.items()}
    if method == "weighted":
        return {hit.chunk.id: hit.score for hit in hits}
    return _by_rank(hits) if method == "rrf" else _by_source(hits, method)


def sum_evidence(hits: Sequence[Hit], calibration: Calibration, n_words: int = 0) -> list[float]:
    """The evidence for each hit: the normalised scores of all sources by their weights, in the log-odds of one model.

    One model for all kinds of passages: with curves of their own, kinds come to stand above each other for being more
    often relevant, which costs HetDocQA 4 points of nDCG@10. What a kind is worth goes into the probability instead.
    What a source did not return has what its row says: the lowest score seen, or nothing.
    Source: ours, a logistic model whose weights tests/benchmarks/fit_priors.py fits.
    """
    totals = [0.0] * len(hits)
    for source, weight in calibration.weights.items():
        scores = source_scores(hits, source, n_words)
        if not weight or all(score is None for score in scores):
            continue
        if source not in calibration.maps:
            scores = _within_query(scores)
        center = calibration.centers.get(source, 0.0)
        for number, score in enumerate(scores):
            totals[number] += weight * (score - center) if score is not None else 0.0
    return totals


def source_scores(hits: Sequence[Hit], source: str, n_words: int = 0) -> list[float | None]:
    """The normalised scores of one source; a hit that it did not return has what its row takes it to have.

    Source: ours; what "Beyond the Reranker", section 4.4, says of scores on unlike scales.
    """
    known = [normalised(hit, source) for hit in hits]
    unseen = ROWS[source].unseen([score for score in known if score is not None], n_words)
    return [unseen if score is None else score for score in known]


def _within_query(scores: Sequence[float | None]) -> list[float | None]:
    """Scores on an unknown scale by how many spreads they lie above the query's mean, the spread being a usual one."""
    known = [score for score in scores if score is not None]
    mean = sum(known) / len(known)
    spread = (sum((score - mean) ** 2 for score in known) / len(known)) ** 0.5 or 1.0
    return [None if score is None else USUAL_SPREAD * (score - mean) / spread for score in scores]


def _by_rank(hits: Sequence[Hit]) -> dict[str, float]:
    rankings = []
    for source in (row.name for row in ROWS.values() if row.ranks):
        found = [hit for hit in hits if source in hit.scores]
        found.sort(key=lambda hit: (-hit.scores[source], hit.path, hit.chunk.position))
        rankings.append([hit.chunk.id for hit in found])
    return fuse_by_rank(rankings)


def _by_source(hits: Sequence[Hit], source: str) -> dict[str, float]:
    """One source alone; what it did not return comes after what it did, in the order of the first stage."""
    floor = min((hit.scores[source] for hit in hits if source in hit.scores), default=0.0)
    return {hit.chunk.id: hit.scores.get(source, floor - 1 + hit.score) for hit in hits}
