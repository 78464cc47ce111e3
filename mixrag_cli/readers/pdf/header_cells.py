"""Header texts above a table's columns: which columns each stands for, and on which level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.readers.pdf.layout import merge_boxes
from mixrag_cli.readers.pdf.page import Box, Rule
from mixrag_cli.readers.pdf.pieces import ALIGN_POINTS, Band, Piece, Row, columns_of, words_to_piece

HEADER_GAP = 0.6  # of the type size; words of one text stand 0.2 to 0.35 apart
UNDERLINE_REACH = 0.9  # of the type size, from a header's bottom to the rule below it


@dataclass(slots=True)
class Entry:
    """A cell while its table is being built: its pieces and the columns first to last."""

    pieces: list[Piece]
    first: int
    last: int
    row: int = 0
    row_span: int = 1

    @property
    def box(self) -> Box:
        """Its bounding box."""
        return merge_boxes(piece.box for piece in self.pieces)

    @property
    def text(self) -> str:
        """Its pieces in reading order."""
        return " ".join(piece.text for piece in self.pieces)

    def overlaps(self, other: Entry) -> bool:
        """Whether the two share a column."""
        return self.first <= other.last and other.first <= self.last


def find_underline(piece: Piece, rules: Sequence[Rule]) -> tuple[float, float] | None:
    """The x range of the ruling right below the piece."""
    near = [
        rule
        for rule in rules
        if -0.35 * piece.size < rule.at - piece.bottom < UNDERLINE_REACH * piece.size
        and rule.start - 1 <= piece.center <= rule.end + 1
    ]
    if not near:
        return None
    first = min(near, key=lambda rule: rule.at)
    return first.start, first.end


def header_entries(header: Sequence[Row], bands: Sequence[Band], rules: Sequence[Rule]) -> list[Entry]:
    """Header cells with their columns; texts stacked over the same columns are one cell unless a ruling parts them."""
    entries: list[Entry] = []
    rows = [_split_at_columns(row, header, bands) for row in header]
    for pieces in rows:
        spans = [
            _header_columns(piece, [*pieces[:number], *pieces[number + 1 :]], bands, rules)
            for number, piece in enumerate(pieces)
        ]
        for piece, (first, last) in zip(pieces, _even_spans(spans, len(bands)), strict=True):
            host = next((entry for entry in reversed(entries) if (entry.first, entry.last) == (first, last)), None)
            if host is not None and _continues(host, piece, rules):
                host.pieces.append(piece)
            else:
                entries.append(Entry([piece], first, last))
    return entries


def _split_at_columns(row: Row, header: Sequence[Row], bands: Sequence[Band]) -> list[Piece]:
    """The row's pieces, cut at gaps over which another header line has two cells: words of narrow columns stand close.

    Example: "Under 18   18 years" above "years  and over"
    """
    others = [piece for other in header if other is not row for piece in other.pieces]
    found: list[Piece] = []
    for piece in row.pieces:
        start = 0
        for end in range(1, len(piece.words)):
            left, right = words_to_piece(piece.words[start:end]), words_to_piece(piece.words[end:])
            is_wide = right.x0 - left.x1 > HEADER_GAP * piece.size
            if (
                is_wide
                and columns_of(left, bands)[1] < columns_of(right, bands)[0]
                and _stand_below(left, right, others)
            ):
                found.append(left)
                start = end
        found.append(words_to_piece(piece.words[start:]) if start else piece)
    return found


def _stand_below(left: Piece, right: Piece, others: Sequence[Piece]) -> bool:
    """Whether two pieces of one other line stand over or below the two, each aligned with its own."""
    return any(
        _is_in_line(a, left) and _is_in_line(b, right) and abs(a.top - b.top) < ALIGN_POINTS
        for a in others
        for b in others
    )


def _is_in_line(piece: Piece, other: Piece) -> bool:
    offsets = (piece.x0 - other.x0, piece.center - other.center, piece.x1 - other.x1)
    return min(map(abs, offsets)) < ALIGN_POINTS


def _even_spans(spans: Sequence[tuple[int, int]], n_bands: int) -> list[tuple[int, int]]:
    """A heading that leaves as many free columns on its left as on its right takes them where that makes its span as
    wide as its neighbour's."""
    widths = {last - first for first, last in spans if last > first}
    evened: list[tuple[int, int]] = []
    for number, (first, last) in enumerate(spans):
        low = spans[number - 1][1] + 1 if number else 1
        high = spans[number + 1][0] - 1 if number + 1 < len(spans) else n_bands - 1
        is_between = number > 0 and first - low == high - last > 0 and high - low in widths
        evened.append((low, high) if is_between else (first, last))
    return evened


def _continues(host: Entry, piece: Piece, rules: Sequence[Rule]) -> bool:
    """Whether the piece is the next line of the header cell."""
    bottom = host.pieces[-1].bottom
    if piece.top - bottom > 0.55 * piece.size or (piece.text.startswith("(") and host.last > host.first):
        return False
    low, high = bottom - 0.35 * piece.size, piece.top + 0.35 * piece.size
    return not any(low < rule.at < high and rule.start < piece.center < rule.end for rule in rules)


def _header_columns(
    piece: Piece, siblings: Sequence[Piece], bands: Sequence[Band], rules: Sequence[Rule]
) -> tuple[int, int]:
    """The columns that a header text stands for: those over its underline, else those it is centred on."""
    first, last = columns_of(piece, bands)
    if last == 0:
        return 0, 0
    first = max(first, 1) if piece.x0 > bands[0].x1 else first
    underline = find_underline(piece, rules)
    if underline is not None:
        covered = [i for i, band in enumerate(bands) if band.overlap(*underline) > 0.5 * (band.x1 - band.x0)]
        shares = any(underline[0] <= other.center <= underline[1] for other in siblings)
        if covered and not shares:
            return covered[0], covered[-1]
    return _centered_columns(piece, siblings, bands, first, last)


def _centered_columns(
    piece: Piece, siblings: Sequence[Piece], bands: Sequence[Band], first: int, last: int
) -> tuple[int, int]:
    """Widen [first, last] to the neighbouring columns that the text is centred on, keeping off its siblings."""
    n = len(bands)
    if not siblings and n > 2:
        whole = abs((bands[1].x0 + bands[-1].x1) / 2 - piece.center)
        if piece.text.startswith("(") or whole < 3 * ALIGN_POINTS:
            return 1, n - 1
    taken = {
        column for other in siblings for column in range(columns_of(other, bands)[0], columns_of(other, bands)[1] + 1)
    }
    low, high = first, last
    while low - 1 >= 1 and low - 1 not in taken:
        low -= 1
    while high + 1 < n and high + 1 not in taken:
        high += 1
    if first == last and _is_aligned(piece, bands[first]):
        return first, last
    options = [
        (abs((bands[a].x0 + bands[b].x1) / 2 - piece.center) + 0.5 * (b - a), a, b)
        for a in range(low, first + 1)
        for b in range(last, high + 1)
    ]
    cost, a, b = min(options)
    return (a, b) if cost < 6.0 else (first, last)


def _is_aligned(piece: Piece, band: Band) -> bool:
    return (
        abs(piece.center - band.center) < 2 * ALIGN_POINTS
        or abs(piece.x1 - band.x1) < 2 * ALIGN_POINTS
        or abs(piece.x0 - band.x0) < ALIGN_POINTS
    )


def set_levels(entries: Sequence[Entry]) -> int:
    """Give each header cell its row, counted so that cells rest on what stands below them; returns the row count."""
    heights: dict[int, int] = {}
    ordered = sorted(range(len(entries)), key=lambda index: -entries[index].box[1])
    for index in ordered:
        entry = entries[index]
        below = [other for other in heights if entries[other].overlaps(entry) and entries[other].box[1] > entry.box[1]]
        heights[index] = 1 + max((heights[other] for other in below), default=-1)
    n_levels = 1 + max(heights.values(), default=-1)
    for index in sorted(heights, key=lambda index: -heights[index]):
        entry = entries[index]
        above = [
            entries[other] for other in heights if heights[other] > heights[index] and entries[other].overlaps(entry)
        ]
        top = max((other.row + other.row_span for other in above), default=0)
        entry.row = top
        entry.row_span = n_levels - heights[index] - top
    return n_levels
