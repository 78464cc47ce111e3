"""Tables: one chunk for the whole table, and one a row with the full header paths (H-RCL).

Beyond MAX_ROW_CHUNKS rows, blocks of rows share a chunk, so that a large sheet stays searchable without a chunk a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mixrag_cli.chunking.packing import Draft, Frame, cut_piece, line_spans, pack_pieces
from mixrag_cli.records import Block, Cell, Locator, Table
from mixrag_cli.tables.text import row_texts, table_text

MAX_ROW_CHUNKS = 2_000
TITLE_WORDS = 30  # of a caption; filings write whole sentences there, and the window is small


def table_drafts(frame: Frame, table: Table, block: Block) -> Iterator[Draft]:
    """The chunks of one table."""
    context = frame.context(*block.heading_path[-2:], _short_title(table))
    yield from _whole(frame, table, context)
    texts = row_texts(table)
    cells = _cells_by_row(table)
    if len(texts) <= MAX_ROW_CHUNKS:
        for row, text in texts.items():
            yield from _row(frame, table, row, text, context, cells.get(row, []))
    else:
        yield from _row_blocks(frame, table, texts, context, cells)


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


def _header_words(table: Table) -> str:
    """All header words, for the word search, since the text may show only the first of them."""
    words = dict.fromkeys(
        word for header in (*table.columns, *table.rows[:200]) for part in header.path for word in part.split()
    )
    return " ".join(list(words)[:400])


def _row(frame: Frame, table: Table, row: int, text: str, context: str, cells: list[Cell]) -> Iterator[Draft]:
    """One row; a row too wide for the window is cut between cells, its path repeated in front."""
    where = row_locator(table.locator, cells)
    budget = frame.budget(context)
    if frame.count_tokens(text) <= budget:
        yield Draft("row", text, context, where, "", table.id, row)
        return
    head, _, rest = text.partition(": ")
    head = frame.clip(head, budget // 3)
    room = budget - frame.count_tokens(head) - 2
    line = rest.replace("; ", ";\n")
    pieces = [
        piece for start, end in line_spans(line) for piece in cut_piece(line, start, end, room, frame.count_tokens)
    ]
    for group in pack_pieces(pieces, room):
        part = line[group[0].start : group[-1].end].replace("\n", " ")
        yield Draft("row", f"{head}: {part}", context, where, "", table.id, row)


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
    where = row_locator(table.locator, [cell for row in rows for cell in cells.get(row, [])])
    words = " ".join(names[row] for row in rows)
    return Draft("row", "\n".join(texts[row] for row in rows), context, where, words, table.id, rows[0])


def _cells_by_row(table: Table) -> dict[int, list[Cell]]:
    by_row: dict[int, list[Cell]] = {}
    for cell in table.cells:
        by_row.setdefault(cell.row, []).append(cell)
    return by_row


def row_locator(table: Locator, cells: list[Cell]) -> Locator:
    """The place of some cells of a table: their range in a sheet, their lines in a text, else the table's own."""
    addresses = [cell.address for cell in cells if cell.address]
    lines = [cell.line for cell in cells if cell.line is not None]
    return replace(
        table,
        cells=f"{addresses[0]}:{addresses[-1]}" if addresses else table.cells,
        lines=(min(lines), max(lines)) if lines else table.lines,
    )
