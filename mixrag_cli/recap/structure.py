"""What structure answers: cells through their header paths, formulas over them, tallies over rows.

    a condition on periods     the periods whose values pass it
    an operation               a formula over one cell an operand, a tally over a column, or a cell that states it
    a lookup                   the cells that are meant, one a period asked for; the labels that headers list

Pieces are candidates: how likely each is right is not said here (grading.py).
Source: MixRAG, section 4.3 (extraction and the external calculator).
"""

from __future__ import annotations

from decimal import Decimal

from mixrag_cli.recap.evidence import EvidenceBase, is_supported
from mixrag_cli.recap.in_rows.columns import match_column
from mixrag_cli.recap.in_rows.tally_pairs import match_tally_pair
from mixrag_cli.recap.in_tables.acceptance import MIN_PROBABILITY, SURE_PROBABILITY
from mixrag_cli.recap.in_tables.cells import CellMatch
from mixrag_cli.recap.in_tables.conditions import along_periods, passes
from mixrag_cli.recap.in_tables.fitting import fitting_cells
from mixrag_cli.recap.in_tables.header_lists import match_header_list
from mixrag_cli.recap.in_tables.operands import (
    MIN_OPERAND_COVERAGE,
    choose_together,
    from_operands,
    is_accepted,
    operand_cells,
)
from mixrag_cli.recap.in_tables.results import described_cell, says_as_asked, says_part, stated_result
from mixrag_cli.recap.in_tables.rivals import is_outsaid
from mixrag_cli.recap.pieces import (
    Piece,
    cell_evidence,
    cell_piece,
    cell_source,
    column_piece,
    header_list_piece,
    label_of,
    list_piece,
    pair_piece,
    period_text,
)
from mixrag_cli.recap.restate import Condition, Restated
from mixrag_cli.recap.splitting import split_texts

# In parts of the question's weight that the evidence says; set on the development collection.
SURE_COVERAGE = 0.9  # a tally that says this much goes before single cells
SAYS_MORE = 0.1  # of the question's weight: a word that the cell before leaves unsaid
NOT_FOUND = "not found"
N_CELLS = 4  # of a lookup, that may be the one that is meant


def structural_pieces(restated: Restated, base: EvidenceBase) -> list[Piece]:
    """What tables and rows may answer, what answers the whole question first."""
    return [piece for piece in _pieces(restated, base) if piece is not None]


def _pieces(restated: Restated, base: EvidenceBase) -> list[Piece | None]:
    if restated.condition is not None:
        return [_from_condition(restated.condition, restated, base)]
    if restated.operation == "lookup":
        return _tallied_or(_lookups(restated, base), restated, base)
    if split_texts(restated.question, restated.operation):  # one cell is hardly of several things
        return [_computed(restated, base)]
    names_label = restated.expects == "label"
    cells = [] if names_label else fitting_cells(restated.whole, restated, base, restated.expects)
    stated, computed = stated_result(restated, cells), _computed(restated, base)
    if computed is None:
        return [stated or described_cell(restated, cells)]
    is_stated = stated is not None and _is_surer(stated, computed, restated)
    return [stated, computed] if is_stated else [computed, stated]


def _lookups(restated: Restated, base: EvidenceBase) -> list[Piece | None]:
    if len(restated.operands) > 1:  # one number for several periods would be right for one of them at most
        return [_from_each(restated, base)]
    if (listed := match_header_list(restated.question, base)) is not None:
        return [header_list_piece(listed)]
    return [*_from_cells(restated, base)]


def _from_cells(restated: Restated, base: EvidenceBase) -> list[Piece]:
    """The cells that the question may mean, the one of the best table first unless another says more."""
    found = fitting_cells(restated.whole, restated, base, restated.expects)
    believed = [match for match in found if match.is_believed(MIN_PROBABILITY) and not is_outsaid(match, found)]
    first = next((match for match in believed[1:] if _says_more(match, believed[0])), None)
    order = {match.place: match for match in (*([first] if first else []), *believed, *found)}
    return [cell_piece(match) for match in order.values()][:N_CELLS]


def _says_more(match: CellMatch, first: CellMatch) -> bool:
    """Whether a cell of another table is as surely meant, and says a word of the question more."""
    return match.is_believed(SURE_PROBABILITY) and match.coverage >= first.coverage + SAYS_MORE


def _is_surer(stated: Piece, computed: Piece, restated: Restated) -> bool:
    """Whether a result that a cell states goes before one computed: one that is likely and says what is asked does."""
    label, is_likely = stated.evidence[0].label, (stated.probability or 0.0) >= SURE_PROBABILITY
    is_said = says_part(label, restated) if restated.operation == "share" else says_as_asked(label, restated)
    return (is_likely and is_said) or stated.coverage > computed.coverage


def _computed(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The operation over what the evidence quotes."""
    if (of_pair := _from_pair(restated, base)) is not None:
        return of_pair
    if len(restated.operands) >= 2:
        return _sum_of_records(restated, base) or from_operands(restated, base)
    if restated.kind == "aggregate":
        return _from_column(restated, base)
    return None


def _tallied_or(found: list[Piece | None], restated: Restated, base: EvidenceBase) -> list[Piece | None]:
    """A tally over records before what a lookup found; one row of those that it adds up is no answer beside it."""
    tallied = _from_column(restated, base)
    if tallied is None:
        return found
    is_sum = tallied.formula.startswith("sum(")
    rest = [piece for piece in found if piece is not None and not (is_sum and _is_one_of(piece, tallied))]
    return [tallied, *rest] if tallied.coverage >= SURE_COVERAGE else [*rest, tallied]


def _is_one_of(piece: Piece, tallied: Piece) -> bool:
    """Whether a looked-up cell is one of those that a sum adds up, so that it is no answer beside the sum."""
    one, whole = piece.evidence[0], tallied.evidence[0]
    is_same_file = piece.sources[0].hit.chunk.document == tallied.sources[0].hit.chunk.document
    return is_same_file and not piece.formula and one.label.rpartition(" | ")[2] == whole.label.partition(" (")[0]


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
    matches = fitting_cells(condition.operand, restated, base, "number", limit=1)
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


def _from_column(restated: Restated, base: EvidenceBase) -> Piece | None:
    match = match_column(restated, base)
    if match is None or not is_supported(match.coverage, match.hit.scores.get("meaning", 0.0), MIN_OPERAND_COVERAGE):
        return None
    return list_piece(restated, match) if len(match.best) > 1 or match.groups else column_piece(restated, match)


def _sum_of_records(restated: Restated, base: EvidenceBase) -> Piece | None:
    """The sum over the records of several names, which no cell of one record of each is."""
    if restated.operation != "sum" or len(restated.whole.facets.years) > 1:
        return None
    match = match_column(restated, base)
    return column_piece(restated, match) if match and match.filters and match.coverage >= SURE_COVERAGE else None


def _from_pair(restated: Restated, base: EvidenceBase) -> Piece | None:
    pair = match_tally_pair(restated, base)
    return pair_piece(restated, pair) if pair is not None and pair.coverage >= MIN_OPERAND_COVERAGE else None
