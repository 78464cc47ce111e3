"""Two more sources of evidence on a candidate: how much of the question its headers say, and its title and path.

    header  of a table's passage: the header paths, the table's title and the headings above it, without the values
    title   of any passage: its document's title and path

Both are the share of the question's weight that the words there carry, a word's weight being its rarity. A table is
asked for by its headers, while most of what a row says is numbers; a document is often asked for by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mixrag_cli.records import Chunk, Hit

HEADER, TITLE = "header", "title"  # the names of the raw scores on a hit
TABLE_KINDS = ("row", "table")
_NUMBER = re.compile(r"[\d.]+")
_YEAR = re.compile(r"(?:19|20)\d\d")

ToTerms = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """What a question asks for, word by word. weights: of each term, its rarity in the collection."""

    weights: Mapping[str, float]

    def share(self, terms: Collection[str]) -> float:
        """The share of the question's weight that these terms carry, in [0, 1]; 0 for a question without any."""
        total = sum(self.weights.values())
        held = sum(weight for term, weight in self.weights.items() if term in terms)
        return held / total if total else 0.0


class Matcher:
    """Adds the header and the title match to hits. to_terms: text to the terms of the full-text index."""

    def __init__(self, to_terms: ToTerms) -> None:
        self._to_terms = to_terms
        self._title_terms = lru_cache(maxsize=10_000)(lambda text: frozenset(to_terms(text)))

    def match(self, hits: Sequence[Hit], question: QuestionTerms) -> list[Hit]:
        """The hits in their order with the scores "title", and "header" where they show a table."""
        return [self._matched(hit, question) for hit in hits]

    def _matched(self, hit: Hit, question: QuestionTerms) -> Hit:
        found = {TITLE: question.share(self._title_terms(f"{hit.title} {hit.path}"))}
        if hit.chunk.kind in TABLE_KINDS:
            found[HEADER] = question.share(header_terms(hit.chunk, self._to_terms))
        return replace(hit, scores={**hit.scores, **found})


def header_terms(chunk: Chunk, to_terms: ToTerms) -> frozenset[str]:
    """The words of a table's passage that are no values: everything but numbers, years kept.

    A row's text repeats the full path of each of its columns, so that words are headers and numbers are data.
    """
    terms = to_terms(f"{chunk.context}\n{chunk.text}\n{chunk.words}")
    return frozenset(term for term in terms if not _NUMBER.fullmatch(term) or _YEAR.fullmatch(term))
