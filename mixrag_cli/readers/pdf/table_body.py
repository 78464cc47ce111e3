"""Body rows of a table without rulings: lines that wrap joined to one row, pieces to cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from mixrag_cli.readers.pdf.header_cells import Entry
from mixrag_cli.readers.pdf.pieces import Band, Row, columns_of

TIGHT = 0.88  # of the usual row pitch: lines closer than this are one wrapped label
OPEN_ENDS = (",", " and", " of", " the", " to", " in", " for")


def wrapped_rows(rows: Sequence[Row], bands: Sequence[Band]) -> list[list[Row]]:
    """Rows as groups of lines: a label that wraps over several lines is one row with its figures."""
    steps = [b.line.baseline - a.line.baseline for a, b in pairwise(rows) if a.is_data and b.is_data]
    pitch = median(steps) if steps else 1.35 * rows[0].line.size
    groups: list[list[Row]] = []
    open_group = False
    for index, row in enumerate(rows):
        behind = rows[index + 1] if index + 1 < len(rows) else None
        joins_next = behind is not None and _is_label(row, bands) and _wraps(row, behind, pitch, bands)
        joins_last = (
            bool(groups)
            and not open_group
            and not joins_next
            and _is_label(row, bands)
            and _trails(groups[-1], row, pitch)
        )
        if open_group or joins_last:
            groups[-1].append(row)
        else:
            groups.append([row])
        open_group = joins_next
    return groups


def _is_label(row: Row, bands: Sequence[Band]) -> bool:
    """Whether the row holds one text, over the label column."""
    return len(row.pieces) == 1 and not row.pieces[0].is_number and columns_of(row.pieces[0], bands)[0] == 0


def _wraps(row: Row, behind: Row, pitch: float, bands: Sequence[Band]) -> bool:
    """Whether a label goes on in the next line."""
    step = behind.line.baseline - row.line.baseline
    if behind.pieces[0].is_number or columns_of(behind.pieces[0], bands)[0] > 0:
        return step < 0.9 * row.line.size
    if row.line.text.endswith(":") or row.line.bold is not behind.pieces[0].bold or step > 1.1 * pitch:
        return False
    reads_on = behind.line.text[:1].islower() or row.line.text.endswith(OPEN_ENDS)
    return step < TIGHT * pitch or reads_on


def _trails(group: Sequence[Row], row: Row, pitch: float) -> bool:
    """Whether a label line goes on from the row above it."""
    step = row.line.baseline - group[-1].line.baseline
    return step < 0.9 * row.line.size or (row.line.text[:1].islower() and step <= 1.1 * pitch)


def row_entries(group: Sequence[Row], bands: Sequence[Band], number: int) -> list[Entry]:
    """The cells of one body row, left to right."""
    entries: list[Entry] = []
    for row in group:
        for piece in row.pieces:
            first, last = columns_of(piece, bands)
            host = next((entry for entry in entries if entry.first <= last and first <= entry.last), None)
            if host is not None:
                host.pieces.append(piece)
            else:
                entries.append(Entry([piece], first, last, number))
    return sorted(entries, key=lambda entry: entry.first)
