"""Candidate answers of structure: what each says, what it rests on, with its evidence, sources and citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from mixrag_cli.quantities.facets import date_text, facets_of
from mixrag_cli.recap.asked_operands import Operand
from mixrag_cli.recap.compute import compute
from mixrag_cli.recap.evidence import stems_of
from mixrag_cli.recap.in_rows.tallies import ColumnMatch
from mixrag_cli.recap.in_rows.tally_pairs import TallyPair
from mixrag_cli.recap.in_tables.cells import CellMatch
from mixrag_cli.recap.present import number_text, rounded, unit_text
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import MAX_PERCENT
from mixrag_cli.records.answers import CandidateKind, Evidence, Source
from mixrag_cli.records.tables import Header, Table
from mixrag_cli.tables.places import locate_cells
from mixrag_cli.tables.text import ARROW, has_labels

MAX_ANSWER_CHARS = 500
NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class Piece:
    """What structure may answer: what it says and rests on, and how well its headers fit.

    coverage: the part of the question that they say. probability: that its cells are those that are meant, where known.
    """

    text: str
    coverage: float
    evidence: tuple[Evidence, ...]
    sources: tuple[Source, ...]
    value: Decimal | None = None
    unit: str = ""
    formula: str = ""
    probability: float | None = None
    kind: CandidateKind = "cell"


# --- cells ------------------------------------------------------------------------------------------------------------


def cells_piece(text: str, matches: Sequence[CellMatch]) -> Piece:
    """What is said by one or several cells."""
    evidence, sources = [], []
    for n, match in enumerate(matches, start=1):
        cell, where = match.cell, locate_cells(match.table.locator, [match.cell])
        evidence.append(Evidence(f"e{n}", n, cell.text, match.label, cell.value, cell.unit, cell.scale, where))
        sources.append(Source(n, match.hit, where, f"{match.label}: {cell.text}"))
    coverage, probability = min(match.coverage for match in matches), min(match.probability for match in matches)
    return Piece(text, coverage, tuple(evidence), tuple(sources), probability=probability)


def cell_piece(match: CellMatch) -> Piece:
    """One cell, as it stands there."""
    cell = match.cell
    text = number_text(cell.value, cell.unit, cell.scale) if cell.value is not None else cell.text
    return replace(cells_piece(text, [match]), value=cell.value, unit=unit_text(cell.unit, cell.scale))


def each_piece(operands: Sequence[Operand], matches: Sequence[CellMatch | None]) -> Piece:
    """A cell for each period asked for, as a list that names the periods without any."""
    found = [match for match in matches if match is not None]
    said = (cell_piece(match).text if match is not None else NOT_FOUND for match in matches)
    whens = (_period_text(operand) for operand in operands)
    piece = cells_piece("; ".join(f"{when}: {text}" for when, text in zip(whens, said, strict=True)), found)
    units = {unit_text(match.cell.unit, match.cell.scale) for match in found}
    return replace(piece, unit=units.pop() if len(units) == 1 else "")


def periods_piece(restated: Restated, passing: Sequence[tuple[Header, CellMatch]]) -> Piece:
    """The periods of which something holds: their labels, or their number."""
    headers, matches = zip(*passing, strict=True)
    if restated.expects == "label":
        return cells_piece("; ".join(label_of(header, headers, restated) for header in headers), matches)
    piece = cells_piece(str(len(passing)), matches)
    formula = f"count({', '.join(one.id for one in piece.evidence)})"
    return replace(piece, value=Decimal(len(passing)), formula=formula)


def computed_piece(restated: Restated, known: Piece) -> Piece | None:
    """The operation's value over a piece's evidence; None where units forbid it, or a part is more than its whole."""
    computed = compute(restated.operation, known.evidence)
    if computed is None or (restated.operation == "share" and abs(computed.value) > MAX_PERCENT):
        return None
    is_turned = restated.asks_distance and computed.value < 0
    value = rounded(abs(computed.value) if is_turned else computed.value, computed.unit)
    return replace(
        known,
        text=number_text(value, computed.unit, computed.scale),
        value=value,
        unit=unit_text(computed.unit, computed.scale),
        formula=f"abs({computed.formula})" if is_turned else computed.formula,
        kind="computed",
    )


def _period_text(operand: Operand) -> str:
    """The operand's day, or its years."""
    full = [date for date in sorted(operand.facets.dates) if date[2]]
    return date_text(full[0]) if full else " ".join(map(str, sorted(operand.facets.years)))


# --- columns and rows -------------------------------------------------------------------------------------------------


def column_piece(restated: Restated, match: ColumnMatch) -> Piece:
    """The value over a column's rows, the row or rows that hold an extreme of it, or the value of each group."""
    unit, scale = _unit_of(match)
    rows = [(_label_of_best(match, header, restated), cell.value or match.value) for header, cell in match.best]
    named = [(name, rounded(value, unit)) for name, value in match.groups or rows]
    names_one = len(named) == 1 and restated.expects == "label"
    is_list = len(match.best) > 1 or bool(match.groups)
    value = match.value if match.best else rounded(match.value, unit)  # an extreme stands in a cell, and is quoted
    text = number_text(value, unit, scale)
    if names_one:
        text = named[0][0]
    elif is_list:
        text = "; ".join(f"{name}: {number_text(value, unit, scale)}" for name, value in named)
        value = named[0][1]
    evidence = _column_evidence(match, value)
    if match.groups:
        quote = "; ".join(f"{name}: {value:f}" for name, value in named)
        evidence = replace(evidence, quote=shorten(quote))
    return Piece(
        text,
        match.coverage,
        (evidence,),
        (_column_source(1, match, evidence),),
        None if len(named) > 1 else value,
        unit_text(unit, scale),
        "" if match.best or is_list else f"{match.operation}(e1)",
        kind="column",
    )


def pair_piece(restated: Restated, pair: TallyPair) -> Piece | None:
    """The difference or the share of two tallies, None where units forbid it."""
    evidence, sources = [], []
    for n, match in enumerate((pair.first, pair.second), start=1):
        unit, scale = _unit_of(match)
        found = _column_evidence(match, match.value)
        evidence.append(replace(found, id=f"e{n}", source=n, value=match.value, unit=unit, scale=scale))
        sources.append(_column_source(n, match, found))
    return computed_piece(restated, Piece("", pair.coverage, tuple(evidence), tuple(sources)))


def _column_source(ref: int, match: ColumnMatch, evidence: Evidence) -> Source:
    said = f"{match.table.title}: {evidence.label}".strip(": ")
    return Source(ref, match.hit, evidence.locator or match.locator, said)


def _column_evidence(match: ColumnMatch, value: Decimal) -> Evidence:
    """What the value rests on: the column's heading as it stands there, the number of rows, the conditions on them."""
    if not match.best:
        return Evidence("e1", 1, match.column.leaf, match.basis, locator=match.locator)
    header, cell = match.best[0]
    label = f"{ARROW.join(header.path)} | {match.basis}"
    return Evidence("e1", 1, cell.text, label, value, locator=locate_cells(match.table.locator, [cell]))


def _unit_of(match: ColumnMatch) -> tuple[str, int]:
    """The unit and scale of the column's first figure; a count has none."""
    if match.operation == "count":
        return "", 1
    of_column = (cell for cell in match.table.cells if cell.column == match.column.index and cell.value is not None)
    cell = match.best[0][1] if match.best else next(iter(match.cells), None) or next(of_column, None)
    return (cell.unit, cell.scale) if cell else ("", 1)


def _label_of_best(match: ColumnMatch, header: Header, restated: Restated) -> str:
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


def shorten(text: str) -> str:
    """The text on one line, cut at a word where it is too long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= MAX_ANSWER_CHARS else plain[:MAX_ANSWER_CHARS].rsplit(" ", 1)[0] + " …"
