"""Rich text (rtf): its characters through striprtf; headings, lists, tables and footnotes by marks, written as HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from striprtf.striprtf import charset_map, destinations, rtf_to_text

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.html import add_html
from mixrag_cli.readers.office import rtf_marks as marks
from mixrag_cli.readers.office.looks import (
    MAX_LEVEL,
    MAX_PARAGRAPHS,
    Look,
    Paragraph,
    Place,
    heading_levels,
    is_running,
)
from mixrag_cli.readers.office.markup import LIBRARY_ERRORS
from mixrag_cli.readers.office.tab_tables import with_tab_tables
from mixrag_cli.readers.raised import raise_text
from mixrag_cli.readers.source import MEGABYTE, ReadSource
from mixrag_cli.records.documents import Document

KIND = "Rich Text document"
BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,100}\{\\rtf")
KEPT = ("fonttbl", "footnote")
ITEM_LABEL = re.compile(r"^\s*(?:(?P<number>\d{1,6})[.)]|(?P<bullet>[^\w\s]))?\t")
EDGE_TOLERANCE = 60  # twentieths of a point, a millimetre: edges of rows set by hand


def read_rtf(source: ReadSource) -> Document:
    """The document of an rtf file; one of 0 bytes has no blocks. Tracked deletions and comments are left out.

    Raises FileUnreadable: "damaged", "too-large", "forbidden" (absurd nesting).
    """
    builder = DocumentBuilder("document", cites="sections")
    if source.size > source.limits.max_file_mb * MEGABYTE:
        raise FileUnreadable("too-large", f"larger than {source.limits.max_file_mb} MB")
    raw = source.file.read()
    if not raw:
        return builder.build()
    if not (start := BEGINS.match(raw)):
        raise FileUnreadable("damaged", f"not a readable {KIND}")
    text = raw[start.end() - len(rb"{\rtf") :].decode("latin-1")  # a byte a character: pictures say how many they take
    marked = marks.with_marks(text, destinations - {*KEPT}, charset_map, source.beat)
    try:
        plain: str = rtf_to_text(marked.text, errors="replace")
    except LIBRARY_ERRORS as error:
        raise FileUnreadable("damaged", f"not a readable {KIND}") from error
    assembly = _Assembly(marked)
    assembly.take(plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))  # pairs of surrogates joined
    add_html(builder, with_tab_tables(assembly.markup()), source.beat)
    return builder.build()


@dataclass
class _Text:
    """A paragraph that is open."""

    parts: list[str] = field(default_factory=list)
    looks: Counter[Look] = field(default_factory=Counter)
    is_item: bool = False


@dataclass
class _Cell:
    """A cell of a row: the columns that it takes, from the first one on, and how many rows."""

    text: str
    first: int
    last: int
    n_rows: int = 1


@dataclass
class _Entry:
    """What stands in the document's flow: a paragraph by its number, or the rows of a table; with its notes."""

    paragraph: int = -1
    rows: list[tuple[list[str], tuple[marks.RowEdge, ...]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Assembly:
    """Puts characters and marks together as paragraphs and tables."""

    def __init__(self, marked: marks.MarkedText) -> None:
        self._marked = marked
        self._look, self._is_raised = marks.DEFAULT_LOOK, False
        self._open = [_Text()]  # the paragraph of the text, and that of a note within it
        self._cell: list[str] = []
        self._cells: list[str] = []
        self._told: list[Paragraph] = []
        self._entries: list[_Entry] = [_Entry()]
        self._notes: list[str] = []
        self._n_notes = 0

    def take(self, text: str) -> None:
        """All of the text."""
        pieces = marks.MARKS.split(text)
        self._say(pieces[0])
        for kind, number, piece in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
            self._take_mark(kind, int(number or 0))
            self._say(piece)
        self._notes += ["".join(note.parts) for note in self._open[1:]]
        del self._open[1:]
        self._end_paragraph(0, False)
        if self._cell or self._cells:  # a row without an end
            self._end_row(())

    def _say(self, piece: str) -> None:
        self._open[-1].parts.append(raise_text(piece) if self._is_raised else piece)
        if n_chars := sum(map(str.isalnum, piece)):
            self._open[-1].looks[self._look] += n_chars

    def _take_mark(self, kind: str, number: int) -> None:
        if kind == marks.LOOK:
            self._look, self._is_raised = self._marked.looks[number]
        elif kind == marks.ITEM:
            self._open[-1].is_item = True
        elif kind == marks.NOTE:
            self._n_notes += 1
            self._open[-1].parts.append(f"[{self._n_notes}]")
            self._open.append(_Text([f"[{self._n_notes}] "]))
        elif kind == marks.NOTE_END and len(self._open) > 1:
            self._notes.append("".join(self._open.pop().parts))
        elif len(self._open) > 1:
            self._open[-1].parts.append(" ")  # a note of several paragraphs
        elif kind == marks.PARAGRAPH:
            self._end_paragraph(number % 10, number >= 10)
        elif kind == marks.CELL:
            self._end_paragraph(0, True)
            self._cells.append(" ".join(self._cell))
            self._cell = []
        elif kind == marks.ROW:
            self._end_row(self._marked.rows[number])

    def _end_paragraph(self, level: int, is_in_table: bool) -> None:
        ended, self._open[-1] = self._open[-1], _Text()
        text = "".join(ended.parts)
        if is_in_table:
            self._cell += [text.strip()] if text.strip() else []
        place: Place = "cell" if is_in_table else "list" if ended.is_item else "text"
        if level and not is_in_table and not is_running(text):
            place = "heading"
        self._told.append(Paragraph(text, ended.looks, place, level))
        if not is_in_table:
            self._entries.append(_Entry(len(self._told) - 1, notes=self._notes))
            self._notes = []

    def _end_row(self, edges: tuple[marks.RowEdge, ...]) -> None:
        if not self._entries[-1].rows:
            self._entries.append(_Entry())
        self._entries[-1].rows.append((self._cells, edges))
        self._entries[-1].notes += self._notes
        self._cells, self._cell, self._notes = [], [], []

    def markup(self) -> str:
        """The document as HTML, each note at the end of the section that its mark is in."""
        levels = heading_levels(self._told) if len(self._told) <= MAX_PARAGRAPHS else {}
        levels |= {number: each.level for number, each in enumerate(self._told) if each.place == "heading"}
        parts, notes = list[str](), list[str]()
        for entry in self._entries:
            if entry.paragraph in levels:
                parts += [_in_tag("p", note) for note in notes]
                notes = []
            notes += entry.notes
            if entry.rows:
                parts += _table(entry.rows)
            elif entry.paragraph >= 0:
                parts.append(_paragraph(self._told[entry.paragraph], levels.get(entry.paragraph, 0)))
        return "".join([*parts, *(_in_tag("p", note) for note in [*notes, *self._notes])])


def _in_tag(tag: str, text: str, attributes: str = "") -> str:
    inner = escape(safe_text(text.strip()), quote=False).replace("\n", "<br>")
    return f"<{tag}{attributes}>{inner}</{tag}>"


def _paragraph(told: Paragraph, level: int) -> str:
    if level:
        return _in_tag(f"h{min(level, MAX_LEVEL)}", told.text)
    label = ITEM_LABEL.match(told.text) if told.place == "list" else None
    if not label:
        return _in_tag("p", told.text)
    kind, number = ("ol", f' value="{label["number"]}"') if label["number"] else ("ul", "")
    return f"<{kind}>{_in_tag('li', told.text[label.end() :], number)}</{kind}>"


def _table(rows: Sequence[tuple[list[str], tuple[marks.RowEdge, ...]]]) -> Iterator[str]:
    """A table's HTML; cells are as wide as their edges say, where every row tells those."""
    yield "<table>"
    for row in _placed(rows):
        yield "<tr>"
        for cell in row:
            yield _in_tag("td", cell.text, f' colspan="{cell.last - cell.first + 1}" rowspan="{cell.n_rows}"')
        yield "</tr>"
    yield "</table>"


def _placed(rows: Sequence[tuple[list[str], tuple[marks.RowEdge, ...]]]) -> list[list[_Cell]]:
    """The cells that begin in each row, at their columns."""
    if any(len(texts) != len(edges) for texts, edges in rows):
        return [[_Cell(text, column, column) for column, text in enumerate(texts)] for texts, _ in rows]
    columns = _columns_of({edge.right for _, edges in rows for edge in edges})
    above = dict[int, _Cell]()  # the last cell that began in each column
    placed = list[list[_Cell]]()
    for texts, edges in rows:
        row, first = list[_Cell](), 0
        for text, edge in zip(texts, edges, strict=True):
            last = max(columns[edge.right], first)
            if edge.goes_on == "left" and row:
                row[-1].last, row[-1].text = last, f"{row[-1].text} {text}".strip()
            elif edge.goes_on == "above" and first in above:
                above[first].n_rows += 1
            else:
                row.append(_Cell(text, first, last))
                above[first] = row[-1]
            first = last + 1
        placed.append(row)
    return placed


def _columns_of(edges: set[int]) -> dict[int, int]:
    """The number of the column that ends at each edge."""
    columns, column, before = dict[int, int](), -1, None
    for edge in sorted(edges):
        column += before is None or edge - before > EDGE_TOLERANCE
        before = edge
        columns[edge] = column
    return columns
