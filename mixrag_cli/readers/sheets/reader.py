"""Spreadsheets (xlsx, xls, ods) to a Document: a heading a sheet, a grid a table, captions and notes bound to them.

What a file is, is told from its first bytes, not from its name: it may be HTML, or lines with delimiters. Formulas are
never evaluated and nothing outside the file is ever followed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.addresses import cell_range, column_name
from mixrag_cli.readers.archive import OLE_MAGIC, ZIP_MAGIC, Archive, is_encrypted
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.sheets.areas import Cells, Region, TableRegion, row_of
from mixrag_cli.readers.sheets.disguised import reader_of_disguise
from mixrag_cli.readers.sheets.grids import MAX_CELL_CHARS, raw_text, split_wide
from mixrag_cli.readers.sheets.ods import read_ods
from mixrag_cli.readers.sheets.regions import Merge, find_regions
from mixrag_cli.readers.sheets.sampling import SourceCell
from mixrag_cli.readers.sheets.workbook import SheetCells
from mixrag_cli.readers.sheets.xls import read_xls
from mixrag_cli.readers.sheets.xlsx import read_xlsx
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document, Grid, GridCell
from mixrag_cli.records.places import Locator

MAX_COMMENTED_CHARS = 100  # of a cell, beside its comment
UNTICKED = "FALSE"
MAX_LISTED = 8  # hidden rows or columns named in a warning


def read_sheet(source: ReadSource) -> Document:
    """All sheets of a workbook; an empty workbook gives a Document without blocks.

    Raises FileUnreadable: "damaged", "password", "too-large", "forbidden" (XML entities).
    """
    if source.size > source.limits.max_file_mb * 1_000_000:
        raise FileUnreadable("too-large", f"larger than {source.limits.max_file_mb} MB")
    if (read := reader_of_disguise(source)) is not None:
        return read(source)
    sheets = _read_sheets(source)
    builder = DocumentBuilder("sheet", title=source.name.rpartition(".")[0] or source.name)
    for done, sheet in enumerate(sheets):
        if sheet.sampler.n_rows:
            _add_sheet(builder, sheet)
        source.beat(done + 1, len(sheets))
    return builder.build()


def _read_sheets(source: ReadSource) -> list[SheetCells]:
    head = source.file.read(8)
    source.file.seek(0)
    if not head:
        return []
    if head.startswith(ZIP_MAGIC):
        archive = Archive(source.file)
        return read_ods(archive, source.beat) if "content.xml" in archive else read_xlsx(archive, source.beat)
    if head.startswith(OLE_MAGIC):
        if is_encrypted(source.file):
            raise FileUnreadable("password", "needs a password")
        return read_xls(source.file, source.beat)
    raise FileUnreadable("damaged", "not a readable workbook")


def _add_sheet(builder: DocumentBuilder, sheet: SheetCells) -> None:
    builder.add_heading(sheet.name or "Sheet", 1, sheet=sheet.name)
    hidden = _hidden_notes(sheet)
    builder.warnings += [f"sheet {sheet.name}: {warning}" for warning in (*sheet.warnings, *hidden)]
    cells = {(row.index, column): cell for row in sheet.sampler.rows for column, cell in _cells_of(row.cells)}
    if sheet.sampler.is_whole:
        _add_regions(builder, sheet, cells, hidden)
    else:
        _add_sampled(builder, sheet, hidden)
    _add_comments(builder, sheet, cells)


def _add_regions(builder: DocumentBuilder, sheet: SheetCells, cells: Cells, hidden: list[str]) -> None:
    aside = _hidden_titles(sheet, cells)
    shown = {place: cell for place, cell in cells.items() if place not in aside}
    for found in find_regions(shown, sheet.merges):
        if isinstance(found, Region):
            _add_text(builder, sheet, found, shown)
        elif any(cell.text.strip() != UNTICKED for cell in (shown[place] for place in _places_in(found.region, shown))):
            _add_table(builder, sheet, found, shown, hidden)
    for row, column in sorted(aside):
        _add_text(builder, sheet, Region(row, column, row, column), cells)


def _hidden_titles(sheet: SheetCells, cells: Cells) -> set[tuple[int, int]]:
    """Where a text stands alone in a hidden row above a row that is shown: of what is shown it is no title."""
    hidden, by_row = set(sheet.hidden_rows), dict[int, list[int]]()
    for row, column in cells:
        by_row.setdefault(row, []).append(column)
    aside: set[tuple[int, int]] = set()
    is_above_shown = False
    for row in sorted(by_row, reverse=True) if hidden else ():
        is_lone = row in hidden and len(by_row[row]) == 1 and cells[row, by_row[row][0]].number is None
        if is_lone and is_above_shown:
            aside.add((row, by_row[row][0]))
        else:
            is_above_shown = row not in hidden
    return aside


def _add_comments(builder: DocumentBuilder, sheet: SheetCells, cells: Cells) -> None:
    for (row, column), comment in sorted(sheet.comments.items()):
        place = cell_range(row, column, row, column)
        said = f" ({cells[row, column].text[:MAX_COMMENTED_CHARS]})" if (row, column) in cells else ""
        builder.add(f"Comment on {place}{said}: {comment}", "paragraph", sheet=sheet.name, cells=place)


def _add_long_texts(builder: DocumentBuilder, sheet: SheetCells, cells: Cells, region: Region) -> None:
    """What a table does not hold of texts that are too long for one, at their cells."""
    for row, column in _places_in(region, cells):
        if rest := cells[row, column].text[MAX_CELL_CHARS:].strip():
            builder.add(rest, "paragraph", sheet=sheet.name, cells=cell_range(row, column, row, column))


def _cells_of(cells: object) -> list[tuple[int, SourceCell]]:
    return list(cells.items()) if isinstance(cells, dict) else []


def _hidden_notes(sheet: SheetCells) -> list[str]:
    notes = ["hidden sheet"] if sheet.is_hidden else []
    if sheet.hidden_rows:
        notes.append(f"hidden rows: {_list_some([str(row + 1) for row in sheet.hidden_rows])}")
    if sheet.hidden_columns:
        notes.append(f"hidden columns: {_list_some([column_name(column) for column in sheet.hidden_columns])}")
    return notes


def _list_some(names: list[str]) -> str:
    more = f" and {len(names) - MAX_LISTED:,} more" if len(names) > MAX_LISTED else ""
    return ", ".join(names[:MAX_LISTED]) + more


def _places_in(region: Region, cells: Cells) -> list[tuple[int, int]]:
    """The places of the region's cells, row by row."""
    return _places_of(range(region.top, region.bottom + 1), region, cells)


def _places_of(rows: Collection[int], region: Region, cells: Cells) -> list[tuple[int, int]]:
    """The places of the cells in these rows and the region's columns, row by row."""
    columns = range(region.left, region.right + 1)
    if len(rows) * len(columns) < len(cells):  # a sheet of many tables is not looked through for each of them
        return [(row, column) for row in sorted(rows) for column in columns if (row, column) in cells]
    return sorted((row, column) for row, column in cells if row in rows and column in columns)


def _region_text(region: Region, cells: Cells) -> str:
    """A line a cell; two that stand side by side in a row of their own, a number and a title, make one.

    A mark before a title says nothing.
    """
    separator = " " if region.n_rows == 1 and region.n_columns == 2 else "\n"
    texts = [cells[place].text.strip() for place in _places_in(region, cells)]
    return separator.join([text for text in texts if any(map(str.isalnum, text))] or texts)


def _add_text(builder: DocumentBuilder, sheet: SheetCells, region: Region, cells: Cells) -> None:
    place = cell_range(region.top, region.left, region.bottom, region.right)
    builder.add(_region_text(region, cells), "paragraph", sheet=sheet.name, cells=place)


def _add_table(
    builder: DocumentBuilder, sheet: SheetCells, found: TableRegion, cells: Cells, hidden: list[str]
) -> None:
    region = found.region
    for caption in found.captions:
        _add_text(builder, sheet, caption, cells)
    rows = _said_rows(found, cells)
    grid_cells = _grid_cells(cells, region, sheet.merges, {row: place for place, row in enumerate(rows)})
    grid = Grid(
        len(rows),
        region.n_columns,
        grid_cells,
        Locator((0, 0), sheet=sheet.name, cells=cell_range(region.top, region.left, region.bottom, region.right)),
        caption=_caption(found, cells),
        notes=(*(_region_text(note, cells) for note in found.notes), *hidden),
        total_rows=len(rows),
    )
    _add_grid(builder, grid, region)
    _add_long_texts(builder, sheet, cells, region)
    for note in found.notes:
        _add_text(builder, sheet, note, cells)


def _said_rows(found: TableRegion, cells: Cells) -> list[int]:
    """The table's rows without those of unticked boxes alone, of lines that nobody filled in: no label stands there,
    where other rows have one.
    """
    by_row = {row: row_of(row, found.region, cells) for row in found.rows}
    unticked = {row for row, said in by_row.items() if {cell.text.strip() for cell in said.values()} == {UNTICKED}}
    labelled = {row for row, said in by_row.items() if found.region.left in said}
    return [row for row in found.rows if row not in unticked - labelled or not labelled - unticked]


def _caption(found: TableRegion, cells: Cells) -> str:
    """The caption's lines, in the first of them what the blocks of a sheet share before what is the block's own."""
    own, shared = (_caption_lines(regions, cells) for regions in (found.captions, found.titles))
    if own and shared:
        return "\n".join([f"{shared[0].rstrip(': ')}: {own[0]}", *own[1:], *shared[1:]])
    return "\n".join(own or shared)


def _caption_lines(regions: Sequence[Region], cells: Cells) -> list[str]:
    """The lines of these texts; a first one with a colon behind it is a key, and the next one what it says."""
    lines = [line for region in regions for line in _region_text(region, cells).splitlines()]
    is_key = len(lines) > 1 and lines[0].endswith(":") and not lines[1].endswith(":")
    return [f"{lines[0]} {lines[1]}", *lines[2:]] if is_key else lines


def _add_sampled(builder: DocumentBuilder, sheet: SheetCells, hidden: list[str]) -> None:
    """A sheet too long to keep whole is one table: its first rows, a spread sample, and profiles over all rows."""
    kept = sheet.sampler.rows
    cells = {(row.index, column): cell for row in kept for column, cell in _cells_of(row.cells)}
    place_of = {row.index: place for place, row in enumerate(kept)}
    region = Region(kept[0].index, 0, kept[-1].index, sheet.sampler.n_columns - 1)
    merges = [merge for merge in sheet.merges if merge[0] in place_of and merge[2] in place_of]
    grid = Grid(
        len(kept),
        region.n_columns,
        _grid_cells(cells, region, merges, place_of),
        Locator((0, 0), sheet=sheet.name, cells=cell_range(region.top, region.left, region.bottom, region.right)),
        notes=tuple(hidden),
        total_rows=sheet.sampler.n_rows,
        profiles=sheet.sampler.profiles(place_of),
        row_lines=sheet.sampler.lines,
    )
    builder.warnings.append(f"sheet {sheet.name}: {sheet.sampler.note}")
    _add_grid(builder, grid, region)
    _add_long_texts(builder, sheet, cells, region)


def _grid_cells(cells: Cells, region: Region, merges: list[Merge], place_of: dict[int, int]) -> tuple[GridCell, ...]:
    spans = {(top, left): (bottom - top + 1, right - left + 1) for top, left, bottom, right in merges}
    made: list[GridCell] = []
    for row, column in _places_of(place_of.keys(), region, cells):
        cell = cells[row, column]
        row_span, column_span = spans.get((row, column), (1, 1))
        made.append(
            GridCell(
                place_of[row],
                column - region.left,
                cell.text[:MAX_CELL_CHARS],
                min(row_span, region.bottom - row + 1),
                min(column_span, region.right - column + 1),
                cell.number,
                cell.is_percent,
                cell.is_date,
                False,
                cell.bold,
                cell.indent,
                f"{column_name(column)}{row + 1}",
            )
        )
    made += [
        GridCell(
            place_of[row],
            column - region.left,
            "",
            min(row_span, region.bottom - row + 1),
            min(column_span, region.right - column + 1),
        )
        for (row, column), (row_span, column_span) in spans.items()
        if row_span > 1 and (row, column) not in cells and row in place_of and region.left <= column <= region.right
    ]  # a corner without text, too, says how deep the headers are
    return tuple(sorted(made, key=lambda cell: (cell.row, cell.column)))


def _add_grid(builder: DocumentBuilder, grid: Grid, region: Region) -> None:
    """The grid as one block, or as several that share the first column where it is very wide."""
    for columns, cells in split_wide(grid.n_columns, grid.cells):
        part, place = grid, grid.locator
        if not isinstance(columns, range):
            profiles = tuple(
                replace(grid.profiles[c], index=i) for i, c in enumerate(columns) if c < len(grid.profiles)
            )
            left, right = region.left + columns[1], region.left + columns[-1]
            place = replace(place, cells=cell_range(region.top, left, region.bottom, right))
            row_lines = grid.row_lines if columns[1] == 1 else ()  # once, though the table becomes several grids
            part = replace(
                grid, n_columns=len(columns), cells=cells, profiles=profiles, locator=place, row_lines=row_lines
            )
        builder.add(raw_text(part), "table", grid=part, sheet=place.sheet, cells=place.cells)
