"""Tables drawn with characters in plain text: what people and programs paste into readmes, mails and logs.

    pipes       a line of headings, a line of dashes, a line a row; outer pipes or none (Markdown, psql, data sets)
    grid        reStructuredText's boxes of +---+, a cell over columns kept as one
    columns     reStructuredText's simple tables: columns under runs of =====, a text over columns above dashes
    tabular     TeX's, with the caption of their float (tex_tables)
    dashes      columns under runs of dashes, and lines of tabs (aligned_text)

A drawing that is not understood to its end stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from mixrag_cli.readers.aligned_text import dashed_rows, tabbed_rows
from mixrag_cli.readers.tex_tables import caption_of, tabular_rows
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator

MAX_COLUMNS = 200
# Each of them is matched in one pass, whatever stands in the line.
_RULE = re.compile(r"[|+]?(?:[ \t]*:?-{2,}:?[ \t]*[|+])+(?:[ \t]*:?-{2,}:?)?$")
_BORDER = re.compile(r"[ \t]*\+(?:[-=]{2,}\+)+[ \t]*$")
_UNDERLINES = re.compile(r"[ \t]*={2,}(?:[ \t]+={2,})+[ \t]*$")
_RUN = re.compile(r"={2,}")
_DASHES = re.compile(r"[ \t]*-{2,}(?:[ \t]+-{2,})*[ \t]*$")
_DASH_RUN = re.compile(r"-{2,}")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table and the lines that draw it, [first, last) from 0."""

    first: int
    last: int
    grid: Grid


@dataclass(frozen=True, slots=True)
class _Row:
    """cells: (text, columns that it spans); line: of its first character, from 0."""

    line: int
    cells: Sequence[tuple[str, int]]
    is_header: bool


def find_text_tables(lines: Sequence[str], first: int, last: int) -> Iterator[TextTable]:
    """The tables drawn in these lines, in their order; none overlaps another."""
    at = first
    while at < last:
        for draw in (_pipes, _boxes, _columns, _tabular, _dashed, _tabbed):
            end, rows = draw(lines, at, last)
            if rows:
                caption = caption_of(lines, at, end) if draw is _tabular else ""
                yield TextTable(at, end, replace(_to_grid(rows, (at + 1, end)), caption=caption))
            if end > at:
                at = end
                break
        else:
            at += 1


# Each of these says where the table that begins in the first line ends, and its rows; without rows, up to where there
# is none, which is the first line itself where nothing begins there.


def _pipes(lines: Sequence[str], first: int, last: int) -> tuple[int, list[_Row]]:
    if first + 2 >= last or "|" not in lines[first] or not _RULE.match(lines[first + 1].strip()):
        return first, []
    n_columns = len(_inside(lines[first + 1].replace("+", "|")).split("|"))
    if not 2 <= n_columns <= MAX_COLUMNS or not (heading := _split_at_pipes(lines[first], n_columns)):
        return first, []
    rows = [_Row(first, [(text, 1) for text in heading], True)]
    end = first + 2
    while end < last and (cells := _split_at_pipes(lines[end], n_columns)):
        rows.append(_Row(end, [(text, 1) for text in cells], False))
        end += 1
    return (end, rows) if len(rows) > 1 else (first, [])


def _split_at_pipes(line: str, n_columns: int) -> list[str]:
    """The cells of a line of so many columns, [] for another line.

    A pipe at an end bounds the outer cell, or parts an empty one from the next: what makes the columns agree.
    """
    whole = line.strip().replace("\\|", "\0")
    for inner in (_inside(whole), whole, whole.removesuffix("|"), whole.removeprefix("|")):
        cells = [cell.strip().replace("\0", "|") for cell in inner.split("|")]
        if len(cells) == n_columns:
            return cells
    return []


def _inside(line: str) -> str:
    """What stands between a line's outer pipes."""
    return line.strip().removeprefix("|").removesuffix("|")


def _boxes(lines: Sequence[str], first: int, last: int) -> tuple[int, list[_Row]]:
    if not _BORDER.match(lines[first]):
        return first, []
    end = first
    while end < last and lines[end].strip()[:1] in ("+", "|"):
        end += 1
    borders = [number for number in range(first, end) if _BORDER.match(lines[number])]
    # A border that stops midway begins a cell over rows, which is left to people.
    stops_midway = any("+--" in lines[number] and not _BORDER.match(lines[number]) for number in range(first, end))
    edges = sorted({place for number in borders for place, sign in enumerate(lines[number]) if sign == "+"})
    if len(borders) < 3 or borders[-1] != end - 1 or stops_midway or len(edges) > MAX_COLUMNS:
        return end, []
    header_end = next((number for number in borders[1:-1] if "=" in lines[number]), first)
    rows = [
        _Row(above + 1, _box_cells(lines[above + 1 : below], edges), below <= header_end)
        for above, below in pairwise(borders)
        if below > above + 1
    ]
    return end, rows if len(rows) > 1 else []


def _box_cells(lines: Sequence[str], edges: Sequence[int]) -> list[tuple[str, int]]:
    cells: list[tuple[str, int]] = []
    start = 0
    for number in range(1, len(edges)):
        if number == len(edges) - 1 or all(line[edges[number] : edges[number] + 1] in ("|", "+") for line in lines):
            text = " ".join(line[edges[start] + 1 : edges[number]].strip() for line in lines)
            cells.append((_SPACES.sub(" ", text).strip(), number - start))
            start = number
    return cells


def _columns(lines: Sequence[str], first: int, last: int) -> tuple[int, list[_Row]]:
    if not _UNDERLINES.match(lines[first]):
        return first, []
    rules = list(islice((number for number in range(first, last) if _UNDERLINES.match(lines[number])), 3))
    if len(rules) < 3:
        return first, []
    starts = [run.start() for run in _RUN.finditer(lines[first])]
    rows = [
        *_rows_under_runs(lines, (rules[0] + 1, rules[1]), starts, is_header=True),
        *_rows_under_runs(lines, (rules[1] + 1, rules[2]), starts, is_header=False),
    ]
    return (rules[2] + 1, rows) if len(rows) > 1 and rows[0].is_header and not rows[-1].is_header else (first, [])


def _rows_under_runs(
    lines: Sequence[str], between: tuple[int, int], starts: Sequence[int], *, is_header: bool
) -> list[_Row]:
    """The rows in lines [first, last) with their texts in columns from starts on.

    A line of dashes under a row says which columns each of its texts spans. Lines of a header are one row, and a line
    without a first text goes on with the row above.
    """
    rows: list[_Row] = []
    is_open = False  # the last row may go on
    for number in range(*between):
        if _DASHES.match(lines[number]):
            continue
        is_spanning = number + 1 < between[1] and _DASHES.match(lines[number + 1]) is not None
        edges = [run.start() for run in _DASH_RUN.finditer(lines[number + 1])] if is_spanning else starts
        bounds = [(edge, end) for edge, end in zip(edges, [*edges[1:], None], strict=True)]
        texts = [lines[number][start:end].strip() for start, end in bounds]
        if is_open and not is_spanning and (is_header or not texts[0]):
            known = [f"{cell} {text}".strip() for (cell, _), text in zip(rows[-1].cells, texts, strict=True)]
            rows[-1] = _Row(rows[-1].line, [(text, 1) for text in known], is_header)
            continue
        spans = [sum(edge <= start and (end is None or start < end) for start in starts) for edge, end in bounds]
        rows.append(_Row(number, list(zip(texts, spans, strict=True)), is_header))
        is_open = not is_spanning
    return [] if any(span == 0 for row in rows for _, span in row.cells) else rows


def _tabular(lines: Sequence[str], first: int, last: int) -> tuple[int, list[_Row]]:
    end, rows = tabular_rows(lines, first, last)
    n_columns = max((sum(span for _, span in cells) for _, cells, _ in rows), default=0)
    return (end, [_Row(*row) for row in rows]) if len(rows) > 1 and 1 < n_columns <= MAX_COLUMNS else (first, [])


def _dashed(lines: Sequence[str], first: int, last: int) -> tuple[int, list[_Row]]:
    end, rows = dashed_rows(lines, first, last)
    return end, [_Row(at, [(text, 1) for text in texts], number == 0) for number, (at, texts) in enumerate(rows)]


def _tabbed(lines: Sequence[str], first: int, last: int) -> tuple[int, list[_Row]]:
    end, rows = tabbed_rows(lines, first, last)
    return end, [_Row(at, [(text, 1) for text in texts], False) for at, texts in rows]


def _to_grid(rows: Sequence[_Row], lines: tuple[int, int]) -> Grid:
    cells = []
    for number, row in enumerate(rows):
        column = 0
        for text, span in row.cells:
            cells.append(GridCell(number, column, text, column_span=span, is_header=row.is_header, line=row.line + 1))
            column += span
    n_columns = max(cell.column + cell.column_span for cell in cells)
    return Grid(len(rows), n_columns, tuple(cells), Locator((0, 0), lines=lines), total_rows=len(rows))
