"""Questions about all rows of a table of records, drawn by rule: which is the most, how many, how much, on average.

The tables are those of the folders that the grading learns from, in one folder. Half of the questions are asked of
their own file alone, as people do; the others say words of its name, so that the right table has to be found. A
question names columns and values by their own words, some of them left out. Every seventh one that restricts itself to
a value names one of another table, so that nothing answers it. The right answers are computed here, over the cells as
the program reads them, and not by the program's own tally.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path

from mixrag_cli.records.tables import Cell, Table
from mixrag_cli.tables.members import summary_rows
from mixrag_cli.tables.record_columns import Column, columns_of, is_record_table, is_sampled
from mixrag_cli.tables.text import key_columns
from training.folders import copy_files, files_of_kind, read_folder
from training.grading.domains import Asked, Domain, Gold, only
from training.grading.drawn import SWAPPED, WORD, some_words

SEED = 11
N_QUESTIONS = 240
A_TABLE = 8  # drawn of one table at most
N_ROWS = (8, 400)
FILE_BYTES = (400, 400_000)
SUFFIXES = (".csv", ".tsv", ".xlsx", ".xls", ".ods")
N_KINDS = (2, 15)  # different texts of a column that says of which kind its rows are
RESTRICTED = 0.5  # of the questions that may be, to the rows of one kind
SCOPED = 0.5  # of the questions are asked of their file alone
MARKED = 0.8  # of the questions end with a question mark
ASKED: Mapping[str, tuple[str, ...]] = {
    "most": (
        "Which {key} has the highest {column}",
        "Which {key} had the most {column}",
        "Which {key} used the most {column}",
        "Which of the {key}s reached the greatest {column}",
        "{key} with the largest {column}",
    ),
    "least": (
        "Which {key} has the lowest {column}",
        "Which {key} had the least {column}",
        "Which {key} used the least {column}",
        "Which of the {key}s came to the smallest {column}",
        "{key} with the smallest {column}",
    ),
    "maximum": ("What is the highest {column}", "What was the largest {column}"),
    "minimum": ("What is the lowest {column}", "What was the smallest {column}"),
    "sum": ("What is the total {column}", "How much {column} is there in total", "Sum of {column}"),
    "mean": ("What is the average {column}", "Mean {column}", "What was the {column} on average"),
}
WHERE = (" for {kind}", " of {kind}", " where {of} is {kind}", " among {kind}")
SHARED: Mapping[str, tuple[str, ...]] = {
    "most": (
        "Which {of} has the most {column}",
        "Which {of} had the highest {column} in total",
        "{of} with most {column}",
    ),
    "least": ("Which {of} has the least {column}", "Which {of} had the lowest {column} in total"),
}
COMMONEST = ("Which {of} is the most common", "Most common {of}", "Which {of} has the most {key}s")
COUNTED = ("How many {key}s have {of} {kind}", "How many are {kind}", "Number of {key}s with {of} {kind}")
COMPUTED: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "most": max,
    "least": min,
    "maximum": max,
    "minimum": min,
    "sum": lambda values: sum(values, Decimal(0)),
    "mean": lambda values: sum(values, Decimal(0)) / len(values),
}


_Drawn = tuple[str, tuple[str, ...]]  # a question, "" for none, and its right answers


@dataclass(frozen=True, slots=True)
class _Records:
    """A table as its rows. key: the column that names them; kinds: those whose texts repeat; numbers: to compute over.

    texts, values: of each row, by column.
    """

    file: str
    key: Column
    kinds: tuple[Column, ...]
    numbers: tuple[Column, ...]
    texts: Sequence[Mapping[int, str]]
    values: Sequence[Mapping[int, Decimal]]


_Drawing = Callable[[_Records, random.Random], _Drawn]


def drawn_tallies(files: Sequence[Path], target: Path) -> Domain:
    """Questions about the rows of all tables of records of these files, which are copied into the folder."""
    copy_files(files_of_kind(files, SUFFIXES, FILE_BYTES), target)
    rng = random.Random(SEED)
    read = sorted(read_folder(target), key=lambda one: one[0])
    found = (_records(Path(path).name, table) for path, extraction in read for table in extraction.tables)
    tables = [one for one in found if one is not None]
    for path in {*target.iterdir()} - {target / one.file for one in tables}:
        path.unlink()  # nothing can be asked of it
    foreign = sorted({text for one in tables for column in one.kinds for text in column.texts})
    drawn = {asked.text: asked for one in tables for asked in _draw(one, foreign, rng)}
    return Domain("rows", target, tuple(rng.sample([*drawn.values()], min(N_QUESTIONS, len(drawn)))))


def _records(file: str, table: Table) -> _Records | None:
    """A table whose rows have names of their own and numbers; None for another one, where some rows sum others up, or
    where only a sample is held."""
    least, most = N_ROWS
    if not is_record_table(table) or is_sampled(table) or not least <= len(table.rows) <= most or summary_rows(table):
        return None
    cells: dict[int, dict[int, Cell]] = {row.index: {} for row in table.rows}
    for cell in table.cells:
        cells[cell.row][cell.column] = cell
    texts = [{column: cell.text.strip() for column, cell in own.items()} for own in cells.values()]
    values = [{column: c.value for column, c in own.items() if c.value is not None} for own in cells.values()]
    key, *others = columns_of(table)
    names = [own.get(key.index, "") for own in texts]
    fewest, kinds = N_KINDS
    is_named = len(set(names)) == len(names) and all(map(WORD.search, names)) and bool(WORD.search(key.header.leaf))
    numbers = [each for each in others if each.is_numeric and not each.is_of_years and WORD.search(each.header.leaf)]
    numbers = [each for each in numbers if each.index not in key_columns(table)]
    repeated = [each for each in others if not each.is_numeric and fewest <= len(each.texts) <= kinds]
    repeated = [each for each in repeated if all(map(WORD.search, each.texts)) and WORD.search(each.header.leaf)]
    return _Records(file, key, tuple(repeated), tuple(numbers), texts, values) if is_named and numbers else None


def _draw(one: _Records, foreign: Sequence[str], rng: random.Random) -> Iterator[Asked]:
    for _ in range(A_TABLE):
        ways: list[_Drawing] = [partial(_ask, operation=each, foreign=foreign) for each in ASKED]
        asked = rng.choice([*ways, _count, _commonest, _shared] if one.kinds else ways)
        said, forms = asked(one, rng)
        if said:
            is_scoped = rng.random() < SCOPED
            named = said if is_scoped else f"{said} in {_said(Path(one.file).stem, rng)}"
            text = f"{named}?" if rng.random() < MARKED else named
            scope = (only(one.file),) if is_scoped else ()
            yield Asked(text, forms, (Gold(one.file),) if forms else (), scope, is_of_text=False)


def _count(one: _Records, rng: random.Random) -> _Drawn:
    """How many rows are of one kind: the question and its right answer."""
    column = rng.choice(one.kinds)
    counted = Counter(own[column.index] for own in one.texts if own.get(column.index))
    kind, n = rng.choice(sorted(counted.items()))
    names = {"key": _said(one.key.header.leaf, rng), "of": _said(column.header.leaf, rng), "kind": kind}
    return rng.choice(COUNTED).format(**names), (str(n),)


def _commonest(one: _Records, rng: random.Random) -> _Drawn:
    """What most rows are, none where two kinds are as common."""
    column = rng.choice(one.kinds)
    counted = Counter(own[column.index] for own in one.texts if own.get(column.index)).most_common(2)
    names = {"key": _said(one.key.header.leaf, rng), "of": _said(column.header.leaf, rng)}
    is_told = len(counted) > 1 and counted[0][1] > counted[1][1]
    return (rng.choice(COMMONEST).format(**names), (counted[0][0],)) if is_told else ("", ())


def _shared(one: _Records, rng: random.Random) -> _Drawn:
    """Of which kind the rows together come to most or least of a column, none where two kinds do."""
    column, of, operation = rng.choice(one.numbers), rng.choice(one.kinds), rng.choice([*SHARED])
    sums: dict[str, Decimal] = {}
    for own, values in zip(one.texts, one.values, strict=True):
        if own.get(of.index) and column.index in values:
            sums[own[of.index]] = sums.get(own[of.index], Decimal(0)) + values[column.index]
    extreme = COMPUTED[operation]([*sums.values()]) if sums else None
    best = [kind for kind, value in sums.items() if value == extreme]
    names = {"of": _said(of.header.leaf, rng), "column": _said(column.header.leaf, rng)}
    return (rng.choice(SHARED[operation]).format(**names), (best[0],)) if len(best) == 1 else ("", ())


def _ask(one: _Records, rng: random.Random, *, operation: str, foreign: Sequence[str]) -> _Drawn:
    """What the operation makes of a column, over all rows or those of one kind: the question and its right answers.

    () where it asks for a kind of another table; no question where fewer than two rows count, or two are the most.
    """
    column, where, rows = rng.choice(one.numbers), "", [*range(len(one.texts))]
    is_foreign = False
    if one.kinds and rng.random() < RESTRICTED:
        of = rng.choice(one.kinds)
        kind = rng.choice(of.texts)
        rows = [n for n in rows if one.texts[n].get(of.index) == kind]
        if is_foreign := rng.randrange(SWAPPED) == 0:
            kind = rng.choice([text for text in foreign if text not in of.texts])
        where = rng.choice(WHERE).format(kind=kind, of=_said(of.header.leaf, rng))
    held = [(one.values[n][column.index], n) for n in rows if column.index in one.values[n]]
    if len(held) < 2:
        return "", ()
    names = {"key": _said(one.key.header.leaf, rng), "column": _said(column.header.leaf, rng)}
    said = rng.choice(ASKED[operation]).format(**names) + where
    if is_foreign:
        return said, ()
    value = COMPUTED[operation]([number for number, _ in held])
    if operation not in ("most", "least"):
        return said, (f"{round(value, 4):f}",)
    best = [one.texts[n][one.key.index] for number, n in held if number == value]
    return (said, (best[0],)) if len(best) == 1 else ("", ())


def _said(label: str, rng: random.Random) -> str:
    """What a person calls a column or a file: words of its label."""
    return some_words(re.sub(r"[_\W]+", " ", label).strip(), rng)
