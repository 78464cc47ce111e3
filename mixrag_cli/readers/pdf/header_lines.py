"""The header above a table's figures: which lines belong to it, and the columns that it alone names."""

from __future__ import annotations

from collections.abc import Sequence

from mixrag_cli.readers.pdf.header_cells import find_underline
from mixrag_cli.readers.pdf.page import Rule
from mixrag_cli.readers.pdf.pieces import ALIGN_POINTS, Band, Piece, Row, columns_of

ROW_GAP = 2.6  # of the type size: a wider blank ends a table (an empty shaded row leaves 1.6)
SAME_SIZE = 0.5  # points
LARGER = 1.15  # times the type size of the headings and of the figures: a title above the headings
SAME_STEP = 0.2  # of the type size: how far apart the steps from a label to its figures may be
RULED_HEADER_GAP = 4.5  # of the type size: how far below its header a body may begin where a ruling lies between


def header_above(
    rows: Sequence[Row], body: int, floor: int, bands: Sequence[Band], rules: Sequence[Rule]
) -> tuple[int, list[int]]:
    """Index of the first body row, and the indices of the header rows above it."""
    first_body = body
    header: list[int] = []
    edge = bands[1].x0
    for index in range(body - 1, floor - 1, -1):
        row, below = rows[index], rows[index + 1]
        size = row.line.size
        gap = below.line.top - row.line.bottom
        if row.is_prose or (not header and _ends_paragraph(rows, index)):
            break
        if header and size > LARGER * max(below.line.size, rows[body].line.size):
            break
        if gap > ROW_GAP * size and not (gap < RULED_HEADER_GAP * size and _is_ruled_off(row, below, bands, rules)):
            break
        is_label = len(row.pieces) == 1 and row.line.x0 < edge - 2 * size and row.line.x1 < edge + size
        if is_label and not header:
            first_body = index
        elif not is_label and _is_header_row(row, bands, rules, gap):
            header.append(index)
        else:
            break
    if not header:
        first_body = _skip_title(rows, first_body, body)
    return first_body, header[::-1]


def _is_ruled_off(row: Row, below: Row, bands: Sequence[Band], rules: Sequence[Rule]) -> bool:
    """Whether a ruling across most of the table lies between two lines."""
    width = bands[-1].x1 - bands[0].x0
    return any(
        row.line.bottom - 1 <= rule.at <= below.line.top + 1 and rule.end - rule.start > 0.5 * width for rule in rules
    )


def _ends_paragraph(rows: Sequence[Row], index: int) -> bool:
    """Whether the row is the short last line of running text above it."""
    if index == 0 or not rows[index - 1].is_prose or len(rows[index].pieces) > 1:
        return False
    return rows[index].line.top - rows[index - 1].line.bottom < 0.6 * rows[index].line.size


def _skip_title(rows: Sequence[Row], first: int, body: int) -> int:
    """Without a header, label lines above the first figures are the table's title, unless they open a section."""
    while first < body and not rows[first].line.text.endswith(":") and not _looks_like_section(rows, first, body):
        first += 1
    return first


def _looks_like_section(rows: Sequence[Row], label: int, body: int) -> bool:
    """Whether the label stands right above the first figures as another one below them does above its own."""
    line = rows[label].line
    if label != body - 1:
        return False
    step = rows[body].line.baseline - line.baseline
    for above, row, below in zip(rows[body:], rows[body + 1 :], rows[body + 2 :], strict=False):
        if row.is_prose or row.line.top - above.line.bottom > ROW_GAP * line.size:
            return False
        if len(row.pieces) == 1 and below.is_data and row.line.bold is line.bold:
            is_placed = abs(row.line.x0 - line.x0) < ALIGN_POINTS and abs(row.line.size - line.size) < SAME_SIZE
            if is_placed and abs(below.line.baseline - row.line.baseline - step) < SAME_STEP * line.size:
                return True
    return False


def _is_header_row(row: Row, bands: Sequence[Band], rules: Sequence[Rule], gap: float) -> bool:
    """Whether every piece stands over the data columns, but those over the labels: one, or several texts."""
    size = row.line.size
    left = min(bands[1].x0 - 4 * size, bands[0].x1)
    right = bands[-1].x1 + 2 * size
    inside = [
        piece
        for piece in row.pieces
        if piece.x0 >= left and (piece.x1 <= right or abs(piece.x0 - bands[-1].x0) < ALIGN_POINTS)
    ]  # a name may be longer than what it names
    if len(row.pieces) > 1:
        n_labels = sum(piece.x0 < left for piece in row.pieces)
        names_more = len(inside) > 2 and n_labels < 2 and not any(piece.is_number for piece in row.pieces)
        is_over_data = (len(inside) >= len(row.pieces) - 1 and len(inside) > 0) or names_more
        return is_over_data or _names_columns(row.pieces, inside, bands) or _names_each(row.pieces, bands)
    if not inside or gap > 1.8 * size:
        return False
    if gap < 0:
        return True
    piece = row.pieces[0]
    return find_underline(piece, rules) is not None or _is_centered(piece, bands)


def _names_columns(pieces: Sequence[Piece], inside: Sequence[Piece], bands: Sequence[Band]) -> bool:
    """Whether a line of texts names several data columns, each its own, beside several label or empty columns."""
    columns = [columns_of(piece, bands)[0] for piece in inside]
    return (
        not any(piece.is_number for piece in pieces)
        and len(set(columns)) == len(columns) > 1
        and all(piece.x1 < bands[1].x0 or piece.x0 > bands[-1].x1 for piece in pieces if piece not in inside)
    )


def _names_each(pieces: Sequence[Piece], bands: Sequence[Band]) -> bool:
    """Whether there is a text for each column, the labels' as well, centred over it: wide names of narrow columns."""
    return len(pieces) == len(bands) > 2 and all(
        not piece.is_number and abs(piece.center - band.center) < 2 * ALIGN_POINTS
        for piece, band in zip(pieces, bands, strict=True)
    )


def _is_centered(piece: Piece, bands: Sequence[Band]) -> bool:
    """Whether the piece is centred over, aligned with or inside of neighbouring data columns."""
    for first in range(1, len(bands)):
        for last in range(first, len(bands)):
            x0, x1 = bands[first].x0, bands[last].x1
            if abs((x0 + x1) / 2 - piece.center) < 2 * ALIGN_POINTS and (x1 - x0) > 0.5 * (piece.x1 - piece.x0):
                return True
            if first == last and (abs(x1 - piece.x1) < ALIGN_POINTS or abs(x0 - piece.x0) < ALIGN_POINTS):
                return True
            if first == last and x0 - ALIGN_POINTS < piece.x0 and piece.x1 < x1 + ALIGN_POINTS:
                return True
    return False


def with_empty_columns(bands: Sequence[Band], header: Sequence[Row]) -> list[Band]:
    """The bands, and those of headings behind the last or between two that have one of their own: empty columns."""
    pieces = header[-1].pieces if header and len(header[-1].pieces) > 2 else ()
    is_named = [any(band.overlap(piece.x0, piece.x1) > 0 for piece in pieces) for band in bands]
    empty: list[Band] = []
    for piece in pieces:
        n_before = sum(band.x1 < piece.x0 for band in bands)
        is_behind = n_before == len(bands) and piece.x0 > bands[-1].x1 + piece.size
        is_between = (
            0 < n_before < len(bands)
            and piece.x1 < bands[n_before].x0
            and is_named[n_before - 1]
            and is_named[n_before]
        )
        if is_behind or is_between:
            empty.append(Band(piece.x0, piece.x1))
    return sorted((*bands, *empty), key=lambda band: band.x0)
