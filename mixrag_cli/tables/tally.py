"""The rows of a table of records that filters leave, and what a column of them comes to.

A table that is held whole is tallied here; a sampled one over all rows of its file: from its profiles where no row is
left out, else by a scan that the caller provides. What cannot be scanned has no answer: a sample's mean is no mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from operator import eq, ge, gt, le, lt, ne

from mixrag_cli.quantities.numerals import Value
from mixrag_cli.records.documents import ColumnProfile
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.members import summary_rows
from mixrag_cli.tables.record_columns import Column, columns_of, is_sampled
from mixrag_cli.tables.scan import Filter, ScannedRow, ScanOperation, ScanResult
from mixrag_cli.tables.text import key_columns, row_name

PRECISION = 50  # digits of a sum or mean, as in the calculator
COMPARES = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}

Row = tuple[Header, Cell]  # a row and its cell in the column that is tallied
Scan = Callable[[int, ScanOperation, Sequence[Filter]], ScanResult | None]  # of a column, over all rows of its file


@dataclass(frozen=True, slots=True)
class Tallied:
    """A value over rows. best: the row of an extreme, of the table itself or of its file."""

    value: Decimal
    n_rows: int
    n_numbers: int
    best: Row | None = None


def tally(
    table: Table, column: Column, operation: ScanOperation, filters: Sequence[Filter], scan: Scan | None
) -> Tallied | None:
    """The operation over one column; None where no row counts or the file cannot be scanned (scan is None).

    None, too, of a row counted by its own name.
    """
    if operation == "count" and _is_of_a_name(table, filters):
        return None
    if not is_sampled(table):
        return _tally_cells(table, column, operation, filters)
    profile = next((one for one in table.profiles if one.index == column.index), None)
    if profile is not None and not filters:
        return _tally_profile(profile, table, operation)
    found = scan(column.index, operation, filters) if scan is not None else None
    if found is None or found.value is None:
        return None
    best = _row_of_file(found.row, column, table) if found.row else None
    return Tallied(found.value, found.n_rows, found.n_numbers, best)


def _is_of_a_name(table: Table, filters: Sequence[Filter]) -> bool:
    """Whether a filter names a text that no two rows share: what it leaves is the one row, and nothing to count."""
    columns = {column.index: column for column in columns_of(table)}
    return any(one.comparison == "=" and not are_shared(table, columns[one.column], ()) for one in filters)


def tallied_cells(table: Table, column: Column, filters: Sequence[Filter]) -> tuple[Cell, ...]:
    """The column's cells that hold a number in the rows that count, of a table that is held whole.

    Percentages beside amounts are left out: the two neither add up nor compare.
    """
    if is_sampled(table):
        return ()
    found = (row.get(column.index) for row in _passing(table, filters))
    numbers = tuple(cell for cell in found if cell is not None and cell.value is not None)
    return tuple(cell for cell in numbers if cell.unit != "%") or numbers


def rows_left(table: Table, filters: Sequence[Filter]) -> tuple[Header, ...]:
    """The rows that count, of a table that is held whole."""
    if is_sampled(table):
        return ()
    left = {cell.row for row in _passing(table, filters) for cell in row.values()}
    return tuple(row for row in table.rows if row.index in left)


def are_shared(table: Table, column: Column, filters: Sequence[Filter]) -> bool:
    """Whether several of the rows have one text of a column; of a sampled table, of all of its rows."""
    if is_sampled(table):
        return 0 < len(column.texts) < table.total_rows
    texts = [row[column.index].text.strip() for row in _passing(table, filters) if column.index in row]
    return len(set(texts)) < len(texts)


def extreme_text(
    table: Table, named: Column, column: Column, operation: ScanOperation, filters: Sequence[Filter]
) -> tuple[str, ScanOperation] | None:
    """The text of one column whose rows come to the most of another, or with "minimum" to the least, and by what.

    Texts of the column itself are counted, amounts added up, percentages averaged. None of a sampled table, and where
    two texts come to the same.
    """
    rows = [] if is_sampled(table) else _passing(table, filters)
    units = {row[column.index].unit for row in rows if column.index in row and row[column.index].value is not None}
    of_each: ScanOperation = "count" if column == named else "average" if units == {"%"} else "sum"
    groups: dict[str, list[Decimal]] = {}
    for row in rows:
        cell, name = row.get(column.index), row[named.index].text.strip() if named.index in row else ""
        value = Decimal(1) if of_each == "count" else cell.value if cell is not None else None
        if name and value is not None:
            groups.setdefault(name, []).append(value)
    if not groups:
        return None
    found = {name: aggregate(of_each, values) or Decimal(0) for name, values in groups.items()}
    text = (min if operation == "minimum" else max)(found, key=found.__getitem__)
    return (text, of_each) if [*found.values()].count(found[text]) == 1 else None


def in_scale_of(column: Column, table: Table, number: Value) -> Decimal:
    """A number as the column's cells tell theirs: "5 million", and 5,000,000, are 5 where these are in millions."""
    own = (cell.scale for cell in table.cells if cell.column == column.index and cell.value is not None)
    scale, whole = next(own, 1), (number.value or Decimal(0)) * number.scale
    return whole / scale if number.scale > 1 or whole >= scale else whole


def passes(wanted: Filter, cell: Cell | None) -> bool:
    """Whether a row with this cell in the filter's column counts, as a scan of its file decides."""
    if isinstance(wanted.value, Decimal):
        return cell is not None and cell.value is not None and COMPARES[wanted.comparison](cell.value, wanted.value)
    text = cell.text.strip().lower() if cell is not None else ""
    if wanted.comparison == "matches":
        return isinstance(wanted.value, str) and re.search(wanted.value, text, re.IGNORECASE) is not None
    return text in (wanted.value if isinstance(wanted.value, tuple) else (wanted.value.lower(),))


def aggregate(operation: ScanOperation, values: Sequence[Decimal]) -> Decimal | None:
    """The operation over a whole column, exact to 50 digits; None for an empty column."""
    if operation == "count":
        return Decimal(len(values))
    if not values:
        return None
    if operation in ("maximum", "minimum"):
        return max(values) if operation == "maximum" else min(values)
    with localcontext(prec=PRECISION):
        total = sum(values, Decimal(0))
        return total / len(values) if operation == "average" else total


def _passing(table: Table, filters: Sequence[Filter]) -> list[dict[int, Cell]]:
    """The rows of a table that is held whole, each by column; those that sum others up left out."""
    left_out = summary_rows(table)
    by_row: dict[int, dict[int, Cell]] = {row.index: {} for row in table.rows if row.index not in left_out}
    for cell in table.cells:
        if cell.row in by_row:
            by_row[cell.row][cell.column] = cell
    return [row for row in by_row.values() if all(passes(each, row.get(each.column)) for each in filters)]


def _tally_cells(table: Table, column: Column, operation: ScanOperation, filters: Sequence[Filter]) -> Tallied | None:
    n_rows, cells = len(_passing(table, filters)), tallied_cells(table, column, filters)
    if operation == "count":
        return Tallied(Decimal(n_rows), n_rows, len(cells)) if n_rows else None
    value = aggregate(operation, [cell.value for cell in cells if cell.value is not None])
    if value is None:
        return None
    cell = next((cell for cell in cells if cell.value == value), None)
    is_extreme = operation in ("maximum", "minimum") and cell is not None
    return Tallied(value, n_rows, len(cells), _row_of(cell, table) if is_extreme and cell else None)


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
