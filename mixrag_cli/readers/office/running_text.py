"""The headers and footers of docx and odt documents, each text once; the numbers of pages are left out.

They stand in parts of their own, and a contract's number often stands in no other place than the header.
Source: ECMA-376, part 1, 17.10 (headers and footers), 17.16 (fields); OpenDocument 1.3, part 3, 16.9 (master pages).
"""

from __future__ import annotations

import re

from mixrag_cli.cleaning import safe_text
from mixrag_cli.readers.archive import Archive, local_names, parse_xml

PART = re.compile(r"^word/(header|footer)\d{0,4}\.xml$")
MASTER_PAGES = "styles.xml"
ODT_PARTS = {f"{kind}{of}": kind for kind in ("header", "footer") for of in ("", "-left", "-first")}
PAGE_FIELD = re.compile(r"^\s*(?:PAGE|NUMPAGES|SECTIONPAGES|SECTION)\b", re.I)
MAX_PAGE_WORDS = 3  # beside a page's number: "Page 3 of 7" is noise, "Contract SA-7 of the city, page 3" is none
MAX_TEXT_CHARS = 2_000  # of all headers, and of all footers
PAGE_MARK = "\0"  # stands for the number of a page while a paragraph is read


def running_texts_of_odt(archive: Archive) -> dict[str, list[str]]:
    """As running_texts, of an OpenDocument text: those of all its master pages."""
    reading = _MasterPages()
    if MASTER_PAGES in archive:
        parse_xml(archive.chunks(MASTER_PAGES), reading.start, reading.end, reading.text)
    return {kind: _cut(list(texts)) for kind, texts in reading.paragraphs.items()}


def running_texts(archive: Archive) -> dict[str, list[str]]:
    """The paragraphs of all "header" parts and of all "footer" parts, in order and each once."""
    found: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
    for name in sorted(archive.names, key=lambda name: (len(name), name)):
        if match := PART.match(name):
            reading = _Reading()
            parse_xml(archive.chunks(name), reading.start, reading.end, reading.text)
            found[match[1]].update(dict.fromkeys(reading.paragraphs))
    return {kind: _cut(list(texts)) for kind, texts in found.items()}


def _cut(texts: list[str]) -> list[str]:
    kept, length = [], 0
    for text in texts:
        length += len(text)
        if length > MAX_TEXT_CHARS:
            break
        kept.append(text)
    return kept


class _Reading:
    """Takes the texts of one part; a field's result is its text, except for those that count pages."""

    def __init__(self) -> None:
        self.paragraphs: list[str] = []
        self._parts: list[str] = []
        self._fields: list[str] = []  # the instructions of the fields that are open, outermost first
        self._element = ""
        self._depth_repeated = 0  # within what stands for older programs once more

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        self._element = name
        self._depth_repeated += name == "Fallback"
        plain = local_names(attributes)
        if name == "fldSimple":
            self._fields.append(plain.get("instr", ""))
        elif name == "fldChar" and plain.get("fldCharType") == "begin":
            self._fields.append("")
        elif name == "fldChar" and plain.get("fldCharType") == "end" and self._fields:
            self._fields.pop()
        elif name in ("tab", "ptab", "br", "cr"):
            self._parts.append("\t")

    def end(self, name: str) -> None:
        """An element ends."""
        self._element = ""
        self._depth_repeated -= name == "Fallback"
        if name == "fldSimple" and self._fields:
            self._fields.pop()
        elif name == "p":
            if text := _paragraph_of(self._parts):
                self.paragraphs.append(text)
            self._parts = []

    def text(self, data: str) -> None:
        """Characters."""
        if self._element == "instrText" and self._fields:
            self._fields[-1] += data
        elif self._element == "t" and not self._depth_repeated:
            is_page = any(map(PAGE_FIELD.match, self._fields))
            self._parts.append(PAGE_MARK if is_page else data.replace(PAGE_MARK, ""))


class _MasterPages:
    """Takes the headers and footers of an OpenDocument's styles."""

    def __init__(self) -> None:
        self.paragraphs: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
        self._kind = ""  # of the part that is open
        self._parts: list[str] = []
        self._in_paragraph = 0
        self._in_page_field = False

    def start(self, name: str, _: dict[str, str]) -> None:
        """An element begins."""
        if name in ODT_PARTS:
            self._kind = ODT_PARTS[name]
        elif name in ("p", "h"):
            self._in_paragraph += 1
        elif name in ("page-number", "page-count"):
            self._in_page_field = True
            self._parts.append(PAGE_MARK)
        elif name in ("tab", "line-break", "s"):
            self._parts.append(" " if name == "s" else "\t")

    def end(self, name: str) -> None:
        """An element ends."""
        if name in ODT_PARTS:
            self._kind = ""
        elif name in ("p", "h"):
            self._in_paragraph -= 1
            if self._kind and (text := _paragraph_of(self._parts)):
                self.paragraphs[self._kind][text] = None
            self._parts = []
        elif name in ("page-number", "page-count"):
            self._in_page_field = False

    def text(self, data: str) -> None:
        """Characters."""
        if self._kind and self._in_paragraph and not self._in_page_field:
            self._parts.append(data.replace(PAGE_MARK, ""))


def _paragraph_of(parts: list[str]) -> str:
    """A paragraph in one line, without the pieces between its tabs that only number the page."""
    pieces = [piece for piece in "".join(parts).split("\t") if not _is_of_page(piece)]
    plain = (" ".join(piece.replace(PAGE_MARK, "").split()) for piece in pieces)
    return safe_text("  ".join(piece for piece in plain if piece))


def _is_of_page(piece: str) -> bool:
    """Whether a piece between tabs only numbers the page."""
    rest = piece.replace(PAGE_MARK, " ")
    return PAGE_MARK in piece and not re.search(r"\d", rest) and len(re.findall(r"\w+", rest)) <= MAX_PAGE_WORDS
