"""Calibrating a collection when its user asks for it: to judged questions, or without to itself.

judged questions ─► their candidates, their own passages relevant ─► the shipped curves, bent ─► the store's record
right answers    ─► the best answers to their questions ─► how sure answers are here (surety.py) ─► the record
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mixrag_cli.errors import WrongUsage
from mixrag_cli.models import load_embedder
from mixrag_cli.retrieval.assessment import Assessment
from mixrag_cli.retrieval.calibration import Calibration, calibration_for
from mixrag_cli.retrieval.learning import DRAWN, JudgedQuestion, held_out_error
from mixrag_cli.settings import Settings
from mixrag_cli.store import StoreWriter, find_store, reopen_writer
from mixrag_cli.stories.calibrating import (
    FEWEST_PASSAGES,
    FEWEST_QUESTIONS,
    PHASE,
    assessed,
    fit_and_assess,
    is_telling,
    judge_itself,
    read_passages,
    store_calibration,
)
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.extras import CALIBRATION, SURETY
from mixrag_cli.stories.judged_answers import judge_answers
from mixrag_cli.stories.labels import Label, Labels, RightAnswer, judge_labels, place_labels
from mixrag_cli.stories.reranking import LANGUAGE_MODEL, is_outside
from mixrag_cli.stories.session import Session, ensure_same_model
from mixrag_cli.stories.surety import FEWEST_ANSWERS, SuretyFit, fit_surety, to_extra


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """What calibrating came to.

    rerank: the reranker that it is for. is_stored: whether the index keeps it; where not, the one in use stays.
    assessment: None where the scores were left as they were or set back. answers: what judged answers made of the
    surety, None where there were none, or too few. notes: for people.
    """

    store: Path
    rerank: str
    calibration: Calibration
    is_stored: bool
    assessment: Assessment | None = None
    answers: SuretyFit | None = None
    notes: tuple[str, ...] = ()


def calibrate_store(
    start: Path, settings: Settings, labels: Labels, events: IndexEvents, wait_s: float = 0
) -> CalibrationReport:
    """Fit the store found from start upward, to the labels where there are some, else to itself.

    Nothing is stored before all of a fit is done. Raises NoIndex, StoreLocked, StoreMismatch, ModelUnusable, and
    WrongUsage for a label that names a place which the index does not hold.
    """
    store = find_store(start, settings.store)
    if settings.rerank == LANGUAGE_MODEL:
        raise WrongUsage("a language model that reranks gives no scores to calibrate", "mixrag config set rerank late")
    with reopen_writer(store, wait_s) as writer:
        reader = writer.read()
        documents = place_labels(reader, labels.places)  # said before a model is loaded
        embedder = load_embedder(settings)
        ensure_same_model(reader, embedder)
        session = Session(reader, embedder, settings)
        report = CalibrationReport(store, settings.rerank, session.calibration, False)
        if labels.places or not labels.answers:
            report = _calibrate_scores(session, writer, report, labels.places, documents, events)
        if labels.answers:
            if report.is_stored:  # they are asked by the scores as they are now
                session = Session(writer.read(), embedder, settings)
            report = _calibrate_answers(session, writer, report, labels.answers, documents, events)
    return report


def _calibrate_scores(
    session: Session,
    writer: StoreWriter,
    report: CalibrationReport,
    labels: Sequence[Label],
    documents: Mapping[int, str],
    events: IndexEvents,
) -> CalibrationReport:
    """The report with what the sources' scores are worth, stored where that is no worse than before."""
    if labels:
        questions, notes = judge_labels(session, labels, documents, events, PHASE)
        calibration, assessment = fit_and_assess(session, questions, "labels")
    else:
        with writer.read() as reader:
            questions, notes = judge_itself(session, read_passages(reader), events), ()
        if note := _too_little(session, questions):
            calibration, assessment = assessed(session, questions, lambda _: session.shipped_calibration)
            return replace(report, calibration=calibration, assessment=assessment, notes=(note,))
        calibration, assessment = fit_and_assess(session, questions, "collection")
    report = replace(report, calibration=calibration, assessment=assessment, notes=notes)
    if worse := _is_worse(session, questions, calibration, assessment):
        return replace(report, notes=(*notes, worse))
    store_calibration(writer, report.rerank, calibration)
    return replace(report, is_stored=True, notes=(*notes, *_worth_of_reranker(report.rerank, calibration)))


def _calibrate_answers(
    session: Session,
    writer: StoreWriter,
    report: CalibrationReport,
    labels: Sequence[RightAnswer],
    documents: Mapping[int, str],
    events: IndexEvents,
) -> CalibrationReport:
    """The report with how sure answers are here, stored where answers that were left out are promised better so."""
    judged = judge_answers(session, labels, documents, events)
    if len(judged) < FEWEST_ANSWERS:
        few = f"too few judged answers: {len(judged)} of at least {FEWEST_ANSWERS}; answers stay as sure as they were"
        return replace(report, notes=(*report.notes, few))
    fit = fit_surety(len(labels), judged)
    if not fit.is_better:
        worse = "answers stay as sure as they were: those left out while fitting are promised no better"
        return replace(report, answers=fit, notes=(*report.notes, worse))
    writer.put_extra(to_extra(fit))
    return replace(report, answers=fit)


def _is_worse(
    session: Session, questions: Sequence[JudgedQuestion], fitted: Calibration, assessment: Assessment
) -> str:
    """Why the fit is not taken: on questions that it was not fitted on it errs more than the one in use; else "".

    The one in use is judged by its own figure where it came of questions of the same kind, which it may have been
    fitted on; else by what it makes of these.
    """
    kept = session.calibration
    if kept.origin == fitted.origin:
        before = kept.error
    else:
        before = held_out_error(
            questions, lambda _: kept, session.settings.words_candidates, drawn=fitted.origin == DRAWN
        )
    if before is None or not assessment.error > before:
        return ""
    return (
        f"not taken: on questions left out while fitting it errs by {assessment.error:.3f}, "
        f"the one in use by {before:.3f}, which stays"
    )


def reset_calibration(start: Path, settings: Settings, wait_s: float = 0) -> CalibrationReport:
    """Forget what was fitted to the store, for every reranker. Raises NoIndex, StoreLocked."""
    store = find_store(start, settings.store)
    with reopen_writer(store, wait_s) as writer:
        writer.put_extra({CALIBRATION: {}, SURETY: {}})
    notes = ("the next index run may fit the scores again",) if settings.calibration == "auto" else ()
    return CalibrationReport(store, settings.rerank, calibration_for({}, settings.rerank), False, notes=notes)


def _worth_of_reranker(rerank: str, calibration: Calibration) -> tuple[str, ...]:
    """For people, where a model's scores turned out to tell nothing of this collection."""
    if not is_outside(rerank) or calibration.weights["rerank"]:
        return ()
    return (f"{rerank} does not tell relevant passages from others here; its scores are left out",)


def _too_little(session: Session, questions: Sequence[JudgedQuestion]) -> str:
    """Why a collection cannot be calibrated to itself, "" where it can."""
    passages = session.reader.record.chunks
    if passages < FEWEST_PASSAGES:
        return f"{passages:,} passages are too few to draw from (at least {FEWEST_PASSAGES}); the shipped curves stay"
    telling = sum(map(is_telling, questions))
    if telling < FEWEST_QUESTIONS:
        return f"only {telling} drawn questions tell their passage from others; the shipped curves stay"
    return ""
