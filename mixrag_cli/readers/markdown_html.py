"""HTML inside markdown: its tables are those of a page, all other text of a block is one paragraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from html.parser import HTMLParser

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.html import add_html, drop_unread_spans
from mixrag_cli.readers.lined_text import LinedText, join_lined
from mixrag_cli.readers.markdown_components import Component, collect_field, read_component

BREAKING_TAGS = frozenset(("br", "p", "div", "li", "tr", "dt", "dd", "summary", "h1", "h2", "h3", "h4", "h5", "h6"))
CELL_TAGS = frozenset(("td", "th"))
TABLE_TAG = re.compile(r"<(/?)table\b[^<>]{0,2000}>", re.IGNORECASE)
SPACES = re.compile(r"[ \t]+")
CODE = re.compile(r"`[^`\n]{1,200}`")  # markdown between components: "`<host>:<port>`" holds no tags


def add_html_block(builder: DocumentBuilder, snippet: str, first_line: int, beat: Callable[[int, int], None]) -> None:
    """Add a block of HTML that begins on first_line of its file: what is in no table as a paragraph each."""
    text = drop_unread_spans(snippet)
    done, line = 0, first_line
    for start, end in _tables_in(text):
        _add_text(builder, text[done:start], line)
        line += text.count("\n", done, start)
        add_html(builder, text[start:end], beat, first_line=line)
        line += text.count("\n", start, end)
        done = end
    _add_text(builder, text[done:], line)


def count_open_tables(snippet: str) -> int:
    """How many tables are still open where the HTML ends, as one is before a blank line between two rows."""
    return sum(-1 if found[1] else 1 for found in TABLE_TAG.finditer(drop_unread_spans(snippet)))


def _add_text(builder: DocumentBuilder, snippet: str, first_line: int) -> None:
    """Add a piece of HTML as one paragraph; nothing where it holds tags and comments only."""
    parser = _TextOfHtml(first_line)
    try:
        parser.feed(CODE.sub(lambda found: escape(found[0], quote=False), snippet))
        parser.close()
    except AssertionError:  # html.parser's word for a declaration that it cannot read
        return
    builder.add(join_lined(parser.parts).sub(SPACES, " ").without_blank_lines(), "paragraph")
    parser.close_field()
    for component, line, text in parser.fields:
        collect_field(builder.facts, component, builder.heading_path, line, text)


def _tables_in(text: str) -> Iterator[tuple[int, int]]:
    """Where the outermost tables stand that are closed, as [start, end)."""
    depth = start = 0
    for found in TABLE_TAG.finditer(text):
        if not found[1]:
            start = start if depth else found.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield start, found.end()


class _TextOfHtml(HTMLParser):
    """Gathers the text of a snippet; scripts, styles and comments are left out."""

    def __init__(self, first_line: int) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[LinedText] = []
        self.fields: list[tuple[Component, int, str]] = []  # of components: what each documents, line, text in it
        self._open: tuple[str, Component, int, int] | None = None  # the last: its tag, its line, its first part
        self._lines_above = first_line - 1
        self._hidden = 0

    @property
    def _line(self) -> int:
        return self._lines_above + self.getpos()[0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")
        if tag in BREAKING_TAGS:
            self.parts.append(LinedText("\n", ((0, self._line),)))
        elif tag in CELL_TAGS:
            self.parts.append(LinedText(" ", ((0, self._line),)))
        elif component := read_component(self.get_starttag_text() or ""):
            self.close_field()
            self.parts.append(LinedText(f"\n{component.text}\n", ((0, self._line),)))
            self._open = (tag, component, self._line, len(self.parts))

    def close_field(self) -> None:
        """Take the field that is open, with what stands in it so far."""
        if self._open is not None:
            _, component, line, first = self._open
            self.fields.append((component, line, "".join(part.text for part in self.parts[first:]).strip()))
            self._open = None

    def handle_endtag(self, tag: str) -> None:
        if self._open is not None and tag == self._open[0]:
            self.close_field()
        if tag in ("script", "style") and self._hidden:
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(LinedText.from_lines(data, self._line))
