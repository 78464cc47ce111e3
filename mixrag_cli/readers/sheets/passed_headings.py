"""Headings that are said once and name the tables below as well: periods at the head of a sheet, say."""

from __future__ import annotations

from dataclasses import replace

from mixrag_cli.readers.sheets.areas import (
    Cells,
    Region,
    TableRegion,
    figures,
    heading_rows,
    heads,
    is_heading_only,
    places,
)
from mixrag_cli.readers.sheets.workbook import MAX_COLUMNS

MOST = 0.9  # of the figures below headings; set by judgement, as
MIN_LISTED = 3  # columns below the headings of a list


def pass_headings_down(found: list[TableRegion | Region], cells: Cells) -> list[TableRegion | Region]:
    """Give tables without headings those of the last table above that has some, where they name its figures.

    Its title is theirs, too, where they have none, or one that stands farther in.

    So are periods named once at the head of a sheet, above one block of rows after the other. A band of nothing but
    headings goes, with its captions, to the first table below it.
    """
    passed: list[TableRegion | Region] = []
    last: TableRegion | None = None
    headings = range(0)
    for each in found:
        if isinstance(each, TableRegion) and (own := heading_rows(each.region, cells)):
            last, headings = each, own
        elif isinstance(each, TableRegion) and last is not None and _is_named_by(last, headings, each.region, cells):
            if passed[-1] is last and is_heading_only(last.region, cells):
                each = replace(each, captions=(*last.captions, *_around(last.region, headings), *each.captions))
                passed.pop()
            is_open = not each.captions or _left(each.captions, cells) > _left(last.captions, cells)
            each = replace(each, headings=headings, titles=each.titles or (last.captions if is_open else ()))
        passed.append(each)
    return passed


def _left(captions: tuple[Region, ...], cells: Cells) -> int:
    """The column in which a title begins, marks before it aside; far to the right where there is none."""
    said = [place for title in captions[:1] for place in places(title) if place in cells]
    return min((column for row, column in said if any(map(str.isalnum, cells[row, column].text))), default=MAX_COLUMNS)


def _around(region: Region, rows: range) -> list[Region]:
    """What of a region stands above and below some of its rows."""
    above, below = replace(region, bottom=rows.start - 1), replace(region, top=rows.stop)
    return [part for part in (above, below) if part.top <= part.bottom]


def _is_named_by(upper: TableRegion, headings: range, region: Region, cells: Cells) -> bool:
    """Whether rows of labels and figures stand below a table, the figures below its headings, or more rows of its list.

    A figure in ten may stand elsewhere: sheets have jottings beside their tables.
    """
    held = [place for place in places(region) if place in cells]
    counted = figures(region, cells)
    columns = {column for _, column in counted}
    first = min((row for row, column in held if column in columns), default=0)
    is_headed = all(row != first for row, _ in counted) or heads(region, cells)
    if upper.region.bottom >= region.top or is_headed or not columns:
        return False
    sides = range(min(upper.region.left, region.left), max(upper.region.right, region.right) + 1)
    named = {column for row in headings for column in sides if (row, column) in cells}
    labelled = {row for row, column in held if column < min(columns)}
    with_figures = {row for row, _ in counted}
    is_labelled = len(columns) > 1 and 2 * len(labelled & with_figures) > len(with_figures)
    n_named = sum(column in named for _, column in counted)
    listed = {column for _, column in held if column >= min(named)}
    is_listed = len(listed) >= MIN_LISTED and listed <= named and upper.region.left <= region.left
    return is_listed or (is_labelled and n_named >= MOST * len(counted))
