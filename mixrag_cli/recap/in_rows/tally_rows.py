"""The rows of a table of records that count, and what they come to.

A table that is held whole is tallied here; a sampled one over all rows of its file: from its profiles where no row is
left out, else by a scan that the caller provides. What cannot be scanned has no answer: a sample's mean is no mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from mixrag_cli.recap.compute import aggregate
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.in_rows.column_texts import is_sampled
from mixrag_cli.recap.in_rows.filters import RowFilter
from mixrag_cli.recap.in_rows.tally_question import Tally, TallyOperation
from mixrag_cli.records.documents import ColumnProfile
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.members import summary_rows
from mixrag_cli.tables.scan import Filter, Group, ScannedRow
from mixrag_cli.tables.text import key_columns, row_name


@dataclass(frozen=True, slots=True)
class Tallied:
    """A value over rows. best: the rows of an extreme, of the table itself or of its file."""

    value: Decimal | None
    n_rows: int
    n_numbers: int
    best: tuple[ScannedRow | Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class TallyRows:
    """The rows of one table that the conditions leave, and how to tally them."""

    hit: Hit
    table: Table
    filters: tuple[RowFilter, ...]
    base: EvidenceBase

    @property
    def labels(self) -> tuple[str, ...]:
        """The conditions in words."""
        return tuple(each.label for each in self.filters)

    @property
    def conditions(self) -> tuple[Filter, ...]:
        """The conditions as a scan takes them."""
        return tuple(each.filter for each in self.filters)

    @property
    def said(self) -> frozenset[str]:
        """Stems of the question that the conditions explain."""
        return frozenset().union(*(each.said for each in self.filters))

    def profile_of(self, column: Header) -> ColumnProfile | None:
        """What is known of the column over all rows of a sampled file, None where rows are left out."""
        known = next((one for one in self.table.profiles if one.index == column.index), None)
        return known if not self.filters else None

    def passing(self) -> list[dict[int, Cell]]:
        """The rows of a table that is held whole, each by column; those that sum others up left out."""
        left_out = summary_rows(self.table)
        by_row: dict[int, dict[int, Cell]] = {row.index: {} for row in self.table.rows if row.index not in left_out}
        for cell in self.table.cells:
            if cell.row in by_row:
                by_row[cell.row][cell.column] = cell
        rows = by_row.values()
        return [row for row in rows if all(each.passes(row.get(each.filter.column)) for each in self.filters)]

    def tally(self, column: Header, tally: Tally) -> Tallied | None:
        """The operation over one column; None where no row counts or the file cannot be scanned."""
        if not is_sampled(self.table):
            return _tally_cells(self.passing(), column.index, tally)
        profile = self.profile_of(column)
        if profile is not None and tally.n_best == 1:
            return _tally_profile(profile, self.table, tally.operation)
        scanner = self.base.scanner
        if scanner is None:
            return None
        found = scanner.scan(self.hit, self.table, column.index, tally.operation, self.conditions, tally.n_best)
        return Tallied(found.value, found.n_rows, found.n_numbers, found.rows) if found else None

    def groups(self, column: Header, by: Header) -> tuple[Group, ...]:
        """The column's sums for each text of another; none where the file cannot be scanned."""
        if is_sampled(self.table):
            scanner = self.base.scanner
            return scanner.groups(self.hit, self.table, column.index, by.index, self.conditions) if scanner else ()
        found: dict[str, list[dict[int, Cell]]] = defaultdict(list)
        for row in self.passing():
            if by.index in row:
                found[row[by.index].text.strip()].append(row)
        groups = ((text, len(rows), cells_of(rows, column.index)) for text, rows in found.items())
        return tuple(
            Group(text, n_rows, len(cells), sum((cell.value or Decimal(0) for cell in cells), Decimal(0)))
            for text, n_rows, cells in groups
        )


def _tally_cells(rows: Sequence[dict[int, Cell]], column: int, tally: Tally) -> Tallied | None:
    cells = cells_of(rows, column)
    if tally.operation == "count":
        return Tallied(Decimal(len(rows)), len(rows), len(cells)) if rows else None
    value = aggregate(tally.operation, [cell.value for cell in cells if cell.value is not None])
    if value is None:
        return None
    best: list[Cell] = []
    if tally.operation in ("maximum", "minimum"):
        sign = -1 if tally.operation == "maximum" else 1
        best = sorted(cells, key=lambda cell: sign * (cell.value or Decimal(0)))[: tally.n_best]
    return Tallied(value, len(rows), len(cells), tuple(best))


def cells_of(rows: Sequence[dict[int, Cell]], column: int) -> tuple[Cell, ...]:
    """The cells of the column that hold a number."""
    return tuple(row[column] for row in rows if column in row and row[column].value is not None)


def _tally_profile(profile: ColumnProfile, table: Table, operation: TallyOperation) -> Tallied | None:
    """The tally that was taken over all rows while the file streamed by."""
    if operation == "count":
        return Tallied(Decimal(table.total_rows), table.total_rows, profile.numbers)
    if not profile.numbers or profile.total is None:
        return None
    value = {
        "sum": profile.total,
        "average": profile.total / profile.numbers,
        "maximum": profile.high,
        "minimum": profile.low,
    }[operation]
    row = {"maximum": profile.high_row, "minimum": profile.low_row}.get(operation)
    cell = next((cell for cell in table.cells if (cell.row, cell.column) == (row, profile.index)), None)
    return Tallied(value, profile.count, profile.numbers, (cell,) if cell else ())


def best_row(row: ScannedRow | Cell, column: Header, table: Table) -> tuple[Header, Cell]:
    """A row's header and its cell: of the table itself, or made of the file's own row, with its line where known."""
    if isinstance(row, Cell):
        return next(header for header in table.rows if header.index == row.row), row
    path = tuple(row.cells[key] for key in sorted(key_columns(table)) if key < len(row.cells))
    like = next((cell for cell in table.cells if cell.column == column.index and cell.value is not None), None)
    unit, scale = (like.unit, like.scale) if like else ("", 1)
    # Every record of the file has one line where the first and the last kept row say so.
    first, last = table.cells[0].line, table.cells[-1].line
    line = first + row.record - 1 if first and last and last - first + 1 == table.total_rows else None
    index = table.rows[0].index + row.record - 1
    cell = Cell(index, column.index, row.cells[column.index].strip(), row.value, unit, scale, line=line)
    return Header(index, path or (row_name(row.record),)), cell
