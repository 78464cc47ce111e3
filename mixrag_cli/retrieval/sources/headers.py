"""The source "header": how much of the question the headers of a table's passage say.

The header paths, the table's title and the headings above it, without the values: a table is asked for by its headers,
while most of what a row says is numbers.

Source: ours, over the paths of MixRAG, section 4.1, eq. 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.matching import TABLE_KINDS
from mixrag_cli.retrieval.sources.base import Query, ScoringSource
from mixrag_cli.retrieval.sources.row import Means, SourceRow, unknown

NAME = "header"
_NUMBER = re.compile(r"[\d.]+")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Headers(ScoringSource):
    """Scores the passages of tables, in [0, 1]."""

    name: str = NAME

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The share of the question's weight that the headers' words carry; None for a passage of no table."""
        return [
            query.terms.share(header_terms(hit.terms.split())) if hit.chunk.kind in TABLE_KINDS else None
            for hit in hits
        ]


def header_terms(terms: Iterable[str]) -> frozenset[str]:
    """The words of a table's passage that are no values: everything but numbers, years kept.

    A row's text repeats the full path of each of its columns, so that words are headers and numbers are data.
    """
    return frozenset(term for term in terms if not _NUMBER.fullmatch(term) or _YEAR.fullmatch(term))


def _make(means: Means) -> Headers:
    return Headers()


ROW = SourceRow(NAME, _make, unseen=unknown)
