"""Which rows of a table sum others up, and so are no members where rows are counted, added up or compared."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from statistics import median

from mixrag_cli.records.tables import Header, Table

MIN_PARTS = 2
MIN_ADDENDS = 3  # fewer rows add up by chance
MAX_ADDENDS = 2_000  # a longer table is one of records
MIN_COLUMNS = 2
ROUNDING = Decimal("0.5")  # of the last digit, for each part that was rounded
MAX_SLACK = Decimal("0.1")  # of the sum, for rounding: with more, small counts add up by chance; set by judgement
AGREEING = Decimal("0.75")  # of the columns of a statistic at the end of its rows: others may hold counts
SUMMARY = re.compile(
    r"(?:(?:weighted|overall|column|row|group)\s)?(?:(?P<mean>averages?|avg\.?|means?)|(?P<median>medians?)"
    r"|(?P<minimum>minimum|min\.?)|(?P<maximum>maximum|max\.?)"
    r"|(?P<spread>std\.?(?: ?dev\.?)?|standard deviations?|variance)|(?P<sum>sum))",
    re.IGNORECASE,
)
Values = dict[int, Decimal]  # the numbers of a row by column


def summary_rows(table: Table) -> frozenset[int]:
    """The indices of total rows, of rows of statistics, and of parents whose parts add up to them."""
    values = _values(table)
    named = {row.index for row in table.rows if row.is_total} | _statistics(table, values)
    if len(named) == len(table.rows):
        return frozenset()
    return frozenset(named | _sums_of_parts(table, values) | _sum_of_all(table, values, named))


def _statistics(table: Table, values: Mapping[int, Values]) -> set[int]:
    """Rows named by a statistic alone that are one: several together, at an end of their block, or proved by figures.

    "MIN" is a team's code, too. It is data where its figures are not the least, and among other rows.
    """
    kinds = {row.index: kind for row in table.rows if (kind := _statistic_of(row))}
    if not kinds:
        return set()
    summed = kinds.keys() | {row.index for row in table.rows if row.is_total}
    members = _extremes([values[row.index] for row in table.rows if row.index not in summed])
    found: set[int] = set()
    for block in _blocks(table, values, summed):
        own = [values[index] for index in block if index not in summed]
        above: list[Values] = []
        for is_summed, run in groupby(block, key=summed.__contains__):
            indices = list(run)
            if not is_summed:
                above += [values[index] for index in indices]
                continue
            named = [index for index in indices if index in kinds]
            is_outer = indices[0] == block[0] or indices[-1] == block[-1]
            wholes = [above, own] if not is_outer else [own, members] if len(own) >= MIN_PARTS else [members]
            found.update(
                index
                for index in named
                if len({kinds[each] for each in named}) > 1
                or any(_summarises(kinds[index], values[index], parts, is_outer) for parts in wholes)
            )
    return found


def _extremes(rows: Sequence[Values]) -> list[Values]:
    """Two rows with the least and the most of each column: all that tells what a statistic of the rows may be."""
    columns: dict[int, list[Decimal]] = defaultdict(list)
    for row in rows:
        for column, value in row.items():
            columns[column].append(value)
    known = {column: found for column, found in columns.items() if len(found) >= MIN_PARTS}
    return [{column: pick(found) for column, found in known.items()} for pick in (min, max)]


def _statistic_of(row: Header) -> str:
    """The statistic that a row's last label names, "" for another label."""
    found = SUMMARY.fullmatch(row.path[-1].strip(" :")) if row.path else None
    return found.lastgroup or "" if found else ""


def _blocks(table: Table, values: Mapping[int, Values], summed: Collection[int]) -> Iterator[list[int]]:
    """The rows right below each other with one parent, those without figures left out unless they sum up."""
    block: list[int] = []
    above: Header | None = None
    for row in table.rows:
        if above is not None and (row.index != above.index + 1 or row.path[:-1] != above.path[:-1]):
            yield block
            block = []
        if values[row.index] or row.index in summed:
            block.append(row.index)
        above = row
    yield block


def _summarises(kind: str, whole: Values, parts: Sequence[Values], is_outer: bool) -> bool:
    """Whether figures are the statistic of the rows in half of the columns, the least and most in two and more.

    At an end of the rows it is enough that they may be.
    """
    tried = [
        _fits(kind, value, found, is_outer)
        for column, value in whole.items()
        if len(found := [part[column] for part in parts if column in part]) >= MIN_PARTS
    ]
    if is_outer:
        return sum(tried) >= AGREEING * len(tried)
    n_least = MIN_COLUMNS if kind in ("minimum", "maximum") else 1
    return sum(tried) >= n_least and sum(tried) * 2 >= len(tried)


def _fits(kind: str, value: Decimal, found: Sequence[Decimal], is_outer: bool) -> bool:
    """Whether a value is the statistic of the others, within rounding; at an end, whether it may be."""
    low, high = min(found), max(found)
    if kind == "minimum":
        return value <= low if is_outer else value == low
    if kind == "maximum":
        return value >= high if is_outer else value == high
    if is_outer or kind in ("spread", "sum"):
        return is_outer and (kind in ("spread", "sum") or low <= value <= high)
    middle = median(found) if kind == "median" else sum(found, Decimal(0)) / len(found)
    return abs(middle - value) <= ROUNDING * Decimal(1).scaleb(int(value.as_tuple().exponent))


def _values(table: Table) -> dict[int, Values]:
    """The numbers by row and column."""
    values: dict[int, Values] = defaultdict(dict)
    for cell in table.cells:
        if cell.value is not None:
            values[cell.row][cell.column] = cell.value
    return values


def _sum_of_all(table: Table, values: dict[int, dict[int, Decimal]], named: set[int]) -> set[int]:
    """The first or last row where it is the sum of all others, in several columns: "Australia" below its states."""
    rows = [row.index for row in table.rows if row.index not in named]
    if not MIN_ADDENDS < len(rows) <= MAX_ADDENDS:
        return set()
    ends = ((rows[0], rows[1:]), (rows[-1], rows[:-1]))
    for whole, others in ends:
        if len(values[whole]) >= MIN_COLUMNS and adds_up(values[whole], [values[row] for row in others], MIN_COLUMNS):
            return {whole}
    return set()


def _sums_of_parts(table: Table, values: dict[int, dict[int, Decimal]]) -> set[int]:
    """Rows that are the sum of the rows right below them in the tree, in most columns of figures."""
    parents = {row.path: row.index for row in table.rows}
    parts: dict[int, list[int]] = defaultdict(list)
    for row in table.rows:
        parent = parents.get(row.path[:-1])
        if parent is not None and not row.is_total and len(row.path) > 1:
            parts[parent].append(row.index)
    if not parts:
        return set()
    return {
        parent
        for parent, below in parts.items()
        if len(below) >= MIN_PARTS and adds_up(values[parent], [values[row] for row in below])
    }


def adds_up(whole: dict[int, Decimal], parts: list[dict[int, Decimal]], n_least: int = 1) -> bool:
    """Whether half of the columns of the whole, and at least n_least, are the sums of the parts' within rounding."""
    n_right = n_tried = 0
    for column, value in whole.items():
        found = [part[column] for part in parts if column in part]
        if len(found) < MIN_PARTS:
            continue
        n_tried += 1
        unit = Decimal(1).scaleb(min(int(number.as_tuple().exponent) for number in (value, *found)))
        slack = min(ROUNDING * unit * (len(found) + 1), MAX_SLACK * abs(value))
        n_right += value != 0 and abs(sum(found, Decimal(0)) - value) <= slack
    return n_right >= n_least and n_right * 2 >= n_tried
