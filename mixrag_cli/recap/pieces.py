"""Drafts of structure: what a cell, a formula or a tally says and rests on, with its evidence and citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from mixrag_cli.quantities.facets import facets_of
from mixrag_cli.recap.compute import compute
from mixrag_cli.recap.evidence import stems_of
from mixrag_cli.recap.in_rows.tallies import ColumnMatch
from mixrag_cli.recap.in_tables.cells import CellMatch
from mixrag_cli.recap.odds import log_odds
from mixrag_cli.recap.present import number_text, rounded, unit_text
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.signs import Draft
from mixrag_cli.recap.wording import MAX_PERCENT
from mixrag_cli.records.answers import Evidence, Source
from mixrag_cli.records.tables import Header
from mixrag_cli.tables.places import locate_cells
from mixrag_cli.tables.text import ARROW

MAX_ANSWER_CHARS = 500

# --- cells ------------------------------------------------------------------------------------------------------------


def cell_draft(match: CellMatch) -> Draft:
    """One cell, as it stands there."""
    cell = match.cell
    text = number_text(cell.value, cell.unit, cell.scale) if cell.value is not None else cell.text
    return replace(_cells_draft(text, [match]), value=cell.value, unit=unit_text(cell.unit, cell.scale))


def formula_draft(restated: Restated, matches: Sequence[CellMatch]) -> Draft | None:
    """The operation's value over cells, as _computed makes it."""
    return _computed(restated, _cells_draft("", matches))


def _cells_draft(text: str, matches: Sequence[CellMatch]) -> Draft:
    evidence, sources = [], []
    for n, match in enumerate(matches, start=1):
        cell, where = match.cell, locate_cells(match.table.locator, [match.cell])
        evidence.append(Evidence(f"e{n}", n, cell.text, match.label, cell.value, cell.unit, cell.scale, where))
        sources.append(Source(n, match.hit, where, f"{match.label}: {cell.text}"))
    coverage, probability = min(match.coverage for match in matches), min(match.probability for match in matches)
    signs = {"coverage": coverage, "cell": log_odds(probability)}
    return Draft("cell", text, sources[0], signs, evidence=tuple(evidence), sources=tuple(sources))


def _computed(restated: Restated, known: Draft) -> Draft | None:
    """The operation's value over a draft's evidence; None where units forbid it, or a part is more than its whole."""
    computed = compute(restated.operation, known.evidence)
    if computed is None or (restated.operation == "share" and abs(computed.value) > MAX_PERCENT):
        return None
    is_turned = restated.asks_distance and computed.value < 0
    value = rounded(abs(computed.value) if is_turned else computed.value, computed.unit)
    return replace(
        known,
        kind="computed",
        text=number_text(value, computed.unit, computed.scale),
        value=value,
        unit=unit_text(computed.unit, computed.scale),
        formula=f"abs({computed.formula})" if is_turned else computed.formula,
    )


# --- columns and rows -------------------------------------------------------------------------------------------------


def column_draft(restated: Restated, match: ColumnMatch) -> Draft:
    """The value over a column's rows, or what the row is called that holds an extreme of it."""
    unit, scale = _unit_of(match)
    value = match.value if match.best else rounded(match.value, unit)  # an extreme stands in a cell, and is quoted
    named = match.best[0] if match.best is not None and restated.expects == "label" else None
    text = number_text(value, unit, scale) if named is None else _name_of(match, named, restated)
    evidence = _column_evidence(match, value)
    said = f"{match.table.title}: {evidence.label}".strip(": ")
    source = Source(1, match.hit, evidence.locator or match.locator, said)
    return Draft(
        "column",
        text,
        source,
        {"coverage": match.coverage, "cell": 0.0},
        value if named is None else None,
        unit_text(unit, scale) if named is None else "",
        evidence=(evidence,),
        sources=(source,),
        formula="" if match.best else f"{match.operation}(e1)",
    )


def _column_evidence(match: ColumnMatch, value: Decimal) -> Evidence:
    """What the value rests on: the column's heading as it stands there, the number of rows, the conditions on them."""
    if match.best is None:
        return Evidence("e1", 1, match.column.leaf, match.basis, locator=match.locator)
    header, cell = match.best
    label = f"{ARROW.join(header.path)} | {match.basis}"
    return Evidence("e1", 1, cell.text, label, value, locator=locate_cells(match.table.locator, [cell]))


def _unit_of(match: ColumnMatch) -> tuple[str, int]:
    """The unit and scale of the column's first figure; a count has none."""
    if match.operation == "count":
        return "", 1
    of_column = (cell for cell in match.table.cells if cell.column == match.column.index and cell.value is not None)
    cell = match.best[1] if match.best else next(iter(match.cells), None) or next(of_column, None)
    return (cell.unit, cell.scale) if cell else ("", 1)


def _name_of(match: ColumnMatch, row: Header, restated: Restated) -> str:
    """What people call a row: its text in the column that the question names first, else a name in its path.

    Example: path ("PS-015", "Drovers Way", "Saltmarsh") -> "Drovers Way": unique as the number is, and a name.
    """
    years = facets_of(" ".join(row.path)).years
    if restated.asks_year and len(years) == 1:
        return str(next(iter(years)))
    asked = stems_of(restated.question)
    texts = {cell.column: cell.text for cell in match.table.cells if cell.row == row.index}
    heads = {column.index: stems_of(column.leaf) for column in match.table.columns if column != match.column}
    named = [column for column, head in heads.items() if column in texts and head and set(head) <= set(asked)]
    if named:
        return texts[min(named, key=lambda column: asked.index(heads[column][0]))]
    columns = [[other.path[level : level + 1] for other in (*match.table.rows, row)] for level in range(len(row.path))]

    def telling(level: int) -> tuple[bool, bool, int, int]:
        text, known = row.path[level], columns[level][:-1]
        is_name = not any(map(str.isdigit, text))
        return known.count((text,)) <= 1, is_name, len(set(known)), len(text)

    return row.path[max(range(len(row.path)), key=telling)] if row.path else ""


def shorten(text: str) -> str:
    """The text on one line, cut at a word where it is too long."""
    plain = " ".join(text.split())
    return plain if len(plain) <= MAX_ANSWER_CHARS else plain[:MAX_ANSWER_CHARS].rsplit(" ", 1)[0] + " …"
