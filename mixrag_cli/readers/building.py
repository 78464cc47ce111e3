"""DocumentBuilder: how every reader puts its blocks into one text with right character places."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.facts.collecting import FactCollector
from mixrag_cli.readers.facts.prose import collect_prose_facts
from mixrag_cli.readers.lined_text import LinedText
from mixrag_cli.records import Block, BlockKind, Document, Grid, LineMarks, Locator, Modality

MAX_TEXT_CHARS = 50_000_000  # scenarios: at most 50 MB of text a file, so that one file cannot swamp the index
SEPARATOR = "\n\n"
PROSE = ("markdown", "html", "text", "notebook")


class DocumentBuilder:
    """Collects blocks and grids in reading order; keeps the heading path and the character offsets.

    Example: add_heading("Intro", 1); add("Hello", "paragraph", lines=(3, 3))
    -> text "Intro\\n\\nHello", the second block at chars (7, 12) under heading_path ("Intro",).
    """

    def __init__(self, modality: Modality, title: str = "", language: str = "") -> None:
        self.modality: Modality = modality
        self.title = title
        self.language = language
        self.warnings: list[str] = []
        self._headings: list[tuple[int, str]] = []
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._grids: list[Grid] = []
        self.facts = FactCollector()
        self._marks = (array("q"), array("q"))  # characters, lines: a text of 20 MB may have 10 million lines
        self.cell: int | None = None  # of a notebook, while it is read: blocks are then in it, and on no line

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings that enclose the next block, outermost first."""
        return tuple(text for _, text in self._headings)

    def add_heading(self, text: str | LinedText, level: int, **place: Any) -> None:
        """Append a heading block and let the following blocks stand under it."""
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self.add(text, "heading", level=level, **place)
        self._headings.append((level, text if isinstance(text, str) else text.text))

    def add(
        self,
        text: str | LinedText,
        kind: BlockKind,
        *,
        heading_path: tuple[str, ...] | None = None,
        level: int = 0,
        grid: Grid | None = None,
        name: str = "",
        **place: Any,
    ) -> None:
        """Append one block; place holds the Locator's fields beyond chars (page, bbox, lines, sheet, cells).

        A text that is given with lines stands in its file as it is; one that does not comes as a LinedText.
        A grid is stored with the block's own chars. Empty text without a grid is dropped.
        Raises FileUnreadable("too-large") above MAX_TEXT_CHARS.
        """
        if isinstance(text, LinedText):
            marks, text = text.marks, text.text
            place = {"lines": _span_of(marks), **place}
        else:
            marks = _marks_of_lines(text, place.get("lines"))
        if not text and grid is None:
            return
        if self.cell is not None:
            marks, place = (), {**place, "lines": None, "cell": self.cell}
        chars = self._append(text)
        self._mark(chars[0], marks)
        locator = Locator(chars=chars, **place)
        grid_index = None
        if grid is not None:
            grid_index = len(self._grids)
            self._grids.append(self._placed(grid, chars))
        path = self.heading_path if heading_path is None else heading_path
        self._blocks.append(Block(text, kind, locator, path, level, grid_index, name))

    def _placed(self, grid: Grid, chars: tuple[int, int]) -> Grid:
        """The grid where its block stands; in a notebook its cells have no lines."""
        if self.cell is None:
            return replace(grid, locator=replace(grid.locator, chars=chars))
        cells = tuple(replace(cell, line=None, last_line=None) for cell in grid.cells)
        return replace(grid, cells=cells, locator=replace(grid.locator, chars=chars, lines=None, cell=self.cell))

    def _mark(self, start: int, marks: Iterable[tuple[int, int]]) -> None:
        for char, line in marks:
            self._marks[0].append(start + char)
            self._marks[1].append(line)

    def add_definition(self, term: str, text: str, line: int) -> None:
        """Note what a term means, under the headings that enclose it."""
        self.facts.add((*self.heading_path, term), "definition", ("value", text, line))

    def build(self) -> Document:
        """The finished document, with the facts that its running text states."""
        marks = LineMarks(*self._marks)
        if self.modality in PROSE:
            collect_prose_facts(self.facts, self._blocks, marks)
        return Document(
            self.modality,
            self.title,
            "".join(self._parts),
            tuple(self._blocks),
            tuple(self._grids),
            self.language,
            tuple(self.warnings),
            marks,
            tuple(self.facts.facts),
        )

    def _append(self, text: str) -> tuple[int, int]:
        if self._parts:
            self._parts.append(SEPARATOR)
            self._length += len(SEPARATOR)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        if self._length > MAX_TEXT_CHARS:
            raise FileUnreadable("too-large", f"holds more than {MAX_TEXT_CHARS:,} characters of text")
        return start, self._length


def _span_of(marks: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
    numbers = [line for _, line in marks]
    return (min(numbers), max(numbers)) if numbers else None


def _marks_of_lines(text: str, lines: tuple[int, int] | None) -> tuple[tuple[int, int], ...]:
    """A mark a line of the text, none beyond the last line."""
    if lines is None:
        return ()
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return tuple((char, min(lines[0] + number, lines[1])) for number, char in enumerate(starts))
