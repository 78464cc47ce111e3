"""How cells are named in a sheet or table: columns by letters, rows from 1."""

from __future__ import annotations


def column_name(column: int) -> str:
    """The letters of a column counted from 0. Example: 0 -> "A", 27 -> "AB"."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def cell_range(top: int, left: int, bottom: int, right: int) -> str:
    """The A1 range of places counted from 0. Example: (0, 0, 2, 1) -> "A1:B3"; (0, 0, 0, 0) -> "A1"."""
    if (top, left) == (bottom, right):
        return f"{column_name(left)}{top + 1}"
    return f"{column_name(left)}{top + 1}:{column_name(right)}{bottom + 1}"
