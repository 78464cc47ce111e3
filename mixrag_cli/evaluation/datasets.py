"""Data sets as folders: what is asked, of which documents, and what counts as right.

    corpus.jsonl[.gz], queries.jsonl[.gz], qrels.tsv     BEIR: graded judgements of whole documents
    the same with gold_spans and char_start, char_end    evidence as characters of documents (HetDocQA)
    questions.jsonl beside a folder of files             answers, right files, pages, lines, cells or spans
    JSON lines of tables, paragraphs and questions       TAT-QA: each question has its own context

A data set is read whole and checked before anything runs; nothing is written beside it.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.evaluation.dataset_lines import Row, find_lines, read_lines, read_rows

Kind = Literal["beir", "spans", "files", "tatqa"]

MAX_DOCUMENTS = 500_000
MAX_QUESTIONS = 100_000
MAX_LABEL_CHARACTERS = 64  # of a field by which questions may be told apart; longer ones are texts
TEXT_FIELDS = frozenset({"_id", "id", "uid", "text", "question", "answer", "answers"})
# Formats whose text can be written out again; the text of any other goes into a file of its name and ".txt".
WRITABLE = re.compile(
    r"\.(?:txt|md|rst|csv|tsv|html?|json|ya?ml|toml|sql|sh|[chr]|cc|cpp|py|js|ts|go|rs|java|rb|php|cs)$"
)
FORMATS = "corpus.jsonl with queries.jsonl and qrels.tsv, questions.jsonl, or TAT-QA's JSON lines"


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
    _refuse_twins((question.id for question in found.questions), f"{place}: two questions have the id")
    return found


def load_corpus(place: Path) -> tuple[SourceText, ...]:
    """The documents of a BEIR folder alone, to search in besides or instead of a data set's own.

    Raises WrongUsage where there is no corpus, MixragError for one that cannot be used.
    """
    corpus = find_lines(place, "corpus")
    if corpus is None:
        raise WrongUsage(f"{place}: no corpus.jsonl in it")
    return _plain_documents(list(read_rows(corpus)))


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


# --- which kind ----------------------------------------------------------------------------------------------------


def _load(place: Path, files: Path | None) -> DataSet:
    if place.is_file():
        return _load_file(place, files)
    corpus, queries = find_lines(place, "corpus"), find_lines(place, "queries")
    if corpus and queries:
        return _load_corpus(place, corpus, queries)
    if questions := find_lines(place, "questions"):
        return _load_questions(questions, files)
    contexts = [path for path in sorted(place.glob("*.jsonl*")) if _is_tatqa(path)]
    if not contexts:
        raise WrongUsage(f"{place}: no data set: {FORMATS}")
    return _load_tatqa(place.name, contexts)


def _load_file(path: Path, files: Path | None) -> DataSet:
    return _load_tatqa(path.stem, [path]) if _is_tatqa(path) else _load_questions(path, files)


def _is_tatqa(path: Path) -> bool:
    first = next(read_rows(path), None)
    return first is not None and {"table", "paragraphs", "questions"} <= set(first.values)


# --- BEIR, and evidence as spans -----------------------------------------------------------------------------------


def _load_corpus(place: Path, corpus: Path, queries: Path) -> DataSet:
    passages, asked = list(read_rows(corpus)), list(read_rows(queries))
    has_spans = any("gold_spans" in row.values for row in asked)
    if has_spans and all("char_start" in row.values for row in passages):
        documents = tuple(_join_passages(passages))
        known = {document.id for document in documents}
        return DataSet(place.name, "spans", tuple(_span_question(row, known) for row in asked), documents)
    documents = _plain_documents(passages)
    return DataSet(place.name, "beir", tuple(_judged_questions(place, asked, documents)), documents)


def _plain_documents(passages: Sequence[Row]) -> tuple[SourceText, ...]:
    """Each passage as a text file, its title above its text."""
    ids = [row.text("_id", "id") for row in passages]
    _refuse_twins(ids, f"{passages[0].place.partition(':')[0]}: two documents have the id" if passages else "")
    paths = _unique_paths(_safe_name(id_) + ".txt" for id_ in ids)
    return tuple(
        SourceText(id_, path, "\n\n".join(part for part in (row.optional_text("title"), row.text("text")) if part))
        for id_, path, row in zip(ids, paths, passages, strict=True)
    )


def _judged_questions(place: Path, asked: Sequence[Row], documents: Sequence[SourceText]) -> Iterator[Question]:
    """The questions that have a relevant document; the others cannot be scored, as in trec_eval."""
    texts = {row.text("_id", "id"): row for row in asked}
    known = {document.id for document in documents}
    for split, path in _judgement_files(place):
        for query, grades in _read_judgements(path, known).items():
            if query not in texts:
                raise MixragError(f"{path.name}: query {query!r} is not in the queries")
            if any(grade > 0 for grade in grades.values()):
                yield _question(texts[query], relevant=grades, split=split or texts[query].optional_text("split"))


def _judgement_files(place: Path) -> list[tuple[str, Path]]:
    """Split and file: qrels.tsv has no split of its own, qrels/test.tsv is one."""
    if (single := place / "qrels.tsv").is_file():
        return [("", single)]
    if split_files := sorted((place / "qrels").glob("*.tsv")):
        return [(path.stem, path) for path in split_files]
    raise WrongUsage(f"{place}: no qrels.tsv in it")


def _read_judgements(path: Path, documents: set[str]) -> dict[str, dict[str, float]]:
    judgements: dict[str, dict[str, float]] = {}
    for number, (place, line) in enumerate(read_lines(path)):
        if not line.strip():
            continue
        parts = line.split("\t")
        if len(parts) == 4:  # as TREC writes them: query, iteration, document, grade
            parts = [parts[0], *parts[2:]]
        if len(parts) != 3:
            raise MixragError(f"{place}: three fields with tabs between them are needed, not {len(parts)}")
        query, document, grade = parts
        try:
            value = float(grade)
        except ValueError:
            if number == 0:  # the header
                continue
            raise MixragError(f"{place}: the grade must be a number, not {grade!r}") from None
        if document not in documents:
            raise MixragError(f"{place}: document {document!r} is not in the corpus")
        judgements.setdefault(query, {})[document] = value
    return judgements


def _join_passages(passages: Sequence[Row]) -> Iterator[SourceText]:
    """Whole documents out of passages with places; what lies between passages is left blank."""
    pieces: dict[str, list[tuple[int, str, Row]]] = {}
    for row in passages:
        start, text = int(row.number("char_start")), row.text("text")
        if start < 0 or int(row.number("char_end")) - start != len(text):
            raise row.complaint("char_start and char_end do not fit the text")
        pieces.setdefault(row.text("document_id"), []).append((start, text, row))
    names = (
        f"{_safe_name(id_)}/{_file_name(first.optional_text('filename', 'title'))}"
        for id_, [(_, _, first), *_] in pieces.items()
    )
    for (id_, parts), path in zip(pieces.items(), _unique_paths(names), strict=True):
        text = ""
        for start, part, row in sorted(parts, key=lambda piece: piece[0]):
            if start < len(text):
                raise row.complaint(f"overlaps another passage of {id_!r}")
            text += "\n" * (start - len(text)) + part
        yield SourceText(id_, path, text)


def _span_question(row: Row, documents: set[str]) -> Question:
    spans = tuple(_read_span(piece) for piece in row.rows("gold_spans"))
    for span in spans:
        if span.document not in documents:
            raise row.complaint(f"document {span.document!r} of a span is not in the corpus")
    answers = row.texts("answers") or row.texts("answer")
    return _question(row, spans=spans, answers=answers, split=row.optional_text("split"))


def _read_span(row: Row) -> Span:
    names = ("char_start", "char_end") if "char_start" in row.values else ("start", "end")
    start, end = (int(row.number(name)) for name in names)
    if not 0 <= start < end:
        raise row.complaint(f"{names[0]} must lie before {names[1]}")
    return Span(row.text("document_id", "document", "path"), start, end, row.number("grade", 1.0))


# --- questions about files ---------------------------------------------------------------------------------------


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
    spans = tuple(_read_span(piece) for piece in row.rows("spans"))
    answers = row.texts("answers") or row.texts("answer")
    known = row.values.get("answerable")
    return _question(
        row,
        relevant=dict.fromkeys((*documents, *(span.document for span in spans)), 1.0),
        spans=spans,
        answers=answers,
        value=None if row.values.get("value") is None else row.number("value"),
        is_answerable=known if isinstance(known, bool) else bool(answers or documents or spans),
        split=row.optional_text("split"),
    )


# --- TAT-QA --------------------------------------------------------------------------------------------------------

ANNOUNCES = re.compile(r"\b(?:in|\$|£|€)\s?(?:thousands|millions|billions|000s?)\b|:\s*$", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?<=[.;])\s+(?=[A-Z(])")


def _load_tatqa(name: str, files: Sequence[Path]) -> DataSet:
    documents, questions = [], []
    for path in files:
        for row in read_rows(path):
            context = row.text("uid")
            documents.append(SourceText(context, f"{_safe_name(context)}.html", _context_to_html(row)))
            split = path.name.partition(".")[0] if len(files) > 1 else ""
            questions += [_tatqa_question(asked, context, split) for asked in row.rows("questions")]
    _refuse_twins((document.id for document in documents), f"{name}: two contexts have the uid")
    return DataSet(name, "tatqa", tuple(questions), tuple(documents))


def _tatqa_question(row: Row, context: str, split: str) -> Question:
    return _question(
        row,
        relevant={context: 1.0},
        answers=row.texts("answer"),
        scale=row.optional_text("scale"),
        answer_type=row.optional_text("answer_type"),
        context=context,
        split=split,
    )


def _context_to_html(row: Row) -> str:
    """The table and its paragraphs as a page; the sentence that announces the table is also its caption."""
    paragraphs = [paragraph.text("text") for paragraph in row.rows("paragraphs")]
    sentences = [sentence for text in paragraphs for sentence in SENTENCE_END.split(text)]
    caption = next((sentence for sentence in sentences if ANNOUNCES.search(sentence)), "")
    lines = [f"<p>{html.escape(text)}</p>" for text in paragraphs]
    lines += ["<table>", f"<caption>{html.escape(caption)}</caption>" if caption else ""]
    for cells in row.items("table"):
        if not isinstance(cells, list):
            raise row.complaint("field 'table' must be a list of rows")
        lines.append("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>")
    return "\n".join([*lines, "</table>", ""])


# --- what all kinds share ------------------------------------------------------------------------------------------


def _question(
    row: Row,
    *,
    relevant: Mapping[str, float] | None = None,
    spans: tuple[Span, ...] = (),
    answers: tuple[str, ...] = (),
    value: float | None = None,
    scale: str = "",
    answer_type: str = "",
    is_answerable: bool = True,
    context: str = "",
    split: str = "",
) -> Question:
    text = row.text("question", "text").strip()
    if not text:
        raise row.complaint("the question is empty")
    return Question(
        row.text("_id", "id", "uid"),
        text,
        relevant or {},
        spans,
        answers,
        value,
        scale,
        answer_type,
        is_answerable,
        context,
        split,
        _read_labels(row),
    )


def _read_labels(row: Row) -> dict[str, tuple[str, ...]]:
    """The fields that tell questions apart: short texts, truths, lists of short texts."""
    labels = {}
    for name, value in row.values.items():
        values = value if isinstance(value, list) else [value]
        if name in TEXT_FIELDS or not values:
            continue
        if all(isinstance(each, str | bool) and len(str(each)) <= MAX_LABEL_CHARACTERS for each in values):
            labels[name] = tuple(str(each).lower() if isinstance(each, bool) else str(each) for each in values)
    return labels


def _safe_name(name: str) -> str:
    """The name with nothing in it that a file system or a walk takes amiss."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._-~")[:100] or "document"


def _file_name(name: str) -> str:
    safe = _safe_name(name.rpartition("/")[2])
    return safe if WRITABLE.search(safe.lower()) else f"{safe}.txt"


def _unique_paths(paths: Iterable[str]) -> Iterator[str]:
    """The paths in their order; one that was there before, upper and lower case alike, gets a number."""
    seen: dict[str, int] = {}
    for path in paths:
        count = seen[path.casefold()] = seen.get(path.casefold(), 0) + 1
        stem, dot, suffix = path.rpartition(".")
        yield path if count == 1 else f"{stem}~{count}{dot}{suffix}"


def _refuse_twins(ids: Iterable[str], complaint: str) -> None:
    seen: set[str] = set()
    for id_ in ids:
        if id_ in seen:
            raise MixragError(f"{complaint} {id_!r}")
        seen.add(id_)


def _texts(documents: Sequence[SourceText]) -> Iterator[str]:
    for document in documents:
        yield from (document.id, document.path, document.text)
