"""Questions alone: the operation they want and the kind of answer they expect."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from training.reader.groups import Intent, part_of
from training.reader.jsonl import read_jsonl
from training.reader.tables import KEPT_PARTS, Sheet, hitab_questions, hitab_sheets

WIKISQL = {  # WikiSQL's aggregation to ours, and how many questions of it
    None: ("lookup", 1_800),
    "COUNT": ("count", 1_000),
    "MAX": ("max", 700),
    "MIN": ("min", 700),
    "SUM": ("sum", 600),
    "AVG": ("average", 600),
}
HITAB = {  # HiTab's aggregation to ours; "opposite" is the looked-up cell with its sign turned
    ("none",): "lookup",
    ("opposite",): "lookup",
    ("sum",): "sum",
    ("average",): "average",
    ("diff",): "difference",
    ("range",): "difference",
    ("div",): "ratio",
    ("sum", "div"): "ratio",
    ("div", "sum"): "ratio",
    ("diff", "div"): "percent_change",
    ("div", "diff"): "percent_change",
    ("argmax",): "argmax",
    ("pair-argmax",): "argmax",
    ("kth-argmax",): "argmax",
    ("topk-argmax",): "argmax",
    ("argmin",): "argmin",
    ("pair-argmin",): "argmin",
    ("kth-argmin",): "argmin",
    ("topk-argmin",): "argmin",
    ("max",): "max",
    ("min",): "min",
    ("counta",): "count",
}
HITAB_LOOKUPS = 900
LISTS = 600  # SQA's first questions with several cells
DRAWN = 2_600  # questions made of headers by rule
NUMERIC = ("count", "sum", "average", "difference", "percent_change", "ratio", "max", "min")
# Forms a person uses for a calculation on a row, a column and two of its years; {a} is the row, {b} the column.
FORMS: Mapping[str, Sequence[str]] = {
    "difference": (
        "what is the change in {a} from {y} to {z}?",
        "what was the change in {a} between {y} and {z}",
        "by how much did {a} change from {y} to {z}?",
        "how much did {b} of {a} increase between {y} and {z}?",
        "what is the difference in {b} between {a} and {c}?",
        "how many more {b} did {a} have than {c}?",
        "how much higher is {a} than {c} in {y}",
        "what is the increase / (decrease) in {a} from {y} to {z}",
        "{a}: difference {y} to {z}",
        "how much less {b} was there for {c} than for {a}?",
    ),
    "percent_change": (
        "what is the percentage change in {a} from {y} to {z}?",
        "by what percentage did {a} increase between {y} and {z}?",
        "what was the percent growth of {b} from {y} to {z}",
        "how many percent did {a} fall from {y} to {z}?",
        "percent change of {a}, {y} to {z}",
        "what was the rate of growth in {a} over {y}",
        "what is the year-on-year growth in % of {b} in {z}?",
        "by how many percent is {a} higher than {c}?",
        "what is the percentage increase / (decrease) in {a} from {y} to {z}",
    ),
    "ratio": (
        "what is {a} as a share of total {b}?",
        "what percentage of {b} was {a} in {y}?",
        "what proportion of {b} does {a} make up?",
        "what is the ratio of {a} to {c}?",
        "how many times larger is {a} than {c}?",
        "what fraction of total {b} came from {a} in {y}",
        "{a} as a percentage of {b}",
        "what is the percentage of {a} in relation to {b}?",
        "how large is the share of {a} in {b}?",
    ),
    "average": (
        "what is the average {b} for {y} and {z}?",
        "what is the mean of {a} from {y} to {z}?",
        "average {b} of {a} and {c}",
        "what was {a} on average in {y} and {z}?",
        "how much {b} is there on average per {a}?",
        "what is the average {a} between {y} and {z}",
    ),
    "sum": (
        "what is the total {b} of {a} and {c}?",
        "how much are {a} and {c} together?",
        "what is the sum of {a} and {c} in {y}",
        "what do {a} and {c} add up to?",
        "combined {b} for {a} and {c}",
        "what is the total of {a} over {y} and {z}?",
        "how many {b} in all from {y} to {z}?",
    ),
    "count": (
        "how many {k} have {b} above {n}?",
        "how many rows have a {b} of {n}?",
        "number of {k} with {b} over {n}",
        "how many different {k} are listed?",
        "in how many years did {a} exceed {n}?",
        "count the {k} whose {b} is {n}",
        "how many years did {b} exceed {n}?",
    ),
    "argmax": (
        "which {k} has the most {b}?",
        "which {k} had the highest {b} in {y}?",
        "in which year was {a} the largest?",
        "who had the largest {b}?",
        "what {k} ranks first by {b}?",
        "which had more {b}, {a} or {c}?",
        "top {k} by {b}",
        "where is {b} greatest?",
        "which year has the highest {a}?",
    ),
    "argmin": (
        "which {k} has the fewest {b}?",
        "which {k} had the lowest {b} in {y}?",
        "in which year was {a} the smallest?",
        "who had the least {b}?",
        "which had less {b}, {a} or {c}?",
        "what {k} comes last by {b}?",
        "which year was {a} lowest?",
    ),
    "max": (
        "what is the highest {b}?",
        "what was the maximum {b} in {y}?",
        "what is the largest {b} of any {k}",
        "how high did {a} get at most?",
        "peak {b}",
    ),
    "min": (
        "what is the lowest {b}?",
        "what was the minimum {b} in {y}?",
        "what is the smallest {b} of any {k}",
        "how low did {a} get at least?",
        "lowest {b} recorded",
    ),
    "list": (
        "list all {k} with {b} above {n}",
        "which {k} have a {b} of {n}?",
        "what are the {k}?",
        "name the {k} listed in {y}",
        "what are all of the {k} with {b} {n}",
        "which {k} are shown?",
        "who are the {k}?",
    ),
    "lookup": (
        "what is the {b} of {a}?",
        "what was {a} in {y}?",
        "how much {b} did {a} have in {y}?",
        "{a} {b} {y}",
        "how many {b} for {a}?",
        "what percentage of {a} was {b} in {y}?",
        "what is the average {b} of {a} shown for {y}?",
        "what was the total {a} in {y}?",
        "what is the amount of {a} in {y}?",
    ),
}


def read_intents(folder: Path, headers: Path, rng: random.Random) -> Iterator[Intent]:
    """All questions that are read alone. folder, headers: as in tables.read_tables."""
    yield from _wikisql(folder, rng)
    yield from _hitab(headers, rng)
    yield from _lists(folder, rng)
    yield from _drawn(hitab_sheets(headers), rng)


def written_group(folder: str, path: str) -> str:
    """The document that a written question is kept or taught by: a file of a folder."""
    return f"natural:{folder}/{path}"


def written_intents(folders: Path) -> Iterator[Intent]:
    """The questions that were written for folders (natural.py), in folders/NAME/lessons.jsonl."""
    for known in sorted(folders.glob("*/lessons.jsonl")):
        for row in read_jsonl(known):
            group = written_group(known.parent.name, row["path"])
            yield Intent(row["question"], row["operation"], row["expects"], "natural", group)


def _wikisql(folder: Path, rng: random.Random) -> Iterator[Intent]:
    rows = [row for row in read_jsonl(folder / "table_intent.jsonl.gz") if part_of(row["group"], KEPT_PARTS)]
    for aggregation, (operation, share) in WIKISQL.items():
        found = [row for row in rows if row["aggregation"] == aggregation]
        for row in rng.sample(found, share):
            yield Intent(row["question"], operation, _expects(operation), "wikisql", row["group"])


def _hitab(headers: Path, rng: random.Random) -> Iterator[Intent]:
    asked_all = list(hitab_questions(headers))
    lookups = [asked for asked in asked_all if asked["aggregation"] == ["none"]]
    others = [asked for asked in asked_all if asked["aggregation"] != ["none"]]
    for asked in rng.sample(lookups, HITAB_LOOKUPS) + others:
        operation = HITAB.get(tuple(asked["aggregation"]))
        if operation:
            is_number = operation == "lookup" and _is_number(asked["answer"])
            expects = "number" if is_number else _expects(operation)
            yield Intent(asked["question"], operation, expects, "hitab", asked["table_id"])


def _lists(folder: Path, rng: random.Random) -> Iterator[Intent]:
    rows = [
        row
        for row in read_jsonl(folder / "table.jsonl.gz")
        if row["source"] == "sqa" and not row["history"] and len(row["cells"]) > 1
        if part_of(row["group"], KEPT_PARTS)
    ]
    for row in rng.sample(rows, min(LISTS, len(rows))):
        yield Intent(row["question"], "list", "name", "sqa", row["group"])


def _drawn(sheets: Mapping[str, Sheet], rng: random.Random) -> Iterator[Intent]:
    """Questions by rule, on the headers of the tables that are trained on; as many of each operation."""
    usable = [(name, sheet) for name, sheet in sorted(sheets.items()) if len(sheet.rows) > 2 and sheet.columns]
    for number in range(DRAWN):
        name, sheet = rng.choice(usable)
        operation = list(FORMS)[number % len(FORMS)]
        first, second = rng.sample(sorted(sheet.rows), 2)
        year = rng.randint(1990, 2024)
        values = {
            "a": _last(sheet.rows[first]),
            "c": _last(sheet.rows[second]),
            "b": _last(sheet.columns[rng.choice(sorted(sheet.columns))]),
            "y": year,
            "z": year + rng.choice((-1, 1, 1, 2, 5)),
            "k": rng.choice(("countries", "companies", "people", "regions", "products", "teams", "groups", "ones")),
            "n": rng.choice((5, 10, 100, "2,000", "50 %", "1 million")),
        }
        if operation in ("argmax", "argmin", "max", "min"):
            values["k"] = rng.choice(("country", "company", "person", "region", "product", "team", "group", "one"))
        question = rng.choice(FORMS[operation]).format(**values)
        question = question[0].upper() + question[1:] if rng.random() < 0.5 else question
        yield Intent(question, operation, _expects(operation), "drawn", name)


def _last(path: Sequence[str]) -> str:
    return path[-1] if path else "total"


def _expects(operation: str) -> str:
    if operation in NUMERIC:
        return "number"
    return "name" if operation in ("argmax", "argmin", "list") else ""


def _is_number(answer: Sequence[Any]) -> bool:
    return len(answer) == 1 and isinstance(answer[0], int | float)
