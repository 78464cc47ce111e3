"""What is cut from a file, searched and cited; what a search finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mixrag_cli.records.documents import Modality
from mixrag_cli.records.files import path_from_root, stable_id
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Table

ChunkKind = Literal["prose", "code", "table", "row"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is embedded, searched and cited.

    text: as a person reads it. context: heading path or scope or table title, put in front when embedding.
    words: what the full-text index sees beyond text and context (split identifiers, plain numbers, names).
    parent: id of the table that a row or table chunk shows, else "". row: the table row a "row" chunk shows.
    """

    id: str
    document: str
    kind: ChunkKind
    modality: Modality
    text: str
    context: str
    words: str
    locator: Locator
    position: int
    parent: str = ""
    row: int | None = None

    @property
    def belongs_to(self) -> str:
        """The id of the table that it shows, else its own: all rows of a table are one place."""
        return self.parent or self.id

    @property
    def is_words_only(self) -> bool:
        """Whether it is a block of a long table's rows, which has no vector and is searched by words alone."""
        return self.kind == "row" and self.row is None

    @property
    def is_whole_table(self) -> bool:
        """Whether it is the passage of a whole table."""
        return self.kind == "table" and bool(self.parent) and not self.is_summary

    @property
    def is_summary(self) -> bool:
        """Whether it is the passage by which a table's summary is found."""
        return self.kind == "table" and bool(self.parent) and self.id == summary_chunk_id(self.parent)


def summary_chunk_id(table_id: str) -> str:
    """The id of the passage by which a table's summary is found."""
    return stable_id("summary", table_id)


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that a worker process makes of one file: ready to embed and to store.

    n_words_only: how many of the chunks, at their end, are searched by words alone and get no vector.
    """

    modality: Modality
    title: str
    chunks: tuple[Chunk, ...]
    tables: tuple[Table, ...]
    n_characters: int
    warnings: tuple[str, ...] = ()
    n_words_only: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate passage with its raw score from each source of evidence.

    path: the document's display path. scores: "words" (BM25), "meaning" (cosine), …; a source that did not return it is
    absent. score: the fused score in [0, 1], by which hits are ordered. probability: calibrated, where a map is fitted.
    threshold: what the raw score of the source judged_by had to reach; where it did, accepted_by is that source.
    ceiling: the highest BM25 score that the words of its query can reach, without which "words" means nothing.
    terms: of the passage in the full-text index, in order, joined by blanks. root: the indexed folder in which an
    absolute path lies, "" for one that is relative. collection: which it is of, "" where only one is asked. vector:
    (dim,) float32 of length 1 where the store keeps one; it does not count where hits are compared.
    """

    chunk: Chunk
    path: str
    title: str
    scores: Mapping[str, float]
    score: float
    probability: float | None = None
    accepted_by: str | None = None
    threshold: float | None = None
    ceiling: float = 0.0
    judged_by: str | None = None
    terms: str = ""
    root: str = ""
    collection: str = ""
    vector: Any = field(default=None, compare=False, repr=False)

    @property
    def promise(self) -> float:
        """How likely it is relevant: the calibrated probability, the fused score where there is none."""
        return self.score if self.probability is None else self.probability

    @property
    def path_below(self) -> str:
        """The path from the indexed folder on."""
        return path_from_root(self.path, self.root)
