"""What a question asks to be calculated may stand in a cell already: a share, a change, an average that is quoted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from mixrag_cli.recap.in_tables.acceptance import MIN_PROBABILITY, SURE_PROBABILITY, says_percent
from mixrag_cli.recap.in_tables.cells import CellMatch
from mixrag_cli.recap.in_tables.periods import change_columns
from mixrag_cli.recap.pieces import Piece, cell_piece
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import AVERAGE, CHANGE, LEAST, MOST, PERCENT, RATIO, TOTAL
from mixrag_cli.words import match_term, stem, terms_of, words_of

_SAYS = {"average": AVERAGE, "sum": TOTAL, "ratio": RATIO, "maximum": MOST, "minimum": LEAST}


def stated_result(restated: Restated, cells: Sequence[CellMatch]) -> Piece | None:
    """A cell whose headers say that it is the operation's result: the best, or one as sure.

    cells: for the whole question, best first.
    """
    for place, match in enumerate(cells):
        is_believed = match.is_believed(SURE_PROBABILITY if place else MIN_PROBABILITY)
        if is_believed and states_result(match, restated):
            return cell_piece(match)
    return _stated_change(restated, cells[0]) if cells else None


def _stated_change(restated: Restated, match: CellMatch) -> Piece | None:
    """The change that a column states for the cell of one period whose change is asked for."""
    if len(restated.operands) > 1 or not match.is_believed(MIN_PROBABILITY):
        return None
    changes = change_columns(match.column, match.table.columns)
    cells = {cell.column: cell for cell in match.table.cells if cell.row == match.row.index}
    stated = [replace(match, cell=cells[each.index], column=each) for each in changes if each.index in cells]
    return next((cell_piece(each) for each in stated if states_result(each, restated)), None)


def states_result(match: CellMatch, restated: Restated) -> bool:
    """Whether a cell's headers or unit say that it is a share, a change, an average … as was asked for."""
    is_percent = _is_percent(match)
    is_change = CHANGE.search(match.label) is not None
    if restated.operation == "share":
        is_asked = not is_change or CHANGE.search(restated.question) is not None
        return is_percent and is_asked and (len(restated.operands) < 2 or _names_part(match, restated))
    if restated.operation == "change_percent":
        return is_percent and is_change
    if restated.operation == "difference":
        return is_change and (not is_percent or PERCENT.search(restated.question) is not None)
    says = _SAYS.get(restated.operation)
    return says is not None and says.search(match.label) is not None


def says_as_asked(label: str, restated: Restated) -> bool:
    """Whether a label has a word for the operation and the word behind it side by side, as asked.

    Examples: "mean age" of "the mean age"; "Maximum > Fare" of "the highest fare".
    """
    says = _SAYS.get(restated.operation)
    if says is None:
        return False
    asked, own = (
        {stem(second) for first, second in pairwise(words_of(text)) if says.search(first)}
        for text in (restated.question, label)
    )
    return bool(asked & own)


def says_part(label: str, restated: Restated) -> bool:
    """Whether a label says every word of a share's part, beyond those of the whole."""
    said = terms_of(label)
    return all(match_term(term, said) for term in _part_of(restated))


def _names_part(match: CellMatch, restated: Restated) -> bool:
    """Whether headers and title say any word of a share's part; a share of another part says none."""
    said = terms_of(f"{match.label} {match.table.title}")
    return any(match_term(term, said) for term in _part_of(restated))


def _part_of(restated: Restated) -> set[str]:
    first, last = restated.operands[0], restated.operands[-1]
    return set(first.terms) - set(last.terms) or set(first.terms) - restated.names


def _is_percent(match: CellMatch) -> bool:
    return says_percent(match.cell, f"{match.label} {match.table.title}")


def described_cell(restated: Restated, cells: Sequence[CellMatch]) -> Piece | None:
    """The cell that is surely meant where nothing can be computed: the operation's words only described it.

    Examples: "the most common offence", "what percentage … rose by". cells: as for stated_result.
    """
    for match in cells:
        is_of_kind = restated.expects != "percent" or _is_percent(match)
        is_of_part = restated.operation != "share" or len(restated.operands) < 2 or _names_part(match, restated)
        if is_of_kind and is_of_part and match.is_believed(SURE_PROBABILITY):
            return cell_piece(match)
    return None
