"""Collection: an opened store with its models kept warm; what a question finds in it, and the places it can show.

The steps of a search are its methods. The stories over it are told in modules of their own (expanding, retrieving,
answering), which session.py puts together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING

from mixrag_cli.errors import ModelUnusable, WrongUsage
from mixrag_cli.generator import Generator
from mixrag_cli.models import (
    Embedder,
    LateEmbedder,
    load_generator,
    load_language,
    load_reader,
    load_token_vectors,
    require_generator,
)
from mixrag_cli.reading import ReaderModel
from mixrag_cli.records.files import DocumentRow
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.retrieval.acceptance import judge_all
from mixrag_cli.retrieval.calibration import Calibration, calibration_for
from mixrag_cli.retrieval.candidates import find_hits, find_more, merge_hits
from mixrag_cli.retrieval.duplicates import drop_duplicates, limit_files
from mixrag_cli.retrieval.fusion import fuse_hits, put_first
from mixrag_cli.retrieval.matching import QuestionTerms
from mixrag_cli.retrieval.rerank import SOURCE, QuestionTokens, Reranker
from mixrag_cli.retrieval.sources import FINDERS, READERS, ROWS, make_sources, summary
from mixrag_cli.retrieval.sources.base import Query, Source, Widening, add_all_scores, add_scores
from mixrag_cli.retrieval.sources.passages import Passages, read_passages
from mixrag_cli.retrieval.sources.row import Means
from mixrag_cli.retrieval.sources.summary import WithoutSummaries
from mixrag_cli.retrieval.statistics import WordStatistics, ceiling_of
from mixrag_cli.settings import NO_PIPELINE, Settings, source_weights
from mixrag_cli.store import StoreReader, build_filter
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.extras import SUMMARIES, kept_calibration
from mixrag_cli.stories.kept_tree import tree_of
from mixrag_cli.stories.reranking import LANGUAGE_MODEL, make_reranker
from mixrag_cli.stories.scope import Scope, files_meant
from mixrag_cli.stories.showing import Passage, show_passage
from mixrag_cli.terms import text_to_terms

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy as np
    import numpy.typing as npt

    from mixrag_cli.models.token_vectors import KeptTokens
    from mixrag_cli.store.memory import MemoryStore


KEPT_QUERIES = 128  # embedded texts, 8 kB each: those of one question and of what it follows, not of a whole batch


@dataclass(frozen=True, slots=True)
class Around:
    """The passages right before and after one in its file, in the file's order."""

    before: tuple[Chunk, ...] = ()
    after: tuple[Chunk, ...] = ()


class Collection:
    """A store opened at one committed state, or one in memory, and its embedder, kept warm between questions.

    settings: what it was opened with. name: of the collection, which its hits carry; "" where only one is asked.
    loading_reader: its passage_reader where that is being loaded already.
    """

    def __init__(
        self,
        reader: StoreReader | MemoryStore,
        embedder: Embedder,
        settings: Settings,
        name: str = "",
        loading_reader: Future[ReaderModel] | None = None,
    ) -> None:
        self.reader = reader
        self.name = name
        self.embedder = embedder
        self.settings = settings
        self._generator: Generator | None = None
        self._lender: Collection | None = None
        self._loading_reader = loading_reader
        counts = reader.record.counts
        # Not a method of its own: a cycle would keep the reader, and its lock, until the collector comes by.
        self._embedded = lru_cache(maxsize=KEPT_QUERIES)(partial(_embed_query, embedder))
        self._finders = make_sources(FINDERS, self._means(None))
        self._weights = _named_weights(settings, SUMMARIES in reader.record.extra)
        self.statistics = WordStatistics(reader, counts.get("chunks", 0), counts.get("indexed", 0))

    @property
    def has_generator(self) -> bool:
        """Whether the settings name a generator, or one was given; it need not be loaded yet."""
        return bool(self.settings.generator) or self._generator is not None

    def load_generator(self) -> Generator:
        """The generator that the settings name, loaded when first needed and kept warm. Raises ModelUnusable."""
        if self._generator is None:
            lent = None if self._lender is None else self._lender.load_generator()
            self._generator = lent or require_generator(self.settings)
        return self._generator

    def use_generator(self, generator: Generator) -> None:
        """Answer with this generator from now on, whatever the settings name."""
        self._generator = generator

    @property
    def generator_name(self) -> str:
        """The generator that answers, "" for the built-in reader."""
        return self._generator.name if self._generator is not None else self.settings.generator

    def change_generator(self, name: str) -> None:
        """Answer with another generator from now on, "" for none. Raises ModelUnusable, and keeps the one before."""
        settings = replace(self.settings, generator=name)
        self._generator = load_generator(settings)
        self.settings = settings

    @cached_property
    def document_rows(self) -> list[DocumentRow]:
        """The files that the store remembers."""
        return self.reader.document_rows()

    def show(self, ref: str) -> Passage:
        """The place that a citation names, with its surroundings. Raises WrongUsage where it names none."""
        return show_passage(self.reader, self.document_rows, ref)

    def around(self, hits: Sequence[Hit], passages: int) -> dict[str, Around]:
        """For each hit, by its passage's id, so many passages before and after it in its file: of a table's row rows
        of that table, of running text running text.
        """
        found = {}
        for chunk in (hit.chunk for hit in hits):
            near = self.reader.chunks_of(chunk.document, chunk.position - passages, chunk.position + passages)
            same = [each for each in near if each.parent == chunk.parent]
            before = tuple(each for each in same if each.position < chunk.position)
            found[chunk.id] = Around(before, tuple(each for each in same if each.position > chunk.position))
        return found

    def vector_of(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a query, (dim,) float32 of length 1; embedded once while it is kept."""
        vector: npt.NDArray[np.float32] = self._embedded(text)[0]
        return vector

    def tokens_of(self, text: str) -> QuestionTokens:
        """The vectors of a query's tokens, (q, late_dim) float32, from the run that gave its vector."""
        tokens: QuestionTokens | None = self._embedded(text)[1]
        if tokens is None:
            raise ValueError(f"{self.embedder.name} gives no token vectors")
        return tokens

    @cached_property
    def label_tokens(self) -> KeptTokens:
        """The token vectors that header paths are read by; loaded when first needed."""
        return load_token_vectors(self.embedder, self.settings)

    @cached_property
    def passage_reader(self) -> ReaderModel:
        """What reads a question and a passage together; loaded when first needed. Raises ModelUnusable."""
        if self._lender is not None:
            return self._lender.passage_reader
        return load_reader(self.settings) if self._loading_reader is None else self._loading_reader.result()

    def warm_up(self) -> None:
        """Load what a first question needs of the models. Raises ModelUnusable."""
        self.vector_of("warm")
        self.passage_reader.question("warm")

    def borrow_models(self, lender: Collection) -> None:
        """Read and answer by the other collection's models, so that each is loaded once."""
        self._lender = lender

    @cached_property
    def reranker(self) -> Reranker | None:
        """What reads the best candidates once more, None for nothing; loaded when first needed."""
        kept_tokens = self.reader.token_vectors
        return make_reranker(self.settings, self.embedder, self.tokens_of, kept_tokens, self.load_generator)

    @cached_property
    def calibration(self) -> Calibration:
        """What the sources' scores are worth in this collection."""
        return kept_calibration(self.reader.record, self.settings.rerank)

    @property
    def shipped_calibration(self) -> Calibration:
        """What the sources' scores are worth before anything is known of the collection."""
        return calibration_for({}, self.settings.rerank)

    def find(
        self,
        question: str,
        where: str | None,
        clock: Clock,
        operands: Sequence[str] = (),
        sought: Sequence[str] = (),
    ) -> list[Hit]:
        """The candidates for a question, best first, before anything is accepted.

        operands: further texts to search for. What they find is judged by the question too: it is reranked once.
        sought: by whose meaning to search in the question's place.
        """
        fused = self._fused(self.gather(question, where, clock, operands, sought))
        clock.lap("fusion")
        return fused

    def find_besides(
        self, question: str, widened: str, hits: Sequence[Hit], where: str | None, clock: Clock
    ) -> list[Hit]:
        """The hits and what another wording of their question finds besides, best first, as find gives them.

        hits: the question's own. The wording decides what is found; every score is the question's, so that what it
        takes to be accepted stays what it was. BM25 of the other wording's words is therefore no score of a hit.
        """
        known = {hit.chunk.id for hit in hits}
        ceiling = self.statistics.ceiling(text_to_terms(question))
        found = [
            replace(hit, scores={name: hit.scores[name] for name in hit.scores if name != "words"}, ceiling=ceiling)
            for hit in self._candidates(widened, where, clock, judged_by=question)
            if hit.chunk.id not in known
        ]
        fused = self._fused([*hits, *self._scored(question, found, clock)])
        clock.lap("fusion")
        return fused

    def _fused(self, hits: Sequence[Hit]) -> list[Hit]:
        calibration = self.calibration
        if self._weights:
            calibration = replace(calibration, weights={**calibration.weights, **self._weights})
        fused = fuse_hits(hits, calibration, self.settings.fusion, self.settings.words_candidates)
        if self.settings.rerank == LANGUAGE_MODEL and self.settings.fusion == "calibrated":
            fused = put_first(fused, lambda hit: hit.scores.get(SOURCE))
        if self.settings.near_duplicates == "drop":
            fused = drop_duplicates(fused)
        return limit_files(fused, self.settings.passages_a_file)

    def widen(self, question: str, hits: Sequence[Hit]) -> Sequence[Hit]:
        """The hits with what the sources in use want to be read with them; as they are where none knows of any."""
        for source in self._extras:
            if isinstance(source, Widening):
                hits = source.widen(self._query(question, None), hits)
        return hits

    def judge(self, hits: Sequence[Hit]) -> list[Hit]:
        """All of the hits, each saying by which source it passes its threshold, if by any."""
        return judge_all(hits, self.calibration, self.settings.acceptance, self.settings.accept_precision / 100)

    def gather(
        self,
        question: str,
        where: str | None,
        clock: Clock,
        operands: Sequence[str] = (),
        sought: Sequence[str] = (),
    ) -> list[Hit]:
        """The candidates for a question with the raw score of every source, in the order of the first stage."""
        found = [self._candidates(question, where, clock, sought)]
        found += [self._candidates(text, where, clock) for text in operands]
        hits = merge_hits(found) if operands else found[0]
        return self._scored(question, hits, clock, where, grows=True)

    def _scored(
        self, question: str, hits: Sequence[Hit], clock: Clock, where: str | None = None, *, grows: bool = False
    ) -> list[Hit]:
        """The hits with what the sources that read candidates say of them.

        grows: whether sources may propose more, which then stand first. where: the filter that holds for these too.
        """
        if not hits:
            return []
        query, scored = self._query(question, where), list(hits)
        if grows and self._extras:
            more = find_more(self._extras, self._finders, query, hits)
            more = [replace(hit, collection=self.name) for hit in more] if self.name else more
            query, scored = replace(query, n_proposed=len(more)), [*more, *hits]
            clock.lap("propose")
        scored = add_all_scores(self._readers, query, scored)
        for source in (*self._extras, *self._closest):
            scored = self._read(source, query, scored, clock)
        return scored

    def _read(self, source: Source, query: Query, hits: list[Hit], clock: Clock) -> list[Hit]:
        """The hits with one source's scores; as they were where a language model could not give them."""
        try:
            hits = add_scores(source, query, hits)
        except ModelUnusable as error:
            if self.settings.rerank != LANGUAGE_MODEL:
                raise
            clock.left_out.append(f"{source.name}: {error.message}")
        if source.name == SOURCE:
            clock.lap(source.name)
        return hits

    def _candidates(
        self, text: str, where: str | None, clock: Clock, sought: Sequence[str] = (), judged_by: str = ""
    ) -> list[Hit]:
        """What words and meaning find for one text, fused, best first.

        judged_by: the question whose cosine is the score "meaning" in the text's place.
        """
        query = self._query(text, where, sought or ((text,) if judged_by else ()), judged_by)
        clock.lap("embed")
        hits = find_hits(self._finders, query, self.settings.words_candidates)
        clock.lap("candidates")
        return [replace(hit, collection=self.name) for hit in hits] if self.name else hits

    def _query(self, text: str, where: str | None, sought: Sequence[str] = (), judged_by: str = "") -> Query:
        """The text as sources take it. sought, judged_by: as in _candidates."""
        vector = self.vector_of(judged_by or text)
        vectors = tuple(self.vector_of(other) for other in sought)
        terms = text_to_terms(text)
        known = QuestionTerms(terms, self.statistics.weights(terms))
        return Query(text, vector, ceiling_of(known.weights), where, vectors, self.reader.record.roots, known)

    def _means(self, reranker: Reranker | None) -> Means:
        """What the sources work with. It does not hold the collection, which could then not let go of its store."""
        settings, reader = self.settings, self.reader
        passages = lru_cache(maxsize=1)(partial(_read_all, reader))
        means = Means(
            reader,
            reranker,
            settings.words_candidates,
            settings.meaning_candidates,
            settings.rerank_candidates,
            passages,
            lru_cache(maxsize=1)(partial(_names_in, passages, settings)),
            partial(tree_of, reader),
        )
        return replace(means, store=WithoutSummaries(reader)) if SUMMARIES in reader.record.extra else means

    @cached_property
    def _readers(self) -> tuple[Source, ...]:
        """The sources that read every candidate."""
        return make_sources(READERS, self._means(None))

    @cached_property
    def _extras(self) -> tuple[Source, ...]:
        """The sources beside the usual that have a weight; made when first needed, since they read all passages."""
        named = [name for name, weight in self._weights.items() if weight and ROWS[name].is_extra]
        return make_sources(named, self._means(None)) if named else ()

    @cached_property
    def _closest(self) -> tuple[Source, ...]:
        """What reads the best candidates closely; made when first needed, since it may load a model."""
        return make_sources((SOURCE,), self._means(self.reranker))

    def filter(self, scope: Scope, without: Sequence[str] = ()) -> str | None:
        """The store's filter for a scope, None for everything. without: ids of documents to leave out besides.

        Raises WrongUsage for a scope that names no document.
        """
        documents = None
        if scope.names_files:
            rows = self.document_rows
            meant = files_meant(scope, rows) or files_meant(scope, rows, anywhere=True)
            documents = [row.id for row in meant]
            if not documents:
                raise WrongUsage(f"no indexed file {scope}", "mixrag ls")
        return build_filter(
            document_ids=documents,
            not_documents=without,
            modalities=scope.modalities or None,
            kinds=scope.kinds or None,
        )


def _names_in(passages: Callable[[], Passages], settings: Settings) -> Sequence[frozenset[str]]:
    if settings.nlp == NO_PIPELINE:
        return ()
    return load_language(settings).names_in([chunk.text for chunk in passages().chunks])


def _named_weights(settings: Settings, has_summaries: bool) -> dict[str, float]:
    """The weights that the settings give to sources, and the summaries' own where there are some."""
    named: dict[str, float | None] = {summary.NAME: None} if has_summaries else {}
    named |= source_weights(settings.sources)
    return {name: ROWS[name].weight if weight is None else weight for name, weight in named.items()}


def _read_all(reader: StoreReader | MemoryStore) -> Passages:
    return read_passages(reader.passages())


def _embed_query(embedder: Embedder, text: str) -> tuple[npt.NDArray[np.float32], QuestionTokens | None]:
    if isinstance(embedder, LateEmbedder):
        return embedder.embed_query_late(text)
    return embedder.embed_query(text), None
