"""Where a table's headers are: title and note rows, header rows, unit rows, and what they leave for the body.

1. titles lead, notes trail: rows with one cell only
2. a row is a header row as long as its cells differ in kind from what stands below them
3. label columns lead (see label_columns)
4. header rows that hold units only are set apart

The paths of the columns are made from the layout in top_paths.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.records import GridCell
from mixrag_cli.tables.label_columns import LONG_LABEL_CHARS, TYPED_SHARE, find_label_columns
from mixrag_cli.tables.matrix import DATA_KINDS, PERIOD_KINDS, Matrix
from mixrag_cli.tables.unit_words import find_unit_and_scale
from mixrag_cli.tables.units import is_unit_text, is_wide_unit_text

MAX_HEADER_ROWS = 12  # the deepest header of 1,922 HiTab tables has 6 rows
MAX_TITLE_ROWS = 6
NOTE = re.compile(r"^(?:notes?\b|sources?\b|\(\w{1,2}\)\s|\[\w{1,2}\]|[*†‡§¹²³]|\d\.\s|_{3,}|-{3,})", re.I)
TOTAL = re.compile(r"^(?:(?:grand|net|sub)[ -]?)?totals?\b|\b(?:sub)?totals?\s*$|^sum$", re.I)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which rows and columns of a matrix play which part.

    body: the rows below the headers without notes. has_header: False where no row could be told from the data.
    is_flat: one header row, no spans, nothing but records below (a database export).
    """

    titles: tuple[int, ...]
    headers: tuple[int, ...]
    units: tuple[int, ...]
    body: range
    notes: tuple[int, ...]
    labels: tuple[int, ...]
    data: tuple[int, ...]
    has_header: bool
    is_flat: bool


@dataclass(frozen=True, slots=True)
class _Below:
    """For a column, what stands below each row: filled[r], typed[r] (figures or periods), figures[r] (no periods)."""

    filled: list[int]
    typed: list[int]
    figures: list[int]

    def share(self, row: int, counts: Sequence[int]) -> float:
        return counts[row] / self.filled[row] if self.filled[row] else 0.0


def find_layout(matrix: Matrix) -> Layout | None:
    """The layout, or None where the matrix is no table (fewer than two columns or rows, or no body)."""
    if matrix.n_columns < 2 or matrix.n_rows < 2:
        return None
    notes = _trailing_notes(matrix)
    end = notes[0] if notes else matrix.n_rows
    below = [_count_below(matrix, column, end) for column in range(matrix.n_columns)]
    titles = _leading_titles(matrix, below, end)
    headers = _header_rows(matrix, below, titles[-1] + 1 if titles else 0, end)
    start = headers[-1] + 1 if headers else (titles[-1] + 1 if titles else 0)
    if start >= end:
        return None
    labels = find_label_columns(matrix, headers, range(start, end))
    data = tuple(
        column for column in range(len(labels), matrix.n_columns) if _is_used(matrix, column, start, end, headers)
    )
    if not data:
        return None
    units = _unit_rows(matrix, headers, data)
    is_flat = len(headers) == 1 and not titles and _is_flat(matrix)
    kept = tuple(row for row in headers if row not in units)
    return Layout(titles, kept, units, range(start, end), notes, labels, data, bool(headers), is_flat)


def _count_below(matrix: Matrix, column: int, end: int) -> _Below:
    filled, typed, figures = [0] * (end + 1), [0] * (end + 1), [0] * (end + 1)
    for row in range(end - 1, 0, -1):
        cell = matrix.own(row, column)
        kind = matrix.kinds[row, column] if cell else "blank"
        counts = cell is not None and cell.column_span == 1 and kind != "missing"  # "none" and "n/a" fit any column
        filled[row - 1] = filled[row] + counts
        typed[row - 1] = typed[row] + (counts and (kind in DATA_KINDS or kind in PERIOD_KINDS))
        figures[row - 1] = figures[row] + (counts and kind in DATA_KINDS)
    return _Below(filled, typed, figures)


def _leading_titles(matrix: Matrix, below: list[_Below], end: int) -> tuple[int, ...]:
    """Leading rows with one cell at the left, or one across most columns, as long as a header row follows them."""
    titles: list[int] = []
    for row in range(min(MAX_TITLE_ROWS, end - 1)):
        cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
        if len(cells) > 1:
            break
        if cells and not _is_title_cell(cells[0], matrix):
            break
        titles.append(row)
    while titles and not matrix.is_blank(titles[-1], range(matrix.n_columns)):
        following = next(
            (row for row in range(titles[-1] + 1, end) if not matrix.is_blank(row, range(matrix.n_columns))), None
        )
        if following is not None and _header_evidence(matrix, below, following) > 0:
            break
        if matrix.at(titles[-1], 1) is not None:
            break  # it spans columns, as sections of a body seldom do in the first rows
        titles.pop()
    return tuple(titles)


def _is_title_cell(cell: GridCell, matrix: Matrix) -> bool:
    return (
        cell.column == 0
        and cell.row_span == 1
        and (cell.column_span == 1 or cell.column_span >= 0.6 * matrix.n_columns)
    )


def _trailing_notes(matrix: Matrix) -> tuple[int, ...]:
    notes: list[int] = []
    for row in range(matrix.n_rows - 1, 1, -1):
        cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
        if len(cells) > 1 or (cells and not _is_note(cells[0])):
            break
        notes.append(row)
    return tuple(reversed(notes))


def _is_note(cell: GridCell) -> bool:
    text = cell.text.strip()
    return cell.column == 0 and (NOTE.match(text) is not None or len(text) > 2 * LONG_LABEL_CHARS)


def _header_rows(matrix: Matrix, below: list[_Below], start: int, end: int) -> tuple[int, ...]:
    """The header rows from start on; rows with a label only belong to them when a true header row follows."""
    last = None
    has_label_between = False
    corner_end = _corner_end(matrix, start)
    for row in range(start, min(start + MAX_HEADER_ROWS, end - 1)):
        if not _has_column_cells(matrix, row):
            has_label_between = last is not None and matrix.at(row, 0) is not None
            continue
        evidence = _header_evidence(matrix, below, row)
        if last is not None and (row < corner_end or _counts_up(matrix, row)):
            evidence = 1.0
        is_unit = _is_unit_row(matrix, row, range(1, matrix.n_columns))
        if evidence < 0 or (last is not None and ((evidence == 0 and not is_unit) or (is_unit and has_label_between))):
            break  # data, or the unit of the section above it
        if evidence > 0 or last is not None or _is_full_text_row(matrix, row):
            last = row
        if evidence == 0 and last == row and not _has_typed_column(below, row):
            break  # a table of texts: one header row
    if last is None:
        return ()
    reach = max((cell.row + cell.row_span for cell in _cells_between(matrix, start, last)), default=last + 1)
    return tuple(range(start, min(max(last + 1, _reach_within(matrix, start, last, reach)), end)))


def _corner_end(matrix: Matrix, start: int) -> int:
    """Where the merged cell in the top left corner ends: it reaches as deep as the headers do."""
    first = next(
        (row for row in range(start, matrix.n_rows) if not matrix.is_blank(row, range(matrix.n_columns))), start
    )
    corner = matrix.own(first, 0)
    return first + corner.row_span if corner is not None and corner.column_span == 1 else first


def _has_column_cells(matrix: Matrix, row: int) -> bool:
    """Whether something other than the row's label stands in the row."""
    return any(cell.column > 0 for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)))


def _counts_up(matrix: Matrix, row: int) -> bool:
    """Whether an unlabelled row numbers its columns: "1 2 3 1 2 3"."""
    cells = [cell for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)) if cell.row == row]
    if matrix.own(row, 0) is not None or len(cells) < 2:
        return False
    texts = [cell.text.strip() for cell in cells]
    numbers = [int(text) for text in texts if text.isdigit() and len(text) < 3]
    return len(numbers) == len(texts) and all(b in (a + 1, min(numbers)) for a, b in itertools.pairwise(numbers))


def _cells_between(matrix: Matrix, start: int, last: int) -> list[GridCell]:
    return [cell for row in range(start, last + 1) for cell in matrix.cells_of_row(row, range(matrix.n_columns))]


def _reach_within(matrix: Matrix, start: int, last: int, reach: int) -> int:
    """How far down merged header cells pull the header: over rows in which nothing but merged cells stands."""
    for row in range(last + 1, min(reach, matrix.n_rows)):
        if any(cell.row > last for cell in matrix.cells_of_row(row, range(matrix.n_columns))):
            return row
    return reach


def _header_evidence(matrix: Matrix, below: list[_Below], row: int) -> float:
    """Above 0 for a header row, below 0 for data, 0 where kinds tell nothing (all texts, or no cell at all)."""
    flags = [cell for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)) if cell.row == row]
    if flags and sum(cell.is_header for cell in flags) * 2 > len(flags):
        return 1.0
    evidence = 0.0
    for column in range(matrix.n_columns):
        cell = matrix.at(row, column)
        if cell is None or cell.row != row or (cell.column != column and cell.column_span == 1):
            continue
        evidence += _cell_evidence(matrix, below[column], row, column)
    return evidence


def _cell_evidence(matrix: Matrix, below: _Below, row: int, column: int) -> float:
    kind = matrix.kind(row, column)
    bottom = min(row, len(below.filled) - 1)
    typed, figures = below.share(bottom, below.typed), below.share(bottom, below.figures)
    if kind in ("number", "nil", "range"):
        is_plain = kind == "range" and figures >= TYPED_SHARE and column > 0
        return 1.0 if is_plain else (-2.0 if typed >= TYPED_SHARE or column > 0 else 0.0)
    if kind in PERIOD_KINDS:
        if figures >= TYPED_SHARE:
            return 1.0
        return -1.0 if typed >= TYPED_SHARE else 0.0
    if kind == "text":
        return 1.0 if typed >= TYPED_SHARE else 0.0
    return -0.5 if column > 0 and kind == "missing" else 0.0


def _is_full_text_row(matrix: Matrix, row: int) -> bool:
    cells = [matrix.at(row, column) for column in range(matrix.n_columns)]
    filled = [cell for cell in cells if cell is not None]
    return len(filled) >= max(2, matrix.n_columns - 1) and all(len(cell.text) < LONG_LABEL_CHARS for cell in filled)


def _has_typed_column(below: list[_Below], row: int) -> bool:
    return any(column.filled[row] and column.share(row, column.typed) >= TYPED_SHARE for column in below)


def _is_unit_row(matrix: Matrix, row: int, columns: Sequence[int]) -> bool:
    cells = {id(cell): cell for column in columns if (cell := matrix.at(row, column)) is not None and cell.row == row}
    texts = [" ".join(cell.text.split()) for cell in cells.values()]
    if len(cells) == 1 and all(cell.column_span > 1 for cell in cells.values()):
        return is_wide_unit_text(texts[0])
    return bool(cells) and all(is_unit_text(text) for text in texts)


def is_unit_row(matrix: Matrix, row: int, layout: Layout) -> bool:
    """Whether a row holds units and nothing else: no label, and only unit texts above the data columns."""
    return all(matrix.own(row, column) is None for column in layout.labels) and _is_unit_row(matrix, row, layout.data)


def _unit_rows(matrix: Matrix, headers: tuple[int, ...], data: tuple[int, ...]) -> tuple[int, ...]:
    """Header rows of units only, unless nothing else would be left to name the columns."""
    found = tuple(
        row
        for row in headers
        if (_is_unit_row(matrix, row, data) and (row == headers[-1] or _names_known_unit(matrix, row, data)))
        or (row == headers[-1] and _heads_all(matrix, row, data))
    )
    named = [row for row in headers if row not in found and any(matrix.own(row, column) for column in data)]
    return found if named else ()


def _names_known_unit(matrix: Matrix, row: int, data: tuple[int, ...]) -> bool:
    """Whether a unit row says a percentage, currency or scale; other words ("Years") may be headings as well."""
    return any(find_unit_and_scale(matrix.text(row, column)) != ("", 1) for column in data)


def _heads_all(matrix: Matrix, row: int, data: tuple[int, ...]) -> bool:
    """Whether one cell stands above all data columns: it tells no column from another."""
    cell = matrix.own(row, data[0])
    return cell is not None and len(data) > 1 and cell.column_span >= data[-1] - data[0] + 1


def _is_used(matrix: Matrix, column: int, start: int, end: int, headers: tuple[int, ...]) -> bool:
    return any((row, column) in matrix.covering for row in (*headers, *range(start, end)))


def _is_flat(matrix: Matrix) -> bool:
    return all(cell.row_span == 1 and cell.column_span == 1 and not cell.indent for cell in matrix.covering.values())
