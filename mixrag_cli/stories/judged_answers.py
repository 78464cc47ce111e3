"""Answers judged by a person's right ones: each question is asked as ask would, and its best answer is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mixrag_cli.evaluation.answers import says_right
from mixrag_cli.recap.grading import shipped_grading
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.records.answers import Answer
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.labels import RightAnswer
from mixrag_cli.stories.scanning import FileScanner
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.surety import JudgedAnswer

PHASE = "answers"
ANYWHERE = Scope()
NOWHERE: Mapping[int, str] = {}


def judge_answers(
    session: Session, labels: Sequence[RightAnswer], documents: Mapping[int, str], events: IndexEvents
) -> list[JudgedAnswer]:
    """The best answers to these questions, judged; those to which none is found are not among them.

    documents: as place_labels gives them.
    """
    events.phase(PHASE, len(labels))
    found = []
    for count, label in enumerate(labels, start=1):
        found.append(judge_answer(session, label, documents))
        events.advance(count, label.question)
    return [judged for judged in found if judged is not None]


def judge_answer(
    session: Session, label: RightAnswer, documents: Mapping[int, str] = NOWHERE, scope: Scope = ANYWHERE
) -> JudgedAnswer | None:
    """The best answer, judged; None where none is found."""
    answer = best_answer(session, label.question, scope)
    if answer.status != "answered":
        return None
    value = None if answer.value is None else float(answer.value)
    is_said = says_right(label.question, label.forms, answer.text, value, answer.unit)
    is_shown = value is None and any(label.is_shown_by(source.hit.chunk, documents) for source in answer.sources)
    return JudgedAnswer(answer.confidence, is_said or is_shown)


def best_answer(session: Session, question: str, scope: Scope = ANYWHERE) -> Answer:
    """The built-in reader's best answer, however unsure it is by the shipped grading; abstained where it finds none."""
    restated, base, _ = prepare(session, question, scope, Clock(), FileScanner(session))
    return read_answer(restated, base, replace(shipped_grading(), stated=0.0))
