"""What a question asks to be calculated may stand in a cell already: a share, a change, an average that is quoted."""

from __future__ import annotations

from mixrag_cli.recap.acceptance import MIN_PROBABILITY, SURE_PROBABILITY, says_percent
from mixrag_cli.recap.cells import CellMatch, match_cells
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.pieces import Piece, cell_piece
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import AVERAGE, CHANGE, LEAST, MOST, PERCENT, RATIO, TOTAL

_SAYS = {"average": AVERAGE, "sum": TOTAL, "ratio": RATIO, "maximum": MOST, "minimum": LEAST}


def stated_result(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The best cell for the whole question, where its headers say that it is the operation's result."""
    if restated.expects == "label":
        return None
    for match in match_cells(restated.whole, base, restated.names, restated.expects, limit=1):
        if states_result(match, restated) and match.is_believed(MIN_PROBABILITY):
            return cell_piece(match)
    return None


def states_result(match: CellMatch, restated: Restated) -> bool:
    """Whether a cell's headers or unit say that it is a share, a change, an average … as was asked for."""
    is_percent = says_percent(match.cell, f"{match.label} {match.table.title}")
    is_change = CHANGE.search(match.label) is not None
    if restated.operation == "share":
        return is_percent and not is_change
    if restated.operation == "change_percent":
        return is_percent and is_change
    if restated.operation == "difference":
        return is_change and (not is_percent or PERCENT.search(restated.question) is not None)
    says = _SAYS.get(restated.operation)
    return says is not None and says.search(match.label) is not None


def described_cell(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The cell that is meant where a superlative only describes it ("the most common offence")."""
    if restated.operation not in ("maximum", "minimum") or restated.expects == "label":
        return None
    for match in match_cells(restated.whole, base, restated.names, restated.expects, limit=1):
        if match.is_believed(SURE_PROBABILITY):
            return cell_piece(match)
    return None
