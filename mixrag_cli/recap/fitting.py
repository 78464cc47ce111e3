"""The cells that a question can mean: those that contradict nothing it says, and the one that its conditions choose.

The pairs' scores weigh what a cell's paths say. Some things outweigh any score: a record that is another than the one
named, another place in an order, a text that only repeats the question.
"""

from __future__ import annotations

from dataclasses import replace

from mixrag_cli.recap.cells import CellMatch, match_cells
from mixrag_cli.recap.columns import match_column
from mixrag_cli.recap.evidence import RIGHT_TIME, EvidenceBase
from mixrag_cli.recap.filters import failed_filters, find_filters, is_record_table
from mixrag_cli.recap.language import ordinals_of, says_nothing_new
from mixrag_cli.recap.restate import Expects, Operand, Restated
from mixrag_cli.recap.tallies import Tally

CHOSEN = 1.0  # of a score: the one record that meets all conditions goes before any cell that is only likely
BESIDE = 6  # more cells than asked for are looked at, in the place of those that contradict the question


def fitting_cells(
    operand: Operand, restated: Restated, base: EvidenceBase, expects: Expects, limit: int = 5
) -> list[CellMatch]:
    """The best cells for the operand that contradict nothing it says, best first."""
    names = restated.names & set(operand.terms)
    found = match_cells(operand, base, names, expects, limit + BESIDE)
    fitting = [match for match in found if not contradicts(match, operand.text)]
    return fitting[:limit]


def contradicts(match: CellMatch, question: str) -> bool:
    """Whether the question speaks of another record, of another place in an order, or says the cell's text itself."""
    asked, own = set(ordinals_of(question)), set(ordinals_of(match.label))
    if (asked and own and not asked & own) or says_nothing_new(match.cell.text, question):
        return True
    table = match.table
    if table.total_rows > len(table.rows) or not is_record_table(table):
        return False
    return bool(failed_filters(find_filters(question, table), table, match.row.index))


def chosen_cell(operand: Operand, restated: Restated, base: EvidenceBase) -> CellMatch | None:
    """The cell of the one record that the operand's conditions leave, None where they leave none or several."""
    asked = replace(restated, question=operand.text, operation="lookup", expects="number", whole=operand)
    match = match_column(asked, base, Tally("maximum", is_sure=False, of_one_row=True))
    if match is None or not match.best:
        return None
    row, cell = match.best[0]
    time = RIGHT_TIME if operand.facets else 0.0
    return CellMatch(
        match.hit, match.table, cell, row, match.column, match.coverage + CHOSEN, match.coverage, time, match.coverage
    )
