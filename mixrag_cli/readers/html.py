"""HTML, as a stream of tags: headings, paragraphs, lists, preformatted text and tables, with their lines.

Read with the standard library's parser and no tree: a page nested 100,000 deep is no deeper here than any other,
memory is bounded by the text, and every tag knows its line. Nothing is fetched and nothing runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decoding_warnings, read_decoded
from mixrag_cli.readers.html_tables import OpenTable, raw_table
from mixrag_cli.readers.lined_text import LinedText, join_lined
from mixrag_cli.readers.raised import raise_text
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document, Grid
from mixrag_cli.records.places import Locator

PIECE_CHARS = 4_096  # fed at once; between two pieces the parent hears of us
# html.parser is quadratic in a tag that does not end: 16,000 characters cost it up to 5 s. People's tags are shorter,
# once inline images are out of the way.
MAX_TAG_CHARS = 16_000
MAX_NESTED_TABLES = 8  # deeper ones are text of their cell: each level repeats what is inside
MAX_HIDDEN_DEPTH = 200


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ix:header holds what machines read of a filing in inline XBRL: contexts, units and codes, without a blank between them
UNREAD_TAGS = _set("nav template noscript svg math iframe object head select button ix:header")
BLOCK_TAGS = _set(
    "p div section article main header footer aside figure figcaption blockquote address dl dt dd ul ol li form "
    "fieldset details summary body html center hr"
)
VOID_TAGS = _set("area base br col embed hr img input link meta source track wbr")
HEADINGS = {f"h{level}": level for level in range(1, 7)}
# Taken out beforehand: openings and what ends them. A page's scripts are often larger than its text.
UNREAD_SPANS = (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"))
INLINE_DATA = re.compile(r"data:[^\s\"'>)]{200,}")
HIDING_STYLE = re.compile(
    r"display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden"
    r"|(?:font-size|opacity)\s{0,3}:\s{0,3}0(?:[^.\d]|$)",
    re.IGNORECASE,
)
SPACES = re.compile(r"\s+")
BLANKS = re.compile(" {2,}")
MAX_SPAN = 1_000  # what a browser allows a colspan
MAX_GRID_CELLS = 200_000


def read_html(source: ReadSource) -> Document:
    """The document of an HTML file; its title is the page's own or the first heading.

    Raises FileUnreadable("binary") and ("too-large").
    """
    decoded = read_decoded(source)
    builder = DocumentBuilder("html")
    builder.warnings += decoding_warnings(decoded)
    add_html(builder, decoded.text, source.beat)
    return builder.build()


def add_html(
    builder: DocumentBuilder,
    text: str,
    beat: Callable[[int, int], None],
    *,
    first_line: int = 1,
    keeps_inner: bool = False,
) -> None:
    """Add the page's blocks. Hidden text is kept, and a warning says how much of it there is.

    first_line: of its file, where the text is a part of one. keeps_inner: a table in a cell, text of the cell, is also
    one behind the outer table; pages use tables for layout.
    """
    reader = _PageReader(builder, keeps_inner)
    reader.lineno = first_line
    text = INLINE_DATA.sub("data:", drop_unread_spans(text))
    for start in range(0, len(text), PIECE_CHARS):
        beat(start, len(text))
        try:
            reader.feed(text[start : start + PIECE_CHARS])
        except AssertionError:  # html.parser's word for a declaration that it cannot read
            reader.give_up()
        if reader.waiting_chars > MAX_TAG_CHARS:
            reader.give_up()
        if reader.has_given_up:
            break
    reader.finish()


def drop_unread_spans(text: str) -> str:
    """The page without comments, scripts and styles; their line breaks stay. One that never ends is left."""
    for opening, closing in UNREAD_SPANS:
        folded = text.lower()
        if len(folded) != len(text):  # a few characters grow when folded, and places would no longer agree
            folded = text
        kept, done = [], 0
        while (start := folded.find(opening, done)) >= 0 and (end := folded.find(closing, start)) >= 0:
            kept += [text[done:start], "\n" * text.count("\n", start, end)]
            done = end + (len(closing) if closing.startswith("-") else 0)
        text = "".join([*kept, text[done:]]) if kept else text
    return text


class _PageReader(HTMLParser):
    """Gathers text until a tag ends the block, then adds the block."""

    def __init__(self, builder: DocumentBuilder, keeps_inner: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._builder = builder
        self._keeps_inner = keeps_inner
        self._inner: list[tuple[LinedText, Grid]] = []  # tables in cells of the open one
        self._parts: list[LinedText] = []
        self._level = 0  # of the open heading
        self._pre = 0
        self._lists: list[int] = []  # the number of the next item, 0 for bullets
        self._bullet = ""
        self._term = ""  # of a definition list, until what it means is read
        self._definition_part = ""  # "dt" or "dd", the last that began
        self._unread: list[str] = []  # open tags of a part that is not read, the outermost first
        self._hidden: list[str] = []
        self._hidden_chars = 0
        self._in_title = False
        self._tables: list[OpenTable] = []
        self._bold_chars = 0
        self._bold = 0
        self._raised = 0
        self._unread_tables = 0
        self.has_given_up = False

    @property
    def waiting_chars(self) -> int:
        """How much text waits for the end of a tag."""
        return len(self.rawdata)

    def give_up(self) -> None:
        """Read no further, and say so."""
        self.has_given_up = True
        self.rawdata = ""
        line = self.getpos()[0]
        self._builder.warnings.append(f"line {line}: markup that cannot be read, the rest is left out")

    def finish(self) -> None:
        """Take what is still open."""
        self.close()
        self._unread_tables = 0
        while self._tables:
            self._close_table()
        self._flush()
        if self._hidden_chars:
            self._builder.warnings.append(f"{self._hidden_chars} characters of hidden text")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An opening tag."""
        if tag == "title":
            self._in_title = True
        if self._unread or tag in UNREAD_TAGS:
            self._open_unread(tag)
            return
        self._track_hidden(tag, dict(attrs))
        if tag == "br":
            self._add_part("\n")
        elif tag in ("b", "strong"):
            self._bold += 1
        elif tag == "sup":
            self._raised += 1
        elif tag == "img":
            self._add_part(SPACES.sub(" ", dict(attrs).get("alt") or ""))
        elif tag == "table" or self._tables:
            self._open_table_tag(tag, dict(attrs))
        elif tag in HEADINGS or tag == "pre" or tag in BLOCK_TAGS:
            self._open_block(tag, dict(attrs))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID_TAGS:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """A closing tag."""
        if tag == "title":
            self._in_title = False
        if self._unread:
            self._close_unread(tag)
            return
        if self._hidden and tag in self._hidden:
            del self._hidden[len(self._hidden) - 1 - self._hidden[::-1].index(tag) :]
        if tag in ("b", "strong"):
            self._bold = max(0, self._bold - 1)
        elif tag == "sup":
            self._raised = max(0, self._raised - 1)
        elif self._tables:
            self._close_table_tag(tag)
        elif tag in HEADINGS or tag == "pre" or tag in BLOCK_TAGS:
            self._close_block(tag)

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        if self._in_title and not self._builder.title:
            self._builder.title = SPACES.sub(" ", data).strip()
        if self._unread or (data.isspace() and not self._parts):
            return
        if not data.isspace():
            self._hidden_chars += len(data.strip()) if self._hidden else 0
            self._bold_chars += len(data.strip()) if self._bold else 0
        part = LinedText.from_lines(raise_text(data) if self._raised else data, self.getpos()[0])
        self._parts.append(part if self._pre else part.sub(SPACES, " "))

    def _add_part(self, text: str) -> None:
        """Text that a tag stands for: all of it is on the tag's line."""
        self._parts.append(LinedText(text, ((0, self.getpos()[0]),)))

    def _open_unread(self, tag: str) -> None:
        if not self._unread or tag == self._unread[0]:
            self._unread.append(tag)

    def _close_unread(self, tag: str) -> None:
        if tag == self._unread[0]:
            self._unread.pop()
        elif tag in ("html", "body"):
            self._unread.clear()

    def _track_hidden(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag in VOID_TAGS:
            return
        is_hiding = "hidden" in attributes or HIDING_STYLE.search(attributes.get("style") or "") is not None
        if len(self._hidden) < MAX_HIDDEN_DEPTH and (is_hiding or (self._hidden and tag == self._hidden[0])):
            self._hidden.append(tag)

    def _open_block(self, tag: str, attributes: dict[str, str | None]) -> None:
        self._flush()
        if tag in HEADINGS:
            self._level = HEADINGS[tag]
        elif tag == "pre":
            self._pre += 1
        elif tag in ("ul", "ol"):
            self._lists.append(_item_number(attributes.get("start"), 1) if tag == "ol" else 0)
        elif tag == "li":
            self._open_item(attributes.get("value"), attributes.get("data-label"))
        elif tag in ("dt", "dd"):
            self._definition_part = tag

    def _open_item(self, value: str | None, label: str | None) -> None:
        if self._lists and self._lists[-1]:
            self._lists[-1] = _item_number(value, self._lists[-1])
        number = self._lists[-1] if self._lists else 0
        margin = "  " * min(max(len(self._lists) - 1, 0), 20)
        self._bullet = margin + (f"{label} " if label else f"{number}. " if number else "- ")
        if number:
            self._lists[-1] += 1

    def _close_block(self, tag: str) -> None:
        self._flush()
        if tag == "pre":
            self._pre = max(0, self._pre - 1)
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._bullet = ""
        elif tag == "li":
            self._bullet = ""
        elif tag in ("dt", "dd"):
            self._definition_part = ""

    def _flush(self) -> None:
        text = self._take_text()
        level, self._level = self._level, 0
        if not text.text:
            return
        if self._definition_part == "dt":
            self._term = text.text
        elif self._definition_part == "dd" and self._term and text.lines:
            self._builder.add_definition(self._term, text.text, text.lines[0])
            self._term = ""
        if level:
            heading = text.sub(SPACES, " ")
            self._builder.entitle(heading.text)
            self._builder.add_heading(heading, level)
        elif self._pre:
            self._builder.add(text, "code")
        elif self._bullet:
            self._builder.add(text.after(self._bullet), "list")
            self._bullet = " " * len(self._bullet)
        else:
            self._builder.add(text, "paragraph")

    def _take_text(self) -> LinedText:
        self._raised = 0  # no block ends in the middle of a mark
        text = join_lined(self._parts)
        self._parts.clear()
        if not self._pre:
            return text.sub(BLANKS, " ").without_blank_lines()
        start = len(text.text) - len(text.text.lstrip("\n"))
        return text.cut(start, max(start, len(text.text.rstrip())))

    def _open_table_tag(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag == "table" and len(self._tables) >= MAX_NESTED_TABLES:
            self._unread_tables += 1
            return
        if tag == "table":
            if self._tables:
                self._add_part("\n")  # a table in a cell: its own block after this one would lose its place
            else:
                self._flush()
            self._tables.append(OpenTable(self.getpos()[0]))
            return
        table = self._tables[-1]
        if self._unread_tables:
            self._add_part(" ")
            return
        if tag in ("tr", "td", "th", "caption"):
            self._close_cell()
        if tag == "tr":
            table.open_row()
        elif tag in ("td", "th"):
            if table.row < 0:
                table.open_row()
            spans = [_span(attributes.get(name)) for name in ("rowspan", "colspan")]
            table.cell = (tag == "th", spans[0], spans[1], self.getpos()[0])
        elif tag == "caption":
            table.is_in_caption = True
        elif tag in BLOCK_TAGS:
            self._add_part(" ")

    def _close_table_tag(self, tag: str) -> None:
        if tag == "table" and self._unread_tables:
            self._unread_tables -= 1
        elif tag == "table":
            self._close_table()
        elif tag in ("td", "th", "tr", "caption"):
            self._close_cell()

    def _close_cell(self) -> None:
        table = self._tables[-1]
        if self._unread_tables:
            return
        bold_chars, self._bold_chars = self._bold_chars, 0
        if not table.is_in_caption and table.cell is None:
            return  # blanks between cells; a row of an outer table while an inner one is open
        text = self._take_text().sub(SPACES, " ")
        if table.is_in_caption:
            table.caption, table.is_in_caption = text, False
        else:
            table.close_cell(text, is_bold=bool(text.text) and bold_chars >= len(text.text.replace(" ", "")))

    def _close_table(self) -> None:
        self._close_cell()
        table = self._tables.pop()
        text = raw_table(table)
        if self._tables and self._tables[-1].cell is not None:
            self._parts.append(text)  # a table for layout, or a table in a cell: text of that cell
            if self._keeps_inner and (grid := self._grid_of(table)) is not None:
                caption = table.caption.text or self._tables[-1].label
                self._inner.append((text, replace(grid, caption=caption)))
            return
        if not text.text:
            return
        grid = self._grid_of(table)
        if grid is None:
            self._builder.add(text, "paragraph")
        else:
            self._builder.add(text, "table", grid=grid, lines=grid.locator.lines)
        for inner_text, inner in self._inner:
            self._builder.add(inner_text, "table", grid=inner, lines=inner.locator.lines)
        self._inner.clear()

    def _grid_of(self, table: OpenTable) -> Grid | None:
        """The table's grid; None for what only has the markup of one."""
        n_rows = max((cell.row + cell.row_span for cell in table.cells), default=0)
        n_columns = max((cell.column + cell.column_span for cell in table.cells), default=0)
        if n_columns < 2 or n_rows < 2 or len(table.cells) > MAX_GRID_CELLS:
            return None
        last_row = table.row + 1  # a rowspan may claim rows that never came
        cells = tuple(cell for cell in table.cells if cell.row < last_row)
        lines = (table.line, max(table.line, self.getpos()[0]))
        locator = Locator(chars=(0, 0), lines=lines)
        return Grid(last_row, n_columns, cells, locator, caption=table.caption.text, total_rows=last_row)


def _span(value: str | None) -> int:
    text = (value or "1").strip()
    return min(max(int(text), 1), MAX_SPAN) if text.isdecimal() and len(text) < 9 else 1


def _item_number(value: str | None, default: int) -> int:
    return int(value) if value and value.isdecimal() and int(value[:9]) > 0 and len(value) < 9 else default
