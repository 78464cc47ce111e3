"""Lines cut into pieces (cells, or parts of cells) and pieces into column bands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mixrag_cli.readers.pdf.layout import COLUMN_GAP, SECTION_NUMBER, Line, is_number, words_to_text
from mixrag_cli.readers.pdf.page import Box, Word
from mixrag_cli.readers.pdf.running import CAPTION

NUMBER_GAP = 0.45  # of the type size: figures may stand closer together than texts do
SYMBOL_REACH = 2.5  # of the type size: how far a "%" or ")" may stand from its figure
CURRENCY_REACH = 160.0  # points from a column's "$" to its figure
TEXT_GAP = 2.0  # of the type size: words of one heading, letter-spaced ones too, stand closer
PROSE_SHARE = 0.72  # of the flow's width: a single piece as wide as this is running text
STRETCH = 2.5  # of the type size: justified prose is not stretched wider than this
ALIGN_POINTS = 2.0
MIN_BAND_GAP = 0.25  # of the type size
CURRENCY = re.compile(r"^[$€£¥₹]$|^(?:US|C|A|HK)\$$|^(?:USD|EUR|GBP|CHF)$")
TRAILER = re.compile(r"^(?:%|\)|\)%|%\)|pts?\.?|bps?|x|pp|[*†‡]+)$")
ENUMERATOR = re.compile(
    r"^(?:[•●▪■◦‣⁃∙·\uf0b7\uf0a7o☐☒✓-]|[–—]|\(?[a-zA-Z0-9]{1,2}[.)]|\(?[ivx]{1,4}[.)]|\d+(?:\.\d+)+\.?"
    r"|(?:Item|Note|Part|Exhibit|Section|Article|Chapter|PART|ITEM|NOTE)\s+[\dIVX]+[A-Z]?\.?)$"
)
LEADER = re.compile(r"^(?:[.·…_]\s?){4,}$|^(?:…\s?){2,}$")
LEADER_SIGNS = ".·…_"
LEADER_END = re.compile(r"(?:\s*[.·…_]){4,}$")
DIGIT = re.compile(r"\d")
QUANTITY = re.compile(
    r"^[-−–]?\d[\d,]*(?:\.\d+)?\s(?:[^\W\d]{1,3}[²³]?|[^\W\d]{1,4}/[^\W\d]{1,3}[²³]?|°[CF]?)$"
)  # "12.5 kW"
YEAR = re.compile(r"^(?:19|20)\d\d[AEPae]?$|^(?:19|20)\d\d[-–/]\d\d(?:\d\d)?$|^(?:FY|Q[1-4])\W?\d*$")


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of one line without a wide gap between them: a cell, or a part of one."""

    words: tuple[Word, ...]
    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    is_number: bool

    @property
    def is_amount(self) -> bool:
        """Whether it is a figure and no year."""
        return self.is_number and YEAR.match(self.text) is None

    @property
    def center(self) -> float:
        """Middle of its width."""
        return (self.x0 + self.x1) / 2

    @property
    def bold(self) -> bool:
        """Whether all its words with letters or digits are bold."""
        return all(word.bold for word in self.words if word.text[0].isalnum()) and self.words[0].bold

    @property
    def size(self) -> float:
        """Its type size."""
        return self.words[0].size

    @property
    def box(self) -> Box:
        """Its bounding box."""
        return (self.x0, self.top, self.x1, self.bottom)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the page cut into pieces. is_prose: reads as running text, or names a table: no row."""

    line: Line
    pieces: tuple[Piece, ...]
    is_prose: bool

    @property
    def n_numbers(self) -> int:
        """How many pieces are figures."""
        return sum(piece.is_number for piece in self.pieces)

    @property
    def is_data(self) -> bool:
        """Whether it has at least two pieces and a figure behind the first."""
        return len(self.pieces) > 1 and any(piece.is_number for piece in self.pieces[1:])


def line_to_pieces(line: Line, width: float) -> tuple[Piece, ...]:
    """Cut a line at its wide gaps; "$", "%" and ")" stay with their figures, list marks with their texts.

    Example: "Net sales   $   60,584   (2)  %" -> "Net sales", "$60,584", "(2)%"
    width: of the flow that the line is part of.
    """
    if _is_justified(line, width):
        return (words_to_piece(line.words),)
    parts: list[list[Word]] = [[line.words[0]]]
    for before, word in pairwise(line.words):
        if _is_cut(parts[-1], before, word):
            parts.append([word])
        else:
            parts[-1].append(word)
    pieces = [words_to_piece(part) for part in parts]
    if len(pieces) > 1 and _is_list_mark(pieces[0], pieces[1]):
        pieces[:2] = [words_to_piece(pieces[0].words + pieces[1].words)]
    return tuple(pieces)


def _is_list_mark(piece: Piece, behind: Piece) -> bool:
    near = behind.x0 - piece.x1 < 6 * piece.size
    return near and ENUMERATOR.match(piece.text) is not None and not behind.is_number


def _is_justified(line: Line, width: float) -> bool:
    """Whether the line is prose stretched to its column's width."""
    gaps = [after.x0 - before.x1 for before, after in pairwise(line.words) if not after.glued]
    if len(gaps) < 4 or line.x1 - line.x0 < 0.6 * width or max(gaps) < COLUMN_GAP * line.size:
        return False
    n_numbers = sum(is_number(word.text) for word in line.words)
    return n_numbers < 0.4 * len(line.words) and max(gaps) < min(2.0 * min(gaps), STRETCH * line.size)


def _is_cut(part: Sequence[Word], before: Word, word: Word) -> bool:
    """Whether a cell ends between two neighbouring words."""
    gap, size = word.x0 - before.x1, max(word.size, before.size)
    if gap <= NUMBER_GAP * size and word.text[0].isalnum() and before.text[-1] not in LEADER_SIGNS:
        return False  # most words of prose end here, before any pattern is tried
    if word.text[0] in LEADER_SIGNS and LEADER.match(word.text):
        return gap > TEXT_GAP * size
    if LEADER.match(before.text):
        return True
    if (
        before.text[-1] in LEADER_SIGNS
        and LEADER_END.search(before.text)
        and (is_number(word.text) or CURRENCY.match(word.text))
    ):
        return True
    if CURRENCY.match(before.text) and len(part) == 1 and is_number(word.text):
        return gap > CURRENCY_REACH
    if CURRENCY.match(word.text) and CURRENCY.match(part[0].text):
        return True
    if TRAILER.match(word.text) and is_number(before.text):
        return gap > SYMBOL_REACH * size
    if CURRENCY.match(word.text) or (is_figure(before.text) and is_figure(word.text)):
        return gap > NUMBER_GAP * size
    return gap > COLUMN_GAP * size


def is_figure(text: str) -> bool:
    """Whether the text is a figure with digits, or a dash that stands for none."""
    return is_number(text) and (DIGIT.search(text) is not None or text in "—–-")


def words_to_piece(words: Sequence[Word]) -> Piece:
    """The piece that words of one line make: dot leaders off, marks set against their figures."""
    text = words_to_text(words)
    x1 = max((_end_of_text(word) for word in words if not LEADER.match(word.text)), default=words[-1].x1)
    top, bottom = min(word.top for word in words), max(word.bottom for word in words)
    if CURRENCY.match(words[0].text) and len(words) > 1:
        text = words[0].text + words_to_text(words[1:])
    text = re.sub(r"(?<=[\d)—–-]) (?=(?:%|\)|\)%)$)", "", text)
    text = LEADER_END.sub("", text) or text
    return Piece(tuple(words), text, words[0].x0, x1, top, bottom, is_number(text) or bool(QUANTITY.match(text)))


def _end_of_text(word: Word) -> float:
    """Where a word ends, about, without the dots behind it that lead to a figure."""
    if word.text[-1] not in LEADER_SIGNS:
        return word.x1
    n_kept = len(LEADER_END.sub("", word.text))
    return word.x0 + (word.x1 - word.x0) * n_kept / len(word.text)


def is_parted(line: Line) -> bool:
    """Whether blanks too wide for one text part the line, but for one behind a number or mark in front of it."""
    wide = [
        at
        for at, (before, word) in enumerate(pairwise(line.words), start=1)
        if word.x0 - before.x1 > TEXT_GAP * max(word.size, before.size)
    ]
    if len(wide) != 1:
        return bool(wide)
    before = words_to_text(line.words[: wide[0]]).rstrip(":")
    return not (ENUMERATOR.match(before) or SECTION_NUMBER.match(before))


def lines_to_rows(lines: Sequence[Line]) -> list[Row]:
    """Cut every line of one flow and mark those that are running text."""
    if not lines:
        return []
    width = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    rows = []
    for line in lines:
        pieces = line_to_pieces(line, width)
        is_wide = len(pieces) == 1 and line.x1 - line.x0 > PROSE_SHARE * width and len(line.words) > 5
        rows.append(Row(line, pieces, is_wide or _reads_on(pieces) or _is_caption(pieces)))
    return rows


def _is_caption(pieces: Sequence[Piece]) -> bool:
    """Whether the line says a table's number, and its title if any, and nothing beside them."""
    return len(pieces) < 3 and CAPTION.match(pieces[0].text) is not None and not pieces[-1].is_number


def _reads_on(pieces: Sequence[Piece]) -> bool:
    """Whether a single piece is a whole sentence, or a list item of many words."""
    return len(pieces) == 1 and len(pieces[0].words) > 9 and pieces[0].text.endswith((".", ";"))


@dataclass(frozen=True, slots=True)
class Band:
    """The x range that one column's texts take."""

    x0: float
    x1: float

    @property
    def center(self) -> float:
        """Middle of the range."""
        return (self.x0 + self.x1) / 2

    def overlap(self, x0: float, x1: float) -> float:
        """How many points of [x0, x1] lie in the band."""
        return min(self.x1, x1) - max(self.x0, x0)


def pieces_to_bands(pieces: Iterable[Piece], size: float, tolerance: int = 0) -> list[Band]:
    """Columns: maximal x ranges covered by more than tolerance pieces, left to right."""
    events: list[tuple[float, int]] = []
    for piece in pieces:
        events += [(piece.x0, 1), (piece.x1, -1)]
    events.sort(key=lambda event: (event[0], -event[1]))
    bands: list[Band] = []
    depth, start = 0, 0.0
    for x, step in events:
        if depth <= tolerance < depth + step:
            start = x
        elif depth + step <= tolerance < depth:
            if bands and start - bands[-1].x1 < MIN_BAND_GAP * size:
                bands[-1] = Band(bands[-1].x0, x)
            else:
                bands.append(Band(start, x))
        depth += step
    return bands


def bands_of_rows(rows: Sequence[Row]) -> list[Band]:
    """The columns that the pieces of all these rows leave free of each other."""
    return pieces_to_bands((piece for row in rows for piece in row.pieces), rows[0].line.size)


def clash_together(upper: Sequence[Row], lower: Sequence[Row]) -> bool:
    """Whether the columns of rows above a blank and of those below it cannot be the same ones.

    By themselves the upper rows have each piece in a column of its own; together with the lower ones each of them, and
    none of those, has two in one.
    """
    apart, together = bands_of_rows(upper), bands_of_rows([*upper, *lower])
    return all(_has_two_in_one(row, together) and not _has_two_in_one(row, apart) for row in upper) and not any(
        _has_two_in_one(row, together) for row in lower
    )


def _has_two_in_one(row: Row, bands: Sequence[Band]) -> bool:
    return len({columns_of(piece, bands)[0] for piece in row.pieces}) < len(row.pieces)


def columns_of(piece: Piece, bands: Sequence[Band]) -> tuple[int, int]:
    """First and last column that the piece lies over; the nearest one where it lies between columns."""
    width = piece.x1 - piece.x0
    hit = [
        index
        for index, band in enumerate(bands)
        if band.overlap(piece.x0, piece.x1) > 0.3 * min(width, band.x1 - band.x0)
    ]
    if hit:
        return hit[0], hit[-1]
    nearest = min(range(len(bands)), key=lambda index: -bands[index].overlap(piece.x0, piece.x1))
    return nearest, nearest
