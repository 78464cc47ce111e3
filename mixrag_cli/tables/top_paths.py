"""The path of each data column: the chain of header cells above it, from the outermost in.

Unit rows are no part of it, except where they alone tell columns of one path apart ("number", "percent"). Where the
format knows no spans, a lone cell is spread over the blanks around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from mixrag_cli.records.documents import GridCell
from mixrag_cli.tables.headers import Layout, texts_above
from mixrag_cli.tables.label_columns import LABEL_SHARE
from mixrag_cli.tables.matrix import Matrix

EMPTY_WORDS = re.compile(r"^(?:\(?(?:un)?audited\)?|[*†‡]+)$", re.I)  # say nothing about a column


def top_paths(matrix: Matrix, layout: Layout) -> dict[int, tuple[str, ...]]:
    """Each data column's header texts from the outermost in; () where nothing stands above it."""
    axes = dict(layout.axes)
    levels: list[dict[int, GridCell]] = []
    groups: dict[int, GridCell] = {}
    for row in layout.headers:
        level = _level_cells(matrix, layout, row, groups)
        if len({cell.column for cell in level.values()}) > 1:
            groups = level
        levels.append(_named(level, axes.get(row, "")))
    paths: dict[int, tuple[str, ...]] = {}
    for column in layout.data:
        chain: list[GridCell] = []
        for level in levels:
            cell = level.get(column)
            if cell is not None and (not chain or cell is not chain[-1]):
                chain.append(cell)
        paths[column] = _chain_to_path(chain, levels)
    _part_by_units(matrix, layout, paths)
    _part_by_neighbours(matrix, layout, paths)
    for column in layout.data[1:]:
        if _has_percentages(matrix, layout, column) and not _has_percentages(matrix, layout, column - 1):
            left = paths.get(column - 1, ())
            if left and paths[column] in ((), left[:-1], left):
                paths[column] = (*left, "%")
    return paths


def _named(level: dict[int, GridCell], axis: str) -> dict[int, GridCell]:
    """The cells of a header row with what the row is about before what they say: "Age: Child".

    One cell over several columns stays one, since a path tells its cells apart by identity.
    """
    if not axis:
        return level
    told = {id(cell): replace(cell, text=f"{axis}: {cell.text.strip()}") for cell in level.values()}
    return {column: told[id(cell)] for column, cell in level.items()}


def _part_by_units(matrix: Matrix, layout: Layout, paths: dict[int, tuple[str, ...]]) -> None:
    """Where the unit rows are all that tells columns of one path apart, what they say is the end of the path."""
    rows = [texts_above(matrix, row, layout.data) for row in layout.units]
    units = {column: tuple(dict.fromkeys(texts[column] for texts in rows if column in texts)) for column in paths}
    for path in set(paths.values()):
        columns = [column for column in paths if paths[column] == path]
        if len({units[column] for column in columns}) > 1:
            paths.update({column: (*path, *units[column]) for column in columns})


def _part_by_neighbours(matrix: Matrix, layout: Layout, paths: dict[int, tuple[str, ...]]) -> None:
    """Where columns have one path, and before each stand the labels of the rows, their heading is the column's parent.

    Example: "Session 1 | Class | Session 2 | Class" above "9:00 | Oak | 9:00 | Fir" -> "Session 1 > Class" and
    "Session 2 > Class".
    """
    labels = {column for column in layout.data if _says_labels(matrix, layout, column)} | set(layout.labels)
    row = layout.headers[-1] if layout.headers else 0
    for path in set(filter(None, paths.values())):
        columns = [column for column in paths if paths[column] == path]
        before = [matrix.text(row, column - 1) for column in columns]
        is_last = labels.issuperset(column - 1 for column in columns) and all(
            matrix.own(row, column) and matrix.text(row, column) == path[-1] for column in columns
        )
        if len(columns) > 1 and is_last and all(before) and len({*before, path[-1]}) == len(columns) + 1:
            paths.update({column: (*path[:-1], name, path[-1]) for column, name in zip(columns, before, strict=True)})


def _says_labels(matrix: Matrix, layout: Layout, column: int) -> bool:
    """Whether a column says of each row what its label says."""
    pairs = [(matrix.text(row, column), matrix.text(row, layout.labels[-1])) for row in layout.body if layout.labels]
    return bool(pairs) and all(own == label for own, label in pairs)


def _has_percentages(matrix: Matrix, layout: Layout, column: int) -> bool:
    """Whether most figures of a column are percentages: next to amounts, they stand under the amounts' heading."""
    texts = [matrix.text(row, column) for row in layout.body if matrix.kind(row, column) in ("number", "nil")]
    return bool(texts) and sum("%" in text for text in texts) >= LABEL_SHARE * len(texts)


def _chain_to_path(chain: list[GridCell], levels: list[dict[int, GridCell]]) -> tuple[str, ...]:
    """Texts of the chain; a date that was broken over two lines ("September 29," above "2019") is joined again."""
    path: list[str] = []
    for place, cell in enumerate(chain):
        text = " ".join(cell.text.split())
        upper = chain[place - 1] if place else None
        if upper is not None and text == path[-1] and _count_columns(upper, levels) <= _count_columns(cell, levels):
            continue
        is_alone = upper is not None and sum(other is upper for level in levels for other in level.values()) == 1
        if is_alone and re.fullmatch(r"(?:19|20)\d\d(?:\s?\(\w\))?", text) and re.search(r"\d\s?,$", path[-1]):
            path[-1] = f"{path[-1]} {text}"
            continue
        path.append(text)
    return tuple(path)


def _count_columns(cell: GridCell, levels: list[dict[int, GridCell]]) -> int:
    return len({column for level in levels for column, other in level.items() if other is cell})


def _level_cells(matrix: Matrix, layout: Layout, row: int, above: dict[int, GridCell]) -> dict[int, GridCell]:
    """The header cell that each data column has in one header row, spread over blanks where no spans are known.

    above: those of the last header row with several. Texts that each stand right below one of them are further lines,
    and about the same columns.
    """
    level = {
        column: cell
        for column in layout.data
        if (cell := matrix.at(row, column)) is not None and not EMPTY_WORDS.match(cell.text.strip())
    }
    is_last = row == layout.headers[-1]
    if is_last or not level or len(level) == len(layout.data) or not matrix.has_no_wide(layout.headers):
        return level
    if above and level.keys() <= {cell.column for cell in above.values()}:
        return {column: level[cell.column] for column, cell in above.items() if cell.column in level}
    below = _names_below(matrix, layout, row, level)
    lower = [matrix.kind(below[0], column) if below else "blank" for column in layout.data]
    names = [_texts_in(matrix, below, column) for column in layout.data]
    spread = spread_over_blanks([column in level for column in layout.data], lower, names)
    return {
        layout.data[i]: level[layout.data[source]]
        for i, source in enumerate(spread)
        if source is not None and (source <= i or names[source] or not names[i])
    }  # what names a column by itself, with nothing below it, heads no named column on its left


def _names_below(matrix: Matrix, layout: Layout, row: int, level: dict[int, GridCell]) -> list[int]:
    """The header rows below one, from the first that names other columns; its own next lines are left out."""
    rows = [below for below in layout.headers if below > row]
    filled = [{column for column in layout.data if matrix.own(below, column) is not None} for below in rows]
    first = next((at for at, columns in enumerate(filled) if not columns <= level.keys()), 0)
    return rows[first:]


def _texts_in(matrix: Matrix, rows: Sequence[int], column: int) -> str:
    """What header rows say of a column, "" where the first says nothing."""
    texts = [matrix.text(row, column) for row in rows]
    return " ".join(texts).strip() if texts and texts[0] else ""


def spread_over_blanks(filled: Sequence[bool], lower: Sequence[str], names: Sequence[str] = ()) -> list[int | None]:
    """For each place of a header row, the place whose cell heads it.

    A group heading stands at the left end or in the middle of its group, and groups end where the kind of the cells
    below changes, or before a name below is said again. Example: filled at 1 of 3 -> [1, 1, 1]; at 0 and 2 of 4 ->
    [0, 0, 2, 2]; at 1 and 3 of 4 over year, year, text, text -> [1, 1, 3, 3]; at 1 and 3 of 4 over "sales", "costs",
    "sales", "costs" -> [1, 1, 3, 3].
    """
    places = [i for i, is_filled in enumerate(filled) if is_filled]
    n = len(filled)
    if len(places) == 1 and places[0] == n - 1 and n > 1 and len(set(lower)) > 1:
        return [None] * (n - 1) + [n - 1]  # the first line of a wrapped last header
    if places == list(range(n - 1)) and len(places) > 2 and "blank" not in lower:
        return [*places, None]  # a column of its own after a row of single headings: "First … Fourth, Total"
    if places[0] == 0:
        reaches = _reaches(places, names or [""] * n)
        return [max(place for place in places if place <= i) if i in reaches else None for i in range(n)]
    spread: list[int | None] = [None] * n
    for place, (start, end) in zip(places, _best_partition(places, lower, names or [""] * n), strict=True):
        is_at_end = place == end - 1 and end - start > 2  # the first line of a wrapped heading: no group stands so
        for i in range(place if is_at_end else start, end):
            spread[i] = place
    return spread


def _reaches(places: list[int], names: Sequence[str]) -> set[int]:
    """The places that groups head, each up to the next: one that says the names of the one before it ends with them.

    Example: below "2014" and "2016" stand "papers", "data", "papers", "data" and "notes", which are of neither.
    """
    reached: set[int] = set()
    before: Sequence[str] = ()
    for start, end in pairwise([*places, len(names)]):
        own = names[start:end]
        said_again = len(before) if len(before) > 1 and all(before) and own[: len(before)] == before else len(own)
        before = own[:said_again]
        reached.update(range(start, start + said_again))
    return reached


def _best_partition(places: list[int], lower: Sequence[str], names: Sequence[str]) -> list[tuple[int, int]]:
    """Cut 0..n into one run for each place, each holding its place near the middle; dynamic programming over cuts.

    A name that is said twice in a run costs more than any place apart from the middle: two columns would be one.
    """
    n = len(lower)
    costs: dict[int, tuple[float, list[tuple[int, int]]]] = {0: (0.0, [])}
    for place in places:
        following: dict[int, tuple[float, list[tuple[int, int]]]] = {}
        for start, (cost, runs) in costs.items():
            for end in range(max(place, start) + 1, n + 1):
                if not start <= place < end:
                    continue
                mixed = sum(lower[i] != lower[i + 1] for i in range(start, end - 1))
                said = [name for name in names[start:end] if name]
                total = cost + abs((start + end - 1) / 2 - place) + mixed + n * (len(said) - len(set(said)))
                if end not in following or total < following[end][0]:
                    following[end] = (total, [*runs, (start, end)])
        costs = following
    return costs[n][1]
