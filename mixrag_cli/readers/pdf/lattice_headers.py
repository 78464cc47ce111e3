"""Headers of ruled tables that no ruling parts: header lines in one merged cell, or above the outermost ruling.

The columns of the ruled grid are the bands, and the lines are put over them as those above an aligned table are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mixrag_cli.readers.pdf.header_cells import Entry, header_entries, set_levels
from mixrag_cli.readers.pdf.layout import Line, is_number, merge_boxes, words_to_lines
from mixrag_cli.readers.pdf.page import Box, Rule, Word
from mixrag_cli.readers.pdf.pieces import YEAR, Band, Piece, Row, columns_of, line_to_pieces
from mixrag_cli.readers.pdf.table_body import entry_to_cell
from mixrag_cli.records.documents import Grid, GridCell

MIN_BLOCK_COLUMNS = 3
MIN_BLOCK_SHARE = 0.6  # of the table's columns: a smaller merged cell is one heading
LARGER = 1.25  # times the headings' type size: a title
MAX_ABOVE_LINES = 6
MAX_ABOVE_GAP = 1.8  # of the type size, from a header line to the line or ruling below it
MIN_HEADED_SHARE = 0.5  # of the columns: fewer headings are a line that only stands there


@dataclass(frozen=True, slots=True)
class HeaderRows:
    """Cells of the rows above a table's body, and how many rows they are."""

    cells: tuple[GridCell, ...]
    n_rows: int


def is_header_block(lines: Sequence[Line], n_columns: int, n_all: int) -> bool:
    """Whether one merged cell holds several header lines: two lines, and in them texts side by side.

    n_columns: of the cell. n_all: of the table.
    """
    if len(lines) < 2 or n_columns < MIN_BLOCK_COLUMNS or n_columns < MIN_BLOCK_SHARE * n_all:
        return False
    return max(len(line_to_pieces(line, math.inf)) for line in lines) >= MIN_BLOCK_COLUMNS


def lines_to_header(lines: Sequence[Line], bands: Sequence[Band], rules: Sequence[Rule]) -> HeaderRows:
    """Title lines, a row each over all columns, then the headings over their columns."""
    rows = [Row(line, line_to_pieces(line, math.inf), False) for line in lines]
    n_titles = 0
    size = min(row.line.size for row in rows)
    while n_titles < len(rows) and _is_title(rows[n_titles], bands, size):
        n_titles += 1
    titles = [Entry(list(row.pieces), 0, len(bands) - 1, number) for number, row in enumerate(rows[:n_titles])]
    headings = header_entries(rows[n_titles:], bands, rules)
    n_levels = set_levels(headings)
    for entry in headings:
        entry.row += n_titles
    return HeaderRows(_to_cells((*titles, *headings)), n_titles + n_levels)


def header_above(
    grid: Grid, box: Box, bands: Sequence[Band], words: Iterable[Word], rules: Sequence[Rule]
) -> tuple[Grid, Box, frozenset[Word]] | None:
    """The grid with the headings that stand right above its box, the box around both, and the headings' words.

    None where the grid begins with headings of its own, or none stand above it.
    """
    if not _begins_with_data(grid):
        return None
    near = [word for word in words if word.bottom <= box[1] + 1 and box[0] - 2 <= word.x0 and word.x1 <= box[2] + 2]
    lines = _lines_above(near, box[1], bands)
    if not lines:
        return None
    header = lines_to_header(lines, bands, rules)
    cells = (*header.cells, *(replace(cell, row=cell.row + header.n_rows) for cell in grid.cells))
    whole = merge_boxes((box, *(line.box for line in lines)))
    n_rows = grid.n_rows + header.n_rows
    headed = replace(grid, n_rows=n_rows, total_rows=n_rows, cells=cells, locator=replace(grid.locator, bbox=whole))
    return headed, whole, frozenset(word for line in lines for word in line.words)


def _lines_above(words: Sequence[Word], top: float, bands: Sequence[Band]) -> list[Line]:
    """The lines right above, top to bottom, that name columns; [] where they name too few."""
    found: list[Line] = []
    named: set[int] = set()
    edge = top
    for line in reversed(words_to_lines(words)):
        pieces = line_to_pieces(line, math.inf)
        if edge - line.bottom > MAX_ABOVE_GAP * line.size or len(found) == MAX_ABOVE_LINES:
            break
        if not all(_is_heading(piece) for piece in pieces) or (
            len(pieces) == 1 and not _is_over_data(pieces[0], bands)
        ):
            break
        spans = [columns_of(piece, bands) for piece in pieces]
        if any(a[1] >= b[0] for a, b in itertools.pairwise(spans)):
            break
        named.update(column for first, last in spans for column in range(first, last + 1))
        found.append(line)
        edge = line.top
    while found and len(line_to_pieces(found[-1], math.inf)) == 1 and len(found) > 1:
        if len(line_to_pieces(found[-2], math.inf)) > 1:
            break
        found.pop()
    has_row = any(len(line_to_pieces(line, math.inf)) > 1 for line in found)
    return found[::-1] if has_row and len(named) >= MIN_HEADED_SHARE * len(bands) else []


def _is_heading(piece: Piece) -> bool:
    return not piece.is_number or YEAR.match(piece.text) is not None


def _is_over_data(piece: Piece, bands: Sequence[Band]) -> bool:
    """Whether a text that stands alone lies over the data columns and not over the labels."""
    return piece.x0 >= bands[1].x0 - 2


def _begins_with_data(grid: Grid) -> bool:
    """Whether the first row holds a figure that is no year, so that nothing in the grid names its columns."""
    first = [cell for cell in grid.cells if cell.row == 0 and not cell.is_header]
    return any(is_number(cell.text) and not YEAR.match(cell.text) for cell in first)


def _is_title(row: Row, bands: Sequence[Band], size: float) -> bool:
    """Whether a line is one text over the whole table: in larger type, over the labels, or nearer to the table's middle
    than to that of the data.

    size: of the headings.
    """
    if len(row.pieces) > 1:
        return False
    piece = row.pieces[0]
    if row.line.size > LARGER * size:
        return True
    whole = abs((bands[0].x0 + bands[-1].x1) / 2 - piece.center)
    return piece.x0 < bands[1].x0 or whole < abs((bands[1].x0 + bands[-1].x1) / 2 - piece.center)


def _to_cells(entries: Iterable[Entry]) -> tuple[GridCell, ...]:
    taken: set[tuple[int, int]] = set()
    cells = []
    for entry in entries:
        rows = range(entry.row, entry.row + entry.row_span)
        places = {(row, column) for row in rows for column in range(entry.first, entry.last + 1)}
        if not places & taken:
            taken |= places
            cells.append(entry_to_cell(entry, is_header=True, indent=0))
    return tuple(cells)
