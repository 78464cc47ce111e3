"""Drawing sheets, as of circuits and plants: what stands in them are labels of lines and signs, and no table's cells.

A sheet is told by its frame: letters count down its left and its right edge, numbers along its top and its bottom, the
same ones at the same height (ISO 5457). The labels of a sheet are one paragraph; its notes are read as text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from mixrag_cli.readers.pdf.items import TextItem
from mixrag_cli.readers.pdf.layout import merge_boxes, words_to_lines
from mixrag_cli.readers.pdf.page import PageContent, Word
from mixrag_cli.readers.pdf.pieces import Piece, line_to_pieces

MIN_ZONES = 2  # down the edges and along them: fewer letters face each other by chance
ZONE_POINTS = 3.0  # how far apart the two of a zone may stand, along the edge
EDGE_SHARE = 0.85  # of the page: so far apart opposite edges stand, at least
LABEL_GAP = 0.9  # of the type size: labels below each other this near are of one part
NOTE_WORDS = 3  # in a line of a block, on average: fewer are labels


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a drawing sheet says: the words of its notes, and its labels as one paragraph."""

    notes: tuple[Word, ...]
    labels: TextItem | None

    def content(self, page: PageContent) -> PageContent:
        """The page with its notes alone, to be read without tables."""
        return replace(page, words=self.notes, has_tables=False)


def read_drawing(page: PageContent) -> Drawing | None:
    """The notes and labels of a page that is a drawing sheet, None for any other."""
    zones = _zones(page)
    if not zones:
        return None
    pieces = [
        piece
        for line in words_to_lines(word for word in page.words if word not in zones)
        for piece in line_to_pieces(line, page.width)
    ]
    notes: list[Word] = []
    labels: list[list[Piece]] = []
    for block in _blocks(pieces):
        if sum(len(piece.words) for piece in block) >= NOTE_WORDS * len(block):
            notes += [word for piece in block for word in piece.words]
        else:
            labels.append(block)
    return Drawing(tuple(notes), _to_item(labels) if labels else None)


def _zones(page: PageContent) -> frozenset[Word]:
    """The letters and numbers that count along all four edges of a sheet; none where there is no such frame."""
    alike: dict[str, list[Word]] = defaultdict(list)
    for word in page.words:
        if len(word.text) <= 2 and (word.text.isdigit() or (len(word.text) == 1 and word.text.isupper())):
            alike[word.text].append(word)
    across: list[tuple[Word, Word]] = []
    down: list[tuple[Word, Word]] = []
    for words in alike.values():
        left, right = min(words, key=lambda word: word.x0), max(words, key=lambda word: word.x0)
        if _are_facing((left.top, right.top), (left.x0, right.x1), page.width):
            across.append((left, right))
        above, below = min(words, key=lambda word: word.top), max(words, key=lambda word: word.top)
        if _are_facing((above.x0, below.x0), (above.top, below.bottom), page.height):
            down.append((above, below))
    n_letters = sum(left.text.isalpha() for left, _ in across), sum(above.text.isalpha() for above, _ in down)
    n_numbers = len(across) - n_letters[0], len(down) - n_letters[1]
    is_frame = any(min(n_letters[way], n_numbers[1 - way]) >= MIN_ZONES for way in (0, 1))
    return frozenset(word for pair in (*across, *down) for word in pair) if is_frame else frozenset()


def _are_facing(places: tuple[float, float], ends: tuple[float, float], extent: float) -> bool:
    return abs(places[0] - places[1]) <= ZONE_POINTS and ends[1] - ends[0] >= EDGE_SHARE * extent


def _blocks(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces by what they belong to, top to bottom: those close below each other are one block."""
    blocks: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.top, piece.x0)):
        above = next((block for block in reversed(blocks) if _is_right_below(piece, block[-1])), None)
        if above is None:
            blocks.append([piece])
        else:
            above.append(piece)
    return blocks


def _is_right_below(piece: Piece, above: Piece) -> bool:
    is_near = -0.5 * piece.size < piece.top - above.bottom < LABEL_GAP * max(piece.size, above.size)
    return is_near and piece.x0 < above.x1 and above.x0 < piece.x1


def _to_item(blocks: Sequence[Sequence[Piece]]) -> TextItem:
    """One paragraph of all labels, a line for what belongs together."""
    texts = tuple("; ".join(piece.text for piece in block) + ";" for block in blocks)
    boxes = tuple(merge_boxes(piece.box for piece in block) for block in blocks)
    size = median(piece.size for block in blocks for piece in block)
    return TextItem(texts, merge_boxes(boxes), size, bold=False, italic=False, is_list=False, is_parted=True)
