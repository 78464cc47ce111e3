"""What a page is made of once it is laid out: paragraphs and tables in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from mixrag_cli.readers.pdf.layout import merge_boxes
from mixrag_cli.readers.pdf.page import Box
from mixrag_cli.records.documents import Grid

MAX_HEADING_CHARS = 160
PART = re.compile(r"^(?:PART|Part|CHAPTER|Chapter|APPENDIX|Appendix)\s+(?:[IVXLC]+|\d+|[A-Z])\b")
ITEM = re.compile(r"^(?:Item|ITEM)\s+\d+[A-Z]?\b")


@dataclass(frozen=True, slots=True)
class TextItem:
    """A paragraph of a page with what later decides on it: its texts line by line, its style and its place.

    boxes: of its lines, or none. breaks: indices of the lines that stand below one that its author ended.
    is_parted: a line of it falls into parts, as a row of a table or two texts side by side do.
    """

    texts: tuple[str, ...]
    box: Box
    size: float
    bold: bool
    italic: bool
    is_list: bool
    is_centered: bool = False
    boxes: tuple[Box, ...] = ()
    breaks: tuple[int, ...] = ()
    is_parted: bool = False

    def without_line(self, at: Literal[0, -1]) -> TextItem | None:
        """The item without its first or last line, None where it has no other."""
        if len(self.texts) < 2:
            return None
        kept = slice(1, None) if at == 0 else slice(None, -1)
        moved = (number - (at == 0) for number in self.breaks)
        breaks = tuple(number for number in moved if 0 < number < len(self.texts) - 1)
        return replace(self, texts=self.texts[kept], boxes=self.boxes[kept], breaks=breaks)

    def parts(self) -> Iterator[TextItem]:
        """The item cut where its author ended a line."""
        if not self.breaks:
            yield self
            return
        for start, end in pairwise((0, *self.breaks, len(self.texts))):
            box = merge_boxes(self.boxes[start:end])
            is_list = self.is_list and start == 0
            yield replace(self, texts=self.texts[start:end], box=box, is_list=is_list, boxes=(), breaks=())


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page's paragraphs and tables in reading order. running: the lines that repeat at neighbouring pages' edges."""

    number: int
    height: float
    items: tuple[TextItem | Grid, ...]
    running: frozenset[str] = frozenset()

    def repeats(self, item: TextItem) -> bool:
        """Whether all lines of the paragraph are running ones."""
        return self.running.issuperset(item.texts)
