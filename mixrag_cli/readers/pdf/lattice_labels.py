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
    lines = [line for line in words_to_lines(near) if line.baseline > min(cell.box[1] for cell in first)]
    labels = {row: line for line in lines if (row := _row_of(line, first)) is not None}
    is_text_beside = len(lines) > len(labels)  # running text has lines between the rows, too
    if is_text_beside or len(labels) < MIN_LABELLED * len(first) or all(is_number(line.text) for line in lines):
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


def _row_of(line: Line, cells: Sequence[Entry]) -> int | None:
    """The row whose figures stand on the line; None for none."""
    return next((cell.row for cell in cells if cell.box[1] < line.baseline < cell.box[3] + 1), None)
