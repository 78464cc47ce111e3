"""The sources of evidence, one file and one row each.

words, meaning   propose passages by the full-text index and by vectors
phrase, title    score any passage by the question's words
header           scores passages of tables
rerank           reads the best candidates closely
"""

from __future__ import annotations

from collections.abc import Mapping

from mixrag_cli.retrieval.sources import headers, meaning, phrases, reranked, titles, words
from mixrag_cli.retrieval.sources.base import Means, Source, SourceRow

# In the order in which people are told of them.
ROWS: Mapping[str, SourceRow] = {
    row.name: row for row in (words.ROW, meaning.ROW, reranked.ROW, phrases.ROW, headers.ROW, titles.ROW)
}
SOURCES = tuple(ROWS)
FINDERS = (meaning.NAME, words.NAME)  # they make the pool: of a passage that both return, the words' copy is kept
READERS = (phrases.NAME, titles.NAME, headers.NAME, reranked.NAME)  # what costs most comes last


def make_sources(names: tuple[str, ...], means: Means) -> tuple[Source, ...]:
    """The named sources over a collection, in this order, without those that it has nothing for."""
    made = (ROWS[name].make(means) for name in names)
    return tuple(source for source in made if source is not None)
