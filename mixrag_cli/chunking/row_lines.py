"""All rows of a sampled table as blocks of lines under its header, to be searched by words alone.

Each block is one passage: the header line once, then as many rows as the window holds. They get no vector, so that a
row costs what its words cost and no computing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mixrag_cli.chunking.packing import Draft, Frame
from mixrag_cli.records.documents import Block, Grid, RowLine
from mixrag_cli.records.places import Locator

HEADER_SHARE = 3  # the header line takes at most a third of a passage


def row_line_drafts(frame: Frame, block: Block, grid: Grid, parent: str) -> Iterator[Draft]:
    """The blocks of one sampled table; none of a table that is kept whole. parent: the table's id."""
    if not grid.row_lines:
        return
    header, *rows = grid.row_lines
    context = frame.context(*block.heading_path[-2:])
    budget = frame.budget(context)
    head = frame.clip(header.text, budget // HEADER_SHARE)
    room = budget - frame.count_tokens(head) - 1
    waiting: list[RowLine] = []
    tokens = 0
    for row in rows:
        count = frame.count_tokens(row.text) + 1
        if waiting and tokens + count > room:
            yield _draft(head, waiting, context, grid, parent)
            waiting, tokens = [], 0
        waiting.append(row)
        tokens += count
    if waiting:
        yield _draft(head, waiting, context, grid, parent)


def _draft(head: str, rows: Sequence[RowLine], context: str, grid: Grid, parent: str) -> Draft:
    text = "\n".join([head, *(row.text for row in rows)])
    return Draft("row", text, context, _place(grid.locator, rows), "", parent)


def _place(table: Locator, rows: Sequence[RowLine]) -> Locator:
    """The lines of the rows, or their rows in the sheet."""
    first, last = rows[0], rows[-1]
    if first.lines is not None and last.lines is not None:
        return replace(table, lines=(first.lines[0], last.lines[1]))
    if first.sheet_row is None or last.sheet_row is None or not table.cells:
        return table
    left, _, right = table.cells.partition(":")
    columns = left.rstrip("0123456789"), (right or left).rstrip("0123456789")
    return replace(table, cells=f"{columns[0]}{first.sheet_row}:{columns[1]}{last.sheet_row}")
