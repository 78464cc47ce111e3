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

from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS

MIN_ROWS = 2
MAX_ROWS = 5_000  # of one table; what follows stays text
GOES_ON = re.compile(r"[ \t]+\\[ \t]*$")  # of the names of a frame that is wider than the page
PIECE = re.compile(r"\S+(?: \S+)*")  # texts parted by two blanks
FIELD = re.compile(r"\S+")
FIGURE = re.compile(r"[-+]?[\d.,]*\d[\d.,]*(?:[eE][-+]?\d{1,3})?%?$|NaN$|NA$|None$")
LEFT_OUT = re.compile(r"[ \t.]+$")  # the rows that are not printed
SERIES_END = re.compile(
    r"(?:Freq: [^,\n]{1,20}, )?(?:Name: (?P<name>[^\n]{1,120}?), )?(?:Length: \d+, )?dtype: [\w\[\], ]{1,40}$"
)

Rows = list[tuple[int, list[str]]]


def frame_rows(lines: Sequence[str], first: int, last: int) -> tuple[int, Rows]:
    """Where the frame whose names stand in the first line ends, and its rows with their lines."""
    heading = GOES_ON.sub("", lines[first].expandtabs())
    if first + MIN_ROWS >= last or not heading.startswith("  "):
        return first, []
    for split in (FIELD, PIECE):
        names = [(found[0], found.end()) for found in split.finditer(heading)]
        if not 1 <= len(names) <= MAX_COLUMNS:
            continue
        ends = [end for _, end in names]
        at = first + 1
        label = lines[at].strip() if len(lines[at].rstrip()) < ends[0] and not lines[at][:1].isspace() else ""
        at += bool(label)
        rows: Rows = []
        while at < min(last, first + MAX_ROWS):
            texts = _cut(lines[at].expandtabs().rstrip(), ends)
            if texts is None:
                break
            if not LEFT_OUT.match(lines[at]):
                rows.append((at, texts))
            at += 1
        has_figures = any(all(FIGURE.match(texts[column]) for _, texts in rows) for column in range(1, len(ends) + 1))
        if len(rows) >= MIN_ROWS and has_figures:
            return at, [(first, [label, *(name for name, _ in names)]), *rows]
    return first, []


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

    The first line may be the name of its labels.
    """
    named = [piece[0] for piece in PIECE.finditer(lines[first])]
    at = first + (len(named) == 1)
    rows: Rows = []
    while at < min(last, first + MAX_ROWS):
        if ends := SERIES_END.match(lines[at].strip()):
            name = ends["name"] or ""
            label = named[0] if len(named) == 1 and ":" not in named[0] else ""
            has_names = bool(name or label)
            is_whole = len(rows) >= MIN_ROWS
            return (at + 1, [(first, [label, name])] * has_names + rows, has_names) if is_whole else (first, [], False)
        pieces = [piece[0] for piece in PIECE.finditer(lines[at].rstrip())]
        if len(pieces) != 2:
            break
        if not LEFT_OUT.match(lines[at]):
            rows.append((at, pieces))
        at += 1
    return first, [], False
