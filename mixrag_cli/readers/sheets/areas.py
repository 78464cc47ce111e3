"""Rectangles of a sheet, and what stands in them: figures, headings above them, labels beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mixrag_cli.readers.sheets.sampling import SourceCell

MAX_HEADING_ROWS = 4  # of a band that holds nothing but headings,
MAX_STAGGERED_ROWS = 6  # and where half of its places and more are blank, as those of headings over several lines
LONG_TEXT_CHARS = 60
MAX_TITLED_ROWS = 6  # of a title with the headings below it
MISSING = re.compile(r"^(?:[-–—.…*x]+|n\W?/?\W?[ad]\W?|none|nil)$", re.IGNORECASE)  # where a figure would stand

Cells = Mapping[tuple[int, int], SourceCell]


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of a sheet, bounds included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def n_rows(self) -> int:
        """Rows from top to bottom."""
        return self.bottom - self.top + 1

    @property
    def n_columns(self) -> int:
        """Columns from left to right."""
        return self.right - self.left + 1


@dataclass(frozen=True, slots=True)
class TableRegion:
    """A table with the text regions that stand right above (caption) and below it (notes).

    headings: rows of the sheet further up that name its columns, where it has none of its own. titles: what stands
    above the first of several blocks right below each other, and holds for this one, too.
    """

    region: Region
    captions: tuple[Region, ...] = ()
    notes: tuple[Region, ...] = ()
    headings: range = range(0)
    titles: tuple[Region, ...] = ()

    @property
    def rows(self) -> list[int]:
        """The rows of the sheet that make it up, its headings first."""
        return [*self.headings, *range(self.region.top, self.region.bottom + 1)]


def has_headings(region: Region, cells: Cells) -> bool:
    """Whether a row above the first figures holds texts or years in several columns beside the labels."""
    return bool(heading_rows(region, cells))


def heading_rows(region: Region, cells: Cells) -> range:
    """The rows from the first such row down to the first figures; none without it, or where no figures stand near.

    A label that stands alone above the figures heads their rows, and ends the headings.
    """
    first = None
    for row in range(region.top, min(region.bottom, region.top + MAX_TITLED_ROWS) + 1):
        found = texts_of_row(row, region, cells)
        if any(map(is_figure, found)):
            is_alone = texts_of_row(row - 1, region, cells) == [cells.get((row - 1, region.left))]
            return range(first, row - is_alone) if first is not None else range(0)
        named = [cell for cell in found if any(map(str.isalnum, cell.text))]  # a "$" by itself names no column
        if first is None and sum(cell is not cells.get((row, region.left)) for cell in named) > 1:
            first = row
    return range(first, min(region.bottom, first + MAX_HEADING_ROWS - 1) + 1) if first is not None else range(0)


def heads(region: Region, cells: Cells) -> bool:
    """Whether the first row names columns: another text or year over each, and figures below them."""
    if region.n_rows < 2:
        return False
    columns = range(region.left, region.right + 1)
    named = {column: cell for column in columns if (cell := cells.get((region.top, column))) is not None}
    data = [column for column in named if column > region.left]
    texts = {named[column].text.strip() for column in data}
    are_names = all(cell.number is None or cell.is_date or not is_figure(cell) for cell in named.values()) and not any(
        MISSING.match(text) for text in texts
    )
    below = [cells.get((region.top + 1, column)) for column in data]
    return (
        len(data) > 1
        and len(texts) == len(data)
        and region.left in named
        and are_names
        and sum(cell is not None and cell.number is not None and is_figure(cell) for cell in below) * 2 > len(data)
    )


def is_heading_only(region: Region, cells: Cells) -> bool:
    """Whether a band holds short texts in several columns and no figures: header rows above a blank line."""
    found = [cells[row, column] for row, column in places(region) if (row, column) in cells]
    is_short = all(len(cell.text) <= LONG_TEXT_CHARS for cell in found)
    is_staggered = 2 * len(found) <= region.n_rows * region.n_columns
    is_low = region.n_rows <= (MAX_STAGGERED_ROWS if is_staggered else MAX_HEADING_ROWS)
    is_headings = is_low and len(found) > 1 and is_short and not any(is_figure(cell) for cell in found)
    return is_headings and not is_keyed(region, cells)


def is_keyed(region: Region, cells: Cells) -> bool:
    """Whether two rows and more say a key with a colon and its value beside: whom a letter is to, and no headings."""
    rows = (texts_of_row(row, region, cells) for row in range(region.top, region.bottom + 1))
    return sum(len(row) > 1 and row[0].text.rstrip().endswith(":") for row in rows) > 1


def texts_of_row(row: int, region: Region, cells: Cells) -> list[SourceCell]:
    """The cells of a row that stand inside a region, from the left."""
    return [*row_of(row, region, cells).values()]


def row_of(row: int, region: Region, cells: Cells) -> dict[int, SourceCell]:
    """The same by their columns."""
    columns = range(region.left, region.right + 1)
    return {column: cell for column in columns if (cell := cells.get((row, column))) is not None}


def is_figure(cell: SourceCell) -> bool:
    """Whether a cell holds a number that is no year: what stands below headings."""
    text = cell.text.strip()
    if cell.is_date or (len(text) == 4 and text.isdigit() and text[:2] in ("18", "19", "20")):
        return False
    return cell.number is not None or (any(ch.isdigit() for ch in text) and not any(ch.isalpha() for ch in text))


def figures(region: Region, cells: Cells) -> list[tuple[int, int]]:
    """Where the figures of a region stand, row by row."""
    return [place for place in places(region) if (cell := cells.get(place)) and is_figure(cell)]


def has_labels(region: Region, cells: Cells) -> bool:
    """Whether most of the first column's cells below the first row are texts."""
    column = [cell for row in range(region.top + 1, region.bottom + 1) if (cell := cells.get((row, region.left)))]
    texts = sum(any(ch.isalpha() for ch in cell.text) and cell.number is None for cell in column)
    return bool(column) and texts * 2 > len(column)


def places(region: Region) -> Iterator[tuple[int, int]]:
    """Every place of a region, row by row."""
    for row in range(region.top, region.bottom + 1):
        for column in range(region.left, region.right + 1):
            yield row, column
