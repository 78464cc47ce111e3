"""Headings that stand on their side above a table's columns, where no ruled cell holds them.

turned words ─► those that end close above the table, by the column that they stand over ─► one row of headings
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mixrag_cli.readers.pdf.header_cells import Entry
from mixrag_cli.readers.pdf.lattice import Lattice
from mixrag_cli.readers.pdf.lattice_headers import MAX_ABOVE_GAP, MIN_HEADED_SHARE, begins_with_data
from mixrag_cli.readers.pdf.layout import Line, join_turned
from mixrag_cli.readers.pdf.page import TurnedWord
from mixrag_cli.readers.pdf.pieces import Band, words_to_piece

MAX_WORD_GAP = 0.6  # of the type size, along a heading


def with_turned_header(table: Lattice, turned: Iterable[TurnedWord]) -> Lattice:
    """The table with the headings on their side right above it, where it begins with figures and most columns have one.

    turned: all words of the page that stand on their side.
    """
    if not begins_with_data(table):
        return table
    top = table.box[1]
    by_column: dict[int, list[TurnedWord]] = {}
    for word in turned:
        column = _column_of(word, table.bands)
        if word.bottom < top + word.size and column is not None:
            by_column.setdefault(column, []).append(word)
    headings = {column: _nearest(words, top) for column, words in by_column.items()}
    joined = {column: join_turned(words) for column, words in headings.items() if words}
    if len(joined) < max(2, MIN_HEADED_SHARE * len(table.bands)):
        return table
    entries = [Entry([words_to_piece((word,))], column, column) for column, word in sorted(joined.items())]
    return table.below(entries, 1, [Line((word,)) for word in joined.values()])


def _column_of(word: TurnedWord, bands: Sequence[Band]) -> int | None:
    """The column that the word stands over: the nearest, as far to its side as half the way to the next."""
    middle = (word.x0 + word.x1) / 2
    centers = [(band.x0 + band.x1) / 2 for band in bands]
    column = min(range(len(bands)), key=lambda at: abs(centers[at] - middle))
    reach = min(abs(centers[column] - other) for at, other in enumerate(centers) if at != column) / 2
    return column if abs(centers[column] - middle) <= max(reach, (bands[column].x1 - bands[column].x0) / 2) else None


def _nearest(words: Sequence[TurnedWord], top: float) -> list[TurnedWord]:
    """The words that go on upward from the table's top without a gap; [] where the lowest ends too far above."""
    edge = top
    found: list[TurnedWord] = []
    for word in sorted(words, key=lambda word: -word.bottom):
        reach = MAX_WORD_GAP if found else MAX_ABOVE_GAP
        if edge - word.bottom > reach * word.size:
            break
        found.append(word)
        edge = min(edge, word.top)
    return found
