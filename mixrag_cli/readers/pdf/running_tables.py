"""Running headers and footers that are drawn as tables: boxes with the document's name, number and version.

Such a box stands at one place at the top or bottom of several pages and says the same on each, but for the page's
number. It stays where it stands first. Without the others a table may be seen to go on over the pages.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from mixrag_cli.readers.pdf.items import PageLayout
from mixrag_cli.readers.pdf.running import EDGE_LINES, MIN_REPEATS, REPEAT_SHARE
from mixrag_cli.records.documents import Grid

SAME_PLACE_POINTS = 4.0
MAX_FRONT_PAGES = 4  # before the page that is numbered 1
NUMBER = re.compile(r"(?<![\d.])\d{1,4}(?![\d.])")

Key = tuple[int, tuple[str, ...]]


def drop_repeated_tables(layouts: Sequence[PageLayout]) -> list[PageLayout]:
    """The pages without the tables at their tops and bottoms that stand on earlier ones."""
    found: dict[Key, list[Grid]] = defaultdict(list)
    for layout in layouts:
        for edge in (0, 1):
            if (grid := _edge_table(layout, edge)) is not None:
                for key in _keys(grid, layout.number):
                    found[edge, key].append(grid)
    least = max(MIN_REPEATS, REPEAT_SHARE * len(layouts))
    spent = {id(grid) for grids in found.values() for grid in _repeated(grids, least)}
    if not spent:
        return list(layouts)
    return [replace(layout, items=tuple(item for item in layout.items if id(item) not in spent)) for layout in layouts]


def _edge_table(layout: PageLayout, edge: int) -> Grid | None:
    """The table at the page's top (0) or bottom (1), if no more than a few lines stand between."""
    n_lines = 0
    for item in layout.items if edge == 0 else reversed(layout.items):
        if isinstance(item, Grid):
            return item
        n_lines += len(item.texts)
        if n_lines > EDGE_LINES:
            break
    return None


def _keys(grid: Grid, page: int) -> set[tuple[str, ...]]:
    """What the table says, and the same with a number near the page's own as what it is ahead of that."""
    texts = tuple(cell.text.casefold() for cell in grid.cells)
    return {texts, tuple(NUMBER.sub(lambda found: _ahead(found[0], page), text) for text in texts)}


def _ahead(number: str, page: int) -> str:
    ahead = int(number) - page
    return f"{ahead:+}" if abs(ahead) <= MAX_FRONT_PAGES else number


def _repeated(grids: Sequence[Grid], least: float) -> list[Grid]:
    """All but the first of the tables, where they are enough and stand at one place."""
    boxes = [grid.locator.bbox for grid in grids]
    first = boxes[0] if boxes else None
    same = [
        grid
        for grid, box in zip(grids, boxes, strict=True)
        if first and box and max(abs(a - b) for a, b in zip(box, first, strict=True)) <= SAME_PLACE_POINTS
    ]
    return same[1:] if len(same) >= least else []
