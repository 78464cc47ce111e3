"""Tables that begin with data: nothing is set over their columns, and the first row measures something as those below.

A data sheet goes on below its title with "Input voltage | 9 - 42 V", or with "Rated output | mV/V | 1.0 ± 0.15".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from mixrag_cli.quantities.unit_words import find_unit_and_scale, is_unit_expression
from mixrag_cli.quantities.values import kind_of
from mixrag_cli.readers.pdf.column_places import n_header_rows
from mixrag_cli.readers.pdf.layout import is_number
from mixrag_cli.readers.pdf.pieces import YEAR
from mixrag_cli.records.documents import Grid, GridCell

MIN_BELOW = 3  # cells of a column that say of what kind it is
MOST = 0.5  # of them; a data sheet measures most of what it lists
MAX_UNIT_CHARS = 12
_FIGURE = r"[<>＜＞≤≥~≈±+\-–−]{0,2}\s?\d[\d.,]*"
MEASURED = re.compile(
    rf"(?:[<>＜＞≤≥≈±]\s?{_FIGURE}|{_FIGURE}(?:\s?(?:[-–~～×±]|to)\s?{_FIGURE})+)\s?[^\s\d]{{0,8}}|{_FIGURE}\s?[^\W\d_%]{{1,5}}"
)  # a bound, a range, a tolerance, or a figure with a unit


def mark_headless(grid: Grid) -> Grid:
    """The grid, marked where its first row is data."""
    if n_header_rows(grid):
        return grid
    rows: dict[int, dict[int, GridCell]] = {}
    for cell in grid.cells:
        rows.setdefault(cell.row, {})[cell.column] = cell
    first = next((row for row in sorted(rows) if len(rows[row]) > 1), None)
    if first is None or any(cell.column_span > 1 or cell.row_span > 1 for cell in rows[first].values()):
        return grid
    top = {column: " ".join(cell.text.split()) for column, cell in rows[first].items()}
    columns = {
        column: [" ".join(row[column].text.split()) for at, row in rows.items() if at > first and column in row]
        for column in top
    }
    behind = [column for column in top if column > 0]
    units = any(_is_unit(top[column]) and _are_most(columns[column], _is_unit) for column in behind)
    measured = [column for column in behind if _is_measured(top[column])]
    figures = [column for column in behind if is_number(top[column])]
    is_one = len(measured) == 1 and set(figures) <= set(measured) and _are_most(columns[measured[0]], _is_measured)
    is_named = 0 in top and not is_number(top[0])
    return replace(grid, is_headless=True) if is_named and (units or is_one) else grid


def _are_most(texts: Sequence[str], is_kind: Callable[[str], bool]) -> bool:
    return len(texts) >= MIN_BELOW and sum(map(is_kind, texts)) > MOST * len(texts)


def _is_measured(text: str) -> bool:
    return MEASURED.fullmatch(text) is not None and YEAR.match(text) is None and kind_of(text) != "date"


def _is_unit(text: str) -> bool:
    """Whether a text is a unit and nothing else: "mV/V", "kg", "%FS"."""
    if not text or text[0].isdigit() or kind_of(text) != "text" or len(text) > MAX_UNIT_CHARS:
        return False
    return is_unit_expression(text) or find_unit_and_scale(text)[0] != "" or kind_of(f"1 {text}") == "number"
