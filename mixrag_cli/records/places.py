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

    def is_apart(self, other: Locator) -> bool:
        """Whether it is known of two places in one file that no line, no row of a sheet and no part of a page's height
        is in both."""
        if self.lines and other.lines:
            return self.lines[1] < other.lines[0] or other.lines[1] < self.lines[0]
        if self.cells and other.cells:
            first, second = _corners(self.cells), _corners(other.cells)
            return first[1][0] < second[0][0] or second[1][0] < first[0][0]
        if self.bbox and other.bbox and not (self.last_page or other.last_page):
            return self.page != other.page or self.bbox[3] <= other.bbox[1] or other.bbox[3] <= self.bbox[1]
        return False


def cells_overlap(one: str, other: str) -> bool:
    """Whether two A1 ranges share a cell. Example: cells_overlap("A1:C3", "C3:D4") -> True."""
    first, second = _corners(one), _corners(other)
    return all(first[0][axis] <= second[1][axis] and second[0][axis] <= first[1][axis] for axis in (0, 1))


def range_around(ranges: Sequence[str]) -> str:
    """The least A1 range that holds all of these. Example: range_around(["C3:D4", "A9"]) -> "A3:D9"."""
    corners = [corner for cells in ranges for corner in _corners(cells)]
    rows, columns = [row for row, _ in corners], [column for _, column in corners]
    first, last = f"{column_letters(min(columns))}{min(rows)}", f"{column_letters(max(columns))}{max(rows)}"
    return first if first == last else f"{first}:{last}"


def _corners(cells: str) -> tuple[tuple[int, int], tuple[int, int]]:
    ends = [_position(end) for end in cells.split(":")]
    return ends[0], ends[-1]


def _position(address: str) -> tuple[int, int]:
    """Row and column of an A1 address, from 1."""
    letters = address.rstrip("0123456789")
    return int(address[len(letters) :]), column_number(letters)


def column_letters(column: int) -> str:
    """The letters of a column, from 1; the inverse of column_number. Example: column_letters(27) -> "AA"."""
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def column_number(letters: str) -> int:
    """The column of an A1 address, from 1. Example: column_number("AA") -> 27."""
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column
