r"""Manual pages in roff: sections, paragraphs and items as a reader of the page sees them, each with its lines.

    .TP                             .It Fl p Ar port
    \fB\-p\fR \fIport\fR             The port to listen on.
    The port to listen on.          -> "-p port: The port to listen on.", a definition of "-p port"

Both packages of macros are read, man and mdoc. A request that neither has says nothing of the text and is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.lined_text import LinedText, join_lined
from mixrag_cli.readers.lines import MAX_BLOCK_LINES
from mixrag_cli.readers.text_markup.roff_lines import inline, mdoc_line, words_of
from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS, TextCell, to_table

HEAD_CHARS = 20_000  # a licence may stand above the title
TITLE = re.compile(r"^\.(?:TH|Dt)[ \t]+\S", re.MULTILINE)
SECTION = re.compile(r"^\.S[Hh]\b", re.MULTILINE)
# A longer name is one of groff's, or of a macro that the page defines; behind an apostrophe it is a word.
REQUEST = re.compile(
    r"(?:[.'][ \t]*(?=[A-Za-z][A-Za-z0-9]?(?![A-Za-z0-9]))|\.[ \t]*(?=[A-Za-z]))"
    r"(?P<name>[A-Za-z0-9]+)[ \t]*(?P<rest>.*)$"
)
COMMENT = re.compile(r"[.'][ \t]*\\[\"#]|\\[\"#]|[.'][ \t]*$")
TRAILING_COMMENT = re.compile(r"[ \t]*(?<!\\)\\\".*$")
DEFINED = frozenset(("de", "de1", "ig", "am", "am1"))  # their lines up to ".." are no text
BREAKS = frozenset(("PP", "LP", "P", "Pp", "HP", "br", "sp", "Bl", "El", "RS", "RE", "INDENT", "UNINDENT"))
FONTS = frozenset(("B", "I", "SM", "SB"))
ALTERNATING = frozenset(("BR", "RB", "BI", "IB", "IR", "RI"))
LITERAL_STARTS, LITERAL_ENDS = frozenset(("nf", "EX", "Bd")), frozenset(("fi", "EE", "Ed"))
TABLE_OPTIONS, TABLE_RULES = re.compile(r"tab[ \t]*\((.)\)"), frozenset("_=")
BULLETS = frozenset("•·*-o+")


def is_man_page(text: str) -> bool:
    """Whether the text names a manual page before its first section, as roff does."""
    head = text[:HEAD_CHARS]
    title, section = TITLE.search(head), SECTION.search(head)
    return title is not None and section is not None and title.start() < section.start()


def add_man_page(builder: DocumentBuilder, lines: Sequence[str], beat: Callable[[int, int], None]) -> None:
    """Add the page's sections, paragraphs, items, examples and tables."""
    page = _Page(builder)
    number = 0
    while number < len(lines):
        if number % MAX_BLOCK_LINES == 0:
            beat(number, len(lines))
        number = page.take(lines, number)
    page.flush()


class _Page:
    """Takes the lines in their order; what is open is one paragraph or item, or an example."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._name = ""
        self._parts: list[LinedText] = []
        self._tag: LinedText | None = None
        self._awaits = ""  # what the next line of text is: "tag", "heading 1", "heading 2"
        self._is_literal = False

    def take(self, lines: Sequence[str], number: int) -> int:
        """Take the line, from 0, and those that belong to it; the line after them."""
        line = lines[number]
        found = REQUEST.match(line)
        if COMMENT.match(line):
            return number + 1
        if found is None:
            self._say(inline(TRAILING_COMMENT.sub("", line)), number)
            return number + 1
        name, rest = found["name"], TRAILING_COMMENT.sub("", found["rest"])
        if name in DEFINED:
            return _after(lines, number, "..")
        if name == "TS":
            self.flush()
            end = _after(lines, number, ".TE")
            self._add_table(lines, number, end)
            return end
        self._request(name, rest, number)
        return number + 1

    def flush(self) -> None:
        """End what is open."""
        text = join_lined(self._parts, "\n" if self._is_literal else " ")
        tag, self._tag, self._parts = self._tag, None, []
        if self._is_literal:
            self._builder.add(text, "code")
        elif tag is None or not tag.text:
            self._builder.add(text, "paragraph")
        elif tag.text in BULLETS or not text.text:
            self._builder.add(text.after("- ") if text.text else tag, "list")
        else:
            self._builder.add(join_lined([tag, text], ": "), "list")
            self._builder.add_definition(tag.text, text.text, tag.marks[0][1])

    def _request(self, name: str, rest: str, number: int) -> None:
        words = words_of(rest)
        if name in ("TH", "Dt"):
            self._name = words[0].lower() if words else ""
            self._builder.title = f"{self._name}({words[1]})" if len(words) > 1 else self._name
        elif name in ("SH", "Sh", "SS", "Ss"):
            self.flush()
            self._awaits = "heading 1" if name in ("SH", "Sh") else "heading 2"
            if words:
                self._say(" ".join(words), number)
        elif name == "TP":
            self.flush()
            self._awaits = "tag"
        elif name in ("IP", "It"):
            self.flush()
            shown = mdoc_line("No", rest, self._name) if name == "It" else (words or [""])[0]
            self._tag = LinedText.from_lines(shown, number + 1)
        elif name in LITERAL_STARTS | LITERAL_ENDS:
            self.flush()
            self._is_literal = name in LITERAL_STARTS and (name != "Bd" or "-literal" in rest or "-unfilled" in rest)
        elif name in BREAKS:
            self.flush() if not self._is_literal else self._say("", number)
        elif name in FONTS or name in ALTERNATING:
            self._say(("" if name in ALTERNATING else " ").join(words), number)
        else:
            self._say(mdoc_line(name, rest, self._name), number)

    def _say(self, text: str, number: int) -> None:
        text = text.rstrip() if self._is_literal else text.strip()
        if not text and not self._is_literal:
            return
        said = LinedText.from_lines(text, number + 1)
        awaits, self._awaits = self._awaits, ""
        if awaits == "tag":
            self._tag = said
        elif awaits:
            self._builder.add_heading(said, int(awaits[-1]))
        else:
            self._parts.append(said)
            if len(self._parts) >= MAX_BLOCK_LINES:
                self.flush()

    def _add_table(self, lines: Sequence[str], first: int, end: int) -> None:
        """The table between .TS and .TE, by its separators; one row alone, or of many columns, stays text."""
        rows = _table_rows(lines, first + 1, end - 1)
        raw = "\n".join(lines[first:end])
        if len(rows) > 1 and max(map(len, rows)) <= MAX_COLUMNS:
            self._builder.add(raw, "table", grid=to_table(rows, (first, end)).grid, lines=(first + 1, end))
        else:
            self._builder.add(raw, "paragraph", lines=(first + 1, end))


def _after(lines: Sequence[str], number: int, end: str) -> int:
    return next((at + 1 for at in range(number + 1, len(lines)) if lines[at].rstrip() == end), len(lines))


def _table_rows(lines: Sequence[str], first: int, end: int) -> list[list[TextCell]]:
    """The rows of a table as tbl reads them: options, a format up to its full stop, then values; T{ … T} over lines."""
    separator = "\t"
    at = first
    if at < end and lines[at].rstrip().endswith(";"):
        separator = found[1] if (found := TABLE_OPTIONS.search(lines[at])) else separator
        at += 1
    while at < end and not lines[at].rstrip().endswith("."):
        at += 1
    rows: list[list[TextCell]] = []
    at += 1
    while at < end:
        start, text = at, lines[at]
        while text.count("T{") > text.count("T}") and at + 1 < end:
            at += 1
            text += f" {lines[at]}"
        at += 1
        if text.strip() in TABLE_RULES:
            if len(rows) == 1:
                rows = [[TextCell(cell.text, cell.line, is_header=True) for cell in rows[0]]]
        elif not REQUEST.match(text):
            values = text.replace("T{", "").replace("T}", "").split(separator)
            rows.append([TextCell(" ".join(inline(value).split()), start) for value in values])
    return rows
