"""A report as records: each of its rows one, or each of its columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mixrag_cli.quantities.facets import Facets, facet_conflict, facets_of
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.record_columns import is_record_table

LABELS = -1  # the place of a report's labels as a column of texts


def as_records(table: Table, asked: Facets, *, by_columns: bool) -> Iterator[Table]:
    """The table itself where its rows are records; a report by its rows, then by its columns where that is asked for.

    asked: of which times; rows of other times are left out.
    """
    if is_record_table(table):
        yield table
        return
    yield _by_rows(table, asked)
    if by_columns:
        cells = tuple(replace(cell, row=cell.column, column=cell.row) for cell in table.cells)
        turned = replace(table, rows=table.columns, columns=table.rows, cells=cells, total_rows=0, profiles=())
        yield _by_rows(turned, asked)


def _by_rows(table: Table, asked: Facets) -> Table:
    """A report as records: the labels of its lines are the texts of a first column, which conditions choose rows by."""
    rows = tuple(row for row in table.rows if not facet_conflict(asked, facets_of(" ".join(row.path))))
    labels = tuple(Cell(row.index, LABELS, row.leaf) for row in rows)
    return replace(table, rows=rows, columns=(Header(LABELS, ("",)), *table.columns), cells=(*labels, *table.cells))
