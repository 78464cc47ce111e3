"""The source "phrase": which runs of the question's words stand in the passage side by side.

"Operating lease expense" is one thing, wherever its three words stand apart.

Source: Metzler & Croft, SIGIR 2005 (ordered phrases).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import Query, ScoringSource
from mixrag_cli.retrieval.sources.row import Means, SourceRow

NAME = "phrase"


@dataclass(frozen=True, slots=True)
class Phrases(ScoringSource):
    """Scores any passage, in [0, 1]."""

    name: str = NAME

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The share of the question's pairs and triples of neighbouring words that stand so in the passage."""
        return [query.terms.phrases(hit.terms) for hit in hits]


def _make(means: Means) -> Phrases:
    return Phrases()


ROW = SourceRow(NAME, _make)
