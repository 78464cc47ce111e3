"""The built-in reader on a given context: one table and its paragraphs, without a store, with the real embedder.

Words weigh by their rarity over all contexts of the data set, as they weigh over all documents of a collection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixrag_cli.models import Embedder, load_embedder, load_reader, load_token_vectors
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.restate import Restated, restate
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Table
from mixrag_cli.retrieval.statistics import term_weight
from mixrag_cli.settings import Settings
from mixrag_cli.tables.places import locate_cells
from mixrag_cli.tables.text import row_texts
from mixrag_cli.words import stems_of

NOWHERE = Locator((0, 0))
EMBED_TABLE_CHARS = 600  # of a table's headers
EVEN_SCORE = 0.5  # of every hit: the context is given, nothing was searched


@dataclass(frozen=True, slots=True)
class Context:
    """One table, if it could be read, and the paragraphs around it."""

    id: str
    table: Table | None
    paragraphs: tuple[str, ...]
    stems: frozenset[str]


def make_context(context_id: str, table: Table | None, paragraphs: Sequence[str], table_words: str) -> Context:
    return Context(context_id, table, tuple(paragraphs), frozenset(stems_of(" ".join((table_words, *paragraphs)))))


def texts_to_grid(texts: Sequence[Sequence[str]], caption: str = "", regions: Iterable[Sequence[int]] = ()) -> Grid:
    spans = {(r0, c0): (r1 - r0 + 1, c1 - c0 + 1) for r0, r1, c0, c1 in regions}
    cells = tuple(
        GridCell(r, c, text.strip(), *spans.get((r, c), (1, 1)), line=r + 1)
        for r, row in enumerate(texts)
        for c, text in enumerate(row)
        if text.strip() or (r, c) in spans
    )
    return Grid(len(texts), max(map(len, texts)), cells, NOWHERE, caption)


@dataclass(slots=True)
class Similarity:
    """Cosines to one question at a time; every text is embedded once."""

    embedder: Embedder
    question: str = ""
    vectors: dict[str, npt.NDArray[np.float32]] = field(default_factory=dict)

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.embed([self.question, *texts])
        return np.array([self.vectors[text] @ self.vectors[self.question] for text in texts], np.float32)

    def embed(self, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        if new:
            self.vectors.update(zip(new, self.embedder.embed(new), strict=True))


class Contexts:
    """All contexts of a data set, and the evidence that each gives for a question."""

    def __init__(self, contexts: Sequence[Context]) -> None:
        self._n = len(contexts)
        self._holding = Counter(stem for context in contexts for stem in context.stems)
        self.similarity = Similarity(load_embedder(Settings()))
        self.vectors = load_token_vectors(self.similarity.embedder, Settings())
        self.reader = load_reader(Settings())

    def restate_in(
        self, context: Context, question: str, others: Sequence[Context] = ()
    ) -> tuple[Restated, EvidenceBase]:
        """The question and the evidence of its context, and of others beside it."""
        restated = restate(question, self.reader.question(question))
        self.similarity.question = question
        operands = (restated.whole, *restated.operands)
        terms = {term for operand in operands for term in operand.terms}
        terms |= {str(year) for operand in operands for year in operand.facets.years}
        weights = {term: term_weight(self._holding[term], self._n) for term in terms}
        given = (context, *others)
        knows = {one.id: frozenset(terms & one.stems) for one in given}
        tables = {one.table.id: one.table for one in given if one.table}
        hits = self._nearest_first([chunk for one in given for chunk in _chunks(one)])
        return restated, EvidenceBase(hits, tables, weights, knows, self.vectors, self.reader)

    def _nearest_first(self, chunks: Sequence[Chunk]) -> tuple[Hit, ...]:
        """The passages as hits, in the order of their nearness in meaning to the question."""
        near = self.similarity([f"{chunk.context}\n{chunk.text}" for chunk in chunks]) if chunks else ()
        hits = [
            Hit(chunk, "", "", {"meaning": float(one)}, EVEN_SCORE) for chunk, one in zip(chunks, near, strict=True)
        ]
        return tuple(sorted(hits, key=lambda hit: -hit.scores["meaning"]))


class Neighbours:
    """The tables of a data set by their nearness in meaning to a question."""

    def __init__(self, contexts: Sequence[Context], embedder: Embedder) -> None:
        self._contexts = [context for context in contexts if context.table is not None]
        self._embedder = embedder
        self._vectors = embedder.embed([_table_text(context.table) for context in self._contexts if context.table])

    def nearest(self, question: str, n: int, context: Context) -> list[Context]:
        """The n nearest tables other than the context's, nearest first."""
        order = np.argsort(-(self._vectors @ self._embedder.embed([question])[0]))[: n + 1]
        return [self._contexts[k] for k in order if self._contexts[k] is not context][:n]


def _table_text(table: Table) -> str:
    headers = " ; ".join(" > ".join(header.path) for header in (*table.columns, *table.rows))
    return f"{table.title}\n{headers[:EMBED_TABLE_CHARS]}"


def _chunks(context: Context) -> list[Chunk]:
    """The paragraphs, and the rows of the table as the product cuts them."""
    chunks = [
        Chunk(f"p{n}{context.id}", context.id, "prose", "text", text, "", "", NOWHERE, n)
        for n, text in enumerate(context.paragraphs, start=1)
    ]
    table = context.table
    rows = row_texts(table) if table else {}
    for n, (row, text) in enumerate(rows.items(), start=len(chunks) + 1):
        assert table is not None
        where = locate_cells(table.locator, [cell for cell in table.cells if cell.row == row])
        chunks.append(
            Chunk(f"r{row}{context.id}", context.id, "row", "text", text, "", table.title, where, n, table.id, row=row)
        )
    return chunks
