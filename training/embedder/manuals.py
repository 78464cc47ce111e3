"""Lessons of manuals and programs, by rule, which keep what the model knew of them and teach it more.

FOLDER/docs/PROJECT      manuals and change logs: a heading asks for its section, as the product cuts it; an entry's
                         words for the release that it stands under
FOLDER/packages/PACKAGE  Python packages: a docstring's first sentence asks for the function without it, an option's
                         help for its declaration without it or for how it is typed
FOLDER/man               Debian's manual pages (.gz): what an option does asks for page and option
FOLDER/tldr/pages        what a command does asks for the command
FOLDER/nl2bash           the same: data/bash/all.nl and all.cm, line by line

Packages that are installed here and manual pages that this machine has are left out: the benchmarks draw from them.
"""

from __future__ import annotations

import ast
import gzip
import random
import re
import sysconfig
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from mixrag_cli.stories.embedding import text_to_embed
from training.embedder.lessons import Lesson, Pair, functions, is_dev, with_negatives
from training.folders import read_folder

A_PROJECT = 60  # pairs of one project, page's program or package, so that none decides
MODULES = 40  # of a package that are read
LEAST_WORDS = 4  # of a question: fewer are no question of one passage
LEAST_CHARS = 150  # of a section
CHANGE_LOGS = ("CHANGELOG", "HISTORY", "CHANGES")
SYSTEM_PAGES = Path("/usr/share/man/man1")
OPTION_CALLS = ("add_argument", "option", "Option", "add_option", "addoption")
DROPPED = 0.4  # of a change-log entry's words, so that it is not found by being repeated

SECTION_QUESTIONS = (
    "{heading}",
    "{heading}",
    "{project}: {heading}",
    "how do I {lower} in {project}?",
    "what does {project}'s manual say about {lower}?",
)


def read_manuals(folder: Path, seed: int) -> tuple[list[Lesson], list[Lesson]]:
    """The lessons to train on and those kept for choosing; the same for the same folder and machine."""
    rng = random.Random(seed)
    lessons: list[Lesson] = []
    for source, (share, draw) in DRAWERS.items():
        pairs = [Pair(question, passage, source, group) for question, passage, group in _thin(draw(folder, rng), rng)]
        if pairs:
            lessons += with_negatives(rng.sample(pairs, min(share, len(pairs))), pairs, rng)
    rng.shuffle(lessons)
    return [one for one in lessons if not is_dev(one)], [one for one in lessons if is_dev(one)]


# Question, passage, and the project that both are of.
_Drawn = tuple[str, str, str]


def _thin(drawn: Iterator[tuple[str, _Drawn]], rng: random.Random) -> Iterator[_Drawn]:
    """At most A_PROJECT of each project."""
    found: dict[str, list[_Drawn]] = defaultdict(list)
    for project, one in drawn:
        found[project].append(one)
    for project in sorted(found):
        yield from rng.sample(found[project], min(A_PROJECT, len(found[project])))


# --- manuals and change logs -----------------------------------------------------------------------------------------


def _sections(folder: Path, rng: random.Random) -> Iterator[tuple[str, _Drawn]]:
    for project in _below(folder / "docs"):
        for path, extraction in read_folder(project):
            if _is_change_log(path):
                continue
            for number, chunk in enumerate(extraction.chunks):
                heading = re.split(r" > ", chunk.context)[-1].split("\n")[-1].strip("#` ")
                if len(re.findall("[A-Za-z]{3,}", heading)) < LEAST_WORDS - 2 or len(chunk.text) < LEAST_CHARS:
                    continue
                form = rng.choice(SECTION_QUESTIONS)
                lower = heading[:1].lower() + heading[1:]
                question = form.format(heading=heading, lower=lower, project=project.name)
                passage = text_to_embed(chunk) if rng.random() < 0.6 else chunk.text
                # A part of the files, so that no project is one long manual.
                yield f"{project.name}/{Path(path).stem[:2]}", (question, passage, f"{project.name}/{path}#{number}")


def _entries(folder: Path, rng: random.Random) -> Iterator[tuple[str, _Drawn]]:
    for project in _below(folder / "docs"):
        for path, extraction in read_folder(project):
            if not _is_change_log(path):
                continue
            for number, chunk in enumerate(extraction.chunks):
                entries = [_to_plain_entry(line) for line in chunk.text.split("\n") if re.match(r"\s*[-*] ", line)]
                entries = [entry for entry in entries if len(entry) > LEAST_WORDS + 2]
                if entries:
                    kept = [word for word in rng.choice(entries)[:24] if rng.random() > DROPPED]
                    question = f"in which release of {project.name}: {' '.join(kept)}"
                    yield project.name, (question, text_to_embed(chunk), f"{project.name}/{path}#{number}")


def _is_change_log(path: str) -> bool:
    return Path(path).stem.upper() in CHANGE_LOGS


def _to_plain_entry(line: str) -> list[str]:
    without_links = re.sub(r"\[([^\]]*)\]\([^)]*\)|#\d+|https?://\S+|[*_`]", r"\1", line.strip(" -*"))
    return [word for word in without_links.split() if re.search("[A-Za-z]", word)]


# --- packages --------------------------------------------------------------------------------------------------------


def _functions(folder: Path, rng: random.Random) -> Iterator[tuple[str, _Drawn]]:
    for package, path, text, tree in _modules(folder, rng):
        for owner, node in functions(tree):
            summary = _first_sentence(ast.get_docstring(node) or "")
            if len(node.body) < 2 or len(summary.split()) <= LEAST_WORDS:
                continue
            lower = summary[0].lower() + summary[1:]
            question = rng.choice((summary, summary, lower, f"how to {lower}", f"function that {lower}"))
            lines, first = text.split("\n"), node.body[0]
            head, body = lines[node.lineno - 1 : first.lineno - 1], lines[first.end_lineno or 0 : node.end_lineno]
            context = " > ".join(part for part in (str(path), owner, node.name) if part)
            yield package, (question, "\n".join([context, *head, *body]), f"{path}:{node.lineno}")


def _options(folder: Path, rng: random.Random) -> Iterator[tuple[str, _Drawn]]:
    for package, path, _, tree in _modules(folder, rng):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (found := _option_of(node)):
                told, bare, names = found
                typed = f"{package} {', '.join(names)}" if names and rng.random() < 0.3 else bare
                yield package, (told, typed, f"{path}:{node.lineno}")


def _option_of(call: ast.Call) -> tuple[str, str, list[str]] | None:
    """An option's help, its declaration without it, and its names."""
    helps = [word.value for word in call.keywords if word.arg == "help"]
    if ast.unparse(call.func).rpartition(".")[2] not in OPTION_CALLS or not helps or not call.args:
        return None
    if not isinstance(helps[0], ast.Constant) or not isinstance(helps[0].value, str):
        return None
    told = " ".join(helps[0].value.split())[:300]
    bare = ast.Call(call.func, call.args, [word for word in call.keywords if word.arg != "help"])
    names = [str(one.value) for one in call.args if isinstance(one, ast.Constant)]
    return (told, ast.unparse(bare), names) if len(told.split()) >= LEAST_WORDS else None


def _modules(folder: Path, rng: random.Random) -> Iterator[tuple[str, Path, str, ast.Module]]:
    """Package, path, text and tree of the modules of those packages that are not installed here."""
    installed = Path(sysconfig.get_path("purelib"))
    for package in _below(folder / "packages"):
        paths = [path for path in sorted(package.rglob("*.py")) if not {"tests", "test", "_vendor"} & {*path.parts}]
        paths = [path for path in paths if not (installed / path.relative_to(package).parts[0]).exists()]
        commands = [path for path in paths if re.search("cli|command|argument|option|main|parser|config", path.stem)]
        chosen = {*commands[:MODULES], *rng.sample(paths, min(MODULES, len(paths)))}
        for path in sorted(chosen):
            text = path.read_text("utf-8", "replace")
            try:
                yield package.name, path.relative_to(package), text, ast.parse(text)
            except (SyntaxError, ValueError):
                continue


# --- commands --------------------------------------------------------------------------------------------------------


def _man_pages(folder: Path, rng: random.Random) -> Iterator[tuple[str, _Drawn]]:
    known = {path.name.partition(".")[0] for path in SYSTEM_PAGES.glob("*.gz")}
    for path in sorted((folder / "man").rglob("*.gz")):
        page = path.name.partition(".")[0]
        if page in known or not path.is_file():
            continue
        told = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        for name, body in re.findall(r"^\.TP.*\n(.*-.+)\n((?:(?!\.TP|\.SH|\.PP).*\n)+)", told, flags=re.MULTILINE):
            option, plain = _to_plain(name), _to_plain(body)
            question = _first_sentence(plain)
            if option.startswith("-") and len(question.split()) >= LEAST_WORDS:
                rest = plain.removeprefix(question).strip(" .") if rng.random() < 0.4 else ""
                yield re.split("[-_]", page)[0], (question, f"{page} {option}\n{rest}".strip(), f"{page} {option}")


def _tldr(folder: Path, rng: random.Random) -> Iterator[tuple[str, _Drawn]]:
    for path in sorted((folder / "tldr" / "pages").rglob("*.md")):
        text = path.read_text("utf-8")
        title, told = path.stem, " ".join(re.findall(r"^> (?!More info|See also)(.*)$", text, re.MULTILINE))
        plain = re.sub(r"\{\{(.*?)\}\}", r"\1", text)
        if len(told.split()) >= LEAST_WORDS and rng.random() < 0.3:
            yield title, (told, re.sub(r"^> .*\n", "", plain, flags=re.MULTILINE), title)
        for question, command in re.findall(r"^- (.*):\n\n`(.*)`$", plain, re.MULTILINE):
            question = re.sub(r"\[(\w)\]", r"\1", question)
            if len(question.split()) >= LEAST_WORDS:
                yield title, (question, f"{title}\n{command}" if rng.random() < 0.5 else command, title)


def _nl2bash(folder: Path, rng: random.Random) -> Iterator[tuple[str, _Drawn]]:
    root = folder / "nl2bash" / "data" / "bash"
    questions, commands = ((root / f"all.{kind}").read_text("utf-8").split("\n") for kind in ("nl", "cm"))
    for number, (question, command) in enumerate(zip(questions, commands, strict=True)):
        if len(question.split()) >= LEAST_WORDS and command:
            yield str(number), (question, command, command)


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", " ".join(text.split("\n\n")[0].split()), maxsplit=1)[0][:200].rstrip(".")


def _to_plain(groff: str) -> str:
    plain = re.sub(r"^\.[A-Za-z]+ ?|\\f[A-Z]|\\f\(..|\\&|\\%", "", groff, flags=re.MULTILINE)
    return " ".join(plain.replace("\\-", "-").replace('"', "").replace("\\", "").split())


def _below(folder: Path) -> Sequence[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


_Draw = Callable[[Path, random.Random], Iterator[tuple[str, _Drawn]]]
DRAWERS: Mapping[str, tuple[int, _Draw]] = {  # and how many lessons of each
    "sections by rule": (1_100, _sections),
    "change logs by rule": (150, _entries),
    "functions by rule": (1_100, _functions),
    "options by rule": (1_000, _options),
    "man pages by rule": (700, _man_pages),
    "tldr": (700, _tldr),
    "nl2bash": (300, _nl2bash),
}
