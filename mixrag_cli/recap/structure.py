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
from itertools import chain, combinations, islice, product
from typing import TypeVar

from mixrag_cli.quantities.facets import day_number, facets_of, years_between
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

OF_TWO: tuple[Operation, ...] = ("difference", "change_percent", "ratio", "share")
OVER_ROWS: tuple[Operation, ...] = ("count", "maximum", "minimum")
N_CELLS = 8  # that may be the one that is meant, for the reader and the grading to choose from
N_TRIED = 1_000  # ways in which the operands' cells are put together
N_FORMULAS = 3  # of each calculation, over named operands and over others, to choose from
_Named = TypeVar("_Named")  # a cell or a fact, by what it is called
SAME_TABLE = 0.2  # in parts of a coverage: of two operands of one formula that are of one table,
SAME_HEADER = 0.25  # in rows of one name (another period) or columns of one name (another item)


def structural_drafts(restated: Restated, base: EvidenceBase, rows: NamedRows = NO_ROWS) -> Iterator[Draft]:
    """What tables and rows may answer: formulas, tallies, and cells, those of the rows that are read among them."""

    @cache  # calculations share operands
    def cells_of(operand: Operand) -> list[CellMatch]:
        found = match_cells(operand, base, restated.names & set(operand.terms), "number", N_CELLS)
        return [match for match in found if match.is_in_time]

    cells = match_cells(restated.whole, base, restated.names, form_of(restated), N_CELLS, rows)
    for each in restated.calculations:
        if each.operation == "lookup":  # a cell for each period that is named, else two with "and" between
            chosen = chain(_of_operands(each, restated, cells_of), _of_likeliest(each, restated, cells))
            yield from islice(filter(None, map(_listed_draft, chosen)), 1)
        elif each.operation not in OVER_ROWS:
            yield from _formulas(each, restated, cells_of)
    yield from (_column_draft(restated, match) for match in match_columns(restated, base))
    yield from map(_cell_draft, cells)


def _formulas(
    calculation: Calculation, restated: Restated, cells_of: Callable[[Operand], list[CellMatch]]
) -> Iterator[Draft]:
    """The operation over the cells of its operands as words name them, and over two that are likeliest meant by the
    whole question: the first few of each, no value twice."""
    said: set[str] = set()
    worded = _of_operands(calculation, restated, cells_of)
    likeliest = _of_likeliest(calculation, restated, cells_of(restated.whole))
    for is_worded, found in ((1.0, worded), (0.0, likeliest)):
        drafts = (_computed(calculation, restated, _cells_draft("", matches)) for matches in found)
        fresh = (draft for draft in drafts if draft is not None and draft.text not in said)
        for n, draft in enumerate(islice(fresh, N_FORMULAS)):
            said.add(draft.text)
            yield draft.with_signs({"worded": is_worded, "tried": float(n)})


def _of_operands(
    calculation: Calculation, restated: Restated, cells_of: Callable[[Operand], list[CellMatch]]
) -> list[tuple[CellMatch, ...]]:
    """One cell for each operand that words name, likeliest first, so that like is compared with like."""
    if len(calculation.operands) < 2:
        return []
    choices = [cells_of(operand) for operand in calculation.operands]
    if calculation.operation == "share":  # in "what share of all thefts were of bicycles" the part is of both at once
        choices[0] = [*choices[0], *cells_of(restated.whole)]
        choices = [[match for match in options if match.cell.unit not in PERCENT_UNITS] for options in choices]
    return _chosen_together(choices)


def _of_likeliest(
    calculation: Calculation, restated: Restated, cells: Sequence[CellMatch]
) -> list[Sequence[CellMatch]]:
    """Two cells of one row or column: first those that each say something of the question that the other does not, as
    in "of inventory reserves to compensation". A list, sum or mean is of two that are named with "and" between, and of
    no third; a change in percent over a time is of none that are not named."""
    operation, asked = calculation.operation, stems_in(restated.question)
    if operation in ("average", "sum") and years_between(restated.question):
        return []  # a mean "from 2021 to 2025" is of no two years
    choices = [match for match in cells if match.is_in_time]
    pairs = [pair for pair in _chosen_together([choices, choices]) if _are_in_line(*pair)]
    named = [two for pair in pairs if (two := _in_order(pair, _titled, asked, operation not in OF_TWO))]
    if operation not in OF_TWO:
        return [
            pair for pair in named if pair[0].cell.text != pair[1].cell.text and not _is_third(pair, choices, asked)
        ]
    return [*named, *(pairs if operation != "change_percent" or not restated.whole.facets else ())]


def _titled(match: CellMatch) -> str:
    return f"{match.table.title} {match.label}"


def _is_third(pair: Sequence[CellMatch], cells: Sequence[CellMatch], asked: Sequence[str]) -> bool:
    """Whether the question names another cell of their row or column beside both."""
    others = (one for one in cells if one not in pair and all(_are_in_line(one, each) for each in pair))
    return any(all(_in_order((one, each), _titled, asked) for each in pair) for one in others)


def _are_in_line(one: CellMatch, other: CellMatch) -> bool:
    """Whether both are of one row or column, or of the same ones of two tables."""
    if one.table.id != other.table.id:
        return one.label == other.label
    return one.cell.row == other.cell.row or one.cell.column == other.cell.column


def _in_order(
    pair: Sequence[_Named], called: Callable[[_Named], str], asked: Sequence[str], is_joined: bool = False
) -> list[_Named]:
    """Of two things the earlier before the later, else, and of joined ones, as the question names them; [] where it
    does not name both, or, of joined ones, without "and" between. called: the words of each."""

    def place(label: str, other: str) -> tuple[int, int]:
        own = set(terms_of(label)) - set(terms_of(other))
        years = set() if is_joined else facets_of(label).years - facets_of(other).years
        return min(years, default=0), next((n for n, term in enumerate(asked) if term in own), len(asked))

    labels = list(map(called, pair))
    places = [place(*labels), place(*labels[::-1])]
    first, last = sorted(at for _, at in places)
    if last == len(asked) or (is_joined and "and" not in asked[first:last]):
        return []
    return [pair[n] for n in sorted((0, 1), key=lambda n: places[n])]


def fact_formulas(restated: Restated, facts: Sequence[Draft]) -> Iterator[Draft]:
    """The operation over two of the facts that say most, each something of the question that the other does not."""
    calculations = [each for each in restated.calculations if each.operation in OF_TWO]
    pairs = combinations(facts[:N_CELLS], 2) if calculations else ()
    asked = stems_in(restated.question)
    named = [two for pair in pairs if (two := _in_order(pair, lambda one: one.evidence[0].label, asked))]
    for each in calculations:
        drafts = (_computed(each, restated, _together(two)) for two in named)
        yield from islice(filter(None, drafts), N_FORMULAS)


def _together(facts: Sequence[Draft]) -> Draft:
    evidence = (replace(one.evidence[0], id=f"e{n}", source=n) for n, one in enumerate(facts, start=1))
    sources = tuple(replace(one.source, ref=n) for n, one in enumerate(facts, start=1))
    signs = {"coverage": min(one.signs["coverage"] for one in facts)}
    return Draft("fact", "", sources[0], signs, evidence=tuple(evidence), sources=sources)


def _chosen_together(choices: Sequence[Sequence[CellMatch]]) -> list[tuple[CellMatch, ...]]:
    """One of each operand's cells, none twice, in every way: those first that score best with what they have in
    common."""

    def worth(chosen: Sequence[CellMatch]) -> float:
        first, *others = chosen
        of_table = sum(one.table.id == first.table.id for one in others)
        of_header = sum(_is_of_one_header(first, one) for one in others)
        return sum(match.score for match in chosen) + SAME_TABLE * of_table + SAME_HEADER * of_header

    tried = [options[: int(N_TRIED ** (1 / len(choices)))] for options in choices]
    chosen = (one for one in product(*tried) if len({match.place for match in one}) == len(one))
    return sorted(chosen, key=worth, reverse=True)


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


def _computed(calculation: Calculation, restated: Restated, known: Draft) -> Draft | None:
    """The operation's value over what is known; None where units forbid it, or a part is more than its whole."""
    evidence = known.evidence
    if calculation.operation == "ratio" and MULTIPLE.search(restated.question):  # of the less no one asks so
        by_size = sorted(evidence, key=lambda one: -abs((one.value or Decimal(0)) * one.scale))
        evidence = tuple(replace(one, id=f"e{n}") for n, one in enumerate(by_size, start=1))
    days = [day_number(one.quote) if one.value is None else None for one in evidence]
    if calculation.operation == "difference" and None not in days:
        evidence = tuple(replace(one, value=day, unit="days") for one, day in zip(evidence, days, strict=True))
    computed = compute(calculation.operation, evidence)
    if computed is None or (calculation.operation == "share" and abs(computed.value) > MAX_PERCENT):
        return None
    is_turned = computed.value < 0 and restated.is_unsigned(calculation.operation)
    value = rounded(abs(computed.value) if is_turned else computed.value, computed.unit)
    return replace(
        known,
        kind="computed",
        text=number_text(value, computed.unit, computed.scale),
        value=value,
        unit=unit_text(computed.unit, computed.scale),
        formula=f"abs({computed.formula})" if is_turned else computed.formula,
        operation=calculation.operation,
        evidence=evidence,
    )


# --- columns and rows -------------------------------------------------------------------------------------------------


def _column_draft(restated: Restated, match: ColumnMatch) -> Draft:
    """The value over a column's rows, or what the rows are called: that of an extreme, or those that are left."""
    unit, scale = _unit_of(match)
    others = (each.operation for each in restated.calculations[1:])
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
        operation=next((each for each in others if each == match.operation), restated.operation),
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
