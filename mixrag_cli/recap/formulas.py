"""Formulas over cells: one cell a time that the question names, or two that may both be meant.

Two cells of one row, or of one column, stand alike: the same figure of two times, two figures of one time, a part and
its whole. No wording tells which are meant; the network that reads cells and what their headers say together do.
Source: MixRAG, section 4.3 (extraction and the external calculator).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, islice, product

from mixrag_cli.quantities.facets import facets_of
from mixrag_cli.quantities.shown import number_text, rounded, unit_text
from mixrag_cli.reading import log_odds
from mixrag_cli.recap.asked_operands import Operand, operands_of
from mixrag_cli.recap.compute import compute
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_tables.cells import PAIR_STEP, CellMatch, match_cells
from mixrag_cli.recap.restate import ARITHMETIC, EXTREMES, Operation, Restated
from mixrag_cli.recap.signs import Draft
from mixrag_cli.recap.wording import MAX_PERCENT, PERCENT_UNITS
from mixrag_cli.records.answers import Evidence, Source
from mixrag_cli.tables.places import locate_cells
from mixrag_cli.words import match_term, stems_in, stems_of

N_CHOICES = 5  # cells of an operand that are tried with those of the others
N_ALIKE = 16  # cells of which two may be meant together
N_FORMULAS = 3  # of one calculation, for the reader and the grading to choose from
# In parts of the operand's weight that a cell and what is around it say; set on the development collection.
MIN_OPERAND_COVERAGE = 0.62
MIN_BELIEVED = 0.3  # probability of a cell that stands in a formula though it says less
SAME_CELL = -1.0  # in parts of a coverage: of two operands of one formula that are one cell,
SAME_TABLE = 0.2  # of one table,
SAME_HEADER = 0.25  # in rows of one name (another period) or columns of one name (another item)


def formula_drafts(restated: Restated, base: EvidenceBase) -> Iterator[Draft]:
    """For each calculation that may be asked for the likeliest formulas: over one cell a time, and over two alike."""
    asked = [one for one in restated.operations if one not in (*EXTREMES, "count")]
    pairs = cells_together(restated, base) if set(asked) & set(ARITHMETIC) else []
    for operation in asked:
        operands = operands_of(restated.question, operation)
        choices = [operand_cells(one, restated, base) for one in operands] if len(operands) > 1 else []
        chosen = _chosen_together(choices) if choices else []
        if operation in ARITHMETIC:
            chosen = _each_once([*chosen[:1], *pairs])
        drafts = (_formula_draft(restated, operation, matches, base) for matches in chosen)
        yield from islice((draft for draft in drafts if draft is not None), N_FORMULAS)


def _each_once(chosen: Sequence[tuple[CellMatch, ...]]) -> list[tuple[CellMatch, ...]]:
    return list({frozenset(match.place for match in one): one for one in reversed(chosen)}.values())[::-1]


def cells_together(restated: Restated, base: EvidenceBase) -> list[tuple[CellMatch, CellMatch]]:
    """Two cells that may both be meant, those first that together say most of the question and stand alike."""
    found = match_cells(restated.whole, base, restated.names, "number", N_ALIKE, n_a_table=N_ALIKE)
    pairs = list(combinations(found, 2))
    return sorted(pairs, key=lambda pair: -(_said_by(pair, restated.whole, base) + _likeness(*pair) + _odds(pair)))


def _odds(matches: Sequence[CellMatch]) -> float:
    return PAIR_STEP * sum(log_odds(match.probability) for match in matches)


def _said_by(matches: Sequence[CellMatch], operand: Operand, base: EvidenceBase) -> float:
    """The part of an operand's weight, its years with it, that headers of the cells say, in [0, 1]."""
    text = " ".join(part for match in matches for part in (*match.row.path, *match.column.path, match.table.title))
    years = [str(year) for year in operand.facets.years]
    said = [match_term(term, stems_of(text)) for term in operand.terms]
    return base.part_said([*operand.terms, *years], [*said, *(float(year in text) for year in years)])


def operand_cells(operand: Operand, restated: Restated, base: EvidenceBase) -> list[CellMatch]:
    """The cells of the operand's time that say enough of it, or are likely what it means; the likeliest first."""
    names = restated.names & set(operand.terms)
    found = match_cells(operand, base, names, "number", N_CHOICES)
    return [
        match
        for match in found
        if match.is_in_time and (match.coverage >= MIN_OPERAND_COVERAGE or match.probability >= MIN_BELIEVED)
    ]


def _chosen_together(choices: Sequence[Sequence[CellMatch]]) -> list[tuple[CellMatch, ...]]:
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


def cells_draft(text: str, matches: Sequence[CellMatch]) -> Draft:
    """What rests on cells, each with its place. text: what is said of them."""
    evidence, sources = [], []
    for n, match in enumerate(matches, start=1):
        cell, where = match.cell, locate_cells(match.table.locator, [match.cell])
        evidence.append(Evidence(f"e{n}", n, cell.text, match.label, cell.value, cell.unit, cell.scale, where))
        sources.append(Source(n, match.hit, where, f"{match.label}: {cell.text}"))
    coverage, probability = min(match.coverage for match in matches), min(match.probability for match in matches)
    signs = {"coverage": coverage, "cell": log_odds(probability)}
    return Draft("cell", text, sources[0], signs, evidence=tuple(evidence), sources=tuple(sources))


def _formula_draft(
    restated: Restated, operation: Operation, matches: Sequence[CellMatch], base: EvidenceBase
) -> Draft | None:
    """The operation's value over cells; None where units forbid it, or a part is more than its whole."""
    matches, is_over_time = _in_order(restated, operation, matches)
    known = cells_draft("", matches)
    computed = compute(operation, known.evidence)
    is_of_percents = any(match.cell.unit in PERCENT_UNITS for match in matches)
    if computed is None or (operation == "share" and (abs(computed.value) > MAX_PERCENT or is_of_percents)):
        return None
    is_turned = operation == "difference" and computed.value < 0 and (restated.asks_distance or not is_over_time)
    value = rounded(abs(computed.value) if is_turned else computed.value, computed.unit)
    return replace(
        known,
        kind="computed",
        operation=operation,
        text=number_text(value, computed.unit, computed.scale),
        signs={**known.signs, "coverage": _said_by(matches, restated.whole, base)},
        value=value,
        unit=unit_text(computed.unit, computed.scale),
        formula=f"abs({computed.formula})" if is_turned else computed.formula,
    )


def _in_order(
    restated: Restated, operation: Operation, matches: Sequence[CellMatch]
) -> tuple[Sequence[CellMatch], bool]:
    """The cells as a formula takes them, and whether they are of different times.

    The earlier first; a part before its whole; else in the order in which the question speaks of them.
    """
    if len(matches) != 2:
        return matches, True
    times = [_years_of(match) for match in matches]
    if times[0] and times[1] and times[0] != times[1]:
        ordered = sorted(matches, key=lambda match: _years_of(match))
        return ordered, True
    if operation == "share":
        return sorted(matches, key=_size_of), False
    asked = stems_in(restated.question)
    own = [{*stems_of(match.label)} for match in matches]
    places = [[n for n, word in enumerate(asked) if word in mine - own[1 - k]] for k, mine in enumerate(own)]
    is_turned = bool(places[0]) and bool(places[1]) and places[1][0] < places[0][0]
    return (matches[::-1] if is_turned else matches), False


def _size_of(match: CellMatch) -> Decimal:
    return abs(match.cell.value or Decimal(0)) * match.cell.scale


def _years_of(match: CellMatch) -> list[int]:
    return sorted(facets_of(match.label).years)
