"""Rows of cells to Grids: what the spreadsheet and the delimited-text readers share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mixrag_cli.records.documents import Grid, GridCell

MAX_GRID_COLUMNS = 128  # wider tables become several grids, each with the first column in front
MAX_RAW_ROWS = 500  # rows of a table that also stand in the running text
MAX_RAW_CHARS = 60_000
MAX_RAW_CELL_CHARS = 1_000
MAX_CELL_CHARS = 10_000  # longer cells are documents of their own; their head is kept


def raw_text(grid: Grid) -> str:
    """The table as readable text, " | " between cells, cut at MAX_RAW_ROWS rows and MAX_RAW_CHARS characters."""
    rows: dict[int, dict[int, str]] = {}
    for cell in grid.cells:
        if cell.row < MAX_RAW_ROWS:
            rows.setdefault(cell.row, {})[cell.column] = " ".join(cell.text.split())[:MAX_RAW_CELL_CHARS]
    lines: list[str] = []
    length = 0
    for row in sorted(rows):
        last = max(rows[row])
        line = " | ".join(rows[row].get(column, "") for column in range(last + 1))
        length += len(line) + 1
        if length > MAX_RAW_CHARS:
            lines.append(line[: max(0, MAX_RAW_CHARS - (length - len(line)))] + " …")
            break
        lines.append(line)
    else:
        if len(rows) < max(grid.n_rows, grid.total_rows) and grid.n_rows > MAX_RAW_ROWS:
            lines.append("…")
    return "\n".join(lines)


def split_wide(n_columns: int, cells: Sequence[GridCell]) -> Iterator[tuple[Sequence[int], tuple[GridCell, ...]]]:
    """The grids that a table becomes: the columns of each, counted in the whole, and its cells, renumbered.

    A table of up to MAX_GRID_COLUMNS stays whole; of a wider one each part has the first column in front. Spans end
    where a part ends; parts in which nothing but the first column stands are left out.
    """
    if n_columns <= MAX_GRID_COLUMNS:
        yield range(n_columns), tuple(cells)
        return
    by_column: dict[int, list[GridCell]] = {}
    for cell in cells:
        for column in range(cell.column, cell.column + cell.column_span):
            by_column.setdefault(column, []).append(cell)
    step = MAX_GRID_COLUMNS - 1
    for start in range(1, n_columns, step):
        columns = [0, *range(start, min(start + step, n_columns))]
        chosen = _select_columns(by_column, columns)
        if any(cell.column > 0 for cell in chosen):
            yield columns, chosen


def _select_columns(by_column: dict[int, list[GridCell]], columns: list[int]) -> tuple[GridCell, ...]:
    chosen: dict[tuple[int, int], GridCell] = {}
    for place, column in enumerate(columns):
        for cell in by_column.get(column, ()):
            left = max(cell.column, columns[1]) if place else 0
            if left == column:
                span = min(cell.column + cell.column_span - 1, columns[-1]) - column + 1 if place else 1
                chosen[cell.row, place] = _moved(cell, place, span)
    return tuple(chosen[key] for key in sorted(chosen))


def _moved(cell: GridCell, column: int, span: int) -> GridCell:
    return GridCell(
        cell.row,
        column,
        cell.text,
        cell.row_span,
        span,
        cell.number,
        cell.is_percent,
        cell.is_date,
        cell.is_header,
        cell.bold,
        cell.indent,
        cell.address,
        cell.bbox,
        cell.line,
    )
