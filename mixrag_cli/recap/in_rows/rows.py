"""The rows of a table of records that count, and what they come to.

A table that is held whole is tallied here; a sampled one over all rows of its file: from its profiles where no row is
left out, else by a scan that the caller provides. What cannot be scanned has no answer: a sample's mean is no mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from mixrag_cli.recap.compute import aggregate
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_rows.columns import Column, is_sampled
from mixrag_cli.recap.in_rows.conditions import Condition
from mixrag_cli.records.documents import ColumnProfile
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.members import summary_rows
from mixrag_cli.tables.scan import ScannedRow, ScanOperation
from mixrag_cli.tables.text import key_columns, row_name

Row = tuple[Header, Cell]  # a row and its cell in the column that is tallied


@dataclass(frozen=True, slots=True)
class Tallied:
    """A value over rows. best: the row of an extreme, of the table itself or of its file."""

    value: Decimal
    n_rows: int
    n_numbers: int
    best: Row | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one table that the conditions leave, and how to tally them."""

    hit: Hit
    table: Table
    conditions: tuple[Condition, ...]
    base: EvidenceBase

    @property
    def said(self) -> frozenset[str]:
        """Stems of the question that the conditions explain."""
        return frozenset().union(*(each.said for each in self.conditions))

    def passing(self) -> list[dict[int, Cell]]:
        """The rows of a table that is held whole, each by column; those that sum others up left out."""
        left_out = summary_rows(self.table)
        by_row: dict[int, dict[int, Cell]] = {row.index: {} for row in self.table.rows if row.index not in left_out}
        for cell in self.table.cells:
            if cell.row in by_row:
                by_row[cell.row][cell.column] = cell
        rows = by_row.values()
        return [row for row in rows if all(each.passes(row.get(each.filter.column)) for each in self.conditions)]

    def cells(self, column: Column) -> tuple[Cell, ...]:
        """The column's cells that hold a number, of a table that is held whole."""
        return () if is_sampled(self.table) else _numbers_in(self.passing(), column.index)

    def tally(self, column: Column, operation: ScanOperation) -> Tallied | None:
        """The operation over one column; None where no row counts or the file cannot be scanned."""
        if not is_sampled(self.table):
            return self._tally_cells(column, operation)
        profile = next((one for one in self.table.profiles if one.index == column.index), None)
        if profile is not None and not self.conditions:
            return _tally_profile(profile, self.table, operation)
        if self.base.scanner is None:
            return None
        filters = [each.filter for each in self.conditions]
        found = self.base.scanner.scan(self.hit, self.table, column.index, operation, filters)
        if found is None or found.value is None:
            return None
        best = _row_of_file(found.row, column, self.table) if found.row else None
        return Tallied(found.value, found.n_rows, found.n_numbers, best)

    def _tally_cells(self, column: Column, operation: ScanOperation) -> Tallied | None:
        rows, cells = self.passing(), self.cells(column)
        if operation == "count":
            return Tallied(Decimal(len(rows)), len(rows), len(cells)) if rows else None
        value = aggregate(operation, [cell.value for cell in cells if cell.value is not None])
        if value is None:
            return None
        cell = next((cell for cell in cells if cell.value == value), None)
        is_extreme = operation in ("maximum", "minimum") and cell is not None
        return Tallied(value, len(rows), len(cells), _row_of(cell, self.table) if is_extreme and cell else None)


def _numbers_in(rows: Sequence[dict[int, Cell]], column: int) -> tuple[Cell, ...]:
    return tuple(row[column] for row in rows if column in row and row[column].value is not None)


def _tally_profile(profile: ColumnProfile, table: Table, operation: ScanOperation) -> Tallied | None:
    """The tally that was taken over all rows while the file streamed by."""
    if operation == "count":
        return Tallied(Decimal(table.total_rows), table.total_rows, profile.numbers)
    if not profile.numbers or profile.total is None or profile.high is None or profile.low is None:
        return None
    value, row = {
        "sum": (profile.total, None),
        "average": (profile.total / profile.numbers, None),
        "maximum": (profile.high, profile.high_row),
        "minimum": (profile.low, profile.low_row),
    }[operation]
    cell = next((cell for cell in table.cells if (cell.row, cell.column) == (row, profile.index)), None)
    return Tallied(value, profile.count, profile.numbers, _row_of(cell, table) if cell else None)


def _row_of(cell: Cell, table: Table) -> Row:
    return next(header for header in table.rows if header.index == cell.row), cell


def _row_of_file(row: ScannedRow, column: Column, table: Table) -> Row:
    """A row's header and its cell made of the file's own row, with its line where known."""
    path = tuple(row.cells[key] for key in sorted(key_columns(table)) if key < len(row.cells))
    like = next((cell for cell in table.cells if cell.column == column.index and cell.value is not None), None)
    unit, scale = (like.unit, like.scale) if like else ("", 1)
    # Every record of the file has one line where the first and the last kept row say so.
    first, last = table.cells[0].line, table.cells[-1].line
    line = first + row.record - 1 if first and last and last - first + 1 == table.total_rows else None
    index = table.rows[0].index + row.record - 1
    cell = Cell(index, column.index, row.cells[column.index].strip(), row.value, unit, scale, line=line)
    return Header(index, path or (row_name(row.record),)), cell
