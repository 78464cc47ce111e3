"""Header texts above a table's columns: which columns each stands for, and on which level."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mixrag_cli.readers.pdf.layout import merge_boxes
from mixrag_cli.readers.pdf.page import Box, Rule
from mixrag_cli.readers.pdf.pieces import ALIGN_POINTS, Band, Piece, Row, columns_of, words_to_piece

HEADER_GAP = 0.5  # of the type size; words of one text stand 0.2 to 0.35 apart
TIGHT_GAP = 0.35  # of the type size: lines of one heading stand no farther apart
MIDDLE_SHARE = 0.3  # of a column's width: how far a heading may stand from the middle of its columns
UNDERLINE_REACH = 0.9  # of the type size, from a header's bottom to the rule below it
# A note on the unit of all columns: "(In crores of Rupees)", "[in thousands, except per share]".
HEADNOTE = re.compile(r"^[(\[](?:all |amounts? |figures |dollars |values )?(?:are )?in\b[^()\[\]]*[)\]]?$", re.I)


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

    @property
    def places(self) -> set[tuple[int, int]]:
        """The rows and columns that it lies over."""
        rows = range(self.row, self.row + self.row_span)
        return {(row, column) for row in rows for column in range(self.first, self.last + 1)}

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
    for level, pieces in enumerate(rows):
        if level == 0 and _is_headnote(pieces, bands):
            entries.append(Entry(list(pieces), 0 if len(pieces) > 1 else 1, len(bands) - 1))
            continue
        if len(pieces) == 1 and (above := _line_above(entries, pieces[0])) is not None:
            above.pieces.append(pieces[0])
            continue
        spans = [
            _header_columns(piece, [*pieces[:number], *pieces[number + 1 :]], bands, rules)
            for number, piece in enumerate(pieces)
        ]
        below = _pieces_by_column(rows[level + 1], bands) if level + 1 < len(rows) else {}
        spans = _repeating_spans(pieces, _even_spans(spans, len(bands)), below, bands)
        for piece, (first, last) in zip(pieces, spans, strict=True):
            host = next((entry for entry in reversed(entries) if (entry.first, entry.last) == (first, last)), None)
            if host is not None and _continues(host, piece, rules):
                host.pieces.append(piece)
            else:
                entries.append(Entry([piece], first, last))
    return entries


def _is_headnote(pieces: Sequence[Piece], bands: Sequence[Band]) -> bool:
    """Whether the line says the unit of all columns, alone over them or beside a text over the labels."""
    noted = [piece for piece in pieces if HEADNOTE.match(piece.text)]
    return (
        len(noted) == 1
        and len(bands) > 2
        and len(pieces) < 3
        and columns_of(noted[0], bands)[0] > 0
        and all(piece is noted[0] or columns_of(piece, bands)[0] == 0 for piece in pieces)
    )


def _line_above(entries: Sequence[Entry], piece: Piece) -> Entry | None:
    """The heading of one column whose last line stands close above the piece, on the same middle or edge."""
    for entry in reversed(entries):
        last = entry.pieces[-1]
        if (
            0 < entry.first == entry.last
            and piece.top - last.bottom < TIGHT_GAP * piece.size
            and _is_in_line(last, piece)
        ):
            return entry if last.top < piece.top else None
    return None


def _pieces_by_column(pieces: Sequence[Piece], bands: Sequence[Band]) -> dict[int, Piece]:
    """The texts that stand over one data column each."""
    spans = ((columns_of(piece, bands), piece) for piece in pieces)
    return {first: piece for (first, last), piece in spans if first == last > 0}


def _repeating_spans(
    pieces: Sequence[Piece], spans: Sequence[tuple[int, int]], below: dict[int, Piece], bands: Sequence[Band]
) -> list[tuple[int, int]]:
    """Spans widened over columns that the next line names as it names those of another heading: "Rural Urban Rural
    Urban".

    Only the heading tells such columns apart. Each stays near the middle of its own.
    """
    options = [_wider_spans(number, pieces[number], spans, below, bands) for number in range(len(spans))]
    chosen = list(spans)
    for number, mine in enumerate(options):
        others = {
            texts
            for other, theirs in enumerate(options)
            if pieces[other].text != pieces[number].text
            for texts in theirs.values()
        }
        alike = [span for span, texts in mine.items() if len(texts) > 1 and _is_part_of_any(texts, others)]
        if alike:
            chosen[number] = max(alike, key=lambda span: span[1] - span[0])
    is_clear = all(a[1] < b[0] for a, b in pairwise(chosen))
    return chosen if is_clear else list(spans)


def _is_part_of_any(texts: tuple[str, ...], others: Iterable[tuple[str, ...]]) -> bool:
    return any(set(texts) <= set(other) or set(other) <= set(texts) for other in others if len(other) > 1)


def _wider_spans(
    number: int, piece: Piece, spans: Sequence[tuple[int, int]], below: dict[int, Piece], bands: Sequence[Band]
) -> dict[tuple[int, int], tuple[str, ...]]:
    """The spans around a heading's own whose middle it stands on, with what the next line says of their columns."""
    first, last = spans[number]
    if first < 1:
        return {}
    low = spans[number - 1][1] + 1 if number else 1
    high = spans[number + 1][0] - 1 if number + 1 < len(spans) else len(bands) - 1
    found = {}
    for a in range(max(low, 1), first + 1):
        for b in range(last, high + 1):
            under = [below[column] for column in range(a, b + 1) if column in below]
            texts = tuple(other.text for other in under)
            if (
                len(under) == b - a + 1
                and len(set(texts)) == len(texts)
                and _is_middle(piece, bands[a], bands[b], under)
            ):
                found[a, b] = texts
    return found


def _is_middle(piece: Piece, left: Band, right: Band, under: Sequence[Piece]) -> bool:
    """Whether the heading stands in the middle of the columns from left to right, or of the texts under it."""
    near = max(MIDDLE_SHARE * (right.x1 - left.x0) / len(under), 3 * ALIGN_POINTS)
    middles = ((left.x0 + right.x1) / 2, (under[0].x0 + under[-1].x1) / 2)
    return min(abs(middle - piece.center) for middle in middles) < near


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
    if underline is not None and not (first > 0 and underline[0] < bands[0].x1 - piece.size):
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
