"""What structure answers: cells through their header paths, formulas over them, tallies over rows.

    each calculation that the reader holds for possible    formulas over cells, a tally over a column
    a lookup                                               a tally over the one record that is meant
    any of them                                            the cells that may say it as it is asked

How likely each is right is not said here (grading.py).
Source: MixRAG, section 4.3 (extraction and the external calculator).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from decimal import Decimal

from mixrag_cli.quantities.shown import number_text, rounded, unit_text
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.formulas import cells_draft, formula_drafts
from mixrag_cli.recap.in_rows.tallies import ColumnMatch, match_columns
from mixrag_cli.recap.in_tables.cells import CellMatch, RowPlace, form_of, match_cells
from mixrag_cli.recap.restate import EXTREMES, Restated
from mixrag_cli.recap.signs import Draft
from mixrag_cli.records.answers import Evidence, Source
from mixrag_cli.tables.places import locate_cells
from mixrag_cli.tables.tally import row_called
from mixrag_cli.tables.text import ARROW

N_CELLS = 8  # that may be the one that is meant, for the reader and the grading to choose from


def structural_drafts(restated: Restated, base: EvidenceBase, rows: Collection[RowPlace] = ()) -> Iterator[Draft]:
    """What tables and rows may answer: formulas, tallies, and cells, the likeliest of each of the rows among them."""
    yield from formula_drafts(restated, base)
    yield from (_column_draft(restated, match) for match in match_columns(restated, base))
    yield from map(_cell_draft, match_cells(restated.whole, base, restated.names, form_of(restated), N_CELLS, rows))


# --- cells ------------------------------------------------------------------------------------------------------------


def _cell_draft(match: CellMatch) -> Draft:
    """One cell, as it stands there."""
    cell = match.cell
    text = number_text(cell.value, cell.unit, cell.scale) if cell.value is not None else cell.text
    return replace(cells_draft(text, [match]), value=cell.value, unit=unit_text(cell.unit, cell.scale))


# --- columns and rows -------------------------------------------------------------------------------------------------


def _column_draft(restated: Restated, match: ColumnMatch) -> Draft:
    """The value over a column's rows, or what the row is called that holds an extreme of it."""
    unit, scale = _unit_of(match)
    value = match.value if match.best else rounded(match.value, unit)  # an extreme stands in a cell, and is quoted
    is_extreme = match.operation in EXTREMES and not match.is_of_one
    named = match.best if is_extreme and restated.asks_label else None
    called = row_called(named, match.table, match.column, restated.question) if named is not None else ""
    evidence = _column_evidence(match, value)
    said = f"{match.table.title}: {evidence.label}".strip(": ")
    source = Source(1, match.hit, evidence.locator or match.locator, said)
    return Draft(
        "column",
        called or number_text(value, unit, scale),
        source,
        {"coverage": match.coverage, "cell": match.fit, "over": math.log1p(match.n_rows)},
        value if named is None else None,
        unit_text(unit, scale) if named is None else "",
        evidence=(evidence,),
        sources=(source,),
        formula="" if match.best else f"{match.operation}(e1)",
        operation="lookup" if match.is_of_one else match.operation,
    )


def _column_evidence(match: ColumnMatch, value: Decimal) -> Evidence:
    """What the value rests on: the column's heading as it stands there, the number of rows, the conditions on them."""
    if match.best is None:
        return Evidence("e1", 1, match.column.leaf, match.basis, locator=match.locator)
    cell = match.best.cell
    label = f"{ARROW.join(match.best.header.path)} | {match.basis}"
    return Evidence("e1", 1, cell.text, label, value, locator=locate_cells(match.table.locator, [cell]))


def _unit_of(match: ColumnMatch) -> tuple[str, int]:
    """The unit and scale of the column's first figure; a count has none."""
    if match.operation == "count":
        return "", 1
    of_column = (cell for cell in match.table.cells if cell.column == match.column.index and cell.value is not None)
    cell = match.best.cell if match.best else next(iter(match.cells), None) or next(of_column, None)
    return (cell.unit, cell.scale) if cell else ("", 1)
