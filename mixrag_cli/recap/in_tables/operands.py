"""Extract and compute: one cell for each operand of a formula, chosen together so that like is compared with like."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.compute import compute, formula_for
from mixrag_cli.recap.evidence import MIN_TIME, EvidenceBase, stems_of
from mixrag_cli.recap.in_tables.acceptance import SURE_PROBABILITY
from mixrag_cli.recap.in_tables.cells import CellMatch
from mixrag_cli.recap.in_tables.fitting import chosen_cell, fitting_cells
from mixrag_cli.recap.pieces import Piece, cell_evidence, cell_source, computed_piece
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.splitting import split_texts
from mixrag_cli.recap.wording import CHANGE, MAX_PERCENT, PERCENT_UNITS, TOTAL
from mixrag_cli.words import match_term

# In parts of the question's weight that the evidence says; set on the development collection.
MIN_OPERAND_COVERAGE = 0.62
MIN_LIKELY_COVERAGE = 0.5  # of a cell that is surely meant
SAME_TABLE_BONUS = 0.2  # two operands of one formula from one table,
SAME_ROW_BONUS = 0.2  # in rows of one name (another period) or columns of one name (another item)


def from_operands(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The formula over one cell for each operand, chosen together so that like is compared with like."""
    if formula_for(restated.operation, len(restated.operands)) is None:
        return None
    choices = [operand_cells(operand, restated, base) for operand in restated.operands]
    if restated.operation == "share":
        choices = _share_cells(choices, restated, base)
    if not all(choices):
        return None
    chosen = choose_together(choices)
    if not _are_told_apart(restated, chosen):
        return None
    evidence = tuple(cell_evidence(f"e{n}", n, match) for n, match in enumerate(chosen, start=1))
    computed = compute(restated.operation, evidence)
    if computed is None or (restated.operation == "share" and not _is_part(computed.value, *chosen)):
        return None
    sources = tuple(cell_source(n, match) for n, match in enumerate(chosen, start=1))
    return computed_piece(restated, computed, chosen, evidence, sources)


def _are_told_apart(restated: Restated, chosen: Sequence[CellMatch]) -> bool:
    """Whether each of several things that are named side by side has a cell of its own, which says its name."""
    if not split_texts(restated.question, restated.operation):
        return True
    for operand, match in zip(restated.operands, chosen, strict=True):
        others = {term for other in restated.operands if other is not operand for term in other.terms}
        said = stems_of(match.label)
        if not all(match_term(term, said) for term in operand.terms if term not in others):
            return False
    return len({(match.table.id, match.cell.row, match.cell.column) for match in chosen}) == len(chosen)


def _is_part(share: Decimal, part: CellMatch, whole: CellMatch) -> bool:
    """Whether one cell can be a part of another: no more than it is, and no fraction beside a count."""
    is_fraction = part.cell.value is not None and 0 < abs(part.cell.value) < 1 and "." in part.cell.text
    is_count = whole.cell.value is not None and abs(whole.cell.value) >= MAX_PERCENT and part.table.id != whole.table.id
    return abs(share) <= MAX_PERCENT and not (is_fraction and is_count)


def operand_cells(operand: Operand, restated: Restated, base: EvidenceBase) -> list[CellMatch]:
    """The cells that may stand for the operand in a formula, best first."""
    chosen = chosen_cell(operand, restated, base)
    matches = [*([chosen] if chosen else []), *fitting_cells(operand, restated, base, "number", limit=8)]
    return [match for match in matches if _is_operand(match)]


def _is_operand(match: CellMatch) -> bool:
    """Whether a cell may stand in a formula: it says enough of the operand, or is surely what it means."""
    is_likely = match.coverage >= MIN_LIKELY_COVERAGE and match.is_believed(SURE_PROBABILITY)
    is_likely = is_likely and CHANGE.search(match.label) is None  # a change of changes is hardly meant
    return is_likely or is_accepted(match.coverage, match.time, MIN_OPERAND_COVERAGE)


def _share_cells(
    choices: Sequence[Sequence[CellMatch]], restated: Restated, base: EvidenceBase
) -> list[list[CellMatch]]:
    """The cells of a share's part and whole: amounts, of which the part may be said by the whole question alone.

    In "what share of all thefts were of bicycles" the part is a cell of thefts and of bicycles at once.
    """
    part, whole = ([match for match in options if match.cell.unit not in PERCENT_UNITS] for options in choices)
    both = operand_cells(restated.whole, restated, base)
    part += [match for match in both if match.cell.unit not in PERCENT_UNITS]
    if "total" in restated.operands[-1].terms:
        whole = [match for match in whole if match.row.is_total or TOTAL.search(match.label)] or whole
    return [part, whole]


def choose_together(choices: Sequence[Sequence[CellMatch]]) -> list[CellMatch]:
    """One of each operand's cells: those that score best with what they have in common."""
    chosen = [choices[0][0]]
    best = float("-inf")
    for first in choices[0]:
        others = [max(options, key=lambda match: match.score + _likeness(first, match)) for options in choices[1:]]
        total = first.score + sum(match.score + _likeness(first, match) for match in others)
        if total > best:
            best, chosen = total, [first, *others]
    return chosen


def _likeness(one: CellMatch, other: CellMatch) -> float:
    if one.cell is other.cell:
        return -1.0
    same_table = SAME_TABLE_BONUS if one.table.id == other.table.id else 0.0
    same_row = one.row.path[-1:] == other.row.path[-1:]
    same_column = one.column.path == other.column.path
    return same_table + (SAME_ROW_BONUS if same_row or same_column else 0.0)


def is_accepted(coverage: float, time: float, threshold: float) -> bool:
    """Whether a cell says enough of an operand, and is of its time."""
    return coverage >= threshold and time > MIN_TIME
