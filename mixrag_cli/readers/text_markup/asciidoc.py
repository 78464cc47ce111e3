"""AsciiDoc: which lines are headings, what its attributes say where they are named, and its tables.

    .Fees                    the caption
    [%header,cols="2,1"]     as many columns, and a row of headings
    |===
    |Grade |Fee
    2+|a cell over two columns; .2+| is one over two rows, 3*| three alike
    |===

A first line that a blank line follows is a row of headings, too. Between ,=== the values are set apart by commas.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS, TextCell, TextTable, to_table, with_their_lines

SUFFIXES = ("adoc", "asciidoc")
HEADING = re.compile(r"(={1,6})[ \t]+(\S[^\n]{0,200})")
# Around what stands as it is, is passed through or left out.
FENCE = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})[ \t]*\w{0,20}$")
ATTRIBUTE = re.compile(r":(?P<name>[\w-]{1,60}):[ \t]+(?P<value>\S[^\n]{0,300})$")
PASSED = re.compile(r"pass:[a-z,]{0,20}\[(?P<text>.*)\]$")
REFERENCE = re.compile(r"(?<!\\)\{([\w-]{1,60})\}")

TABLE_EDGE = re.compile(r"(?P<mark>[|,:])={3,}[ \t]*$")
BLOCK_LINE = re.compile(r"\[[^\]\n]{0,500}\][ \t]*$|\.[^\s.][^\n]{0,300}$")
COLUMNS = re.compile(r"cols=(?:\"([^\"]{1,500})\"|'([^']{1,500})'|([^,\]]{1,20}))")
COLUMN = re.compile(
    r"(?:\d{1,3}\*)?(?:[<^>](?:\.[<^>])?|(?:[<^>]?\.)?[<^>])?(?:\d{1,3}(?:\.\d{1,4})?%?|~)?[a-z]?$"
)  # how often, how aligned, how wide, in which style
COLUMN_TIMES = re.compile(r"[ \t]*(\d{1,3})\*")
HAS_HEADER = re.compile(r"%(?:[a-z%]*%)?header|opt(?:ion)?s=\"[^\"]*header")
CELL_START = re.compile(
    r"(?:(?<![^ \t])(?:(?P<times>\d{1,3})\*|(?=[\d.])(?P<columns>\d{0,3})(?:\.(?P<rows>\d{1,3}))?\+)?[<^>]?(?:\.[<^>])?"
    r"(?P<style>[adehlmsv])?)?(?<!\\)\|"
)
MARKUP = re.compile(
    r"(?:xref|link|mailto):[^\[\]\s]{0,300}\[(?P<link>[^\]]{1,300})\]|<<[^<>,]{1,200},\s*(?P<cross>[^<>]{1,200})>>"
    r"|(?<!\w)(?P<mark>\*{1,2}|_{1,2}|`{1,2})(?P<marked>[^\s*_`](?:[^*_`]{0,200}[^\s*_`])?)(?P=mark)(?!\w)"
)


def with_attributes(lines: Sequence[str]) -> list[str]:
    """The lines with the attributes that the file itself sets in the place of their names."""
    known: dict[str, str] = {}
    told = []
    for line in lines:
        line = REFERENCE.sub(lambda found: known.get(found[1], found[0]), line) if "{" in line else line
        if found := ATTRIBUTE.match(line):
            passed = PASSED.match(found["value"].strip())
            known[found["name"]] = passed["text"] if passed else found["value"].strip()
        told.append(line)
    return told


def head_attributes(lines: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """What is set above the first section: the line, from 1, the title and the attribute's name, and its value."""
    title: tuple[str, ...] = ()
    for number, line in enumerate(lines, 1):
        heading = HEADING.match(line)
        if FENCE.match(line) or (heading and len(heading[1]) > 1):
            return
        if heading:
            title = (heading[2].strip(),)
        elif found := ATTRIBUTE.match(line):
            yield number, (*title, found["name"]), found["value"].strip()


def heading_lines(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Each heading's line, from 0, its level and its text; what stands between fences has none."""
    fence = ""
    for number, line in enumerate(lines):
        if (found := FENCE.match(line)) and (fence or not _is_underline(lines, number)):
            fence = found[1] if not fence else fence * (found[1] != fence)
        elif not fence and (heading := HEADING.match(line)):
            yield number, len(heading[1]), shown(heading[2].strip())


def _is_underline(lines: Sequence[str], number: int) -> bool:
    """Whether the line underlines a title of about its length, in the older way to write one."""
    above = lines[number - 1].strip() if number else ""
    return above[:1].isalnum() and abs(len(above) - len(lines[number].strip())) <= 1


def shown(text: str) -> str:
    """The text as a page shows it, without the marks of links and of what is strong, stressed or literal."""
    return MARKUP.sub(lambda found: found["link"] or found["cross"] or found["marked"], text)


@dataclass(frozen=True, slots=True)
class _Frame:
    """A table's lines, from 0: first, of its caption or attributes; body, below its edge; end, of its other edge."""

    first: int
    body: int
    end: int
    mark: str
    about: str
    caption: str


def asciidoc_tables(lines: Sequence[str], first: int, last: int) -> Iterator[TextTable]:
    """The tables among the lines [first, last), from 0, in their order."""
    at = first
    while at < last:
        edge = TABLE_EDGE.match(lines[at])
        end = edge and next((below for below in range(at + 1, last) if lines[below].rstrip() == edge[0].rstrip()), None)
        if not edge or not end:
            at += 1
            continue
        frame = _framed(lines, first, at, end, edge["mark"])
        rows = _piped_rows(lines, frame) if frame.mark == "|" else _separated_rows(lines, frame)
        if len(rows) > 1 and sum(cell.column_span for cell in rows[0]) <= MAX_COLUMNS:
            yield to_table(rows, (frame.first, end + 1), frame.caption)
        first = at = end + 1


def _framed(lines: Sequence[str], first: int, edge: int, end: int, mark: str) -> _Frame:
    top = edge
    while top > first and BLOCK_LINE.match(lines[top - 1]):
        top -= 1
    above = lines[top:edge]
    about = " ".join(line for line in above if line.startswith("["))
    caption = next((line[1:].strip() for line in above if line.startswith(".")), "")
    if "format=csv" in about or 'format="csv"' in about:
        mark = ","
    return _Frame(top, edge + 1, end, mark, about, shown(caption))


def _piped_rows(lines: Sequence[str], frame: _Frame) -> list[list[TextCell]]:
    cells, n_first = _cells(lines, frame)
    n_columns = _n_columns(frame.about) or n_first
    if not cells or not n_columns:
        return []
    has_header = HAS_HEADER.search(frame.about) is not None
    is_set_off = bool(lines[frame.body].strip()) and not lines[frame.body + 1].strip()
    has_header = has_header or (is_set_off and n_first == n_columns)
    filling = _Filling(n_columns, has_header=has_header)
    for cell in cells:
        filling.add(cell)
    return filling.rows


def _cells(lines: Sequence[str], frame: _Frame) -> tuple[list[TextCell], int]:
    """The cells in their order, and how many columns those of the first line that has any take."""
    cells: list[TextCell] = []
    n_first = 0
    for number in range(frame.body, frame.end):
        starts = list(CELL_START.finditer(lines[number]))
        if cells:
            cells[-1] = _longer(cells[-1], lines[number][: starts[0].start()] if starts else lines[number], number)
        for start, following in pairwise((*starts, None)):
            assert start is not None
            text = lines[number][start.end() : following.start() if following else None]
            spans = [max(int(start[name] or 1), 1) for name in ("rows", "columns")]
            one = replace(_longer(TextCell("", number), text, number), row_span=spans[0], column_span=spans[1])
            cells += [one] * max(int(start["times"] or 1), 1)
        n_first = n_first or sum(cell.column_span for cell in cells)
    return cells, n_first


def _longer(cell: TextCell, text: str, line: int) -> TextCell:
    """The cell with this line of its text."""
    more = shown(" ".join(text.replace("\\|", "|").removesuffix(" +").split()))
    if not more:
        return cell
    return replace(cell, text=f"{cell.text} {more}".strip(), line=cell.line if cell.text else line, last_line=line)


def _n_columns(about: str) -> int:
    """How many columns are described, a number alone among it; 0 where none is, or in no way that a program reads."""
    found = COLUMNS.search(about)
    if found is None:
        return 0
    specs = re.split("[,;]", next(part for part in found.groups() if part))
    specs = [spec.strip() for spec in specs]
    if len(specs) == 1 and specs[0].isdecimal():
        return int(specs[0])
    if not all(COLUMN.match(spec) for spec in specs):
        return 0
    return sum(int(times[1]) if (times := COLUMN_TIMES.match(spec)) else 1 for spec in specs)


@dataclass(slots=True)
class _Filling:
    """Rows of so many columns while their cells come in; taken: of each row, the columns that have a cell."""

    n_columns: int
    has_header: bool
    rows: list[list[TextCell]] = field(default_factory=lambda: [[]])
    taken: dict[int, int] = field(default_factory=dict)

    def add(self, cell: TextCell) -> None:
        """Put the cell into the first row that has room."""
        while self.taken.get(len(self.rows) - 1, 0) >= self.n_columns:
            self.rows.append([])
        row = len(self.rows) - 1
        for below in range(row, row + cell.row_span):
            self.taken[below] = self.taken.get(below, 0) + cell.column_span
        self.rows[row].append(replace(cell, is_header=self.has_header and row == 0))


def _separated_rows(lines: Sequence[str], frame: _Frame) -> list[list[TextCell]]:
    """The rows of values set apart; [] where one has more of them than another."""
    records = csv.reader((f"{line}\n" for line in lines[frame.body : frame.end]), delimiter=frame.mark)
    is_set_off = frame.body + 1 < frame.end and not lines[frame.body + 1].strip()
    has_header = HAS_HEADER.search(frame.about) is not None or is_set_off
    try:
        rows = [
            [TextCell(shown(" ".join(text.split())), at, is_header=has_header and number == 0) for text in values]
            for number, (at, values) in enumerate(with_their_lines(records, frame.body))
        ]
    except csv.Error:  # a text that is never closed
        return []
    return rows if len({len(row) for row in rows}) == 1 else []
