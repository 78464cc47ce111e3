"""OpenDocument text and slides (odt, odp): one pass over content.xml, written out as HTML.

The file is never held as a tree, so that its depth and size are bounded by what the pass counts.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from html import escape

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.archive import Archive, local_names, open_package, parse_xml
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.html import add_html
from mixrag_cli.readers.office.looks import MAX_LEVEL
from mixrag_cli.readers.office.odf_looks import LookPass
from mixrag_cli.readers.office.running_text import running_texts_of_odt
from mixrag_cli.readers.raised import RaisedSpans
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document

MAX_MARKUP_CHARS = 50_000_000
MAX_REPEATED = 1_000  # cells that one repeat may stand for
MAX_SPACES = 100
UNREAD = frozenset(
    ("annotation", "tracked-changes", "forms", "sequence-decls", "binary-data", "settings", "page-number")
)
CELLS = ("table-cell", "covered-table-cell")


def read_odt(source: ReadSource) -> Document:
    """The document of an odt file; places are headings and numbered tables.

    Raises FileUnreadable: "damaged", "password", "too-large", "forbidden" (XML entities).
    """
    builder = DocumentBuilder("document", cites="sections")
    if (archive := _open(source, "text document")) is None:
        return builder.build()
    running = running_texts_of_odt(archive)
    builder.add("\n".join(running["header"]), "paragraph")
    for _, markup in _pages_of(source, archive, _levels_of(archive)):
        add_html(builder, markup, source.beat)
    builder.add("\n".join(running["footer"]), "paragraph", heading_path=())
    return builder.build()


def read_odp(source: ReadSource) -> Document:
    """The document of an odp file, a section a slide; a slide's number is its page. Raises as read_odt does."""
    builder = DocumentBuilder("slides", cites="pages")
    archive = _open(source, "presentation")
    for number, markup in _pages_of(source, archive) if archive is not None else ():
        builder.page = number or None
        add_html(builder, markup, source.beat)
    return builder.build()


def _open(source: ReadSource, kind: str) -> Archive | None:
    """The package of an OpenDocument file, None for 0 bytes. Raises FileUnreadable for what is none."""
    archive = open_package(source, kind)
    if archive is None:
        return None
    if "content.xml" not in archive:
        raise FileUnreadable("damaged", f"not a readable {kind} (no content inside)")
    if _is_encrypted(archive):
        raise FileUnreadable("password", "needs a password")
    return archive


def _levels_of(archive: Archive) -> dict[int, int]:
    """The levels of the headings that are such only by their look, by the number of their paragraph."""
    looks = LookPass(UNREAD)
    if "styles.xml" in archive:
        parse_xml(archive.chunks("styles.xml"), looks.start_style, looks.pass_over, looks.pass_over)
    parse_xml(archive.chunks("content.xml"), looks.start, looks.end, looks.text)
    return looks.levels()


def _pages_of(source: ReadSource, archive: Archive, levels: dict[int, int] | None = None) -> Iterator[tuple[int, str]]:
    """HTML by slide, or as one page with number 0. levels: of headings that are such only by their look."""
    styles = _ListStyles()
    if "styles.xml" in archive:
        parse_xml(archive.chunks("styles.xml"), styles.start, styles.end, styles.text)
    content = _ContentPass(styles, archive, levels)
    parse_xml(_counted(archive, source), content.start, content.end, content.text)
    yield from content.pages()


def _is_encrypted(archive: Archive) -> bool:
    name = "META-INF/manifest.xml"
    return name in archive and b"encryption-data" in archive.read(name)


def _counted(archive: Archive, source: ReadSource) -> Iterator[bytes]:
    done = 0
    for chunk in archive.chunks("content.xml"):
        done += len(chunk)
        source.beat(min(done, source.size), source.size)
        yield chunk


class _ListStyles:
    """Which levels of which list styles are numbered."""

    def __init__(self) -> None:
        self.numbered: set[tuple[str, int]] = set()
        self._style = ""

    def start(self, name: str, raw: dict[str, str]) -> None:
        """An element begins."""
        if name == "list-style":
            self._style = local_names(raw).get("name", "")
        elif name == "list-level-style-number" and self._style:
            attributes = local_names(raw)
            level = attributes.get("level", "1")
            if attributes.get("num-format") and level.isdecimal() and len(level) < 3:
                self.numbered.add((self._style, int(level)))

    def end(self, name: str) -> None:
        """An element ends."""
        if name == "list-style":
            self._style = ""

    def text(self, data: str) -> None:
        """Characters say nothing about lists."""


class _ContentPass:
    """One pass over content.xml that writes HTML, page by page."""

    def __init__(
        self, styles: _ListStyles, archive: Archive | None = None, levels: dict[int, int] | None = None
    ) -> None:
        self._styles = styles
        self._archive = archive  # where charts are looked for; None within one
        self._levels = levels or {}
        self._n_texts = 0  # paragraphs and headings so far
        self._parts: list[str] = []
        self._n_chars = 0
        self._page = 0
        self._pages: list[tuple[int, list[str]]] = [(0, self._parts)]
        self._unread = 0
        self._paragraphs: list[str] = []  # tags of the open paragraphs and headings, the innermost last
        self._lists: list[tuple[str, str]] = []  # style and tag of the open lists
        self._counts: dict[tuple[str, int], int] = {}  # items so far of a list that a later one may go on with
        self._header_rows = 0
        self._cells: list[str] = []
        self._n_notes = 0
        self._notes: list[str] = []  # of this section so far
        self._note_parts: list[str] | None = None
        self._notes_at = 0  # where the open slide's notes begin
        self._is_title = False
        self._title_styles = {"Title"}
        self._raised = RaisedSpans()

    def pages(self) -> Iterator[tuple[int, str]]:
        """The pages in order."""
        self._write_notes()
        for number, parts in self._pages:
            yield number, "".join(parts)

    def start(self, name: str, raw: dict[str, str]) -> None:
        """An element begins."""
        if self._unread or name in UNREAD:
            self._unread += 1
            return
        if name in ("style", "text-properties", "span"):
            self._raised.start(name, local_names(raw))
        if name in ("list-style", "list-level-style-number"):
            self._styles.start(name, raw)
        elif name == "style":
            attributes = local_names(raw)
            if attributes.get("parent-style-name") == "Title":
                self._title_styles.add(attributes.get("name", ""))
        elif name in ("p", "h", "s", "tab", "line-break", "note", "note-body", "note-citation"):
            self._start_text(name, local_names(raw))
        elif name in ("list", "list-item", "list-header"):
            self._start_list(name, local_names(raw))
        elif name in ("table", "table-header-rows", "table-row", *CELLS):
            self._start_table(name, local_names(raw))
        elif name in ("page", "frame", "notes"):
            self._start_slide(name, local_names(raw))
        elif name == "object":
            self._add_chart(local_names(raw).get("href", ""))

    def end(self, name: str) -> None:
        """An element ends."""
        if self._unread:
            self._unread -= 1
        elif name == "list-style":
            self._styles.end(name)
        elif name == "span":
            self._raised.end(name)
        elif name in ("p", "h") and self._paragraphs:
            self._write(f"</{self._paragraphs.pop()}>")
        elif name == "list" and self._lists:
            self._write(f"</{self._lists.pop()[1]}>")
        elif name in ("list-item", "list-header"):
            self._write("</li>")
        elif name in ("table", "table-row"):
            self._write("</table>" if name == "table" else "</tr>")
        elif name == "table-header-rows":
            self._header_rows -= 1
        elif name in CELLS and self._cells:
            self._write(self._cells.pop())
        elif name == "note-body" and self._note_parts is not None:
            self._notes.append("".join(self._note_parts).replace("<p>", f"<p>[{self._n_notes}] ", 1))
            self._note_parts = None
        elif name == "frame":
            self._is_title = False
        elif name == "notes" and not any(part and not part.startswith("<") for part in self._parts[self._notes_at :]):
            del self._parts[self._notes_at :]

    def text(self, data: str) -> None:
        """Characters."""
        if self._paragraphs and not self._unread:
            self._write(escape(safe_text(self._raised.shown(data)), quote=False))

    def _write(self, markup: str) -> None:
        self._n_chars += len(markup)
        if self._n_chars > MAX_MARKUP_CHARS:
            raise FileUnreadable("too-large", f"holds more than {MAX_MARKUP_CHARS:,} characters of text")
        (self._parts if self._note_parts is None else self._note_parts).append(markup)

    def _write_notes(self) -> None:
        """Footnotes stand at the end of the section that their marks are in."""
        notes, self._notes = self._notes, []
        for note in notes:
            self._write(note)

    def _start_text(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("p", "h"):
            tag = "p"
            is_heading = name == "h" or self._is_title or attributes.get("style-name") in self._title_styles
            level = _number(attributes.get("outline-level"), 1) if is_heading else self._levels.get(self._n_texts, 0)
            self._n_texts += 1
            if self._note_parts is None and level:
                tag = f"h{min(level, MAX_LEVEL)}"
                self._write_notes()
            self._paragraphs.append(tag)
            self._write(f"<{tag}>")
        elif name == "note":
            self._n_notes += 1
            self._write(f"[{self._n_notes}]")
        elif name == "note-citation":
            self._unread = 1  # the mark is written above, counted as its note is
        elif name == "note-body":
            self._note_parts = []
        elif self._paragraphs:
            self._write(" " * min(_number(attributes.get("c"), 1), MAX_SPACES))

    def _start_list(self, name: str, attributes: dict[str, str]) -> None:
        if name != "list":
            style, _ = self._lists[-1] if self._lists else ("", "")
            place = (style, len(self._lists))
            number = _number(attributes.get("start-value"), self._counts.get(place, 0) + 1)
            if name == "list-item":
                self._counts[place] = number
            self._write(f'<li value="{number}">')
            return
        style = attributes.get("style-name") or (self._lists[-1][0] if self._lists else "")
        place = (style, len(self._lists) + 1)
        if attributes.get("continue-numbering") != "true" and "continue-list" not in attributes:
            self._counts[place] = 0
        tag = "ol" if place in self._styles.numbered else "ul"
        self._lists.append((style, tag))
        self._write(f"<{tag}>")

    def _start_table(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table":
            self._write("<table>")
        elif name == "table-header-rows":
            self._header_rows += 1
        elif name == "table-row":
            self._write("<tr>")
        elif name == "table-cell":
            tag = "th" if self._header_rows else "td"
            rows, columns = (_number(attributes.get(f"number-{axis}-spanned"), 1) for axis in ("rows", "columns"))
            empty = min(_number(attributes.get("number-columns-repeated"), 1) - 1, MAX_REPEATED)
            self._write(f'<{tag} rowspan="{rows}" colspan="{columns}">')
            self._cells.append(f"</{tag}>" + f"<{tag}></{tag}>" * empty)
        else:
            self._cells.append("")  # covered by a span, which already says so

    def _add_chart(self, href: str) -> None:
        """The small table that an embedded chart is drawn from, with the chart's own texts."""
        name = posixpath.normpath(f"{href}/content.xml")
        if self._archive is not None and name in self._archive:
            chart = _ContentPass(self._styles)
            parse_xml(self._archive.chunks(name), chart.start, chart.end, chart.text)
            for _, markup in chart.pages():
                self._write(markup)

    def _start_slide(self, name: str, attributes: dict[str, str]) -> None:
        if name == "page":
            self._page += 1
            self._parts = []
            self._pages.append((self._page, self._parts))
        elif name == "notes" and self._page:
            self._notes_at = len(self._parts)
            self._write("<h2>Notes</h2>")
        elif name == "frame":
            self._is_title = attributes.get("class") == "title"


def _number(text: str | None, default: int) -> int:
    return max(int(text), 1) if text and text.isdecimal() and len(text) < 7 else default
