"""Markdown, through markdown-it's block tokens and their line maps.

Headings, paragraphs, lists, fences and tables become blocks with the lines they stand on. Inline markup is reduced
to what a reader sees: links keep their text, images their description; comments go. Every piece knows its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from mixrag_cli.readers.building import MAX_CAPTION_CHARS, DocumentBuilder
from mixrag_cli.readers.decoding import decoding_warnings, read_decoded
from mixrag_cli.readers.facts.collecting import FactCollector
from mixrag_cli.readers.facts.settings import collect_settings
from mixrag_cli.readers.lined_text import LINE_END, LINE_START, LinedText, join_lined
from mixrag_cli.readers.lines import add_lines
from mixrag_cli.readers.markdown_components import collect_field, join_tags, read_component
from mixrag_cli.readers.markdown_html import add_html_block, count_open_tables
from mixrag_cli.readers.markdown_parsing import InlineText, Token, parse_blocks
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text import add_text
from mixrag_cli.readers.text_markup.pandoc_tables import find_pandoc_tables
from mixrag_cli.readers.text_markup.text_grid import TextTable
from mixrag_cli.records.documents import BlockKind, Document, Grid, GridCell
from mixrag_cli.records.places import Locator

MAX_PARSED_CHARS = 5_000_000  # at about 2 MB a second
MAX_GRID_CELLS = 200_000
MAX_LIST_CHARS = 1_500  # a list is cut between its items above this, so that a block's lines still say where
TABLE_MARK = "\ue000table "  # of a private character: a paragraph that stands for a drawn table
CAPTION = re.compile(r"(?:table|tabelle|tableau|tab\.)[ \t]*[\dIVX]", re.IGNORECASE)
TITLE_LINE = re.compile(r"^title[ \t]*[:=][ \t]*[\"']?(.{1,200}?)[\"']?[ \t]*$", re.MULTILINE | re.IGNORECASE)
METADATA = re.compile(r"(?:[A-Za-z][\w -]{0,40}:[^\n]*(?:\n|$))+")  # MultiMarkdown, Pelican: lines without fences
COUNTED = re.compile(r"[ \t]*(\d{1,3})[.)][ \t]+\S")
SPACES = re.compile(r"[ \t]+")
SETTINGS_FENCES = {
    **{name: name for name in ("toml", "yaml", "yml", "ini", "conf", "env", "properties")},
    "dotenv": "env",
}
MAX_MEAN_LINE = 200  # characters: what has longer lines is data
# One span of code, alone or alone on its line but for signs: what it names is told below.
_SIGNS = r"(?:&#?\w{1,10};|[^\w`<>\[\]&]){0,20}"
NAMES_TERM = re.compile(rf"{_SIGNS}(`+)[ ]?(?P<term>[^`\n]{{1,100}}?)[ ]?\1{_SIGNS}$")
BROKEN_LINE = re.compile(r"(?:<br ?/?>|[ ]{2,}|\\)\n")
# "- **0** => off": of several items so parted the one in bold is the one that holds
STRESSED = "stressed"  # key of a token's meta: the sign between such a value and its text
STRESSED_ITEM = re.compile(r"\*\*(?P<key>[^*\n]{1,60})\*\*[ ]{1,20}(?P<sign>=>|[-–—]{1,2})[ ]")
# Behind a heading, of kramdown, Pandoc and Docusaurus: "{: #name }", "{#name .class}"
ATTRIBUTES = re.compile(r"(?<!\s)\s{1,20}\{(?::[^{}\n]{1,200}|\s?[#.][\w:.\-]{1,80}(?:\s[^{}\n]{0,200})?)\}\s{0,20}$")

Beat = Callable[[int, int], None]


def read_markdown(source: ReadSource) -> Document:
    """The document of a markdown file; its title is the front matter's, that of the lines of keys above all else, or
    the first heading of level 1.

    Raises FileUnreadable("binary") and ("too-large").
    """
    decoded = read_decoded(source)
    builder = DocumentBuilder("markdown")
    builder.warnings += decoding_warnings(decoded)
    add_markdown(builder, decoded.text, source.beat)
    return builder.build()


def add_markdown(builder: DocumentBuilder, text: str, beat: Beat) -> None:
    """Add the text's blocks. One that is nested too deeply or too large to parse is read as plain text."""
    tokens = None
    if len(text) <= MAX_PARSED_CHARS:
        beat(0, len(text))
        text = join_tags(text)
        tables = list(find_pandoc_tables(text.split("\n")))
        tokens = _parse(text, tables)
    if tokens is None:
        builder.warnings.append("nested too deeply or too large for markdown, read as plain text")
        add_text(builder, text, "txt", beat)
        return
    _TokenReader(builder, text, beat, tables).add_all(tokens)


def _parse(text: str, tables: Sequence[TextTable]) -> list[Token] | None:
    """The text's blocks, a mark as the one paragraph in the lines of each table; all lines keep their places."""
    if not tables:
        return parse_blocks(text)
    lines = text.split("\n")
    marked = [*lines]
    for number, table in enumerate(tables):
        marked[table.first : table.last] = ["", f"{TABLE_MARK}{number}", *[""] * (table.last - table.first - 2)]
    tokens = parse_blocks("\n".join(marked))
    for token in tokens or ():
        if token.map and token.type != "inline" and TABLE_MARK in token.content:  # drawn in HTML: no table
            token.content = "\n".join(lines[slice(*token.map)]) + "\n"
    return tokens


class _TokenReader:
    """Turns a flat list of block tokens into blocks."""

    def __init__(self, builder: DocumentBuilder, text: str, beat: Beat, drawn: Sequence[TextTable]) -> None:
        self._builder = builder
        self._drawn = {f"{TABLE_MARK}{number}": table for number, table in enumerate(drawn)}
        self._lines = text.split("\n")
        self._beat = beat
        self._inline = InlineText()
        self._items: list[LinedText] = []  # the list block that is being gathered
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
        if token.type == "html_block":
            return self._add_html(tokens, place)
        if token.type in ("fence", "code_block", "front_matter"):
            self._add_leaf(token)
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            is_ordered = token.type == "ordered_list_open"
            self._depths.append(int(token.attrs.get("start", 1)) if is_ordered else 0)
            _mark_stressed(tokens, place)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._depths.pop()
            if not self._depths:
                self._flush_list()
        elif token.type == "list_item_open":
            self._open_item()
        return place + 1

    def _add_heading(self, token: Token, inline: Token) -> None:
        self._flush_list()
        text = self._shown(inline).sub(LINE_END, " ").sub(ATTRIBUTES, "")
        if text.text:
            level = int(token.tag[1:])
            if level == 1:  # a lower one names a section, not the document
                self._builder.entitle(text.text)
            term = NAMES_TERM.match(ATTRIBUTES.sub("", inline.content))
            self._builder.add_heading(text, level, name=term["term"] if term else "")
        self._caption = ""

    def _add_paragraph(self, token: Token, inline: Token) -> None:
        if (drawn := self._drawn.get(inline.content)) is not None:
            self._add_drawn(drawn)
            return
        text = self._shown(inline)
        if self._depths:
            self._add_item_text(_stressed(text, inline.meta[STRESSED]) if STRESSED in inline.meta else text)
            return
        opens = token.map is not None and token.map[0] == 0
        if opens and METADATA.fullmatch(text.text) and (found := TITLE_LINE.search(text.text)):
            self._builder.title = found.group(1)
        broken = BROKEN_LINE.search(inline.content)
        term = NAMES_TERM.match(inline.content[: broken.start()]) if broken else None
        self._builder.add(text, "paragraph", name=term["term"] if term else "")
        if text.lines and (component := read_component(inline.content)):
            told = text.text.removeprefix(component.text).strip()
            collect_field(self._builder.facts, component, self._builder.heading_path, text.lines[0], told)
        self._caption = text.text if _is_caption(text.text) else ""

    def _add_leaf(self, token: Token) -> None:
        self._flush_list()
        first = (token.map or (0, 0))[0] + 1
        if token.type == "front_matter":
            if found := TITLE_LINE.search(token.content):
                self._builder.title = found.group(1)
            collect_settings(self._builder.facts, token.content, "yaml", lines_above=first)
            self._builder.add(LinedText.from_lines(token.content, first + 1).strip(), "paragraph")
        else:
            # a fence's content, without its fence lines; long ones in pieces
            lines = token.content.rstrip("\n").split("\n")
            suffix = SETTINGS_FENCES.get(token.info.strip().partition(" ")[0].lower())
            if suffix and len(token.content) <= MAX_MEAN_LINE * len(lines):
                stated = FactCollector()
                collect_settings(stated, token.content, suffix)
                self._builder.facts.take(stated.facts, self._builder.heading_path, first)
            kind: BlockKind = "list" if token.type == "code_block" and _is_counted(lines) else "code"
            add_lines(self._builder, lines, (0, len(lines)), kind, offset=first - 1 + (token.type == "fence"))
        self._caption = ""

    def _add_html(self, tokens: Sequence[Token], place: int) -> int:
        """Add a block of HTML, with those that follow it at once as long as a table is open; the next token's place."""
        self._flush_list()
        first = line = (tokens[place].map or (0, 0))[0]
        parts: list[str] = []
        depth = 0
        while place < len(tokens) and tokens[place].type == "html_block":
            parts += ["\n" * ((tokens[place].map or (0, 0))[0] - line), tokens[place].content]
            line += parts[-2].count("\n") + parts[-1].count("\n")
            depth = max(0, depth + count_open_tables(parts[-1]))
            place += 1
            if not depth:
                break
        add_html_block(self._builder, "".join(parts), first + 1, self._beat)
        self._caption = ""
        return place

    def _open_item(self) -> None:
        if len(self._depths) == 1 and sum(len(item.text) for item in self._items) > MAX_LIST_CHARS:
            self._flush_list()
        self._is_item_start = True

    def _add_item_text(self, text: LinedText) -> None:
        number = self._depths[-1]
        bullet = f"{number}. " if number else "- "
        margin = "  " * (len(self._depths) - 1)
        lead = bullet if self._is_item_start else " " * len(bullet)
        if self._is_item_start and number:
            self._depths[-1] += 1
        self._is_item_start = False
        if text.text:
            self._items.append(text.sub(LINE_START, margin + " " * len(bullet)).after(margin + lead))

    def _flush_list(self) -> None:
        if self._items:
            self._builder.add(join_lined(self._items, "\n"), "list")
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
        while last - 1 > first and not self._lines[last - 1].strip():
            last -= 1
        n_rows = cells[-1].row + 1
        locator = Locator(chars=(0, 0), lines=(first + 1, last))
        n_columns = max(cell.column for cell in cells) + 1
        grid = Grid(n_rows, n_columns, cells, locator, caption=self._caption, total_rows=n_rows)
        self._builder.add(raw, "table", grid=grid, lines=(first + 1, last))
        self._caption = ""

    def _add_drawn(self, table: TextTable) -> None:
        """Add a table that is drawn without pipes, its cells as a reader sees them."""
        self._flush_list()
        cells = tuple(
            replace(cell, text=self._cell_text(cell.text, cell.line or 0), bold=_is_bold(cell.text))
            for cell in table.grid.cells
        )
        grid = replace(table.grid, cells=cells, caption=self._caption or table.grid.caption)
        place = table.first + 1, table.last
        self._builder.add("\n".join(self._lines[table.first : table.last]), "table", grid=grid, lines=place)
        self._caption = ""

    def _cell_text(self, content: str, line: int) -> str:
        return SPACES.sub(" ", self._inline.shown(content, line).text.replace("\n", " ")).strip()

    def _cells(self, inner: Sequence[Token]) -> Iterator[GridCell]:
        row, column, line = -1, 0, 0
        for place, token in enumerate(inner):
            if token.type == "tr_open":
                row, column = row + 1, 0
                line = token.map[0] + 1 if token.map else line + 1
            elif token.type in ("th_open", "td_open"):
                content = inner[place + 1]
                text = self._cell_text(content.content, (content.map or (0, 0))[0] + 1)
                is_bold = _is_bold(content.content)
                yield GridCell(row, column, text, is_header=token.type == "th_open", bold=is_bold, line=line)
                column += 1

    def _shown(self, inline: Token) -> LinedText:
        """The inline content as a reader sees it."""
        return self._inline.shown(inline.content, (inline.map or (0, 0))[0] + 1)


def _is_counted(lines: Sequence[str]) -> bool:
    """Whether indented lines are items that count from 1 on: a list that somebody indented, and no code."""
    found = [COUNTED.match(line) for line in lines if line.strip()]
    return len(found) > 1 and all(item and int(item[1]) == number for number, item in enumerate(found, 1))


def _is_bold(content: str) -> bool:
    return content.startswith("**") and content.endswith("**")


def _is_caption(text: str) -> bool:
    return len(text) <= MAX_CAPTION_CHARS and "\n" not in text and CAPTION.match(text) is not None


def _mark_stressed(tokens: Sequence[Token], place: int) -> None:
    """Mark the one item of a list of values that is stressed: "- **0** => off" among "- 1 => on"."""
    level, contents = tokens[place].level, []
    for at in range(place + 1, len(tokens) - 2):
        if tokens[at].level == level:
            break
        if tokens[at].type == "list_item_open" and tokens[at].level == level + 1 and tokens[at + 2].type == "inline":
            contents.append(tokens[at + 2])
    stressed = [(item, found) for item in contents if (found := STRESSED_ITEM.match(item.content))]
    if (
        len(stressed) == 1
        and len(contents) > 1
        and all(f"{stressed[0][1]['sign']} " in each.content for each in contents)
    ):
        stressed[0][0].meta[STRESSED] = stressed[0][1]["sign"]


def _stressed(text: LinedText, sign: str) -> LinedText:
    """The text with the marks around what stands before the sign."""
    end = len(text.text[: max(text.text.find(sign), 0)].rstrip())
    return join_lined([text.cut(0, end).after("**"), LinedText("**"), text.cut(end, len(text.text))])
