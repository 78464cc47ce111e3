"""Merged cells of data that cover a whole group of columns: the group's heading names them, and none of its columns'.

      | Totals                     "581,730" over all three columns stands under "Totals" alone.
      | Male    | Female  | All
Grade | 299,366 | 282,182 | 581,730
Total | 581,730
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from mixrag_cli.records.tables import Header
from mixrag_cli.tables.headers import TOTAL, Layout
from mixrag_cli.tables.matrix import Matrix

Path = tuple[str, ...]


def group_columns(matrix: Matrix, layout: Layout, paths: Mapping[int, Path]) -> dict[tuple[int, int], Header]:
    """The column of each such cell by its place, with an index behind those of the grid."""
    if layout.is_flat:
        return {}
    found: dict[tuple[int, int], Path] = {}
    for row in layout.body:
        for column in layout.data:
            cell = matrix.own(row, column)
            if cell is not None and cell.column_span > 1:
                inside = {c: path for c, path in paths.items() if column <= c < column + cell.column_span}
                shared = _shared([*inside.values()])
                is_whole = all(path[: len(shared)] != shared for c, path in paths.items() if c not in inside)
                if shared and is_whole and shared not in paths.values():
                    found[row, column] = shared
    headers = {
        path: Header(matrix.n_columns + number, path, any(map(TOTAL.search, path)))
        for number, path in enumerate(dict.fromkeys(found.values()))
    }
    return {place: headers[path] for place, path in found.items()}


def _shared(paths: list[Path]) -> Path:
    """What several paths begin with."""
    return tuple(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False)))
