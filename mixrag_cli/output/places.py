"""How a place in a source is written: the same short form in sources, search hits and `mixrag show`.

report.pdf#page=4   file.py#L10-20   book.xlsx#Sheet!B4:C4   notes.ipynb#cell=3   letter.docx#section=Terms   #abc123
"""

from __future__ import annotations

import re

from mixrag_cli.records.places import Locator, column_number

SHORT_ID_LENGTH = 12  # hex digits: 48 bits, no clash in a store of any size that fits a laptop
LINES = re.compile(r"L(\d+)(?:-L?(\d+))?")
CELL = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")


def place_of(locator: Locator) -> str:
    """The place within its file, "" where only characters are known."""
    if locator.cells:
        return f"{locator.sheet}!{locator.cells}" if locator.sheet else locator.cells
    within = _page_or_lines(locator)
    if locator.section:
        return f"section={locator.section}&{within}" if within else f"section={locator.section}"
    return within


def _page_or_lines(locator: Locator) -> str:
    if locator.page is not None:
        return f"page={locator.page}"
    if locator.cell is not None:
        return f"cell={locator.cell}" if locator.last_cell is None else f"cell={locator.cell}-{locator.last_cell}"
    if locator.lines is not None:
        first, last = locator.lines
        return f"L{first}" if first == last else f"L{first}-{last}"
    return ""


def reference(path: str, locator: Locator | None) -> str:
    """What a person can hand to `mixrag show`: the path and, where known, the place."""
    place = place_of(locator) if locator else ""
    return f"{path}#{place}" if place else path


def short_id(chunk_id: str) -> str:
    """A chunk's id as search prints it: "#abc123456789"."""
    return f"#{chunk_id[:SHORT_ID_LENGTH]}"


def is_within(address: str | None, cells: str) -> bool:
    """Whether the cell lies in the range. Example: is_within("B5", "B4:C6") -> True. False for what is no address."""
    corners = [position_of(end.rpartition("!")[2]) for end in cells.split(":")]
    place = position_of(address or "")
    if place is None or None in corners:
        return False
    (top, left), (bottom, right) = corners[0], corners[-1]  # type: ignore[misc]
    return top <= place[0] <= bottom and left <= place[1] <= right


def is_on(line: int | None, page: int | None, place: str) -> bool:
    """Whether a line lies in "L7-9", or a page is that of "page=2". False for other places."""
    if found := LINES.fullmatch(place):
        return line is not None and int(found[1]) <= line <= int(found[2] or found[1])
    return page is not None and place == f"page={page}"


def position_of(address: str) -> tuple[int, int] | None:
    """Row and column of an A1 address, from 1; None where it is none. Example: position_of("B5") -> (5, 2)."""
    match = CELL.fullmatch(address)
    return None if match is None else (int(match[2]), column_number(match[1].upper()))
