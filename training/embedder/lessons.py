"""What the bundled model is trained on: questions with the passage that answers each and one that only looks like it.

From pairs of (query, passage) with source, group and licence, each source up to its share; and from questions drawn by
rule out of the same tables, a row's chunk as the product writes it, and out of the standard library's docstrings. The
wrong passage is the best by BM25 of another group; for a row it is another row of the same table.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import math
import random
import re
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SHARES = {  # pairs a source; medquad is template questions, concode is code without names
    "wtq-train": 2_300,
    "tabfact-val": 1_500,
    "fetaqa-dev": 1_000,
    "qed-nq-dev": 1_350,
    "medquad": 1_000,
    "covidqa": 700,
    "pubmedqa-l": 700,
    "codenn-csharp-valid": 450,
    "codenn-python-valid": 500,
    "codenn-sql-valid": 300,
    "concode-dev": 150,
    "cosqa-dev": 310,
}
TABLE_SOURCES = ("wtq-train", "tabfact-val", "fetaqa-dev")
ROW_LESSONS = 1_300
CODE_LESSONS = 900
DEV_SHARE = 40  # one group in so many is kept for choosing among checkpoints
SUMMARY_SHARE = 0.3  # of table passages written as the product's whole-table chunk
PASSAGE_CHARS = 900  # of a passage that are shown; the window in training is smaller still
TABLE_CHARS = 520  # of a table, whose figures make more tokens a character
WORD = re.compile(r"[a-z]+|\d+(?:[.,]\d+)*")
K1, B = 1.2, 0.75
N_HARD = 5  # best wrong passages of which one is drawn
COMMON = 0.25  # words in more than this share of the passages say nothing
STDLIB_MODULES = 160


@dataclass(frozen=True, slots=True)
class Lesson:
    """One training group. group: what may not be split between training and choosing."""

    query: str
    positive: str
    negative: str
    source: str
    group: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and the passage that answers it."""

    query: str
    positive: str
    source: str
    group: str


@dataclass(frozen=True, slots=True)
class _Grid:
    title: str
    names: list[str]
    rows: list[list[str]]


def read_lessons(pairs_file: Path, seed: int) -> tuple[list[Lesson], list[Lesson]]:
    """The lessons to train on and those kept for choosing; the same for the same file, Python and seed."""
    rng = random.Random(seed)
    by_source: dict[str, list[Pair]] = defaultdict(list)
    with gzip.open(pairs_file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["source"] in SHARES:
                by_source[row["source"]].append(Pair(row["query"], row["positive"], row["source"], row["group"]))
    lessons: list[Lesson] = []
    for source, pairs in by_source.items():
        chosen = rng.sample(pairs, min(SHARES[source], len(pairs)))
        lessons += list(with_negatives(chosen, pairs, rng))
    tables = sorted({(pair.group, pair.positive) for source in TABLE_SOURCES for pair in by_source[source]})
    lessons += list(_row_lessons(tables, rng))
    code = _code_pairs(rng)
    lessons += list(with_negatives(rng.sample(code, min(CODE_LESSONS, len(code))), code, rng))
    rng.shuffle(lessons)
    return [one for one in lessons if not is_dev(one)], [one for one in lessons if is_dev(one)]


def is_dev(lesson: Lesson) -> bool:
    """Whether the lesson is kept for choosing among checkpoints."""
    # concode names one group for everything: there each question is its own
    group = lesson.query if lesson.source == "concode-dev" else lesson.group
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % DEV_SHARE == 0


# --- negatives -------------------------------------------------------------------------------------------------------


class WordIndex:
    """BM25 over some texts, in plain Python: enough to find what looks like an answer."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        counts = [Counter(words(text)) for text in texts]
        mean = sum(count.total() for count in counts) / max(len(counts), 1)
        for number, count in enumerate(counts):
            norm = K1 * (1 - B + B * count.total() / mean)
            for word, times in count.items():
                self._postings[word].append((number, times * (K1 + 1) / (times + norm)))
        self._n = len(texts)

    def best(self, query: str, n: int) -> list[int]:
        """The numbers of the n best texts, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(words(query)):
            postings = self._postings.get(word, [])
            if postings and len(postings) <= max(COMMON * self._n, 50):
                weight = math.log(1 + (self._n - len(postings) + 0.5) / (len(postings) + 0.5))
                for number, value in postings:
                    scores[number] += weight * value
        return sorted(scores, key=lambda number: (-scores[number], number))[:n]


def words(text: str) -> list[str]:
    """Words and numbers, lower-cased."""
    return WORD.findall(text.lower())


def with_negatives(chosen: Iterable[Pair], pairs: Sequence[Pair], rng: random.Random) -> Iterator[Lesson]:
    """Each chosen pair with a passage out of the N_HARD that share most words with its question, of another group."""
    passages = sorted({(pair.positive, pair.group) for pair in pairs})
    index = WordIndex([text for text, _ in passages])
    for pair in chosen:
        found = [passages[number] for number in index.best(pair.query, 24)]
        others = [text for text, group in found if _differs(pair, text, group)][:N_HARD]
        if not others:
            others = [text for text, group in rng.sample(passages, 8) if _differs(pair, text, group)]
        wrong = rng.choice(others)
        is_table = pair.source in TABLE_SOURCES
        show = _table_view if is_table and rng.random() < SUMMARY_SHARE else (_window if is_table else _cut)
        yield Lesson(pair.query, show(pair.positive, pair.query), show(wrong, pair.query), pair.source, pair.group)


def _differs(pair: Pair, text: str, group: str) -> bool:
    return text != pair.positive and (group != pair.group or pair.source == "concode-dev")


# --- how passages are shown ------------------------------------------------------------------------------------------


def _cut(text: str, _: str) -> str:
    return text[:PASSAGE_CHARS]


def _window(text: str, query: str) -> str:
    """Title, header and the run of rows with most of the question's words: a store cuts long tables into such."""
    lines = text.split("\n")
    if len(text) <= TABLE_CHARS or len(lines) < 4:
        return text[:TABLE_CHARS]
    head, rows = lines[:2], lines[2:]
    sought = set(words(query)) - set(words(" ".join(head)))
    hits = [len(sought & set(words(row))) for row in rows]
    room = TABLE_CHARS - sum(len(line) + 1 for line in head)
    size = max(1, int(room / (1 + sum(map(len, rows)) / len(rows))))
    start = max(range(0, max(1, len(rows) - size + 1)), key=lambda at: (sum(hits[at : at + size]), -at))
    return "\n".join(head + rows[start : start + size])[:TABLE_CHARS]


def _table_view(text: str, _: str) -> str:
    """Title, size, columns, the rows' names and the first rows, as the product's chunk of a whole table."""
    grid = _read_grid(text)
    if grid is None:
        return text[:TABLE_CHARS]
    lines = [grid.title, f"{len(grid.rows):,} rows, {len(grid.names)} columns: {'; '.join(grid.names)}"]
    lines.append(f"rows: {'; '.join(row[0] for row in grid.rows[:20])}")
    lines += [_row_text(grid, row) for row in grid.rows[:5]]
    return "\n".join(lines)[:TABLE_CHARS]


def _read_grid(text: str) -> _Grid | None:
    """The passage as a table; None where lines and columns do not agree."""
    lines = text.split("\n")
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines[1:]]
    if len(cells) < 3 or len(cells[0]) < 2 or "|" in lines[0]:
        return None
    rows = [row for row in cells[1:] if len(row) == len(cells[0]) and row[0]]
    return _Grid(lines[0], cells[0], rows) if len(rows) >= 3 else None


def _row_text(grid: _Grid, row: Sequence[str]) -> str:
    named = [f"{name} {cell}".strip() for name, cell in zip(grid.names, row, strict=True) if cell]
    return f"{named[0]}: {'; '.join(named[1:])}"


# --- questions drawn by rule -----------------------------------------------------------------------------------------

ROW_QUESTIONS = (
    "what is the {name} of {key} in {title}?",
    "{title}: {name} for {key}",
    "what was {key}'s {name}?",
    "{key} {name} {title}",
    "which {name} does {key} have ({title})?",
    "how much or which {name} is given for {key} in the table {title}?",
)
KEYED_QUESTIONS = (
    "which {first} has {name} {cell} in {title}?",
    "{title}: who or what has the {name} {cell}?",
)


def _row_lessons(tables: Sequence[tuple[str, str]], rng: random.Random) -> Iterator[Lesson]:
    """Questions for one row of a table; the wrong passage is another row of it, mostly the one most like it."""
    for group, text in rng.sample(list(tables), min(ROW_LESSONS, len(tables))):
        grid = _read_grid(text)
        if grid is None or not grid.title:
            continue
        keys = Counter(row[0] for row in grid.rows)
        askable = [row for row in grid.rows if keys[row[0]] == 1 and not row[0].isdigit()]
        if not askable:
            continue
        row = rng.choice(askable)
        column = rng.choice([at for at in range(1, len(row)) if row[at] and grid.names[at]] or [0])
        if column == 0:
            continue
        name, cell = grid.names[column], row[column]
        unique = sum(other[column] == cell for other in grid.rows) == 1
        form = rng.choice(ROW_QUESTIONS + (KEYED_QUESTIONS if unique and len(cell) < 60 else ()))
        query = form.format(name=name, key=row[0], title=grid.title, cell=cell, first=grid.names[0])
        others = [other for other in grid.rows if other is not row and other[0] != row[0]]
        wrong = rng.choice(others)
        yield Lesson(
            query,
            f"{grid.title}\n{_row_text(grid, row)}"[:PASSAGE_CHARS],
            f"{grid.title}\n{_row_text(grid, wrong)}"[:PASSAGE_CHARS],
            "rows by rule",
            group,
        )


def _code_pairs(rng: random.Random) -> list[Pair]:
    """Documented functions of the standard library: the docstring's first sentence asks for the body without it."""
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in root.glob("*.py") if not path.name.startswith("_"))
    files += sorted(
        path
        for folder in ("email", "http", "json", "logging", "unittest", "xml", "asyncio", "importlib")
        for path in (root / folder).rglob("*.py")
    )
    pairs = []
    for path in files[: STDLIB_MODULES * 2]:
        text = path.read_text("utf-8", "replace")
        for owner, node in functions(ast.parse(text)):
            pair = _code_pair(path.relative_to(root), text, owner, node, rng)
            if pair:
                pairs.append(pair)
    return pairs


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module and of its classes, with the class's name or none."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            yield from ((node.name, inner) for inner in node.body if isinstance(inner, ast.FunctionDef))


def _code_pair(path: Path, text: str, owner: str, node: ast.FunctionDef, rng: random.Random) -> Pair | None:
    doc = ast.get_docstring(node)
    if not doc or len(node.body) < 2 or len(doc.split()) < 5:
        return None
    summary = " ".join(doc.split("\n\n")[0].split())[:200].rstrip(".")
    name = node.name.strip("_").replace("_", " ")
    query = rng.choice(
        (
            summary,
            summary,
            f"how to {summary[0].lower()}{summary[1:]}",
            f"function {name}: {summary}",
            f"where is {owner + '.' if owner else ''}{node.name} defined?",
        )
    )
    lines = text.split("\n")
    first = node.body[0]
    head = lines[node.lineno - 1 : first.lineno - 1]
    body = lines[(first.end_lineno or first.lineno) : node.end_lineno]
    context = " > ".join(part for part in (str(path), owner, node.name) if part)
    return Pair(query, "\n".join([context, *head, *body]), "standard library", f"stdlib/{path}")


def count_by_source(lessons: Iterable[Lesson]) -> Mapping[str, int]:
    """How many lessons each source gave."""
    return Counter(lesson.source for lesson in lessons)
