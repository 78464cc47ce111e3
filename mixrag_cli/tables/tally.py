"""The rows of a table of records that filters leave, and what a column of them comes to.

A table that is held whole is tallied here; a sampled one over all rows of its file: from its profiles where no row is
left out, else by a scan that the caller provides. What cannot be scanned has no answer: a sample's mean is no mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from operator import eq, ge, gt, le, lt, ne

from mixrag_cli.records.documents import ColumnProfile
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.members import summary_rows
from mixrag_cli.tables.record_columns import Column, columns_of, is_sampled
from mixrag_cli.tables.scan import Filter, ScannedRow, ScanOperation, ScanResult
from mixrag_cli.tables.text import ARROW, is_nameless, key_columns, row_name
from mixrag_cli.words import stems_of

PRECISION = 50  # digits of a sum or mean, as in the calculator
COMPARES = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}

Scan = Callable[[int, ScanOperation, Sequence[Filter]], ScanResult | None]  # of a column, over all rows of its file


@dataclass(frozen=True, slots=True)
class Row:
    """A row, its cell in the column that is tallied, and what stands in its columns, by their places."""

    header: Header
    cell: Cell
    texts: Mapping[int, str]


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
    """The operation over one column; None where no row counts or the file cannot be scanned (scan is None)."""
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


def tallied_cells(table: Table, column: Column, filters: Sequence[Filter]) -> tuple[Cell, ...]:
    """The column's cells that hold a number in the rows that count, of a table that is held whole."""
    if is_sampled(table):
        return ()
    found = (row.get(column.index) for row in _passing(table, filters))
    return tuple(cell for cell in found if cell is not None and cell.value is not None)


def passes(wanted: Filter, cell: Cell | None) -> bool:
    """Whether a row with this cell in the filter's column counts, as a scan of its file decides."""
    if isinstance(wanted.value, Decimal):
        return cell is not None and cell.value is not None and COMPARES[wanted.comparison](cell.value, wanted.value)
    text = cell.text.strip().lower() if cell is not None else ""
    if wanted.comparison == "contains":
        return isinstance(wanted.value, str) and wanted.value.lower() in text
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
    header = next(header for header in table.rows if header.index == cell.row)
    return Row(header, cell, {other.column: other.text for other in table.cells if other.row == cell.row})


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
    return Row(Header(index, path or (row_name(row.record),)), cell, dict(enumerate(row.cells)))


def row_called(row: Row, table: Table, tallied: Header, question: str) -> str:
    """What people call a row: its text in the column that the question names first, else a name in its path, or its
    first text that is no number where it has none.

    Example: path ("PS-015", "Drovers Way", "Saltmarsh") -> "Drovers Way": unique as the number is, and a name.
    """
    asked, path = stems_of(question), row.header.path
    columns = [one for one in columns_of(table) if one.header != tallied and one.index in row.texts]
    is_named = bool(path) and not is_nameless(row.header)
    heads = [column for column in columns if column.stems and not (is_named and column.is_of_dates)]
    if said := [column for column in heads if set(column.stems) <= set(asked)]:
        return row.texts[min(said, key=lambda column: asked.index(column.stems[0])).index]
    if not is_named:
        return next((row.texts[column.index] for column in columns if not column.is_numeric), ARROW.join(path))
    known = [[other.path[level : level + 1] for other in (*table.rows, row.header)] for level in range(len(path))]

    def telling(level: int) -> tuple[bool, bool, int, int]:
        text, others = path[level], known[level][:-1]
        is_name = not any(map(str.isdigit, text))
        return others.count((text,)) <= 1, is_name, len(set(others)), len(text)

    return path[max(range(len(path)), key=telling)]
