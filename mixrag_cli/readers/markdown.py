"""Markdown, through markdown-it's block tokens and their line maps.

Headings, paragraphs, lists, fences and tables become blocks with the lines they stand on. Inline markup is reduced
to what a reader sees: links keep their text, images their description; comments go. A line break inside a paragraph
stays one, so that a block's lines are its source's lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decoding_warnings, read_decoded
from mixrag_cli.readers.lines import add_lines
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text import add_text
from mixrag_cli.records import Document, Grid, GridCell, Locator

MAX_DEPTH = 100  # each level of quotes or lists costs markdown-it some five frames of Python's thousand
MAX_PARSED_CHARS = 5_000_000  # at about 2 MB a second
MAX_INLINE_CHARS = 50_000  # inline parsing of hostile text is quadratic: a longer paragraph keeps its markup
MAX_GRID_CELLS = 200_000
MAX_LIST_CHARS = 1_500  # a list is cut between its items above this, so that a block's lines still say where
CAPTION = re.compile(r"(?:table|tabelle|tableau|tab\.)[ \t]*[\dIVX]", re.IGNORECASE)
MAX_CAPTION_CHARS = 200
TITLE_LINE = re.compile(r"^title[ \t]*[:=][ \t]*[\"']?(.{1,200}?)[\"']?[ \t]*$", re.MULTILINE)
BREAKING_TAGS = frozenset(("br", "p", "div", "li", "tr", "dt", "dd", "summary", "h1", "h2", "h3", "h4", "h5", "h6"))
SPACES = re.compile(r"[ \t]+")

Beat = Callable[[int, int], None]


def read_markdown(source: ReadSource) -> Document:
    """The document of a markdown file; its title is the front matter's or the first heading of level 1.

    Raises FileUnreadable("binary") and ("too-large").
    """
    decoded = read_decoded(source)
    builder = DocumentBuilder("markdown")
    builder.warnings += decoding_warnings(decoded)
    add_markdown(builder, decoded.text, source.beat)
    return builder.build()


def add_markdown(builder: DocumentBuilder, text: str, beat: Beat, *, keep_lines: bool = True) -> None:
    """Add the text's blocks; without keep_lines their places have no lines (they would be lines of a cell).

    A text nested more deeply than MAX_DEPTH or too large to parse is read as plain text.
    """
    tokens = None
    if len(text) <= MAX_PARSED_CHARS:
        beat(0, len(text))
        tokens = _parse(text)
    if tokens is None:
        builder.warnings.append("nested too deeply or too large for markdown, read as plain text")
        add_text(builder, text, "txt", beat)
        return
    _TokenReader(builder, text, beat, keep_lines).add_all(tokens)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_DEPTH + 1}).enable("table").use(front_matter_plugin)
    return parser.disable("inline")  # done by block, where its size can be bounded


def _parse(text: str) -> list[Token] | None:
    try:
        tokens = _parser().parse(text)
    except RecursionError:
        return None
    # at the limit markdown-it leaves the rest of the block out without a word
    return None if any(token.level >= MAX_DEPTH for token in tokens) else tokens


class _TokenReader:
    """Turns a flat list of block tokens into blocks."""

    def __init__(self, builder: DocumentBuilder, text: str, beat: Beat, keep_lines: bool) -> None:
        self._builder = builder
        self._lines = text.split("\n")
        self._beat = beat
        self._keep_lines = keep_lines
        self._inline = MarkdownIt("commonmark")
        self._items: list[str] = []  # the list block that is being gathered
        self._item_lines = (0, 0)
        self._depths: list[int] = []  # of open lists: the number of the next item, 0 for bullets
        self._is_item_start = False
        self._caption = ""

    def add_all(self, tokens: Sequence[Token]) -> None:
        """Add every block."""
        place = 0
        while place < len(tokens):
            self._beat(place, len(tokens))
            place = self._add(tokens, place)
        self._flush_list()

    def _add(self, tokens: Sequence[Token], place: int) -> int:
        """Take the token at place, and what belongs to it; the place of the next one."""
        token = tokens[place]
        if token.type == "heading_open":
            self._add_heading(token, tokens[place + 1])
            return place + 3
        if token.type == "paragraph_open":
            self._add_paragraph(token, tokens[place + 1])
            return place + 3
        if token.type == "table_open":
            end = next(i for i in range(place, len(tokens)) if tokens[i].type == "table_close")
            self._add_table(token, tokens[place:end])
            return end + 1
        if token.type in ("fence", "code_block", "html_block", "front_matter"):
            self._add_leaf(token)
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            is_ordered = token.type == "ordered_list_open"
            self._depths.append(int(token.attrs.get("start", 1)) if is_ordered else 0)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._depths.pop()
            if not self._depths:
                self._flush_list()
        elif token.type == "list_item_open":
            self._open_item()
        return place + 1

    def _add_heading(self, token: Token, inline: Token) -> None:
        self._flush_list()
        text = self._plain(inline).replace("\n", " ")
        if text:
            level = int(token.tag[1:])
            if level == 1:  # a lower one names a section, not the document
                self._builder.title = self._builder.title or text
            self._builder.add_heading(text, level, **self._place(token))
        self._caption = ""

    def _add_paragraph(self, token: Token, inline: Token) -> None:
        text = self._plain(inline)
        if self._depths:
            self._add_item_text(token, text)
            return
        self._builder.add(text, "paragraph", **self._place(token))
        self._caption = text if _is_caption(text) else ""

    def _add_leaf(self, token: Token) -> None:
        self._flush_list()
        if token.type == "html_block":
            self._builder.add(html_to_text(token.content), "paragraph", **self._place(token))
        elif token.type == "front_matter":
            if found := TITLE_LINE.search(token.content):
                self._builder.title = found.group(1)
            self._builder.add(token.content.strip(), "paragraph", **self._place(token))
        else:
            self._add_code(token)
        self._caption = ""

    def _add_code(self, token: Token) -> None:
        """A fence's content, without its fence lines; long ones in pieces."""
        content = token.content.rstrip("\n")
        if not self._keep_lines or token.map is None:
            self._builder.add(content, "code")
            return
        lines = content.split("\n")
        add_lines(self._builder, lines, (0, len(lines)), "code", offset=token.map[0] + (token.type == "fence"))

    def _open_item(self) -> None:
        if len(self._depths) == 1 and sum(map(len, self._items)) > MAX_LIST_CHARS:
            self._flush_list()
        self._is_item_start = True

    def _add_item_text(self, token: Token, text: str) -> None:
        number = self._depths[-1]
        bullet = f"{number}. " if number else "- "
        margin = "  " * (len(self._depths) - 1)
        lead = bullet if self._is_item_start else " " * len(bullet)
        if self._is_item_start and number:
            self._depths[-1] += 1
        self._is_item_start = False
        following = "\n" + margin + " " * len(bullet)
        if text:
            first, last = token.map or (0, 0)
            start = self._item_lines[0] if self._items else first
            self._items.append(margin + lead + text.replace("\n", following))
            self._item_lines = (start, last)

    def _flush_list(self) -> None:
        if self._items:
            lines = (self._item_lines[0] + 1, self._item_lines[1]) if self._keep_lines else None
            self._builder.add("\n".join(self._items), "list", lines=lines)
            self._items = []
            self._caption = ""

    def _add_table(self, token: Token, inner: Sequence[Token]) -> None:
        self._flush_list()
        first, last = token.map or (0, 0)
        raw = "\n".join(self._lines[first:last])
        cells = tuple(self._cells(inner)) if raw.count("|") <= MAX_GRID_CELLS else ()
        if not cells:
            add_lines(self._builder, self._lines, (first, last), "code")
            return
        place = self._place(token)
        n_rows = cells[-1].row + 1
        locator = Locator(chars=(0, 0), lines=place.get("lines"))
        n_columns = max(cell.column for cell in cells) + 1
        grid = Grid(n_rows, n_columns, cells, locator, caption=self._caption, total_rows=n_rows)
        self._builder.add(raw, "table", grid=grid, **place)
        self._caption = ""

    def _cells(self, inner: Sequence[Token]) -> Iterator[GridCell]:
        row, column, line = -1, 0, 0
        for place, token in enumerate(inner):
            if token.type == "tr_open":
                row, column = row + 1, 0
                line = token.map[0] + 1 if token.map else line + 1
            elif token.type in ("th_open", "td_open"):
                content = inner[place + 1]
                text = SPACES.sub(" ", self._plain(content).replace("\n", " ")).strip()
                is_bold = content.content.startswith("**") and content.content.endswith("**")
                where = line if self._keep_lines else None
                yield GridCell(row, column, text, is_header=token.type == "th_open", bold=is_bold, line=where)
                column += 1

    def _plain(self, inline: Token) -> str:
        """The inline content as a reader sees it."""
        if len(inline.content) > MAX_INLINE_CHARS:
            return inline.content
        try:
            parsed = self._inline.parseInline(inline.content)
        except RecursionError:
            return inline.content
        return "".join(_shown(child) for token in parsed for child in token.children or ()).strip()

    def _place(self, token: Token) -> dict[str, Any]:
        if not self._keep_lines or token.map is None:
            return {}
        first, last = token.map
        while last - 1 > first and not self._lines[last - 1].strip():
            last -= 1
        return {"lines": (first + 1, last)}


def _shown(token: Token) -> str:
    if token.type in ("text", "code_inline", "text_special"):
        return token.content
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    if token.type == "image":
        return "".join(_shown(child) for child in token.children or ())
    return " " if token.type == "html_inline" and token.content.lower().startswith("<br") else ""


def _is_caption(text: str) -> bool:
    return (
        len(text) <= MAX_CAPTION_CHARS and "\n" not in text and (text.endswith(":") or CAPTION.match(text) is not None)
    )


class _TextOfHtml(HTMLParser):
    """Gathers the text of a snippet; scripts, styles and comments are left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")
        if tag in BREAKING_TAGS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style") and self._hidden:
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def html_to_text(snippet: str) -> str:
    """The text of a piece of HTML inside markdown; "" when it holds tags and comments only."""
    parser = _TextOfHtml()
    try:
        parser.feed(snippet)
        parser.close()
    except AssertionError:  # html.parser's word for a declaration that it cannot read
        return ""
    lines = (SPACES.sub(" ", line).strip() for line in "".join(parser.parts).split("\n"))
    return "\n".join(line for line in lines if line)
