"""Tables that programs print into plain text without any rule between columns: names above columns of figures.

  i      K_i      a_0       a_1        as many names as a line below has fields, each above its column,
- - - - - - - - - - - - - - - - -      perhaps a rule,
  1   -720.0   20371.8   -9999.6       and lines of figures, most of them, that stand below each other
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS

MIN_COLUMNS = 3  # of two, the first line of a paragraph may be the names
MIN_ROWS = 3  # fewer are figures in a text; both set by judgement, as
FIGURE_SHARE = 0.6  # of the fields of each line,
ABOVE_SHARE = 0.75  # and of the names that touch their columns
MAX_ROWS = 5_000  # of one table; what follows stays text
FIELD = re.compile(r"\S+")
FIGURE = re.compile(r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eEdD][-+]?\d{1,3})?%?$")
RULE_SIGNS = "-=* \t"

Span = tuple[int, int]


def figured_rows(lines: Sequence[str], first: int, last: int) -> tuple[int, list[tuple[int, list[str]]]]:
    """Where the table whose names stand in the first line ends, and its rows with their lines."""
    names = lines[first].split()
    if not MIN_COLUMNS <= len(names) <= MAX_COLUMNS or any(map(FIGURE.match, names)):
        return first, []
    start = first + 1 if first + 1 < last and lines[first + 1].strip(RULE_SIGNS) else first + 2
    rows: list[tuple[int, list[str]]] = []
    columns: list[Span] = []
    at = start
    while at < min(last, first + MAX_ROWS):
        texts = lines[at].split()
        n_figures = sum(FIGURE.match(text) is not None for text in texts)
        if len(texts) != len(names) or n_figures < FIGURE_SHARE * len(names):
            break
        spans = _spans(lines[at])
        columns = [_around(*both) for both in zip(columns, spans, strict=True)] if columns else spans
        rows.append((at, texts))
        at += 1
    if len(rows) < MIN_ROWS or not _stand_apart(columns) or not _stand_above(_spans(lines[first]), columns):
        return first, []
    return at, [(first, names), *rows]


def _spans(line: str) -> list[Span]:
    return [found.span() for found in FIELD.finditer(line.expandtabs())]


def _around(first: Span, second: Span) -> Span:
    return min(first[0], second[0]), max(first[1], second[1])


def _stand_apart(columns: Sequence[Span]) -> bool:
    """Whether no column reaches into the next one, in any of its lines."""
    return all(left[1] <= right[0] for left, right in pairwise(columns))


def _stand_above(names: Sequence[Span], columns: Sequence[Span]) -> bool:
    """Whether nearly all names touch their columns: programs set some of them a place or two aside."""
    touching = [name[0] <= column[1] and column[0] <= name[1] for name, column in zip(names, columns, strict=True)]
    return sum(touching) >= ABOVE_SHARE * len(names)
