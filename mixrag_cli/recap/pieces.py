"""Candidate answers: what each says, what it rests on, with its evidence, sources and citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from mixrag_cli.quantities.facets import date_text, facets_of
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.compute import Computed, compute
from mixrag_cli.recap.evidence import stems_of
from mixrag_cli.recap.in_rows.tallies import ColumnMatch
from mixrag_cli.recap.in_rows.tally_pairs import TallyPair
from mixrag_cli.recap.in_tables.cells import CellMatch
from mixrag_cli.recap.in_tables.header_lists import HeaderList
from mixrag_cli.recap.present import number_text, rounded, unit_text
from mixrag_cli.recap.restate import Restated
from mixrag_cli.records.answers import CandidateKind, Evidence, Source
from mixrag_cli.records.tables import Header, Table
from mixrag_cli.tables.places import locate_cells
from mixrag_cli.tables.text import ARROW, has_labels

MAX_ANSWER_CHARS = 500


@dataclass(frozen=True, slots=True)
class Piece:
    """What structure may answer: what it says and rests on, and how well its headers fit.

    coverage: the part of the question that they say. probability: that its cells are those that are meant, where known.
    """

    text: str
    score: float
    coverage: float
    evidence: tuple[Evidence, ...]
    sources: tuple[Source, ...]
    value: Decimal | None = None
    unit: str = ""
    formula: str = ""
    probability: float | None = None
    kind: CandidateKind = "cell"


def cell_piece(match: CellMatch) -> Piece:
    """One cell, as it stands there."""
    value, unit, scale = match.cell.value, match.cell.unit, match.cell.scale
    text = number_text(value, unit, scale) if value is not None else match.cell.text
    evidence = cell_evidence("e1", 1, match)
    source = cell_source(1, match)
    piece = Piece(text, match.score, match.coverage, (evidence,), (source,), value, unit_text(unit, scale))
    return replace(piece, probability=match.probability)


def computed_piece(
    restated: Restated,
    computed: Computed,
    chosen: Sequence[CellMatch],
    evidence: tuple[Evidence, ...],
    sources: tuple[Source, ...],
) -> Piece:
    """A formula's value over the chosen cells."""
    value = computed.value
    if restated.asks_distance:
        value = abs(value)
    value = rounded(value, computed.unit)
    text = number_text(value, computed.unit, computed.scale)
    score = min(match.score for match in chosen)
    coverage = min(match.coverage for match in chosen)
    formula = f"abs({computed.formula})" if value != rounded(computed.value, computed.unit) else computed.formula
    unit = unit_text(computed.unit, computed.scale)
    chance = min(match.probability for match in chosen)
    return Piece(text, score, coverage, evidence, sources, value, unit, formula, chance, "computed")


def column_piece(restated: Restated, match: ColumnMatch) -> Piece:
    """The value over a column's rows, or the row that holds an extreme of it."""
    unit, scale = unit_of(match)
    value = match.value if match.best else rounded(match.value, unit)  # an extreme stands in a cell, and is quoted
    text = number_text(value, unit, scale)
    if match.best and restated.expects == "label":
        text = label_of_best(match, match.best[0][0], restated)
    evidence = column_evidence(match, value)
    source = Source(
        1, match.hit, evidence.locator or match.locator, f"{match.table.title}: {evidence.label}".strip(": ")
    )
    formula = "" if match.best else f"{match.operation}(e1)"
    unit_said = unit_text(unit, scale)
    piece = Piece(text, match.score, match.coverage, (evidence,), (source,), value, unit_said, formula)
    return replace(piece, kind="column")


def list_piece(restated: Restated, match: ColumnMatch) -> Piece:
    """Several greatest rows, or the value of each group; one group alone is its name, with its value."""
    unit, scale = unit_of(match)
    rows = [(label_of_best(match, header, restated), cell.value or match.value) for header, cell in match.best]
    named = [(name, rounded(value, unit)) for name, value in match.groups or rows]
    text = "; ".join(f"{name}: {number_text(value, unit, scale)}" for name, value in named)
    if len(named) == 1 and restated.expects == "label":
        text = named[0][0]
    evidence = column_evidence(match, named[0][1])
    if match.groups:
        quote = "; ".join(f"{name}: {value:f}" for name, value in named)
        evidence = replace(evidence, quote=shorten(quote), locator=match.locator)
    source = Source(
        1, match.hit, evidence.locator or match.locator, f"{match.table.title}: {evidence.label}".strip(": ")
    )
    value = named[0][1] if len(named) == 1 else None
    piece = Piece(text, match.score, match.coverage, (evidence,), (source,), value, unit_text(unit, scale))
    return replace(piece, kind="column")


def header_list_piece(match: HeaderList) -> Piece:
    """Labels of a table, each a piece of evidence."""
    title, where = match.table.title, match.table.locator
    evidence = tuple(Evidence(f"e{n}", 1, label, title, locator=where) for n, label in enumerate(match.labels, start=1))
    text = "; ".join(match.labels)
    source = Source(1, match.hit, where, shorten(f"{title}: {text}"))
    return Piece(text, match.coverage, match.coverage, evidence, (source,), kind="column")


def pair_piece(restated: Restated, pair: TallyPair) -> Piece | None:
    """The difference or the share of two tallies, None where units forbid it."""
    matches = (pair.first, pair.second)
    evidence = tuple(_tally_evidence(n, match) for n, match in enumerate(matches, start=1))
    computed = compute(pair.operation, evidence)
    if computed is None:
        return None
    value = rounded(abs(computed.value) if restated.asks_distance else computed.value, computed.unit)
    sources = tuple(
        Source(n, match.hit, piece.locator or match.locator, f"{match.table.title}: {piece.label}".strip(": "))
        for n, (match, piece) in enumerate(zip(matches, evidence, strict=True), start=1)
    )
    text = number_text(value, computed.unit, computed.scale)
    score = min(match.score for match in matches)
    unit = unit_text(computed.unit, computed.scale)
    return Piece(text, score, pair.coverage, evidence, sources, value, unit, computed.formula, kind="computed")


def _tally_evidence(n: int, match: ColumnMatch) -> Evidence:
    unit, scale = unit_of(match)
    found = column_evidence(match, match.value)
    return replace(found, id=f"e{n}", source=n, value=match.value, unit=unit, scale=scale)


def period_text(operand: Operand) -> str:
    """The operand's day, or its years."""
    full = [date for date in sorted(operand.facets.dates) if date[2]]
    return date_text(full[0]) if full else " ".join(map(str, sorted(operand.facets.years)))


def unit_of(match: ColumnMatch) -> tuple[str, int]:
    """The unit and scale of the column's first figure; a count has none."""
    if match.operation == "count":
        return "", 1
    of_column = (cell for cell in match.table.cells if cell.column == match.column.index and cell.value is not None)
    cell = match.best[0][1] if match.best else next(iter(match.cells), None) or next(of_column, None)
    return (cell.unit, cell.scale) if cell else ("", 1)


def label_of_best(match: ColumnMatch, header: Header, restated: Restated) -> str:
    """The label of a row of the table, or of one that only its file holds; of a row without one, its own asked text."""
    rows = match.table.rows
    if header in rows and not has_labels(match.table):
        return _text_of(match.table, header, restated) or label_of(header, rows, restated)
    return label_of(header, rows if header in rows else (*rows, header), restated)


def _text_of(table: Table, row: Header, restated: Restated) -> str:
    """The row's text in the column that the question names, else its one text, "" where it has several or none."""
    asked = set(stems_of(restated.question))
    heads = {column.index: set(stems_of(column.leaf)) for column in table.columns}
    texts = {cell.column: cell.text for cell in table.cells if cell.row == row.index}
    named = [text for column, text in texts.items() if heads[column] and heads[column] <= asked]
    own = [cell.text for cell in table.cells if cell.row == row.index and cell.value is None and cell.text]
    named_texts = [text for text in named if text in own]
    if restated.asks_year:
        return next((text for text in named if facets_of(text).years), "")
    return named_texts[0] if named_texts else own[0] if len(own) == 1 else ""


def label_of(header: Header, others: Sequence[Header], restated: Restated) -> str:
    """What people call a row: the year where a year is asked for, else the longest name in its path that only it has.

    Example: path ("PS-015", "Drovers Way", "Saltmarsh") -> "Drovers Way": unique as the number is, and a name. A name
    of a column that tells all rows apart goes before one that only happens to stand once.
    """
    years = facets_of(" ".join(header.path)).years
    if restated.asks_year and len(years) == 1:
        return str(next(iter(years)))
    counts = [Counter(other.path[level : level + 1] for other in others) for level in range(len(header.path))]
    levels = [level for level, part in enumerate(header.path) if counts[level][part,] == 1]
    own = [header.path[level] for level in levels]
    named = [level for level in levels if not any(sign.isdigit() for sign in header.path[level])]
    telling = [level for level in named if max(counts[level].values()) == 1] or named
    return (
        max((header.path[level] for level in telling), key=len) if telling else next(iter(own), ARROW.join(header.path))
    )


def column_evidence(match: ColumnMatch, value: Decimal) -> Evidence:
    """What the value rests on: the column's heading as it stands there, the number of rows, the conditions on them."""
    if not match.best:
        return Evidence("e1", 1, match.column.leaf, match.basis, locator=match.locator)
    header, cell = match.best[0]
    label = f"{ARROW.join(header.path)} | {match.basis}"
    return Evidence("e1", 1, cell.text, label, value, locator=locate_cells(match.table.locator, [cell]))


def cell_evidence(name: str, ref: int, match: CellMatch) -> Evidence:
    """The cell as evidence of the given name."""
    cell = match.cell
    where = locate_cells(match.table.locator, [cell])
    return Evidence(name, ref, cell.text, match.label, cell.value, cell.unit, cell.scale, where)


def cell_source(ref: int, match: CellMatch) -> Source:
    """Where the cell stands, with its label."""
    where = locate_cells(match.table.locator, [match.cell])
    return Source(ref, match.hit, where, f"{match.label}: {match.cell.text}")


def shorten(text: str) -> str:
    """The text on one line, cut at a word where it is too long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= MAX_ANSWER_CHARS else plain[:MAX_ANSWER_CHARS].rsplit(" ", 1)[0] + " …"
