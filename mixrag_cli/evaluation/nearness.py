"""The four measures of Enhanced RAG that need no labels but an embedder: cosines of question, answer and passages.

    CP  share of the passages whose cosine with the question reaches 0.35
    AF  greatest cosine of the answer with a passage
    AR  cosine of the answer with the question
    CR  greatest cosine of the right answer with a passage

Source: Enhanced RAG, section IV-C, eq. 8 to 11, where all-MiniLM-L6-v2 embeds and four passages are retrieved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CONTEXT_SIMILARITY = 0.35  # tau of eq. 8
PASSAGES = 4  # retrieved for an answer, section IV-A

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Nearness:
    """The four measures of one question, in [-1, 1] as cosines are; None where there is nothing to compare with."""

    cp: float
    af: float | None
    ar: float | None
    cr: float | None


def measure_nearness(question: Vectors, answer: Vectors | None, gold: Vectors | None, passages: Vectors) -> Nearness:
    """The measures from vectors of length 1.

    question, answer, gold: (dim,); answer is None for an abstention, gold where no right answer is known.
    passages: (n, dim), the best first; without any, CP is 0 and AF and CR are None.
    Source: Enhanced RAG, section IV-C, eq. 8 to 11.
    """
    near = passages[:PASSAGES]
    return Nearness(
        cp=float(np.mean(near @ question >= CONTEXT_SIMILARITY)) if len(near) else 0.0,
        af=_nearest(answer, near),
        ar=float(answer @ question) if answer is not None else None,
        cr=_nearest(gold, near),
    )


def _nearest(vector: Vectors | None, passages: Vectors) -> float | None:
    return float(np.max(passages @ vector)) if vector is not None and len(passages) else None
