"""What structure answers: cells through their header paths, formulas over them, tallies over rows.

    a calculation              a formula over one cell an operand, or a tally over a column, or the two likeliest cells
    a lookup of periods        a cell for each of them, in one row or column
    a lookup                   a tally over the one record that is meant
    any of them                the cells that may say it as it is asked

How likely each is right is not said here (grading.py).
Source: MixRAG, section 4.3 (extraction and the external calculator).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import product

from mixrag_cli.quantities.facets import facets_of, years_between
from mixrag_cli.quantities.shown import number_text, rounded, unit_text
from mixrag_cli.reading import log_odds
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.compute import compute
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_rows.tallies import ColumnMatch, match_columns
from mixrag_cli.recap.in_tables.cells import NO_ROWS, CellMatch, NamedRows, form_of, match_cells
from mixrag_cli.recap.restate import Calculation, Operation, Restated
from mixrag_cli.recap.signs import Draft
from mixrag_cli.recap.wording import MAX_PERCENT, MULTIPLE, PERCENT_UNITS
from mixrag_cli.records.answers import LIST_SIGN, Evidence, Source
from mixrag_cli.records.places import Locator
from mixrag_cli.tables.places import locate_cells, locate_column
from mixrag_cli.tables.record_columns import name_of
from mixrag_cli.tables.text import ARROW, shown_cell
from mixrag_cli.words import stems_in, stems_of, terms_of

NOT_OF_TWO: tuple[Operation, ...] = ("count", "maximum", "minimum")  # operations over rows
N_CELLS = 8  # that may be the one that is meant, for the reader and the grading to choose from
N_CHOICES, N_TRIED = 5, 1_000  # cells of an operand that are tried with those of the others; tries in all
# In parts of the operand's weight that a cell and what is around it say; set on the development collection.
MIN_OPERAND_COVERAGE = 0.62
MIN_BELIEVED = 0.3  # probability of a cell that stands in a formula though it says less
SAME_TABLE = 0.2  # in parts of a coverage: of two operands of one formula that are of one table,
SAME_HEADER = 0.25  # in rows of one name (another period) or columns of one name (another item)


def structural_drafts(restated: Restated, base: EvidenceBase, rows: NamedRows = NO_ROWS) -> Iterator[Draft]:
    """What tables and rows may answer: formulas, tallies, and cells, those of the rows that are read among them."""

    @cache  # calculations share operands
    def cells_of(operand: Operand) -> list[CellMatch]:
        return operand_cells(operand, restated, base)

    parted = [each for each in restated.calculations if len(each.operands) > 1]
    worded = {each: _from_operands(each, restated, cells_of) for each in parted}
    yield from (draft for draft in worded.values() if draft is not None)
    yield from (_column_draft(restated, match) for match in match_columns(restated, base))
    cells = match_cells(restated.whole, base, restated.names, form_of(restated), N_CELLS, rows)
    unworded = (each for each in restated.calculations if worded.get(each) is None)
    joined = (_from_likeliest(each, restated, cells) for each in unworded)
    yield from (draft for draft in joined if draft is not None)
    yield from map(_cell_draft, cells)


def _from_operands(
    calculation: Calculation, restated: Restated, cells_of: Callable[[Operand], list[CellMatch]]
) -> Draft | None:
    """The formula over one cell for each operand, or those cells, chosen so that like is compared with like."""
    choices = [cells_of(operand) for operand in calculation.operands]
    if calculation.operation == "share":  # in "what share of all thefts were of bicycles" the part is of both at once
        choices[0] = [*choices[0], *cells_of(restated.whole)]
        choices = [[match for match in options if match.cell.unit not in PERCENT_UNITS] for options in choices]
    drafts = (_joined(calculation, restated, matches) for matches in _chosen_together(choices))
    return next((draft for draft in drafts if draft is not None), None)


def _from_likeliest(calculation: Calculation, restated: Restated, cells: Sequence[CellMatch]) -> Draft | None:
    """The formula over the two cells of one row or column that are likeliest meant, where no words name its operands;
    or these cells, where the question names them with "and" between.

    Each of the two says something of the question that the other does not: "of inventory reserves to compensation".
    """
    is_of_years = calculation.operation in ("average", "sum") and years_between(restated.question)
    if calculation.operation in NOT_OF_TWO or is_of_years:
        return None  # a mean "from 2021 to 2025" is of no two years
    asked, is_list = stems_in(restated.question), calculation.operation == "lookup"
    choices = [match for match in cells if match.is_in_time]
    pairs = (pair for pair in _chosen_together([choices, choices]) if _are_in_line(*pair))
    named = (pair for one in pairs if (pair := _in_order(one, asked, is_list)))
    drafts = (_joined(calculation, restated, pair) for pair in named)
    return next((draft for draft in drafts if draft is not None), None)


def _are_in_line(one: CellMatch, other: CellMatch) -> bool:
    return one.table.id == other.table.id and (one.cell.row == other.cell.row or one.cell.column == other.cell.column)


def _in_order(pair: Sequence[CellMatch], asked: Sequence[str], is_list: bool) -> list[CellMatch]:
    """The earlier before the later, else, and of a list, in the order in which the question names them; [] where it
    names not both, or not as a list, or where a list says one thing twice."""

    def place(match: CellMatch, other: CellMatch) -> tuple[int, int]:
        own = set(terms_of(match.label)) - set(terms_of(other.label))
        years = set() if is_list else facets_of(match.label).years - facets_of(other.label).years
        return min(years, default=0), next((n for n, term in enumerate(asked) if term in own), len(asked))

    places = [place(*pair), place(*pair[::-1])]
    first, last = sorted(at for _, at in places)
    if last == len(asked) or (is_list and ("and" not in asked[first:last] or pair[0].cell.text == pair[1].cell.text)):
        return []
    return [match for _, match in sorted(zip(places, pair, strict=True), key=lambda one: one[0])]


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
    """One of each operand's cells, none twice, in every way: those first that score best with what they have in
    common."""

    def worth(chosen: Sequence[CellMatch]) -> float:
        return sum(match.score for match in chosen) + sum(_likeness(chosen[0], match) for match in chosen[1:])

    tried = [options[: int(N_TRIED ** (1 / len(choices)))] for options in choices]
    chosen = (one for one in product(*tried) if len({match.place for match in one}) == len(one))
    return sorted(chosen, key=worth, reverse=True)


def _likeness(one: CellMatch, other: CellMatch) -> float:
    """What two cells of one formula have in common, in parts of a coverage."""
    return SAME_TABLE * (one.table.id == other.table.id) + SAME_HEADER * _is_of_one_header(one, other)


def _is_of_one_header(one: CellMatch, other: CellMatch) -> bool:
    return one.row.path[-1:] == other.row.path[-1:] or one.column.path == other.column.path


# --- cells ------------------------------------------------------------------------------------------------------------


def _cell_draft(match: CellMatch) -> Draft:
    """One cell, as it stands there."""
    cell = match.cell
    return replace(_cells_draft(shown_cell(cell), [match]), value=cell.value, unit=unit_text(cell.unit, cell.scale))


def _cells_draft(text: str, matches: Sequence[CellMatch]) -> Draft:
    evidence, sources = [], []
    for n, match in enumerate(matches, start=1):
        cell, where = match.cell, locate_cells(match.table.locator, [match.cell])
        evidence.append(Evidence(f"e{n}", n, cell.text, match.label, cell.value, cell.unit, cell.scale, where))
        sources.append(Source(n, match.hit, where, f"{match.label}: {cell.text}"))
    coverage, probability = min(match.coverage for match in matches), min(match.probability for match in matches)
    signs = {"coverage": coverage, "cell": log_odds(probability)}
    return Draft("cell", text, sources[0], signs, evidence=tuple(evidence), sources=tuple(sources))


def _listed_draft(matches: Sequence[CellMatch]) -> Draft | None:
    """The cells side by side, as they stand there; None where one is another thing than the first."""
    first, *others = matches
    if not all(first.table.id == other.table.id and _is_of_one_header(first, other) for other in others):
        return None
    unit = unit_text(first.cell.unit, first.cell.scale)
    return replace(_cells_draft(LIST_SIGN.join(shown_cell(match.cell) for match in matches), matches), unit=unit)


def _joined(calculation: Calculation, restated: Restated, matches: Sequence[CellMatch]) -> Draft | None:
    """The formula over the cells; of a lookup the cells themselves."""
    is_list = calculation.operation == "lookup"
    return _listed_draft(matches) if is_list else _formula_draft(calculation, restated, matches)


def _formula_draft(calculation: Calculation, restated: Restated, matches: Sequence[CellMatch]) -> Draft | None:
    """The operation's value over cells; None where units forbid it, or a part is more than its whole."""
    if calculation.operation == "ratio" and MULTIPLE.search(restated.question):  # of the less no one asks so
        matches = sorted(matches, key=lambda match: -abs((match.cell.value or Decimal(0)) * match.cell.scale))
    known = _cells_draft("", matches)
    computed = compute(calculation.operation, known.evidence)
    if computed is None or (calculation.operation == "share" and abs(computed.value) > MAX_PERCENT):
        return None
    is_turned = calculation.operation == "difference" and restated.asks_distance and computed.value < 0
    value = rounded(abs(computed.value) if is_turned else computed.value, computed.unit)
    return replace(
        known,
        kind="computed",
        text=number_text(value, computed.unit, computed.scale),
        value=value,
        unit=unit_text(computed.unit, computed.scale),
        formula=f"abs({computed.formula})" if is_turned else computed.formula,
        operation=calculation.operation,
    )


# --- columns and rows -------------------------------------------------------------------------------------------------


def _column_draft(restated: Restated, match: ColumnMatch) -> Draft:
    """The value over a column's rows, or what the rows are called: that of an extreme, or those that are left."""
    unit, scale = _unit_of(match)
    value = match.value if match.best else rounded(match.value, unit)  # an extreme stands in a cell, and is quoted
    asked = stems_of(restated.question)
    rows = (match.best[0],) if match.best is not None and restated.expects == "label" else match.listed
    named = match.named or LIST_SIGN.join(name_of(row, match.table, asked, match.column) for row in rows)
    place, cells = match.table.locator, match.cells
    where = locate_cells(place, [match.best[1]]) if match.best else locate_column(place, cells)
    evidence = _column_evidence(match, value, where)
    source = Source(1, match.hit, where, f"{match.table.title}: {evidence.label}".strip(": "))
    return Draft(
        "column",
        named or number_text(value, unit, scale),
        source,
        {"coverage": match.coverage, "cell": 0.0},
        None if named else value,
        "" if named else unit_text(unit, scale),
        evidence=(evidence,),
        sources=(source,),
        formula="" if match.best or named else f"{match.operation}(e1)",
        operation=restated.operation,
    )


def _column_evidence(match: ColumnMatch, value: Decimal, where: Locator) -> Evidence:
    """What the value rests on: the column's heading as it stands there, the number of rows, the conditions on them."""
    if match.best is None:
        return Evidence("e1", 1, match.column.leaf, match.basis, locator=where)
    header, cell = match.best
    return Evidence("e1", 1, cell.text, f"{ARROW.join(header.path)} | {match.basis}", value, locator=where)


def _unit_of(match: ColumnMatch) -> tuple[str, int]:
    """The unit and scale of the column's first figure; a count has none."""
    if match.operation == "count":
        return "", 1
    of_column = (cell for cell in match.table.cells if cell.column == match.column.index and cell.value is not None)
    cell = match.best[1] if match.best else next(iter(match.cells), None) or next(of_column, None)
    return (cell.unit, cell.scale) if cell else ("", 1)
