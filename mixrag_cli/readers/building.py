"""DocumentBuilder: how every reader puts its blocks into one text with right character places."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile
from typing import Any, Literal

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.addresses import cell_range, column_name
from mixrag_cli.readers.facts.collecting import FactCollector
from mixrag_cli.readers.facts.prose import RELEASE, collect_prose_facts
from mixrag_cli.readers.lined_text import LinedText
from mixrag_cli.records.documents import Block, BlockKind, Document, Grid, Modality
from mixrag_cli.records.places import LineMarks, Locator

MAX_TEXT_CHARS = 50_000_000  # scenarios: at most 50 MB of text a file, so that one file cannot swamp the index
SEPARATOR = "\n\n"
PROSE = ("markdown", "html", "text", "notebook", "pdf")
MAX_SECTION_CHARS = 120  # of a heading as a place: a whole paragraph set as a heading is cut
MAX_LEVEL = 9
MAX_HEADNOTES = 3  # "(Amounts in thousands)", "(Unaudited)"
MAX_HEADNOTE_CHARS = 400
MAX_CAPTION_CHARS = 200  # of a line above a table
LED_IN = ("markdown", "html", "text", "notebook", "document")
IN_BRACKETS = re.compile(r"^\([^()]*\)\.?$|^\[[^\[\]]*\]\.?$")  # "[In thousands (314 represents 314,000)]" is one
PLACE_FIELDS = ("page", "last_page", "bbox", "lines", "sheet", "cells", "section", "cell", "last_cell")
Cites = Literal["lines", "sections", "pages"]


class DocumentBuilder:
    """Collects blocks and grids in reading order; keeps the heading path and the character offsets.

    Example: add_heading("Intro", 1); add("Hello", "paragraph", lines=(3, 3))
    -> text "Intro\\n\\nHello", the second block at chars (7, 12) under heading_path ("Intro",).

    cites: what a place is in the format that is read. With "sections" and "pages" lines say nothing to a person: a
    block's place is then the heading it stands under, its table's "Table 2" with cells counted as in a sheet, or the
    page set in the attribute page.
    """

    def __init__(self, modality: Modality, title: str = "", language: str = "", cites: Cites = "lines") -> None:
        self.modality: Modality = modality
        self.page: int | None = None
        self._cites: Cites = cites
        self.title = title
        self.language = language
        self.warnings: list[str] = []
        self._headings: list[tuple[int, str]] = []
        self._has_heading = False
        self._entitling: int | None = None  # the block of the heading that is the title
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

    def entitle(self, heading: str) -> None:
        """Call the document by its first heading, unless that names a release, as all headings of a changelog do."""
        if not (self.title or self._has_heading or RELEASE.match(heading)):
            self.title = heading
            self._entitling = len(self._blocks)

    def add_heading(self, text: str | LinedText, level: int, **place: Any) -> None:
        """Append a heading block and let the following blocks stand under it."""
        self._has_heading = True
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
        path = self.heading_path if heading_path is None else heading_path
        if self._cites != "lines" or self.cell is not None:
            marks, place = (), self._place_of(text if kind == "heading" else "".join(path[-1:]), place)
        chars = self._append(text)
        self._mark(chars[0], marks)
        locator = Locator(chars=chars, **place)
        grid_index = None
        if grid is not None:
            grid_index = len(self._grids)
            placed = self._placed(grid if grid.caption else self._with_headnotes(self._led_in(grid)), place)
            self._grids.append(replace(placed, locator=replace(placed.locator, chars=chars)))
        self._blocks.append(Block(text, kind, locator, path, level, grid_index, name))

    def _mark(self, start: int, marks: Iterable[tuple[int, int]]) -> None:
        for char, line in marks:
            self._marks[0].append(start + char)
            self._marks[1].append(line)

    def add_definition(self, term: str, text: str, line: int) -> None:
        """Note what a term means, under the headings that enclose it."""
        self.facts.add((*self.heading_path, term), "definition", ("value", text, line))

    def add_document(self, document: Document, section: str) -> None:
        """Append another document's blocks below the headings of here, as parts of one section, "" for none.

        Sheets are then named as spreadsheets name those of another file: "[budget.xlsx]Sheet1".
        """

        def moved(place: Locator) -> Locator:
            if not section:
                return place
            return replace(place, section=section, sheet=f"[{section}]{place.sheet}" if place.sheet else None)

        for block in document.blocks:
            place = moved(block.locator)
            grid = None if block.grid is None else document.grids[block.grid]
            self.add(
                block.text,
                block.kind,
                heading_path=(*self.heading_path, *block.heading_path),
                level=block.level and min(block.level + len(self._headings), MAX_LEVEL),
                grid=None if grid is None else replace(grid, locator=moved(grid.locator)),
                name=block.name,
                **{name: getattr(place, name) for name in PLACE_FIELDS},
            )

    def build(self) -> Document:
        """The finished document, with the facts that its running text states."""
        marks = LineMarks(*self._marks)
        if self._entitling is not None and self._names_a_part(self._entitling):
            self.title = ""
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

    def _names_a_part(self, first: int) -> bool:
        """Whether the first heading names a part of the document, as others on its level do, and not the document.

        So does one below a text, and one among the releases of a change log.
        """
        level = self._blocks[first].level
        below = [each for each in self._blocks[first + 1 :] if each.kind == "heading"]
        inside = list(takewhile(lambda each: each.level > level, below))
        others = [each for each in below[len(inside) :] if each.level <= level]
        if any(each.kind in ("paragraph", "list") for each in self._blocks[:first]):
            return bool(others)
        is_empty = not inside and self._blocks[first + 1 : first + 2] == others[:1]
        holds_releases = is_empty or any(RELEASE.match(each.text) for each in inside)
        return not holds_releases and 2 * sum(RELEASE.match(each.text) is not None for each in others) > len(others)

    def _place_of(self, heading: str, place: dict[str, Any]) -> dict[str, Any]:
        """The place of a block in a format whose lines say nothing: the notebook's cell, the page or the section."""
        if self.cell is not None:
            return {**place, "lines": None, "cell": self.cell}
        if self._cites == "pages":
            return {"page": self.page}
        return {"section": " ".join(heading.split())[:MAX_SECTION_CHARS] or None}

    def _placed(self, grid: Grid, place: dict[str, Any]) -> Grid:
        """The grid at its block's place: without lines where they say nothing, by its number where it has no page."""
        if self.cell is None and self._cites == "lines":
            return grid
        cells = tuple(replace(cell, line=None, last_line=None) for cell in grid.cells)
        if self.cell is not None:
            return replace(grid, cells=cells, locator=replace(grid.locator, lines=None, cell=self.cell))
        if self._cites == "pages":
            return replace(grid, cells=cells, locator=Locator((0, 0), **place))
        cells = tuple(replace(cell, address=f"{column_name(cell.column)}{cell.row + 1}") for cell in cells)
        table = f"Table {len(self._grids) + 1}"
        whole = cell_range(0, 0, max(grid.n_rows - 1, 0), max(grid.n_columns - 1, 0))
        return replace(grid, cells=cells, locator=Locator((0, 0), sheet=table, cells=whole, **place))

    def _led_in(self, grid: Grid) -> Grid:
        """The grid, called by the line right above it where that ends with a colon: "The largest models:"."""
        above = self._blocks[-1] if self._blocks and self.modality in LED_IN else None
        return replace(grid, caption=above.text) if above is not None and _leads_in(above) else grid

    def _with_headnotes(self, grid: Grid) -> Grid:
        """The grid with the paragraphs in brackets right above it, such as "(in thousands)", as its first notes."""
        above = reversed(self._blocks[-MAX_HEADNOTES:])
        found = [
            each.text for each in takewhile(lambda each: each.kind == "paragraph" and is_headnote(each.text), above)
        ]
        return replace(grid, notes=(*reversed(found), *grid.notes)) if found else grid

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


def _leads_in(block: Block) -> bool:
    """Whether a block is one line that ends with a colon."""
    is_line = block.kind == "paragraph" and len(block.text) <= MAX_CAPTION_CHARS and "\n" not in block.text
    return is_line and block.text.endswith(":")


def is_headnote(text: str) -> bool:
    """Whether a paragraph above a table stands in brackets, as what is said of all its figures does."""
    return len(text) <= MAX_HEADNOTE_CHARS and IN_BRACKETS.match(text) is not None


def _span_of(marks: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
    numbers = [line for _, line in marks]
    return (min(numbers), max(numbers)) if numbers else None


def _marks_of_lines(text: str, lines: tuple[int, int] | None) -> tuple[tuple[int, int], ...]:
    """A mark a line of the text, none beyond the last line."""
    if lines is None:
        return ()
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return tuple((char, min(lines[0] + number, lines[1])) for number, char in enumerate(starts))
