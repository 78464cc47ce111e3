"""What a sheet says of itself right above the names of its columns: whose it is, of when and in which revision.

Bill of Materials
Name: Sensor Hub |        |       | Revision     | B
Author           | J. Doe |       | Date         | 2020-07-18
Number           | Part   | Value | Manufacturer | Quantity
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby

from mixrag_cli.readers.sheets.areas import Cells, Region, is_figure, row_of
from mixrag_cli.readers.sheets.sampling import SourceCell

MAX_HEAD_ROWS = 12  # of what a sheet says of itself; set by judgement, as
MIN_COLUMNS = 4  # of its table,
MIN_BELOW = 2  # its rows, of which most fill half of the columns and more,
TYPED = 0.5  # and of a column's cells, those with a figure or a date

Row = list[tuple[int, SourceCell]]  # the cells of a row with their columns


def cut_head(region: Region, cells: Cells) -> tuple[tuple[Region, ...], Region]:
    """What a region says of itself above the first row that fills all columns that are used from there on, cell by cell
    or a name with its value; and the region without it. () and the region where that row names no columns, or what is
    above may name groups, or more than half of the rows above say numbers: a table.
    """
    last = min(region.top + MAX_HEAD_ROWS, region.bottom - MIN_BELOW)
    heads = range(region.top + 1, last + 1) if region.n_columns >= MIN_COLUMNS else range(0)
    names = next((row for row in heads if _row(row, region, cells) and _fills_used(row, region, cells)), None)
    if names is None or not _names_columns(names, region, cells):
        return (), region
    head = [(row, found) for row in range(region.top, names) if (found := _row(row, region, cells))]
    if head and _may_name_groups(head[-1][1], region):
        names = head.pop()[0]
    said = {cell.text.strip() for _, found in head for _, cell in found}
    is_new = said.isdisjoint(cell.text.strip() for _, cell in _row(names, region, cells))
    is_head = is_new and all(2 * len(found) <= region.n_columns + 1 and _is_plain(found) for _, found in head)
    n_numbers = sum(any(cell.number is not None and not cell.is_date for _, cell in found) for _, found in head)
    if not is_head or not any(_names_value(found) for _, found in head) or 2 * n_numbers > len(head):
        return (), region
    return tuple(part for row, found in head for part in _parts(row, found)), replace(region, top=names)


def _row(row: int, region: Region, cells: Cells) -> Row:
    return [*row_of(row, region, cells).items()]


def _is_typed(cell: SourceCell) -> bool:
    return cell.is_date or is_figure(cell)


def _fills_used(row: int, region: Region, cells: Cells) -> bool:
    filled = {column for column, _ in _row(row, region, cells)}
    below = range(row + 1, region.bottom + 1)
    return all(column in filled for at in below for column, _ in _row(at, region, cells))


def _names_columns(row: int, region: Region, cells: Cells) -> bool:
    """Whether a row says a text of its own in each column, above rows that fill most, and figures or dates stand in one
    of them; or no row below reaches as far as those above.
    """
    names = _row(row, region, cells)
    texts = {cell.text.strip().casefold() for _, cell in names if cell.number is None}
    if not 1 < len(names) == len(texts) or not all(any(map(str.isalpha, text)) for text in texts):
        return False
    below = [found for at in range(row + 1, region.bottom + 1) if (found := _row(at, region, cells))]
    n_wide = sum(2 * len(found) >= len(names) for found in below)
    filled = Counter(column for found in below for column, _ in found)
    typed = Counter(column for found in below for column, cell in found if _is_typed(cell))
    is_headed = any(typed[column] >= TYPED * n for column, n in filled.items())
    return (is_headed or len(names) < region.n_columns) and 2 * n_wide > len(below)


def _may_name_groups(found: Row, region: Region) -> bool:
    """Whether a row says no value, and several texts or one that stands farther in: what the names below it are of."""
    return not _names_value(found) and (len(found) > 1 or found[0][0] > region.left)


def _is_plain(found: Row) -> bool:
    """Whether each value stands beside its name, or is the only one of the row and its last cell."""
    alone = [column for column, cell in found if _is_typed(cell) and not _is_named(column, found)]
    return not alone or alone == [found[-1][0]]


def _names_value(found: Row) -> bool:
    """Whether a row says a figure or a date, or a name with a colon beside something else: no mere title does."""
    return any(_is_typed(cell) for _, cell in found) or (len(found) > 1 and ":" in found[0][1].text)


def _is_named(column: int, found: Row) -> bool:
    return any(at == column - 1 and not _is_typed(cell) for at, cell in found)


def _parts(row: int, found: Row) -> list[Region]:
    """The cells of a row, two by two where they stand side by side: a name and its value."""
    runs = groupby(enumerate(column for column, _ in found), lambda place: place[1] - place[0])
    columns = [[column for _, column in run] for _, run in runs]
    return [Region(row, run[at], row, run[at : at + 2][-1]) for run in columns for at in range(0, len(run), 2)]
