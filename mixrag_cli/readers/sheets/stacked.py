"""Tables that stand one right below the other in a sheet: a month after the other, or settings above what they made."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from mixrag_cli.readers.sheets.areas import (
    MAX_TITLED_ROWS,
    MISSING,
    Cells,
    Region,
    TableRegion,
    heading_rows,
    is_figure,
    places,
    texts_of_row,
)
from mixrag_cli.readers.sheets.sheet_heads import cut_head

MAX_SETTINGS = 12  # rows of a name and its figure above the headings of a table; set by judgement, as
MIN_SETTINGS = 2  # of them: one alone may be a title with its number at its side,
MIN_BELOW = 3  # and rows of figures below the headings
MIN_LISTED = 3  # numbered rows of a form,
MIN_KEYS = 4  # and keys above them
TABLE_NUMBER = re.compile(r"[^\W\d]{3,}\.?\s?[A-Z]?\d+(?:[.-]\d+)*[.:]?")  # "Table 3", "Tab. 2.1", "Annex A1:"

Texts = dict[int, str]  # of a row, by column


def is_numbered_title(region: Region, below: Region, cells: Cells) -> bool:
    """Whether one row says a table's number and, beside it, its title: "Table 3 | Mobile combustion", not farther right
    than the table below.
    """
    texts = [cell.text.strip() for cell in texts_of_row(region.top, region, cells)]
    return (
        region.n_rows == 1
        and len(texts) == 2
        and TABLE_NUMBER.fullmatch(texts[0]) is not None
        and not any(map(is_figure, texts_of_row(region.top, region, cells)))
        and region.left <= below.left
    )


def cut_numbered_title(region: Region, cells: Cells) -> list[Region]:
    """The region, cut below a numbered title whose number alone stands in the first column: the table begins beside."""
    right = max((c for c in range(region.left, region.right + 1) if (region.top, c) in cells), default=region.left)
    title = Region(region.top, region.left, region.top, right)
    below = replace(region, top=region.top + 1, left=region.left + 1)
    is_alone = not any((row, region.left) in cells for row in range(below.top, below.bottom + 1))
    return [title, below] if below.n_rows > 1 and is_alone and is_numbered_title(title, below, cells) else [region]


def cut_form_head(region: Region, cells: Cells) -> list[Region]:
    """The region, cut above a list that numbers its rows from 1 on, where keys with a colon stand on top and nothing
    names its columns: whose form it is. A title right above the list is the list's.
    """
    column = [(row, _text(cells, row, region.left)) for row in range(region.top, region.bottom + 1)]
    numbers = [(row, text) for row, text in column if text.isdecimal()]
    first = numbers[0][0] if [text for _, text in numbers[:MIN_LISTED]] == [*map(str, range(1, MIN_LISTED + 1))] else 0
    above = [_texts(row, region, cells) for row in range(region.top, first)]
    said = [text for row in above for text in row.values()]
    n_keys = sum(text.endswith(":") for text in said)
    if n_keys < MIN_KEYS or 2 * n_keys <= len(said):
        return [region]
    top = first - 1 if [*above[-1]] == [region.left] else first
    return [replace(region, bottom=top - 1), replace(region, top=top)]


def cut_settings(region: Region, cells: Cells) -> list[Region]:
    """The region, cut above the headings of its table where settings stand right on top: a name and a figure a row.

    Calculations and recordings begin with what they were made with; none of it is a row of their table.
    """
    for row in range(region.top, min(region.top + MAX_SETTINGS, region.bottom - MIN_BELOW) + 1):
        if row - region.top >= MIN_SETTINGS and _heads_figures(row, region, cells):
            return [replace(region, bottom=row - 1), replace(region, top=row)]
        if not _is_setting(row, region, cells):
            break
    end = _end_of_parameters(region, cells)
    if end is None:
        return [region]
    filled = {column for row, column in places(region) if row < end and (row, column) in cells}
    reaches = zip(*(sorted(c for c in filled if c + step not in filled) for step in (-1, 1)), strict=True)
    return [*(Region(region.top, left, end - 1, right) for left, right in reaches), replace(region, top=end)]


def _end_of_parameters(region: Region, cells: Cells) -> int | None:
    """The row below the last that says parameters, each with its figure beside it, among titles and notes; None
    without headings below them that fill more columns than all above. Group headings right above these are theirs.
    """
    first = region.top + MIN_SETTINGS
    heads = range(first, min(region.top + MAX_SETTINGS, region.bottom - MIN_BELOW) + 1)
    head = next((row for row in heads if _heads_figures(row, region, cells)), first)
    above = range(region.top, head)
    named = [row for row in above if _are_named_figures(row, region, cells)]
    is_plain = not any(_has_figures(row, region, cells) for row in above if row not in named)
    widest = max(len(_texts(row, region, cells)) for row in above)
    is_headed = _heads_figures(head, region, cells) and len(_texts(head, region, cells)) > widest
    return named[-1] + 1 if len(named) >= MIN_SETTINGS and is_plain and is_headed else None


def _are_named_figures(row: int, region: Region, cells: Cells) -> bool:
    """Whether a row says names alone, each with a figure right beside it, from the left edge on."""
    found = [(column, cell) for column in range(region.left, region.right + 1) if (cell := cells.get((row, column)))]
    names, values = found[::2], found[1::2]
    return (
        len(names) == len(values) > 0
        and names[0][0] == region.left
        and all(value[0] == name[0] + 1 for name, value in zip(names, values, strict=True))
        and not any(is_figure(cell) for _, cell in names)
        and all(is_figure(cell) for _, cell in values)
    )


def _is_setting(row: int, region: Region, cells: Cells) -> bool:
    """Whether a row says a name, one figure beside it, and perhaps a remark."""
    found = [(column, cell) for column in range(region.left, region.right + 1) if (cell := cells.get((row, column)))]
    return (
        2 <= len(found) <= 3
        and not is_figure(found[0][1])
        and is_figure(found[1][1])
        and found[1][0] == found[0][0] + 1
        and not any(is_figure(cell) for _, cell in found[2:])
    )


def _heads_figures(row: int, region: Region, cells: Cells) -> bool:
    """Whether a row holds texts alone, the first at the left edge, and figures stand below each in the next rows."""
    columns = [column for column in range(region.left, region.right + 1) if (row, column) in cells]
    below = range(row + 1, row + 1 + MIN_BELOW)
    return (
        len(columns) > 1
        and columns[0] == region.left
        and not _has_figures(row, region, cells)
        and all((cell := cells.get((at, column))) and is_figure(cell) for at in below for column in columns[1:])
    )


def cut_stacked(region: Region, cells: Cells) -> list[TableRegion]:
    """The region, cut above each row that says its headings again and, with the rows above it, says something else.

    What differs is the title above the headings, their corner or one of them. Corners that all differ name their blocks
    as captions do. Headings that are said again word by word are those of a further page, and the table goes on. What
    the sheet says of itself on top is a caption.
    """
    titles, region = cut_head(region, cells)
    first, *others = _cut_at_headings(region, cells)
    return [replace(first, captions=(*titles, *first.captions)), *others]


def _cut_at_headings(region: Region, cells: Cells) -> list[TableRegion]:
    head = _heading_row(region, cells)
    if head is None:
        return [TableRegion(region)]
    said = _texts(head, region, cells)
    found = [row for row in range(head + 2, region.bottom) if _is_said_again(row, said, region, cells)]
    above = min((_rows_alike(head, row, region, cells) for row in found), default=0)
    heads = [head, *(row for row in found if _differs(head, row, above, region, cells))]
    edges = [region.top, *(row - above for row in heads[1:]), region.bottom + 1]
    corners = [_corner(range(row - above, row + 1), region, cells) for row in heads]
    texts = {cells[corner.top, corner.left].text for corner in corners if corner is not None}
    is_named = len(texts) == len(heads) > 1
    blocks = [
        TableRegion(
            Region(top, region.left, following - 1, region.right), (corner,) if is_named and corner is not None else ()
        )
        for corner, (top, following) in zip(corners, pairwise(edges), strict=True)
    ]
    return [part for block in blocks for part in _cut_renamed(block, cells)]


def _cut_renamed(block: TableRegion, cells: Cells) -> list[TableRegion]:
    """The block, cut above each row that says the last line of its headings anew: units of other rows, say.

    The lines above the last hold for the rows below it, too, and so does the title of the block.
    """
    region = block.region
    head, headings = _heading_row(region, cells), heading_rows(region, cells)
    if head is None or head not in headings or (head, region.left) in cells:
        return [block]
    said = _texts(head, region, cells)
    found = [row for row in range(head + 2, region.bottom) if _renames(row, said, region, cells)]
    edges = pairwise([region.top, *found, region.bottom + 1])
    parts = [replace(block, region=replace(region, top=top, bottom=end - 1)) for top, end in edges]
    return [parts[0], *(replace(part, headings=range(headings.start, head)) for part in parts[1:])]


def _renames(row: int, said: Texts, region: Region, cells: Cells) -> bool:
    """Whether a row says other names in the places of the headings, none beside them, and figures stand around it."""
    texts = _texts(row, region, cells)
    are_names = all(any(map(str.isalpha, text)) and MISSING.match(text) is None for text in texts.values())
    around = (range(row - MIN_BELOW, row), range(row + 1, row + 1 + MIN_BELOW))
    return (
        len(texts) > 1
        and texts.keys() == said.keys()
        and texts != said
        and are_names
        and all(any(_has_figures(near, region, cells) for near in rows) for rows in around)
        and not _has_figures(row, region, cells)
    )


def _heading_row(region: Region, cells: Cells) -> int | None:
    """The last row above the first figures with a text beside the labels; None where the figures have none.

    A row that says what the row above it says in the same column is a record, as that one is: lists of tasks whose
    first figure comes late have no heading there.
    """
    head = None
    for row in range(region.top, min(region.bottom, region.top + MAX_TITLED_ROWS) + 1):
        if _has_figures(row, region, cells):
            return head
        texts = _texts(row, region, cells)
        if any(column > region.left for column in texts):
            if head is not None and not texts.items().isdisjoint(_texts(head, region, cells).items()):
                return None
            head = row
    return None


def _text(cells: Cells, row: int, column: int) -> str:
    cell = cells.get((row, column))
    return cell.text.strip().casefold() if cell is not None else ""


def _texts(row: int, region: Region, cells: Cells) -> Texts:
    columns = range(region.left, region.right + 1)
    return {column: _text(cells, row, column) for column in columns if (row, column) in cells}


def _has_figures(row: int, region: Region, cells: Cells) -> bool:
    columns = range(region.left, region.right + 1)
    return any(is_figure(cell) for column in columns if (cell := cells.get((row, column))))


def _is_said_again(row: int, said: Texts, region: Region, cells: Cells) -> bool:
    """Whether a row says at least half of the headings beside the labels in their places, and figures come below it."""
    beside = [column for column in said if column > region.left]
    again = sum(_text(cells, row, column) == said[column] for column in beside)
    if not again or again * 2 < len(beside) or _texts(row, region, cells).keys() != said.keys():
        return False
    return not _has_figures(row, region, cells) and any(
        _has_figures(below, region, cells) for below in range(row + 1, min(row + 2, region.bottom) + 1)
    )


def _rows_alike(head: int, row: int, region: Region, cells: Cells) -> int:
    """How many rows right above the headings fill the same columns in both places, without figures."""
    alike = 0
    while head - alike > region.top:
        first, again = (_texts(each - alike - 1, region, cells).keys() for each in (head, row))
        if first != again or _has_figures(row - alike - 1, region, cells):
            break
        alike += 1
    return alike


def _differs(head: int, row: int, above: int, region: Region, cells: Cells) -> bool:
    places = range(above + 1)
    return any(_texts(head - up, region, cells) != _texts(row - up, region, cells) for up in places)


def _corner(rows: range, region: Region, cells: Cells) -> Region | None:
    """The first cell of heading rows at the left edge that has headings beside it."""
    for row in rows:
        if (row, region.left) in cells and len(_texts(row, region, cells)) > 1:
            return Region(row, region.left, row, region.left)
    return None
