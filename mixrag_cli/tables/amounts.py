"""Amounts of a table of records: the columns of figures that may be measured, and those that may be added up.

A running total, as a ledger's balance, says what another column comes to up to each row. It may be looked up and have a
greatest, but nobody adds it up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise, permutations

from mixrag_cli.quantities.unit_words import CURRENCIES
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.record_columns import Column, columns_of, is_sampled
from mixrag_cli.tables.text import key_columns

MIN_STEPS = 3  # from row to row, that a column is a running total
MOST_STEPS = 0.9  # of them, that another column explains: a ledger may begin anew or have a slip; set by judgement
MAX_COLUMNS = 12  # of figures: where there are more, it is no ledger
NOTHING = Decimal(0)

_Column = Mapping[int, Decimal]  # of a row its figure


def amounts_of(table: Table) -> tuple[Column, ...]:
    """The columns of figures that neither name nor number the rows, nor are years or running totals."""
    apart = {*key_columns(table), *running_totals(table)}
    numeric = (one for one in columns_of(table) if one.is_numeric and not (one.is_ordinal or one.is_of_years))
    return tuple(one for one in numeric if one.index not in apart)


def only_amounts(table: Table) -> Column | None:
    """The one column of amounts that are no percentages, or the one of money: beside it stand numbers of accounts."""
    units = _units_of(table)
    amounts = [one for one in amounts_of(table) if units.get(one.index) != {"%"}]
    of_money = [one for one in amounts if units.get(one.index, set()) & CURRENCIES]
    chosen = amounts if len(amounts) == 1 else of_money
    return chosen[0] if len(chosen) == 1 else None


def _units_of(table: Table) -> dict[int, set[str]]:
    units: dict[int, set[str]] = {}
    for cell in table.cells:
        units.setdefault(cell.column, set()).add(cell.unit)
    return units


def running_totals(table: Table) -> frozenset[int]:
    """The columns of a table that is held whole which are running totals of another, or of one less another."""
    columns: dict[int, dict[int, Decimal]] = {}
    for cell in table.cells:
        if cell.value is not None:
            columns.setdefault(cell.column, {})[cell.row] = cell.value
    if len(columns) > MAX_COLUMNS or is_sampled(table):
        return frozenset()
    rows = [row.index for row in table.rows]
    return frozenset(index for index, own in columns.items() if _runs(own, _others(columns, index), rows))


def _others(columns: Mapping[int, _Column], index: int) -> list[tuple[_Column, _Column]]:
    """What may be added and taken away: any other column alone, or any two that have no figures in one row."""
    others = [column for other, column in columns.items() if other != index]
    alone: list[tuple[_Column, _Column]] = [(column, {}) for column in others]
    return alone + [pair for pair in permutations(others, 2) if pair[0].keys().isdisjoint(pair[1])]


def _runs(own: _Column, moves: Sequence[tuple[_Column, _Column]], rows: Sequence[int]) -> bool:
    known = [row for row in rows if row in own]
    downwards = [(row, own[row] - own[above]) for above, row in pairwise(known)]
    upwards = [(row, own[row] - own[below]) for row, below in pairwise(known)]  # the newest first
    steps = [[(row, step) for row, step in each if step] for each in (downwards, upwards)]
    return any(len(each) >= MIN_STEPS and _explain(move, each) for each in steps for move in moves)


def _explain(move: tuple[_Column, _Column], steps: Sequence[tuple[int, Decimal]]) -> bool:
    """Whether what is added and taken away comes to nearly all steps. The first that are too many end the look."""
    added, taken = move
    n_left = len(steps)
    for row, step in steps:
        n_left -= step != added.get(row, NOTHING) - taken.get(row, NOTHING)
        if n_left < MOST_STEPS * len(steps):
            return False
    return True
