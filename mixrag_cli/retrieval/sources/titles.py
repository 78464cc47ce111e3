"""The source "title": how much of the question the title and the path of a passage's document say.

Source: ours, by the weights of Robertson & Zaragoza, 2009, eq. 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import Query, ScoringSource
from mixrag_cli.retrieval.sources.row import Means, SourceRow
from mixrag_cli.terms import text_to_terms

NAME = "title"
KEPT_TITLES = 10_000


@dataclass(frozen=True, slots=True)
class Titles(ScoringSource):
    """Scores any passage, in [0, 1]. terms_of: the terms of a title with its path, kept."""

    terms_of: Callable[[str], frozenset[str]]
    name: str = NAME

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The share of the question's weight that title and path carry: a document is often asked for by name."""
        return [query.terms.share(self.terms_of(f"{hit.title} {hit.path_below}")) for hit in hits]


def _make(means: Means) -> Titles:
    return Titles(lru_cache(maxsize=KEPT_TITLES)(lambda text: frozenset(text_to_terms(text))))


ROW = SourceRow(NAME, _make)
