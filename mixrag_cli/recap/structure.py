"""What structure answers: cells through their header paths, formulas over them, tallies over rows.

    a condition on periods     the periods whose values pass it
    a calculation              a formula over one cell an operand, or a tally over a column
    a lookup                   one cell a period asked for, or a tally over the one record that is meant
    any of them                the cells that may say it as it is asked

Pieces are candidates: how likely each is right is not said here (grading.py).
Source: MixRAG, section 4.3 (extraction and the external calculator).
"""

from __future__ import annotations

import re

from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_rows.columns import match_column
from mixrag_cli.recap.in_rows.tally_pairs import match_tally_pair
from mixrag_cli.recap.in_tables.cells import form_of, match_cells
from mixrag_cli.recap.in_tables.operands import (
    MIN_BELIEVED,
    MIN_OPERAND_COVERAGE,
    from_condition,
    from_each,
    from_operands,
)
from mixrag_cli.recap.pieces import Piece, cell_piece, column_piece, pair_piece
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import AVERAGE, CHANGE, LEAST, MOST, RATIO, TOTAL
from mixrag_cli.words import words_of

N_CELLS = 4  # that may be the one that is meant
MIN_TALLY_COVERAGE = 0.45  # of the question's weight: what is counted is seldom said by any header
# What the headers of a cell say that states what was calculated, too.
_RESULT = {
    "difference": CHANGE, "change_percent": CHANGE, "average": AVERAGE, "sum": TOTAL, "ratio": RATIO, "maximum": MOST,
    "minimum": LEAST,
}  # fmt: skip
_LIMIT = re.compile(r"\bthan (\d+)\b")


def structural_pieces(restated: Restated, base: EvidenceBase) -> list[Piece]:
    """What tables and rows may answer: formulas, tallies, cells that are surely meant, and what is left."""
    calculated = _calculated(restated, base)
    cells = _cells(restated, base)
    states = _RESULT.get(restated.operation)
    if calculated and states is not None:
        cells = [piece for piece in cells if states.search(piece.evidence[0].label)]
    return sorted((*calculated, *cells), key=_order)


def _order(piece: Piece) -> int:
    if piece.kind != "cell":
        return 0 if piece.kind == "computed" else 1
    is_sure = piece.coverage >= MIN_OPERAND_COVERAGE and (piece.probability or 0.0) >= MIN_BELIEVED
    return 2 if is_sure else 3


def _cells(restated: Restated, base: EvidenceBase) -> list[Piece]:
    """The cells that the whole question may mean.

    One of one period answers no question for several, nor one of a row a question for all rows within a limit, unless
    its headers say that limit ("65 and older").
    """
    if restated.condition is not None or (restated.operation == "lookup" and len(restated.operands) > 1):
        return []
    found = match_cells(restated.whole, base, restated.names, form_of(restated), N_CELLS)
    limits = _LIMIT.findall(restated.question)
    return [cell_piece(match) for match in found if set(limits) <= set(words_of(match.label))]


def _calculated(restated: Restated, base: EvidenceBase) -> list[Piece]:
    if restated.condition is not None:
        found = [from_condition(restated.condition, restated, base)]
    elif len(restated.operands) < 2:
        found = [_from_column(restated, base), _from_pair(restated, base)]
    elif restated.operation == "lookup":
        found = [from_each(restated, base)]
    else:
        found = [_from_pair(restated, base), from_operands(restated, base), _from_column(restated, base)]
    return [piece for piece in found if piece is not None]


def _from_column(restated: Restated, base: EvidenceBase) -> Piece | None:
    match = match_column(restated, base)
    return column_piece(restated, match) if match is not None and match.coverage >= MIN_TALLY_COVERAGE else None


def _from_pair(restated: Restated, base: EvidenceBase) -> Piece | None:
    pair = match_tally_pair(restated, base)
    return pair_piece(restated, pair) if pair is not None and pair.coverage >= MIN_OPERAND_COVERAGE else None
