"""The cells that a question can mean: of a table of records those whose row meets its conditions; and the one that the
conditions choose."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import RIGHT_TIME, EvidenceBase
from mixrag_cli.recap.in_rows.columns import match_column
from mixrag_cli.recap.in_rows.filters import failed_filters, find_filters, is_record_table
from mixrag_cli.recap.in_rows.tally_question import Tally
from mixrag_cli.recap.in_tables.cells import CellMatch, match_cells
from mixrag_cli.recap.restate import Expects, Restated

CHOSEN = 1.0  # of a score: the one record that meets all conditions goes before any cell that is only likely
BESIDE = 6  # more cells than asked for are looked at, in the place of those that do not fit


def fitting_cells(
    operand: Operand, restated: Restated, base: EvidenceBase, expects: Expects, limit: int
) -> list[CellMatch]:
    """The best cells for the operand whose rows meet its conditions, best first."""
    fits = partial(_meets_conditions, question=operand.text)
    names = restated.names & set(operand.terms)
    find = partial(match_cells, operand, base, names, expects, limit + BESIDE, fits)
    return [match for match in base.once((operand, expects, limit), find) if fits(match)][:limit]


def _meets_conditions(match: CellMatch, question: str) -> bool:
    table = match.table
    if table.total_rows > len(table.rows) or not is_record_table(table):
        return True
    return not failed_filters(find_filters(question, table), table, match.row.index)


def chosen_cell(operand: Operand, restated: Restated, base: EvidenceBase) -> CellMatch | None:
    """The cell of the one record that the operand's conditions leave, None where they leave none or several."""
    asked = replace(restated, question=operand.text, operation="lookup", expects="number", whole=operand)
    find = partial(match_column, asked, base, Tally("maximum", of_one_row=True))
    match = base.once(("row", operand), find)
    if match is None or not match.best:
        return None
    row, cell = match.best[0]
    time = RIGHT_TIME if operand.facets else 0.0
    return CellMatch(
        match.hit, match.table, cell, row, match.column, match.coverage + CHOSEN, match.coverage, time, match.coverage
    )
