"""Tables as text for search: one text a row and a column with full header paths, and one for the whole table.

Source: MixRAG, eq. 2-8: the hierarchical row-and-column representation (H-RCL).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from mixrag_cli.quantities.facets import Facets, facets_of
from mixrag_cli.quantities.shown import as_shown, number_text
from mixrag_cli.quantities.shown import unit_text as unit_and_scale
from mixrag_cli.quantities.unit_words import MEASURES, find_unit_and_scale, is_unit_expression
from mixrag_cli.quantities.values import parse_value
from mixrag_cli.quotes import find_quote
from mixrag_cli.records.documents import ColumnProfile
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.tables.members import summary_rows
from mixrag_cli.tables.units import unit_of_header

ARROW = " > "
BETWEEN_PATHS = " | "  # of a row and a column
_ROW_NAME = re.compile(r"^row \d+$")
_LAST_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]{1,40})[)\]]\s*$")
MAX_HEAD_ROWS = 5
_FIELD_NAME = re.compile(r"[a-z]{1,3}")
MAX_NAMES = 40  # column or row names listed in a table's text; more say little and fill the window


def cell_label(row: Header, column: Header) -> str:
    """A cell's two header paths as one line.

    Example: paths (Sex, Female) and (2011,) -> "Sex > Female | 2011"; a side without a path is left out.
    """
    return BETWEEN_PATHS.join(ARROW.join(header.path) for header in (row, column) if header.path)


def times_of(*headers: Header) -> Facets:
    """All times that the headers' paths speak of. Example: ("Three Months Ended", "July 1, 2023") -> that day's."""
    found = Facets()
    for header in headers:
        if said := facets_of(" ".join(header.path)):  # most headers of a long table say none
            found |= said
    return found


def shown_cell(cell: Cell) -> str:
    """The number for people; what is none as it stands."""
    if cell.value is None:
        return cell.text.strip()
    return number_text(as_shown(cell.value, cell.text), cell.unit, cell.scale, cell.text)


def cell_mark(label: str, quote: str, text: str) -> tuple[int, int] | None:
    """Where a row's text says a cell behind its column's header path: [start, end) of the value; None where not.

    label: as of cell_label. Example: "76" of "threats | probation > percent" in "…; probation > percent 76; …".
    """
    column = label.rpartition(BETWEEN_PATHS)[2]
    named = find_quote(f"{column} {quote}", text)
    if named is None:
        return None
    start, end = named
    value = find_quote(quote, text[start + len(column) : end])
    return value and (start + len(column) + value[0], start + len(column) + value[1])


def row_text(table: Table, row: int) -> str:
    """One row with the full paths of its row and its columns; "" for a row that the table has not.

    Example: "Sex > Female: Agricultural region 1 > French-language workers 35.3 %; …"
    row: the grid index, as in Header.index.
    """
    header = next((found for found in table.rows if found.index == row), None)
    if header is None:
        return ""
    cells = {cell.column: cell for cell in table.cells if cell.row <= row < cell.row + cell.row_span}
    return _row_text(table, header, cells)


def row_texts(table: Table) -> dict[int, str]:
    """Every row's text by grid index: the same as row_text, in one pass over the cells."""
    by_row: dict[int, dict[int, Cell]] = {header.index: {} for header in table.rows}
    for cell in table.cells:
        for row in range(cell.row, cell.row + cell.row_span):
            if row in by_row:
                by_row[row][cell.column] = cell
    return {header.index: _row_text(table, header, by_row[header.index]) for header in table.rows}


def _row_text(table: Table, header: Header, cells: dict[int, Cell]) -> str:
    named = [(column, cells[column.index]) for column in table.columns if column.index in cells]
    n_keys = _count_keys(header, named)
    path = "; ".join(_named(*pair) for pair in named[:n_keys]) if n_keys else ARROW.join(said_path(header))
    is_nameless = all(column.path == (column_name(column.index),) for column in table.columns)
    parts = [
        _value(cell, table.unit, header) if is_nameless else _named(column, cell, table.unit, header)
        for column, cell in named[n_keys:]
    ]
    return ": ".join(part for part in (path, "; ".join(parts)) if part)


def _count_keys(header: Header, named: list[tuple[Header, Cell]]) -> int:
    """How many leading columns are the row's own path (a flat table's key columns), 0 where the path is another."""
    n = len(header.path)
    texts = tuple(" ".join(cell.text.split()) for _, cell in named[:n])
    return n if texts == header.path else 0


def table_text(table: Table) -> str:
    """Title, unit, size, headers, the profile of each column, notes and the first rows, a line each."""
    lines = [table.title] if table.title else []
    if unit := unit_text(table):
        lines.append(f"unit: {unit}")
    n_rows = max(table.total_rows, len(table.rows))
    lines.append(f"{n_rows:,} rows, {len(table.columns)} columns: {_names(table.columns)}")
    if not table.profiles and has_labels(table):
        lines.append(f"rows: {_names(table.rows)}")
    lines += profile_lines(table)
    lines += list(table.notes[:3])
    texts = row_texts(table) if len(table.rows) <= MAX_HEAD_ROWS else {}
    lines += [texts.get(header.index) or row_text(table, header.index) for header in table.rows[:MAX_HEAD_ROWS]]
    return "\n".join(lines)


def unit_text(table: Table) -> str:
    """The table's unit in words: "USD, in millions"; "" where none is known."""
    scale = {1: "", 1_000: "in thousands", 10**6: "in millions", 10**9: "in billions"}.get(
        table.scale, f"times {table.scale:,}"
    )
    return ", ".join(part for part in (table.unit, scale) if part)


def cell_text(cell: Cell, path: tuple[str, ...] = ()) -> str:
    """A cell's text with its unit and scale where neither the text nor a heading shows them: "35.3 %", "4 USD million".

    path: the headings that stand beside it, of its row and its column.
    """
    if cell.value is None or not cell.unit or any(sign in cell.text for sign in "%$€£¥"):
        return cell.text
    if cell.unit.lower() in cell.text.lower():
        return cell.text
    scale = cell.scale if cell.scale != parse_value(cell.text).scale else 1
    if scale != 1:
        told = [unit_of_header(part) for part in path]
        if any((unit.unit, unit.scale) == (cell.unit, scale) for unit in told):
            return cell.text
        scale = 1 if any(unit.scale == scale for unit in told) else scale
    return f"{cell.text} {unit_and_scale(cell.unit, scale)}"


def profile_lines(table: Table) -> list[str]:
    """Low, high, sum and average of each column of figures; the distinct texts of a column of few."""
    if table.profiles:
        names = {header.index: ARROW.join(header.path) for header in table.columns}
        lines = [_profile_line(profile, names[profile.index]) for profile in table.profiles if profile.index in names]
    else:
        keys = key_columns(table)
        totals = summary_rows(table)
        by_column: dict[int, list[Cell]] = {header.index: [] for header in table.columns}
        for cell in table.cells:
            if cell.row not in totals:
                by_column[cell.column].append(cell)
        lines = [_cells_line(header, by_column[header.index]) for header in table.columns if header.index not in keys]
    return [line for line in lines if line]


def row_name(number: int) -> str:
    """What a row is called that has no label of its own. number: from 1."""
    return f"row {number}"


def column_name(index: int) -> str:
    """What a column is called that has no header. index: from 0, as in Header.index."""
    return f"column {index + 1}"


def field_names(names: Sequence[str]) -> frozenset[str]:
    """Those that are a short word in small letters where most begin with one, as fields do: they say no unit.

    Example: of "smiles", "mw", "logp" the second and no megawatts; of "Team", "Played", "cm" none.
    """
    if 2 * sum(name[:1].islower() for name in names) <= len(names):
        return frozenset()
    return frozenset(name for name in names if _FIELD_NAME.fullmatch(name) and find_unit_and_scale(name) == ("", 1))


def has_labels(table: Table) -> bool:
    """Whether a row of the table has a label of its own; a total below rows without any is none of their labels."""
    rows = [row for row in table.rows if not row.is_total] or table.rows
    return any(map(said_path, rows))


def said_path(row: Header) -> tuple[str, ...]:
    """The row's path, but for a name that only counts it: "row 21" is not what is asked for "at 21 A"."""
    return () if len(row.path) == 1 and _ROW_NAME.match(row.path[0]) else row.path


def key_columns(table: Table) -> set[int]:
    """Columns whose cells are the row paths themselves."""
    if not table.rows:
        return set()
    first = table.rows[0]
    named = [
        (column, cell)
        for column in table.columns
        for cell in table.cells[: len(table.columns)]
        if cell.column == column.index
    ]
    return {column.index for column, _ in named[: _count_keys(first, named)]}


def _named(column: Header, cell: Cell, known_unit: str = "", row: Header | None = None) -> str:
    """The cell behind its column's path."""
    return f"{ARROW.join(column.path)} {_value(cell, known_unit, column, row)}"


def _value(cell: Cell, known_unit: str, *headers: Header | None) -> str:
    """The cell's text; a unit that the whole table has is not repeated in each cell."""
    path = tuple(part for header in headers if header is not None for part in header.path)
    return cell_text(cell, path) if cell.unit != known_unit else cell.text


def _names(headers: tuple[Header, ...]) -> str:
    names = "; ".join(ARROW.join(header.path) for header in headers[:MAX_NAMES])
    return names if len(headers) <= MAX_NAMES else f"{names}; … ({len(headers) - MAX_NAMES:,} more)"


def _profile_line(profile: ColumnProfile, name: str) -> str:
    if profile.numbers and profile.total is not None and profile.numbers * 2 >= profile.count:
        return f"{name}: {_summary(profile.low, profile.high, profile.total, profile.numbers)}"
    return f"{name}: {', '.join(profile.distinct[:12])}" if profile.distinct else ""


def _cells_line(header: Header, cells: list[Cell]) -> str:
    values = [cell.value for cell in cells if cell.value is not None]
    if len(values) < 2 or len(values) * 2 < len(cells):
        return ""
    summary = _summary(min(values), max(values), sum(values, Decimal(0)), len(values))
    return f"{ARROW.join(header.path)}: {summary}"


def _summary(low: Decimal | None, high: Decimal | None, total: Decimal, n: int) -> str:
    return f"low {_short(low)}, high {_short(high)}, sum {_short(total)}, average {_short(total / n)}"


def _short(value: Decimal | None) -> str:
    if value is None:
        return ""
    text = f"{value:.4f}"  # round() has no more than 28 digits
    return text.rstrip("0").rstrip(".") if "." in text else text


def without_unit(label: str) -> str:
    """The label less the unit that its last brackets say. Example: "Nitrate (mg/L)" -> "Nitrate"."""
    if (found := _LAST_BRACKETS.search(label)) is None:
        return label
    is_symbol = re.fullmatch(MEASURES, found[1], re.I) is not None or is_unit_expression(found[1])
    is_unit = is_symbol or find_unit_and_scale(found[1]) != ("", 1)
    return label[: found.start()] if is_unit else label
