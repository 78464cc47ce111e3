"""load_dataset(): which kind a folder is, and the data set in it, checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.evaluation.contexts import is_contexts, load_contexts
from mixrag_cli.evaluation.dataset_lines import Row, find_lines, read_rows
from mixrag_cli.evaluation.dataset_parts import read_question, read_span, refuse_twins
from mixrag_cli.evaluation.datasets import DataSet, Question, SourceText
from mixrag_cli.evaluation.judged import load_judged, plain_documents

MAX_DOCUMENTS = 500_000
MAX_QUESTIONS = 100_000
FORMATS = "corpus.jsonl with queries.jsonl and qrels.tsv, questions.jsonl, or TAT-QA's JSON lines"


def load_dataset(place: Path, files: Path | None = None) -> DataSet:
    """The data set in a folder, or in a JSON lines file of questions.

    files: the folder of documents that questions.jsonl asks about, where it is not the one beside it.
    Raises WrongUsage where there is no data set, MixragError for one that cannot be used: its file, line and field.
    """
    if not place.exists():
        raise WrongUsage(f"{place}: no such file or folder")
    found = _load(place.absolute(), files)
    if not found.questions:
        raise MixragError(f"{place}: no questions")
    if len(found.questions) > MAX_QUESTIONS or len(found.documents) > MAX_DOCUMENTS:
        raise MixragError(f"{place}: more than {MAX_QUESTIONS:,} questions or {MAX_DOCUMENTS:,} documents")
    refuse_twins((question.id for question in found.questions), f"{place}: two questions have the id")
    return found


def load_corpus(place: Path) -> tuple[SourceText, ...]:
    """The documents of a BEIR folder alone, to search in besides or instead of a data set's own.

    Raises WrongUsage where there is no corpus, MixragError for one that cannot be used.
    """
    corpus = find_lines(place, "corpus")
    if corpus is None:
        raise WrongUsage(f"{place}: no corpus.jsonl in it")
    return plain_documents(list(read_rows(corpus)))


def load_elsewhere(place: Path) -> tuple[tuple[SourceText, ...], tuple[Path, ...]]:
    """What to ask instead of a data set's own documents: those of a BEIR folder, or folders of files.

    A folder with questions.jsonl stands for the documents beside it, any other folder for the files in it.
    Raises WrongUsage where there is no folder, MixragError for a corpus that cannot be used.
    """
    if not place.is_dir():
        raise WrongUsage(f"{place}: no such folder")
    if find_lines(place, "corpus"):
        return load_corpus(place), ()
    questions = find_lines(place, "questions")
    return (), _document_folders(questions, None) if questions else (place.absolute(),)


def _load(place: Path, files: Path | None) -> DataSet:
    if place.is_file():
        return _load_file(place, files)
    corpus, queries = find_lines(place, "corpus"), find_lines(place, "queries")
    if corpus and queries:
        return load_judged(place, corpus, queries)
    if questions := find_lines(place, "questions"):
        return _load_questions(questions, files)
    contexts = [path for path in sorted(place.glob("*.jsonl*")) if is_contexts(path)]
    if not contexts:
        raise WrongUsage(f"{place}: no data set: {FORMATS}")
    return load_contexts(place.name, contexts)


def _load_file(path: Path, files: Path | None) -> DataSet:
    return load_contexts(path.stem, [path]) if is_contexts(path) else _load_questions(path, files)


# --- questions about files -----------------------------------------------------------------------------------------


def _load_questions(path: Path, files: Path | None) -> DataSet:
    questions = tuple(_file_question(row) for row in read_rows(path))
    return DataSet(path.parent.name, "files", questions, folders=_document_folders(path, files))


def _document_folders(questions: Path, files: Path | None) -> tuple[Path, ...]:
    if files is not None:
        if not files.is_dir():
            raise WrongUsage(f"{files}: no such folder")
        return (files.absolute(),)
    if (beside := questions.parent / "files").is_dir():
        return (beside,)
    folders = tuple(
        path for path in sorted(questions.parent.iterdir()) if path.is_dir() and not path.name.startswith(".")
    )
    if not folders:
        raise WrongUsage(f"{questions.parent}: no folder of documents beside {questions.name}", "--files FOLDER")
    return folders


def _file_question(row: Row) -> Question:
    documents = row.texts("documents") or row.texts("document") or row.texts("path")
    spans = tuple(read_span(piece) for piece in row.rows("spans"))
    answers = row.texts("answers") or row.texts("answer")
    known = row.values.get("answerable")
    return replace(
        read_question(row),
        relevant=dict.fromkeys((*documents, *(span.document for span in spans)), 1.0),
        spans=spans,
        answers=answers,
        value=None if row.values.get("value") is None else row.number("value"),
        is_answerable=known if isinstance(known, bool) else bool(answers or documents or spans),
        split=row.optional_text("split"),
    )
