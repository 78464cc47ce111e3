"""Where the tables of a sheet are: regions apart by blank rows and columns, with the texts around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from mixrag_cli.readers.sheets.sampling import SourceCell
from mixrag_cli.readers.sheets.workbook import MAX_COLUMNS

MAX_CAPTION_GAP = 2  # blank rows between a title and its table
MAX_GAP = 1  # blank rows within a table
MAX_NAMED_GAP = 4  # where its columns are named above, and what follows names none of its own
MAX_HEADING_ROWS = 4  # of a band that holds nothing but headings
MAX_DEPTH = 8  # cuts within cuts; real sheets need three
LONG_TEXT_CHARS = 60
MAX_TITLED_ROWS = 6  # of a title with the headings below it
MAX_TITLE_NUMBER_CHARS = 4  # of the number beside a title
MISSING = re.compile(r"^(?:[-–—.…*x]+|n\W?/?\W?[ad]\W?|none|nil)$", re.IGNORECASE)  # where a figure would stand

Cells = Mapping[tuple[int, int], SourceCell]
Merge = tuple[int, int, int, int]


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

    headings: rows of the sheet further up that name its columns, where it has none of its own.
    """

    region: Region
    captions: tuple[Region, ...] = ()
    notes: tuple[Region, ...] = ()
    headings: range = range(0)

    @property
    def rows(self) -> list[int]:
        """The rows of the sheet that make it up, its headings first."""
        return [*self.headings, *range(self.region.top, self.region.bottom + 1)]


def find_regions(cells: Cells, merges: list[Merge]) -> list[TableRegion | Region]:
    """Tables and loose texts of a sheet in reading order.

    A region of one column without numbers is text: the caption of the table below it, else a note of the one above,
    else a paragraph of its own.
    """
    by_row = _columns_by_row(cells, merges)
    if not by_row:
        return []
    regions = [_shrink(region, by_row) for region in _cut(_bounds(by_row), by_row, cells, 0)]
    return _pass_headings_down(_bind_texts(sorted(regions, key=lambda region: (region.top, region.left)), cells), cells)


def _columns_by_row(cells: Cells, merges: list[Merge]) -> dict[int, set[int]]:
    by_row: dict[int, set[int]] = {}
    for row, column in cells:
        by_row.setdefault(row, set()).add(column)
    for top, left, bottom, right in merges:
        if (top, left) in cells and (bottom - top + 1) * (right - left + 1) <= MAX_COLUMNS:
            for row in range(top, bottom + 1):
                by_row.setdefault(row, set()).update(range(left, right + 1))
    return by_row


def _bounds(by_row: Mapping[int, set[int]]) -> Region:
    return Region(min(by_row), min(map(min, by_row.values())), max(by_row), max(map(max, by_row.values())))


def _shrink(region: Region, by_row: Mapping[int, set[int]]) -> Region:
    inside = dict(_rows_inside(region, by_row))
    return _bounds(inside) if inside else region


def _rows_inside(region: Region, by_row: Mapping[int, set[int]]) -> Iterator[tuple[int, set[int]]]:
    for row in sorted(by_row):
        if region.top <= row <= region.bottom:
            columns = {column for column in by_row[row] if region.left <= column <= region.right}
            if columns:
                yield row, columns


def _cut(region: Region, by_row: Mapping[int, set[int]], cells: Cells, depth: int) -> list[Region]:
    """Cut at blank rows, then each piece at blank columns, and so on within the pieces."""
    inside = dict(_rows_inside(region, by_row))
    if not inside or depth > MAX_DEPTH:
        return [region] if inside else []
    bands = _join_bands([_band(run, inside) for run in _runs(sorted(inside))], cells)
    pieces: list[Region] = []
    for band in bands:
        columns = {column for row in range(band.top, band.bottom + 1) for column in inside.get(row, ())}
        parts = [Region(band.top, run[0], band.bottom, run[1]) for run in _runs(sorted(columns))]
        joined = _join_parts(parts, cells)
        if len(joined) == 1:
            pieces.append(joined[0])
        else:
            pieces += [piece for part in joined for piece in _cut(part, by_row, cells, depth + 1)]
    return pieces


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers as (first, last)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _band(run: tuple[int, int], inside: Mapping[int, set[int]]) -> Region:
    rows = [inside[row] for row in range(run[0], run[1] + 1)]
    return Region(run[0], min(map(min, rows)), run[1], max(map(max, rows)))


def _join_bands(bands: list[Region], cells: Cells) -> list[Region]:
    """Blank rows inside one table: a band that goes on with data under the columns of the band above belongs to it."""
    joined: list[Region] = []
    previous: Region | None = None  # the band above as it was before joining
    for band, following in zip_longest(bands, bands[1:]):
        upper = joined[-1] if joined else None
        is_spaced = previous is not None and previous != upper and previous.n_rows == 1
        if upper is not None and (
            _continues(upper, band, cells)
            or (is_spaced and following is not None and _is_empty_row(upper, band, following, cells))
        ):
            left, right = min(upper.left, band.left), max(upper.right, band.right)
            joined[-1] = Region(upper.top, left, band.bottom, right)
        else:
            joined.append(band)
        previous = band
    return joined


def _is_empty_row(upper: Region, band: Region, following: Region, cells: Cells) -> bool:
    """Whether a band is a label without figures between rows of a table that leaves a blank row after each row."""
    is_label = (band.n_rows, band.n_columns, band.left) == (1, 1, upper.left) and band.top - upper.bottom <= 2
    reached = Region(upper.top, upper.left, band.bottom, upper.right)
    return is_label and following.n_rows == 1 and _continues(reached, following, cells)


def _continues(upper: Region, lower: Region, cells: Cells) -> bool:
    n_blank = lower.top - upper.bottom - 1
    goes_on = lower.left == upper.left and _has_headings(upper, cells) and not _has_headings(lower, cells)
    if upper.n_columns < 2 or n_blank > (MAX_NAMED_GAP if goes_on else MAX_GAP):
        return False
    if _is_titled_heading(upper, lower, cells):
        return True
    if _is_heading_only(upper, cells) and _is_headed(lower, upper, cells):
        return True
    if lower.left < upper.left or lower.right > upper.right:
        return False
    if _heads(upper, cells) and _heads(lower, cells):
        return False
    for row in range(lower.top, min(lower.bottom, lower.top + MAX_TITLED_ROWS) + 1):
        filled = _texts_of_row(row, lower, cells)
        if len(filled) > 1 and not all(MISSING.match(cell.text.strip()) for cell in filled[1:]):
            return any(is_figure(cell) for cell in filled[1:])
    return False


def _is_headed(lower: Region, upper: Region, cells: Cells) -> bool:
    """Whether a band stands below headings: within their columns, or with labels on their left and most figures below.

    Example: years over B to F, a blank row, then labels in A, figures in B to F and a check of some of them in H.
    """
    if upper.left <= lower.left and lower.right <= upper.right:
        return True
    figures = [column for row, column in _places(lower) if (cell := cells.get((row, column))) and is_figure(cell)]
    below = sum(upper.left <= column <= upper.right for column in figures)
    return lower.left == upper.left - 1 and _has_labels(lower, cells) and below * 2 > len(figures)


def _has_headings(region: Region, cells: Cells) -> bool:
    """Whether a row above the first figures holds texts or years in several columns beside the labels."""
    return bool(_heading_rows(region, cells))


def _heading_rows(region: Region, cells: Cells) -> range:
    """The rows from the first such row down to the first figures; none without it, or where no figures stand near."""
    first = None
    for row in range(region.top, min(region.bottom, region.top + MAX_TITLED_ROWS) + 1):
        found = _texts_of_row(row, region, cells)
        if any(map(is_figure, found)):
            return range(first, row) if first is not None else range(0)
        if first is None and sum(cell is not cells.get((row, region.left)) for cell in found) > 1:
            first = row
    return range(first, min(region.bottom, first + MAX_HEADING_ROWS - 1) + 1) if first is not None else range(0)


def _heads(region: Region, cells: Cells) -> bool:
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


def _is_heading_only(region: Region, cells: Cells) -> bool:
    """Whether a band holds short texts in several columns and no figures: header rows above a blank line."""
    found = [cells[row, column] for row, column in _places(region) if (row, column) in cells]
    is_short = all(len(cell.text) <= LONG_TEXT_CHARS for cell in found)
    return (
        region.n_rows <= MAX_HEADING_ROWS and len(found) > 1 and is_short and not any(is_figure(cell) for cell in found)
    )


def _is_titled_heading(upper: Region, lower: Region, cells: Cells) -> bool:
    """Whether a band is a title and, below it, headings in several columns, all texts, above a row that heads as well.

    The title may have its number beside it.
    """
    if not 2 < upper.n_rows <= MAX_TITLED_ROWS:
        return False
    rows = [_texts_of_row(row, upper, cells) for row in range(upper.top, upper.bottom + 1)]
    first, *others = rows
    is_title = len(first) == 1 or (len(first) == 2 and len(first[0].text) <= MAX_TITLE_NUMBER_CHARS)
    below = _texts_of_row(lower.top, lower, cells)
    headings = [cell for row in others for cell in row]
    return (
        is_title
        and lower.left <= upper.left
        and upper.right <= lower.right
        and len(rows[-1]) > 1
        and len(below) > 1
        and not any(is_figure(cell) or len(cell.text) > LONG_TEXT_CHARS for cell in (*headings, *below))
    )


def _texts_of_row(row: int, region: Region, cells: Cells) -> list[SourceCell]:
    return [cell for column in range(region.left, region.right + 1) if (cell := cells.get((row, column)))]


def is_figure(cell: SourceCell) -> bool:
    """Whether a cell holds a number that is no year: what stands below headings."""
    text = cell.text.strip()
    if cell.is_date or (len(text) == 4 and text.isdigit() and text[:2] in ("18", "19", "20")):
        return False
    return cell.number is not None or (any(ch.isdigit() for ch in text) and not any(ch.isalpha() for ch in text))


def _join_parts(parts: list[Region], cells: Cells) -> list[Region]:
    """Blank columns inside one table: a part without labels of its own belongs to the part on its left."""
    joined: list[Region] = []
    for part in parts:
        left = joined[-1] if joined else None
        if left is not None and not (left.n_columns > 1 and part.n_columns > 1 and _stands_alone(part, left, cells)):
            joined[-1] = Region(left.top, left.left, left.bottom, part.right)
        else:
            joined.append(part)
    return joined


def _stands_alone(part: Region, left: Region, cells: Cells) -> bool:
    """Whether a part has labels of its own, or its figures stand in other rows than those of the part on its left."""
    if _has_labels(part, cells):
        return True
    own, others = _figure_rows(part, cells), _figure_rows(left, cells)
    return bool(own) and len(others) > 1 and not own & others


def _figure_rows(region: Region, cells: Cells) -> set[int]:
    return {row for row, column in _places(region) if (cell := cells.get((row, column))) and is_figure(cell)}


def _has_labels(region: Region, cells: Cells) -> bool:
    """Whether most of the first column's cells below the first row are texts."""
    column = [cell for row in range(region.top + 1, region.bottom + 1) if (cell := cells.get((row, region.left)))]
    texts = sum(any(ch.isalpha() for ch in cell.text) and cell.number is None for cell in column)
    return bool(column) and texts * 2 > len(column)


def _places(region: Region) -> Iterator[tuple[int, int]]:
    for row in range(region.top, region.bottom + 1):
        for column in range(region.left, region.right + 1):
            yield row, column


def _is_text(region: Region, cells: Cells) -> bool:
    """Whether a region is prose: one filled cell a row at most, and no row of it a label with figures."""
    if region.n_rows > 50:
        return False
    for row in range(region.top, region.bottom + 1):
        filled = [
            column for column in range(region.left, min(region.right, region.left + 200) + 1) if (row, column) in cells
        ]
        if len(filled) > 1 or any(is_figure(cells[row, column]) for column in filled):
            return False
    return True


def _bind_texts(regions: list[Region], cells: Cells) -> list[TableRegion | Region]:
    texts = [region for region in regions if _is_text(region, cells)]
    tables = [region for region in regions if region not in texts]
    captions: dict[Region, list[Region]] = {table: [] for table in tables}
    notes: dict[Region, list[Region]] = {table: [] for table in tables}
    loose: list[Region] = []
    for text in reversed(texts):  # from below, so that a second title line finds the first already bound
        below = next((t for t in tables if _stands_above(text, captions[t][-1] if captions[t] else t)), None)
        above = next((t for t in reversed(tables) if t.bottom < text.top and _overlaps(t, text)), None)
        if below is not None:
            captions[below].append(text)
        elif above is not None:
            notes[above].append(text)
        else:
            loose.append(text)
    bound: list[TableRegion | Region] = [
        TableRegion(table, tuple(reversed(captions[table])), tuple(reversed(notes[table]))) for table in tables
    ]
    return sorted([*bound, *loose], key=_order)


def _pass_headings_down(found: list[TableRegion | Region], cells: Cells) -> list[TableRegion | Region]:
    """Give tables without headings those of the last table above that has some, where they name its figures.

    So are periods named once at the head of a sheet, above one block of rows after the other. A band of nothing but
    headings goes, with its captions, to the first table below it.
    """
    passed: list[TableRegion | Region] = []
    last: TableRegion | None = None
    headings = range(0)
    for each in found:
        if isinstance(each, TableRegion) and (own := _heading_rows(each.region, cells)):
            last, headings = each, own
        elif isinstance(each, TableRegion) and last is not None and _is_named_by(last, headings, each.region, cells):
            if passed[-1] is last and _is_heading_only(last.region, cells):
                each = replace(each, captions=(*last.captions, *each.captions))
                passed.pop()
            each = replace(each, headings=headings)
        passed.append(each)
    return passed


def _is_named_by(upper: TableRegion, headings: range, region: Region, cells: Cells) -> bool:
    """Whether rows of labels and figures stand below a table, each column of figures below one of its headings."""
    held = [place for place in _places(region) if place in cells]
    figures = [place for place in held if is_figure(cells[place])]
    columns = {column for _, column in figures}
    first = min((row for row, column in held if column in columns), default=0)
    is_headed = all(row != first for row, _ in figures) or _heads(region, cells)
    if upper.region.bottom >= region.top or is_headed or len(columns) < 2:
        return False
    labelled = {row for row, column in held if column < min(columns)}
    with_figures = {row for row, _ in figures}
    is_labelled = 2 * len(labelled & with_figures) > len(with_figures)
    return is_labelled and all(any((row, column) in cells for row in headings) for column in columns)


def _order(found: TableRegion | Region) -> tuple[int, int]:
    region = found.region if isinstance(found, TableRegion) else found
    return region.top, region.left


def _stands_above(text: Region, table: Region) -> bool:
    return 0 < table.top - text.bottom <= MAX_CAPTION_GAP + 1 and _overlaps(table, text)


def _overlaps(first: Region, second: Region) -> bool:
    return first.left <= second.right and second.left <= first.right
