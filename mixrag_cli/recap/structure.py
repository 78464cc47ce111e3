"""What structure answers: cells through their header paths, formulas over them, tallies over rows.

    a condition on periods     the periods whose values pass it
    a lookup                   the cells that are meant, one a period asked for
    an operation               a formula over one cell an operand, or a tally over a column

A question is read in every way that is likely enough, and always as a lookup, since a cell may state what would have to
be computed. Pieces are candidates: how likely each is right is not said here (grading.py).
Source: MixRAG, section 4.3 (extraction and the external calculator).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_rows.columns import match_column
from mixrag_cli.recap.in_rows.tally_pairs import match_tally_pair
from mixrag_cli.recap.in_tables.conditions import along_periods, passes
from mixrag_cli.recap.in_tables.fitting import fitting_cells
from mixrag_cli.recap.in_tables.operands import (
    MIN_OPERAND_COVERAGE,
    choose_together,
    from_operands,
    is_accepted,
    operand_cells,
)
from mixrag_cli.recap.pieces import (
    Piece,
    cell_evidence,
    cell_piece,
    cell_source,
    label_of,
    pair_piece,
    period_text,
    tally_pieces,
)
from mixrag_cli.recap.restate import Condition, Restated, ways_to_read

NOT_FOUND = "not found"
MIN_TALLY_COVERAGE = 0.3  # of the question's weight, that a tally's headers and conditions say; less is of no use
N_CELLS = 4  # of a lookup, that may be the one that is meant


def structural_pieces(restated: Restated, base: EvidenceBase) -> list[Piece]:
    """What tables and rows may answer, by the likeliest reading first; what two readings come to counts once."""
    found: dict[tuple[str, str], Piece] = {}
    for read in ways_to_read(restated):
        for piece in filter(None, _pieces(read, base)):
            found.setdefault((piece.text, piece.evidence[0].label), replace(piece, operation=read.operation))
    return list(found.values())


def _pieces(read: Restated, base: EvidenceBase) -> Iterator[Piece | None]:
    if read.condition is not None:
        yield _from_condition(read.condition, read, base)
    elif read.operation != "lookup":
        yield _from_pair(read, base)
        yield from [from_operands(read, base)] if len(read.operands) > 1 else _from_column(read, base)
    elif len(read.operands) > 1:  # one number for several periods would be right for one of them at most
        yield _from_each(read, base)
    else:
        yield from (cell_piece(match) for match in fitting_cells(read.whole, read, base, read.expects, N_CELLS))
        yield from _from_column(read, base)


def _from_each(restated: Restated, base: EvidenceBase) -> Piece | None:
    """One cell for each period asked for, of like kind, as a list that names the periods without any."""
    choices = [operand_cells(operand, restated, base) for operand in restated.operands]
    found = [options for options in choices if options]
    if not found:
        return None
    chosen = choose_together(found)
    if len({(match.table.id, match.cell.row, match.cell.column) for match in chosen}) < len(chosen):
        return None
    pieces = [cell_piece(match) for match in chosen]
    texts = iter(pieces)
    said = (next(texts).text if options else NOT_FOUND for options in choices)
    whens = (period_text(operand) for operand in restated.operands)
    return Piece(
        "; ".join(f"{when}: {text}" for when, text in zip(whens, said, strict=True)),
        min(piece.score for piece in pieces),
        min(piece.coverage for piece in pieces),
        tuple(cell_evidence(f"e{n}", n, match) for n, match in enumerate(chosen, start=1)),
        tuple(cell_source(n, match) for n, match in enumerate(chosen, start=1)),
        unit=pieces[0].unit if len({piece.unit for piece in pieces}) == 1 else "",
    )


def _from_condition(condition: Condition, restated: Restated, base: EvidenceBase) -> Piece | None:
    """The periods whose values pass the limit: their number, or their labels."""
    matches = fitting_cells(condition.operand, restated, base, "number", 1)
    if not matches or not is_accepted(matches[0].coverage, matches[0].time, MIN_OPERAND_COVERAGE):
        return None
    passing = [match for match in along_periods(matches[0], condition.years) if passes(match.cell, condition)]
    if not passing:
        return None
    evidence = tuple(cell_evidence(f"e{n}", n, match) for n, match in enumerate(passing, start=1))
    sources = tuple(cell_source(n, match) for n, match in enumerate(passing, start=1))
    score, coverage = matches[0].score, matches[0].coverage
    if restated.expects == "label":
        labels = [label_of(match.column, match.table.columns, restated) for match in passing]
        return Piece("; ".join(labels), score, coverage, evidence, sources)
    formula = f"count({', '.join(piece.id for piece in evidence)})"
    return Piece(str(len(passing)), score, coverage, evidence, sources, Decimal(len(passing)), "", formula)


def _from_column(restated: Restated, base: EvidenceBase) -> list[Piece]:
    match = match_column(restated, base)
    return tally_pieces(restated, match) if match is not None and match.coverage >= MIN_TALLY_COVERAGE else []


def _from_pair(restated: Restated, base: EvidenceBase) -> Piece | None:
    pair = match_tally_pair(restated, base)
    return pair_piece(restated, pair) if pair is not None and pair.coverage >= MIN_TALLY_COVERAGE else None
