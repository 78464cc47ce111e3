"""Frames and series as pandas and R print them: columns set flush right below their names, behind labels without one.

                   comp  bonus      names that end where the figures below them end; wide frames go on in further
sales rep                           blocks, each of whose first lines ends with a backslash; perhaps the labels' name
Ansley Cummings  2169.76    250
Beth Skiles      3028.60      0

Ansley Cummings    2169.76          a series: a label and a value a line, and below them what they are
Beth Skiles        3028.60
Name: comp, dtype: float64
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from mixrag_cli.readers.text_markup.aligned_text import PIECE
from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS

MIN_ROWS = 2
MAX_ROWS = 5_000  # of one table; what follows stays text
GOES_ON = (" \\", "\t\\")  # ends the names of a frame that is wider than the page
FIELD = re.compile(r"\S+")
FIGURE = re.compile(r"[-+]?[\d.,]*\d[\d.,]*(?:[eE][-+]?\d{1,3})?%?$|NaN$|NA$|None$")
LEFT_OUT = " \t."  # all that stands in a line for the rows that are not printed
SERIES_END = re.compile(
    r"(?:Freq: [^,\n]{1,20}, )?(?:Name: (?P<name>[^\n]{1,120}?), )?(?:Length: \d+, )?dtype: [\w\[\], ]{1,40}$"
)

Rows = list[tuple[int, list[str]]]


def frame_rows(lines: Sequence[str], first: int, last: int) -> tuple[int, Rows]:
    """Where the frame whose names stand in the first line ends, and its rows with their lines."""
    if first + MIN_ROWS >= last or not lines[first].startswith((" ", "\t")):
        return first, []
    heading = lines[first].rstrip()
    heading = (heading[:-1] if heading.endswith(GOES_ON) else heading).expandtabs()
    if not heading.startswith("  "):
        return first, []
    for split in (FIELD, PIECE):
        names = [(found[0], found.end()) for found in split.finditer(heading)]
        if not 1 <= len(names) <= MAX_COLUMNS:
            continue
        ends = [end for _, end in names]
        below = lines[first + 1]
        label = below.strip() if len(below.rstrip()) < ends[0] and not below[:1].isspace() else ""
        at, rows = _rows_below(lines, first + 1 + bool(label), min(last, first + MAX_ROWS), ends)
        if rows:
            return at, [(first, [label, *(name for name, _ in names)]), *rows]
    return first, []


def _rows_below(lines: Sequence[str], at: int, last: int, ends: Sequence[int]) -> tuple[int, Rows]:
    """Where the rows with texts that end at these places stop, and they, with their lines; none without figures."""
    rows: Rows = []
    figures: Sequence[int] = range(1, len(ends) + 1)  # columns; without one left, the lines below are not looked at
    while at < last and figures and (texts := _cut(lines[at].expandtabs().rstrip(), ends)) is not None:
        if lines[at].strip(LEFT_OUT):
            rows.append((at, texts))
            figures = [column for column in figures if FIGURE.match(texts[column])]
        at += 1
    return at, rows if figures and len(rows) >= MIN_ROWS else []


def _cut(line: str, ends: Sequence[int]) -> list[str] | None:
    """The label and the texts that end at these places; None where one does not, or goes on behind it."""
    if len(line) != ends[-1] or any(line[end - 1].isspace() or not line[end : end + 1].isspace() for end in ends[:-1]):
        return None
    before = line[: ends[0]].rstrip()
    label, gap, text = before.rpartition("  ")
    if not gap:
        label, gap, text = before.rpartition(" ")
    if not gap or not label.strip():
        return None
    return [label.strip(), text.strip(), *(line[start:end].strip() for start, end in pairwise(ends))]


def series_rows(lines: Sequence[str], first: int, last: int) -> tuple[int, Rows, bool]:
    """Where the series that begins in the first line ends, its rows with their lines, and whether the first names it.

    The first line may be the name of its labels. None begins below a line that could be its row: it was looked through
    from there.
    """
    if first and _is_row(lines[first - 1]):
        return first, [], False
    named = PIECE.findall(lines[first])
    at = first + (len(named) == 1)
    rows: Rows = []
    while at < min(last, first + MAX_ROWS):
        if ends := SERIES_END.match(lines[at].strip()):
            name = ends["name"] or ""
            label = named[0] if len(named) == 1 and ":" not in named[0] else ""
            has_names = bool(name or label)
            is_whole = len(rows) >= MIN_ROWS
            return (at + 1, [(first, [label, name])] * has_names + rows, has_names) if is_whole else (first, [], False)
        pieces = PIECE.findall(lines[at])
        if len(pieces) != 2:
            break
        if lines[at].strip(LEFT_OUT):
            rows.append((at, pieces))
        at += 1
    return first, [], False


def _is_row(line: str) -> bool:
    return len(PIECE.findall(line)) == 2
