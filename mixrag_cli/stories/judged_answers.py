"""Answers judged by a person's right ones: each question is asked as ask would, and its best answer is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mixrag_cli.evaluation.answers import says_right
from mixrag_cli.recap.grading import shipped_grading
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.records.answers import Answer
from mixrag_cli.stories.answering import prepare
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.labels import RightAnswer
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.surety import JudgedAnswer

PHASE = "answers"


def judge_answers(session: Session, labels: Sequence[RightAnswer], events: IndexEvents) -> list[JudgedAnswer]:
    """The best answers to these questions, judged; those to which none is found are not among them."""
    events.phase(PHASE, len(labels))
    return [judged for count, label in enumerate(labels, start=1) for judged in _judge(session, label, count, events)]


def _judge(session: Session, label: RightAnswer, count: int, events: IndexEvents) -> Iterator[JudgedAnswer]:
    answer = best_answer(session, label.question, Scope())
    events.advance(count, label.question)
    if answer.status == "answered":
        value = None if answer.value is None else float(answer.value)
        is_right = says_right(label.question, label.forms, answer.text, value, answer.unit)
        yield JudgedAnswer(answer.confidence, is_right)


def best_answer(session: Session, question: str, scope: Scope) -> Answer:
    """The built-in reader's best answer, stated however unsure it is, with the shipped confidence."""
    restated, base, _ = prepare(session, question, scope, Clock())
    return read_answer(restated, base, replace(shipped_grading(), stated=0.0))
