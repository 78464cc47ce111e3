"""Data sets as folders: what is asked, of which documents, and what counts as right.

    corpus.jsonl[.gz], queries.jsonl[.gz], qrels.tsv     BEIR: graded judgements of whole documents
    the same with gold_spans and char_start, char_end    evidence as characters of documents (HetDocQA)
    questions.jsonl beside a folder of files             answers, right files, pages, lines, cells or spans
    JSON lines of tables, paragraphs and questions       TAT-QA: each question has its own context

loading.py reads them; a data set is read whole and checked before anything runs, and nothing is written beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from mixrag_cli.errors import WrongUsage

Kind = Literal["beir", "spans", "files", "tatqa"]


@dataclass(frozen=True, slots=True)
class SourceText:
    """A document to index. id: as the judgements name it. path: relative, unique, safe as a file's."""

    id: str
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of a document's text that answer a question, or help to."""

    document: str
    start: int
    end: int
    grade: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what counts as right.

    relevant: document id to grade. spans: evidence; where there is some, passages are judged instead of documents.
    answers: any of them is right; for TAT-QA the parts of one answer. value: of a numeric answer. context: the only
    document that is asked, "" for all. labels: field to values, by which questions are selected and told apart.
    """

    id: str
    text: str
    relevant: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[Span, ...] = ()
    answers: tuple[str, ...] = ()
    value: float | None = None
    scale: str = ""
    answer_type: str = ""
    is_answerable: bool = True
    context: str = ""
    split: str = ""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DataSet:
    """A whole data set. documents: to be written out and indexed; folders: of files that are there already."""

    name: str
    kind: Kind
    questions: tuple[Question, ...]
    documents: tuple[SourceText, ...] = ()
    folders: tuple[Path, ...] = ()

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of its splits, in the order of their first question; empty where it has none."""
        return tuple(dict.fromkeys(question.split for question in self.questions if question.split))

    def digest(self) -> str:
        """A hash of all that is indexed."""
        digest = hashlib.sha256()
        for part in (*(str(folder) for folder in self.folders), *_texts(self.documents)):
            raw = part.encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(8, "big") + raw)
        return digest.hexdigest()


def select(dataset: DataSet, splits: Sequence[str], labels: Sequence[tuple[str, str]], limit: int) -> DataSet:
    """The data set with the questions of these splits, in them those with all these labels, at most limit (0: all).

    Raises WrongUsage for a split or a label that no question has.
    """
    for name in splits:
        if name not in dataset.splits:
            known = ", ".join(dataset.splits) or "none"
            raise WrongUsage(f"no split {name!r} in {dataset.name} (its splits: {known})")
    chosen = [question for question in dataset.questions if not splits or question.split in splits]
    for name, value in labels:
        chosen = [question for question in chosen if value in question.labels.get(name, ())]
        if not chosen:
            raise WrongUsage(f"no question has {name}={value}")
    return replace(dataset, questions=tuple(chosen[:limit] if limit else chosen))


def with_distractors(dataset: DataSet, others: Mapping[str, Sequence[SourceText]]) -> DataSet:
    """The data set with the documents of others beside its own, under their names.

    Raises WrongUsage for a data set of files, whose documents lie where they are.
    """
    if dataset.folders:
        raise WrongUsage(f"{dataset.name}: documents of another set cannot be added to a folder of files")
    added = tuple(
        SourceText(f"{name}/{document.id}", f"{name}/{document.path}", document.text)
        for name, documents in others.items()
        for document in documents
    )
    return replace(dataset, documents=dataset.documents + added)


def of_size(dataset: DataSet, size: int) -> DataSet:
    """The data set with so many of its documents: those that a question is about, and a fixed draw of the others.

    A smaller one's documents are all in a larger one's, and every size has all questions, so that figures of several
    sizes can be compared. 0 is all. Raises WrongUsage where the questions are about more, or documents are files.
    Source: MixRAG, section 5.4 (scalability).
    """
    if not size or size >= len(dataset.documents) > 0:
        return dataset
    if dataset.folders:
        raise WrongUsage(f"{dataset.name}: a folder of files has one size")
    wanted = {name for question in dataset.questions for name in _documents_of(question)}
    if size < len(wanted):
        raise WrongUsage(
            f"{size} documents are too few: the questions are about {len(wanted)}", f"--sizes {len(wanted)},all"
        )
    others = [document.id for document in dataset.documents if document.id not in wanted]
    others.sort(key=lambda name: hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())
    kept = wanted.union(others[: size - len(wanted)])
    return replace(dataset, documents=tuple(document for document in dataset.documents if document.id in kept))


def _documents_of(question: Question) -> Iterator[str]:
    yield from (name for name, grade in question.relevant.items() if grade > 0)
    yield from (span.document for span in question.spans)
    if question.context:
        yield question.context


def asked_elsewhere(dataset: DataSet, documents: Sequence[SourceText], folders: Sequence[Path]) -> DataSet:
    """The data set's questions, asked of these documents or folders, none of which can answer them."""
    questions = tuple(
        replace(question, relevant={}, spans=(), answers=(), value=None, is_answerable=False, context="")
        for question in dataset.questions
    )
    return replace(dataset, documents=tuple(documents), folders=tuple(folders), questions=questions)


def _texts(documents: Sequence[SourceText]) -> Iterator[str]:
    for document in documents:
        yield from (document.id, document.path, document.text)
