"""Headers of ruled tables that no ruling parts: header lines in one merged cell, or above the outermost ruling.

The columns of the ruled grid are the bands, and the lines are put over them as those above an aligned table are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mixrag_cli.readers.pdf.header_cells import Entry, header_entries, set_levels
from mixrag_cli.readers.pdf.lattice import Lattice
from mixrag_cli.readers.pdf.layout import Line, is_number, words_to_lines
from mixrag_cli.readers.pdf.page import Rule, Word
from mixrag_cli.readers.pdf.pieces import YEAR, Band, Piece, Row, columns_of, line_to_pieces

MIN_BLOCK_COLUMNS = 3
MIN_BLOCK_SHARE = 0.6  # of the table's columns: a smaller merged cell is one heading
LARGER = 1.25  # times the headings' type size: a title
MAX_ABOVE_LINES = 6
MAX_ABOVE_GAP = 1.8  # of the type size, from a header line to the line or ruling below it
MIN_HEADED_SHARE = 0.5  # of the columns: fewer headings are a line that only stands there


def is_header_block(lines: Sequence[Line], n_columns: int, n_all: int) -> bool:
    """Whether one merged cell holds several header lines: two lines, and in them texts side by side.

    n_columns: of the cell. n_all: of the table.
    """
    if len(lines) < 2 or n_columns < MIN_BLOCK_COLUMNS or n_columns < MIN_BLOCK_SHARE * n_all:
        return False
    return max(len(line_to_pieces(line, math.inf)) for line in lines) >= MIN_BLOCK_COLUMNS


def lines_to_header(lines: Sequence[Line], bands: Sequence[Band], rules: Sequence[Rule]) -> tuple[list[Entry], int]:
    """Title lines, a row each over all columns, then the headings over their columns; and how many rows they take."""
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
    return [*titles, *headings], n_titles + n_levels


def with_header_above(table: Lattice, words: Iterable[Word], rules: Sequence[Rule]) -> Lattice:
    """The table with the headings that stand right above its box, where it begins with figures and some stand there.

    A lone label between the two is the section of its first rows.
    """
    if not begins_with_data(table):
        return table
    left, top, right, _ = table.box
    near = [word for word in words if word.bottom <= top + 1 and left - 2 <= word.x0 and word.x1 <= right + 2]
    lines, headed = _lines_above(near, top, table.bands), table
    if not lines and (section := _section_above(near, top, table.bands)) is not None:
        above = [word for word in near if word.bottom <= section.top + 1]
        lines = _lines_above(above, section.top, table.bands)
        label = Entry([*line_to_pieces(section, math.inf)], 0, 0)
        headed = replace(table.below([label], 1, [section]), n_header=0)
    return headed.below(*lines_to_header(lines, table.bands, rules), lines) if lines else table


def _section_above(words: Sequence[Word], top: float, bands: Sequence[Band]) -> Line | None:
    """The line right above where it is one text over the labels; None for another."""
    line = next(reversed(words_to_lines(words)), None)
    if line is None or top - line.bottom > MAX_ABOVE_GAP * line.size:
        return None
    pieces = line_to_pieces(line, math.inf)
    is_label = len(pieces) == 1 and not _is_over_data(pieces[0], bands) and not pieces[0].is_amount
    return line if is_label else None


def _lines_above(words: Sequence[Word], top: float, bands: Sequence[Band]) -> list[Line]:
    """The lines right above, top to bottom, that name columns; [] where they name too few."""
    found: list[Line] = []
    named: set[int] = set()
    edge = top
    for line in reversed(words_to_lines(words)):
        pieces = line_to_pieces(line, math.inf)
        if edge - line.bottom > MAX_ABOVE_GAP * line.size or len(found) == MAX_ABOVE_LINES:
            break
        if not _are_headings(pieces, bands) or (len(pieces) == 1 and not _is_over_data(pieces[0], bands)):
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


def _are_headings(pieces: Sequence[Piece], bands: Sequence[Band]) -> bool:
    """Whether the pieces of a line are headings; a few may be numbers, where the line goes on from one above: "14"."""
    n_texts = sum(not piece.is_amount and _is_over_data(piece, bands) for piece in pieces)
    n_numbers = sum(piece.is_amount for piece in pieces)
    return n_numbers == 0 or 2 * n_numbers < n_texts


def _is_over_data(piece: Piece, bands: Sequence[Band]) -> bool:
    """Whether a text that stands alone lies over the data columns and not over the labels."""
    return piece.x0 >= bands[1].x0 - 2


def begins_with_data(table: Lattice) -> bool:
    """Whether the first row holds a figure that is no year, so that nothing in the table names its columns.

    It is the first row beside whose label something stands: a label alone heads a section.
    """
    first = min((cell.row for cell in table.cells if cell.last > 0), default=0) if not table.n_header else -1
    return any(is_number(cell.text) and not YEAR.match(cell.text) for cell in table.cells if cell.row == first)


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
