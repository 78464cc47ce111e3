"""What a table's grid says and its table does not: rows that a passage still has to say, so that none is lost.

Sections without rows, texts that stand alone among the rows, rows below headings of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from mixrag_cli.records.documents import Grid
from mixrag_cli.records.tables import Cell, Table
from mixrag_cli.tables.units import is_unit_text


def unsaid_rows(grid: Grid, table: Table, told: str) -> Iterator[list[Cell]]:
    """The cells of each row with a text in words that no path, cell or title of the table says, headings apart.

    told: what the passage of the whole table holds, its first notes among it; of a long table it ends before them.
    None of a sampled grid, whose rows are searched by their lines.
    """
    if grid.profiles:
        return
    first = min(header.index for header in table.rows)
    said = {part for header in (*table.rows, *table.columns) for part in header.path}
    said |= {" ".join(cell.text.split()) for cell in table.cells}
    around = " ".join((table.title, grid.caption, told, *(part for col in table.columns for part in col.path)))
    around = " ".join(around.split())
    rows: dict[int, list[Cell]] = {}
    unsaid: set[int] = set()
    for cell in grid.cells:
        text = " ".join(cell.text.split())
        if not text:
            continue
        place = (cell.address, cell.bbox, cell.line, cell.row_span, cell.column_span, cell.page, cell.last_line)
        rows.setdefault(cell.row, []).append(Cell(cell.row, cell.column, text, None, "", 1, *place))
        is_said = text in said or text.removesuffix(":").rstrip() in said or text in around or is_unit_text(text)
        if not is_said and any(map(str.isalpha, text)):
            unsaid.add(cell.row)
    yield from (rows[row] for row in sorted(unsaid) if row > first or len(rows[row]) == 1)
