"""Body rows of a table without rulings: lines that wrap joined to one row, pieces to cells, cells to the Grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from mixrag_cli.readers.pdf.header_cells import Entry
from mixrag_cli.readers.pdf.layout import Line, merge_boxes
from mixrag_cli.readers.pdf.page import Box
from mixrag_cli.readers.pdf.pieces import Band, Row, columns_of
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator

INDENT_POINTS = 2.5
MAX_INDENT_POINTS = 90.0  # a label farther in is centred, not indented
TIGHT = 0.88  # of the usual row pitch: lines closer than this are one wrapped label
OPEN_ENDS = (",", " and", " of", " the", " to", " in", " for")


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table on a page: its grid, its place, and the lines that it takes out of the running text."""

    grid: Grid
    box: Box
    lines: tuple[Line, ...]


def wrapped_rows(rows: Sequence[Row], bands: Sequence[Band]) -> list[list[Row]]:
    """Rows as groups of lines: a label that wraps over several lines is one row with its figures."""
    steps = [b.line.baseline - a.line.baseline for a, b in pairwise(rows) if a.is_data and b.is_data]
    pitch = median(steps) if steps else 1.35 * rows[0].line.size
    groups: list[list[Row]] = []
    open_group = False
    for index, row in enumerate(rows):
        behind = rows[index + 1] if index + 1 < len(rows) else None
        joins_next = behind is not None and _is_label(row, bands) and _wraps(row, behind, pitch, bands)
        joins_last = (
            bool(groups)
            and not open_group
            and not joins_next
            and _is_label(row, bands)
            and _trails(groups[-1], row, pitch)
        )
        if open_group or joins_last:
            groups[-1].append(row)
        else:
            groups.append([row])
        open_group = joins_next
    return groups


def _is_label(row: Row, bands: Sequence[Band]) -> bool:
    """Whether the row holds one text, over the label column."""
    return len(row.pieces) == 1 and not row.pieces[0].is_number and columns_of(row.pieces[0], bands)[0] == 0


def _wraps(row: Row, behind: Row, pitch: float, bands: Sequence[Band]) -> bool:
    """Whether a label goes on in the next line."""
    step = behind.line.baseline - row.line.baseline
    if behind.pieces[0].is_number or columns_of(behind.pieces[0], bands)[0] > 0:
        return step < 0.9 * row.line.size
    if row.line.text.endswith(":") or row.line.bold is not behind.pieces[0].bold or step > 1.1 * pitch:
        return False
    reads_on = behind.line.text[:1].islower() or row.line.text.endswith(OPEN_ENDS)
    return step < TIGHT * pitch or reads_on


def _trails(group: Sequence[Row], row: Row, pitch: float) -> bool:
    """Whether a label line goes on from the row above it."""
    step = row.line.baseline - group[-1].line.baseline
    return step < 0.9 * row.line.size or (row.line.text[:1].islower() and step <= 1.1 * pitch)


def row_entries(group: Sequence[Row], bands: Sequence[Band], number: int) -> list[Entry]:
    """The cells of one body row, left to right."""
    entries: list[Entry] = []
    for row in group:
        for piece in row.pieces:
            first, last = columns_of(piece, bands)
            host = next((entry for entry in entries if entry.first <= last and first <= entry.last), None)
            if host is not None:
                host.pieces.append(piece)
            else:
                entries.append(Entry([piece], first, last, number))
    return sorted(entries, key=lambda entry: entry.first)


def entries_to_table(
    header: Sequence[Entry],
    body: Sequence[Sequence[Entry]],
    n_columns: int,
    n_levels: int,
    lines: tuple[Line, ...],
    page: int,
) -> FoundTable:
    """Put the cells into a Grid."""
    box = merge_boxes(line.box for line in lines)
    indents = to_indent_levels([row[0].box[0] for row in body if row and row[0].first == 0])
    taken: set[tuple[int, int]] = set()
    cells: list[GridCell] = []
    for entry in (*header, *(entry for row in body for entry in row)):
        places = {
            (r, c) for r in range(entry.row, entry.row + entry.row_span) for c in range(entry.first, entry.last + 1)
        }
        if places & taken:
            continue
        taken |= places
        is_header = entry.row < n_levels
        indent = 0 if is_header or entry.first else indents(entry.box[0])
        cells.append(entry_to_cell(entry, is_header=is_header, indent=indent))
    figures = [entry for row in body for entry in row if entry.first > 0]
    share = sum(entry.pieces[0].is_number for entry in figures) / max(len(figures), 1)
    grid = Grid(
        n_levels + len(body),
        n_columns,
        tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))),
        Locator(chars=(0, 0), page=page, bbox=box),
        total_rows=n_levels + len(body),
        confidence=round(0.5 + 0.5 * share, 2),
    )
    return FoundTable(grid, box, lines)


def entry_to_cell(entry: Entry, *, is_header: bool, indent: int) -> GridCell:
    """The entry as a cell of a grid. indent: the label's depth, 0 for the outermost."""
    return GridCell(
        entry.row,
        entry.first,
        entry.text,
        row_span=entry.row_span,
        column_span=entry.last - entry.first + 1,
        is_percent=entry.text.endswith("%") and entry.pieces[0].is_number,
        is_header=is_header,
        bold=all(piece.bold for piece in entry.pieces),
        indent=indent,
        bbox=entry.box,
    )


def to_indent_levels(lefts: Sequence[float]) -> Callable[[float], int]:
    """A function from a label's left edge to its depth, 0 for the outermost."""
    steps: list[float] = []
    for left in sorted(lefts):
        if (not steps or left - steps[-1] > INDENT_POINTS) and left - min(lefts) < MAX_INDENT_POINTS:
            steps.append(left)
    limit = steps[0] + MAX_INDENT_POINTS if steps else 0.0
    return lambda left: max(0, sum(step <= left + 0.1 for step in steps) - 1) if left < limit else 0
