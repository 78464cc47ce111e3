"""Where the tables of a sheet are: regions apart by blank rows and columns, with the texts around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest

from mixrag_cli.readers.sheets.areas import (
    LONG_TEXT_CHARS,
    MAX_TITLED_ROWS,
    MISSING,
    Cells,
    Region,
    TableRegion,
    figures,
    has_headings,
    has_labels,
    heads,
    is_figure,
    is_heading_only,
    is_keyed,
    row_of,
    texts_of_row,
)
from mixrag_cli.readers.sheets.beside import join_parts
from mixrag_cli.readers.sheets.continued import are_records_below
from mixrag_cli.readers.sheets.passed_headings import pass_headings_down
from mixrag_cli.readers.sheets.stacked import (
    cut_form_head,
    cut_numbered_title,
    cut_settings,
    cut_stacked,
    is_numbered_title,
)
from mixrag_cli.readers.sheets.totals import sums_up
from mixrag_cli.readers.sheets.workbook import MAX_COLUMNS

MAX_CAPTION_GAP = 2  # blank rows between a title and its table
MAX_TITLE_GAP = 5  # between the title of a sheet and its first table
MAX_GAP = 1  # blank rows within a table
MAX_NAMED_GAP = 4  # where its columns are named above, and what follows names none of its own
MAX_DEPTH = 8  # cuts within cuts; real sheets need three
MIN_KEYS = 3  # of a band that says keys with their values; set by judgement
KEY_AND_VALUE = 2
MAX_TITLE_NUMBER_CHARS = 4  # of the number beside a title

Merge = tuple[int, int, int, int]


def find_regions(cells: Cells, merges: list[Merge]) -> list[TableRegion | Region]:
    """Tables and loose texts of a sheet in reading order.

    A region of one column without numbers is text: the caption of the table below it, else a note of the one above,
    else a paragraph of its own.
    """
    by_row = _columns_by_row(cells, merges)
    if not by_row:
        return []
    pieces = _cut(_bounds(by_row), by_row, cells, 0)
    parts = [
        _shrink(part, by_row)
        for piece in pieces
        for form in cut_form_head(piece, cells)
        for below in cut_numbered_title(form, cells)
        for part in cut_settings(below, cells)
    ]
    stacks = [
        [replace(block, region=_shrink(block.region, by_row)) for block in cut_stacked(part, cells)] for part in parts
    ]
    named = {block.region: block for blocks in stacks for block in blocks}
    bound = _bind_texts(sorted(named, key=lambda region: (region.top, region.left)), cells)
    titles = {each.region: each.captions for each in bound if isinstance(each, TableRegion)}
    shared = {block.region: titles.get(blocks[0].region, ()) for blocks in stacks for block in blocks[1:]}
    return pass_headings_down([_name(each, named, shared) for each in bound], cells)


def _name(
    found: TableRegion | Region,
    named: Mapping[Region, TableRegion],
    shared: Mapping[Region, tuple[Region, ...]],
) -> TableRegion | Region:
    if isinstance(found, Region):
        return found
    block = named[found.region]
    captions = (*found.captions, *block.captions)
    return replace(found, captions=captions, headings=block.headings, titles=shared.get(found.region, ()))


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
        joined = join_parts(parts, cells)
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
            or sums_up(upper, band, cells)
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
    goes_on = lower.left == upper.left and has_headings(upper, cells) and not has_headings(lower, cells)
    if upper.n_columns < 2 or n_blank > MAX_NAMED_GAP:
        return False
    if _is_keyed_apart(upper, lower, cells):
        return False
    if are_records_below(upper, lower, cells):
        return True
    if n_blank > MAX_GAP and not goes_on:
        return False
    if _is_titled_heading(upper, lower, cells):
        return True
    if is_heading_only(upper, cells) and _is_headed(lower, upper, cells):
        return not (_are_titles(upper, cells) and has_headings(lower, cells))
    if lower.left < upper.left or lower.right > upper.right:
        return False
    if heads(upper, cells) and heads(lower, cells):
        return False
    for row in range(lower.top, min(lower.bottom, lower.top + MAX_TITLED_ROWS) + 1):
        filled = texts_of_row(row, lower, cells)
        if len(filled) > 1 and not all(MISSING.match(cell.text.strip()) for cell in filled[1:]):
            return any(is_figure(cell) for cell in filled[1:])
    return False


def _is_keyed_apart(upper: Region, lower: Region, cells: Cells) -> bool:
    """Whether a band says keys with a colon, each with its value where no figures stand above: what a list is of and
    how many it has, below it. Sums stand below their figures.
    """
    rows = [row for at in range(lower.top, lower.bottom + 1) if (row := row_of(at, lower, cells))]
    if len(rows) < MIN_KEYS or any(len(row) != KEY_AND_VALUE for row in rows):
        return False
    columns = {column for _, column in figures(replace(upper, top=upper.top + 1), cells)}
    are_keys = all(row[min(row)].text.rstrip().endswith(":") for row in rows)
    return are_keys and not any(max(row) in columns for row in rows)


def _is_headed(lower: Region, upper: Region, cells: Cells) -> bool:
    """Whether a band stands below headings: within their columns, or with labels on their left and most figures below.

    Example: years over B to F, a blank row, then labels in A, figures in B to F and a check of some of them in H; or
    labels further left, of which one may name all rows, and figures below the headings alone.
    """
    if upper.left <= lower.left and lower.right <= upper.right:
        return True
    if lower.left < upper.left and upper.right <= lower.right and is_heading_only(lower, cells):
        return _stands_over_names(upper, lower, cells)
    columns = [column for _, column in figures(lower, cells)]
    below = sum(upper.left <= column <= upper.right for column in columns)
    is_beside = lower.left == upper.left - 1 or lower.left < upper.left <= min(columns, default=0)
    labels = [cell for row in range(lower.top, lower.bottom + 1) if (cell := cells.get((row, lower.left)))]
    is_labelled = has_labels(lower, cells) or (len(labels) == 1 and not is_figure(labels[0]))
    return is_beside and is_labelled and below * 2 > len(columns)


def _stands_over_names(upper: Region, lower: Region, cells: Cells) -> bool:
    """Whether each of several texts in a row, none "Site:", stands over a name of the row below a blank line."""
    over = {row: _filled(row, upper, cells) for row in range(upper.top, upper.bottom + 1)}
    if any(cells[row, column].text.rstrip().endswith(":") for row, columns in over.items() for column in columns):
        return False
    named = set(_filled(lower.top, lower, cells))
    return all(len(columns) > 1 and named.issuperset(columns) for columns in over.values() if columns)


def _is_titled_heading(upper: Region, lower: Region, cells: Cells) -> bool:
    """Whether a band is a title and, below it, headings in several columns, all texts, above a row that heads as well.

    The title may have its number beside it.
    """
    if not 2 < upper.n_rows <= MAX_TITLED_ROWS or is_keyed(upper, cells):
        return False
    rows = [texts_of_row(row, upper, cells) for row in range(upper.top, upper.bottom + 1)]
    first, *others = rows
    is_title = len(first) == 1 or (len(first) == 2 and len(first[0].text) <= MAX_TITLE_NUMBER_CHARS)
    below = texts_of_row(lower.top, lower, cells)
    headings = [cell for row in others for cell in row]
    return (
        is_title
        and lower.left <= upper.left
        and upper.right <= lower.right
        and len(rows[-1]) > 1
        and len(below) > 1
        and not any(is_figure(cell) or len(cell.text) > LONG_TEXT_CHARS for cell in (*headings, *below))
    )


def _is_text(region: Region, cells: Cells, below: Region | None) -> bool:
    """Whether a region is prose: one filled cell a row at most, and no row of it a label with figures; or titles."""
    if _is_marked_heading(region, cells) or (below is not None and is_numbered_title(region, below, cells)):
        return True
    if region.n_rows > 50:
        return False
    for row in range(region.top, region.bottom + 1):
        filled = _filled(row, region, cells)
        if any(is_figure(cells[row, column]) for column in filled):
            return False
        if len(filled) > 1:
            return _are_titles(region, cells)
    return True


def _is_marked_heading(region: Region, cells: Cells) -> bool:
    """Whether its texts stand behind a mark without a letter, "·" or "•": the heading of the rows below."""
    marks = [cell.text for row in range(region.top, region.bottom + 1) if (cell := cells.get((row, region.left)))]
    return (
        region.n_columns == 2
        and region.n_rows <= MAX_TITLED_ROWS
        and not any(map(str.isalnum, "".join(marks)))
        and all((row, region.right) in cells for row in range(region.top, region.bottom + 1))
        and not figures(region, cells)
    )


def _filled(row: int, region: Region, cells: Cells) -> list[int]:
    return [column for column in range(region.left, min(region.right, region.left + 200) + 1) if (row, column) in cells]


def _are_titles(region: Region, cells: Cells) -> bool:
    """Whether texts stand at the left edge and some have another text at their side, each in a column of its own.

    A table has a column with a second cell below the first. A lone text right beside the left edge may be a heading.
    """
    if region.n_rows > MAX_TITLED_ROWS:
        return False
    rows = [filled for row in range(region.top, region.bottom + 1) if (filled := _filled(row, region, cells))]
    beside = [column for filled in rows for column in filled[1:]]
    return (
        all(filled[0] == region.left and len(filled) <= 2 for filled in rows)
        and 0 < len(set(beside)) == len(beside) < len(rows)
        and (len(beside) > 1 or beside[0] > region.left + 1)
        and not figures(region, cells)
    )


def _bind_texts(regions: list[Region], cells: Cells) -> list[TableRegion | Region]:
    texts = [region for region, below in zip_longest(regions, regions[1:]) if _is_text(region, cells, below)]
    tables = [region for region in regions if region not in texts]
    captions: dict[Region, list[Region]] = {table: [] for table in tables}
    notes: dict[Region, list[Region]] = {table: [] for table in tables}
    loose: list[Region] = []
    for text in reversed(texts):  # from below, so that a second title line finds the first already bound
        above = next((t for t in reversed(tables) if t.bottom < text.top and _overlaps(t, text)), None)
        gap = MAX_CAPTION_GAP if above else MAX_TITLE_GAP
        edges = {table: captions[table][-1] if captions[table] else table for table in tables}
        below = next((table for table, edge in edges.items() if _stands_above(text, edge, gap, cells)), None)
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


def _order(found: TableRegion | Region) -> tuple[int, int]:
    region = found.region if isinstance(found, TableRegion) else found
    return region.top, region.left


def _stands_above(text: Region, table: Region, gap: int, cells: Cells) -> bool:
    """gap: how many blank rows there may be between. Headings alone leave out the labels' column: the title's."""
    is_over = _overlaps(table, text) or (text.right < table.left and is_heading_only(table, cells))
    return 0 < table.top - text.bottom <= gap + 1 and is_over


def _overlaps(first: Region, second: Region) -> bool:
    return first.left <= second.right and second.left <= first.right
