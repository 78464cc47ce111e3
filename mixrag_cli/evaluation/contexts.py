"""TAT-QA's JSON lines: tables with their paragraphs, and questions that are asked of one of them."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mixrag_cli.evaluation.dataset_lines import Row, read_rows
from mixrag_cli.evaluation.dataset_parts import read_question, refuse_twins, safe_name
from mixrag_cli.evaluation.datasets import DataSet, Question, SourceText

ANNOUNCES = re.compile(r"\b(?:in|\$|£|€)\s?(?:thousands|millions|billions|000s?)\b|:\s*$", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?<=[.;])\s+(?=[A-Z(])")


def is_contexts(path: Path) -> bool:
    """Whether a JSON lines file begins with a table, its paragraphs and its questions."""
    first = next(read_rows(path), None)
    return first is not None and {"table", "paragraphs", "questions"} <= set(first.values)


def load_contexts(name: str, files: Sequence[Path]) -> DataSet:
    """The data set of these files; several are its splits."""
    documents, questions = [], []
    for path in files:
        for row in read_rows(path):
            context = row.text("uid")
            documents.append(SourceText(context, f"{safe_name(context)}.html", _context_to_html(row)))
            split = path.name.partition(".")[0] if len(files) > 1 else ""
            questions += [_tatqa_question(asked, context, split) for asked in row.rows("questions")]
    refuse_twins((document.id for document in documents), f"{name}: two contexts have the uid")
    return DataSet(name, "tatqa", tuple(questions), tuple(documents))


def _tatqa_question(row: Row, context: str, split: str) -> Question:
    return replace(
        read_question(row),
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
