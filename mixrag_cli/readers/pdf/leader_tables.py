"""Names and values that rows of dots join as tables of two columns: "Blade length . . . . . . 62"".

The page's flows would read the text beside such entries into the same lines, and a list of texts has no figures that
stand under each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mixrag_cli.readers.page_lists import point_to_pages
from mixrag_cli.readers.pdf.header_cells import Entry
from mixrag_cli.readers.pdf.lattice import Lattice
from mixrag_cli.readers.pdf.layout import COLUMN_GAP, Line, is_number, merge_boxes, words_to_lines
from mixrag_cli.readers.pdf.leaders import LEADER_RUN
from mixrag_cli.readers.pdf.page import Word
from mixrag_cli.readers.pdf.pieces import Band, Piece, words_to_piece

MIN_ENTRIES = 3  # fewer may be any lines with dots in them
NAME_GAP = 2.0  # of the type size: dots that are set to a grid begin so far behind the name
SAME_EDGE = 4.0  # points: values end at one place
MAX_INDENT = 36.0  # points: names of one list begin so near to each other
ENTRY_GAP = 2.6  # of the type size: a wider blank ends a table, as between rows of figures


@dataclass(frozen=True, slots=True)
class _Item:
    """A name, and the value that dots lead to. words: of both, and the dots.

    is_alone: nothing else stands on their line. has_figure_behind: another figure follows the value.
    """

    name: Piece
    value: Piece
    words: tuple[Word, ...]
    is_alone: bool
    has_figure_behind: bool


def find_leader_tables(words: Sequence[Word]) -> list[Lattice]:
    """The lists of names and values in one flow, top to bottom; those that point to pages are none.

    Figures with nothing beside them are left to their alignment, with their headings.
    """
    if not any(map(_is_leader, words)):
        return []
    tables: list[Lattice] = []
    for group in _groups(words_to_lines(words)):
        is_torn = not all(item.is_alone for item in group)
        are_figures = 2 * sum(item.value.is_number for item in group) > len(group)
        are_rows = 2 * sum(item.has_figure_behind for item in group) > len(group)
        is_list = len(group) >= MIN_ENTRIES and not are_rows and (is_torn or not are_figures)
        if is_list and not point_to_pages([item.value.text for item in group]):
            tables.append(_to_table(group))
    return sorted(tables, key=lambda table: table.box[1])


def _is_leader(word: Word) -> bool:
    return LEADER_RUN.fullmatch(word.text) is not None


def _items(line: Line) -> Iterator[_Item]:
    """The line's names and values, left to right."""
    words = line.words
    leaders = [at for at, word in enumerate(words) if _is_leader(word)]
    for before, at, behind in zip([-1, *leaders], leaders, [*leaders[1:], len(words)], strict=False):
        first, last = at, at + 1
        while first > before + 1 and words[first].x0 - words[first - 1].x1 <= _reach(first == at) * line.size:
            first -= 1
        while last < behind and (last == at + 1 or words[last].x0 - words[last - 1].x1 <= COLUMN_GAP * line.size):
            last += 1
        is_one = first - 1 != before or before < 0, last != behind or behind == len(words)
        if first == at or last == at + 1 or not all(is_one):
            continue  # no name, no value, or one that runs into those of the next dots
        is_alone = first == 0 and last == len(words)
        has_figure_behind = last < len(words) and is_number(words[last].text)
        name, value = words_to_piece(words[first:at]), words_to_piece(words[at + 1 : last])
        is_blank = words[at].text.startswith("_") and not value.is_number  # it is to be filled in
        if not (is_blank or name.text.startswith("(")):  # a bracket goes on from the line above
            yield _Item(name, value, words[first:last], is_alone, has_figure_behind)


def _reach(is_leader: bool) -> float:
    return NAME_GAP if is_leader else COLUMN_GAP


def _groups(lines: Iterable[Line]) -> list[list[_Item]]:
    """The items that stand below each other with nothing between, their values ending at one place."""
    groups: list[list[_Item]] = []
    going_on: list[list[_Item]] = []
    for line in lines:
        items = list(_items(line))
        others = {*line.words}.difference(*(item.words for item in items))
        near = (group for group in going_on if _is_near(line, group[-1]))
        going_on = [group for group in near if not any(_lies_under(word, group[-1]) for word in others)]
        for item in items:
            group = next((group for group in going_on if _goes_on(group[-1], item)), [])
            if not group:
                groups.append(group)
                going_on.append(group)
            group.append(item)
    return groups


def _lies_under(word: Word, item: _Item) -> bool:
    return word.x0 < item.value.x1 and item.name.x0 < word.x1


def _is_near(line: Line, last: _Item) -> bool:
    return line.top - last.name.bottom <= ENTRY_GAP * line.size


def _goes_on(last: _Item, item: _Item) -> bool:
    return (
        abs(last.value.x1 - item.value.x1) <= SAME_EDGE
        and abs(last.name.x0 - item.name.x0) <= MAX_INDENT
        and item.name.bottom > last.name.bottom
    )


def _to_table(group: Sequence[_Item]) -> Lattice:
    cells = [
        Entry([piece], column, column, row)
        for row, item in enumerate(group)
        for column, piece in enumerate((item.name, item.value))
    ]
    names, values = ([cell.box for cell in cells if cell.first == column] for column in (0, 1))
    bands = tuple(Band(box[0], box[2]) for box in (merge_boxes(names), merge_boxes(values)))
    words = frozenset(word for item in group for word in item.words)
    box = merge_boxes([*names, *values])
    return Lattice(bands, tuple(cells), 0, len(group), box, words, is_ruled=False, is_headless=True)
