"""DocumentBuilder: how every reader puts its blocks into one text with right character places."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.addresses import cell_range, column_name
from mixrag_cli.records import Block, BlockKind, Document, Grid, Locator, Modality

MAX_TEXT_CHARS = 50_000_000  # scenarios: at most 50 MB of text a file, so that one file cannot swamp the index
SEPARATOR = "\n\n"
MAX_SECTION_CHARS = 120  # of a heading as a place: a whole paragraph set as a heading is cut
MAX_LEVEL = 9
PLACE_FIELDS = ("page", "last_page", "bbox", "lines", "sheet", "cells", "section")
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
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._grids: list[Grid] = []

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings that enclose the next block, outermost first."""
        return tuple(text for _, text in self._headings)

    def add_heading(self, text: str, level: int, **place: Any) -> None:
        """Append a heading block and let the following blocks stand under it."""
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self.add(text, "heading", level=level, **place)
        self._headings.append((level, text))

    def add(
        self,
        text: str,
        kind: BlockKind,
        *,
        heading_path: tuple[str, ...] | None = None,
        level: int = 0,
        grid: Grid | None = None,
        name: str = "",
        **place: Any,
    ) -> None:
        """Append one block; place holds the Locator's fields beyond chars (page, bbox, lines, sheet, cells).

        A grid is stored with the block's own chars. Empty text without a grid is dropped.
        Raises FileUnreadable("too-large") above MAX_TEXT_CHARS.
        """
        if not text and grid is None:
            return
        chars = self._append(text)
        path = self.heading_path if heading_path is None else heading_path
        if self._cites != "lines":
            place = self._place_of(text if kind == "heading" else "".join(path[-1:]))
            grid = None if grid is None else self._placed(grid, place)
        locator = Locator(chars=chars, **place)
        grid_index = None
        if grid is not None:
            grid_index = len(self._grids)
            self._grids.append(replace(grid, locator=replace(grid.locator, chars=chars)))
        self._blocks.append(Block(text, kind, locator, path, level, grid_index, name))

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
        """The finished document."""
        return Document(
            self.modality,
            self.title,
            "".join(self._parts),
            tuple(self._blocks),
            tuple(self._grids),
            self.language,
            tuple(self.warnings),
        )

    def _place_of(self, heading: str) -> dict[str, Any]:
        if self._cites == "pages":
            return {"page": self.page}
        return {"section": " ".join(heading.split())[:MAX_SECTION_CHARS] or None}

    def _placed(self, grid: Grid, place: dict[str, Any]) -> Grid:
        """The grid without lines; where tables have no page, with its number and addresses in it."""
        if self._cites == "pages":
            cells = tuple(replace(cell, line=None) for cell in grid.cells)
            return replace(grid, cells=cells, locator=Locator((0, 0), **place))
        cells = tuple(
            replace(cell, line=None, address=f"{column_name(cell.column)}{cell.row + 1}") for cell in grid.cells
        )
        table = f"Table {len(self._grids) + 1}"
        whole = cell_range(0, 0, max(grid.n_rows - 1, 0), max(grid.n_columns - 1, 0))
        return replace(grid, cells=cells, locator=Locator((0, 0), sheet=table, cells=whole, **place))

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
