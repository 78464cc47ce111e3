"""Forms: tables that name a thing and say it beside the name, row by row, with no headings above.

A column below a heading holds one kind of thing. A form holds a name, a date and an amount below each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from mixrag_cli.quantities.periods import is_duration
from mixrag_cli.quantities.values import parse_value
from mixrag_cli.tables.matrix import DATA_KINDS, Matrix

MIN_ROWS = 3
MAX_ROWS = 60  # a form fits a page or two; set by judgement
MAX_FIGURES = 0.5  # of the values: a column that holds more of them has a heading
MOST = 0.8  # of the rows that bear a mark of a form; set by judgement

# A number of an order or a booking, as no heading is: capitals and digits in one word, three digits and more in a row
# and no year.
CODE = re.compile(r"(?=[^\d\s]*[A-Z])(?=\S*(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{3})[A-Z0-9][A-Z0-9/.-]{3,}$")

Sort = Literal["text", "date", "number"]


def is_form(matrix: Matrix, start: int, end: int) -> bool:
    """Whether the rows from start on are keys with their values, the first one like all others."""
    rows = [row for row in range(start, end) if matrix.own(row, 0) and matrix.own(row, 1)]
    if matrix.n_columns < 2 or not MIN_ROWS <= len(rows) <= MAX_ROWS:
        return False
    keys = [matrix.text(row, 0) for row in rows]
    cells = [cell for row in rows for cell in matrix.cells_of_row(row, range(2))]
    if _spans_values(matrix, rows):
        return True
    if len(set(keys)) < len(keys) or any(cell.is_header or cell.column_span > 1 for cell in cells):
        return False
    if matrix.n_columns > 2:
        return _says_one_value(matrix, rows) and _marks_keys(matrix, rows)
    if sum(matrix.kind(row, 1) in DATA_KINDS for row in rows) > MAX_FIGURES * len(rows):
        return False
    sorts = [_sort(matrix, row) for row in rows]
    holds_all = set(sorts) == {"text", "date", "number"} and sorts.count("text") > 1
    has_date_first = sorts[0] == "date" and set(sorts[1:]) == {"text"}
    has_code_first = CODE.match(matrix.text(rows[0], 1)) is not None
    return holds_all or has_date_first or has_code_first or _marks_keys(matrix, rows) or _counts_on(keys)


def is_listed_below_title(matrix: Matrix, start: int, end: int) -> bool:
    """Whether names with their values stand below a title over both columns that alone is set off as a header is.

    What stands below a heading of the second column would be figures of one unit.
    """
    title = next((cell for row in range(start) if (cell := matrix.own(row, 0))), None)
    pairs = [cells for row in range(start, end) if (cells := list(matrix.cells_of_row(row, range(2))))]
    is_across = title is not None and title.column_span == 2 == matrix.n_columns
    if title is None or not is_across or not pairs or any(len(pair) != 2 for pair in pairs):
        return False
    is_set_off = (title.is_header or title.bold) and not any(cell.is_header or cell.bold for cell in pairs[0])
    units = {parse_value(value.text).unit for _, value in pairs[1:]}
    are_figures = all(matrix.kinds[value.row, 1] in DATA_KINDS for _, value in pairs[1:])
    return is_set_off and not (are_figures and len(units) == 1)


def _spans_values(matrix: Matrix, rows: Sequence[int]) -> bool:
    """Whether most rows say a name and, merged over all other columns, its value: no column has a heading.

    Sums below a list are merged so as well, but no figures.
    """
    named = [row for row in rows if matrix.kind(row, 0) == "text" and matrix.kind(row, 1) not in DATA_KINDS]
    values = [matrix.own(row, 1) for row in named]
    n_wide = sum(value is not None and value.column_span == matrix.n_columns - 1 > 1 for value in values)
    return 2 * n_wide > len(rows) and n_wide >= MIN_ROWS


def _says_one_value(matrix: Matrix, rows: Sequence[int]) -> bool:
    """Whether nothing stands behind the value, of the first row and of half of all: a date may have several parts."""
    alone = [matrix.is_blank(row, range(2, matrix.n_columns)) for row in rows]
    return alone[0] and 2 * sum(alone) >= len(rows)


def _sort(matrix: Matrix, row: int) -> Sort:
    """What a value is: a day is a date, "45 days" a number of them."""
    kind = matrix.kind(row, 1)
    if kind in DATA_KINDS or is_duration(matrix.text(row, 1)):
        return "number"
    return "date" if kind == "date" else "text"


def _marks_keys(matrix: Matrix, rows: Sequence[int]) -> bool:
    """Whether the keys are told from their values by a colon or bold letters, that of the first row as well."""
    pairs = [(matrix.at(row, 0), matrix.at(row, 1)) for row in rows]
    colons = [key is not None and key.text.rstrip().endswith(":") for key, _ in pairs]
    bold = [key is not None and value is not None and key.bold and not value.bold for key, value in pairs]
    return any(marks[0] and sum(marks) >= MOST * len(rows) for marks in (colons, bold))


def _counts_on(keys: Sequence[str]) -> bool:
    """Whether the keys are letters one after the other, as notes to a table have them."""
    return all(len(key) == 1 and key.isalpha() for key in keys) and all(ord(b) - ord(a) == 1 for a, b in pairwise(keys))
