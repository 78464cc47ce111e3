"""What a page is made of once it is laid out: paragraphs and tables in reading order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mixrag_cli.readers.pdf.page import Box
from mixrag_cli.records.documents import Grid

MAX_HEADING_CHARS = 160
PART = re.compile(r"^(?:PART|Part|CHAPTER|Chapter|APPENDIX|Appendix)\s+(?:[IVXLC]+|\d+|[A-Z])\b")
ITEM = re.compile(r"^(?:Item|ITEM)\s+\d+[A-Z]?\b")


@dataclass(frozen=True, slots=True)
class TextItem:
    """A paragraph of a page with what later decides on it: its texts line by line, its style and its place."""

    texts: tuple[str, ...]
    box: Box
    size: float
    bold: bool
    italic: bool
    is_list: bool
    is_centered: bool = False


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page's paragraphs and tables in reading order."""

    number: int
    height: float
    items: tuple[TextItem | Grid, ...]
