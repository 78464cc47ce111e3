"""How much a word tells: its weight from the number of passages that hold it."""

from __future__ import annotations

import math


def term_weight(n_holding: int, n_passages: int) -> float:
    """The inverse document frequency of a term, in (0, log(1 + n)].

    Example: term_weight(0, 1000) -> log(1 + 1000.5 / 0.5), a word the collection does not know weighs most.
    Source: Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009, eq. 3.3, with + 1 inside the log.
    """
    return math.log(1 + (n_passages - n_holding + 0.5) / (n_holding + 0.5))
