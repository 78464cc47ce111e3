"""Tables written out in tests, as texts with merged regions and indents."""

from __future__ import annotations

from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table

Spans = dict[tuple[int, int], tuple[int, int]]


def to_grid(
    rows: list[list[str]], spans: Spans | None = None, indents: dict[int, int] | None = None, caption: str = ""
) -> Grid:
    cells = tuple(
        GridCell(r, c, text, *(spans or {}).get((r, c), (1, 1)), indent=(indents or {}).get(r, 0) if c == 0 else 0)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        if text or (r, c) in (spans or {})
    )
    return Grid(len(rows), max(map(len, rows)), cells, Locator((0, 10)), caption=caption)


def to_table(
    rows: list[list[str]], spans: Spans | None = None, indents: dict[int, int] | None = None, caption: str = ""
) -> Table:
    table = grid_to_table(to_grid(rows, spans, indents, caption), document="d", title="file")
    assert table is not None
    return table


def tops(table: Table) -> list[tuple[str, ...]]:
    return [column.path for column in table.columns]


def lefts(table: Table) -> list[tuple[str, ...]]:
    return [row.path for row in table.rows]
