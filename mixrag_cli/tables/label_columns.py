"""Which leading columns name a table's rows: texts, dates and keys to the left of the figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mixrag_cli.tables.matrix import DATA_KINDS, PERIOD_KINDS, Matrix
from mixrag_cli.words import LINK

MAX_LABEL_COLUMNS = 6
TYPED_SHARE = 0.5  # a column is one of figures when at least half of its filled body cells are
LABEL_SHARE = 0.6
MIN_STEPS = 3  # two rising numbers are as likely figures
MIN_COUNTED = 10  # rows that go on by one; set by judgement, like
MIN_COUNTED_FROM_ONE = 4  # rows that are counted from 0 or 1, all of them; fewer are as likely figures
COUNTED_SHARE = 0.9  # of them: a number is left out, and 999 at the end is for none
LONG_LABEL_CHARS = 60  # on average; longer texts are descriptions, not keys
PERIOD_NAME = re.compile(r"\b(?:years?|fy|seasons?|period|date|months?|quarters?|day|week|time)\b", re.I)
WHOLE_NUMBER = re.compile(r"(\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\s?\([a-z]\))?$")  # perhaps with a footnote's letter
RANK_NAME = re.compile(r"^(?:rank\w*|place|pos(?:ition|\.)?|no\.?|nr\.?|#|id|index|seat|code|year)$", re.I)
KEY_NAME = re.compile(r"(?:^|[\s_])(?:id|code|no\.?|nr\.?|num|number|#)$", re.I)  # "stadium_id", "Issue #"


def find_label_columns(matrix: Matrix, headers: tuple[int, ...], body: range) -> tuple[int, ...]:
    """The leading columns that name the rows: texts and dates left of the first column of figures."""
    kinds = [_body_kinds(matrix, column, body) for column in range(matrix.n_columns)]
    last_figures = max((c for c, found in enumerate(kinds) if found.figures >= TYPED_SHARE), default=None)
    if headers and all(column.mean_chars > LONG_LABEL_CHARS for column in kinds if column.filled):
        return ()  # what is done each day, below the days: the first says as much as the others
    labels: list[int] = []
    blank: list[int] = []  # columns that name no row, behind those that do
    for column in range(min(MAX_LABEL_COLUMNS, matrix.n_columns - 1)):
        is_name = column == 1 and last_figures == 0 and bool(labels) and kinds[1].distinct == kinds[1].filled
        if column > 0 and not is_name and (last_figures is None or last_figures < column):
            break
        is_grouped = len(headers) > 1  # below one header row, any of the columns may be what is asked
        if labels and is_grouped and not kinds[column].filled and _spans_whole_header(matrix, headers, column):
            blank.append(column)
            continue
        if labels:
            before = [kinds[label] for label in labels]
            is_label = (
                _names_most(kinds[column], before)
                or _is_further_label(matrix, headers, column, kinds[column])
                or _is_key_of_names(matrix, headers, column, kinds[:last_figures], before)
            )
        else:
            is_unknown = kinds[0].filled == 0 and kinds[1].texts >= LABEL_SHARE
            is_kept = (
                is_unknown and last_figures is not None and last_figures > 1
            )  # "none" in every row, then the names
            is_label = is_kept or _is_first_label(matrix, headers, kinds[0], kinds[1])
        if not is_label:
            break
        labels += [*blank, column]
        blank = []
    return tuple(labels)


@dataclass(frozen=True, slots=True)
class _BodyKinds:
    """What a column's body holds: texts, periods, figures and links as shares of its filled cells, 0..1, and counts.

    rises: whether its whole numbers rise strictly, and most of its cells are such. is_counted: whether they rise by one
    from row to row, in many rows. numbers_rows: whether its cells are 1, 2, 3, … or 0, 1, 2, … to the last row.
    """

    texts: float
    periods: float
    figures: float
    links: float
    filled: int
    distinct: int
    mean_chars: float
    rises: bool
    is_counted: bool
    numbers_rows: bool


def _body_kinds(matrix: Matrix, column: int, body: range) -> _BodyKinds:
    counts = {"texts": 0, "periods": 0, "figures": 0}
    seen: set[str] = set()
    whole: list[int] = []
    chars = n_ranges = n_links = 0
    for row in body:
        cell = matrix.own(row, column)
        if cell is None:
            continue
        kind = matrix.kinds[row, column]
        if kind == "missing":
            continue
        n_ranges += kind == "range"
        n_links += kind == "text" and LINK.match(cell.text.strip()) is not None
        if kind == "range" and column == 0:
            kind = "text"  # "200 to 399" names a class
        counts["figures" if kind in DATA_KINDS else "periods" if kind in PERIOD_KINDS else "texts"] += 1
        if found := WHOLE_NUMBER.match(cell.text.strip()):
            whole.append(int(found[1].replace(",", "")))
        seen.add(cell.text)
        chars += len(cell.text)
    filled = sum(counts.values())
    if column > 0 and n_ranges >= LABEL_SHARE * filled and filled >= 2 * len(seen):
        counts["texts"], counts["figures"] = counts["texts"] + counts["figures"], 0  # ages, group by group
    share = {name: count / filled if filled else 0.0 for name, count in counts.items()}
    rises = len(whole) >= LABEL_SHARE * filled and all(a < b for a, b in pairwise(whole))
    n_steps = sum(b - a == 1 for a, b in pairwise(whole))
    is_counted = rises and len(whole) >= MIN_COUNTED and n_steps >= COUNTED_SHARE * len(whole)
    numbers_rows = len(body) >= MIN_COUNTED_FROM_ONE and any(
        whole == list(range(first, first + len(body))) for first in (0, 1)
    )
    mean_chars = chars / filled if filled else 0
    shares = share["texts"], share["periods"], share["figures"], n_links / filled if filled else 0.0
    return _BodyKinds(*shares, filled, len(seen), mean_chars, rises, is_counted, numbers_rows)


def _names_most(kinds: _BodyKinds, before: list[_BodyKinds]) -> bool:
    """Whether a column of short texts tells most rows apart, and the label columns before it say something in few."""
    is_said = 4 * max(each.filled for each in before) > kinds.filled
    is_linked = kinds.links >= TYPED_SHARE
    are_names = kinds.texts >= LABEL_SHARE and kinds.mean_chars <= LONG_LABEL_CHARS and not is_linked
    return not is_said and are_names and kinds.distinct > LABEL_SHARE * kinds.filled


def _is_first_label(matrix: Matrix, headers: tuple[int, ...], kinds: _BodyKinds, beside: _BodyKinds) -> bool:
    """Whether the first column names rows: by texts, or by numbers that tell records apart. beside: of the next one."""
    heads = [cell for row in headers if (cell := matrix.at(row, 0)) is not None]
    # Numbers that go on by one in many rows (scores, ages) need no groups beside them.
    is_numbered = kinds.numbers_rows and bool(heads) and beside.texts < LABEL_SHARE  # names beside it name the rows
    if kinds.is_counted or is_numbered or _is_key([cell.text.strip() for cell in heads], len(headers), kinds, beside):
        return True
    if kinds.filled == 0:
        return not heads
    is_named_figures = bool(heads) and kinds.figures > 1 - LABEL_SHARE
    is_merged_down = len(headers) > 1 and all(cell.row_span >= len(headers) for cell in heads)
    is_named_key = any(RANK_NAME.match(cell.text.strip()) for cell in heads)
    return not is_named_figures or is_merged_down or is_named_key or _counts_steps(matrix, headers, kinds)


def _is_key(heads: list[str], n_headers: int, kinds: _BodyKinds, beside: _BodyKinds) -> bool:
    """Whether the numbers below one header row are called a key, or rise beside names."""
    rises_beside_names = kinds.rises and kinds.filled >= MIN_STEPS and beside.texts >= LABEL_SHARE
    return n_headers == 1 and (any(map(KEY_NAME.search, heads)) or rises_beside_names)


def _is_further_label(matrix: Matrix, headers: tuple[int, ...], column: int, kinds: _BodyKinds) -> bool:
    heads = [cell for row in headers if (cell := matrix.at(row, column)) is not None]
    wide = [cell for cell in heads if cell.column_span > 1 and cell.column > 0]  # over the first label, it heads labels
    if wide or not _spans_whole_header(matrix, headers, column):
        return False
    is_merged_down = len(headers) > 1 and any(cell.row_span > 1 for cell in heads)
    if kinds.links >= TYPED_SHARE or (kinds.distinct < 2 and kinds.filled > 3 and not is_merged_down):
        return False  # a link names no row, and one and the same word in every row tells no row from another
    named = kinds.texts + kinds.periods >= LABEL_SHARE
    if is_merged_down:
        return named
    name = " ".join(cell.text for cell in heads)
    if kinds.periods >= LABEL_SHARE and PERIOD_NAME.search(name):
        return True
    return named and kinds.mean_chars <= LONG_LABEL_CHARS and kinds.texts > 1 - LABEL_SHARE


def _is_key_of_names(
    matrix: Matrix, headers: tuple[int, ...], column: int, kinds: Sequence[_BodyKinds], before: Sequence[_BodyKinds]
) -> bool:
    """Whether a column is a key of the rows with names beside it, where the labels before it are said again and again.

    Example: "Lake | 2063 | Adel SD 21" below "County | District ID | District". kinds: of the columns before figures.
    """
    if column + 1 >= len(kinds) or len(headers) != 1:
        return False
    keys, names = kinds[column], kinds[column + 1]
    is_key = KEY_NAME.search(matrix.text(headers[0], column)) and keys.distinct >= COUNTED_SHARE * keys.filled
    n_said = max(each.distinct for each in before)
    repeats = n_said <= LABEL_SHARE * keys.distinct and n_said < names.distinct
    return bool(is_key) and repeats and _is_further_label(matrix, headers, column + 1, names)


def _counts_steps(matrix: Matrix, headers: tuple[int, ...], kinds: _BodyKinds) -> bool:
    """Whether the first column rises in whole numbers from row to row, outside the groups that the headers make.

    So do brackets of income, ages and sizes; in a table of one header row, any of its columns may be what is asked.
    """
    if len(headers) < 2 or not kinds.rises or kinds.filled < MIN_STEPS:
        return False
    groups = {id(cell): cell for row in headers for cell in matrix.cells_of_row(row, range(matrix.n_columns))}
    wide = [cell for cell in groups.values() if cell.column_span > 1]
    return bool(wide) and all(cell.column > 0 for cell in wide)


def _spans_whole_header(matrix: Matrix, headers: tuple[int, ...], column: int) -> bool:
    """Whether one header cell, or none, stands above the column: group headings above figures do not reach labels."""
    cells = {id(cell) for row in headers if (cell := matrix.at(row, column)) is not None}
    if len(headers) < 2 or not cells:
        return True
    tops = [matrix.at(row, column) for row in headers]
    return len(cells) == 1 and (all(tops) or tops[-1] is not None or matrix.has_no_spans(headers))
