"""Extract and compute: one cell for each operand of a formula, chosen together so that like is compared with like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product

from mixrag_cli.quantities.facets import facets_of
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.compute import formula_for
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_tables.cells import CellMatch, match_cells
from mixrag_cli.recap.pieces import Piece, cells_piece, computed_piece, each_piece, periods_piece
from mixrag_cli.recap.restate import Condition, Restated
from mixrag_cli.recap.wording import PERCENT_UNITS
from mixrag_cli.records.tables import Header

# In parts of the operand's weight that a cell and what is around it say; set on the development collection.
MIN_OPERAND_COVERAGE = 0.62
MIN_BELIEVED = 0.5  # probability of a cell that stands in a formula though it says less
MIN_PERIODS = 2  # a single value is looked up, not counted
N_CHOICES = 5  # cells of an operand that are tried with those of the others
SAME_CELL = -1.0  # in parts of a coverage: of two operands of one formula that are one cell,
SAME_TABLE = 0.2  # of one table,
SAME_HEADER = 0.2  # in rows of one name (another period) or columns of one name (another item)


def from_operands(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The formula over one cell for each operand."""
    if formula_for(restated.operation, len(restated.operands)) is None:
        return None
    choices = [operand_cells(operand, restated, base) for operand in restated.operands]
    if restated.operation == "share":  # in "what share of all thefts were of bicycles" the part is of both at once
        choices[0] += operand_cells(restated.whole, restated, base)
        choices = [[match for match in options if match.cell.unit not in PERCENT_UNITS] for options in choices]
    pieces = (computed_piece(restated, cells_piece("", chosen)) for chosen in chosen_together(choices))
    return next((piece for piece in pieces if piece is not None), None)


def from_each(restated: Restated, base: EvidenceBase) -> Piece | None:
    """One cell for each period asked for, of like kind, as a list that names the periods without any."""
    choices = [operand_cells(operand, restated, base) for operand in restated.operands]
    if not any(choices):
        return None
    chosen = chosen_together([options for options in choices if options])[0]
    if len({match.place for match in chosen}) < len(chosen):
        return None
    rest = iter(chosen)
    return each_piece(restated.operands, [next(rest) if options else None for options in choices])


def from_condition(condition: Condition, restated: Restated, base: EvidenceBase) -> Piece | None:
    """The periods whose values pass the limit: their number, or their labels."""
    found = operand_cells(condition.operand, restated, base)[:1]
    passing = [one for match in found for one in along_periods(match, condition.years) if _passes(one[1], condition)]
    return periods_piece(restated, passing) if passing else None


def along_periods(match: CellMatch, years: frozenset[int]) -> list[tuple[Header, CellMatch]]:
    """The cells beside the matched one, one a period with its header, in the table's order; [] where there are none.

    years: the only ones that count, all where empty.
    """
    like = [cell for cell in match.table.cells if cell.value is not None and cell.unit == match.cell.unit]
    columns, rows = ({one.index: one for one in side} for side in (match.table.columns, match.table.rows))
    beside = [
        (columns[c.column], replace(match, cell=c, column=columns[c.column])) for c in like if c.row == match.row.index
    ]
    below = [(rows[c.row], replace(match, cell=c, row=rows[c.row])) for c in like if c.column == match.column.index]
    for line in (beside, below):
        periods = [(header, one) for header, one in line if _is_period(header, years)]
        if len(periods) >= MIN_PERIODS:
            return periods
    return []


def _is_period(header: Header, years: frozenset[int]) -> bool:
    facets = facets_of(" ".join(header.path))
    return bool(facets.years or facets.quarters) and (not years or not facets.years or bool(facets.years & years))


def _passes(match: CellMatch, condition: Condition) -> bool:
    """Whether the cell's value, in base units, lies beyond the condition's limit."""
    value = abs(match.cell.value or Decimal(0)) * match.cell.scale  # costs are written as negative numbers
    return value > condition.limit if condition.is_above else value < condition.limit


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
