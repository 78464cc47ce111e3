"""What the kinds of a row's cells, against those of what stands below them, say of the row: a header, or data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.quantities.numerals import is_identifier
from mixrag_cli.quantities.unit_words import MEASURES
from mixrag_cli.records.documents import GridCell
from mixrag_cli.tables.label_columns import TYPED_SHARE
from mixrag_cli.tables.matrix import DATA_KINDS, FIGURES, PERIOD_KINDS, Matrix
from mixrag_cli.tables.numbered_columns import counts_below_heading

_MEASURED = re.compile(rf"^(\d[\d.,]*)\s?({MEASURES})$", re.I)
_QUANTITY = re.compile(r"^([-+~≈<>]?\s?\d[\d.,]*)\s?(\D{1,40})$")
MIN_PLAIN_BELOW = 2  # figures without a measure that stand below a heading like "5 km"


@dataclass(frozen=True, slots=True)
class Below:
    """For a column, what stands below each row: filled[r], typed[r] (figures or periods), figures[r] (no periods).

    ranges[r]: how many of the figures are ranges ("1.35 - 1.42").
    """

    filled: list[int]
    typed: list[int]
    figures: list[int]
    ranges: list[int]

    def share(self, row: int, counts: Sequence[int]) -> float:
        """Which part of the filled cells below a row is counted."""
        return counts[row] / self.filled[row] if self.filled[row] else 0.0


def count_below(matrix: Matrix, column: int, end: int) -> Below:
    """What stands in a column below each row, from 0 to end."""
    filled, typed, figures, ranges = ([0] * (end + 1) for _ in range(4))
    for row in range(end - 1, 0, -1):
        cell = matrix.own(row, column)
        kind = matrix.kinds[row, column] if cell else "blank"
        counts = cell is not None and cell.column_span == 1 and kind != "missing"  # "none" and "n/a" fit any column
        filled[row - 1] = filled[row] + counts
        typed[row - 1] = typed[row] + (counts and (kind in DATA_KINDS or kind in PERIOD_KINDS))
        figures[row - 1] = figures[row] + (counts and kind in DATA_KINDS)
        ranges[row - 1] = ranges[row] + (counts and kind == "range")
    return Below(filled, typed, figures, ranges)


def header_evidence(matrix: Matrix, below: list[Below], row: int) -> float:
    """Above 0 for a header row, below 0 for data, 0 where kinds tell nothing (all texts, or no cell at all)."""
    flags = [cell for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)) if cell.row == row]
    if flags and sum(cell.is_header for cell in flags) * 2 > len(flags):
        return 1.0
    if _heads_by_measure(matrix, below, row, flags):
        return 1.0
    cells = [(column, matrix.at(row, column)) for column in range(matrix.n_columns)]
    own = [
        column
        for column, cell in cells
        if cell is not None and cell.row == row and (cell.column == column or cell.column_span > 1)
    ]
    evidence = {column: cell_evidence(matrix, below[column], row, column) for column in own}
    headings = sum(one > 0 for one in evidence.values())
    apart = [column for column in own if _is_figure_apart(matrix, below[column], row, column, headings)]
    return sum(evidence[column] for column in own if column not in apart)


def _is_figure_apart(matrix: Matrix, below: Below, row: int, column: int, n_headings: int) -> bool:
    """Whether a figure stands above texts alone, of another kind than what is below as a text above numbers is; or
    above nothing, as what is jotted down beside headings does. n_headings: of the row, above figures.
    """
    bottom = min(row, len(below.filled) - 1)
    is_above_texts = matrix.kind(row, column) == "number" and below.filled[bottom] > 1
    is_jotting = n_headings > 1 and not below.filled[bottom]
    return n_headings > 0 and (is_above_texts or is_jotting) and not below.typed[bottom]


def _heads_by_measure(matrix: Matrix, below: list[Below], row: int, cells: list[GridCell]) -> bool:
    """Whether a row names its columns by different sizes of one measure ("2 years", "7 years"), plain figures below.

    A labelled row does so only where it is the first with more than one cell: "Range | 300 km | 400 km" is a datum.
    """
    found = [_MEASURED.match(" ".join(cell.text.split())) for cell in cells]
    sizes = [(match[1], match[2].lower().rstrip("s")) for match in found if match]
    if len(sizes) < 2 or len(set(sizes)) < len(sizes) or len({measure for _, measure in sizes}) > 1:
        return False
    if any(
        not match and matrix.kinds[cell.row, cell.column] != "text" for cell, match in zip(cells, found, strict=True)
    ):
        return False
    above = (list(matrix.cells_of_row(other, range(matrix.n_columns))) for other in range(row))
    if matrix.own(row, 0) is not None and any(len(others) > 1 for others in above):
        return False
    columns = [cell.column for cell, match in zip(cells, found, strict=True) if match]
    end = len(below[0].filled) - 1
    return all(below[column].figures[row] >= MIN_PLAIN_BELOW for column in columns) and not any(
        _MEASURED.match(matrix.text(other, column)) for other in range(row + 1, end) for column in columns
    )


def cell_evidence(matrix: Matrix, below: Below, row: int, column: int) -> float:
    """What one cell says: above 0 of a heading, below 0 of data."""
    kind = matrix.kind(row, column)
    bottom = min(row, len(below.filled) - 1)
    typed, figures = below.share(bottom, below.typed), below.share(bottom, below.figures)
    if kind in FIGURES:
        heads = kind == "range" and figures >= TYPED_SHARE and column > 0 and not _is_lone_range(matrix, row)
        is_plain = heads and not _has_ranges_among(matrix, below, row, column)
        return 1.0 if is_plain else (-2.0 if typed >= TYPED_SHARE or column > 0 else 0.0)
    if kind in PERIOD_KINDS:
        if figures >= TYPED_SHARE:
            return -1.0 if kind == "year" and counts_below_heading(matrix, row, column) else 1.0
        return -1.0 if typed >= TYPED_SHARE else 0.0
    if kind == "text":
        if _is_code_among_codes(matrix, row, column):
            return -1.0
        if _is_quantity_among_quantities(matrix, row, column):
            return -2.0
        return 1.0 if typed >= TYPED_SHARE else 0.0
    return -0.5 if column > 0 and kind == "missing" else 0.0


def _is_lone_range(matrix: Matrix, row: int) -> bool:
    """Whether a row says one range beside a name with a colon: "Target: | 84-89" is a datum, classes stand in a row."""
    cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
    n_ranges = sum(matrix.kinds[cell.row, cell.column] == "range" for cell in cells)
    return n_ranges == 1 and any(cell.text.rstrip().endswith(":") for cell in cells)


def _has_ranges_among(matrix: Matrix, below: Below, row: int, column: int) -> bool:
    """Whether ranges stand among the figures below.

    One right below a row without a label is a further heading ("0 - 6" over "15 - 24").
    """
    is_stacked = matrix.at(row, 0) is None and matrix.own(row + 1, column) is not None
    return below.ranges[min(row, len(below.ranges) - 1)] > (is_stacked and matrix.kind(row + 1, column) == "range")


def _is_code_among_codes(matrix: Matrix, row: int, column: int) -> bool:
    """Whether digits with a zero before them ("01010") stand here and in the next row: a column of codes, and data."""
    texts = [matrix.text(at, column) for at in (row, row + 1)]
    return all(text.isdigit() and is_identifier(text) for text in texts)


def _is_quantity_among_quantities(matrix: Matrix, row: int, column: int) -> bool:
    """Whether an unmarked cell holds a number with the same words behind it as all below: "9 ops/s" over "7 ops/s"."""
    cell, first = matrix.own(row, column), _QUANTITY.match(matrix.text(row, column))
    if cell is None or cell.is_header or first is None or column == 0:
        return False
    below = [text for at in range(row + 1, matrix.n_rows) if (text := matrix.text(at, column))]
    found = [match for text in below if (match := _QUANTITY.match(text)) is not None and match[2] == first[2]]
    return len(found) == len(below) > 0 and any(match[1] != first[1] for match in found)
