"""Judged questions of a user's own: read from JSON lines, found in the index, and turned into judged candidates.

    {"question": "…", "path": "report.pdf", "page": 4}            a passage on this page answers it
    {"question": "…", "path": "notes.md", "lines": [10, 20]}      one that shares half of the lines does
    {"question": "…", "path": "book.xlsx", "cells": "Sheet!B4:C4"}
    {"question": "…", "path": "plan.md", "relevant": false}       none of this file does
    {"question": "…", "answer": "12.5 million"}                   the right answer, or [any, of, these]
    {"question": "…", "answer": null}                             no file answers it

One line may say the place and the answer; one of several words is right, too, where its place is shown. Of a question
with a relevant passage all other candidates are taken for not relevant; of one without, only those named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mixrag_cli.errors import WrongUsage, reason_of
from mixrag_cli.evaluation.answers import SHORT_FORM
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.retrieval.fusion import fuse_hits
from mixrag_cli.retrieval.learning import JudgedQuestion
from mixrag_cli.store import StoreReader
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.questions import checked_question
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.showing import Place, find_document
from mixrag_cli.terms import text_to_terms

MAX_LABELS = 100_000
MAX_LINE_BYTES = 1_000_000
MAX_TOLD = 5  # lines that cannot be used, named one by one
SHARED = 0.5  # of the shorter of two ranges of lines ("Beyond the Reranker", section 5: the 50 % overlap rule)
LABELS_HINT = (
    'one JSON object a line: {"question": "…", "path": "report.pdf", "page": 4} or {"question": "…", "answer": "…"}'
)
ALIKE = 0.8  # share of terms in common from which another passage may answer as well
_CELLS = re.compile(r"(?:'?([^!']*)'?!)?([A-Za-z]{1,3}[1-9]\d{0,6}(?::[A-Za-z]{1,3}[1-9]\d{0,6})?)")


@dataclass(frozen=True, slots=True)
class Label:
    """One judgement. line: where it stands in its file, from 1. place: the whole file where it names no part."""

    line: int
    question: str
    path: str
    place: Place
    is_relevant: bool = True


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """What a question's right answer is. forms: any of them is right; none where the documents do not answer it.

    stands: where the same line says that it stands.
    """

    question: str
    forms: tuple[str, ...]
    stands: Label | None = None

    def is_shown_by(self, chunk: Chunk, documents: Mapping[int, str]) -> bool:
        """Whether a passage of the index shows an answer of several words in its place. documents: as of place_labels.

        Such an answer is told in other words than the passage's own.
        """
        if self.stands is None or self.stands.place == Place() or chunk.document != documents.get(self.stands.line):
            return False
        is_worded = any(len(form.split()) > SHORT_FORM for form in self.forms)
        return is_worded and shares_place(self.stands.place, chunk)


@dataclass(frozen=True, slots=True)
class Labels:
    """All that a person judged: where answers stand, and what they are."""

    places: tuple[Label, ...] = ()
    answers: tuple[RightAnswer, ...] = ()


# --- reading --------------------------------------------------------------------------------------------------------


def read_labels(file: Path) -> Labels:
    """All labels of a file of JSON lines.

    Raises WrongUsage where it cannot be read or holds none, and naming the lines that are no labels.
    """
    places: list[Label] = []
    answers: list[RightAnswer] = []
    problems: list[str] = []
    for number, raw in _lines(file):
        try:
            value = _object_of(raw)
            question = _question_of(value)
            label = _label_of(number, question, value) if "path" in value or "answer" not in value else None
            places += [label] if label else []
            if "answer" in value:
                answers.append(RightAnswer(question, _forms_of(value["answer"]), label))
        except ValueError as error:
            problems.append(f"{file}:{number}: {error}")
    _refuse(problems)
    if not places and not answers:
        raise WrongUsage(f"{file}: no labels", LABELS_HINT)
    return Labels(tuple(places), tuple(answers))


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with file.open("rb") as stream:
            number = 0
            while raw := stream.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(raw) > MAX_LINE_BYTES or number > MAX_LABELS:
                    raise WrongUsage(f"{file}:{number}: too many lines, or one that is too long")
                if raw.strip():
                    yield number, raw.removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise WrongUsage(f"{file}: {reason_of(error, 'cannot be read')}") from error


def _object_of(raw: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ValueError("not valid JSON") from None
    if not isinstance(value, dict):
        raise ValueError('not an object with "question" and "path" or "answer"')
    return value


def _question_of(value: Mapping[str, Any]) -> str:
    question = value.get("question")
    if not isinstance(question, str):
        raise ValueError('has no text "question"')
    try:
        return checked_question(question)
    except WrongUsage as error:
        raise ValueError(error.message) from None


def _forms_of(answer: Any) -> tuple[str, ...]:
    """The forms of a right answer: a text or a number, any of a list, none of null."""
    forms = answer if isinstance(answer, list) else [] if answer is None else [answer]
    if answer == [] or not all(map(_is_form, forms)):
        raise ValueError('"answer" is no text, no number, no list of them and not null')
    return tuple(map(str, forms))


def _is_form(form: Any) -> bool:
    return isinstance(form, str | int | float) and not isinstance(form, bool) and bool(str(form).strip())


def _label_of(number: int, question: str, value: Mapping[str, Any]) -> Label:
    path = value.get("path")
    if not isinstance(path, str) or not path:
        raise ValueError('has no text "path"')
    is_relevant = value.get("relevant", True)
    if not isinstance(is_relevant, bool):
        raise ValueError('"relevant" is neither true nor false')
    return Label(number, question, path, _place_of(value), is_relevant)


def _place_of(value: Mapping[str, Any]) -> Place:
    given = [name for name in ("page", "lines", "cells") if value.get(name) is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)}: one of them says where")
    if "page" in given:
        return Place(page=_positive(value["page"], "page"))
    if "lines" in given:
        lines = value["lines"] if isinstance(value["lines"], list) else [value["lines"]] * 2
        if len(lines) != 2:
            raise ValueError('"lines" is not [first, last]')
        first, last = (_positive(line, "lines") for line in lines)
        if first > last:
            raise ValueError('"lines" ends before it begins')
        return Place(lines=(first, last))
    if "cells" in given:
        found = _CELLS.fullmatch(value["cells"]) if isinstance(value["cells"], str) else None
        if found is None:
            raise ValueError('"cells" is no range such as B4:C4 or Sheet!B4')
        return Place(sheet=found[1] or None, cells=found[2].upper())
    return Place()


def _positive(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f'"{name}" must hold whole numbers from 1')
    return value


def _refuse(problems: Sequence[str]) -> None:
    """Raise WrongUsage where there are problems; all in one line, so that a file is mended in one go."""
    if problems:
        more = f"; and {len(problems) - MAX_TOLD:,} more" if len(problems) > MAX_TOLD else ""
        raise WrongUsage("; ".join(problems[:MAX_TOLD]) + more, LABELS_HINT)


# --- judging --------------------------------------------------------------------------------------------------------


def judge_labels(
    session: Session, labels: Sequence[Label], documents: Mapping[int, str], events: IndexEvents, phase: str
) -> tuple[list[JudgedQuestion], tuple[str, ...]]:
    """The candidates of each labelled question, judged; and notes for people. documents: as place_labels gives them."""
    by_question: dict[str, list[Label]] = {}
    for label in labels:
        by_question.setdefault(label.question, []).append(label)
    events.phase(phase, len(by_question))
    judged = []
    for count, (question, given) in enumerate(by_question.items(), start=1):
        judged.append(judge_labelled(session, question, [(documents[label.line], label) for label in given]))
        events.advance(count, question)
    wanted = sum(any(label.is_relevant for label in given) for given in by_question.values())
    missed = wanted - sum(bool(each.relevant) for each in judged)
    notes = (f"the relevant passages of {missed:,} of {wanted:,} questions are not among their candidates",)
    return judged, notes if missed > 0 else ()


def place_labels(reader: StoreReader, labels: Sequence[Label]) -> dict[int, str]:
    """By line the id of the document that the label names.

    Raises WrongUsage naming the labels whose place the index does not hold.
    """
    rows = reader.document_rows()
    found: dict[int, str] = {}
    problems: list[str] = []
    chunks: dict[str, list[Chunk]] = {}
    for label in labels:
        try:
            document = find_document(rows, label.path, reader.store, Path.cwd()).id
        except WrongUsage as error:
            problems.append(f"line {label.line}: {error.message}")
            continue
        if document not in chunks:
            chunks[document] = reader.chunks_of(document)
        if not any(label.place.holds(chunk) for chunk in chunks[document]):
            problems.append(f"line {label.line}: {label.path} has nothing indexed at this place")
        found[label.line] = document
    _refuse(problems)
    return found


def judge_labelled(session: Session, question: str, labels: Sequence[tuple[str, Label]]) -> JudgedQuestion:
    """The candidates of a question, judged by its labels, each with the id of its document."""
    gathered = session.gather(question, None, Clock())
    settings = session.settings
    ranked = fuse_hits(gathered, session.shipped_calibration, n_words=settings.words_candidates)
    relevant: dict[str, Chunk] = {}
    other: set[str] = set()
    unjudged: set[str] = set()
    for document, label in labels:
        held = [hit for hit in ranked if hit.chunk.document == document and shares_place(label.place, hit.chunk)]
        if not label.is_relevant:
            other.update(hit.chunk.id for hit in held)
        elif label.place == Place():  # some passage of the file answers: nobody said which
            relevant.update((hit.chunk.id, hit.chunk) for hit in held[:1])
            unjudged.update(hit.chunk.id for hit in held[1:])
        else:
            relevant.update((hit.chunk.id, hit.chunk) for hit in held)
    if any(label.is_relevant for _, label in labels):
        unjudged.update(_alike(ranked, list(relevant.values())))
    else:
        unjudged.update(hit.chunk.id for hit in ranked)
    both = relevant.keys() & other
    return JudgedQuestion(gathered, relevant.keys() - both, (unjudged - relevant.keys() - other) | both)


def _alike(hits: Sequence[Hit], relevant: Sequence[Chunk]) -> Iterator[str]:
    for hit in hits:
        if any(hit.chunk.id != chunk.id and resembles(hit.chunk, chunk) for chunk in relevant):
            yield hit.chunk.id


def shares_place(place: Place, chunk: Chunk) -> bool:
    """Whether a chunk of the document shows the place; of lines, half of the shorter range or more."""
    if not place.holds(chunk):
        return False
    known = chunk.locator.lines
    if place.lines is None or known is None:
        return True
    shared = min(known[1], place.lines[1]) - max(known[0], place.lines[0]) + 1
    shorter = min(known[1] - known[0], place.lines[1] - place.lines[0]) + 1
    return shared >= SHARED * shorter


def resembles(chunk: Chunk, own: Chunk) -> bool:
    """Whether a passage may answer as well as its like does: most of its terms, or the same table."""
    terms, others = set(text_to_terms(own.text)), set(text_to_terms(chunk.text))
    alike = len(terms & others) >= ALIKE * min(len(terms), len(others) or 1)
    return alike or bool(own.parent and chunk.parent == own.parent)
