"""Units in a column of their own, row by row: "Amount | Currency", "Unit | Value"."""

from __future__ import annotations

import re
from itertools import dropwhile, takewhile

from mixrag_cli.quantities.unit_words import find_unit_and_scale
from mixrag_cli.tables.headers import Layout
from mixrag_cli.tables.matrix import DATA_KINDS, Matrix
from mixrag_cli.tables.units import MAX_UNIT_CHARS, Unit, unit_of_header

MIN_CELLS = 2
FIGURE = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d*[1-9]")  # no year: "(25) %" says how much, "2015 US$" does not
MIN_KNOWN = 0.9  # of a column's texts: a note or a total may stand among its units
MIN_FILLED = 0.8  # of the rows that hold a figure in the column beside


def units_beside(matrix: Matrix, layout: Layout) -> dict[int, dict[int, Unit]]:
    """For each column of figures with units beside it, the unit of each of its rows.

    The units of a column are about the nearest figures on its left, or where there are none, about those on its right
    up to the next column of texts.
    """
    counts = {column: _count(matrix, layout, column) for column in layout.data}
    found: dict[int, dict[int, Unit]] = {}
    for column in layout.data:
        units = _units_of(matrix, layout, column)
        left = [other for other, count in counts.items() if other < column and count >= MIN_CELLS]
        right = dropwhile(lambda other: counts[other] < MIN_CELLS, (other for other in layout.data if other > column))
        for of in left[-1:] or takewhile(counts.__getitem__, right):
            if units and len(units) >= MIN_FILLED * counts[of]:
                found.setdefault(of, units)
    return found


def _count(matrix: Matrix, layout: Layout, column: int) -> int:
    """How many figures a column holds, round ones that read as years too; 0 where most of its cells are texts."""
    kinds = [matrix.kind(row, column) for row in layout.body if matrix.at(row, column)]
    count = sum(kind in DATA_KINDS or kind == "year" for kind in kinds)
    return count if "number" in kinds and 2 * count > len(kinds) else 0


def _units_of(matrix: Matrix, layout: Layout, column: int) -> dict[int, Unit]:
    """The unit that a column says of each row, where nearly all that it says are known units; {} for another column."""
    texts = {row: matrix.text(row, column) for row in layout.body if matrix.at(row, column)}
    if len(texts) < MIN_CELLS or any(len(text) > MAX_UNIT_CHARS or FIGURE.search(text) for text in texts.values()):
        return {}
    units = {text: unit_of_header(text) for text in set(texts.values())}
    known = {text for text, unit in units.items() if unit.is_known and find_unit_and_scale(text) != ("", 1)}
    found = {row: units[text] for row, text in texts.items() if text in known}
    return found if len(found) >= MIN_KNOWN * len(texts) else {}
