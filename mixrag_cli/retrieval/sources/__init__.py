"""The sources of evidence, one file and one row each.

words, meaning   propose passages by the full-text index and by vectors
phrase, title    score any passage by the question's words
header           scores passages of tables
rerank           reads the best candidates closely

Further ones are made where a weight is given to them. Each is the module of its own name, and `EXTRA_SOURCES` in the
settings is their row: a new one takes its file, its name there, and a test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module

from mixrag_cli.retrieval.sources import headers, meaning, phrases, reranked, titles, words
from mixrag_cli.retrieval.sources.base import Source
from mixrag_cli.retrieval.sources.row import Means, SourceRow
from mixrag_cli.settings import EXTRA_SOURCES

_USUAL = tuple(module.ROW for module in (words, meaning, reranked, phrases, headers, titles))
_EXTRA: tuple[SourceRow, ...] = tuple(import_module(f"{__name__}.{name}").ROW for name in EXTRA_SOURCES)
# In the order in which people are told of them.
ROWS: Mapping[str, SourceRow] = {row.name: row for row in (*_USUAL, *_EXTRA)}
SOURCES = tuple(row.name for row in ROWS.values() if not row.is_extra)
EXTRAS = tuple(row.name for row in ROWS.values() if row.is_extra)
FINDERS = (meaning.NAME, words.NAME)  # they make the pool: of a passage that both return, the words' copy is kept
READERS = (phrases.NAME, titles.NAME, headers.NAME)  # they read every candidate


def make_sources(names: Iterable[str], means: Means) -> tuple[Source, ...]:
    """The named sources over a collection, in this order, without those that it has nothing for."""
    made = (ROWS[name].make(means) for name in names)
    return tuple(source for source in made if source is not None)
