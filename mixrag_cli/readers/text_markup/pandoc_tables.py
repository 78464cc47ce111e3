"""Pandoc's tables in Markdown that are drawn without pipes: columns stand under runs of dashes.

    simple      headings, runs of dashes, a line a row, up to a blank line or to runs of dashes
    multiline   a line of dashes, headings of one line or more, runs of dashes, rows parted by blank lines, a line of
                dashes; without headings it begins with the runs
    grid        boxes of +---+

Nothing inside of fenced code is a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from mixrag_cli.readers.text_markup.aligned_text import DASH_RUN, DASHES, MAX_ROWS, cut_at
from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS, TextCell, TextTable, to_table
from mixrag_cli.readers.text_markup.text_tables import find_boxes

BORDER = re.compile(r"[ ]{0,3}\+[-=:+]{3,}\+[ \t]*$")
FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
CAPTION = re.compile(r"(?:Table)?:[ \t]+(\S.*)")
MAX_INDENT = 3  # more is code
MAX_HEADING_LINES = 8
MAX_LINES = 20_000  # of one table: a drawing that is not closed by then is none

Row = list[TextCell]


def find_pandoc_tables(lines: Sequence[str]) -> Iterator[TextTable]:
    """The tables of a Markdown text, in their order; none overlaps another."""
    at = 0
    fence = ""
    while at < len(lines):
        if mark := FENCE.match(lines[at]):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        table = None if fence or not _may_begin(lines, at) else _table_at(lines, at)
        if table is not None:
            yield table
        at = table.last if table is not None else at + 1


def _may_begin(lines: Sequence[str], at: int) -> bool:
    indent = len(lines[at]) - len(lines[at].lstrip(" "))
    return 0 <= indent <= MAX_INDENT and not _is_blank(lines, at) and _is_blank(lines, at - 1)


def _is_blank(lines: Sequence[str], at: int) -> bool:
    return not 0 <= at < len(lines) or not lines[at].strip()


def _table_at(lines: Sequence[str], first: int) -> TextTable | None:
    for draw in (_grid, _multiline, _simple):
        end, rows = draw(lines, first, min(len(lines), first + MAX_LINES))
        if len(rows) > 1:
            return to_table(rows, (first, end), _caption_below(lines, end))
    return None


def _caption_below(lines: Sequence[str], end: int) -> str:
    below = end + _is_blank(lines, end)
    found = CAPTION.match(lines[below]) if below < len(lines) else None
    return found[1].strip() if found else ""


def _grid(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    """As in reStructuredText, but colons may say how columns are aligned. A pipe in a cell is an edge out of place."""
    if not BORDER.match(lines[first]):
        return first, []
    end = next((at for at in range(first, last) if _is_blank(lines, at)), last)
    drawn = [
        line.replace(":", "=" if "=" in line else "-") if BORDER.match(line) else line for line in lines[first:end]
    ]
    _, rows = find_boxes(drawn, 0, len(drawn))
    if any("|" in cell.text for row in rows for cell in row):
        return first, []
    return end, [[replace(cell, line=cell.line + first) for cell in row] for row in rows]


def _starts_of(rule: str) -> list[int]:
    """Where the columns begin over which runs of dashes stand; [] for another line."""
    starts = [run.start() for run in DASH_RUN.finditer(rule.expandtabs())] if DASHES.match(rule) else []
    return starts if 1 < len(starts) <= MAX_COLUMNS else []


def _simple(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    has_head = first + 1 < last and not DASHES.match(lines[first])
    rule = first + has_head
    starts = _starts_of(lines[rule])
    end = next((at for at in range(rule + 1, last) if _is_blank(lines, at) or DASHES.match(lines[at])), last)
    is_closed = end < last and DASHES.match(lines[end]) is not None
    if not starts or not (has_head or is_closed) or end - rule > MAX_ROWS:
        return first, []
    head = [_row(lines, (first, first + 1), starts, is_header=True)] if has_head else []
    rows = [*head, *(_row(lines, (at, at + 1), starts) for at in range(rule + 1, end))]
    return end + is_closed, rows if all(rows) else []


def _multiline(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    if not DASHES.match(lines[first]):
        return first, []
    rule = first
    if not _starts_of(lines[first]):
        below = range(first + 1, min(first + 2 + MAX_HEADING_LINES, last))
        rule = next((at for at in below if _is_blank(lines, at) or DASHES.match(lines[at])), first)
    starts = _starts_of(lines[rule])
    end = next((at for at in range(rule + 1, last) if DASHES.match(lines[at])), last)
    if not starts or end == last or not _is_blank(lines, end + 1) or end - rule > 2 * MAX_ROWS:
        return first, []
    blanks = [at for at in range(rule + 1, end) if _is_blank(lines, at)]
    if not blanks:
        return first, []
    head = [_row(lines, (first + 1, rule), starts, is_header=True)] if rule > first + 1 else []
    edges = [rule, *blanks, end]
    spans = [(above + 1, below) for above, below in pairwise(edges) if below > above + 1]
    rows = [*head, *(_row(lines, span, starts) for span in spans)]
    return end + 1, rows if all(rows) else []


def _row(lines: Sequence[str], span: tuple[int, int], starts: Sequence[int], *, is_header: bool = False) -> Row:
    """The cells of a row over these lines; [] where a text stands across the start of a column."""
    parts = [(at, cut_at(lines[at], starts)) for at in range(*span)]
    cells: Row = []
    for column in range(len(starts)):
        said = [(at, texts[column]) for at, texts in parts if texts is not None and texts[column]]
        at = said[0][0] if said else span[0]
        text = " ".join(text for _, text in said)
        cells.append(TextCell(text, at, said[-1][0] if said else None, is_header=is_header))
    return cells if parts and all(texts is not None for _, texts in parts) else []
