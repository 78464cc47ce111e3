"""What structure answers: cells through their header paths, formulas over them, tallies over rows.

    a calculation              a formula over one cell an operand, or a tally over a column
    a lookup                   a tally over the one record that is meant
    any of them                the cells that may say it as it is asked

How likely each is right is not said here (grading.py).
Source: MixRAG, section 4.3 (extraction and the external calculator).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_rows.tallies import match_columns
from mixrag_cli.recap.in_tables.cells import CellMatch, form_of, match_cells
from mixrag_cli.recap.pieces import cell_draft, column_draft, formula_draft
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.signs import Draft
from mixrag_cli.recap.wording import PERCENT_UNITS

N_CELLS = 4  # that may be the one that is meant
STATED = ("lookup", "count", "share", "change_percent")  # what may stand in a cell though it can be calculated, too
N_CHOICES = 5  # cells of an operand that are tried with those of the others
# In parts of the operand's weight that a cell and what is around it say; set on the development collection.
MIN_OPERAND_COVERAGE = 0.62
MIN_BELIEVED = 0.5  # probability of a cell that stands in a formula though it says less
SAME_CELL = -1.0  # in parts of a coverage: of two operands of one formula that are one cell,
SAME_TABLE = 0.2  # of one table,
SAME_HEADER = 0.2  # in rows of one name (another period) or columns of one name (another item)


def structural_drafts(restated: Restated, base: EvidenceBase) -> Iterator[Draft]:
    """What tables and rows may answer: formulas, tallies, and cells.

    Beside a calculation that is asked for, no cell but a percentage states its result.
    """
    joined = _from_operands(restated, base) if len(restated.operands) > 1 else None
    columns = [column_draft(restated, match) for match in match_columns(restated, base)]
    yield from ([joined, *columns] if joined is not None else columns)
    if restated.operation in STATED or not (joined or columns):
        yield from map(cell_draft, match_cells(restated.whole, base, restated.names, form_of(restated), N_CELLS))


def _from_operands(restated: Restated, base: EvidenceBase) -> Draft | None:
    """The formula over one cell for each operand, chosen together so that like is compared with like."""
    choices = [operand_cells(operand, restated, base) for operand in restated.operands]
    if restated.operation == "share":  # in "what share of all thefts were of bicycles" the part is of both at once
        choices[0] += operand_cells(restated.whole, restated, base)
        choices = [[match for match in options if match.cell.unit not in PERCENT_UNITS] for options in choices]
    drafts = (formula_draft(restated, matches) for matches in chosen_together(choices))
    return next((draft for draft in drafts if draft is not None), None)


def operand_cells(operand: Operand, restated: Restated, base: EvidenceBase) -> list[CellMatch]:
    """The cells of the operand's time that say enough of it, or are likely what it means; the likeliest first."""
    names = restated.names & set(operand.terms)
    found = match_cells(operand, base, names, "number", N_CHOICES)
    return [
        match
        for match in found
        if match.is_in_time and (match.coverage >= MIN_OPERAND_COVERAGE or match.probability >= MIN_BELIEVED)
    ]


def chosen_together(choices: Sequence[Sequence[CellMatch]]) -> list[tuple[CellMatch, ...]]:
    """One of each operand's cells, in every way: those first that score best with what they have in common."""

    def worth(chosen: Sequence[CellMatch]) -> float:
        return sum(match.score for match in chosen) + sum(_likeness(chosen[0], match) for match in chosen[1:])

    return sorted(product(*choices), key=worth, reverse=True)


def _likeness(one: CellMatch, other: CellMatch) -> float:
    """What two cells of one formula have in common, in parts of a coverage; one cell is not two operands."""
    if one.place == other.place:
        return SAME_CELL
    is_of_one_header = one.row.path[-1:] == other.row.path[-1:] or one.column.path == other.column.path
    return SAME_TABLE * (one.table.id == other.table.id) + SAME_HEADER * is_of_one_header
