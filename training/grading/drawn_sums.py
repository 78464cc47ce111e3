"""What is computed of two cells of a table, asked by rule: changes, differences, ratios, sums, means and shares.

The tables are those of files of the folders that the grading learns from, in one folder. A question names the two cells
by words of their headers: two columns of one row, two rows of one column, or a row and the total of its column. Half of
the questions are asked of their own file alone; the others say words of the table's title or of the file's name. Of
every seventh one a year is another than any of the file's, so that nothing answers it. The right answers are computed
here, over the cells as the program reads them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from operator import add, sub, truediv
from pathlib import Path

from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.members import summary_rows
from mixrag_cli.tables.text import key_columns
from training.folders import copy_files, files_of_kind, read_folder
from training.grading.domains import Asked, Domain, Gold, only
from training.grading.drawn import NOT_FOUND, SWAPPED, WORD, YEAR, distance, mean, percent_change, some_words

SEED = 13
N_FILES, FILE_BYTES = 240, (1_000, 600_000)
SUFFIXES = (".csv", ".docx", ".htm", ".html", ".md", ".ods", ".odt", ".pdf", ".tsv", ".xls", ".xlsx")
N_QUESTIONS = 320
A_TABLE, A_FILE = 4, 12  # drawn of one table and of one file at most
N_CELLS = 60  # of a table, by chance, that are paired
SCOPED = 0.5  # of the questions are asked of their file alone
MARKED = 0.8  # of the questions end with a question mark
DIGITS = (4, 2)  # behind the point of a right answer
LABEL_CHARS, TITLE_CHARS = 60, 80
GIVEN = re.compile(r"(?:row|column) \d+", re.IGNORECASE)
PARTED = re.compile(r"[_\s]+|(?<=\w)-(?=[^\W\d])")  # what parts the words of a name


@dataclass(frozen=True, slots=True)
class Computing:
    """Wordings and what they ask for. {same}: what both cells are called; {one}, {two}: what tells them apart.

    is_greater_first: whether the first cell is the greater one.
    """

    texts: tuple[str, ...]
    value: Callable[[Decimal, Decimal], Decimal]
    is_greater_first: bool = False


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two cells of a table: what may be asked of them, the header that both have, and those that tell them apart."""

    ways: tuple[Computing, ...]
    cells: tuple[Cell, Cell]
    same: Header
    apart: tuple[Header, Header]


OF_A_ROW = (
    Computing(
        (
            "By what percentage did {same} change from {one} to {two}",
            "By how many percent did {same} change between {one} and {two}",
            "Percent change of {same} from {one} to {two}",
            "What was the percentage growth of {same} from {one} to {two}",
            "How much did {same} change from {one} to {two}, in percent",
        ),
        percent_change,
    ),
    Computing(
        (
            "By how much did {same} differ between {one} and {two}",
            "Difference in {same} between {one} and {two}",
        ),
        distance,
    ),
    Computing(
        (
            "How much higher was {same} in {one} than in {two}",
            "How many more {same} were there in {one} than in {two}",
            "By how much did {same} in {one} exceed that in {two}",
        ),
        sub,
        is_greater_first=True,
    ),
    Computing(
        (
            "How many times as large was {same} in {one} as in {two}",
            "What is the ratio of {same} in {one} to that in {two}",
        ),
        truediv,
        is_greater_first=True,
    ),
    Computing(
        ("Total of {same} for {one} and {two}", "{same}: {one} and {two} together"),
        add,
    ),
    Computing(("What is the average {same} of {one} and {two}",), mean),
)
OF_A_COLUMN = (
    Computing(
        (
            "How much more was {one} than {two} in {same}",
            "How many more {one} than {two} were there, {same}",
            "By how much did {one} exceed {two} in {same}",
            "How much larger is the {same} of {one} than that of {two}",
        ),
        sub,
        is_greater_first=True,
    ),
    Computing(
        ("Difference between {one} and {two} in {same}", "Difference in {same} between {one} and {two}"),
        distance,
    ),
    Computing(
        (
            "How many times as large as {two} was {one} in {same}",
            "What is the ratio of {one} to {two} in {same}",
            "How many times the {same} of {two} does {one} have",
        ),
        truediv,
        is_greater_first=True,
    ),
    Computing(
        ("Total of {one} and {two} in {same}", "{one} and {two} combined, {same}"),
        add,
    ),
)
OF_A_WHOLE = (
    Computing(
        (
            "What share of {two} was {one} in {same}",
            "What percentage of {two} came from {one} in {same}",
            "{one} as a percentage of {two}, {same}",
            "What proportion of {two} did {one} make up in {same}",
        ),
        lambda one, two: one / two * 100,
    ),
)


def drawn_sums(files: Sequence[Path], target: Path) -> Domain:
    """Questions about what two cells of a table give, over some of these files, which are copied into the folder."""
    rng = random.Random(SEED)
    fitting = files_of_kind(files, SUFFIXES, FILE_BYTES)
    copy_files(rng.sample(fitting, min(N_FILES, len(fitting))), target)
    found = []
    for path, extraction in sorted(read_folder(target), key=lambda one: one[0]):
        tables = [table for table in extraction.tables if table.kind == "table"]
        drawn = [asked for table in tables for asked in _draw(Path(path).name, table, rng)]
        found += rng.sample(drawn, min(A_FILE, len(drawn)))
    return Domain("sums", target, tuple(rng.sample(found, min(N_QUESTIONS, len(found)))))


def _draw(file: str, table: Table, rng: random.Random) -> Iterator[Asked]:
    keys = key_columns(table)
    rows = {row.index: row for row in table.rows if _is_label(row.leaf)}
    columns = {each.index: each for each in table.columns if _is_label(each.leaf) and each.index not in keys}
    cells = [cell for cell in table.cells if cell.value and cell.row in rows and cell.column in columns]
    said = [(rows[cell.row].path, columns[cell.column].path) for cell in cells]
    alone = [cell for cell, path in zip(cells, said, strict=True) if said.count(path) == 1 and cell.unit != "%"]
    tried = combinations(rng.sample(alone, min(N_CELLS, len(alone))), 2)
    pairs = [pair for one, two in tried if (pair := _paired(table, rows, columns, one, two)) is not None]
    by_ways = [[pair for pair in pairs if pair.ways is ways] for ways in (OF_A_ROW, OF_A_COLUMN, OF_A_WHOLE)]
    drawn = [pair for alike in by_ways for pair in rng.sample(alike, min(A_TABLE, len(alike)))]
    for pair in rng.sample(drawn, min(A_TABLE, len(drawn))):
        asked = _ask(file, table, pair, rng)
        if asked is not None:
            yield asked


def _is_label(leaf: str) -> bool:
    """Whether a person would call a row or column so: no number that the program gave it."""
    return len(leaf) <= LABEL_CHARS and GIVEN.fullmatch(leaf) is None and bool(WORD.search(leaf) or YEAR.search(leaf))


def _paired(
    table: Table, rows: Mapping[int, Header], columns: Mapping[int, Header], one: Cell, two: Cell
) -> _Pair | None:
    """What can be asked of two cells; None where they are not of one row or column, of one unit and apart in value."""
    if (one.unit, one.scale) != (two.unit, two.scale) or one.value == two.value:
        return None
    if one.row == two.row:
        apart = columns[one.column], columns[two.column]
        return _Pair(OF_A_ROW, (one, two), rows[one.row], apart) if _are_alike(*apart) else None
    if one.column != two.column:
        return None
    part, whole = (two, one) if rows[one.row].is_total else (one, two)
    of, in_all = rows[part.row], rows[whole.row]
    if in_all.is_total and not of.is_total:
        return _Pair(OF_A_WHOLE, (part, whole), columns[one.column], (of, in_all)) if _is_part(part, whole) else None
    are_members = not {one.row, two.row} & summary_rows(table)
    return _Pair(OF_A_COLUMN, (part, whole), columns[one.column], (of, in_all)) if are_members else None


def _are_alike(one: Header, other: Header) -> bool:
    """Whether two columns are of one kind: of two times, or below one heading."""
    are_times = all(YEAR.search(" ".join(each.path)) for each in (one, other))
    return are_times or (len(one.path) > 1 and one.path[:-1] == other.path[:-1])


def _is_part(part: Cell, whole: Cell) -> bool:
    return part.value is not None and whole.value is not None and 0 < part.value < whole.value


def _ask(file: str, table: Table, pair: _Pair, rng: random.Random) -> Asked | None:
    """The question and its right answer; None where the words left of both headers are the same."""
    computing = rng.choice(pair.ways)
    cells, apart = pair.cells, [_said(each, rng) for each in pair.apart]
    if computing.is_greater_first and (cells[0].value or 0) < (cells[1].value or 0):
        cells, apart = cells[::-1], apart[::-1]
    if apart[0] == apart[1]:
        return None
    said = rng.choice(computing.texts).format(same=_said(pair.same, rng), one=apart[0], two=apart[1])
    is_scoped = rng.random() < SCOPED
    if not is_scoped:
        said += f" ({some_words(table.title[:TITLE_CHARS] or PARTED.sub(' ', Path(file).stem), rng)})"
    text = f"{said[:1].upper()}{said[1:]}{'?' if rng.random() < MARKED else ''}"
    scope = (only(file),) if is_scoped else ()
    if rng.randrange(SWAPPED) == 0 and YEAR.search(text):
        return Asked(YEAR.sub(NOT_FOUND, text, count=1), (), (), scope, is_of_text=False)
    return Asked(text, tuple(_forms(computing, *cells)), (Gold(file),), scope, is_of_text=False)


def _forms(computing: Computing, one: Cell, two: Cell) -> Iterator[str]:
    """The right answer as the cells write it and in full, exact and rounded."""
    values = one.value or Decimal(0), two.value or Decimal(0)
    for scale in sorted({1, one.scale}):
        value = computing.value(*(each * scale for each in values))
        yield from dict.fromkeys(f"{round(value, digits):f}" for digits in DIGITS)


def _said(header: Header, rng: random.Random) -> str:
    """What a person calls a row or column: words of its label, with those above it where it has none of its own."""
    return some_words(PARTED.sub(" ", " ".join(header.path[-1 if WORD.search(header.leaf) else -2 :])), rng)
