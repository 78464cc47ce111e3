"""Where cells of a table stand in its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell


def locate_cells(table: Locator, cells: Sequence[Cell]) -> Locator:
    """The place of some cells of a table: their range in a sheet, their lines in a text, their page and box in a PDF.

    What the cells do not say is the table's. Cells on several pages have the box of those on the first.
    """
    addresses = [cell.address for cell in cells if cell.address]
    lines = [line for cell in cells for line in (cell.line, cell.last_line) if line is not None]
    pages = [page for cell in cells if (page := cell.page or table.page) is not None]
    first, last = (min(pages), max(pages)) if pages else (table.page, table.last_page)
    boxes = [cell.bbox for cell in cells if cell.bbox and (cell.page or table.page) == first]
    return replace(
        table,
        page=first,
        last_page=last if last != first else None,
        bbox=(
            min(box[0] for box in boxes),
            min(box[1] for box in boxes),
            max(box[2] for box in boxes),
            max(box[3] for box in boxes),
        )
        if boxes
        else table.bbox,
        cells=_range(addresses) if addresses else table.cells,
        lines=(min(lines), max(lines)) if lines else table.lines,
    )


def locate_column(table: Locator, cells: Sequence[Cell]) -> Locator:
    """A column's own place: from its first to its last cell in a sheet, elsewhere the table's."""
    addresses = [cell.address for cell in cells if cell.address]
    return replace(table, cells=_range([addresses[0], addresses[-1]])) if addresses else table


def _range(addresses: Sequence[str]) -> str:
    return addresses[0] if addresses[0] == addresses[-1] else f"{addresses[0]}:{addresses[-1]}"
