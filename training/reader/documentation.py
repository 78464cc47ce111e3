"""Groups of documentation: a heading or a summary asks, its section answers, its neighbours only look like it."""

from __future__ import annotations

import ast
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from training.embedder.lessons import words
from training.reader.groups import Group, Intent
from training.reader.sources import MEASURED, installed_packages, python_files, split_name

SECTIONS, DOCSTRINGS = 500, 1_100  # groups
MAX_PASSAGE = 750  # characters
MISSING = 0.3  # of the groups lose their right section
HEADING = re.compile(r"^#{1,4} +(.+?) *#*$", re.M)
VERBS = (
    "return",
    "compute",
    "create",
    "get",
    "check",
    "convert",
    "read",
    "set",
    "load",
    "build",
    "use",
    "run",
    "add",
    "install",
    "find",
    "write",
    "make",
    "parse",
    "test",
    "remove",
    "open",
    "close",
    "send",
    "call",
    "apply",
    "generate",
    "configure",
    "enable",
    "print",
    "save",
    "update",
    "start",
    "stop",
    "wait",
)  # what headings and summaries that can follow "how to" begin with


def read_documentation(rng: random.Random) -> Iterator[Group | Intent]:
    """All groups of documentation, and what their questions expect."""
    yield from _section_groups(rng)
    yield from _docstring_groups(rng)


def _section_groups(rng: random.Random) -> Iterator[Group | Intent]:
    """Sections of the READMEs that installed packages carry; the heading asks."""
    packages = installed_packages()
    by_file: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(packages.glob("*.dist-info/METADATA")):
        name = path.parent.name.split("-")[0]
        text = path.read_text("utf-8", "replace").split("\n\n", 1)[-1]
        if name.lower() not in MEASURED and len(found := sections_in(text)) > 2:
            by_file[name] = found
    asked = [(name, at) for name, found in by_file.items() for at in range(len(found))]
    for name, at in rng.sample(asked, min(SECTIONS, len(asked))):
        yield from _passage_group(by_file[name], at, name, "sections", rng)


def sections_in(text: str) -> list[tuple[str, str]]:
    """(heading, section) of a text in markdown, where the section says enough."""
    parts = HEADING.split(text)
    found = [
        (head.strip(" `*"), " ".join(body.split(" "))) for head, body in zip(parts[1::2], parts[2::2], strict=True)
    ]
    return [(head, body.strip()[:MAX_PASSAGE]) for head, body in found if len(body.split()) > 15 and len(head) > 3]


def _docstring_groups(rng: random.Random) -> Iterator[Group | Intent]:
    """Documented functions; the docstring's first sentence asks for the rest of it."""
    by_file: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in python_files(rng):
        try:
            tree = ast.parse(path.read_text("utf-8", "replace"))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and (doc := ast.get_docstring(node)):
                summary, _, rest = doc.partition("\n\n")
                summary = " ".join(summary.split()).rstrip(".")
                if 3 < len(summary.split()) < 20 and len(rest.split()) > 25:
                    head = f"{node.name}\n" if rng.random() < 0.5 else ""
                    by_file[f"{path.parent.name}.{path.stem}"].append((summary, head + rest[:MAX_PASSAGE]))
    asked = [(name, at) for name, found in by_file.items() if len(found) > 2 for at in range(len(found))]
    for name, at in rng.sample(asked, min(DOCSTRINGS, len(asked))):
        yield from _passage_group(by_file[name], at, name, "docstrings", rng)


def _passage_group(
    found: Sequence[tuple[str, str]], at: int, name: str, source: str, rng: random.Random
) -> Iterator[Group | Intent]:
    """A section among the two or three of its file that share most words with its heading."""
    heading, right = found[at]
    question = _asking(heading, name, rng)
    asked = set(words(question))
    others = [(head, text) for head, text in found if text != right and head.lower() != heading.lower()]
    others.sort(key=lambda one: -len(asked & set(words(one[1]))))
    n_wrong = rng.randint(1, 2)
    chosen = rng.sample(others[:4], min(n_wrong, len(others[:4])))
    is_missing = rng.random() < MISSING
    texts = [*chosen] if is_missing else [found[at], *chosen]
    if not texts:
        return
    rng.shuffle(texts)
    # A README's passage shows its heading as the product's chunks do, though not always: then it must be understood.
    shown = source == "sections" and rng.random() < 0.5
    passages = tuple(f"{name} > {head}\n{text}" if shown else text for head, text in texts)
    right_at = None if is_missing else texts.index(found[at])
    yield Group(question, passages, right_at, (), "holds", False, source, f"{source}:{name}")
    yield Intent(question, "lookup" if rng.random() < 0.2 else "", "passage", source, f"{source}:{name}")


def _asking(heading: str, name: str, rng: random.Random) -> str:
    lower = heading[0].lower() + heading[1:]
    forms = ["{h}", "{l}", "what about {l}?", "{l} in {n}", "what is said of {l}?", "explain {l}", "what is {l}?"]
    if lower.startswith(VERBS):
        forms = [
            "how do I {l}?",
            "how to {l}",
            "how can one {l}?",
            "what does one use to {l}",
            "{h}",
            "why would I {l}?",
        ]
    return rng.choice(forms).format(h=heading, l=lower, n=split_name(name))
