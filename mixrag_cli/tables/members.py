"""Which rows of a table sum others up, and so are no members where rows are counted, added up or compared."""

from __future__ import annotations

import re
from collections import defaultdict
from decimal import Decimal

from mixrag_cli.records.tables import Header, Table

MIN_PARTS = 2
MIN_ADDENDS = 3  # fewer rows add up by chance
MAX_ADDENDS = 2_000  # a longer table is one of records
MIN_COLUMNS = 2
ROUNDING = Decimal("0.5")  # of the last digit, for each part that was rounded
MAX_SLACK = Decimal("0.1")  # of the sum, for rounding: with more, small counts add up by chance; set by judgement
SUMMARY = re.compile(
    r"(?:(?:weighted|overall|column|row|group)\s)?(?:averages?|avg\.?|means?|medians?|minimum|maximum|min\.?|max\.?"
    r"|std\.?(?: ?dev\.?)?|standard deviations?|variance|sum)",
    re.IGNORECASE,
)


def summary_rows(table: Table) -> frozenset[int]:
    """The indices of total rows, of rows named by a statistic alone, and of parents whose parts add up to them."""
    named = {row.index for row in table.rows if row.is_total or _is_statistic(row)}
    if len(named) == len(table.rows):
        return frozenset()
    values = _values(table)
    return frozenset(named | _sums_of_parts(table, values) | _sum_of_all(table, values, named))


def _is_statistic(row: Header) -> bool:
    return bool(row.path) and SUMMARY.fullmatch(row.path[-1].strip(" :")) is not None


def _values(table: Table) -> dict[int, dict[int, Decimal]]:
    """The numbers by row and column."""
    values: dict[int, dict[int, Decimal]] = defaultdict(dict)
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
