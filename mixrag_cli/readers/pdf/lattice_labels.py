"""Labels of rows that stand left of a ruled table, where its rulings go around the figures alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from mixrag_cli.readers.pdf.header_cells import Entry
from mixrag_cli.readers.pdf.lattice import Lattice
from mixrag_cli.readers.pdf.layout import Line, is_number, merge_boxes, words_to_lines
from mixrag_cli.readers.pdf.page import Word
from mixrag_cli.readers.pdf.pieces import YEAR, Band, words_to_piece

MIN_LABELLED = 0.8  # of the rows of figures
MIN_ROWS = 3


def with_labels_beside(table: Lattice, words: Sequence[Word]) -> Lattice:
    """The table with a first column of the texts beside its rows, where nearly each has one and no label of its own."""
    left, top, _, bottom = table.box
    near = [word for word in words if word.x1 <= left + 1 and top <= word.baseline <= bottom + 1]
    column = sorted((cell for cell in table.cells if cell.first == 0), key=lambda cell: cell.row)
    first = list(takewhile(lambda cell: is_number(cell.text), reversed(column)))  # those below the headings
    if not near or len(first) < MIN_ROWS or all(YEAR.match(cell.text) for cell in first):
        return table
    highest = min(first, key=lambda cell: cell.row)
    above, lines = _parted(words_to_lines(near), highest.box[1])
    labels = _by_row([*above, *lines] if len(above) == highest.row else lines, first)
    n_labelled = len(labels.keys() & {cell.row for cell in first})
    if n_labelled < MIN_LABELLED * len(first) or all(is_number(line.text) for line in lines):
        return table
    moved = (replace(cell, first=cell.first + 1, last=cell.last + 1) for cell in table.cells)
    entries = (Entry([words_to_piece(line.words)], 0, 0, row) for row, line in labels.items())
    box = merge_boxes(line.box for line in labels.values())
    return replace(
        table,
        bands=(Band(box[0], box[2]), *table.bands),
        cells=(*entries, *moved),
        box=merge_boxes((table.box, box)),
        words=table.words.union(word for line in labels.values() for word in line.words),
    )


def _parted(lines: Sequence[Line], edge: float) -> tuple[list[Line], list[Line]]:
    """The lines above an edge, and those below it."""
    n_above = sum(line.baseline <= edge for line in lines)
    return list(lines[:n_above]), list(lines[n_above:])


def _by_row(lines: Sequence[Line], cells: Sequence[Entry]) -> dict[int, Line]:
    """The lines by the rows that they stand beside, {} where some stand beside none: running text has lines between.

    Lines between two labels have rows where so many rows without figures lie between theirs: they head sections.
    """
    labels: dict[int, Line] = {}
    waiting: list[Line] = []
    for line in lines:
        row = _row_of(line, cells)
        if row is None:
            waiting.append(line)
            continue
        above = max(labels, default=-1)
        if waiting and row - above - 1 != len(waiting):
            return {}
        labels |= dict(enumerate(waiting, above + 1)) | {row: line}
        waiting = []
    return {} if waiting else labels


def _row_of(line: Line, cells: Sequence[Entry]) -> int | None:
    """The row whose figures stand on the line; None for none."""
    return next((cell.row for cell in cells if cell.box[1] < line.baseline < cell.box[3] + 1), None)
