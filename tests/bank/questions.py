"""The bank's questions: one record for all sets, and which of them may be looked at.

Three sets, each with a folder of files: the collection (80 questions beside this module), and two folders as people
have them, reports and code, whose questions lie with their files. A third of each set is open, two thirds are sealed:
scored, their failures never opened. They are drawn by document, so that no file has questions in both parts.

Further folders are gathered from public packages (gather.py); their questions lie in folders/. Each is of one part as a
whole: open; fitted, which the grading learns from; sealed.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

Part = Literal["open", "fitted", "sealed"]
SETS: Mapping[str, tuple[str, str]] = {  # name -> the folder to be indexed, the questions; both below DATA
    "collection": ("collection/files", ""),
    "reports": ("everyday/reports/files", "everyday/reports/questions.jsonl"),
    "code": ("everyday/code/files", "everyday/code/questions.jsonl"),
}
COLLECTION = Path(__file__).with_name("collection.jsonl")
FOLDERS = Path(__file__).with_name("folders")  # NAME/questions.jsonl and NAME/sources.tsv
GATHERED: Mapping[str, Part] = {  # drawn when the folders were planned, before a file or question was there
    "devpy": "open",
    "pubreports": "open",
    "handbook": "open",
    "devmix": "fitted",
    "finance": "fitted",
    "opendata": "fitted",
    "office": "fitted",
    "webapp": "fitted",
    "civic": "fitted",
    "datasci": "sealed",
    "science": "sealed",
    "sysadmin": "sealed",
    # Those of the second gathering; the two sealed ones are the first by the hash of their names.
    "statbureau": "sealed",
    "backend": "sealed",
    "annual": "fitted",
    "club": "fitted",
    "embedded": "fitted",
    "energyclimate": "fitted",
    "frontend": "fitted",
    "health": "fitted",
    "legalpolicy": "fitted",
    "mlteam": "fitted",
    "opsteam": "fitted",
    "sportsmedia": "fitted",
    # Those of the third gathering, all for the grading; written from single passages.
    "appdev": "fitted",
    "archive": "fitted",
    "campus": "fitted",
    "clinic": "fitted",
    "clitools": "fitted",
    "cloudops": "fitted",
    "indicators": "fitted",
    "secops": "fitted",
    "standards": "fitted",
    "trade": "fitted",
    "transport": "fitted",
    "treasury": "fitted",
    # Those of the fourth gathering, all sealed; written from single passages.
    "charity": "sealed",
    "faculty": "sealed",
    "payroll": "sealed",
    "robotics": "sealed",
    "sdk": "sealed",
    "utility": "sealed",
}
OPEN_SHARE = 1 / 3
UNANSWERABLE = "unanswerable"
PASSAGE_KINDS = ("howto", "why", "text", "prose", "code")  # what the passage says that holds it, not one value


@dataclass(frozen=True, slots=True)
class Place:
    """Where the answer stands: a file, and in it pages, lines (first and last) or a cell, where they are known.

    needle: words that stand at that place.
    """

    file: str
    pages: tuple[int, ...] = ()
    lines: tuple[int, int] | None = None
    cell: str = ""
    needle: str = ""


@dataclass(frozen=True, slots=True)
class BankQuestion:
    """A question with its right answers. forms: texts of which each counts as right. places: () where nothing is.

    documents: those by which its part is drawn, where they are not just the files of its places.
    """

    id: str
    set: str
    kind: str
    text: str
    forms: tuple[str, ...]
    value: float | None
    places: tuple[Place, ...]
    part: Part = "sealed"
    documents: tuple[str, ...] = ()

    @property
    def is_answerable(self) -> bool:
        """Whether the folder holds an answer."""
        return self.kind != UNANSWERABLE


def read_bank(data: Path) -> list[BankQuestion]:
    """All questions of the sets that lie in DATA, each with its part."""
    found: list[BankQuestion] = []
    for name, (_, file) in SETS.items():
        rows = _read_rows(data / file if file else COLLECTION)
        found += draw_parts([_READ[name](row) for row in rows])
    return found


def read_gathered(gathered: Path) -> list[BankQuestion]:
    """The questions of the gathered folders that are there."""
    return [
        _from_gathered(row, name, part)
        for name, part in GATHERED.items()
        if (gathered / name / "files").is_dir() and (FOLDERS / name).is_dir()
        for row in _read_rows(FOLDERS / name / "questions.jsonl")
    ]


def _read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def draw_parts(questions: Sequence[BankQuestion]) -> list[BankQuestion]:
    """The questions of one set with their parts: groups that share no document, in the order of a hash, open first."""
    groups: dict[str, list[BankQuestion]] = defaultdict(list)
    names = _group_names(questions)
    for question in questions:
        groups[names[question.id]].append(question)
    wanted = OPEN_SHARE * len(questions)
    parts: dict[str, Part] = {}
    taken = 0
    for name in sorted(groups, key=lambda name: hashlib.sha256(name.encode()).hexdigest()):
        is_open = taken + len(groups[name]) / 2 <= wanted
        taken += len(groups[name]) if is_open else 0
        parts |= dict.fromkeys((question.id for question in groups[name]), "open" if is_open else "sealed")
    return [replace(question, part=parts[question.id]) for question in questions]


def _group_names(questions: Sequence[BankQuestion]) -> dict[str, str]:
    """For each question the first document of those that its own are joined with; of one without any its id."""
    joined: dict[str, str] = {}

    def root(document: str) -> str:
        while joined.setdefault(document, document) != document:
            document = joined[document]
        return document

    for question in questions:
        first, *others = _documents(question)
        for other in others:
            one, two = sorted((root(first), root(other)))
            joined[two] = one
    return {one.id: root(_documents(one)[0]) for one in questions}


def _documents(question: BankQuestion) -> Sequence[str]:
    """What the question's part is drawn by: its documents, else the files of its places, else its id."""
    return question.documents or [place.file for place in question.places] or [question.id]


def _from_collection(row: Mapping[str, Any]) -> BankQuestion:
    documents = tuple(row["documents"])
    forms = (row["answer"],)
    places = tuple(_collection_places(row))
    return BankQuestion(
        row["id"], "collection", row["type"], row["question"], forms, row["value"], places, documents=documents
    )


def _collection_places(row: Mapping[str, Any]) -> Iterable[Place]:
    if "places" in row:
        return (_collection_place(place) for place in row["places"])
    pages = tuple(row.get("pages_with_the_figure") or ())
    return (Place(file, pages) for file in row["documents"])


def _collection_place(place: Mapping[str, Any]) -> Place:
    if "needle" in place:
        return Place(place["file"], pages=tuple(place["pages"]), needle=place["needle"])
    return Place(place["file"], lines=_line_range(place["lines"]))


def _from_reports(row: Mapping[str, Any]) -> BankQuestion:
    forms = tuple(form for form in (row["answer"], *row["accept"]) if form)
    places = tuple(_report_places(row))
    return BankQuestion(row["id"], "reports", row["kind"], row["question"], forms, None, places)


def _report_places(row: Mapping[str, Any]) -> Iterable[Place]:
    if row["doc"] is None:
        return
    place = row["place"]
    lines, page = place.get("lines"), place.get("page")
    pages = tuple(page) if isinstance(page, list) else (page,) if page else ()
    yield Place(row["doc"], pages, _line_range(lines), str(place.get("cell") or ""))


def _line_range(lines: Any) -> tuple[int, int] | None:
    if not lines:
        return None
    return (lines[0], lines[-1]) if isinstance(lines, list) else (lines, lines)


def _from_code(row: Mapping[str, Any]) -> BankQuestion:
    kind = row["kind"] if row["answerable"] else UNANSWERABLE
    places = tuple(
        Place(gold["file"], lines=_line_range(gold.get("lines")), needle=gold.get("needle") or "")
        for gold in row["gold"]
    )
    forms = (row["answer"],) if row["answer"] else ()
    return BankQuestion(row["id"], "code", kind, row["question"], forms, None, places)


def _from_gathered(row: Mapping[str, Any], name: str, part: Part) -> BankQuestion:
    places = tuple(
        Place(
            place["file"],
            (place["page"],) if place.get("page") else (),
            _line_range(place.get("lines")),
            str(place.get("cell") or ""),
            place.get("needle") or "",
        )
        for place in row["places"]
    )
    return BankQuestion(row["id"], name, row["kind"], row["question"], tuple(row["forms"]), row["value"], places, part)


_READ = {"collection": _from_collection, "reports": _from_reports, "code": _from_code}
