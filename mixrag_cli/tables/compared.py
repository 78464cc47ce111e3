"""Comparing signs in a column of their own, written to the figures on their right: ">" and "100" are ">100".

Sample | IC50 (nM) |             Sample | IC50 (nM)
AB1    | >         | 100    ─►   AB1    | >100
AB2    |           | 35          AB2    | 35
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from mixrag_cli.tables.headers import Layout
from mixrag_cli.tables.matrix import Matrix

SIGN = re.compile(r"[<>]=?|[≤≥~≈=]")
EQUAL = re.compile(r"[~≈=]")  # what stands behind it is still a figure


def join_signs(matrix: Matrix, layout: Layout) -> tuple[Matrix, Layout]:
    """Both without the columns of nothing but signs, their headings above figures that have none.

    A figure that is compared is a text, and no more that number.
    """
    pairs = pairwise((*layout.labels, *layout.data))
    columns = [(left, right) for left, right in pairs if left and _are_signs(matrix, layout, left, right)]
    if not columns:
        return matrix, layout
    covering, kinds = dict(matrix.covering), dict(matrix.kinds)
    for left, right in columns:
        for row in layout.body:
            sign, figure = covering.pop((row, left), None), matrix.own(row, right)
            if sign is not None and figure is not None:
                is_equal = EQUAL.fullmatch(sign.text.strip()) is not None
                text = f"{sign.text.strip().removeprefix('=')}{figure.text.strip()}"
                covering[row, right] = replace(figure, text=text, number=figure.number if is_equal else None)
        for row in (*layout.headers, *layout.units):
            if (heading := matrix.own(row, left)) is not None and matrix.at(row, right) is None:
                covering[row, right] = replace(heading, column=right)
                kinds[row, right] = kinds[row, left]
    signs = {left for left, _ in columns}
    labels, data = (tuple(each for each in side if each not in signs) for side in (layout.labels, layout.data))
    return replace(matrix, covering=covering, kinds=kinds), replace(layout, labels=labels, data=data)


def _are_signs(matrix: Matrix, layout: Layout, left: int, right: int) -> bool:
    """Whether a column of the body holds signs alone, each beside a figure."""
    rows = [row for row in layout.body if matrix.at(row, left)]
    return bool(rows) and all(
        SIGN.fullmatch(matrix.text(row, left)) and matrix.own(row, left) and _is_figure(matrix, row, right)
        for row in rows
    )


def _is_figure(matrix: Matrix, row: int, column: int) -> bool:
    return matrix.own(row, column) is not None and matrix.kind(row, column) in ("number", "year")
