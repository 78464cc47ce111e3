"""What a table's grid says and its table does not: rows that a passage still has to say, so that none is lost.

Sections without rows, texts that stand alone among the rows, rows below headings of their own, corners of headers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mixrag_cli.records.documents import Grid
from mixrag_cli.records.tables import Cell, Table
from mixrag_cli.tables.units import is_unit_text


@dataclass(frozen=True, slots=True)
class Unsaid:
    """rows: the cells of each row that no passage of the table says. corners: texts of headers that name no column."""

    rows: tuple[list[Cell], ...] = ()
    corners: tuple[str, ...] = ()


def find_unsaid(grid: Grid, table: Table, told: str) -> Unsaid:
    """The rows with a text that no path, cell or title of the table says; of header rows only the texts themselves.

    told: what the passage of the whole table holds, its first notes among it; of a long table it ends before them.
    Nothing of a sampled grid, whose rows are searched by their lines.
    """
    if grid.profiles:
        return Unsaid()
    first = min(header.index for header in table.rows)
    said = {part for header in (*table.rows, *table.columns) for part in header.path}
    said |= {" ".join(cell.text.split()) for cell in table.cells}
    around = " ".join((table.title, grid.caption, told, *(part for col in table.columns for part in col.path)))
    around = " ".join(around.split())
    rows: dict[int, list[Cell]] = {}
    unsaid: dict[int, list[str]] = {}
    for cell in grid.cells:
        text = " ".join(cell.text.split())
        if not text:
            continue
        place = (cell.address, cell.bbox, cell.line, cell.row_span, cell.column_span, cell.page, cell.last_line)
        rows.setdefault(cell.row, []).append(Cell(cell.row, cell.column, text, None, "", 1, *place))
        is_said = text in said or text.removesuffix(":").rstrip() in said or is_unit_text(text) or _says(around, text)
        if not is_said and any(map(str.isalnum, text)):
            unsaid.setdefault(cell.row, []).append(text)
    whole = {row for row in unsaid if row > first or len(rows[row]) == 1}
    corners = [text for row, texts in unsaid.items() if row not in whole for text in texts]
    return Unsaid(tuple(rows[row] for row in sorted(whole)), tuple(dict.fromkeys(corners)))


def _says(around: str, text: str) -> bool:
    """Whether a text stands in another by itself: "or" does not stand in "words"."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", around) is not None
