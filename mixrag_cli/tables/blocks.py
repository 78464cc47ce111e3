"""Rows that part the body of a table into blocks, each with its name: by a header said again, or by one text all over.

Oaks      | Topic | Room        Session 1 | Class |  | Session 2 | Class
10-11 am  | Maps  | Hall        Week 1    |       |  | Week 1    |            Oaks and Birch, Week 1 and Week 2 are
Birch     | Topic | Room        10:00     | Oaks  |  | 10:00     | Maples     the names of blocks.
10-11 am  | Art   | Barn        Week 2    |       |  | Week 2    |
"""

from __future__ import annotations

from collections import defaultdict

from mixrag_cli.tables.matrix import DATA_KINDS, Matrix

MIN_REPEATED = 2  # headings that a row must say again beside the name; one may be a word of the table


def header_rows_anew(matrix: Matrix, head: int, rows: range) -> frozenset[int]:
    """The rows that say a header row anew, with another name; none where its texts stand in other rows, too.

    Each stands above a row of its block: records that are like their first one begin no blocks.
    """
    found = frozenset(row for row in rows if _says_anew(matrix, row, head))
    others = [row for row in rows if row not in found]
    is_said = any(
        (text := matrix.text(head, column)) and any(matrix.text(row, column) == text for row in others)
        for column in range(matrix.n_columns)
    )
    is_apart = not any(row - 1 == head or row - 1 in found for row in found)
    return found if found and is_apart and not is_said else frozenset()


def _says_anew(matrix: Matrix, row: int, head: int) -> bool:
    """Whether a row says most of a header row's texts in their places, and another name where that one has its own.

    The name stands in the first column, and wherever the header row says it again.
    """
    columns = range(matrix.n_columns)
    names = [column for column in columns if matrix.text(head, column) == matrix.text(head, 0)]
    said = {matrix.text(row, column) for column in names}
    headings = [column for column in columns if column not in names and matrix.at(head, column)]
    again = [text for column in headings if (text := matrix.text(row, column)) == matrix.text(head, column)]
    is_within = all(matrix.at(head, column) for column in columns if matrix.at(row, column))
    is_named = len(said) == 1 and said.isdisjoint(("", matrix.text(head, 0))) and matrix.at(head, 0) is not None
    has_figures = any(matrix.kind(row, column) in DATA_KINDS for column in columns)
    return (
        is_named
        and is_within
        and not has_figures
        and len(set(again)) >= MIN_REPEATED
        and 2 * len(again) > len(headings)
    )


def says_one_text(matrix: Matrix, row: int) -> tuple[int, ...]:
    """The columns of a row in which one text stands, two and more, the first among them and not all; else ()."""
    columns = tuple(column for column in range(matrix.n_columns) if matrix.own(row, column))
    texts = {matrix.text(row, column) for column in columns}
    is_name = bool(columns) and columns[0] == 0 and matrix.kind(row, 0) not in DATA_KINDS
    return columns if is_name and len(texts) == 1 and 1 < len(columns) < matrix.n_columns else ()


def block_rows(matrix: Matrix, rows: range) -> frozenset[int]:
    """The rows that say one text in several columns where others do so in the same ones, not all the same text.

    Each stands above a row that says more.
    """
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row in rows:
        if columns := says_one_text(matrix, row):
            alike[columns].append(row)
    return frozenset(row for found in alike.values() if _part(matrix, found) for row in found)


def _part(matrix: Matrix, found: list[int]) -> bool:
    heads = all(matrix.at(row + 1, 0) is not None and not says_one_text(matrix, row + 1) for row in found)
    return heads and len({matrix.text(row, 0) for row in found}) > 1
