"""Lines to blocks: what all readers of line-shaped text share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.records.documents import BlockKind

MAX_LINE_CHARS = 100_000  # a longer line is cut: single-line JSON, minified scripts
MAX_BLOCK_LINES = 80  # about two chunks of code: a longer run is cut so that a block's lines still say where
MAX_BLOCK_CHARS = 20_000
MAX_CLUSTER_CHARS = 64  # how far a cut gives way to combining marks
JOINER = "\u200d"
LONG_RUN_CHARS = 300  # of numbers in one line: as the longest list that is told as a fact
RUN_OF_NUMBERS = re.compile(r"(?<![\d\s.,+\-\[\]eE])[\d\s.,+\-\[\]eE]{300,}")
MAX_RUN_CHARS = 20_000  # a longer one is cut piece by piece, so that little of it is held at once
TOKEN, NUMBER = re.compile(r"[^\s,\[\]]+"), re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
EDGE_OF_RUN = re.compile(r"[eE-]+")  # a list's mark, and letters of the words around a run
SHOWN_NUMBERS = 3  # and the last one


def split_long_line(line: str, limit: int = MAX_LINE_CHARS) -> Iterator[str]:
    """The line in pieces of at most limit characters; a cut does not part a letter from its combining marks."""
    start = 0
    while len(line) - start > limit:
        cut = _cut_before(line, start + limit)
        yield line[start:cut]
        start = cut
    yield line[start:]


def without_measured_runs(text: str) -> str:
    """The text with long runs of measured numbers, most of them with a fraction, cut to their first and last few.

    Whole numbers may be codes that somebody looks for, and dates are no numbers: those stay. Lines keep their places.
    """
    return RUN_OF_NUMBERS.sub(lambda found: "".join(map(_cut_run, split_long_line(found[0], MAX_RUN_CHARS))), text)


def _cut_run(run: str) -> str:
    numbers = [each for each in TOKEN.finditer(run) if not EDGE_OF_RUN.fullmatch(each[0])]
    n_fractions = sum("." in each[0] for each in numbers)
    n_chars = sum(len(each[0]) + 2 for each in numbers)
    is_long = len(numbers) > SHOWN_NUMBERS + 1 and n_chars >= LONG_RUN_CHARS
    if not is_long or 2 * n_fractions < len(numbers) or not all(NUMBER.fullmatch(each[0]) for each in numbers):
        return run
    first, last = numbers[SHOWN_NUMBERS - 1].end(), numbers[-1].start()
    return f"{run[:first]} …{run.count(chr(10), first, last) * chr(10)} {run[last:]}"


def line_runs(lines: Sequence[str], first: int, last: int) -> Iterator[tuple[int, int]]:
    """The runs of lines that hold something, as [first, last) from 0, within the given range."""
    start = -1
    for number in range(first, last):
        blank = not lines[number] or lines[number].isspace()
        if start >= 0 and blank:
            yield start, number
        if blank or start < 0:
            start = -1 if blank else number
    if start >= 0:
        yield start, last


def add_lines(
    builder: DocumentBuilder,
    lines: Sequence[str],
    span: tuple[int, int],
    kind: BlockKind,
    heading_path: tuple[str, ...] | None = None,
    offset: int = 0,
) -> None:
    """Add lines[first:last] (span, from 0) as one block, or as several where they are too many or too long.

    offset: the place of lines[0] in the source, from 0. Blank lines at both ends are left out; a block's text is its
    source lines as they are. Of too many lines it ends at the last blank one, where that is in its second half.
    """
    start, size, blank = span[0], 0, span[0]
    for number in range(*span):
        length = len(lines[number]) + 1
        is_large = size + length > MAX_BLOCK_CHARS
        if number > start and (is_large or number - start >= MAX_BLOCK_LINES):
            cut = blank if 2 * (blank - start) > number - start and not is_large else number
            _add_block(builder, lines, (start, cut), kind, heading_path, offset)
            start, size = cut, sum(len(line) + 1 for line in lines[cut:number])
        if not lines[number].strip():
            blank = number
        size += length
    _add_block(builder, lines, (start, span[1]), kind, heading_path, offset)


def trim_blank(lines: Sequence[str], span: tuple[int, int]) -> tuple[int, int]:
    """The span without blank lines at its ends."""
    first, last = span
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return first, last


def _add_block(
    builder: DocumentBuilder,
    lines: Sequence[str],
    span: tuple[int, int],
    kind: BlockKind,
    heading_path: tuple[str, ...] | None,
    offset: int,
) -> None:
    first, last = trim_blank(lines, span)
    place = (offset + first + 1, offset + last)
    if last - first == 1:
        for piece in split_long_line(lines[first]):
            builder.add(piece, kind, heading_path=heading_path, lines=place)
    elif first < last:
        builder.add("\n".join(lines[first:last]), kind, heading_path=heading_path, lines=place)


def _cut_before(line: str, place: int) -> int:
    for cut in range(place, place - MAX_CLUSTER_CHARS, -1):
        if not unicodedata.combining(line[cut]) and JOINER not in (line[cut], line[cut - 1]):
            return cut
    return place
