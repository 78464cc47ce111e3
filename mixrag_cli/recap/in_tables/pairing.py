"""Which cell of one table a question means: every pair of a row's and a column's header path, scored as one whole.

A pair is good where its two paths explain the question's words (a word that every path says tells nothing), where its
labels say little beyond the question, where the cell is of the asked kind, and where a dimension that the question
leaves open is the total or the first. The features are counted side by side (axes.py) and pair by pair; a small network
fitted to questions with a known cell makes one number of them.

Source: the conditional logit model (McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mixrag_cli.recap.in_tables.axes import MIN_HELD, TINY, Axis
from mixrag_cli.recap.in_tables.token_match import Places
from mixrag_cli.recap.likeness import Matrix, said_by
from mixrag_cli.recap.wording import MAX_PERCENT, PERCENT_UNITS, Asked, Kind, is_currency, kind_of, spelled_stems
from mixrag_cli.records.tables import Cell, Table

MIN_MISSED = 0.3  # a pair that says a term so much less than another of its table leaves it out
MIN_COMPARED = 3  # figures, of which one is the largest
MANY = 1000  # a count of people, not a rate or a rank
NIL_LETTERS = 2  # of a dash or a mark that stands for no value


@dataclass(frozen=True, slots=True)
class Pairs:
    """The data cells of a table as pairs of header paths.

    features: by name, (n_cells,) each. row, column: (n_cells,), the place of each cell's header on its side. row_said,
    column_said: how much of the question each header path says.
    """

    features: Mapping[str, Matrix]
    cells: list[Cell]
    row: Places
    column: Places
    row_said: Matrix
    column_said: Matrix

    def matrix(self, names: Sequence[str]) -> Matrix:
        """The features in the order of the names: (n_cells, len(names)). Raises KeyError where there is none."""
        return np.column_stack([self.features[name] for name in names])


def pair_features(asked: Asked, table: Table) -> Pairs:
    """The features of every data cell of the table for the question."""
    titled = said_by([table.title], asked.terms)[:, 0]
    rows, columns = Axis.of(table.rows, asked, titled), Axis.of(table.columns, asked, titled)
    row_at, column_at = ({header.index: n for n, header in enumerate(side)} for side in (table.rows, table.columns))
    cells = [cell for cell in table.cells if cell.row in row_at and cell.column in column_at]
    r = np.array([row_at[cell.row] for cell in cells], dtype=np.intp)
    c = np.array([column_at[cell.column] for cell in cells], dtype=np.intp)
    of_rows = {**rows.features(asked), **_contents(len(table.rows), asked, cells, r)}
    of_columns = {**columns.features(asked), **_contents(len(table.columns), asked, cells, c)}
    of_rows["largest"], of_columns["largest"] = _largest((len(table.rows), len(table.columns)), cells, r, c)
    features = {
        **{f"row_{name}": values[r] for name, values in of_rows.items()},
        **{f"column_{name}": values[c] for name, values in of_columns.items()},
        "fresh_both": of_rows["fresh_share"][r] * of_columns["fresh_share"][c],
        **_said(rows, columns, r, c),
        **_values(asked, rows, columns, cells, r, c),
    }
    return Pairs(features, cells, r, c, rows.worth @ rows.said, columns.worth @ columns.said)


def _contents(n_headers: int, asked: Asked, cells: Sequence[Cell], at: Places) -> dict[str, Matrix]:
    """A line whose cells say a number or a text of the question is likely meant. at: the header of each cell."""
    numbers, texts = np.zeros(n_headers), np.zeros(n_headers)
    for n, cell in zip(at, cells, strict=True):
        if cell.value is not None:
            numbers[n] = max(numbers[n], cell.value in asked.numbers)
        elif stems := spelled_stems(cell.text):
            texts[n] = max(texts[n], sum(stem in asked.terms for stem in stems) / len(stems))
    return {"numbers": numbers, "texts": texts}


def _largest(shape: tuple[int, int], cells: Sequence[Cell], r: Places, c: Places) -> tuple[Matrix, Matrix]:
    """In what part of its figures a row holds its column's largest, as a total does, and a column its row's."""
    sizes = np.full(shape, -np.inf)
    for n, cell in enumerate(cells):
        if cell.value is not None and cell.unit not in PERCENT_UNITS:
            sizes[r[n], c[n]] = abs(float(cell.value))
    is_known = np.isfinite(sizes)

    def part_of(axis: int) -> Matrix:
        is_largest = is_known & (sizes == sizes.max(axis=axis, keepdims=True, initial=-np.inf))
        compared = is_known & (is_known.sum(axis=axis, keepdims=True) >= MIN_COMPARED)
        return np.asarray((is_largest & compared).sum(axis=1 - axis) / np.maximum(compared.sum(axis=1 - axis), 1))

    return part_of(0), part_of(1)


def _said(rows: Axis, columns: Axis, r: Places, c: Places) -> dict[str, Matrix]:
    """How much of the question the two paths say together; a term counts once, whichever says it better."""
    worth, fresh = np.maximum(rows.worth, columns.worth), np.maximum(rows.fresh, columns.fresh)
    total, total_fresh = max(float(worth.sum()), TINY), max(float(fresh.sum()), TINY)
    of_row, of_column = rows.said[:, r], columns.said[:, c]
    said = np.maximum(of_row, of_column)
    coverage = worth @ said / total
    return {
        "coverage": coverage,
        "coverage_lead": coverage - coverage.max(initial=0.0),
        "fresh": fresh @ said / total_fresh,
        "twice": worth @ np.minimum(of_row, of_column) / total,
        "head_pair": np.maximum(rows.head[r], columns.head[c]),
        **_unsaid(said, rows, columns),
    }


def _unsaid(said: Matrix, rows: Axis, columns: Axis) -> dict[str, Matrix]:
    """How many terms a pair leaves unsaid that others of the table say, and whether it says the most telling one."""
    names, n_cells = ("rarest_said", "unsaid", "least_unsaid"), said.shape[1]
    sayable = np.maximum(rows.said.max(axis=1, initial=0.0), columns.said.max(axis=1, initial=0.0))
    if not (sayable > 0).any():
        return dict.fromkeys(names, np.zeros(n_cells))
    shares = [(axis.said >= MIN_HELD).mean(axis=1) for axis in (rows, columns)]
    spread = np.minimum(*(np.where(share > 0, share, 1.0) for share in shares))
    rarest = int(np.where(sayable > 0, spread, np.inf).argmin())
    unsaid = (sayable[:, None] - said > MIN_MISSED).sum(axis=0)
    return dict(zip(names, (said[rarest], unsaid, unsaid == unsaid.min()), strict=True))


def _values(asked: Asked, rows: Axis, columns: Axis, cells: Sequence[Cell], r: Places, c: Places) -> dict[str, Matrix]:
    """Whether each cell is of the asked kind, by its headers, its unit and the look of its value."""
    row_kinds, column_kinds = ([kind_of(" ".join(h.path)) for h in axis.headers] for axis in (rows, columns))
    found = [
        {**_kind_features(asked, cell, row_kinds[y], column_kinds[x]), **_value_features(asked, cell)}
        for cell, y, x in zip(cells, r, c, strict=True)
    ]
    return {name: np.array([one[name] for one in found], float) for name in found[0]} if found else {}


def _kind_features(asked: Asked, cell: Cell, row: Kind, column: Kind) -> dict[str, float]:
    wants = asked.wants
    is_percent = cell.unit in ("%", "pp") or row.is_percent or column.is_percent
    counts, is_money = row.is_count or column.is_count, is_currency(cell.unit)
    return {
        "time_pair": bool(asked.facets.years & (row.facets.years | column.facets.years)),
        "percent_wanted": wants.percent and is_percent,
        "percent_unwanted": is_percent and not wants.percent,
        "count_as_percent": wants.count and is_percent,
        "percent_as_count": wants.percent and counts and not is_percent,
        "count_said": wants.count and counts,
        "money_right": wants.money and is_money,
        "money_wrong": is_money and not wants.money,
    }


def _value_features(asked: Asked, cell: Cell) -> dict[str, float]:
    """What the cell says by itself; most is 0 of a text, and the rest of a number."""
    wants, is_text = asked.wants, cell.value is None
    is_plain = not (wants.count or wants.percent or wants.money)
    size, has_decimals = abs(float(cell.value or 0)), "." in cell.text and not is_text
    counts, is_part = wants.count and not is_text, wants.percent and not is_text
    return {
        "no_value": is_text,
        "is_nil": is_text and len(cell.text) <= NIL_LETTERS,
        "not_a_number": is_text and not is_plain,
        "text_for_text": is_text and is_plain,
        "text_for_which": is_text and wants.which,
        "says_question": not is_text and cell.value in asked.numbers,
        "number_for_which": not is_text and wants.which,
        "negative": cell.value is not None and cell.value < 0,
        "size": math.log1p(size) / 10,
        "decimals": has_decimals and not wants.count,
        "count_decimals": has_decimals and wants.count,
        "count_large": counts and size >= MANY,
        "count_part": counts and size < 1,
        "percent_over": is_part and size > MAX_PERCENT,
        "percent_within": is_part and 0 < size <= MAX_PERCENT,
        "percent_whole": is_part and not has_decimals,
        "percent_part": is_part and size < 1,
    }
