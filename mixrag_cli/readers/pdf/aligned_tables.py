"""Lines of a page to tables without rulings: rows by baseline, columns by alignment, headers with their spans.

    lines ─► pieces ─► groups of rows ─► column bands ─► header cells ─► Lattice

A row is a line whose words fall into pieces parted by wide gaps. Columns are the bands that the body's pieces
leave free of each other. Header texts above get the columns that their underline, or else their centre, covers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from statistics import median

from mixrag_cli.readers.pdf.header_cells import header_entries, set_levels
from mixrag_cli.readers.pdf.header_lines import ROW_GAP, header_above, with_empty_columns
from mixrag_cli.readers.pdf.lattice import Lattice
from mixrag_cli.readers.pdf.layout import Line, merge_boxes
from mixrag_cli.readers.pdf.page import Rule
from mixrag_cli.readers.pdf.pieces import (
    ALIGN_POINTS,
    DIGIT,
    YEAR,
    Band,
    Piece,
    Row,
    bands_of_rows,
    clash_together,
    columns_of,
    is_figure,
    lines_to_rows,
    pieces_to_bands,
)
from mixrag_cli.readers.pdf.table_body import last_text, row_entries, wrapped_rows

LARGER = 1.12  # times the type size: as that of a heading in running text
MAX_LABEL_LINES = 3  # lines without figures between two rows of one table
HEADER_REACH = 10  # times the type size: how far above the figures a header's rulings may be
SECTION_GAP = 4.5  # of the type size: the widest blank above a further section of the same columns
SAME_EDGE = 4.0  # points: a figure's right edge may be off by a "%" or a parenthesis
MAX_HEADER_LINES = 8  # above the first row of figures or label
MIN_SHIFTED = 3  # rows on either side of a shift
SHIFTED_SHARE = 0.7  # of the pieces in a row: fewer column bands mean that two tables lie on each other
SAME_STEP = 1.2  # times the step of the rows above: how far below a last row of texts may stand
MIN_AXIS_MARKS = 5
PLAIN_NUMBER = re.compile(r"^-?\d+(?:\.\d+)?%?$")
ENTRY = re.compile(r"^(?:Item|Part|Note|Chapter|Section|Annex|Appendix|\d+\.)\s?\S", re.I)
DOTS = re.compile(r"\.{4,}|(?:\. ){4,}")


# --- groups of rows --------------------------------------------------------------------------------------------


def find_aligned_tables(lines: Sequence[Line], rules: Sequence[Rule], n_pages: int = 0) -> list[Lattice]:
    """The tables among the lines of one flow, top to bottom.

    rules: the page's horizontal rulings. n_pages: of the document, 0 where unknown; a table of contents points to none
    beyond.
    """
    rows = lines_to_rows(lines)
    tables: list[Lattice] = []
    floor = 0
    for start, end in _groups(rows):
        for first, last in _split_at_headers(rows, start, end):
            built = _build(rows, first, last, floor, rules, n_pages)
            if built is not None:
                table, floor = built
                tables.append(table)
    return tables


def _groups(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """[first, last] of runs of rows that hold figures in columns, with a few label lines between them."""
    index = 0
    while index < len(rows):
        if len(rows[index].pieces) < 2:
            index += 1
            continue
        last = index
        for ahead in range(index + 1, len(rows)):
            row, before = rows[ahead].line, rows[ahead - 1].line
            is_far = row.top - before.bottom > ROW_GAP * max(row.size, before.size)
            is_far = is_far or ahead - last > MAX_LABEL_LINES + 1
            if rows[ahead].is_prose or _is_title(rows[ahead], rows[last]):
                break
            if is_far and not _opens_section(rows, index, last, ahead):
                break
            if len(rows[ahead].pieces) > 1:
                last = ahead
        if last > index:
            yield index, last
        index = last + 1


def _is_title(row: Row, last: Row) -> bool:
    """Whether a lone text in larger type heads what follows: sections of a table are set in its own type.

    last: the last row with columns above it.
    """
    return len(row.pieces) == 1 and row.line.size > LARGER * last.line.size and not row.pieces[0].is_number


def _opens_section(rows: Sequence[Row], first: int, last: int, ahead: int) -> bool:
    """Whether label lines and then figures under those of the rows so far stand below a blank, or below many more label
    lines: a section of the table.

    first, last: of the rows with columns so far. ahead: the row below the blank.
    """
    size = rows[last].line.size
    data = next((at for at in range(ahead, min(ahead + 2, len(rows))) if rows[at].is_data), None)
    if data is None or rows[ahead].line.top - rows[ahead - 1].line.bottom > SECTION_GAP * size:
        return False
    labels, before = rows[last + 1 : data], next((row for row in reversed(rows[first : last + 1]) if row.is_data), None)
    if before is None or any(row.is_prose or len(row.pieces) > 1 or row.pieces[0].is_number for row in labels):
        return False
    ours, theirs = ([piece.x1 for piece in row.pieces[1:]] for row in (before, rows[data]))
    are_all_figures = all(piece.is_number for piece in (*before.pieces[1:], *rows[data].pieces[1:]))
    return (
        are_all_figures
        and len(ours) == len(theirs)
        and all(abs(a - b) < SAME_EDGE for a, b in zip(ours, theirs, strict=True))
        and abs(rows[data].line.size - before.line.size) < 0.5
    )


def _split_at_headers(rows: Sequence[Row], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Part a group where a new header stands below rows of figures: there the next table begins."""
    first = start
    left = min(rows[index].line.x0 for index in range(start, end + 1))
    seen_data = False
    for index in range(start, end + 1):
        row = rows[index]
        if seen_data and _is_header_like(row, left) and _opens_table(rows, index, end, left):
            yield from _split_at_shift(rows, first, index - 1)
            first, seen_data = index, False
        elif row.is_data and not _is_header_like(row, left):
            seen_data = True
    yield from _split_at_shift(rows, first, end)


def _split_at_shift(rows: Sequence[Row], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Part rows whose columns run into each other, at the widest blank: there the columns have shifted."""
    data = [row for row in rows[start : end + 1] if row.is_data]
    if len(data) > 2 * MIN_SHIFTED and not _is_contents(data):
        bands = bands_of_rows(data)
        inner = range(start + MIN_SHIFTED, end - MIN_SHIFTED + 1)
        at = max(inner, key=lambda index: rows[index].line.top - rows[index - 1].line.bottom)
        is_shifted = len(bands) < SHIFTED_SHARE * median(len(row.pieces) for row in data)
        upper, lower = (
            [row for row in rows[first:stop] if row.is_data] for first, stop in ((start, at), (at, end + 1))
        )
        if is_shifted or (min(len(upper), len(lower)) >= MIN_SHIFTED and clash_together(upper, lower)):
            yield from _split_at_shift(rows, start, at - 1)
            yield from _split_at_shift(rows, at, end)
            return
    yield start, end


def _opens_table(rows: Sequence[Row], index: int, end: int, left: float) -> bool:
    """Whether a blank stands above the header and figures stand below it."""
    gap = rows[index].line.top - rows[index - 1].line.bottom
    size = rows[index].line.size
    below = rows[index : end + 1]
    header = list(takewhile(lambda row: _is_header_like(row, left), below))
    stands_over_columns = len(header) > 1 or len(header[0].pieces) > 1
    return stands_over_columns and gap > 0.55 * size and any(row.is_data for row in below[len(header) :])


def _is_header_like(row: Row, left: float) -> bool:
    """Whether the row has no label and no figures but years: it can only be a header."""
    texts = [piece for piece in row.pieces if not YEAR.match(piece.text)]
    has_label = row.line.x0 < left + 5 * row.line.size
    if has_label:
        is_unit = row.pieces[0].text.startswith("(") and len(row.pieces) > 1
        return is_unit and not any(piece.is_amount for piece in row.pieces[1:])
    return all(not piece.is_number for piece in texts)


# --- one table -------------------------------------------------------------------------------------------------


def _build(
    rows: Sequence[Row], start: int, end: int, floor: int, rules: Sequence[Rule], n_pages: int
) -> tuple[Lattice, int] | None:
    """The table in rows [start, end], grown upward over its header; None where the rows are no table."""
    left = min(row.line.x0 for row in rows[start : end + 1])
    data = [index for index in range(start, end + 1) if rows[index].is_data and not _is_header_like(rows[index], left)]
    if data and _is_year_header(rows[data[0]]) and len(data) > 2:
        data = data[1:]
    if not data or all(map(_is_header_alone, rows[start : end + 1])):
        return None
    if not _has_figures([rows[index] for index in data], rows[start : data[0]]):
        return None
    size = median(rows[index].line.size for index in data)
    bands = pieces_to_bands((piece for index in data for piece in rows[index].pieces), size, len(data) // 25)
    shown = [rows[index] for index in data]
    if len(bands) < 2 or _is_contents(shown, n_pages) or _is_chart(rows[start : end + 1]):
        return None
    top, bottom = rows[data[0]].line.top - HEADER_REACH * size, rows[data[-1]].line.bottom + size
    bands = _widen_to_rules(bands, [rule for rule in rules if top < rule.at < bottom])
    first_body, header = header_above(rows, data[0], max(floor, start - MAX_HEADER_LINES), bands, rules)
    bands = with_empty_columns(bands, [rows[index] for index in header])
    header_cells = header_entries([rows[index] for index in header], bands, rules)
    n_levels = set_levels(header_cells)
    last = last_text(rows, _last_row(rows, data[-1], end, bands), bands, rules)
    groups = wrapped_rows(rows[first_body : last + 1], bands, rules)
    body = [entry for n, group in enumerate(groups) for entry in row_entries(group, bands, n_levels + n)]
    lines = [rows[index].line for index in (*header, *range(first_body, last + 1))]
    words, box = frozenset(word for line in lines for word in line.words), merge_boxes(line.box for line in lines)
    cells, n_rows = (*header_cells, *body), n_levels + len(groups)
    return Lattice(tuple(bands), cells, n_levels, n_rows, box, words, is_ruled=False), last + 1


def _last_row(rows: Sequence[Row], last: int, end: int, bands: Sequence[Band]) -> int:
    """The table's last row: below the last with figures, rows of texts go on that stand in its columns as closely.

    last: index of the last row with figures. end: of the last row with columns.
    """
    step = rows[last].line.baseline - rows[last - 1].line.baseline if last else 0.0
    while last < end:
        row = rows[last + 1]
        columns = [columns_of(piece, bands) for piece in row.pieces]
        stands = all(
            first == final and bands[first].overlap(piece.x0, piece.x1) > 0
            for piece, (first, final) in zip(row.pieces, columns, strict=True)
        )
        is_row = len(row.pieces) > 1 and len({first for first, _ in columns}) == len(columns) and columns[0][0] == 0
        if not (stands and is_row) or row.line.baseline - rows[last].line.baseline > SAME_STEP * step:
            break
        last += 1
    return last


def _widen_to_rules(bands: Sequence[Band], rules: Sequence[Rule]) -> list[Band]:
    """Bands as wide as the rulings over or under that one column alone: the cells' true edges."""
    widened: list[Band] = []
    for index, band in enumerate(bands):
        left = bands[index - 1].x1 if index else band.x0
        right = bands[index + 1].x0 if index + 1 < len(bands) else math.inf
        inner, outer = band.x0 + ALIGN_POINTS, band.x1 - ALIGN_POINTS
        own = [rule for rule in rules if index and left <= rule.start <= inner and outer <= rule.end <= right]
        x0 = min((rule.start for rule in own), default=band.x0)
        x1 = max((rule.end for rule in own), default=band.x1)
        widened.append(Band(min(x0, band.x0), max(x1, band.x1)))
    return widened


def _is_year_header(row: Row) -> bool:
    """Whether all the row's figures are years."""
    return all(YEAR.match(piece.text) for piece in row.pieces if piece.is_number)


def _is_header_alone(row: Row) -> bool:
    """Whether the row holds nothing but texts and years side by side, as the last line of a header does."""
    return len(row.pieces) == 1 or not any(piece.is_amount for piece in row.pieces)


def _has_figures(data: Sequence[Row], above: Sequence[Row]) -> bool:
    """Whether enough rows hold figures that stand under each other."""
    figures = [piece for row in data for piece in row.pieces if piece.is_number and DIGIT.search(piece.text)]
    if len(data) < 2:
        return len(figures) > 1 and any(len(row.pieces) > 1 for row in above)
    return any(sum(_are_aligned(piece, other) for other in figures) > 1 for piece in figures)


def _are_aligned(piece: Piece, other: Piece) -> bool:
    offsets = (piece.x1 - other.x1, piece.center - other.center, piece.x0 - other.x0)
    return min(map(abs, offsets)) < ALIGN_POINTS


def _is_contents(data: Sequence[Row], n_pages: int = 0) -> bool:
    """Whether the rows are a table of contents: titles, and page numbers that never fall.

    n_pages: of the document, beyond which none of them points; 0 where unknown.
    """
    ends = [row.pieces[-1].text for row in data]
    if any(sum(map(is_figure, (piece.text for piece in row.pieces[1:]))) > 1 for row in data):
        return False
    if sum(bool(DOTS.search(row.line.text)) for row in data) > 0.4 * len(data):
        return True
    n_titles = sum(not row.pieces[0].is_number for row in data)
    if 2 * n_titles < len(data) or not all(text.isdecimal() and len(text) < 4 for text in ends):
        return False
    pages = [int(text) for text in ends]
    if 0 < n_pages < pages[-1]:
        return False
    never_falls = all(before <= after for before, after in pairwise(pages))
    return never_falls and (pages[-1] > pages[0] or all(ENTRY.match(row.line.text) for row in data))


def _is_chart(rows: Sequence[Row]) -> bool:
    """Whether the first figures fall in equal steps, as along a chart's axis."""
    firsts = [number for row in rows if (number := _plain_number(row.pieces[0].text)) is not None]
    steps = {round(before - after, 6) for before, after in pairwise(firsts)}
    return len(firsts) >= MIN_AXIS_MARKS and len(steps) == 1 and min(steps) > 0 and len(firsts) > 0.4 * len(rows)


def _plain_number(text: str) -> float | None:
    """The value of a figure written with digits, a point or grouping commas and a minus; None for all else."""
    plain = text.replace(",", "").replace("−", "-")
    return float(plain.rstrip("%")) if PLAIN_NUMBER.match(plain) else None
