"""Reranking: the best candidates read once more, closer than words and one vector a passage can.

    LateInteraction   every token of the question against every token of the passage, on stored token vectors
    PairReranker      a cross-encoder that reads question and passage together

A language model that reranks is a third class with the same one method, in choice.py.

Source: "Beyond the Reranker", section 4.3 (reranker); MixRAG, appendix D; Enhanced RAG, section III-C, eq. 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.passages import Chunk, Hit

INT8_ONE = 127.0  # what 1.0 is in a stored token vector
SOURCE = "rerank"  # the name of the raw score on a hit
# Of the power mean over a question's tokens: 1 is ColBERT's mean. A passage that says half of the question to the word
# and half not at all is likelier to answer it than one that is half near to all of it. Late interaction alone, nDCG@10
# at 1, 2, 3, 4, 6, 8: FinQA .742 .762 .776 .777 .779 .775, HetDocQA .879 .893 .897 .895 .893 .877, HiTab .934 .933 .935
# .929 .931 .926 (thinned sets of tests/benchmarks/judged.py, all candidates).
SHARPNESS = 4

QuestionTokens = npt.NDArray[np.float32]
PassageTokens = npt.NDArray[np.int8]


class Reranker(Protocol):
    """What reads a question and its best candidates closely."""

    def score(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
        """A score a hit, higher for better, on the reranker's own scale; None for a hit that it cannot judge."""
        ...


@dataclass(frozen=True, slots=True)
class LateInteraction:
    """Scores by max_sim over token vectors: those kept in the store, and for passages without any, made now.

    question_tokens: a question's, (q, dim) float32, rows of length 1. kept: by chunk id, unknown ids absent.
    make: one a chunk; (t, dim) int8, unit rows times 127.
    """

    question_tokens: Callable[[str], QuestionTokens]
    kept: Callable[[Sequence[str]], Mapping[str, PassageTokens]]
    make: Callable[[Sequence[Chunk]], Sequence[PassageTokens]]

    def score(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
        """max_sim of each hit, in [0, 1]."""
        known = dict(self.kept([hit.chunk.id for hit in hits]))
        if missing := [hit.chunk for hit in hits if hit.chunk.id not in known]:
            known |= zip((chunk.id for chunk in missing), self.make(missing), strict=True)
        return list(max_sim(self.question_tokens(question), [known[hit.chunk.id] for hit in hits]))


@dataclass(frozen=True, slots=True)
class PairReranker:
    """Scores by a model that reads pairs. score_pairs: (question, texts) to a score a text. text_of: what it reads."""

    score_pairs: Callable[[str, Sequence[str]], Sequence[float]]
    text_of: Callable[[Chunk], str]

    def score(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
        """The model's own score of each hit: a logit, or a probability where the model ends in a sigmoid."""
        return list(self.score_pairs(question, [self.text_of(hit.chunk) for hit in hits]))


def max_sim(question: QuestionTokens, passages: Sequence[PassageTokens]) -> list[float]:
    """How well each passage's tokens answer the question's: the power mean over the question's tokens of the best dot.

    question: (q, dim) float32, rows of length 1. passages: (t, dim) int8 each, unit rows times 127. Returns a score a
    passage in [0, 1]; 0 for one without tokens, or for a question without any.
    Source: Khattab & Zaharia, ColBERT, SIGIR 2020, eq. 3, as a mean instead of a sum, so that a threshold can hold for
    short and long questions, and of the power SHARPNESS.
    """
    filled = [number for number, passage in enumerate(passages) if len(passage)]
    scores = np.zeros(len(passages))
    if len(question) and filled:
        tokens = np.concatenate([passages[number] for number in filled]).astype(np.float32)
        starts = np.cumsum([0, *(len(passages[number]) for number in filled[:-1])])
        best = np.maximum.reduceat(tokens @ (question.T / INT8_ONE), starts, axis=0)  # (passages, q)
        sharp = np.clip(best, 0.0, 1.0) ** SHARPNESS
        scores[filled] = sharp.mean(axis=1) ** (1 / SHARPNESS)
    return [float(score) for score in scores]
