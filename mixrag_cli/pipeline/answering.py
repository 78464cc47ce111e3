"""Session: an opened store with a warm embedder, and the story from a question to an answer.

1. restate: the kind of question and its operands
2. candidates by words and by meaning for the question and for each operand, fused
3. accept by each source's own threshold
4. evidence: the tables behind the hits, and what each document knows of the question's words
5. RECAP: extract, compute, answer, present, or abstain
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mixrag_cli.errors import StoreMismatch, WrongUsage
from mixrag_cli.models import Embedder, load_embedder
from mixrag_cli.pipeline.scope import Scope, path_matches
from mixrag_cli.pipeline.showing import Passage, find_document, show_passage
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.language import stem, words_of
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.recap.restate import Restated, restate
from mixrag_cli.records import Answer, DocumentRow, Hit, Table
from mixrag_cli.retrieval.acceptance import accept
from mixrag_cli.retrieval.candidates import Query, find_hits, merge_hits
from mixrag_cli.retrieval.statistics import WordStatistics
from mixrag_cli.settings import Settings
from mixrag_cli.store import StoreReader, build_filter, find_store, open_reader, text_to_terms

if TYPE_CHECKING:
    from mixrag_cli.store.memory import MemoryStore

EVIDENCE_HITS = 120  # read for evidence; with 60 the right row of a balance sheet was missed once in 20 questions
READER = "built-in"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Ranked passages. timings_ms: "embed", "candidates", "total"."""

    query: str
    hits: tuple[Hit, ...]
    timings_ms: Mapping[str, float]
    warnings: tuple[str, ...] = ()


class _Clock:
    """Wall time by name, in milliseconds."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self.ms: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.ms[name] = round(self.ms.get(name, 0.0) + (now - self._last) * 1000, 1)
        self._last = now

    def total(self) -> dict[str, float]:
        return {**self.ms, "total": round((time.perf_counter() - self._start) * 1000, 1)}


class Session:
    """A store opened at one committed state, or one in memory, and its embedder, kept warm between questions."""

    def __init__(self, reader: StoreReader | MemoryStore, embedder: Embedder, settings: Settings) -> None:
        self.reader = reader
        self._embedder = embedder
        self._settings = settings
        counts = reader.record.counts
        self._statistics = WordStatistics(reader, counts.get("chunks", 0), counts.get("indexed", 0))

    def search(self, query: str, scope: Scope, limit: int) -> SearchResult:
        """The ranked passages for a query, best first.

        Raises WrongUsage for a scope that names no document.
        """
        clock = _Clock()
        hits = self._find(query, self._filter(scope), clock)
        return SearchResult(query, tuple(accept(hits)[:limit]), clock.total())

    def ask(self, question: str, scope: Scope) -> Answer:
        """One answer with its RECAP steps and sources, or an abstention that says why."""
        clock = _Clock()
        restated = restate(question)
        where = self._filter(scope)
        found = [self._find(text, where, clock) for text in _searches(restated)]
        hits = accept(merge_hits(found))[:EVIDENCE_HITS]
        base = self._evidence(restated, hits)
        clock.lap("evidence")
        answer = read_answer(restated, base)
        clock.lap("recap")
        return replace(
            answer,
            faithfulness=self._faithfulness(answer),
            warnings=self._staleness(),
            models={"embedder": self._embedder.name, "reader": READER, "generator": "none"},
            timings_ms=clock.total(),
        )

    @cached_property
    def document_rows(self) -> list[DocumentRow]:
        """The files that the store remembers."""
        return self.reader.document_rows()

    def show(self, ref: str) -> Passage:
        """The place that a citation names, with its surroundings. Raises WrongUsage where it names none."""
        return show_passage(self.reader, self.document_rows, ref)

    def tables_of(self, path: str) -> tuple[str, tuple[Table, ...]]:
        """The display path and the tables found in one file. Raises WrongUsage where it is not indexed."""
        row = find_document(self.document_rows, path)
        return row.path, tuple(self.reader.tables_of(row.id))

    def _find(self, text: str, where: str | None, clock: _Clock) -> list[Hit]:
        vector = self._embedder.embed_query(text)
        clock.lap("embed")
        query = Query(text, vector, self._statistics.ceiling(text_to_terms(text)), where)
        hits = find_hits(self.reader, query, self._settings.words_candidates, self._settings.meaning_candidates)
        clock.lap("candidates")
        return hits

    def _filter(self, scope: Scope) -> str | None:
        documents = None
        if scope.paths:
            documents = [row.id for row in self.document_rows if any(path_matches(row.path, p) for p in scope.paths)]
            if not documents:
                raise WrongUsage(f"no indexed file matches {', '.join(scope.paths)}", "mixrag status")
        return build_filter(document_ids=documents, modalities=scope.modalities or None, kinds=scope.kinds or None)

    def _evidence(self, restated: Restated, hits: Sequence[Hit]) -> EvidenceBase:
        parents = dict.fromkeys(hit.chunk.parent for hit in hits if hit.chunk.parent)
        words = _words_by_term(restated)
        weights = {term: self._statistics.document_weight(variants) for term, variants in words.items()}
        holding = {term: self._statistics.holding(variants) for term, variants in words.items()}
        documents = {hit.chunk.document for hit in hits}
        knows = {
            document: frozenset(term for term, counts in holding.items() if document in counts)
            for document in documents
        }
        similarity = _Similarity(self._embedder, restated.question)
        return EvidenceBase(tuple(hits), self.reader.tables(list(parents)), weights, knows, similarity)

    def _faithfulness(self, answer: Answer) -> float | None:
        """cos(answer, context). Source: Enhanced RAG, section III-E."""
        if answer.status != "answered":
            return None
        context = " ".join(source.text for source in answer.sources)
        vectors = self._embedder.embed([f"{answer.asks}: {answer.text}", context])
        return round(float(vectors[0] @ vectors[1]), 3)

    def _staleness(self) -> tuple[str, ...]:
        stale = sum(row.stale for row in self.document_rows)
        return (f"{stale} files could not be read at the last index and may be out of date",) if stale else ()


@dataclass(frozen=True, slots=True)
class _Similarity:
    """Cosine of texts to one question; the question is embedded at the first use."""

    embedder: Embedder
    question: str

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = self.embedder.embed([self.question, *texts])
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float32)


def open_session(start: Path, settings: Settings) -> Session:
    """Open the store found from start upward and load its embedder, both at once.

    Raises NoIndex, StoreDamaged, StoreMismatch (another model than the settings name), ModelUnusable.
    """
    store = find_store(start, settings.store)
    with ThreadPoolExecutor(max_workers=1) as background:
        loading = background.submit(load_embedder, settings)
        reader = open_reader(store)
        embedder = loading.result()
    if embedder.name != reader.record.embedder:
        raise StoreMismatch(
            f"index was made with model {reader.record.embedder}, not {embedder.name}", "mixrag index --rebuild"
        )
    return Session(reader, embedder, settings)


def _searches(restated: Restated) -> list[str]:
    """The texts to search for: the question, and each operand where an answer needs several."""
    asked = restated.operands if len(restated.operands) > 1 else restated.parts if len(restated.parts) > 1 else ()
    return list(dict.fromkeys([restated.question, *(operand.text for operand in asked)]))


def _words_by_term(restated: Restated) -> dict[str, tuple[str, ...]]:
    """For each term of the question the plain words that the full-text index may hold it as."""
    terms = dict.fromkeys(term for operand in (restated.whole, *restated.operands) for term in operand.terms)
    words = words_of(restated.question)
    variants = {term: [*(word for word in words if stem(word) == term), term] for term in terms}
    variants |= {str(year): [str(year)] for operand in restated.operands for year in operand.facets.years}
    return {term: tuple(dict.fromkeys(found)) for term, found in variants.items()}
