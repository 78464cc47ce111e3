"""A table with its header trees, laid out for the width at hand.

Column headers are stacked, outermost first; row headers become an indented outline, with a line of its own for a
parent that has no data. What does not fit is left out and counted; what is cited is never left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as Layout
from rich.text import Text

from mixrag_cli.output.console import foreign
from mixrag_cli.output.places import is_on, is_within
from mixrag_cli.records import Cell, Header, Table

NARROWEST_COLUMN = 9  # characters: "1,234,567"
LABEL_SHARE = 3  # the row labels get at most one part in three of the width
MAX_ROWS = 40  # a screenful; --json has them all
ROWS_BEFORE_CITED = 6
INDENT = "  "


def table_layout(console: Console, table: Table, highlight: Sequence[str] = ()) -> tuple[Layout, str]:
    """The table ready to print, and one line on what was left out ("" where it is whole)."""
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    cited = {place for place, cell in cells.items() if _is_cited(cell, table.locator.page, highlight)}
    columns = _columns_that_fit(table.columns, {column for _, column in cited}, console.width)
    rows = _rows_to_show(table.rows, {row for row, _ in cited})
    layout = Layout(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    layout.add_column("", max_width=console.width // LABEL_SHARE, overflow="fold")
    for column in columns:
        numeric = any(
            cells[row.index, column.index].value is not None for row in rows if (row.index, column.index) in cells
        )
        layout.add_column(
            foreign("\n".join(column.path), keep_newlines=True), justify="right" if numeric else "left", overflow="fold"
        )
    _add_rows(layout, rows, columns, cells, cited, styled=console.is_terminal)
    return layout, _left_out(table, rows, columns)


def facts_layout(table: Table) -> Layout:
    """Facts ready to print, a row each: the line, the key path, what is said of it."""
    said: dict[int, list[tuple[str, Cell]]] = {}
    leaves = {column.index: column.leaf for column in table.columns}
    for cell in table.cells:
        said.setdefault(cell.row, []).append((leaves[cell.column], cell))
    layout = Layout(box=None, pad_edge=False, header_style="dim")
    for name in ("line", "key", "says"):
        layout.add_column(name, overflow="fold", no_wrap=name == "line", justify="right" if name == "line" else "left")
    for row in table.rows:
        values = said.get(row.index, [])
        line = next((cell.line for _, cell in values if cell.line), None)
        text = "; ".join(cell.text if leaf == "value" else f"{leaf} {cell.text}" for leaf, cell in values)
        layout.add_row("" if line is None else f"L{line}", foreign(" > ".join(row.path)), foreign(text))
    return layout


def _add_rows(
    layout: Layout,
    rows: Sequence[Header],
    columns: Sequence[Header],
    cells: dict[tuple[int, int], Cell],
    cited: set[tuple[int, int]],
    *,
    styled: bool,
) -> None:
    shown: tuple[str, ...] = ()
    for row in rows:
        for depth in range(_common_length(shown, row.path), len(row.path) - 1):
            layout.add_row(foreign(INDENT * depth + row.path[depth], "bold"))
        label = INDENT * (len(row.path) - 1) + row.path[-1] if row.path else ""
        texts = [
            _cell_text(cells.get((row.index, column.index)), (row.index, column.index) in cited, styled)
            for column in columns
        ]
        layout.add_row(foreign(label), *texts, style="bold" if row.is_total else "")
        shown = row.path


def _cell_text(cell: Cell | None, is_cited: bool, styled: bool) -> Text:
    if cell is None:
        return Text("")
    if not is_cited:
        return foreign(cell.text)
    return foreign(cell.text, "bold reverse") if styled else foreign(f"[{cell.text}]")


def _is_cited(cell: Cell, first_page: int | None, highlight: Sequence[str]) -> bool:
    page = cell.page or first_page
    return any(is_within(cell.address, place) or is_on(cell.line, page, place) for place in highlight)


def _columns_that_fit(columns: Sequence[Header], cited: set[int], width: int) -> list[Header]:
    room = max(1, (width - width // LABEL_SHARE) // (NARROWEST_COLUMN + 2))
    wanted = sorted(range(len(columns)), key=lambda place: (columns[place].index not in cited, place))[:room]
    return [columns[place] for place in sorted(wanted)]


def _rows_to_show(rows: Sequence[Header], cited: set[int]) -> list[Header]:
    first = next((place for place, row in enumerate(rows) if row.index in cited), 0)
    start = max(0, min(first - ROWS_BEFORE_CITED, len(rows) - MAX_ROWS))
    return list(rows[start : start + MAX_ROWS])


def _left_out(table: Table, rows: Sequence[Header], columns: Sequence[Header]) -> str:
    missing_rows = max(table.total_rows, len(table.rows)) - len(rows)
    missing_columns = len(table.columns) - len(columns)
    parts = []
    if missing_rows > 0:
        parts.append(f"{missing_rows:,} more {'row' if missing_rows == 1 else 'rows'}")
    if missing_columns > 0:
        parts.append(f"{missing_columns} more {'column' if missing_columns == 1 else 'columns'}")
    return f"… and {' and '.join(parts)} (all with --json)" if parts else ""


def _common_length(one: Sequence[str], other: Sequence[str]) -> int:
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))
