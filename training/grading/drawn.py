"""Look-ups drawn by rule from the tables of PDFs: the folder of many like tables that people's filings are.

A question names a cell by words of its row's and its column's header, some of them left out, sometimes with the title.
Every third names two cells of a row and wants something computed of them. Of every seventh one the year is another than
any of the file's, so that nothing answers it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from operator import add, truediv
from pathlib import Path

from mixrag_cli.records.tables import Cell, Header, Table
from training.folders import read_folder
from training.grading.domains import Asked, Domain, Gold

SEED = 5
N_QUESTIONS = 120
A_TABLE = 6  # drawn of one table at most
KEPT_WORDS = 0.8  # of a label of more than two words
TITLED = 0.5  # of the questions say words of the table's title
SWAPPED = 7  # one question in so many
NOT_FOUND = "1971"  # a year that few files speak of
ASKED = (
    "What was {row} for {column}?",
    "What is the {row} in {column}?",
    "How much was {row}, {column}?",
    "{row} {column}",
    "What figure is given for {row} in {column}?",
)


def percent_change(one: Decimal, two: Decimal) -> Decimal:
    """From the first to the second, in per cent of the first."""
    return (two - one) / abs(one) * 100


def distance(one: Decimal, two: Decimal) -> Decimal:
    """How far two values are apart."""
    return abs(two - one)


def mean(one: Decimal, two: Decimal) -> Decimal:
    """Of both."""
    return (one + two) / 2


# What is computed of two cells of a row, and its value.
COMPUTED: tuple[tuple[str, Callable[[Decimal, Decimal], Decimal]], ...] = (
    ("By what percentage did {row} change from {column} to {other}?", percent_change),
    ("What is the percentage change in {row} between {column} and {other}?", percent_change),
    ("By how much did {row} differ between {column} and {other}?", distance),
    ("What is the difference in {row} between {column} and {other}?", distance),
    ("What is the total of {row} for {column} and {other}?", add),
    ("What is the average {row} of {column} and {other}?", mean),
    ("What is the ratio of {row} in {column} to that in {other}?", truediv),
)
A_TABLE_COMPUTED = 3
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
WORD = re.compile(r"[^\W\d_]{3,}")


def drawn_lookups(folder: Path) -> Domain:
    """Questions about the cells of all tables of a folder's files, as the product reads them."""
    rng = random.Random(SEED)
    found = sorted(read_folder(folder), key=lambda one: one[0])
    tables = [(Path(path).name, table) for path, read in found for table in read.tables if table.kind == "table"]
    questions = [asked for file, table in tables for asked in _draw(file, table, rng)]
    return Domain("drawn", folder, tuple(rng.sample(questions, min(N_QUESTIONS, len(questions)))))


def _draw(file: str, table: Table, rng: random.Random) -> Iterator[Asked]:
    rows = {row.index: row for row in table.rows if WORD.search(row.leaf)}
    columns = {column.index: column for column in table.columns if WORD.search(column.leaf) or YEAR.search(column.leaf)}
    cells = [cell for cell in table.cells if cell.value is not None and cell.row in rows and cell.column in columns]
    said = [(rows[cell.row].path, columns[cell.column].path) for cell in cells]
    alone = [cell for cell, path in zip(cells, said, strict=True) if said.count(path) == 1]
    for cell in rng.sample(alone, min(A_TABLE, len(alone))):
        yield _ask(file, table, rows[cell.row], columns[cell.column], cell, rng)
    pairs = [
        (one, two)
        for one in alone
        for two in alone
        if one.row == two.row and one.column != two.column and one.value and two.value and one.unit == two.unit
    ]
    for one, two in rng.sample(pairs, min(A_TABLE_COMPUTED, len(pairs))):
        yield _ask_of_two(file, rows[one.row], columns[one.column], columns[two.column], (one, two), rng)


def _ask(file: str, table: Table, row: Header, column: Header, cell: Cell, rng: random.Random) -> Asked:
    names = {"row": some_words(" ".join(row.path[-2:]), rng), "column": some_words(" ".join(column.path[-2:]), rng)}
    text = rng.choice(ASKED).format(**names)
    if rng.random() < TITLED and table.title:
        text = f"{text.rstrip('?')} ({some_words(table.title[:80], rng)})?"
    if rng.randrange(SWAPPED) == 0 and YEAR.search(text):
        return Asked(YEAR.sub(NOT_FOUND, text), (), (), is_of_text=False)
    return Asked(text, (f"{cell.value:f}",), (Gold(file),), is_of_text=False)


def _ask_of_two(
    file: str, row: Header, column: Header, other: Header, cells: tuple[Cell, Cell], rng: random.Random
) -> Asked:
    text, compute = rng.choice(COMPUTED)
    assert cells[0].value is not None and cells[1].value is not None
    names = {name: " ".join(header.path[-2:]).lower() for name, header in (("column", column), ("other", other))}
    value = round(compute(cells[0].value, cells[1].value), 4)
    said = text.format(row=some_words(" ".join(row.path[-2:]), rng), **names)
    return Asked(said, (f"{value:f}",), (Gold(file),), is_of_text=False)


def some_words(text: str, rng: random.Random) -> str:
    """A label with some of its words left out, never its numbers."""
    words = text.split()
    kept = [word for word in words if len(words) < 3 or not word.isalpha() or rng.random() < KEPT_WORDS]
    return " ".join(kept or words).lower()
