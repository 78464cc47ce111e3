"""What stands side by side in a sheet, blank columns between: parts of one table, or tables and boxes of their own."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from mixrag_cli.readers.sheets.areas import (
    MAX_TITLED_ROWS,
    MISSING,
    Cells,
    Region,
    figures,
    has_labels,
    heading_rows,
    is_figure,
    places,
    texts_of_row,
)

MIN_COUNTED = 4  # figures that rise by no chance; set by judgement
AMOUNT = re.compile(r"[-+±]?\d+(?:[.,]\d+)*\s?[^\s\d]{1,4}")  # "14.0 kΩ", "160p"


def join_parts(parts: list[Region], cells: Cells) -> list[Region]:
    """Blank columns inside one table: a part without labels of its own belongs to the part on its left."""
    joined: list[Region] = []
    for part in parts:
        left = joined[-1] if joined else None
        is_alone = (
            left is not None
            and left.n_columns > 1
            and (
                (part.n_columns > 1 and _stands_alone(part, left, cells))
                or _are_jottings(part, left, cells)
                or _is_box(part, left, cells)
            )
        )
        if left is not None and not is_alone:
            joined[-1] = Region(left.top, left.left, left.bottom, part.right)
        else:
            joined.append(part)
    return joined


def _are_jottings(part: Region, left: Region, cells: Cells) -> bool:
    """Whether a part holds figures alone, and one stands where the headings of the part on its left begin, or above."""
    counted = figures(part, cells)
    if not counted or len(counted) < sum(place in cells for place in places(part)):
        return False
    top = next((row for row in range(left.top, left.bottom + 1) if texts_of_row(row, left, cells)), left.top)
    headings = heading_rows(replace(left, top=top), cells)
    below = (texts_of_row(row, left, cells) for row in (headings.stop, headings.stop + 1))
    return bool(headings) and counted[0][0] <= headings.start and any(is_figure(cell) for row in below for cell in row)


def _stands_alone(part: Region, left: Region, cells: Cells) -> bool:
    """Whether a part has labels of its own, or its figures stand in other rows than those of the part on its left."""
    is_labelled = has_labels(part, cells) and not _holds_amounts(part, left, cells)
    if (
        is_labelled
        or _counts_apart(part, left, cells)
        or _says_labels_again(part, left, cells)
        or _says_headings_again(part, left, cells)
    ):
        return True
    own, others = ({row for row, _ in figures(each, cells)} for each in (part, left))
    return bool(own) and len(others) > 1 and not own & others


def _counts_apart(part: Region, left: Region, cells: Cells) -> bool:
    """Whether each of two parts has a title over all of its columns, the first as well, and below a name there figures
    that rise: what names its rows, and those of the other are named by none of it.

    Few figures may rise by chance; then both titles stand in one row, and the names right below them.
    """
    own, other = _counted_below_title(part, cells), _counted_below_title(left, cells)
    if own is None or other is None:
        return False
    title, name, n = own
    return min(n, other[2]) >= MIN_COUNTED or other[:2] == (title, name) == (title, title + 1)


def _counted_below_title(region: Region, cells: Cells) -> tuple[int, int, int] | None:
    """The rows of the title and of the name in the first column, and how many figures rise below; None without them."""
    column = [(row, cell) for row in range(region.top, region.bottom + 1) if (cell := cells.get((row, region.left)))]
    texts = [row for row, cell in column if not is_figure(cell)]
    values = [cell.number for _, cell in column[len(texts) :]]
    if len(texts) < 2 or len(values) < 2 or texts[-1] > column[len(texts)][0]:
        return None
    rises = all(a is not None and b is not None and a < b for a, b in pairwise(values))
    is_title = (texts[0], region.left + 1) not in cells and (texts[-1], region.left + 1) in cells
    return (texts[0], texts[-1], len(values)) if rises and is_title else None


def _holds_amounts(part: Region, left: Region, cells: Cells) -> bool:
    """Whether a part begins with amounts, each beside names alone: what these come to, a blank column between."""
    first = {row: cell for row in range(part.top, part.bottom + 1) if (cell := cells.get((row, part.left)))}
    n_amounts = sum(AMOUNT.fullmatch(cell.text.strip()) is not None for cell in first.values())
    names = [cell for row in range(left.top, left.bottom + 1) for cell in texts_of_row(row, left, cells)]
    are_names = not any(is_figure(cell) or AMOUNT.fullmatch(cell.text.strip()) for cell in names)
    return 2 * n_amounts > len(first) and are_names and all(texts_of_row(row, left, cells) for row in first)


def _is_box(part: Region, left: Region, cells: Cells) -> bool:
    """Whether a column says names, each with its figure right below it: a box beside the rows of a table, and no column
    of it.
    """
    column = [(row, cell) for row in range(part.top, part.bottom + 1) if (cell := cells.get((row, part.left)))]
    first = next((place for place, (_, cell) in enumerate(column) if is_figure(cell)), 0)
    pairs = list(zip(column[first - 1 :: 2], column[first::2], strict=False)) if first else []
    return (
        part.n_columns == 1
        and len(pairs) > 1
        and 2 * len(pairs) == len(column) - first + 1
        and all(
            below == above + 1 and is_figure(figure) and not is_figure(name) and not MISSING.match(name.text.strip())
            for (above, name), (below, figure) in pairs
        )
        and all(texts_of_row(row, left, cells) for row, _ in column)
    )


def _says_labels_again(part: Region, left: Region, cells: Cells) -> bool:
    """Whether a part's first column says, row by row, what the left one's says: years or numbers that name the rows.

    The heading is said again as well, and no two rows are named alike.
    """
    pairs = [
        (own.text.strip(), other.text.strip())
        for row in range(part.top, part.bottom + 1)
        if (own := cells.get((row, part.left))) and (other := cells.get((row, left.left)))
    ]
    again = [own for own, other in pairs if own == other]
    is_headed = bool(again) and not again[0][:1].isdigit() and len(pairs) - len(again) <= 1
    return is_headed and len(again) > 2 and len(set(again)) == len(again)


def _says_headings_again(part: Region, left: Region, cells: Cells) -> bool:
    """Whether the row that names the labels on the left does so again, with half of the headings beside them or more.

    Headings that are all said again are those of one table, the next of its rows beside the first.
    """
    for row in range(part.top, min(part.bottom, part.top + MAX_TITLED_ROWS) + 1):
        own, others = ([cell.text.strip() for cell in texts_of_row(row, each, cells)] for each in (part, left))
        is_first = (row, part.left) in cells and (row, left.left) in cells and own[0] == others[0]
        if is_first and not is_figure(cells[row, part.left]):
            return 2 * sum(text in others for text in own) >= len(own) > 1 and own != others[: len(own)]
    return False
