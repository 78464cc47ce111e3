"""Documents written in XML, such as DocBook's, DITA's, TEI's and JATS's: the text between their tags, line by line.

A document has elements amid its sentences. Settings and records have values alone, or attributes that name them.
An entity is what its declaration says right in the file; what another file or further entities say is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from html import escape
from html.entities import html5
from xml.parsers import expat

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.archive import guarded_parser

MAX_CHARS = 5_000_000  # a longer one is read as lines
MIN_MIXED = 5  # elements that hold text and elements side by side
PROSE_WORDS = 8  # in one element
TITLES = frozenset(("title", "head"))
# The titles of these head no section.
CAPTIONED = frozenset(("caution", "equation", "example", "figure", "fig", "formalpara", "important", "informaltable"))
CAPTIONED |= frozenset(("itemizedlist", "note", "orderedlist", "procedure", "ref", "sidebar", "table", "tip"))
CAPTIONED |= frozenset(("variablelist", "warning"))
VERBATIM = frozenset(("codeblock", "eg", "literallayout", "preformat", "programlisting", "screen", "synopsis"))
NAMING = frozenset(("name", "key"))
TERMS = frozenset(("term", "dt", "glossterm"))
EXPLAINED = frozenset(("varlistentry", "dlentry", "glossentry"))  # a term and what is said of it
SUBSET = re.compile(r"<!DOCTYPE[^\[>]{0,1000}\[(?P<inside>.{0,20000}?)\]\s*>", re.DOTALL)
ENTITY = re.compile(r"<!ENTITY\s+(?P<name>[\w.:-]{1,80})\s+(?P<mark>[\"'])(?P<text>[^\"'<&%]{0,200})(?P=mark)\s*>")
REFERENCE = re.compile(r"&(?P<name>[A-Za-z_][\w.:-]{0,80});")
MAX_REFERENCES = 20_000  # that are replaced: what more of them say is left out
PREDEFINED = frozenset(("amp", "lt", "gt", "quot", "apos"))


@dataclass(frozen=True, slots=True)
class Explained:
    """A term and what is said of it, with the line from 0 where that begins."""

    term: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class WrittenXml:
    """lines: of the file, each with its text alone, titles left out. headings: line from 0, level and text of each.

    explained: the entries of lists of terms.
    """

    lines: list[str]
    headings: list[tuple[int, int, str]]
    explained: list[Explained]


@dataclass(slots=True)
class _Element:
    tag: str
    is_named: bool
    line: int
    text: list[str] = field(default_factory=list)
    has_children: bool = False
    is_titled: bool = False


@dataclass(slots=True)
class _Entry:
    """A list's entry that is open. line: where what is said begins, -1 before it does."""

    term: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    line: int = -1


class _Writing:
    """Takes the text out of the tags; lines are counted from 0."""

    def __init__(self, text: str) -> None:
        self.lines: list[list[str]] = [[] for _ in range(text.count("\n") + 1)]
        self.verbatim: set[int] = set()
        self.headings: list[tuple[int, int, str]] = []
        self.explained: list[Explained] = []
        self.n_mixed = self.n_named = self.n_chars = self.n_prose = 0
        self._open: list[_Element] = []
        self._entries: list[_Entry] = []
        self._is_term = False
        self._title: list[str] | None = None  # of the one that is open
        self._has_ended = False  # an element, right before
        self._parser = guarded_parser(self._start, self._end, self._text, encoding="utf-8")
        self._parser.Parse(text.encode("utf-8", "replace"), True)

    @property
    def is_document(self) -> bool:
        """Whether most of the text is sentences, some with elements amid them, and few elements are named."""
        return self.n_mixed >= MIN_MIXED and 2 * self.n_prose >= self.n_chars and 4 * self.n_named <= self.n_mixed

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._has_ended:
            self._text(" ")  # cells of a row on one line
        if self._open:
            self._open[-1].has_children = True
        self._open.append(_Element(tag, not NAMING.isdisjoint(attributes), self._parser.CurrentLineNumber - 1))
        if tag in EXPLAINED:
            self._entries.append(_Entry())
        self._is_term = self._is_term or tag in TERMS
        if tag in TITLES and len(self._open) > 1 and self._open[-2].tag not in CAPTIONED:
            self._title = []
        elif attributes.get("title") and tag not in CAPTIONED:  # an RFC's sections
            self._add_heading(attributes["title"], self._open[-1].line)

    def _text(self, text: str) -> None:
        line, self._has_ended = self._parser.CurrentLineNumber - 1, False
        self._open[-1].text.append(text)
        if self._title is not None:
            self._title.append(text)
            return
        if self._entries:
            self._explain(self._entries[-1], text, line)
        for number, part in enumerate(text.split("\n"), line):
            self.lines[number].append(part)
            if self._open[-1].tag in VERBATIM:
                self.verbatim.add(number)

    def _end(self, tag: str) -> None:
        element, self._has_ended = self._open.pop(), True
        words = "".join(element.text).split()
        n_chars = sum(map(len, words))
        is_mixed = bool(words) and element.has_children
        self.n_chars += n_chars
        self.n_mixed += is_mixed
        self.n_named += is_mixed and element.is_named
        self.n_prose += n_chars if is_mixed or len(words) >= PROSE_WORDS else 0
        if self._is_term and tag in TERMS and self._entries:
            self._entries[-1].term.append(", ")
        self._is_term = self._is_term and tag not in TERMS
        if tag in EXPLAINED:
            entry = self._entries.pop()
            term, text = (" ".join("".join(parts).split()).rstrip(",") for parts in (entry.term, entry.text))
            if term and text:
                self.explained.append(Explained(term, text, entry.line))
        if tag in TITLES and self._title is not None:
            self._add_heading(" ".join("".join(self._title).split()), element.line)
            self._title = None

    def _explain(self, entry: _Entry, text: str, line: int) -> None:
        """Take a text of a list's entry: of the term, or of what is said of it."""
        if self._is_term:
            entry.term.append(text)
            return
        entry.text.append(text)
        if entry.line < 0 and text.strip():
            entry.line = line + text[: len(text) - len(text.lstrip())].count("\n")

    def _add_heading(self, text: str, line: int) -> None:
        """The root's title is the document's; others are as deep as titles enclose them."""
        enclosing = self._open[1:-1]
        level = 1 if len(self._open) <= 1 else 2 + sum(element.is_titled for element in enclosing)
        self._open[-1].is_titled = True
        if text:
            self.headings.append((line, level, text))


def read_written_xml(text: str) -> WrittenXml | None:
    """The text of a document in XML; None of other XML, of one that is too long, and of what is not well formed."""
    plain = text.removeprefix("\ufeff").lstrip()
    if len(text) > MAX_CHARS or "</" not in text:
        return None
    try:
        writing = _Writing(_without_entities(plain))
    except (expat.ExpatError, FileUnreadable):
        return None
    if not writing.is_document:
        return None
    above = text[: len(text) - len(plain)].count("\n")
    joined = ["".join(parts) for parts in writing.lines]
    lines = [line.rstrip() if n in writing.verbatim else line.strip() for n, line in enumerate(joined)]
    headings = [(line + above, level, said) for line, level, said in writing.headings]
    explained = [replace(one, line=one.line + above) for one in writing.explained]
    return WrittenXml([""] * above + lines, headings, explained)


def _without_entities(text: str) -> str:
    """The text with what its entities say, so far as it is written right in it, and without their declarations."""
    names: dict[str, str] = {}
    if found := SUBSET.search(text):
        inside = found["inside"]
        names = {entity["name"]: entity["text"] for entity in ENTITY.finditer(inside)}
        text = text[: found.start("inside")] + "\n" * inside.count("\n") + text[found.end("inside") :]
    left = MAX_REFERENCES

    def said(reference: re.Match[str]) -> str:
        nonlocal left
        name = reference["name"]
        if name in PREDEFINED:
            return reference[0]
        left -= 1
        return names.get(name, escape(html5.get(f"{name};", ""))) if left >= 0 else ""

    return REFERENCE.sub(said, text)
