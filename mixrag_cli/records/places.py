"""Where something stands in its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LineMarks:
    """Where an extracted text stands in its file: from character chars[i] on, on line lines[i]; chars ascend."""

    chars: Sequence[int] = ()
    lines: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Locator:
    """A place in a source: characters of the extracted text always, and what the format has besides.

    chars: [start, end) in the extracted text. page: from 1. bbox: (x0, top, x1, bottom) in points from the
    page's top left; of slides the page is the slide. lines: first and last of the file, from 1. cells: an A1 range such
    as "B4:C4". last_page: of a table that goes on over pages; its bbox is that of its part on the first. section: the
    heading, chapter, message or attachment that it stands under, in formats that have neither pages nor lines of their
    own; there sheet is "Table 2", counted through the document. cell, last_cell: of a notebook, from 1; last_cell where
    a passage goes on over cells. marks: within a passage's text, where its line breaks are not those of its file.
    """

    chars: tuple[int, int]
    page: int | None = None
    bbox: tuple[float, float, float, float] | None = None
    lines: tuple[int, int] | None = None
    sheet: str | None = None
    cells: str | None = None
    last_page: int | None = None
    section: str | None = None
    cell: int | None = None
    last_cell: int | None = None
    marks: LineMarks = LineMarks()

    def to_json(self) -> dict[str, Any]:
        """The locator's known fields as plain JSON values; its marks only in to_plain."""
        known: dict[str, Any] = {"chars": list(self.chars)}
        for name in ("page", "last_page", "sheet", "cells", "section", "cell", "last_cell"):
            if (value := getattr(self, name)) is not None:
                known[name] = value
        if self.lines is not None:
            known["lines"] = list(self.lines)
        if self.bbox is not None:
            known["bbox"] = [round(edge, 1) for edge in self.bbox]
        return known

    def to_plain(self) -> dict[str, Any]:
        """All of the locator as plain JSON values, as the store keeps it."""
        known = self.to_json()
        if self.marks.chars:
            known["marks"] = [list(self.marks.chars), list(self.marks.lines)]
        return known

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Locator:
        """The inverse of to_json and of to_plain."""
        return cls(
            chars=(known["chars"][0], known["chars"][1]),
            page=known.get("page"),
            bbox=tuple(known["bbox"]) if known.get("bbox") else None,
            lines=(known["lines"][0], known["lines"][1]) if known.get("lines") else None,
            sheet=known.get("sheet"),
            cells=known.get("cells"),
            last_page=known.get("last_page"),
            section=known.get("section"),
            cell=known.get("cell"),
            last_cell=known.get("last_cell"),
            marks=LineMarks(*map(tuple, known["marks"])) if known.get("marks") else LineMarks(),
        )
