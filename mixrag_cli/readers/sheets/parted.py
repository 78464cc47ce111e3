"""Several tables in one delimited file, parted by blank lines as people part them in a sheet.

The same rules find them as in a sheet: what goes on under the same columns is one table, what has headings of its own
another, a lone text above is a caption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from mixrag_cli.readers.sheets.areas import Cells, Region, TableRegion, is_figure
from mixrag_cli.readers.sheets.grids import MAX_GRID_COLUMNS
from mixrag_cli.readers.sheets.regions import find_regions
from mixrag_cli.readers.sheets.sampling import SourceCell, SourceRow, fast_number
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator


def find_parted_tables(rows: Sequence[SourceRow]) -> list[Grid]:
    """The tables, top to bottom; [] where no blank line parts tables, so that all rows are one.

    Each table must hold figures: a list of texts with a blank line in it is one list.
    """
    at = dict(_places(rows))
    if not rows or max(at) == len(rows) - 1:
        return []
    cells = {(place, column): _source_cell(text) for place, row in at.items() for column, text in _texts(row)}
    regions = find_regions(cells, [])
    tables = [each for each in regions if isinstance(each, TableRegion)]
    width = max(column for _, column in cells) + 1
    if len(tables) < len(regions) or len(tables) < 2 or width > MAX_GRID_COLUMNS:
        return []
    if not all(any(map(is_figure, _inside(table.region, cells))) for table in tables):
        return []
    return [_to_grid(table, at, cells) for table in tables]


def row_cells(rows: Sequence[SourceRow], columns: Iterable[int] | None = None) -> list[GridCell]:
    """The cells of these rows that hold a text, by place; columns: those wanted, from the first on, None for all."""
    wanted = None if columns is None else {column: place for place, column in enumerate(columns)}
    return [
        GridCell(place, column if wanted is None else wanted[column], text, line=first, last_line=last)
        for place, row in enumerate(rows)
        for column, text in _texts(row)
        for first, last in [_lines_of(row.cell_lines[column] if row.cell_lines else row.lines)]
        if wanted is None or column in wanted
    ]


def _places(rows: Sequence[SourceRow]) -> Iterator[tuple[int, SourceRow]]:
    """Each row with its place among the rows, a blank one counted where blank lines stand before it."""
    place = 0
    if rows:
        yield 0, rows[0]
    for above, below in pairwise(rows):
        is_parted = above.lines is not None and below.lines is not None and below.lines[0] > above.lines[1] + 1
        place += 2 if is_parted else 1
        yield place, below


def _texts(row: SourceRow) -> list[tuple[int, str]]:
    return [(column, text) for column, text in enumerate(row.cells) if isinstance(text, str) and text.strip()]


def _source_cell(text: str) -> SourceCell:
    return SourceCell(text, number=fast_number(text))


def _lines_of(lines: tuple[int, int] | None) -> tuple[int | None, int | None]:
    """The first line, and the last where there are several."""
    if lines is None:
        return None, None
    return lines[0], lines[1] if lines[1] > lines[0] else None


def _inside(region: Region, cells: Cells) -> list[SourceCell]:
    return [
        cell
        for (row, column), cell in sorted(cells.items())
        if region.top <= row <= region.bottom and region.left <= column <= region.right
    ]


def _to_grid(table: TableRegion, at: dict[int, SourceRow], cells: Cells) -> Grid:
    region, wanted = table.region, {*table.rows}
    rows = [row for place, row in at.items() if place in wanted]
    texts = [[cell.text.strip() for cell in _inside(part, cells)] for part in table.captions]
    notes = tuple("\n".join(cell.text.strip() for cell in _inside(part, cells)) for part in table.notes)
    own = (region, *table.captions)
    cited = [row for part in own for place, row in at.items() if part.top <= place <= part.bottom]
    lines = [number for row in cited for number in row.lines or ()]
    return Grid(
        len(rows),
        region.n_columns,
        tuple(row_cells(rows, range(region.left, region.right + 1))),
        Locator((0, 0), lines=(min(lines), max(lines)) if lines else None),
        caption="\n".join(text for lines_of_caption in texts for text in lines_of_caption),
        notes=notes,
        total_rows=len(rows),
    )
