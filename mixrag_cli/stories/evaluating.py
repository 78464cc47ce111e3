"""evaluate(): the story of a measurement, through the same doors as a person's questions.

1. the data set's documents are indexed into the cache, once for each way of indexing that the runs need
2. each run puts every question to a session with its own settings: search, and ask where answers are wanted
3. each question is scored by each measure; the runs are compared, question by question
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.evaluation.ablation import settings_of
from mixrag_cli.evaluation.datasets import DataSet, Question, of_size
from mixrag_cli.evaluation.judging import Judged, judge_answer
from mixrag_cli.evaluation.nearness import PASSAGES, Nearness, measure_nearness
from mixrag_cli.evaluation.relevance import SourcePlaces, grade_passages
from mixrag_cli.evaluation.reporting import (
    EvalReport,
    Run,
    Scored,
    Sized,
    compare_runs,
    report_run,
    score_run,
    take_best,
)
from mixrag_cli.evaluation.scoring import Measure, Outcome
from mixrag_cli.generator import Generator
from mixrag_cli.models import require_generator
from mixrag_cli.models.replies import CachedGenerator, ReplyCache
from mixrag_cli.records.answers import Answer
from mixrag_cli.records.passages import Hit
from mixrag_cli.settings import Settings
from mixrag_cli.stories.embedding import text_to_embed
from mixrag_cli.stories.eval_corpus import Corpus, corpus_folder, prepare_corpus
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session

# More passages than any source gives: a ranking of documents is made of all that was found.
SEARCH_DEPTH = 1_000


@dataclass(frozen=True, slots=True)
class EvalPlan:
    """What to measure and how.

    runs: the first is what the others are compared with. split: whose questions the figures are of, "" for all.
    grouped_by: a field of the questions to tell means by, "" for none. with_answers: ask, not only search.
    judge: the generator that judges answers, "" for none.
    fresh: index again. replay: call no model whose reply is not cached.
    """

    dataset: DataSet
    runs: tuple[Run, ...]
    measures: tuple[Measure, ...]
    split: str = ""
    grouped_by: str = ""
    with_answers: bool = False
    judge: str = ""
    is_ablation: bool = False
    fresh: bool = False
    replay: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The report, and the scores it was made from, run by run in the order of the questions."""

    report: EvalReport
    scored: tuple[Scored, ...]
    questions: tuple[Question, ...]


def evaluate(plan: EvalPlan, settings: Settings, cache: Path, events: IndexEvents) -> Evaluation:
    """Run everything and report.

    Raises WrongUsage for a run with impossible settings, and whatever indexing, searching and asking raise.
    """
    questions = plan.dataset.questions
    wanted = [settings_of(run, settings) for run in plan.runs]
    generators = _Generators(ReplyCache(cache / "replies"), replay=plan.replay)
    corpora = _Corpora(plan.dataset, cache, events, generators, fresh=plan.fresh)
    judge = generators.of(replace(settings, generator=plan.judge)) if plan.judge else None
    scored: list[Scored] = []
    notes: dict[str, None] = {}
    models: Mapping[str, str] = {}
    for run, own in zip(plan.runs, wanted, strict=True):
        corpus = corpora.of(own)
        asker = _Asker(corpus, corpus.open(own), plan, judge)
        if own.generator:
            asker.session.use_generator(generators.of(own))
        models = {**asker.models(), **models}
        events.phase(f"run {run.name}", len(questions))
        outcomes = []
        for count, question in enumerate(questions, start=1):
            outcomes.append(asker.ask(question))
            generators.ensure_complete()
            events.advance(count, question.text)
        notes |= dict.fromkeys((*corpus.notes, *asker.notes()))
        scored.append(score_run(run, questions, outcomes, plan.measures))
    report = EvalReport(
        dataset=plan.dataset.name,
        kind=plan.dataset.kind,
        queries=sum(not plan.split or question.split == plan.split for question in questions),
        split=plan.split,
        runs=tuple(report_run(each, questions, plan.split, plan.grouped_by) for each in scored),
        comparisons=compare_runs(scored, questions, plan.split, [measure.name for measure in plan.measures]),
        is_ablation=plan.is_ablation,
        grouped_by=plan.grouped_by,
        models=models,
        notes=tuple(notes),
        oracle=report_run(take_best(scored), questions, plan.split, plan.grouped_by) if len(scored) > 1 else None,
    )
    return Evaluation(report, tuple(scored), questions)


def evaluate_sizes(
    plan: EvalPlan, sizes: Sequence[int], settings: Settings, cache: Path, events: IndexEvents
) -> Evaluation:
    """The evaluation over the largest corpus, with what the runs came to over each smaller one.

    sizes: numbers of documents, 0 for all. Raises as evaluate and of_size do.
    """
    corpora = [of_size(plan.dataset, size) for size in sizes]
    corpora.sort(key=lambda each: len(each.documents))
    done = [evaluate(replace(plan, dataset=each), settings, cache, events) for each in corpora]
    sized = [Sized(len(each.documents), found.report.runs) for each, found in zip(corpora, done, strict=True)]
    if len(sized) < 2:
        return done[-1]
    return replace(done[-1], report=replace(done[-1].report, sizes=tuple(sized)))


class _Corpora:
    """The indexed data set, once for each way of indexing."""

    def __init__(
        self, dataset: DataSet, cache: Path, events: IndexEvents, generators: _Generators, *, fresh: bool
    ) -> None:
        self._dataset = dataset
        self._cache = cache
        self._events = events
        self._generators = generators
        self._fresh = fresh
        self._known: dict[Path, Corpus] = {}

    def of(self, settings: Settings) -> Corpus:
        """The data set as these settings index it."""
        folder = corpus_folder(self._dataset, settings, self._cache)
        if folder not in self._known:
            generator = partial(self._generators.open, settings) if settings.generator else None
            self._known[folder] = prepare_corpus(
                self._dataset, settings, folder, self._events, generator, fresh=self._fresh
            )
        return self._known[folder]


class _Generators:
    """The generators that runs name, each behind the cache of replies and opened once."""

    def __init__(self, replies: ReplyCache, *, replay: bool) -> None:
        self._replies = replies
        self._replay = replay
        self._known: dict[str, CachedGenerator] = {}

    def of(self, settings: Settings) -> CachedGenerator:
        """The generator that the settings name, kept open. Raises as open does."""
        identity = _identity_of(settings)
        if identity not in self._known:
            self._known[identity] = self.open(settings)
        return self._known[identity]

    def open(self, settings: Settings) -> CachedGenerator:
        """The same for the caller alone, who closes it.

        Raises ModelUnusable, in a replay where nothing is known of it.
        """
        return CachedGenerator(
            _identity_of(settings), partial(require_generator, settings), self._replies, replay=self._replay
        )

    def ensure_complete(self) -> None:
        """Raise ModelUnusable where a replay lacked a reply: without it the figures would be other ones."""
        for generator in self._known.values():
            if generator.missing:
                raise ModelUnusable(f"replay: {generator.missing}", "the same command without --replay")


def _identity_of(settings: Settings) -> str:
    return "\n".join((settings.generator, settings.generator_model, str(settings.context_tokens)))


class _Asker:
    """Puts questions to one session and turns what comes back into the data set's own terms."""

    def __init__(self, corpus: Corpus, session: Session, plan: EvalPlan, judge: Generator | None) -> None:
        self.session = session
        self._plan = plan
        self._judging = judge
        rows = [row for row in session.document_rows if row.status in ("indexed", "empty")]
        self._names = corpus.names(rows)
        self._rows = {self._names[row.id]: row.path for row in rows if row.id in self._names}
        self._texts = {document.id: document.text for document in corpus.dataset.documents}
        self._passages: dict[str, list[tuple[str, str, tuple[int, int]]]] = {}
        self._unknown: set[str] = set()

    def ask(self, question: Question) -> Outcome:
        """Search, and answer where the plan wants it."""
        started = time.perf_counter()
        hits = self.session.search(question.text, Scope(), SEARCH_DEPTH).hits
        search_ms = (time.perf_counter() - started) * 1000
        ranking, relevant = self._judge(question, hits)
        if not self._plan.with_answers:
            return Outcome(ranking, relevant, search_ms=search_ms)
        started = time.perf_counter()
        answer = self.session.ask(question.text, self._scope(question))
        answer_ms = (time.perf_counter() - started) * 1000
        near = self._nearness(question, answer, hits) if self._needs_vectors() else None
        judged = self._judged(question, answer, hits)
        return Outcome(ranking, relevant, answer, near, judged, search_ms, answer_ms)

    def models(self) -> dict[str, str]:
        """What answers, by its part."""
        known = {"embedder": self.session.embedder.name}
        known |= {"judge": self._judging.name} if self._judging is not None else {}
        return {**known, "generator": self.session.load_generator().name} if self.session.has_generator else known

    def notes(self) -> list[str]:
        """What was found to be amiss while asking."""
        if not self._unknown:
            return []
        first = min(self._unknown)
        return [f"{len(self._unknown)} documents that questions name are not in the index (first: {first})"]

    def _needs_vectors(self) -> bool:
        return any(measure.needs_vectors for measure in self._plan.measures)

    def _judge(self, question: Question, hits: Sequence[Hit]) -> tuple[tuple[str, ...], dict[str, float]]:
        """The ranking and what is relevant in it: passages where the evidence is spans, else documents."""
        if question.spans:
            spans = [replace(span, document=self._resolve(span.document)) for span in question.spans]
            passages = [each for name in sorted({span.document for span in spans}) for each in self._passages_of(name)]
            return tuple(hit.chunk.id for hit in hits), grade_passages(spans, passages)
        names = (self._names[hit.chunk.document] for hit in hits if hit.chunk.document in self._names)
        relevant = {self._resolve(document): grade for document, grade in question.relevant.items()}
        return tuple(dict.fromkeys(names)), relevant

    def _resolve(self, document: str) -> str:
        """A document's name in the index: of files, the one whose path ends so."""
        if document in self._rows:
            return document
        found = [name for name in self._rows if f"/{name}".endswith(f"/{document}")]
        if len(found) != 1:
            self._unknown.add(document)
            return document
        return found[0]

    def _scope(self, question: Question) -> Scope:
        return Scope(paths=(self._rows[question.context],)) if question.context in self._rows else Scope()

    def _passages_of(self, name: str) -> list[tuple[str, str, tuple[int, int]]]:
        if name not in self._passages:
            ids = [row_id for row_id, known in self._names.items() if known == name]
            chunks = [chunk for row_id in ids for chunk in self.session.reader.chunks_of(row_id)]
            places = SourcePlaces(self._texts[name]) if name in self._texts else None
            self._passages[name] = [
                (chunk.id, name, places.locate(chunk) if places else chunk.locator.chars) for chunk in chunks
            ]
        return self._passages[name]

    def _judged(self, question: Question, answer: Answer, hits: Sequence[Hit]) -> Judged | None:
        if self._judging is None or not any(measure.needs_judge for measure in self._plan.measures):
            return None
        said = answer.present or answer.text if answer.status == "answered" else None
        gold = " ".join(question.answers) or None
        passages = [text_to_embed(hit.chunk) for hit in hits[:PASSAGES]]
        return judge_answer(question.text, said, gold, passages, self._judging, self.session.settings.seed)

    def _nearness(self, question: Question, answer: Answer, hits: Sequence[Hit]) -> Nearness:
        near = hits[:PASSAGES]
        parts = [
            [text_to_embed(hit.chunk) for hit in near],
            [f"{answer.asks}: {answer.text}"] if answer.status == "answered" else [],
            [" ".join(question.answers)] if question.answers else [],
        ]
        vectors = self.session.embedder.embed([text for part in parts for text in part])
        passages, answered, gold = np.split(vectors, np.cumsum([len(part) for part in parts])[:2])
        return measure_nearness(
            self.session.vector_of(question.text),
            answered[0] if len(answered) else None,
            gold[0] if len(gold) else None,
            passages,
        )
