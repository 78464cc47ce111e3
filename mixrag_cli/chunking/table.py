"""Tables: one chunk for the whole table, and one a node of its representation: a row, a column, a header's branch.

Rows of the grid that the table does not say have chunks as they stand, so that no row of a file is lost.

Beyond MAX_ROW_CHUNKS rows, blocks of rows share a chunk, so that a large sheet stays searchable without a chunk a row.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from mixrag_cli.chunking.packing import Draft, Frame, cut_piece, pack_pieces
from mixrag_cli.records.documents import Block
from mixrag_cli.records.tables import Cell, Representation, Table
from mixrag_cli.sentences import line_spans
from mixrag_cli.tables.places import locate_cells
from mixrag_cli.tables.representations import cells_by, represent_table
from mixrag_cli.tables.text import table_text
from mixrag_cli.tables.unsaid import Unsaid, find_unsaid

MAX_ROW_CHUNKS = 2_000
TITLE_WORDS = 30  # of a caption; filings write whole sentences there, and the window is small


def table_drafts(frame: Frame, table: Table, block: Block, representation: Representation) -> Iterator[Draft]:
    """The chunks of one table. The table-level text is one of them in every representation: words are sought in it."""
    context = frame.context(*block.heading_path[-2:], _short_title(table))
    whole = list(_whole(frame, table, context))
    told = " ".join(draft.text for draft in whole)
    unsaid = find_unsaid(frame.document.grids[block.grid], table, told) if block.grid is not None else Unsaid()
    for draft in whole:
        yield replace(draft, words=" ".join((*unsaid.corners, draft.words)))
    yield from _unsaid(frame, table, unsaid.rows, context)
    if representation == "table":
        return
    is_long = len(table.rows) > MAX_ROW_CHUNKS  # then its columns are told by their profiles alone
    nodes = represent_table(table, representation)
    texts = {node.indices[0]: node.text for node in nodes if node.kind == "row" and not node.is_inner}
    cells = cells_by(table, "row")
    if len(texts) <= MAX_ROW_CHUNKS:
        for row, text in texts.items():
            yield from _row(frame, table, row, text, context, cells.get(row, []))
    else:
        yield from _row_blocks(frame, table, texts, context, cells)
    columns = cells_by(table, "column")
    for node in nodes:
        if not is_long and (node.kind == "column" or node.is_inner):
            lines = columns if node.kind == "column" else cells
            where = locate_cells(table.locator, [cell for index in node.indices for cell in lines.get(index, [])])
            for text in _windows(frame, node.text, context):
                yield Draft("table", text, context, where, "", table.id)


def _short_title(table: Table) -> str:
    return " ".join(table.title.split()[:TITLE_WORDS])


def _whole(frame: Frame, table: Table, context: str) -> Iterator[Draft]:
    text = table_text(table)
    pieces = [
        piece
        for start, end in line_spans(text)
        for piece in cut_piece(text, start, end, frame.budget(context), frame.count_tokens)
    ]
    group = next(pack_pieces(pieces, frame.budget(context)), None)
    if group:
        shown = text[group[0].start : group[-1].end]
        yield Draft("table", shown, context, table.locator, _header_words(table), table.id)


def _unsaid(frame: Frame, table: Table, rows: Sequence[list[Cell]], context: str) -> Iterator[Draft]:
    """The rows of the grid that the table does not say, as they stand, as many to a chunk as the window holds."""
    lines = [" | ".join(cell.text for cell in row) for row in rows]
    text, starts = "\n".join(lines), list(accumulate((len(line) + 1 for line in lines), initial=0))
    pieces = [
        piece
        for start, end in line_spans(text)
        for piece in cut_piece(text, start, end, frame.budget(context), frame.count_tokens)
    ]
    for group in pack_pieces(pieces, frame.budget(context)):
        first, last = bisect_right(starts, group[0].start) - 1, bisect_left(starts, group[-1].end)
        where = locate_cells(table.locator, [cell for row in rows[first:last] for cell in row])
        yield Draft("table", text[group[0].start : group[-1].end], context, where, "", table.id)


def _header_words(table: Table) -> str:
    """All header words, for the word search, since the text may show only the first of them."""
    words = dict.fromkeys(
        word for header in (*table.columns, *table.rows[:200]) for part in header.path for word in part.split()
    )
    return " ".join(list(words)[:400])


def _row(frame: Frame, table: Table, row: int, text: str, context: str, cells: list[Cell]) -> Iterator[Draft]:
    """One row; a row too wide for the window is cut between cells, its path repeated in front."""
    where = locate_cells(table.locator, cells)
    for part in _windows(frame, text, context):
        yield Draft("row", part, context, where, "", table.id, row)


def _windows(frame: Frame, text: str, context: str) -> Iterator[str]:
    """A node's text, cut between cells where it is wider than the window, its path or the path's beginning in front."""
    budget = frame.budget(context)
    if frame.count_tokens(text) <= budget:
        yield text
        return
    path, mark, rest = text.partition(": ")
    head = frame.clip(path, budget // 3)
    rest = f"{path[len(head) :].lstrip()}{mark}{rest}" if len(head) < len(path) else rest
    room = budget - frame.count_tokens(head) - 2
    line = rest.replace("; ", ";\n")
    pieces = [
        piece for start, end in line_spans(line) for piece in cut_piece(line, start, end, room, frame.count_tokens)
    ]
    for group in pack_pieces(pieces, room):
        yield f"{head}: {line[group[0].start : group[-1].end].replace(chr(10), ' ')}"


def _row_blocks(
    frame: Frame, table: Table, texts: Mapping[int, str], context: str, cells: Mapping[int, list[Cell]]
) -> Iterator[Draft]:
    """Rows of a long table, as many to a chunk as the window holds; a row wider than that is cut by itself."""
    budget = frame.budget(context)
    names = {header.index: " ".join(header.path) for header in table.rows}
    waiting: list[int] = []
    tokens = 0
    for row, text in texts.items():
        count = frame.count_tokens(text)
        if waiting and tokens + count > budget:
            yield _row_block(table, texts, context, cells, names, waiting)
            waiting, tokens = [], 0
        if count > budget:
            yield from _row(frame, table, row, text, context, cells.get(row, []))
            continue
        waiting.append(row)
        tokens += count
    if waiting:
        yield _row_block(table, texts, context, cells, names, waiting)


def _row_block(
    table: Table,
    texts: Mapping[int, str],
    context: str,
    cells: Mapping[int, list[Cell]],
    names: Mapping[int, str],
    rows: list[int],
) -> Draft:
    where = locate_cells(table.locator, [cell for row in rows for cell in cells.get(row, [])])
    words = " ".join(names[row] for row in rows)
    return Draft("row", "\n".join(texts[row] for row in rows), context, where, words, table.id, rows[0])
