"""The domains that the grading is fitted on: folders of files with questions that the trained reader never saw.

    hetdocqa   198 mixed documents: papers, code, pages, sheets as text (its calibration questions)
    covid      40 articles of medicine
    statistics half of HiTab's fold 0, each table a workbook with its merged headers, each question asked of its own
    reviews    reviews of 60 products (SQuADShifts), each question asked of its product's file
    drawn      look-ups by rule in 34 PDFs of public bodies (drawn.py)
    rows       questions by rule over all rows of the tables of records in these folders (drawn_rows.py)
    sums       calculations by rule over two cells of tables in these folders (drawn_sums.py)
    tables     tables of WikiTableQuestions and SQA that were kept out of training, each a csv
    everyday   the open part of the bank: filings, code, readmes, sheets, reports, minutes, handbooks

To each the questions of another domain are added, which its folder cannot answer.
"""

from __future__ import annotations

import csv
import glob
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mixrag_cli.evaluation.answers import leading_number
from training.reader.groups import part_of
from training.reader.jsonl import read_jsonl
from training.reader.tables import KEPT_PARTS, fold_of

SEED = 11
N_QUESTIONS = 120  # of a domain
N_FOREIGN = 25  # of another domain, that it cannot answer
N_SHEETS, N_SHEET_QUESTIONS = 300, 400  # of kept-out tables: what is derived from cells is rare among questions
KEPT_FOLD = 0  # of HiTab's, which the reader was not trained on
N_STATISTICS = 400  # questions of half of its tables; the other half is measured with
N_ARTICLES = 40
REVIEWS = "squadshifts_amazon_reviews"
N_FILES = 60  # where a question means one of them
SUFFIXES = (
    ".md",
    ".py",
    ".js",
    ".java",
    ".go",
    ".html",
    ".rst",
    ".csv",
)  # kept; what was a PDF or a sheet is text here
GAP = re.compile(r"(?<=\S) {40,}(?=\S)")  # where no passage holds the document's text
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Gold:
    """Where the answer stands: a file of the folder; its first and last line there, words that stand there, or its
    cells, an A1 range on one of its sheets."""

    file: str
    words: str = ""
    lines: tuple[int, int] | None = None
    cells: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a folder. forms: right answers; none for a question that the folder cannot answer.

    scope: files to which it is restricted, as a person does who knows the file. is_of_text: whether a passage answers
    it, which says who, why or how; None where that is known by the forms alone, no number among them.
    """

    text: str
    forms: tuple[str, ...]
    gold: tuple[Gold, ...]
    scope: tuple[str, ...] = ()
    is_of_text: bool | None = None

    @property
    def is_answered_by_text(self) -> bool:
        """Whether a passage is an answer."""
        if self.is_of_text is not None:
            return self.is_of_text
        return all(leading_number(form) is None for form in self.forms)


def only(file: str) -> str:
    """The scope that is one file of a folder."""
    return f"*/{glob.escape(file)}"


@dataclass(frozen=True, slots=True)
class Domain:
    """A folder of files and the questions asked of it."""

    name: str
    folder: Path
    questions: tuple[Asked, ...]


def hetdocqa(data: Path, target: Path) -> Domain:
    """The documents put together again from their passages, and the calibration questions."""
    passages = defaultdict(list)
    names: dict[str, str] = {}
    for row in read_jsonl(data / "hetdocqa" / "corpus.jsonl"):
        passages[row["document_id"]].append((row["char_start"], row["char_end"], row["text"]))
        names[row["document_id"]] = _file_name(row["document_id"], row["filename"])
    texts = {document: _join(found) for document, found in passages.items()}
    for document, text in texts.items():
        _write(target / names[document], GAP.sub("\n\n", text).strip() + "\n")
    questions = []
    for row in read_jsonl(data / "hetdocqa" / "queries.jsonl"):
        spans = [span for span in row["gold_spans"] if span["document_id"] in texts]
        if row["split"] == "calibration" and spans and row["all_gold_covered"]:
            gold = tuple(_span_gold(span, texts, names) for span in spans)
            questions.append(Asked(row["text"], (row["answer"],), gold))
    return Domain("hetdocqa", target, _drawn(questions))


def _span_gold(span: dict[str, object], texts: dict[str, str], names: dict[str, str]) -> Gold:
    document, start, end = str(span["document_id"]), int(str(span["char_start"])), int(str(span["char_end"]))
    return Gold(names[document], texts[document][start:end])


def _join(passages: Iterable[tuple[int, int, str]]) -> str:
    """The text of a document, each passage at its place; what no passage holds is blanks."""
    ordered = sorted(passages)
    text = list(" " * max(end for _, end, _ in ordered))
    for start, _, part in ordered:
        text[start : start + len(part)] = part
    return "".join(text)


def reviews(data: Path, target: Path) -> Domain:
    """Reviews of one product a file, which the questions mean; every fourth is asked of all files."""
    rows = [row for row in read_jsonl(data / "reader_train" / "prose.jsonl.gz") if row["source"] == REVIEWS]
    groups = sorted({row["group"] for row in rows})
    chosen = set(random.Random(SEED).sample(groups, min(N_FILES, len(groups))))
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    questions = []
    for row in (row for row in rows if row["group"] in chosen):
        file = f"{_slug(row['group'].partition(':')[2])}.txt"
        texts[file][row["context"]] = None
        forms = tuple(answer["text"] for answer in row["answers"])
        questions.append(Asked(row["question"], forms, (Gold(file, max(forms, key=len)),), (f"*{file}",)))
    for file, contexts in texts.items():
        _write(target / file, "\n\n".join(contexts))
    drawn = _drawn(questions)
    return Domain("reviews", target, tuple(one if n % 4 else replace(one, scope=()) for n, one in enumerate(drawn)))


def covid(data: Path, target: Path) -> Domain:
    """Each article as one file; a question's place is the passage it was written for."""
    articles = defaultdict(list)
    for row in read_jsonl(data / "reader_train" / "covidqa_passages.jsonl.gz"):
        articles[row["group"]].append(row["context"])
    chosen = set(random.Random(SEED).sample(sorted(articles), N_ARTICLES))
    for group in sorted(chosen):
        _write(target / f"{_slug(group)}.txt", "\n\n".join(dict.fromkeys(articles[group])))
    questions = [
        Asked(
            row["question"],
            tuple(answer["text"] for answer in row["answers"]),
            tuple(Gold(f"{_slug(row['group'])}.txt", answer["text"]) for answer in row["answers"]),
        )
        for row in read_jsonl(data / "reader_train" / "prose.jsonl.gz")
        if row["source"] == "covidqa" and row["answers"] and row["group"] in chosen
    ]
    return Domain("covid", target, _drawn(questions))


def tables(data: Path, target: Path) -> Domain:
    """Kept-out tables as csv files; every other question is asked of its own file alone, as people do."""
    sheets: dict[str, tuple[list[str], list[list[str]]]] = {}
    asked = defaultdict(list)
    for row in read_jsonl(data / "reader_train" / "table.jsonl.gz"):
        if part_of(row["group"], KEPT_PARTS) or row.get("history") or row["source"] == "fetaqa":
            continue
        name = f"{_slug(row['group'])}.csv"
        sheets[name] = (row["table"]["header"], row["table"]["rows"])
        answer = row["answer"]
        forms = tuple(map(str, answer)) if isinstance(answer, list) else (str(answer),)
        asked[name].append(Asked(row["question"], ("; ".join(forms),), (Gold(name),), is_of_text=False))
    chosen = random.Random(SEED).sample(sorted(sheets), min(N_SHEETS, len(sheets)))
    for name in chosen:
        header, rows = sheets[name]
        target.mkdir(parents=True, exist_ok=True)
        with (target / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *rows])
    drawn = _drawn([question for name in chosen for question in asked[name]], N_SHEET_QUESTIONS)
    return Domain(
        "tables",
        target,
        tuple(replace(one, scope=(f"*{one.gold[0].file}",)) if n % 4 else one for n, one in enumerate(drawn)),
    )


def statistics(data: Path, target: Path) -> Domain:
    """HiTab's tables that were neither trained on nor are measured with; look-ups and calculations."""
    sheets = {
        row["id"]: row for row in read_jsonl(data / "headers" / "hitab_train.jsonl.gz") if is_graded_by(row["id"])
    }
    questions = []
    target.mkdir(parents=True, exist_ok=True)
    for row in read_jsonl(data / "headers" / "hitab_train_questions.jsonl.gz"):
        if (table := row["table_id"]) in sheets:
            name = f"{_slug(table)}.xlsx"
            if not (target / name).exists():
                write_workbook(target / name, sheets[table])
            forms = tuple(str(answer) for answer in row["answer"])
            questions.append(Asked(row["question"], forms, (Gold(name),), (f"*{name}",), is_of_text=False))
    drawn = _drawn(questions, N_STATISTICS)
    return Domain("statistics", target, tuple(one if n % 4 else replace(one, scope=()) for n, one in enumerate(drawn)))


def is_graded_by(table: str) -> bool:
    """Whether a table of HiTab is one that the grading is fitted on."""
    return fold_of(table) == KEPT_FOLD and part_of(f"graded {table}", 2) == 0


def write_workbook(path: Path, gold: dict[str, Any]) -> None:
    """A table of HiTab: its title, an empty row, its rows with their merged cells."""
    from openpyxl import Workbook  # type: ignore[import-untyped]

    book = Workbook()
    sheet = book.active
    sheet.append([gold["title"]])
    for line in ((), *gold["texts"]):
        sheet.append([_as_cell(text) for text in line])
    for top, bottom, left, right in gold["merged_regions"]:
        sheet.merge_cells(None, top + 3, left + 1, bottom + 3, right + 1)
    book.save(path)


def _as_cell(text: str) -> object:
    """A cell as a workbook holds it: a number where it is one."""
    plain = text.replace(",", "")
    return float(plain) if NUMBER.fullmatch(plain) else text


def _drawn(questions: Sequence[Asked], n: int = N_QUESTIONS) -> tuple[Asked, ...]:
    return tuple(random.Random(SEED).sample(list(questions), min(n, len(questions))))


def with_foreign(domains: Sequence[Domain]) -> list[Domain]:
    """To each domain some questions of the next one, which its folder cannot answer."""
    found = []
    for one, other in zip(domains, [*domains[1:], domains[0]], strict=True):
        foreign = [Asked(question.text, (), ()) for question in other.questions[:N_FOREIGN] if not question.scope]
        found.append(replace(one, questions=(*one.questions, *foreign)))
    return found


def _file_name(document: str, filename: str) -> str:
    suffix = Path(filename).suffix.lower()
    return f"{_slug(document)}{suffix if suffix in SUFFIXES else '.txt'}"


def _slug(text: str) -> str:
    return UNSAFE.sub("-", text).strip("-")[:80]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
