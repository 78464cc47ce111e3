"""Three more sources of evidence on a candidate, from its words: its phrases, its headers, its title and path.

    phrase  of any passage: which runs of the question's words stand in it side by side
    header  of a table's passage: the header paths, the table's title and the headings above it, without the values
    title   of any passage: its document's title and path

Header and title are the share of the question's weight that the words there carry, a word's weight being its rarity.
A table is asked for by its headers, while most of what a row says is numbers; a document is often asked for by name;
and "operating lease expense" is one thing, wherever its three words stand apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mixrag_cli.records.passages import Hit
from mixrag_cli.terms import text_to_terms

PHRASE, HEADER, TITLE = "phrase", "header", "title"  # the names of the raw scores on a hit
TABLE_KINDS = ("row", "table")
RUNS = (2, 3)  # words; with triples FinQA, HetDocQA and HiTab gain 0.3 to 0.5 points of nDCG@10 over pairs alone
_NUMBER = re.compile(r"[\d.]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """What a question asks for, word by word. terms: in order; weights: of those that the collection knows, rarity."""

    terms: Sequence[str]
    weights: Mapping[str, float]

    def share(self, terms: Collection[str]) -> float:
        """The share of the question's weight that these terms carry, in [0, 1]; 0 for a question without any."""
        total = sum(self.weights.values())
        held = sum(weight for term, weight in self.weights.items() if term in terms)
        return held / total if total else 0.0

    def phrases(self, terms: str) -> float:
        """The share of the question's pairs and triples of neighbouring words that stand so in the terms, in [0, 1].

        terms: joined by blanks. Source: Metzler & Croft, A Markov Random Field Model for Term Dependencies, SIGIR 2005:
        ordered phrases of the sequential dependence model, here of equal weight: weights by rarity gained nothing.
        """
        bounded = f" {terms} "
        wanted = [runs for length in RUNS if (runs := _runs(tuple(self.terms), length))]
        shares = [sum(run in bounded for run in runs) / len(runs) for runs in wanted]
        return sum(shares) / len(shares) if shares else 0.0


class Matcher:
    """Adds these scores to hits."""

    def __init__(self) -> None:
        self._title_terms = lru_cache(maxsize=10_000)(lambda text: frozenset(text_to_terms(text)))

    def match(self, hits: Sequence[Hit], question: QuestionTerms) -> list[Hit]:
        """The hits in their order with the scores "phrase" and "title", a table's passage also "header"."""
        return [self._matched(hit, question) for hit in hits]

    def _matched(self, hit: Hit, question: QuestionTerms) -> Hit:
        found = {
            PHRASE: question.phrases(hit.terms),
            TITLE: question.share(self._title_terms(f"{hit.title} {hit.path_below}")),
        }
        if hit.chunk.kind in TABLE_KINDS:
            found[HEADER] = question.share(header_terms(hit.terms.split()))
        return replace(hit, scores={**hit.scores, **found})


def header_terms(terms: Iterable[str]) -> frozenset[str]:
    """The words of a table's passage that are no values: everything but numbers, years kept.

    A row's text repeats the full path of each of its columns, so that words are headers and numbers are data.
    """
    return frozenset(term for term in terms if not _NUMBER.fullmatch(term) or _YEAR.fullmatch(term))


@lru_cache(maxsize=64)
def _runs(terms: tuple[str, ...], length: int) -> tuple[str, ...]:
    """The different runs of so many terms, each joined and bounded by blanks, to be looked for in joined terms."""
    runs = zip(*(terms[start:] for start in range(length)), strict=False)
    return tuple(dict.fromkeys(f" {' '.join(run)} " for run in runs))
