"""Which cell of one table a question means: every pair of a row's and a column's header path, scored as one whole.

A pair is good where its two paths explain the question's words (a word that every path says tells nothing), where its
labels say little beyond the question, where the cell is of the asked kind, and where a dimension that the question
leaves open is the total or the first. The features are counted side by side (axes.py) and pair by pair; a small network
fitted to questions with a known cell makes one number of them.

Source: the conditional logit model (McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mixrag_cli.recap.in_tables.axes import AXIS_FEATURES, MIN_HELD, TINY, Axis
from mixrag_cli.recap.in_tables.token_match import Places
from mixrag_cli.recap.likeness import Matrix, said_by
from mixrag_cli.recap.wording import MAX_PERCENT, PERCENT_UNITS, Asked, is_currency, kind_of, spelled_stems
from mixrag_cli.records.tables import Cell, Table

MIN_MISSED = 0.3  # a pair that says a term so much less than another of its table leaves it out
MIN_COMPARED = 3  # figures, of which one is the largest
MANY = 1000  # a count of people, not a rate or a rank
NIL_LETTERS = 2  # of a dash or a mark that stands for no value

PAIR_FEATURES = (
    "coverage", "coverage_lead", "fresh", "fresh_both", "twice", "rarest_said", "unsaid", "least_unsaid",
    "head_pair", "time_pair", "percent_wanted", "percent_unwanted", "count_as_percent", "percent_as_count",
    "percent_over", "percent_within", "percent_whole", "percent_part", "decimals", "count_decimals", "count_large",
    "count_part", "count_said", "money_right", "money_wrong", "negative", "size", "no_value", "is_nil",
    "not_a_number", "text_for_text", "text_for_which", "number_for_which", "says_question",
)  # fmt: skip
FEATURES = (
    *(f"row_{name}" for name in AXIS_FEATURES),
    *(f"column_{name}" for name in AXIS_FEATURES),
    *PAIR_FEATURES,
)
_LARGEST = AXIS_FEATURES.index("largest")
_AT = {name: n for n, name in enumerate(PAIR_FEATURES)}


@dataclass(frozen=True, slots=True)
class Pairs:
    """The data cells of a table as pairs of header paths.

    features: (n_cells, len(FEATURES)). row, column: (n_cells,), the place of each cell's header on its side. row_said,
    column_said: how much of the question each header path says.
    """

    features: Matrix
    cells: list[Cell]
    row: Places
    column: Places
    row_said: Matrix
    column_said: Matrix


def pair_features(asked: Asked, table: Table) -> Pairs:
    """The features of every data cell of the table for the question."""
    titled = said_by([table.title], asked.terms)[:, 0]
    rows, columns = Axis.of(table.rows, asked, titled), Axis.of(table.columns, asked, titled)
    row_at = {header.index: n for n, header in enumerate(table.rows)}
    column_at = {header.index: n for n, header in enumerate(table.columns)}
    cells = [cell for cell in table.cells if cell.row in row_at and cell.column in column_at]
    r = np.array([row_at[cell.row] for cell in cells], dtype=np.intp)
    c = np.array([column_at[cell.column] for cell in cells], dtype=np.intp)
    row_part, column_part = rows.features(asked), columns.features(asked)
    _add_contents(row_part, column_part, asked, cells, r, c)
    _add_largest(row_part, column_part, cells, r, c)
    pairs = np.zeros((len(cells), len(PAIR_FEATURES)))
    _add_said(pairs, asked, rows, columns, r, c)
    _add_values(pairs, asked, rows, columns, cells, r, c)
    features = np.hstack([row_part[r], column_part[c], pairs])
    return Pairs(features, cells, r, c, rows.worth @ rows.said, columns.worth @ columns.said)


def _add_contents(
    row_part: Matrix,
    column_part: Matrix,
    asked: Asked,
    cells: Sequence[Cell],
    r: Places,
    c: Places,
) -> None:
    """A row whose other cells say a number or a text of the question is likely meant, and so a column."""
    numbers, texts = AXIS_FEATURES.index("numbers"), AXIS_FEATURES.index("texts")
    for n, cell in enumerate(cells):
        if cell.value is not None:
            if cell.value in asked.numbers:
                row_part[r[n], numbers] = column_part[c[n], numbers] = 1.0
        elif cell.text:
            said = _cell_said(cell.text, asked.terms)
            row_part[r[n], texts] = max(row_part[r[n], texts], said)
            column_part[c[n], texts] = max(column_part[c[n], texts], said)


def _add_largest(row_part: Matrix, column_part: Matrix, cells: Sequence[Cell], r: Places, c: Places) -> None:
    """In what part of its figures a row holds its column's largest, as a total does, and a column its row's."""
    sizes = np.full((len(row_part), len(column_part)), -np.inf)
    for n, cell in enumerate(cells):
        if cell.value is not None and cell.unit not in PERCENT_UNITS:
            sizes[r[n], c[n]] = abs(float(cell.value))
    is_known = np.isfinite(sizes)
    for axis, part in ((0, row_part), (1, column_part)):
        is_largest = is_known & (sizes == sizes.max(axis=axis, keepdims=True, initial=-np.inf))
        compared = is_known & (is_known.sum(axis=axis, keepdims=True) >= MIN_COMPARED)
        part[:, _LARGEST] = (is_largest & compared).sum(axis=1 - axis) / np.maximum(compared.sum(axis=1 - axis), 1)


def _cell_said(text: str, terms: tuple[str, ...]) -> float:
    stems = spelled_stems(text)
    return sum(stem_ in terms for stem_ in stems) / len(stems) if stems else 0.0


def _add_said(part: Matrix, asked: Asked, rows: Axis, columns: Axis, r: Places, c: Places) -> None:
    """How much of the question the two paths say together; a term counts once, whichever says it better."""
    worth, fresh = np.maximum(rows.worth, columns.worth), np.maximum(rows.fresh, columns.fresh)
    of_row, of_column = rows.said[:, r], columns.said[:, c]
    said = np.maximum(of_row, of_column)
    coverage = worth @ said / max(float(worth.sum()), TINY)
    part[:, _AT["coverage"]] = coverage
    part[:, _AT["coverage_lead"]] = coverage - coverage.max(initial=0.0)
    part[:, _AT["fresh"]] = fresh @ said / max(float(fresh.sum()), TINY)
    by_row, by_column = (axis.fresh @ axis.said / max(float(axis.fresh.sum()), TINY) for axis in (rows, columns))
    part[:, _AT["fresh_both"]] = by_row[r] * by_column[c]
    part[:, _AT["twice"]] = worth @ np.minimum(of_row, of_column) / max(float(worth.sum()), TINY)
    _add_unsaid(part, said, rows, columns)
    if asked.head:
        labels = ([" ".join(header.path) for header in axis.headers] for axis in (rows, columns))
        by_row, by_column = (said_by(paths, asked.head).mean(axis=0) for paths in labels)
        part[:, _AT["head_pair"]] = np.maximum(by_row[r], by_column[c])


def _add_unsaid(part: Matrix, said: Matrix, rows: Axis, columns: Axis) -> None:
    """How many terms a pair leaves unsaid that others of the table say, and whether it says the most telling one."""
    sayable = np.maximum(rows.said.max(axis=1, initial=0.0), columns.said.max(axis=1, initial=0.0))
    if not (sayable > 0).any():
        return
    shares = [(axis.said >= MIN_HELD).mean(axis=1) for axis in (rows, columns)]
    spread = np.minimum(*(np.where(share > 0, share, 1.0) for share in shares))
    rarest = int(np.where(sayable > 0, spread, np.inf).argmin())
    unsaid = (sayable[:, None] - said > MIN_MISSED).sum(axis=0)
    part[:, _AT["rarest_said"]] = said[rarest]
    part[:, _AT["unsaid"]] = unsaid
    part[:, _AT["least_unsaid"]] = unsaid == unsaid.min()


def _add_values(
    part: Matrix, asked: Asked, rows: Axis, columns: Axis, cells: Sequence[Cell], r: Places, c: Places
) -> None:
    """Whether each cell is of the asked kind, by its headers, its unit and the look of its value."""
    row_kinds, column_kinds = ([kind_of(" ".join(h.path)) for h in axis.headers] for axis in (rows, columns))
    wants = asked.wants
    is_plain = not (wants.count or wants.percent or wants.money)
    for n, cell in enumerate(cells):
        row, column = row_kinds[r[n]], column_kinds[c[n]]
        is_percent = cell.unit in ("%", "pp") or row.is_percent or column.is_percent
        counts = row.is_count or column.is_count
        is_money = is_currency(cell.unit)
        part[n, _AT["time_pair"]] = bool(asked.facets.years & (row.facets.years | column.facets.years))
        part[n, _AT["percent_wanted"]] = wants.percent and is_percent
        part[n, _AT["percent_unwanted"]] = is_percent and not wants.percent
        part[n, _AT["count_as_percent"]] = wants.count and is_percent
        part[n, _AT["percent_as_count"]] = wants.percent and counts and not is_percent
        part[n, _AT["count_said"]] = wants.count and counts
        part[n, _AT["money_right"]] = wants.money and is_money
        part[n, _AT["money_wrong"]] = is_money and not wants.money
        if cell.value is None:
            part[n, _AT["no_value"]] = 1.0
            part[n, _AT["is_nil"]] = len(cell.text) <= NIL_LETTERS
            part[n, _AT["not_a_number"]] = not is_plain
            part[n, _AT["text_for_text"]] = is_plain
            part[n, _AT["text_for_which"]] = wants.which
            continue
        size, has_decimals = abs(float(cell.value)), "." in cell.text
        part[n, _AT["says_question"]] = cell.value in asked.numbers
        part[n, _AT["number_for_which"]] = wants.which
        part[n, _AT["negative"]] = cell.value < 0
        part[n, _AT["size"]] = math.log1p(size) / 10
        part[n, _AT["decimals"]] = has_decimals and not wants.count
        part[n, _AT["count_decimals"]] = has_decimals and wants.count
        part[n, _AT["count_large"]] = wants.count and size >= MANY
        part[n, _AT["count_part"]] = wants.count and size < 1
        part[n, _AT["percent_over"]] = wants.percent and size > MAX_PERCENT
        part[n, _AT["percent_within"]] = wants.percent and 0 < size <= MAX_PERCENT
        part[n, _AT["percent_whole"]] = wants.percent and not has_decimals
        part[n, _AT["percent_part"]] = wants.percent and size < 1
