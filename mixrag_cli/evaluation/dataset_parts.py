"""What the kinds of data sets have in common: a line that asks, a span, names that are safe and unique."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mixrag_cli.errors import MixragError
from mixrag_cli.evaluation.dataset_lines import Row
from mixrag_cli.evaluation.datasets import Question, Span

MAX_LABEL_CHARACTERS = 64  # of a field by which questions may be told apart; longer ones are texts
TEXT_FIELDS = frozenset({"_id", "id", "uid", "text", "question", "answer", "answers"})
# Formats whose text can be written out again; the text of any other goes into a file of its name and ".txt".
WRITABLE = re.compile(
    r"\.(?:txt|md|rst|csv|tsv|html?|json|ya?ml|toml|sql|sh|[chr]|cc|cpp|py|js|ts|go|rs|java|rb|php|cs)$"
)


def read_question(row: Row) -> Question:
    """A question's id, text and labels, as lines of every kind have them; what counts as right each kind adds."""
    text = row.text("question", "text").strip()
    if not text:
        raise row.complaint("the question is empty")
    return Question(row.text("_id", "id", "uid"), text, labels=_read_labels(row))


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


def safe_name(name: str) -> str:
    """The name with nothing in it that a file system or a walk takes amiss."""
    return re.sub(r"[^\w.-]+", "_", name).strip("._-~")[:100] or "document"


def file_name(name: str) -> str:
    """A safe file name whose suffix says how the text in it is to be read."""
    safe = safe_name(name.rpartition("/")[2])
    return safe if WRITABLE.search(safe.lower()) else f"{safe}.txt"


def unique_paths(paths: Iterable[str]) -> Iterator[str]:
    """The paths in their order; one that was there before, upper and lower case alike, gets a number."""
    seen: dict[str, int] = {}
    for path in paths:
        count = seen[path.casefold()] = seen.get(path.casefold(), 0) + 1
        stem, dot, suffix = path.rpartition(".")
        yield path if count == 1 else f"{stem}~{count}{dot}{suffix}"


def refuse_twins(ids: Iterable[str], complaint: str) -> None:
    """Raise MixragError with the complaint and the first id that is there twice."""
    seen: set[str] = set()
    for id_ in ids:
        if id_ in seen:
            raise MixragError(f"{complaint} {id_!r}")
        seen.add(id_)


def read_span(row: Row) -> Span:
    """The characters that an object names, by char_start and char_end or start and end. Raises MixragError."""
    names = ("char_start", "char_end") if "char_start" in row.values else ("start", "end")
    start, end = (int(row.number(name)) for name in names)
    if not 0 <= start < end:
        raise row.complaint(f"{names[0]} must lie before {names[1]}")
    return Span(row.text("document_id", "document", "path"), start, end, row.number("grade", 1.0))
