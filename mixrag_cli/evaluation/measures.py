"""The measures by which rankings and answers are judged, each a small pure function.

A ranking is a sequence of document ids, best first; relevant maps the judged ids to their grades, where a grade of 0
or less means judged and not relevant. All values lie in [0, 1]. A query that returned nothing counts 0 in every mean.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

ARTICLE = re.compile(r"\b(?:a|an|the)\b")  # of lower-cased English, which no answer is told apart by

RankingMeasure = Callable[[Sequence[str], Mapping[str, float], int], float]


def ndcg_at(ranking: Sequence[str], relevant: Mapping[str, float], k: int) -> float:
    """Return the discounted cumulative gain of the first k over that of the best possible order.

    Example: ranking [b, a] with grades {a: 2, b: 1} and k=2 -> (1/log2(2) + 2/log2(3)) / (2/log2(2) + 1/log2(3))

    The gain is the grade itself, as in trec_eval, not 2^grade - 1; for grades of 0 and 1 both agree.
    Source: FinanceRAG study, section 5; Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, with trec_eval's discount 1 /
    log2(rank + 1).
    """
    gains = [max(0.0, relevant.get(document, 0.0)) for document in _unique(ranking)[:k]]
    best = sorted((grade for grade in relevant.values() if grade > 0), reverse=True)[:k]
    return _discounted(gains) / _discounted(best) if best else 0.0


def recall_at(ranking: Sequence[str], relevant: Mapping[str, float], k: int) -> float:
    """Return the share of the relevant documents that stand among the first k.

    Example: ranking [a, x, b] with {a: 1, b: 1, c: 1, d: 1} and k=3 -> 2/4
    Source: FinanceRAG study, section 5 (Recall@k).
    """
    wanted = _relevant_ids(relevant)
    return len(wanted.intersection(_unique(ranking)[:k])) / len(wanted) if wanted else 0.0


def reciprocal_rank_at(ranking: Sequence[str], relevant: Mapping[str, float], k: int) -> float:
    """Return 1 / rank of the first relevant document among the first k, else 0; its mean is MRR@k.

    Example: ranking [x, a] with {a: 1} and k=10 -> 1/2
    Source: FinanceRAG study, section 5 (MRR@k); Voorhees, TREC-8 question answering track report, 1999.
    """
    wanted = _relevant_ids(relevant)
    for rank, document in enumerate(_unique(ranking)[:k], start=1):
        if document in wanted:
            return 1.0 / rank
    return 0.0


def precision_at(ranking: Sequence[str], relevant: Mapping[str, float], k: int) -> float:
    """Return the share of the first k that is relevant; places that nothing fills count as not relevant.

    Example: ranking [a, x] with {a: 1} -> 1/2 at k=2 and 1/5 at k=5
    Source: Enhanced RAG, abstract (Precision@K); van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """
    return len(_relevant_ids(relevant).intersection(_unique(ranking)[:k])) / k if k > 0 else 0.0


def success_at(ranking: Sequence[str], relevant: Mapping[str, float], k: int) -> float:
    """Return 1 when at least one relevant document is among the first k, else 0; also called HiT@k.

    Example: ranking [x, a] with {a: 1} -> 0 at k=1 and 1 at k=2
    Source: MixRAG, appendix B, eq. 11 (HiT@K); "Beyond the Reranker", section 5 (Success@10).
    """
    wanted = _relevant_ids(relevant)
    return float(not wanted.isdisjoint(_unique(ranking)[:k]))


def mean_over_queries(
    rankings: Mapping[str, Sequence[str]],
    judgements: Mapping[str, Mapping[str, float]],
    measure: RankingMeasure,
    k: int,
) -> float:
    """Return the measure's mean over all judged queries; one without a ranking counts 0.

    rankings: query id to document ids, best first. judgements: query id to grades; queries without a relevant
    document have no best order to compare with and are left out, as in trec_eval.
    Source: MixRAG, appendix B, eq. 11 and 12: the mean over all questions.
    """
    judged = [query for query, relevant in judgements.items() if _relevant_ids(relevant)]
    return mean(measure(rankings.get(query, ()), judgements[query], k) for query in judged)


def mean(values: Iterable[float]) -> float:
    """Return the arithmetic mean; of nothing it is 0.

    Source: MixRAG, appendix B, eq. 11 and 12.
    """
    known = list(values)
    return math.fsum(known) / len(known) if known else 0.0


def exact_match(answer: str, gold_answers: Sequence[str]) -> float:
    """Return 1 when the answer equals one of the gold answers after normalisation, else 0.

    Source: MixRAG, appendix B, eq. 12; Rajpurkar et al., SQuAD, EMNLP 2016, section 6.1, and its evaluation script.
    """
    return float(any(normalize_answer(answer) == normalize_answer(gold) for gold in gold_answers))


def token_f1(answer: str, gold_answers: Sequence[str]) -> float:
    """Return the harmonic mean of token precision and recall against the best matching gold answer.

    Example: answer "the red fox" against "red wolf" -> precision 1/2, recall 1/2, F1 1/2
    Two empty answers match; an empty one against any other counts 0.
    Source: "Beyond the Reranker", section 5 (token-F1); SQuAD as exact_match, with SQuAD 2.0's treatment of empty
    answers.
    """
    return max((_f1(_tokens(answer), _tokens(gold)) for gold in gold_answers), default=0.0)


def normalize_answer(text: str) -> str:
    """Return the text in lower case without ASCII punctuation, English articles and repeated white space.

    Source: Rajpurkar et al., SQuAD, EMNLP 2016, its evaluation script.
    """
    plain = "".join(character for character in text.lower() if character not in _PUNCTUATION)
    return " ".join(ARTICLE.sub(" ", plain).split())


_PUNCTUATION = frozenset(string.punctuation)


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _unique(ranking: Sequence[str]) -> list[str]:
    # A document that stands twice would earn its gain twice and lift nDCG above 1.
    return list(dict.fromkeys(ranking))


def _relevant_ids(relevant: Mapping[str, float]) -> set[str]:
    return {document for document, grade in relevant.items() if grade > 0}


def _tokens(text: str) -> list[str]:
    return normalize_answer(text).split()


def _f1(answer: Sequence[str], gold: Sequence[str]) -> float:
    if not answer or not gold:
        return float(answer == gold)
    shared = (Counter(answer) & Counter(gold)).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(answer), shared / len(gold)
    return 2 * precision * recall / (precision + recall)
