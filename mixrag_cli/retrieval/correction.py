"""Correction: another wording of a question whose candidates were all refused, from the collection itself.

The terms that stand together in the nearest candidates and are rare elsewhere are added to the question: pseudo
relevance feedback. Source: Lavrenko and Croft, Relevance-based language models, SIGIR 2001, mixed with the question
as RM3 does (Abdul-Jaleel et al., TREC 2004); here terms are chosen, not weighted: the word search takes a plain list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from mixrag_cli.records.passages import Hit
from mixrag_cli.terms import text_to_terms
from mixrag_cli.words import words_of

N_PASSAGES = 10  # candidates that are taken for nearly relevant
N_TERMS = 8  # added to the question


def widen(
    question: str,
    hits: Sequence[Hit],
    weigh: Callable[[Sequence[str]], Mapping[str, float]],
) -> str:
    """The question with the terms that its nearest candidates share.

    hits: best first. weigh: terms to how rare each is in the collection. A term counts once a passage, by the passage's
    score, so that a long passage does not choose the terms alone; one that stands in a single passage is left out. It
    is added as it is written first, since the question is read by meaning, too, and may be shown.
    """
    asked = set(text_to_terms(question))
    support: Counter[str] = Counter()
    holding: Counter[str] = Counter()
    written: dict[str, str] = {}
    for hit in hits[:N_PASSAGES]:
        found = {term: word for word in reversed(words_of(hit.chunk.text)) for term in text_to_terms(word)}
        terms = {term for term in found if term.isalpha() and term not in asked}
        support.update(dict.fromkeys(terms, max(hit.score, 0.0)))
        holding.update(terms)
        written = {**found, **written}
    shared = [term for term in support if holding[term] > 1]
    rarity = weigh(shared)
    best = sorted(shared, key=lambda term: (-support[term] * rarity.get(term, 0.0), term))[:N_TERMS]
    return " ".join([question, *(written[term] for term in best)])
