"""The headings of an OpenDocument text that are such by their look, by the number of their paragraph.

Source: OpenDocument 1.3, part 3, 16.2 (styles), 20.197 and 20.218 (font-size, font-weight).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import ClassVar

from mixrag_cli.readers.archive import local_names
from mixrag_cli.readers.office.looks import (
    MAX_HEADING_CHARS,
    MAX_PARAGRAPHS,
    Look,
    Paragraph,
    Place,
    heading_levels,
)

DEFAULT_SIZE = 12  # points, of a document whose defaults name none
SIZE = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)(pt|%)")
WEIGHTS = ("bold", "600", "700", "800", "900")
STYLES = ("style", "default-style", "text-properties")
APART_STYLES = ("Caption", "Subtitle")
MAX_PIECES = 1_000  # of a paragraph's text; a line that somebody set has few
SPACES = {"s": " ", "tab": "\t", "line-break": "\n"}


@dataclass
class _Style:
    """What a style says itself, "" where it leaves that to its parent."""

    parent: str = ""
    size: str = ""
    weight: str = ""


class LookPass:
    """One pass over the styles and one over the content. unread: elements whose paragraphs are not counted."""

    HOLDERS: ClassVar[dict[str, Place]] = {
        "list": "list",
        "table-cell": "cell",
        "note-body": "apart",
        "text-box": "apart",
        "table-of-content": "apart",
    }

    def __init__(self, unread: frozenset[str]) -> None:
        self._left_out = unread
        self._unread = 0
        self._styles: dict[tuple[str, str], _Style] = {}
        self._style = _Style()
        self._looks: dict[tuple[str, str, Look], Look] = {}
        self._places: list[Place] = []
        self._open: list[int] = []  # paragraphs, the innermost last
        self._spans: list[Look] = []
        self._texts: list[list[str]] = []
        self._found: list[Paragraph] = []

    def levels(self) -> dict[int, int]:
        """The levels of the headings that are such by their look, by the number of their paragraph, from 0."""
        told = [replace(each, text="".join(text)) for text, each in zip(self._texts, self._found, strict=True)]
        return heading_levels(told) if len(told) < MAX_PARAGRAPHS else {}

    def start_style(self, name: str, raw: dict[str, str]) -> None:
        """An element of the styles begins."""
        if name in STYLES:
            self._read_style(name, local_names(raw))

    def pass_over(self, _: str) -> None:
        """What ends and what is written among the styles says nothing."""

    def start(self, name: str, raw: dict[str, str]) -> None:
        """An element begins."""
        if self._unread or name in self._left_out or name == "note-citation" or len(self._found) == MAX_PARAGRAPHS:
            self._unread += 1
        elif name in STYLES:
            self._read_style(name, local_names(raw))
        elif name in ("p", "h"):
            self._start_text(name, local_names(raw))
        elif name == "span" and self._spans:
            self._spans.append(self._look_of("text", local_names(raw).get("style-name", ""), self._spans[-1]))
        elif name in self.HOLDERS:
            self._places.append(self.HOLDERS[name])
        elif name in SPACES:
            self._say(SPACES[name])

    def end(self, name: str) -> None:
        """An element ends."""
        if self._unread:
            self._unread -= 1
        elif name in ("p", "h") and self._open:
            self._open.pop()
            self._spans.pop()
        elif name == "span" and len(self._spans) > len(self._open):
            self._spans.pop()
        elif name in self.HOLDERS:
            self._places.pop()

    def text(self, data: str) -> None:
        """Characters."""
        if not self._unread:
            self._say(data)

    def _say(self, data: str) -> None:
        if self._open:
            if len(self._texts[self._open[-1]]) < MAX_PIECES:
                self._texts[self._open[-1]].append(data[: 2 * MAX_HEADING_CHARS])
            if n_chars := sum(map(str.isalnum, data)):
                self._found[self._open[-1]].looks[self._spans[-1]] += n_chars

    def _read_style(self, name: str, attributes: dict[str, str]) -> None:
        if name == "text-properties":
            self._style.size = attributes.get("font-size", "")
            self._style.weight = attributes.get("font-weight", "")
            return
        self._style = _Style(attributes.get("parent-style-name", ""))
        self._styles[attributes.get("family", ""), attributes.get("name", "")] = self._style

    def _start_text(self, name: str, attributes: dict[str, str]) -> None:
        style = attributes.get("style-name", "")
        base = self._look_of("paragraph", "", Look(DEFAULT_SIZE, False))
        names = [style, *self._parents_of("paragraph", style)]
        outline = attributes.get("outline-level", "")
        is_heading = name == "h" or "Title" in names
        place: Place = self._places[0] if self._places else "text"
        if place != "cell" and is_heading:
            place = "heading"
        elif any(each in APART_STYLES for each in names):
            place = "apart"
        self._open.append(len(self._found))
        self._spans.append(self._look_of("paragraph", style, base))
        self._texts.append([])
        level = int(outline) if len(outline) == 1 and outline in "123456789" else 1
        self._found.append(Paragraph("", Counter(), place, level if is_heading else 0))

    def _parents_of(self, family: str, style: str) -> list[str]:
        """The styles that this one is made from, the nearest first."""
        found = list[str]()
        while (known := self._styles.get((family, style))) and known.parent and known.parent not in found:
            style = known.parent
            found.append(style)
        return found

    def _look_of(self, family: str, name: str, base: Look) -> Look:
        """The look of text in this style that otherwise had the given one."""
        key = (family, name, base)
        if key not in self._looks:
            look = base
            for each in reversed([name, *self._parents_of(family, name)]):
                look = _changed(look, self._styles.get((family, each), _Style()))
            self._looks[key] = look
        return self._looks[key]


def _changed(look: Look, style: _Style) -> Look:
    size = look.size
    if match := SIZE.fullmatch(style.size):
        size = float(match[1]) if match[2] == "pt" else size * float(match[1]) / 100
    return Look(size, style.weight in WEIGHTS if style.weight else look.is_bold)
