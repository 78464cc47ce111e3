"""Extract and compare: the values of one row over its periods, and which of them pass a limit."""

from __future__ import annotations

from dataclasses import replace

from mixrag_cli.quantities.facets import facets_of
from mixrag_cli.recap.in_rows.columns import transpose
from mixrag_cli.recap.in_tables.cells import CellMatch
from mixrag_cli.recap.restate import Condition
from mixrag_cli.records.tables import Cell, Header

MIN_PERIODS = 2  # a single value is looked up, not counted


def along_periods(match: CellMatch, years: frozenset[int]) -> list[CellMatch]:
    """The cells beside the matched one, one a period, in the table's order; columns are always the periods.

    years: the only ones that count, all where empty. Empty where neither side of the table is one of periods.
    """
    turned = replace(
        match,
        table=transpose(match.table),
        row=match.column,
        column=match.row,
        cell=replace(match.cell, row=match.cell.column, column=match.cell.row),
    )
    for one in (match, turned):
        found = _along_row(one, years)
        if len(found) >= MIN_PERIODS:
            return found
    return []


def _along_row(match: CellMatch, years: frozenset[int]) -> list[CellMatch]:
    columns = {header.index: header for header in match.table.columns}
    return [
        replace(match, cell=cell, column=columns[cell.column])
        for cell in match.table.cells
        if cell.row == match.row.index
        and cell.value is not None
        and cell.unit == match.cell.unit
        and _is_period(columns[cell.column], years)
    ]


def _is_period(header: Header, years: frozenset[int]) -> bool:
    facets = facets_of(" ".join(header.path))
    return bool(facets.years or facets.quarters) and (not years or not facets.years or bool(facets.years & years))


def passes(cell: Cell, condition: Condition) -> bool:
    """Whether the cell's value, in base units, lies beyond the condition's limit."""
    if cell.value is None:
        return False
    value = abs(cell.value) * cell.scale  # costs are written as negative numbers, and asked for without the sign
    return value > condition.limit if condition.is_above else value < condition.limit
