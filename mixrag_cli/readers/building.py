"""DocumentBuilder: how every reader puts its blocks into one text with right character places."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.records import Block, BlockKind, Document, Grid, Locator, Modality

MAX_TEXT_CHARS = 50_000_000  # scenarios: at most 50 MB of text a file, so that one file cannot swamp the index
SEPARATOR = "\n\n"


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
        locator = Locator(chars=chars, **place)
        grid_index = None
        if grid is not None:
            grid_index = len(self._grids)
            self._grids.append(replace(grid, locator=replace(grid.locator, chars=chars)))
        path = self.heading_path if heading_path is None else heading_path
        self._blocks.append(Block(text, kind, locator, path, level, grid_index, name))

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
