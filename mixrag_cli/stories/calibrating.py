"""Calibrating a collection to itself when indexing ends, with no labels; by wish see calibrating_by_wish.py.

passages spread over the collection ─► a question each ─► the product's own candidates, reranked
                                    ─► the own passage is relevant, what resembles it unjudged, the rest is not
                                    ─► the shipped curves, bent ─► the store's record
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from pathlib import Path
from typing import Any

from mixrag_cli.errors import MixragError
from mixrag_cli.models import Embedder
from mixrag_cli.records.files import stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.retrieval.assessment import Assessment, Fit, assess
from mixrag_cli.retrieval.calibration import FORMAT, Calibration
from mixrag_cli.retrieval.drawing import DrawnQuestion, draw_questions, statements_of
from mixrag_cli.retrieval.learning import POOL, JudgedQuestion, fit_calibration
from mixrag_cli.retrieval.weighing import weigh_reranker
from mixrag_cli.settings import Settings
from mixrag_cli.store import (
    CommitRecord,
    StoreReader,
    StoreWriter,
    read_record,
)
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.extras import CALIBRATION, CALIBRATION_DUE, SURETY
from mixrag_cli.stories.labels import resembles
from mixrag_cli.stories.reranking import LANGUAGE_MODEL, is_outside
from mixrag_cli.stories.session import Session

PHASE = "calibrate"
N_QUESTIONS = 64  # about 3 s on two cores
FEWEST_QUESTIONS = 20  # that tell something; fewer would say little beside the shipped curves
LEAST_OTHERS = 1 / 3  # of a drawn question's candidates that must be judged as others; not tuned
# Of computing, that indexing may spend on it; what was asked by then has to do. Not by the clock: a busy machine would
# fit to fewer questions than a quiet one, and make another index of the same files.
COMPUTING_SECONDS = 16.0
FEWEST_PASSAGES = 300  # below, the candidates of a question are most of the collection and the priors know more
CHANGED_ENOUGH = 0.25  # of the passages, since the last fit
# Judged candidates that the shipped curves are worth. Drawn questions are no person's: they may move a curve, not make
# it. On HetDocQA dev the balanced accuracy of acceptance is .760 with 300, .778 with 1,000, .792 with 3,000 (.826 as
# shipped), on half of the mixed collection's questions .613, .624, .616 (.536 as shipped). What a user judged counts
# for more.
STRENGTH = 3_000.0
LABELS_STRENGTH = 40.0
N_AROUND = 20  # statements of a document to mix words from
READ_WHOLE = 2_048  # passages; of a larger collection only a sample is read
RUN = 8  # passages that are read next to each other, so that a drawn one has words of its document around it


# --- when indexing ends ---------------------------------------------------------------------------------------------


def is_due(extra: Mapping[str, Any], rerank: str, passages: int) -> bool:
    """Whether a collection of so many passages wants fitting, for this reranker. What people judged stays."""
    if passages < FEWEST_PASSAGES or rerank == LANGUAGE_MODEL:
        return False
    known = extra.get(CALIBRATION, {}).get(rerank, {})
    if known.get("format", FORMAT) != FORMAT:  # one that can no longer be read
        return True
    if known.get("origin") == "labels":
        return False
    before = known.get("passages", 0) if known.get("origin") == "collection" else 0
    return abs(passages - before) > CHANGED_ENOUGH * passages


def is_left(record: CommitRecord, settings: Settings) -> bool:
    """Whether an earlier run began to fit the index to itself and did not end."""
    return settings.calibration != "off" and bool(record.extra.get(CALIBRATION_DUE))


def calibrate_when_due(writer: StoreWriter, embedder: Embedder, settings: Settings, events: IndexEvents) -> str:
    """Fit the finished index to itself where enough of it is new; why that failed, or "".

    Never raises but for an interruption: the index is whole without it, and the next run takes it up.
    """
    if settings.calibration == "off":
        return ""
    try:
        due = is_due(writer.record.extra, settings.rerank, writer.record.chunks)
        if due != bool(writer.record.extra.get(CALIBRATION_DUE)):
            writer.put_extra({CALIBRATION_DUE: due})
        if due:
            _fit_itself(writer, embedder, settings, events)
            writer.put_extra({CALIBRATION_DUE: False})
    except Exception as error:  # whatever it is, the index stands and the shipped calibration serves
        return f"the scores are not calibrated to this collection: {error}"
    return ""


def _fit_itself(writer: StoreWriter, embedder: Embedder, settings: Settings, events: IndexEvents) -> None:
    with writer.read() as reader:
        session = Session(reader, embedder, settings)
        questions = judge_itself(session, read_passages(reader), events, time.process_time() + COMPUTING_SECONDS)
        if sum(map(is_telling, questions)) >= FEWEST_QUESTIONS:
            calibration, _ = fit_and_assess(session, questions, "collection")
            store_calibration(writer, settings.rerank, calibration)


def read_passages(reader: StoreReader) -> list[Chunk]:
    """The passages to draw questions from: all of a small collection, runs of a large one.

    The same for the same files, wherever their folder lies, and in whatever order and how many runs they were indexed.
    """
    runs = [(row, first) for row in reader.document_rows(["indexed"]) for first in range(0, row.chunks, RUN)]
    if reader.record.chunks > READ_WHOLE:
        runs = nsmallest(READ_WHOLE // RUN, runs, key=lambda run: stable_id(run[0].bytes_hash, run[0].key, run[1]))
    places: dict[str, set[int]] = {}
    for row, first in sorted(runs, key=lambda run: (run[0].key, run[1])):
        places.setdefault(row.id, set()).update(range(first, first + RUN))
    return reader.chunks_in(places)


def fit_and_assess(
    session: Session, questions: Sequence[JudgedQuestion], origin: str
) -> tuple[Calibration, Assessment]:
    """The shipped calibration bent to judged questions, and what it is worth on those left out while fitting.

    origin: "collection" for drawn questions, "labels" for a person's.
    """
    return assessed(session, questions, _fit_for(session, origin, session.reader.record.chunks))


def judge_itself(
    session: Session, chunks: Sequence[Chunk], events: IndexEvents, deadline: float = float("inf")
) -> list[JudgedQuestion]:
    """Questions drawn from these passages with their candidates judged; those that were asked before the deadline.

    deadline: of time.process_time().
    """
    drawn = draw(session, chunks)
    events.phase(PHASE, len(drawn))
    judged: list[JudgedQuestion] = []
    for question in drawn:
        if time.process_time() > deadline:
            break
        judged.append(judge_drawn(session, question))
        events.advance(len(judged))
    return judged


def draw(session: Session, chunks: Sequence[Chunk]) -> list[DrawnQuestion]:
    """At most N_QUESTIONS questions; the same for the same passages."""
    around: dict[str, list[str]] = {}
    for chunk in chunks:
        around.setdefault(chunk.document, []).extend(statements_of(chunk)[:2])
    whole = [chunk for chunk in chunks if not chunk.is_words_only]  # of the others no source but the words can know
    chosen = random.Random(session.reader.record.chunks).sample(whole, min(N_QUESTIONS, len(whole)))
    around = {document: texts[:N_AROUND] for document, texts in around.items()}
    return draw_questions(chosen, around, session.statistics.weights, "calibration")


def judge_drawn(session: Session, drawn: DrawnQuestion) -> JudgedQuestion:
    """The candidates of a drawn question: its own passage is relevant, its likes and its table's are unjudged."""
    hits = session.gather(drawn.text, None, Clock())
    own = drawn.chunk
    relevant = {own.id} & {hit.chunk.id for hit in hits}
    alike = {hit.chunk.id for hit in hits if hit.chunk.id != own.id and resembles(hit.chunk, own)}
    return JudgedQuestion(hits, relevant, alike)


def is_telling(question: JudgedQuestion) -> bool:
    """Whether a drawn question tells relevant candidates from others.

    Not where its passage was not found, nor where most candidates resemble it, as rows of like tables do: with few
    others left, nearly all that is judged would be relevant, and every threshold would sink.
    """
    pool = question.hits[:POOL]
    others = sum(hit.chunk.id not in question.relevant and hit.chunk.id not in question.unjudged for hit in pool)
    return bool(question.relevant) and others >= LEAST_OTHERS * len(pool)


# --- through a rebuild ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JudgedFits:
    """What people's labels made: worth more than the index it was made on.

    fits: of one embedder's scores, by reranker. surety: of the answers; empty where there is none.
    """

    embedder: str
    fits: Mapping[str, Any]
    surety: Mapping[str, Any] = field(default_factory=dict)


def read_judged_fits(store: Path) -> JudgedFits | None:
    """What labels made and the store keeps; None where it keeps nothing of the kind or cannot be read."""
    try:
        record = read_record(store)
    except MixragError:
        return None
    fits = record.extra.get(CALIBRATION, {})
    judged = {rerank: fit for rerank, fit in fits.items() if fit.get("origin") == "labels"}
    surety = record.extra.get(SURETY, {})
    return JudgedFits(record.embedder, judged, surety) if judged or surety else None


def keep_judged_fits(writer: StoreWriter, judged: JudgedFits) -> str:
    """Put the fits into the store that was made anew; why not, where another model's scores mean something else."""
    if judged.embedder != writer.record.embedder:
        return "the scores were calibrated to labels for another model; calibrate again with mixrag calibrate LABELS"
    writer.put_extra({CALIBRATION: dict(judged.fits), SURETY: dict(judged.surety)})
    return ""


def assessed(session: Session, questions: Sequence[JudgedQuestion], fit: Fit) -> tuple[Calibration, Assessment]:
    """What a fit makes of judged questions, and what it is worth on those left out while fitting."""
    calibration = fit(questions)
    settings = session.settings
    assessment = assess(
        questions,
        calibration,
        session.shipped_calibration,
        fit,
        n_words=settings.words_candidates,
        precision=settings.accept_precision / 100,
    )
    return replace(calibration, error=assessment.error), assessment


def _fit_for(session: Session, origin: str, passages: int) -> Fit:
    """What makes a calibration of judged questions."""

    def fit(questions: Sequence[JudgedQuestion]) -> Calibration:
        kept = [question for question in questions if origin == "labels" or is_telling(question)]
        prior = session.shipped_calibration
        if is_outside(session.settings.rerank):
            prior, kept = weigh_reranker(kept, prior, session.settings.words_candidates)
        fitted = fit_calibration(
            kept,
            prior,
            strength=LABELS_STRENGTH if origin == "labels" else STRENGTH,
            n_words=session.settings.words_candidates,
            origin=origin,
            passages=passages,
        )
        return replace(fitted, questions=len(kept))

    return fit


def store_calibration(writer: StoreWriter, rerank: str, calibration: Calibration) -> None:
    """Keep it beside what the store keeps for other rerankers."""
    known = writer.record.extra.get(CALIBRATION, {})
    writer.put_extra({CALIBRATION: {**known, rerank: calibration.to_json()}})
