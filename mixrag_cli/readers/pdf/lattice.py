"""A table on a page while it is built, whatever tells its rows and columns: drawn rulings, gaps or alignment.

columns as bands, cells over them, the header's rows first ─► Grid
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from mixrag_cli.readers.pdf.header_cells import Entry
from mixrag_cli.readers.pdf.layout import Line, merge_boxes
from mixrag_cli.readers.pdf.page import Box, Word
from mixrag_cli.readers.pdf.pieces import Band
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator

INDENT_POINTS = 2.5
MAX_INDENT_POINTS = 90.0  # a label farther in is centred, not indented
RULED_CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True)
class Lattice:
    """A table's columns and cells. The first n_header of its n_rows rows are headings.

    words: that it takes out of the running text. is_ruled: rulings part its cells; else figures stand under each other,
    and how far in a label begins tells its depth. is_headless: its first row is known to be none of headings.
    """

    bands: tuple[Band, ...]
    cells: tuple[Entry, ...]
    n_header: int
    n_rows: int
    box: Box
    words: frozenset[Word] = field(repr=False)
    is_ruled: bool
    is_headless: bool = False

    def below(self, headings: Iterable[Entry], n_header: int, lines: Sequence[Line]) -> Lattice:
        """The table with so many rows of headings put above it. lines: theirs."""
        shifted = (replace(cell, row=cell.row + n_header) for cell in self.cells)
        return replace(
            self,
            cells=(*headings, *shifted),
            n_header=self.n_header + n_header,
            n_rows=self.n_rows + n_header,
            box=merge_boxes((self.box, *(line.box for line in lines))),
            words=self.words.union(word for line in lines for word in line.words),
            is_headless=False,
        )

    def to_grid(self, page: int) -> Grid:
        """The Grid; a cell that would lie over one before it is left out. page: for the locator, from 1."""
        labels = [cell.box[0] for cell in self.cells if cell.row >= self.n_header and cell.first == 0]
        depth = to_indent_levels([] if self.is_ruled else labels)
        taken: set[tuple[int, int]] = set()
        cells: list[GridCell] = []
        for cell in self.cells:
            if not taken & cell.places:
                taken |= cell.places
                is_label = cell.row >= self.n_header and cell.first == 0
                indent = depth(cell.box[0]) if is_label else 0
                cells.append(_to_cell(cell, is_header=cell.row < self.n_header, indent=indent))
        return Grid(
            self.n_rows,
            len(self.bands),
            tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))),
            Locator(chars=(0, 0), page=page, bbox=self.box),
            total_rows=self.n_rows,
            confidence=RULED_CONFIDENCE if self.is_ruled else self._share_of_figures(),
            is_headless=self.is_headless,
        )

    def _share_of_figures(self) -> float:
        """From .5 for none to 1 where all cells behind the labels are figures."""
        behind = [cell for cell in self.cells if cell.row >= self.n_header and cell.first > 0]
        return round(0.5 + 0.5 * sum(cell.pieces[0].is_number for cell in behind) / max(len(behind), 1), 2)


def _to_cell(cell: Entry, *, is_header: bool, indent: int) -> GridCell:
    return GridCell(
        cell.row,
        cell.first,
        cell.text,
        row_span=cell.row_span,
        column_span=cell.last - cell.first + 1,
        is_percent=cell.text.endswith("%") and cell.pieces[0].is_number,
        is_header=is_header,
        bold=all(piece.bold for piece in cell.pieces),
        indent=indent,
        bbox=cell.box,
    )


def to_indent_levels(lefts: Sequence[float]) -> Callable[[float], int]:
    """A function from a label's left edge to its depth, 0 for the outermost."""
    steps: list[float] = []
    for left in sorted(lefts):
        if (not steps or left - steps[-1] > INDENT_POINTS) and left - min(lefts) < MAX_INDENT_POINTS:
            steps.append(left)
    limit = steps[0] + MAX_INDENT_POINTS if steps else 0.0
    return lambda left: max(0, sum(step <= left + 0.1 for step in steps) - 1) if left < limit else 0
