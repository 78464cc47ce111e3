"""Values of a day or month, and sums, means and extremes over a month or year, asked in words of csv files with dates.

    python tests/benchmarks/dated_rows.py CACHE FOLDER…

The folders hold csv files, at any depth; those with a column of dates in digits that can be told (2012-06-05, 2012-06,
05/06/2012) are copied into CACHE and indexed there. Questions are drawn by rule, six of each kind a file: "What was the
{column} on 5 June 2012?", "What was the average {column} in June 2012?". Every second one is asked of its own file
alone, the others say the words of its name. The right answers are computed here, from the csv. Printed, by kind: stated
right, stated wrong, likely with the answer among the three, likely without, and nothing.
"""

from __future__ import annotations

import argparse
import calendar
import csv
import random
import re
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from mixrag_cli.evaluation.answers import says_right
from mixrag_cli.quantities.facets import MONTHS
from mixrag_cli.records.answers import Answer
from mixrag_cli.settings import Settings
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import open_session

SEED = 5
A_FILE = 6  # questions of each kind
N_ROWS = (20, 10_000)
MAX_BYTES = 800_000
PARSED = 0.95  # of a column's cells, that it is one of dates
UNIQUE = 0.7  # of the rows, whose date no other row has
NUMERIC = 0.8  # of a column's cells
IN_A_PERIOD = (3, 400)  # rows
MAX_HEAD = 40  # characters of a column's name
NUMBER = re.compile(r"-?[\d,]+(?:\.\d+)?")
FORMS = (
    re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?:[ T].*)?"),
    re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)"),
    re.compile(r"(?P<a>\d\d?)[/.](?P<b>\d\d?)[/.](?P<y>\d{4})"),
)
OPERATIONS = ("average", "total", "highest", "lowest")

Day = tuple[int, int, int]  # year, month, day; 0 where the file says none


@dataclass(frozen=True, slots=True)
class Dated:
    """A csv file with a column of dates. numeric: the places of its columns of numbers."""

    path: Path
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    days: Sequence[Day]
    numeric: Sequence[int]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A question with its right answer. file: that it is asked of alone, "" for all."""

    kind: str
    text: str
    answer: str
    file: str


def dated_files(folders: Sequence[Path]) -> Iterator[Dated]:
    """The csv files with a column of dates, one of each name."""
    seen: set[str] = set()
    for path in sorted(path for folder in folders for path in folder.rglob("*.csv")):
        if path.name not in seen and path.stat().st_size <= MAX_BYTES and (found := read_dated(path)):
            seen.add(path.name)
            yield found


def read_dated(path: Path) -> Dated | None:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        head, *rows = [row for row in csv.reader(file) if row] or [[]]
    rows = [row for row in rows if len(row) == len(head)]
    if not N_ROWS[0] <= len(rows) <= N_ROWS[1]:
        return None
    for place in range(len(head)):
        if days := days_of([row[place] for row in rows]):
            numeric = [
                other
                for other, name in enumerate(head)
                if other != place and re.search("[A-Za-z]{3}", name) and len(name) < MAX_HEAD
                if sum(number_of(row[other]) is not None for row in rows) > NUMERIC * len(rows)
            ]
            return Dated(path, head, rows, days, numeric) if numeric else None
    return None


def days_of(cells: Sequence[str]) -> list[Day] | None:
    """The days of a column, None where it is none of dates, or its day and month cannot be told apart."""
    for form in FORMS:
        found = [form.fullmatch(cell.strip()) for cell in cells]
        said = [match.groupdict() for match in found if match]
        if len(said) < PARSED * len(cells):
            continue
        months, days = "m", "d"
        if "a" in form.groupindex:
            first, second = (max(int(each[name]) for each in said) for name in "ab")
            if (first > MONTHS) == (second > MONTHS):
                return None
            months, days = ("b", "a") if first > MONTHS else ("a", "b")
        read = [match.groupdict() if match else None for match in found]
        return [(int(one["y"]), int(one[months]), int(one.get(days) or 0)) if one else (0, 0, 0) for one in read]
    return None


def number_of(cell: str) -> Decimal | None:
    return Decimal(cell.strip().replace(",", "")) if NUMBER.fullmatch(cell.strip()) else None


def draw(one: Dated, chance: random.Random) -> Iterator[Drawn]:
    """The questions of a file."""
    yield from _drawn_days(one, chance)
    yield from _drawn_periods(one, chance)


def _drawn_days(one: Dated, chance: random.Random) -> Iterator[Drawn]:
    times = Counter(one.days)
    rows = [row for row, day in enumerate(one.days) if day[0] and times[day] == 1]
    if len(rows) < UNIQUE * len(one.rows):
        return
    of_months = all(day[2] in (0, 1) for day in one.days)
    for n, row in enumerate(chance.sample(rows, min(A_FILE, len(rows)))):
        year, month, day = one.days[row]
        name = calendar.month_name[month]
        ways = [f"in {name} {year}"] if of_months else [f"on {day} {name} {year}", f"on {name} {day}, {year}"]
        column = chance.choice(one.numeric)
        if number_of(value := one.rows[row][column].strip()) is not None and one.rows[row].count(value) == 1:
            yield _asked("day", one, column, chance.choice(ways), "", value, n)


def _drawn_periods(one: Dated, chance: random.Random) -> Iterator[Drawn]:
    periods: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row, (year, month, day) in enumerate(one.days):
        if year:
            periods[year, 0].append(row)
        if day:
            periods[year, month].append(row)
    kept = [period for period, rows in periods.items() if IN_A_PERIOD[0] <= len(rows) <= IN_A_PERIOD[1]]
    for n, (year, month) in enumerate(chance.sample(kept, min(A_FILE, len(kept)))):
        column, operation = chance.choice(one.numeric), chance.choice(OPERATIONS)
        told = [number_of(one.rows[row][column]) for row in periods[year, month]]
        values = [value for value in told if value is not None]
        if len(values) >= IN_A_PERIOD[0]:
            total = sum(values)
            value = {"average": total / len(values), "total": total, "highest": max(values), "lowest": min(values)}
            when = f"in {calendar.month_name[month]} {year}" if month else f"in {year}"
            yield _asked("period", one, column, when, f"{operation} ", f"{value[operation]:.4f}", n)


def _asked(kind: str, one: Dated, column: int, when: str, operation: str, answer: str, n: int) -> Drawn:
    name = re.sub("_+", " ", one.head[column]).strip()
    where = "" if n % 2 else f" in {re.sub('[-_]+', ' ', one.path.stem)}"
    return Drawn(kind, f"What was the {operation}{name} {when}{where}?", answer, one.path.name if n % 2 else "")


def outcome(drawn: Drawn, answer: Answer) -> str:
    def is_right(text: str, value: Decimal | None, unit: str) -> bool:
        return says_right(drawn.text, (drawn.answer,), text, None if value is None else float(value), unit)

    if answer.status == "answered":
        return "right" if is_right(answer.text, answer.value, answer.unit) else "wrong"
    plain = drawn.answer.replace(",", "")
    shown = any(
        is_right(each.text, each.value, each.unit) or plain in each.source.text.replace(",", "")
        for each in answer.candidates
    )
    return "nothing" if answer.status == "abstained" else "likely holds it" if shown else "likely does not"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    options = parser.parse_args()
    files, store = options.cache / "files", options.cache / "store"
    files.mkdir(parents=True, exist_ok=True)
    chance, questions = random.Random(SEED), []
    for one in dated_files(options.folders):
        questions += draw(one, chance)
        shutil.copy(one.path, files / one.path.name)
    settings = replace(Settings(), store=store)
    build_index([files], settings, events=Silent())
    session = open_session(store, settings, asks=True)
    found = Counter(
        (each.kind, outcome(each, session.ask(each.text, Scope(paths=(each.file,) if each.file else ()))))
        for each in questions
    )
    print(f"{len(questions)} questions on {len(list(files.iterdir()))} files", file=sys.stderr)
    for (kind, name), count in sorted(found.items()):
        print(f"{kind:8} {name:16} {count:5}")


if __name__ == "__main__":
    main()
