"""Corpora with judgements: BEIR's folders, and those whose evidence is characters of documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.evaluation.dataset_lines import Row, read_lines, read_rows
from mixrag_cli.evaluation.dataset_parts import (
    file_name,
    read_question,
    read_span,
    refuse_twins,
    safe_name,
    unique_paths,
)
from mixrag_cli.evaluation.datasets import DataSet, Question, SourceText


def load_judged(place: Path, corpus: Path, queries: Path) -> DataSet:
    """The data set of a corpus, its queries and what is relevant for each."""
    passages, asked = list(read_rows(corpus)), list(read_rows(queries))
    has_spans = any("gold_spans" in row.values for row in asked)
    if has_spans and all("char_start" in row.values for row in passages):
        documents = tuple(_join_passages(passages))
        known = {document.id for document in documents}
        return DataSet(place.name, "spans", tuple(_span_question(row, known) for row in asked), documents)
    documents = plain_documents(passages)
    return DataSet(place.name, "beir", tuple(_judged_questions(place, asked, documents)), documents)


def plain_documents(passages: Sequence[Row]) -> tuple[SourceText, ...]:
    """Each passage as a text file, its title above its text."""
    ids = [row.text("_id", "id") for row in passages]
    refuse_twins(ids, f"{passages[0].place.partition(':')[0]}: two documents have the id" if passages else "")
    paths = unique_paths(safe_name(id_) + ".txt" for id_ in ids)
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
                row = texts[query]
                yield replace(read_question(row), relevant=grades, split=split or row.optional_text("split"))


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
        f"{safe_name(id_)}/{file_name(first.optional_text('filename', 'title'))}"
        for id_, [(_, _, first), *_] in pieces.items()
    )
    for (id_, parts), path in zip(pieces.items(), unique_paths(names), strict=True):
        text = ""
        for start, part, row in sorted(parts, key=lambda piece: piece[0]):
            if start < len(text):
                raise row.complaint(f"overlaps another passage of {id_!r}")
            text += "\n" * (start - len(text)) + part
        yield SourceText(id_, path, text)


def _span_question(row: Row, documents: set[str]) -> Question:
    spans = tuple(read_span(piece) for piece in row.rows("gold_spans"))
    for span in spans:
        if span.document not in documents:
            raise row.complaint(f"document {span.document!r} of a span is not in the corpus")
    answers = row.texts("answers") or row.texts("answer")
    return replace(read_question(row), spans=spans, answers=answers, split=row.optional_text("split"))
