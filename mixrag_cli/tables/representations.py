"""A table as texts to search by: as a whole, by rows and columns, or by rows and columns with their full header paths.

    table        one text for the whole table
    rcl          a text a row and a column, headers flat (the innermost label alone)
    h-rcl        the same with full paths, and a text for each inner node of the two header trees
    h-rcl-rows   its rows alone: half the texts

The right table of 500 HiTab tables comes first by meaning alone for 56.4, 65.8, 70.0 and 68.0 % of 500 questions, in
the order above; fused with the words as the product does it for 70.4, 71.6, 72.8 and 72.4 %. So the rows alone are the
default: the columns' texts double the index for what the words find anyway (tests/benchmarks/table_retrieval.py).

Source: MixRAG, section 4.1, eq. 2-8. Its generator is replaced by rules: a node's text is its path, then the paths of
all crossing leaves with their values; an inner node's text names its children and the range of values below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mixrag_cli.records.tables import Cell, Header, Representation, Table
from mixrag_cli.tables.text import ARROW, cell_text, key_columns, row_texts, table_text

MAX_CHILDREN = 40  # named in an inner node's text; more fill the window and say little
NumberRange = tuple[Cell, Cell]


@dataclass(frozen=True, slots=True)
class NodeText:
    """The text of one node. indices: the grid rows or columns it speaks of; a leaf has one, an inner node several."""

    kind: Literal["table", "row", "column"]
    text: str
    indices: tuple[int, ...] = ()
    is_inner: bool = False


def represent_table(table: Table, representation: Representation) -> tuple[NodeText, ...]:
    """The texts of a representation: rows in order, then columns, then inner nodes; one text for "table"."""
    if representation == "table":
        return (NodeText("table", table_text(table)),)
    if representation == "rcl":
        flat = flatten_headers(table)
        return (*row_nodes(flat), *column_nodes(flat))
    if representation == "h-rcl-rows":
        return tuple(row_nodes(table))
    return (*row_nodes(table), *column_nodes(table), *inner_row_nodes(table), *inner_column_nodes(table))


def flatten_headers(table: Table) -> Table:
    """The table with one level of headers: each path cut to its innermost label. Source: MixRAG, eq. 5."""
    return replace(table, rows=_flatten(table.rows), columns=_flatten(table.columns))


def row_nodes(table: Table) -> Iterator[NodeText]:
    """One text a data row. Source: MixRAG, eq. 6 and 7 at the leaves."""
    for row, text in row_texts(table).items():
        yield NodeText("row", text, (row,))


def column_nodes(table: Table) -> Iterator[NodeText]:
    """One text a column of data, key columns (the rows' own names) left out; columns without cells too."""
    names = {row.index: ARROW.join(row.path) for row in table.rows}
    keys = key_columns(table)
    by_column = cells_by(table, "column")
    for header in table.columns:
        cells = [cell for cell in by_column.get(header.index, ()) if cell.row in names]
        if cells and header.index not in keys:
            values = "; ".join(f"{names[cell.row]} {_value_text(cell, table, header)}" for cell in cells)
            yield NodeText("column", f"{ARROW.join(header.path)}: {values}", (header.index,))


def inner_row_nodes(table: Table) -> Iterator[NodeText]:
    """One text for each path above the rows' leaves that is no data row itself. Source: MixRAG, eq. 7 at r < R."""
    by_row = cells_by(table, "row")
    for path, headers in _inner_paths(table.rows):
        cells = [cell for header in headers for cell in by_row.get(header.index, ())]
        text = _inner_text(path, headers, table.columns, cells, "column")
        yield NodeText("row", text, tuple(header.index for header in headers), is_inner=True)


def inner_column_nodes(table: Table) -> Iterator[NodeText]:
    """The same for the paths above the columns' leaves."""
    by_column = cells_by(table, "column")
    for path, headers in _inner_paths(table.columns):
        cells = [cell for header in headers for cell in by_column.get(header.index, ())]
        text = _inner_text(path, headers, table.rows, cells, "row")
        yield NodeText("column", text, tuple(header.index for header in headers), is_inner=True)


def _flatten(headers: Iterable[Header]) -> tuple[Header, ...]:
    return tuple(replace(header, path=(header.leaf,)) for header in headers)


def cells_by(table: Table, axis: Literal["row", "column"]) -> dict[int, list[Cell]]:
    """The cells by their row's or column's number."""
    found: dict[int, list[Cell]] = {}
    for cell in table.cells:
        found.setdefault(cell.row if axis == "row" else cell.column, []).append(cell)
    return found


def _inner_paths(headers: tuple[Header, ...]) -> Iterator[tuple[tuple[str, ...], list[Header]]]:
    """Each proper prefix of a path that is nobody's whole path, with the headers below it."""
    leaves = {header.path for header in headers}
    below: dict[tuple[str, ...], list[Header]] = {}
    for header in headers:
        for depth in range(1, len(header.path)):
            below.setdefault(header.path[:depth], []).append(header)
    return ((path, found) for path, found in below.items() if path not in leaves and len(found) > 1)


def _inner_text(
    path: tuple[str, ...],
    headers: list[Header],
    crossing: tuple[Header, ...],
    cells: list[Cell],
    axis: Literal["row", "column"],
) -> str:
    children = list(dict.fromkeys(header.path[len(path)] for header in headers))[:MAX_CHILDREN]
    ranges = _ranges(cells, axis)
    parts = [
        f"{ARROW.join(header.path)} {_range_text(*ranges[header.index], (*path, *header.path))}"
        for header in crossing
        if header.index in ranges
    ]
    return f"{ARROW.join(path)} ({', '.join(children)}): {'; '.join(parts)}"


def _ranges(cells: Iterable[Cell], axis: Literal["row", "column"]) -> Mapping[int, NumberRange]:
    """The cells with the least and the greatest number of each crossing line."""
    found: dict[int, NumberRange] = {}
    for cell in cells:
        if (value := cell.value) is None:
            continue
        at = cell.column if axis == "column" else cell.row
        low, high = found.get(at, (cell, cell))
        is_low, is_high = low.value is None or value < low.value, high.value is None or value > high.value
        found[at] = (cell if is_low else low, cell if is_high else high)
    return found


def _range_text(low: Cell, high: Cell, path: tuple[str, ...]) -> str:
    last = cell_text(high, path)
    return last if low.value == high.value else f"{low.text} to {last}"


def _value_text(cell: Cell, table: Table, column: Header) -> str:
    """The cell's text; a unit that the whole table has is not repeated in each cell."""
    return cell_text(cell, column.path) if cell.unit != table.unit else cell.text
