"""Groups as retrieval makes them: a right passage among those of its source that share most words with the question.

A store gives the reader ten passages that all look like answers. The other groups have two to four, most of them from
one document, so that they teach little of telling the best from the next nine.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from training.embedder.lessons import WordIndex, words
from training.reader.documentation import MAX_PASSAGE, VERBS, sections_of_packages
from training.reader.groups import Group, Intent
from training.reader.jsonl import read_jsonl
from training.reader.sources import python_files, split_name

PAIRS = {  # groups a source of rerank_train; what people ask of code, and a little medicine
    "codenn-python-valid": 1_300,
    "codenn-csharp-valid": 900,
    "codenn-sql-valid": 500,
    "concode-dev": 300,
    "cosqa-dev": 280,
    "medquad": 600,
    "pubmedqa-l": 300,
}
PROSE = {"squad2dev": 900, "nq_oracle": 900, "squadshifts_new_wiki": 700, "clapnq": 300}
SECTIONS, FUNCTIONS = 900, 1_500
WRONG = (3, 7)  # passages of a group that do not answer
NEAREST = 14  # by BM25, that they are drawn from
MISSING = 0.2  # of the groups lose their right passage
MIN_LINES = 4  # of a function that says anything without its docstring


def read_retrieved(folder: Path, rng: random.Random) -> Iterator[Group | Intent]:
    """All such groups. folder: reader_train, beside which rerank_train lies."""
    yield from _pair_groups(folder.parent / "rerank_train" / "pairs.jsonl.gz", rng)
    yield from _prose_groups(folder / "prose.jsonl.gz", rng)
    yield from _section_groups(rng)
    yield from _function_groups(rng)


def _pair_groups(path: Path, rng: random.Random) -> Iterator[Group | Intent]:
    by_source: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in read_jsonl(path):
        if row["source"] in PAIRS:
            by_source[row["source"]].append(row)
    for source, share in PAIRS.items():
        rows = by_source[source]
        texts = sorted({row["positive"] for row in rows})
        index = WordIndex(texts)
        for row in rng.sample(rows, min(share, len(rows))):
            group = row["query"] if source == "concode-dev" else row["group"]
            found = [texts[at] for at in index.best(row["query"], NEAREST)]
            yield from _group(row["query"], row["positive"], found, f"retrieved {source}", group, rng)


def _prose_groups(path: Path, rng: random.Random) -> Iterator[Group | Intent]:
    by_source = defaultdict(list)
    for row in read_jsonl(path):
        if row["source"] in PROSE:
            by_source[row["source"]].append(row)
    for source, share in PROSE.items():
        rows = by_source[source]
        texts = sorted({row["context"] for row in rows})
        index = WordIndex(texts)
        answered = [row for row in rows if row.get("answers")]
        for row in rng.sample(answered, min(share, len(answered))):
            said = [answer["text"].lower() for answer in row["answers"]]
            found = [texts[at] for at in index.best(row["question"], NEAREST)]
            found = [text for text in found if not any(answer in text.lower() for answer in said)]
            yield from _group(row["question"], row["context"], found, f"retrieved {source}", row["group"], rng)


def _section_groups(rng: random.Random) -> Iterator[Group | Intent]:
    """Headings of READMEs ask; the other sections of the file and the best of all files are wrong."""
    by_file = sections_of_packages()
    everything = [(name, head, text) for name, found in by_file.items() for head, text in found]
    index = WordIndex([f"{head} {text}" for _, head, text in everything])
    for name, head, text in rng.sample(everything, min(SECTIONS, len(everything))):
        question = _how_to(head, split_name(name), rng)
        near = [everything[at] for at in index.best(question, NEAREST)]
        own = [(name, other, body) for other, body in by_file[name] if body != text]
        shown = [f"{other_name} > {other}\n{body}" for other_name, other, body in (*own, *near) if body != text]
        yield from _group(
            question, f"{name} > {head}\n{text}", shown, "retrieved sections", f"sections:{name}", rng, names=[head]
        )


def _function_groups(rng: random.Random) -> Iterator[Group | Intent]:
    """A docstring's first sentence asks for the code without it; the other functions of its module are wrong."""
    by_file: dict[str, list[tuple[str, str]]] = {}
    for path in python_files(rng):
        found = _functions_in(path)
        if len(found) > max(WRONG) // 2:
            by_file[f"{path.parent.name}.{path.stem}"] = found
    asked = [(name, at) for name, found in by_file.items() for at in range(len(found))]
    for name, at in rng.sample(asked, min(FUNCTIONS, len(asked))):
        summary, code = by_file[name][at]
        question = _how_to(summary, "", rng)
        sought = set(words(question))
        others = [text for other, text in by_file[name] if other != summary]
        others.sort(key=lambda text: -len(sought & set(words(text))))
        yield from _group(question, code, others, "retrieved functions", f"functions:{name}", rng)


def _functions_in(path: Path) -> list[tuple[str, str]]:
    """(first sentence of the docstring, code without it) of a module's functions."""
    text = path.read_text("utf-8", "replace")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    lines = text.split("\n")
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or not (doc := ast.get_docstring(node)) or len(node.body) < 2:
            continue
        summary = " ".join(doc.split("\n\n")[0].split()).rstrip(".")
        first = node.body[0]
        code = lines[node.lineno - 1 : first.lineno - 1] + lines[first.end_lineno or first.lineno : node.end_lineno]
        if 3 < len(summary.split()) < 25 and len(code) >= MIN_LINES:
            found.append((summary, f"{path.name} > {node.name}\n" + "\n".join(code)[:MAX_PASSAGE]))
    return found


def _how_to(heading: str, name: str, rng: random.Random) -> str:
    """The heading as somebody would ask who has not read it."""
    lower = heading[0].lower() + heading[1:]
    first = lower.split(" ")[0].rstrip("s")
    if not first.startswith(VERBS):
        forms = ["{h}", "what about {l}?", "explain {l}", "what is {l}?", "where is {l} described?"]
    elif name:
        forms = ["how do I {l}?", "how to {l} with {n}", "how can I {l}?", "{h}"]
    else:
        forms = ["which function would {l}?", "how to {l}", "how does it {l}?", "{h}", "where does the code {l}?"]
    return rng.choice(forms).format(h=heading, l=lower, n=name)


def _group(
    question: str,
    right: str,
    nearest: Sequence[str],
    source: str,
    group: str,
    rng: random.Random,
    names: Sequence[str] = (),
) -> Iterator[Group | Intent]:
    """One group, and what its question expects. nearest: best first. names: what no wrong passage may say."""
    wrong = [text for text in dict.fromkeys(nearest) if text != right and not any(each in text for each in names)]
    if not wrong:
        return
    chosen = rng.sample(wrong[:NEAREST], min(rng.randint(*WRONG), len(wrong[:NEAREST])))
    is_missing = rng.random() < MISSING
    texts = [text[:MAX_PASSAGE] for text in (*chosen, *(() if is_missing else (right,)))]
    rng.shuffle(texts)
    at = None if is_missing else texts.index(right[:MAX_PASSAGE])
    yield Group(question, tuple(texts), at, (), "holds", False, source, group)
