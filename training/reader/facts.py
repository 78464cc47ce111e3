"""Groups of facts drawn by rule out of Python files: constants, defaults, options, returned literals, entries.

The other facts of its file are nearly the one that is meant.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mixrag_cli.models.bundled_reader import cell_text
from training.reader.groups import Group, Intent
from training.reader.sources import python_files, split_name

FACTS = 1_700  # groups
FACTS_A_FILE = 5
CELLS = (5, 7)  # of a group
MISSING = 0.15  # of the groups lose their right fact
MAX_VALUE = 60  # characters
TIMELY = re.compile(r"timeout|interval|delay|ttl|duration|wait|sleep", re.I)
BOUND = re.compile(r"max|limit|size|capacity|min", re.I)
SKIPPED = re.compile(r"^(self|cls|args|kwargs|_)$")


@dataclass(frozen=True, slots=True)
class Fact:
    """A named value in a file. kind: constant, default, option, returns or entry. said: its help text or comment."""

    owner: str
    name: str
    value: str
    kind: str
    said: str


FORMS = {
    "constant": (
        "what is {n}?",
        "what is {w} set to?",
        "what is the value of {N}?",
        "which value does {N} have",
        "what {w} is used in {m}?",
        "{w}",
    ),
    "default": (
        "what is the default of {n} in {o}?",
        "what is the default {w} of {p}?",
        "what does {n} default to in {o}",
        "default {w} for {p}",
        "which {w} does {p} use by default?",
        "if I do not pass {n} to {o}, what is used?",
        "{o} {n} default",
    ),
    "option": (
        "what is the default of {n}?",
        "what does {n} default to?",
        "default value of the {w} option",
        "which {w} is used when none is given?",
        "{n} default",
    ),
    "returns": (
        "what does {o} return?",
        "what is returned by {p}?",
        "return value of {o}",
        "what does the {p} function give back",
    ),
    "entry": (
        "what is {n} in {o}?",
        "what does {p} map {n} to?",
        "which value has {n} in {p}?",
        "{p} for {n}",
        "what is the {p} of {n}?",
    ),
}


def read_facts(rng: random.Random) -> Iterator[Group | Intent]:
    """All groups of facts, and what their questions expect."""
    found: list[tuple[Path, list[Fact]]] = [
        (path, facts) for path in python_files(rng) if len(facts := facts_in(path)) > 3
    ]
    asked = [(path, facts, fact) for path, facts in found for fact in rng.sample(facts, min(FACTS_A_FILE, len(facts)))]
    for path, facts, fact in rng.sample(asked, min(FACTS, len(asked))):
        question = _question(fact, path, rng)
        group = f"code:{path.stem}"
        same = {(one.owner, one.name) for one in facts if one.name == fact.name and one.owner == fact.owner}
        others = [one for one in facts if (one.owner, one.name) not in same]
        if fact.owner not in question and split_name(fact.owner.rsplit(".", 1)[-1]) not in question:
            others = [one for one in others if one.name != fact.name]
        ordered = sorted(rng.sample(others, len(others)), key=lambda one: -_likeness(fact, one))
        n_wrong = rng.randint(*CELLS) - 1
        wrong = ordered[: n_wrong - 1] + rng.sample(ordered, min(1, len(ordered)))
        wrong = list(dict.fromkeys(wrong))
        if len(wrong) < 2:
            continue
        yield _as_group(question, fact, wrong, group, rng)
        expects = "number" if re.fullmatch(r"-?[\d._e]+", fact.value) else "code"
        yield Intent(question, "lookup", expects, "facts", group)


def _as_group(question: str, fact: Fact, wrong: list[Fact], group: str, rng: random.Random) -> Group:
    titled = rng.random() < 0.85
    chosen = [*wrong] if rng.random() < MISSING else [fact, *wrong]
    rng.shuffle(chosen)
    texts = tuple(cell_text(one.owner if titled else "", (one.name,), (), one.value) for one in chosen)
    right = chosen.index(fact) if fact in chosen else None
    return Group(question, texts, right, (), "pair", False, "facts", group)


def _likeness(fact: Fact, other: Fact) -> float:
    same_words = len(set(split_name(fact.name).split()) & set(split_name(other.name).split()))
    return 2 * (fact.name == other.name) + same_words + (fact.owner == other.owner) + 0.5 * (fact.kind == other.kind)


def _question(fact: Fact, path: Path, rng: random.Random) -> str:
    """A question in one of the forms; where a help text or comment stands beside, sometimes in its words."""
    last = fact.owner.rsplit(".", 1)[-1]
    values = {
        "n": fact.name,
        "N": fact.name,
        "w": split_name(fact.name),
        "o": fact.owner if rng.random() < 0.5 else last,
        "p": split_name(last),
        "m": split_name(path.stem),
    }
    forms = list(FORMS[fact.kind])
    if TIMELY.search(fact.name):
        forms += ["how long is the {w} of {p}?", "how long is {w} by default?", "how many seconds is {w} in {p}"]
    if BOUND.search(fact.name):
        forms += ["how large is {w} in {p}?", "how many is {w} at most?", "what is the limit on {w} in {p}?"]
    if fact.said and rng.random() < 0.5:
        said = fact.said[0].lower() + fact.said[1:100].rstrip(" .")
        forms = [f"what is the {said}?", f"{said}: which value", f"what is the default for {said}?", f"which {said}"]
        return rng.choice(forms)
    return rng.choice(forms).format(**values)


def facts_in(path: Path) -> list[Fact]:
    """The facts of a Python file, in their order."""
    text = path.read_text("utf-8", "replace")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    lines = text.split("\n")
    facts = list(_body_facts(tree.body, path.stem, lines))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            facts += _options(node, path.stem)
    return facts[:400]


def _body_facts(body: Sequence[ast.stmt], owner: str, lines: Sequence[str]) -> Iterator[Fact]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _body_facts(node.body, node.name if "." not in owner else f"{owner}.{node.name}", lines)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _function_facts(node, owner)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and node.value is not None:
                said = _comment(lines, node.lineno)
                yield from _assigned(target.id, node.value, owner, said)


def _assigned(name: str, value: ast.expr, owner: str, said: str) -> Iterator[Fact]:
    if (text := _literal(value)) is not None and not name.startswith("__"):
        yield Fact(owner, name, text, "constant", said)
    elif isinstance(value, ast.Dict) and len(value.keys) > 2:
        for key, inner in list(zip(value.keys, value.values, strict=True))[:30]:
            if isinstance(key, ast.Constant) and (text := _literal(inner)) is not None:
                yield Fact(f"{owner}.{name}", str(key.value)[:MAX_VALUE], text, "entry", "")


def _function_facts(node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> Iterator[Fact]:
    if node.name.startswith("__") and node.name != "__init__":
        return
    path = owner if node.name == "__init__" else f"{owner}.{node.name}"
    given = node.args.args + node.args.posonlyargs
    pairs = [*zip(given[len(given) - len(node.args.defaults) :], node.args.defaults, strict=True)]
    pairs += [(arg, value) for arg, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if value]
    for arg, value in pairs:
        if (text := _literal(value)) is not None and text != "None" and not SKIPPED.match(arg.arg):
            yield Fact(path, arg.arg, text, "default", "")
    returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
    if len(returned) == 1 and returned[0] is not None and (text := _literal(returned[0])) not in (None, "None"):
        yield Fact(path, "returns", str(text), "returns", "")


def _options(node: ast.Call, owner: str) -> Iterator[Fact]:
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("add_argument", "addoption", "add_option"):
        return
    names = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    helped = given.get("help")
    said = str(helped.value) if isinstance(helped, ast.Constant) else ""
    text = _literal(given["default"]) if "default" in given else None
    if names and text is not None:
        yield Fact(f"{owner} options", names[-1], text, "option", " ".join(said.split()))


def _literal(value: ast.expr) -> str | None:
    """The source of a short literal or name; None for anything longer."""
    if not isinstance(value, ast.Constant | ast.Tuple | ast.UnaryOp | ast.BinOp | ast.Attribute | ast.Name):
        return None
    text = ast.unparse(value)
    return text if 0 < len(text) <= MAX_VALUE and text not in ("''", "...") else None


def _comment(lines: Sequence[str], line: int) -> str:
    """The comment beside or above an assignment."""
    beside = lines[line - 1].split("  # ", 1)
    if len(beside) == 2:
        return beside[1].strip()
    above = lines[line - 2].strip() if line > 1 else ""
    return above[2:].strip() if above.startswith("# ") and len(above) < 90 else ""
