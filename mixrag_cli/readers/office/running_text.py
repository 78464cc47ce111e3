"""The headers and footers of Word documents, each text once; the numbers of pages are left out.

mammoth reads the body alone, and a contract's number often stands in no other place than its header.
Source: ECMA-376, part 1, 17.10 (headers and footers), 17.16 (fields).
"""

from __future__ import annotations

import re

from mixrag_cli.cleaning import safe_text
from mixrag_cli.readers.archive import Archive, local_names, parse_xml

PART = re.compile(r"^word/(header|footer)\d{0,4}\.xml$")
PAGE_FIELD = re.compile(r"^\s*(?:PAGE|NUMPAGES|SECTIONPAGES|SECTION)\b", re.I)
MAX_PAGE_WORDS = 3  # beside a page's number: "Page 3 of 7" is noise, "Contract SA-7 of the city, page 3" is none
MAX_TEXT_CHARS = 2_000  # of all headers, and of all footers
PAGE_MARK = "\0"  # stands for the number of a page while a paragraph is read


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
            pieces = [" ".join(piece.split()) for piece in "".join(self._parts).split("\t")]
            if text := "  ".join(piece.replace(PAGE_MARK, "") for piece in pieces if piece and not _is_of_page(piece)):
                self.paragraphs.append(safe_text(text))
            self._parts = []

    def text(self, data: str) -> None:
        """Characters."""
        if self._element == "instrText" and self._fields:
            self._fields[-1] += data
        elif self._element == "t" and not self._depth_repeated:
            is_page = any(map(PAGE_FIELD.match, self._fields))
            self._parts.append(PAGE_MARK if is_page else data.replace(PAGE_MARK, ""))


def _is_of_page(piece: str) -> bool:
    """Whether a piece between tabs only numbers the page."""
    rest = piece.replace(PAGE_MARK, " ")
    return PAGE_MARK in piece and not re.search(r"\d", rest) and len(re.findall(r"\w+", rest)) <= MAX_PAGE_WORDS
