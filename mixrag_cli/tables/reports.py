"""A report as records: its rows are the records, or, turned, its columns; their labels are texts of a first column."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mixrag_cli.quantities.facets import Facets, facet_conflict, facets_of
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.words import stem, stems_of

LABELS = -1  # the place of a report's labels as a column of texts
YEAR = stem("year")


def turned(table: Table) -> Table:
    """A report with its columns for rows: those of one year each, where there are several of them.

    Beside years stand what is computed of them: a change, a total, "2019 vs 2018".
    """
    of_years = tuple(column for column in table.columns if len(facets_of(" ".join(column.path)).years) == 1)
    if len(of_years) > 1:
        kept = {column.index for column in of_years}
        cells = tuple(cell for cell in table.cells if cell.column in kept)
        table = replace(table, columns=of_years, cells=cells)
    cells = tuple(replace(cell, row=cell.column, column=cell.row) for cell in table.cells)
    return replace(table, rows=table.columns, columns=table.rows, cells=cells, total_rows=0, profiles=())


def as_records(table: Table, times: Facets, asked: Collection[str]) -> Table:
    """A report whose labels are a column that conditions choose rows by.

    times: asked for; rows of others are left out. asked: stems of the question; where it speaks of years, rows that are
    of none are left out, too, if there are others.
    """
    of_rows = {row: facets_of(" ".join(row.path)) for row in table.rows}
    if YEAR in asked:
        of_rows = {row: own for row, own in of_rows.items() if own.years} or of_rows
    rows = tuple(row for row, own in of_rows.items() if not facet_conflict(times, own))
    labels = tuple(Cell(row.index, LABELS, row.leaf) for row in rows)
    return replace(table, rows=rows, columns=(Header(LABELS, ("",)), *table.columns), cells=(*labels, *table.cells))


def name_of(row: Header, table: Table, asked: Sequence[str], measured: Header) -> str:
    """What people call a row: its year where one is asked for; of records its text in the column that the question
    names first; else a name in its path.

    asked: stems of the question, in order. measured: the column that is told of the row, and no name.
    Example: path ("PS-015", "Drovers Way", "Saltmarsh") -> "Drovers Way": unique as the number is, and a name.
    """
    years = facets_of(" ".join(row.path)).years
    if YEAR in asked and len(years) == 1:
        return str(*years)
    named = {} if table.columns[0].index == LABELS else _named_texts(row, table, asked, measured)
    if named:
        return named[min(named)]
    columns = [[other.path[level : level + 1] for other in (*table.rows, row)] for level in range(len(row.path))]

    def telling(level: int) -> tuple[bool, bool, int, int]:
        text, known = row.path[level], columns[level][:-1]
        is_name = not any(map(str.isdigit, text))
        return known.count((text,)) <= 1, is_name, len(set(known)), len(text)

    return row.path[max(range(len(row.path)), key=telling)] if row.path else ""


def _named_texts(row: Header, table: Table, asked: Sequence[str], measured: Header) -> dict[int, str]:
    """The row's texts in the columns that the question names, by where it does."""
    texts = {cell.column: cell.text for cell in table.cells if cell.row == row.index}
    heads = {column.index: stems_of(column.leaf) for column in table.columns if column != measured}
    return {
        asked.index(head[0]): texts[column]
        for column, head in heads.items()
        if column in texts and head and set(head) <= set(asked)
    }
