"""Tables drawn with characters in plain text: what people and programs paste into readmes, mails and logs.

    pipes       a line of headings, a line of dashes, a line a row; outer pipes or none (Markdown, psql, data sets)
    grid        reStructuredText's boxes of +---+, a cell over columns or rows kept as one
    columns     reStructuredText's simple tables: columns under runs of =====, a text over columns above dashes
    tabular     TeX's, with the caption of their float (tex_tables)
    dashes      columns under runs of dashes, lines of tabs, and texts below names (aligned_text)
    figures     names above columns of figures (figured_text)
    frames      names that end where their columns end, and series, as pandas and R print them (printed_frames)

A drawing that is not understood to its end stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product

from mixrag_cli.readers.text_markup.aligned_text import DASH_RUN, DASHES, dashed_rows, named_rows, tabbed_rows
from mixrag_cli.readers.text_markup.figured_text import figured_rows
from mixrag_cli.readers.text_markup.printed_frames import frame_rows, series_rows
from mixrag_cli.readers.text_markup.rst_markup import shown, without_directives
from mixrag_cli.readers.text_markup.tex_tables import caption_of, tabular_rows
from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS, TextCell, TextTable, to_table
from mixrag_cli.records.documents import Grid

# Each of them is matched in one pass, whatever stands in the line.
_RULE = re.compile(r"[|+]?(?:[ \t]*:?-{2,}:?[ \t]*[|+])+(?:[ \t]*:?-{2,}:?)?$")
_BORDER = re.compile(r"[ \t]*\+(?:[-=]{2,}\+)+[ \t]*$")
_PART_OF_BORDER = re.compile(r"\+(?:[-=]{2,}\+)+")
_UNDERLINES = re.compile(r"[ \t]*={2,}(?:[ \t]+={2,})+[ \t]*$")
_RUN = re.compile(r"={2,}")
_SPACES = re.compile(r"\s+")

Row = list[TextCell]


def parted_by_tables(lines: Sequence[str], first: int, last: int) -> Iterator[tuple[int, int, Grid | None]]:
    """The stretches of these lines in their order, each with its table, None for those between tables."""
    for table in find_text_tables(lines, first, last):
        if first < table.first:
            yield first, table.first, None
        yield table.first, table.last, table.grid
        first = table.last
    if first < last:
        yield first, last, None


def find_text_tables(lines: Sequence[str], first: int, last: int) -> Iterator[TextTable]:
    """The tables drawn in these lines, in their order; none overlaps another."""
    at = first
    while at < last:
        for draw in (_pipes, find_boxes, _columns, _tabular, _dashed, _figured, _framed, _series, _tabbed, _named):
            end, rows = draw(lines, at, last)
            if rows:
                caption = caption_of(lines, at, end) if draw is _tabular else ""
                yield to_table(rows, (at, end), caption)
            if end > at:
                at = end
                break
        else:
            at += 1


# Each of these says where the table that begins in the first line ends, and its rows; without rows, up to where there
# is none, which is the first line itself where nothing begins there.


def _pipes(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    if first + 2 >= last or "|" not in lines[first] or not _RULE.match(lines[first + 1].strip()):
        return first, []
    n_columns = len(_inside(lines[first + 1].replace("+", "|")).split("|"))
    if not 2 <= n_columns <= MAX_COLUMNS or not (heading := _split_at_pipes(lines[first], n_columns)):
        return first, []
    rows = [_row(first, heading, is_header=True)]
    end = first + 2
    while end < last and (cells := _split_at_pipes(lines[end], n_columns)):
        rows.append(_row(end, cells))
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


def find_boxes(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    """Where the boxes of +---+ that begin in the first line end, and their rows; none where they are not closed."""
    if not _BORDER.match(lines[first]):
        return first, []
    end = first
    while end < last and lines[end].strip()[:1] in ("+", "|"):
        end += 1
    rules = [number for number in range(first, end) if _PART_OF_BORDER.search(lines[number])]
    drawn = [part for number in rules for part in _PART_OF_BORDER.finditer(lines[number])]
    edges = sorted({place for part in drawn for place in range(*part.span()) if part.string[place] == "+"})
    is_closed = rules[-1] == end - 1 and _BORDER.match(lines[end - 1]) is not None
    if len(rules) < 3 or not is_closed or len(edges) > MAX_COLUMNS:
        return end, []
    header_end = next((number for number in rules[1:-1] if "=" in lines[number]), first)
    rows = _Boxes(lines, rules, edges).rows(header_end)
    return end, rows if len(rows) > 1 else []


class _Boxes:
    """The cells between these rules, lines from 0, and these edges, characters from 0."""

    def __init__(self, lines: Sequence[str], rules: Sequence[int], edges: Sequence[int]) -> None:
        self._lines = lines
        self._rules = rules
        self._edges = edges

    def rows(self, header_end: int) -> list[Row]:
        """The rows, those above the line header_end as headings; [] where a cell is no rectangle."""
        n_rows, n_columns = len(self._rules) - 1, len(self._edges) - 1
        rows: list[Row] = [[] for _ in range(n_rows)]
        taken: set[tuple[int, int]] = set()
        for row, column in product(range(n_rows), range(n_columns)):
            if (row, column) in taken:
                continue
            right = next(at for at in range(column + 1, n_columns + 1) if self._is_parted(row, at))
            below = next(at for at in range(row + 1, n_rows + 1) if self._is_ruled(at, column))
            box = set(product(range(row, below), range(column, right)))
            if box & taken or not self._is_whole((row, below), (column, right)):
                return []
            taken |= box
            rows[row].append(self._cell((row, below), (column, right), header_end))
        return rows

    def _is_parted(self, row: int, edge: int) -> bool:
        place = self._edges[edge]
        inside = range(self._rules[row] + 1, self._rules[row + 1])
        return edge == len(self._edges) - 1 or all(self._lines[at][place : place + 1] in ("|", "+") for at in inside)

    def _is_ruled(self, rule: int, column: int) -> bool:
        drawn = self._lines[self._rules[rule]][self._edges[column] + 1 : self._edges[column + 1]]
        return bool(drawn) and not drawn.strip("-=")

    def _is_whole(self, rows: tuple[int, int], columns: tuple[int, int]) -> bool:
        """Whether no line is drawn inside of these rows and columns, and all around them."""
        return all(
            (column + 1 == columns[1]) == self._is_parted(row, column + 1)
            and (row + 1 == rows[1]) == self._is_ruled(row + 1, column)
            for row, column in product(range(*rows), range(*columns))
        )

    def _cell(self, rows: tuple[int, int], columns: tuple[int, int], header_end: int) -> TextCell:
        above, below = self._rules[rows[0]], self._rules[rows[1]]
        start, end = self._edges[columns[0]] + 1, self._edges[columns[1]]
        texts = [self._lines[at][start:end] for at in range(above + 1, below)]
        spans = rows[1] - rows[0], columns[1] - columns[0]
        return TextCell(_joined(without_directives(texts)), above + 1, None, *spans, is_header=below <= header_end)


def _columns(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    if not _UNDERLINES.match(lines[first]):
        return first, []
    rules = list(islice((number for number in range(first, last) if _UNDERLINES.match(lines[number])), 3))
    if len(rules) < 3:
        return first, []
    starts = [run.start() for run in _RUN.finditer(lines[first])]
    headings = _rows_under_runs(lines, (rules[0] + 1, rules[1]), starts, is_header=True)
    rows = _rows_under_runs(lines, (rules[1] + 1, rules[2]), starts, is_header=False)
    return (rules[2] + 1, [*headings, *rows]) if headings and rows else (first, [])


def _rows_under_runs(
    lines: Sequence[str], between: tuple[int, int], starts: Sequence[int], *, is_header: bool
) -> list[Row]:
    """The rows in lines [first, last) with their texts in columns from starts on.

    A line of dashes under a row says which columns each of its texts spans. Lines of a header are one row, and a line
    without a first text goes on with the row above.
    """
    rows: list[Row] = []
    is_open = False  # the last row may go on
    for number in range(*between):
        if DASHES.match(lines[number]):
            continue
        is_spanning = number + 1 < between[1] and DASHES.match(lines[number + 1]) is not None
        edges = [run.start() for run in DASH_RUN.finditer(lines[number + 1])] if is_spanning else starts
        bounds = [(edge, end) for edge, end in zip(edges, [*edges[1:], None], strict=True)]
        texts = [lines[number][start:end] for start, end in bounds]
        if is_open and not is_spanning and (is_header or not texts[0].strip()):
            known = [_joined([cell.text, text]) for cell, text in zip(rows[-1], texts, strict=True)]
            rows[-1] = _row(rows[-1][0].line, known, is_header=is_header)
            continue
        spans = [sum(edge <= start and (end is None or start < end) for start in starts) for edge, end in bounds]
        if not all(spans):
            return []
        cells = zip(texts, spans, strict=True)
        rows.append([TextCell(_joined([text]), number, None, 1, span, is_header=is_header) for text, span in cells])
        is_open = not is_spanning
    return rows


def _tabular(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    end, rows = tabular_rows(lines, first, last)
    n_columns = max((sum(span for _, span in cells) for _, cells, _ in rows), default=0)
    read = [
        [TextCell(text, line, None, 1, span, is_header=is_header) for text, span in cells]
        for line, cells, is_header in rows
    ]
    return (end, read) if len(rows) > 1 and 1 < n_columns <= MAX_COLUMNS else (first, [])


def _dashed(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    return _headed(*dashed_rows(lines, first, last))


def _figured(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    return _headed(*figured_rows(lines, first, last))


def _framed(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    return _headed(*frame_rows(lines, first, last))


def _series(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    end, rows, is_named = series_rows(lines, first, last)
    return _headed(end, rows) if is_named else (end, [_row(at, texts) for at, texts in rows])


def _tabbed(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    end, rows = tabbed_rows(lines, first, last)
    return end, [_row(at, texts) for at, texts in rows]


def _named(lines: Sequence[str], first: int, last: int) -> tuple[int, list[Row]]:
    return _headed(*named_rows(lines, first, last))


def _headed(end: int, rows: Sequence[tuple[int, Sequence[str]]]) -> tuple[int, list[Row]]:
    """The end as it is, and the rows as cells, the first of them headings."""
    return end, [_row(at, texts, is_header=number == 0) for number, (at, texts) in enumerate(rows)]


def _row(line: int, texts: Sequence[str], *, is_header: bool = False) -> Row:
    return [TextCell(text, line, is_header=is_header) for text in texts]


def _joined(texts: Sequence[str]) -> str:
    """The lines of a cell as one, in the way a page shows them."""
    return shown(_SPACES.sub(" ", " ".join(texts)).strip())
