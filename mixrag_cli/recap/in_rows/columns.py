"""The best column to tally for a question, over all tables found: of records, and of reports through their labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mixrag_cli.quantities.facets import facet_conflict, facets_of
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_rows.column_texts import is_record_table, is_sampled
from mixrag_cli.recap.in_rows.filters import find_filters
from mixrag_cli.recap.in_rows.tallies import ColumnMatch, match_records
from mixrag_cli.recap.in_rows.tally_question import Tally, tally_of
from mixrag_cli.recap.restate import Restated
from mixrag_cli.recap.wording import PERCENT_UNITS
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Cell, Header, Table

MIN_ROWS = 2  # a single row is a cell to look up
LABELS = -1  # the place of a report's labels as a column of texts


def match_column(restated: Restated, base: EvidenceBase, tally: Tally | None = None) -> ColumnMatch | None:
    """The best column to tally for the question, or None where no column fits.

    tally: what is wanted, by the question's words where it is not told.
    """
    tally = tally or tally_of(restated)
    if tally is None:
        return None
    placed = ((hit, table) for hit, table in base.placed_tables() if table.columns)
    matches = (found for hit, table in placed for found in _in_table(restated, tally, hit, table, base))
    return max(matches, key=lambda found: found.score, default=None)


def _in_table(restated: Restated, tally: Tally, hit: Hit, table: Table, base: EvidenceBase) -> Iterator[ColumnMatch]:
    """What the tally comes to. A question worded as a lookup ("the total quantity") is only tallied over records."""
    if is_record_table(table):
        is_one = tally.of_one_row and not is_sampled(table) and not find_filters(restated.question, table)
        found = None if is_one else match_records(restated, tally, hit, table, base)
        if found is not None:
            yield found
    elif tally.is_sure:
        for turned in (table, transpose(table)):
            found = match_records(restated, tally, hit, _of_its_time(restated, hit, as_records(turned)), base)
            if found is not None and _adds_up(found):
                yield found


def transpose(table: Table) -> Table:
    """The table with rows and columns exchanged, so that a row can be aggregated as a column can."""
    cells = tuple(replace(cell, row=cell.column, column=cell.row) for cell in table.cells)
    return replace(table, rows=table.columns, columns=table.rows, cells=cells, total_rows=0, profiles=())


def as_records(table: Table) -> Table:
    """A report as records: the labels of its lines are the texts of a first column, which conditions choose rows by."""
    labels = tuple(Cell(row.index, LABELS, row.leaf) for row in table.rows)
    return replace(table, columns=(Header(LABELS, ("",)), *table.columns), cells=(*labels, *table.cells))


def _of_its_time(restated: Restated, hit: Hit, table: Table) -> Table:
    """The table without the rows of other times than those asked for."""
    asked = restated.whole.facets
    rows = tuple(row for row in table.rows if not facet_conflict(asked, facets_of(" ".join(row.path))))
    return replace(table, rows=rows)


def _adds_up(found: ColumnMatch) -> bool:
    """Whether the rows of a report can be summed up: several of them, and no percentages added."""
    is_sum_of_shares = found.operation == "sum" and any(cell.unit in PERCENT_UNITS for cell in found.cells)
    return found.n_rows >= MIN_ROWS and not is_sum_of_shares
