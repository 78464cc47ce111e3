"""Questions with the passage that answers each, which the bundled model was never chosen by.

everyday code, everyday reports   DATA/everyday: questions that people wrote; relevant are the passages, as the product
                                  cuts them, at the place that a question names
code pairs, medicine, wiki tables DATA/rerank_train, groups that no lesson was drawn from; each passage once
functions                         of the installed packages: a docstring's first sentence asks for the body without it
sections                          of their readmes and manuals: a heading asks for the text below it
options                           of their command lines: the help asks for the declaration without it
man pages                         of this machine: an option's first sentence asks for its name, with the page's

The last four are drawn by rule, so many a project; lessons.py drew none of its own from installed packages.
"""

from __future__ import annotations

import ast
import gzip
import json
import random
import re
import subprocess
import sysconfig
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from corpora import read_jsonl

from mixrag_cli.records.passages import Chunk
from mixrag_cli.stories.embedding import text_to_embed
from training.embedder.lessons import read_lessons
from training.folders import read_folder

SEED = 7
N_PAIRS = 100  # of a source
A_PROJECT = 12  # drawn of one project, so that none decides
N_DRAWN = 250
DRAWN_CHARS = 500  # of a passage
LEAST_WORDS = 4  # of a question: fewer are no question of one passage
PAIR_SETS = {
    "code pairs": ("codenn-csharp-valid", "codenn-python-valid", "codenn-sql-valid", "cosqa-dev"),
    "medicine": ("medquad", "covidqa", "pubmedqa-l"),
    "wiki tables": ("wtq-train", "tabfact-val"),
}

# A question and its passage.
Pair = tuple[str, str]
# Passages with an id each, questions by id, and the passages' grades by question.
Drawn = tuple[list[tuple[str, str]], dict[str, str], dict[str, dict[str, float]]]


def draw_set(data: Path, name: str) -> Drawn:
    """The set of this name, the same for the same data and installed packages."""
    if name.startswith("everyday "):
        return read_everyday(data / "everyday" / name.removeprefix("everyday "))
    pairs = unseen_pairs(data, PAIR_SETS[name]) if name in PAIR_SETS else DRAWERS[name]()
    return from_pairs((question, text[:DRAWN_CHARS]) for question, text in pairs)


def from_pairs(pairs: Iterable[Pair]) -> Drawn:
    """Each passage once; a question whose passage is another's too has both right."""
    of_text: dict[str, str] = {}
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for question, text in pairs:
        grades[question][of_text.setdefault(text, str(len(of_text)))] = 1.0
    questions = {str(number): question for number, question in enumerate(grades)}
    judgements = {number: dict(grades[question]) for number, question in questions.items()}
    return [(key, text) for text, key in of_text.items()], questions, judgements


# --- the everyday folders --------------------------------------------------------------------------------------------


def read_everyday(folder: Path) -> Drawn:
    read = [(path, chunk) for path, found in read_folder(folder / "files") for chunk in found.chunks]
    chunks = sorted(read, key=lambda one: (one[0], one[1].position))
    passages = [(f"{path}#{number}", text_to_embed(chunk)) for number, (path, chunk) in enumerate(chunks)]
    questions, judgements = {}, {}
    for row in read_jsonl(folder / "questions.jsonl"):
        places = [*row.get("gold", ()), *([{"file": row["doc"], **(row["place"] or {})}] if row.get("doc") else ())]
        relevant = {
            f"{path}#{number}": 1.0
            for number, (path, chunk) in enumerate(chunks)
            if any(path.endswith(place["file"]) and is_at(chunk, place) for place in places)
        }
        if relevant:
            questions[row["id"]], judgements[row["id"]] = row["question"], relevant
    return passages, questions, judgements


def is_at(chunk: Chunk, place: Mapping[str, Any]) -> bool:
    """Whether a passage overlaps the place: lines, pages, or a cell of a sheet; anywhere where the place says none."""
    at = chunk.locator
    if lines := place.get("lines"):
        return at.lines is not None and at.lines[0] <= lines[-1] and lines[0] <= at.lines[1]
    if pages := place.get("page"):
        return at.page is not None and at.page <= max(pages) and min(pages) <= (at.last_page or at.page)
    if place.get("sheet"):
        return at.sheet == place["sheet"] and (not at.cells or holds_cell(at.cells, place["cell"]))
    return True


def holds_cell(cells: str, cell: str) -> bool:
    first, _, last = cells.partition(":")
    (top, left), (bottom, right) = to_place(first), to_place(last or first)
    row, column = to_place(cell.partition(":")[0])
    return top <= row <= bottom and left <= column <= right


def to_place(cell: str) -> tuple[int, int]:
    """Row and column of an A1 name, from 1."""
    found = re.match(r"\$?([A-Z]+)\$?(\d+)", cell.upper())
    if found is None:
        return 0, 0
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]), column


# --- pairs of which none was a lesson --------------------------------------------------------------------------------


@cache
def lesson_keys(file: Path) -> set[tuple[str, str]]:
    """Source and group, and source and question, of every lesson to train on."""
    lessons, _ = read_lessons(file, SEED)
    return {(one.source, key) for one in lessons for key in (one.group, one.query)}


def unseen_pairs(data: Path, sources: Sequence[str]) -> list[Pair]:
    """N_PAIRS of each source, of groups that no lesson to train on was drawn from."""
    file = data / "rerank_train" / "pairs.jsonl.gz"
    seen = lesson_keys(file)
    unseen: dict[str, list[Pair]] = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            # concode names one group for everything
            key = row["query"] if row["source"] == "concode-dev" else row["group"]
            if row["source"] in sources and (row["source"], key) not in seen:
                unseen[row["source"]].append((row["query"], row["positive"]))
    rng = random.Random(SEED)
    return [pair for name in sources for pair in rng.sample(unseen[name], min(N_PAIRS, len(unseen[name])))]


# --- drawn by rule from what is installed ----------------------------------------------------------------------------


def sample(of_project: Mapping[str, Sequence[Pair]]) -> list[Pair]:
    """At most A_PROJECT pairs of each project and N_DRAWN in all."""
    rng = random.Random(SEED)
    chosen = [
        pair
        for name in sorted(of_project)
        for pair in rng.sample(of_project[name], min(A_PROJECT, len(of_project[name])))
    ]
    return rng.sample(chosen, min(N_DRAWN, len(chosen)))


def installed_modules() -> Iterator[tuple[str, Path, str, ast.Module]]:
    """Project, path below it, text and tree of installed modules; of a large project those of a random sample."""
    root = Path(sysconfig.get_path("purelib"))
    by_project: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        if not any(part in ("tests", "test", "_vendor", "testing") for part in path.parts):
            by_project[path.relative_to(root).parts[0]].append(path)
    for project, paths in sorted(by_project.items()):
        for path in random.Random(SEED).sample(paths, min(A_PROJECT, len(paths))):
            text = path.read_text("utf-8", "replace")
            try:
                yield project, path.relative_to(root), text, ast.parse(text)
            except (SyntaxError, ValueError):
                continue


def draw_functions() -> list[Pair]:
    found: dict[str, list[Pair]] = defaultdict(list)
    for project, path, text, tree in installed_modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(node.body) > 1:
                summary = first_sentence(ast.get_docstring(node) or "")
                if len(summary.split()) > LEAST_WORDS:
                    found[project].append((summary, f"{path} > {node.name}\n{without_docstring(text, node)}"))
    return sample(found)


def first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", " ".join(text.split("\n\n")[0].split()), maxsplit=1)[0][:200].rstrip(".")


def without_docstring(text: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    lines, first = text.split("\n"), node.body[0]
    return "\n".join([*lines[node.lineno - 1 : first.lineno - 1], *lines[first.end_lineno or 0 : node.end_lineno]])


def draw_sections() -> list[Pair]:
    found: dict[str, list[Pair]] = defaultdict(list)
    for project, text in manuals():
        parts = re.split(r"^#{1,4} +(.+?)#*$|^(\S.{2,78})\n[=~\-^\"']{3,}$", text, flags=re.MULTILINE)
        for first, second, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            heading, body = (first or second or "").strip(), body.strip()
            if len(re.findall("[A-Za-z]{3,}", heading)) >= LEAST_WORDS - 1 and len(body) > 150:
                found[project].append((heading, body))
    return sample(found)


def manuals() -> Iterator[tuple[str, str]]:
    """The readmes that installed packages carry, and the manuals of npm."""
    for package in sorted(distributions(), key=lambda one: one.metadata["Name"]):
        yield package.metadata["Name"], package.metadata.get_payload() or package.metadata["Description"] or ""
    root = Path(sysconfig.get_path("purelib"))
    for path in (*sorted(root.rglob("*.md")), *sorted(Path("/usr/lib/node_modules").rglob("*.md"))):
        if "licen" not in str(path).lower():
            project = path.parts[path.parts.index("node_modules") + 1 :] if "node_modules" in path.parts else ()
            inner = path.parts[len(path.parts) - path.parts[::-1].index("node_modules")] if project else ""
            yield inner or path.relative_to(root).parts[0], path.read_text("utf-8", "replace")


def draw_options() -> list[Pair]:
    found: dict[str, list[Pair]] = defaultdict(list)
    for project, _, _, tree in installed_modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (pair := option_of(node)):
                found[project].append(pair)
    return sample(found)


def option_of(call: ast.Call) -> Pair | None:
    """The help of an option's declaration, and the declaration without it."""
    name = ast.unparse(call.func).rpartition(".")[2]
    helps = [word.value for word in call.keywords if word.arg == "help"]
    if name not in ("add_argument", "option", "Option", "add_option", "addoption") or not helps:
        return None
    if not isinstance(helps[0], ast.Constant) or not isinstance(helps[0].value, str):
        return None
    text = " ".join(helps[0].value.split())[:300]
    bare = ast.Call(call.func, call.args, [word for word in call.keywords if word.arg != "help"])
    return (text, ast.unparse(bare)) if len(text.split()) > LEAST_WORDS and call.args else None


def draw_man_pages() -> list[Pair]:
    """Options of a sample of the machine's man pages, groff's .TP paragraphs: what one does asks for its name."""
    found: dict[str, list[Pair]] = defaultdict(list)
    pages = sorted(Path("/usr/share/man/man1").glob("*.1.gz"))
    for path in random.Random(SEED).sample(pages, min(20 * A_PROJECT, len(pages))):
        told = subprocess.run(["zcat", path], capture_output=True, check=False).stdout.decode("utf-8", "replace")
        page = path.name.partition(".")[0]
        project = re.split("[-_]", page)[0]
        for name, body in re.findall(r"^\.TP.*\n(.*-.+)\n((?:(?!\.TP|\.SH|\.PP).*\n)+)", told, flags=re.MULTILINE):
            option, text = to_plain(name), first_sentence(to_plain(body))
            if option.startswith("-") and len(text.split()) > LEAST_WORDS:
                found[project].append((text, f"{page} {option}"))
    return sample(found)


def to_plain(groff: str) -> str:
    plain = re.sub(r"^\.[A-Za-z]+ ?|\\f[A-Z]|\\f\(..|\\&|\\%", "", groff, flags=re.MULTILINE)
    return " ".join(plain.replace("\\-", "-").replace('"', "").replace("\\", "").split())


DRAWERS: dict[str, Callable[[], list[Pair]]] = {
    "functions": draw_functions,
    "sections": draw_sections,
    "options": draw_options,
    "man pages": draw_man_pages,
}
