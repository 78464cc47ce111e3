"""Where a table's headers are: title and note rows, header rows, unit rows, label columns; and the top header paths.

1. titles lead, notes trail: rows with one cell only
2. a row is a header row as long as its cells differ in kind from what stands below them
3. label columns lead: texts, dates and keys to the left of the figures
4. header rows that hold units only are set apart
5. a column's path is the chain of header cells above it; where the format knows no spans, a lone cell is spread
   over the blanks around it
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.records import GridCell
from mixrag_cli.tables.matrix import DATA_KINDS, PERIOD_KINDS, Matrix
from mixrag_cli.tables.units import is_unit_text, is_wide_unit_text
from mixrag_cli.tables.values import find_unit_and_scale

MAX_HEADER_ROWS = 12  # the deepest header of 1,922 HiTab tables has 6 rows
MAX_LABEL_COLUMNS = 6
MAX_TITLE_ROWS = 6
TYPED_SHARE = 0.5  # a column is one of figures when at least half of its filled body cells are
LABEL_SHARE = 0.6
LONG_LABEL_CHARS = 60  # on average; longer texts are descriptions, not keys
NOTE = re.compile(r"^(?:notes?\b|sources?\b|\(\w{1,2}\)\s|\[\w{1,2}\]|[*†‡§¹²³]|\d\.\s|_{3,}|-{3,})", re.I)
PERIOD_NAME = re.compile(r"\b(?:years?|fy|seasons?|period|date|months?|quarters?|day|week|time)\b", re.I)
RANK_NAME = re.compile(r"^(?:rank\w*|place|pos(?:ition|\.)?|no\.?|nr\.?|#|id|index|seat|code|year)$", re.I)
EMPTY_WORDS = re.compile(r"^\(?(?:un)?audited\)?$", re.I)  # say nothing about a column
TOTAL = re.compile(r"^(?:(?:grand|net|sub)[ -]?)?totals?\b|\b(?:sub)?totals?\s*$|^sum$", re.I)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which rows and columns of a matrix play which part.

    body: the rows below the headers without notes. has_header: False where no row could be told from the data.
    is_flat: one header row, no spans, nothing but records below (a database export).
    """

    titles: tuple[int, ...]
    headers: tuple[int, ...]
    units: tuple[int, ...]
    body: range
    notes: tuple[int, ...]
    labels: tuple[int, ...]
    data: tuple[int, ...]
    has_header: bool
    is_flat: bool


@dataclass(frozen=True, slots=True)
class _Below:
    """For a column, what stands below each row: filled[r], typed[r] (figures or periods), figures[r] (no periods)."""

    filled: list[int]
    typed: list[int]
    figures: list[int]

    def share(self, row: int, counts: Sequence[int]) -> float:
        return counts[row] / self.filled[row] if self.filled[row] else 0.0


def find_layout(matrix: Matrix) -> Layout | None:
    """The layout, or None where the matrix is no table (fewer than two columns or rows, or no body)."""
    if matrix.n_columns < 2 or matrix.n_rows < 2:
        return None
    notes = _trailing_notes(matrix)
    end = notes[0] if notes else matrix.n_rows
    below = [_count_below(matrix, column, end) for column in range(matrix.n_columns)]
    titles = _leading_titles(matrix, below, end)
    headers = _header_rows(matrix, below, titles[-1] + 1 if titles else 0, end)
    start = headers[-1] + 1 if headers else (titles[-1] + 1 if titles else 0)
    if start >= end:
        return None
    labels = _label_columns(matrix, headers, range(start, end))
    data = tuple(
        column for column in range(len(labels), matrix.n_columns) if _is_used(matrix, column, start, end, headers)
    )
    if not data:
        return None
    units = _unit_rows(matrix, headers, data)
    is_flat = len(headers) == 1 and not titles and _is_flat(matrix)
    kept = tuple(row for row in headers if row not in units)
    return Layout(titles, kept, units, range(start, end), notes, labels, data, bool(headers), is_flat)


def _count_below(matrix: Matrix, column: int, end: int) -> _Below:
    filled, typed, figures = [0] * (end + 1), [0] * (end + 1), [0] * (end + 1)
    for row in range(end - 1, 0, -1):
        cell = matrix.own(row, column)
        kind = matrix.kinds[row, column] if cell else "blank"
        counts = cell is not None and cell.column_span == 1 and kind != "missing"  # "none" and "n/a" fit any column
        filled[row - 1] = filled[row] + counts
        typed[row - 1] = typed[row] + (counts and (kind in DATA_KINDS or kind in PERIOD_KINDS))
        figures[row - 1] = figures[row] + (counts and kind in DATA_KINDS)
    return _Below(filled, typed, figures)


def _leading_titles(matrix: Matrix, below: list[_Below], end: int) -> tuple[int, ...]:
    """Leading rows with one cell at the left, or one across most columns, as long as a header row follows them."""
    titles: list[int] = []
    for row in range(min(MAX_TITLE_ROWS, end - 1)):
        cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
        if len(cells) > 1:
            break
        if cells and not _is_title_cell(cells[0], matrix):
            break
        titles.append(row)
    while titles and not matrix.is_blank(titles[-1], range(matrix.n_columns)):
        following = next(
            (row for row in range(titles[-1] + 1, end) if not matrix.is_blank(row, range(matrix.n_columns))), None
        )
        if following is not None and _header_evidence(matrix, below, following) > 0:
            break
        if matrix.at(titles[-1], 1) is not None:
            break  # it spans columns, as sections of a body seldom do in the first rows
        titles.pop()
    return tuple(titles)


def _is_title_cell(cell: GridCell, matrix: Matrix) -> bool:
    return (
        cell.column == 0
        and cell.row_span == 1
        and (cell.column_span == 1 or cell.column_span >= 0.6 * matrix.n_columns)
    )


def _trailing_notes(matrix: Matrix) -> tuple[int, ...]:
    notes: list[int] = []
    for row in range(matrix.n_rows - 1, 1, -1):
        cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
        if len(cells) > 1 or (cells and not _is_note(cells[0])):
            break
        notes.append(row)
    return tuple(reversed(notes))


def _is_note(cell: GridCell) -> bool:
    text = cell.text.strip()
    return cell.column == 0 and (NOTE.match(text) is not None or len(text) > 2 * LONG_LABEL_CHARS)


def _header_rows(matrix: Matrix, below: list[_Below], start: int, end: int) -> tuple[int, ...]:
    """The header rows from start on; rows with a label only belong to them when a true header row follows."""
    last = None
    has_label_between = False
    corner_end = _corner_end(matrix, start)
    for row in range(start, min(start + MAX_HEADER_ROWS, end - 1)):
        if not _has_column_cells(matrix, row):
            has_label_between = last is not None and matrix.at(row, 0) is not None
            continue
        evidence = _header_evidence(matrix, below, row)
        if last is not None and (row < corner_end or _counts_up(matrix, row)):
            evidence = 1.0
        is_unit = _is_unit_row(matrix, row, range(1, matrix.n_columns))
        if evidence < 0 or (last is not None and ((evidence == 0 and not is_unit) or (is_unit and has_label_between))):
            break  # data, or the unit of the section above it
        if evidence > 0 or last is not None or _is_full_text_row(matrix, row):
            last = row
        if evidence == 0 and last == row and not _has_typed_column(below, row):
            break  # a table of texts: one header row
    if last is None:
        return ()
    reach = max((cell.row + cell.row_span for cell in _cells_between(matrix, start, last)), default=last + 1)
    return tuple(range(start, min(max(last + 1, _reach_within(matrix, start, last, reach)), end)))


def _corner_end(matrix: Matrix, start: int) -> int:
    """Where the merged cell in the top left corner ends: it reaches as deep as the headers do."""
    first = next(
        (row for row in range(start, matrix.n_rows) if not matrix.is_blank(row, range(matrix.n_columns))), start
    )
    corner = matrix.own(first, 0)
    return first + corner.row_span if corner is not None and corner.column_span == 1 else first


def _has_column_cells(matrix: Matrix, row: int) -> bool:
    """Whether something other than the row's label stands in the row."""
    return any(cell.column > 0 for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)))


def _counts_up(matrix: Matrix, row: int) -> bool:
    """Whether an unlabelled row numbers its columns: "1 2 3 1 2 3"."""
    cells = [cell for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)) if cell.row == row]
    if matrix.own(row, 0) is not None or len(cells) < 2:
        return False
    texts = [cell.text.strip() for cell in cells]
    numbers = [int(text) for text in texts if text.isdigit() and len(text) < 3]
    return len(numbers) == len(texts) and all(b in (a + 1, min(numbers)) for a, b in itertools.pairwise(numbers))


def _cells_between(matrix: Matrix, start: int, last: int) -> list[GridCell]:
    return [cell for row in range(start, last + 1) for cell in matrix.cells_of_row(row, range(matrix.n_columns))]


def _reach_within(matrix: Matrix, start: int, last: int, reach: int) -> int:
    """How far down merged header cells pull the header: over rows in which nothing but merged cells stands."""
    for row in range(last + 1, min(reach, matrix.n_rows)):
        if any(cell.row > last for cell in matrix.cells_of_row(row, range(matrix.n_columns))):
            return row
    return reach


def _header_evidence(matrix: Matrix, below: list[_Below], row: int) -> float:
    """Above 0 for a header row, below 0 for data, 0 where kinds tell nothing (all texts, or no cell at all)."""
    flags = [cell for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)) if cell.row == row]
    if flags and sum(cell.is_header for cell in flags) * 2 > len(flags):
        return 1.0
    evidence = 0.0
    for column in range(matrix.n_columns):
        cell = matrix.at(row, column)
        if cell is None or cell.row != row or (cell.column != column and cell.column_span == 1):
            continue
        evidence += _cell_evidence(matrix, below[column], row, column)
    return evidence


def _cell_evidence(matrix: Matrix, below: _Below, row: int, column: int) -> float:
    kind = matrix.kind(row, column)
    bottom = min(row, len(below.filled) - 1)
    typed, figures = below.share(bottom, below.typed), below.share(bottom, below.figures)
    if kind in ("number", "nil", "range"):
        is_plain = kind == "range" and figures >= TYPED_SHARE and column > 0
        return 1.0 if is_plain else (-2.0 if typed >= TYPED_SHARE or column > 0 else 0.0)
    if kind in PERIOD_KINDS:
        if figures >= TYPED_SHARE:
            return 1.0
        return -1.0 if typed >= TYPED_SHARE else 0.0
    if kind == "text":
        return 1.0 if typed >= TYPED_SHARE else 0.0
    return -0.5 if column > 0 and kind == "missing" else 0.0


def _is_full_text_row(matrix: Matrix, row: int) -> bool:
    cells = [matrix.at(row, column) for column in range(matrix.n_columns)]
    filled = [cell for cell in cells if cell is not None]
    return len(filled) >= max(2, matrix.n_columns - 1) and all(len(cell.text) < LONG_LABEL_CHARS for cell in filled)


def _has_typed_column(below: list[_Below], row: int) -> bool:
    return any(column.filled[row] and column.share(row, column.typed) >= TYPED_SHARE for column in below)


def _is_unit_row(matrix: Matrix, row: int, columns: Sequence[int]) -> bool:
    cells = {id(cell): cell for column in columns if (cell := matrix.at(row, column)) is not None and cell.row == row}
    texts = [" ".join(cell.text.split()) for cell in cells.values()]
    if len(cells) == 1 and all(cell.column_span > 1 for cell in cells.values()):
        return is_wide_unit_text(texts[0])
    return bool(cells) and all(is_unit_text(text) for text in texts)


def is_unit_row(matrix: Matrix, row: int, layout: Layout) -> bool:
    """Whether a row holds units and nothing else: no label, and only unit texts above the data columns."""
    return all(matrix.own(row, column) is None for column in layout.labels) and _is_unit_row(matrix, row, layout.data)


def _unit_rows(matrix: Matrix, headers: tuple[int, ...], data: tuple[int, ...]) -> tuple[int, ...]:
    """Header rows of units only, unless nothing else would be left to name the columns."""
    found = tuple(
        row
        for row in headers
        if (_is_unit_row(matrix, row, data) and (row == headers[-1] or _names_known_unit(matrix, row, data)))
        or (row == headers[-1] and _heads_all(matrix, row, data))
    )
    named = [row for row in headers if row not in found and any(matrix.own(row, column) for column in data)]
    return found if named else ()


def _names_known_unit(matrix: Matrix, row: int, data: tuple[int, ...]) -> bool:
    """Whether a unit row says a percentage, currency or scale; other words ("Years") may be headings as well."""
    return any(find_unit_and_scale(matrix.text(row, column)) != ("", 1) for column in data)


def _heads_all(matrix: Matrix, row: int, data: tuple[int, ...]) -> bool:
    """Whether one cell stands above all data columns: it tells no column from another."""
    cell = matrix.own(row, data[0])
    return cell is not None and len(data) > 1 and cell.column_span >= data[-1] - data[0] + 1


def _is_used(matrix: Matrix, column: int, start: int, end: int, headers: tuple[int, ...]) -> bool:
    return any((row, column) in matrix.covering for row in (*headers, *range(start, end)))


def _is_flat(matrix: Matrix) -> bool:
    return all(cell.row_span == 1 and cell.column_span == 1 and not cell.indent for cell in matrix.covering.values())


def _label_columns(matrix: Matrix, headers: tuple[int, ...], body: range) -> tuple[int, ...]:
    """The leading columns that name the rows: texts and dates left of the first column of figures."""
    kinds = [_body_kinds(matrix, column, body) for column in range(matrix.n_columns)]
    last_figures = max((c for c, found in enumerate(kinds) if found.figures >= TYPED_SHARE), default=None)
    labels: list[int] = []
    for column in range(min(MAX_LABEL_COLUMNS, matrix.n_columns - 1)):
        if column > 0 and (last_figures is None or last_figures < column):
            break
        if not _is_label_column(matrix, headers, column, kinds[column], bool(labels)):
            break
        labels.append(column)
    return tuple(labels)


@dataclass(frozen=True, slots=True)
class _BodyKinds:
    texts: float
    periods: float
    figures: float
    filled: int
    distinct: int
    mean_chars: float


def _body_kinds(matrix: Matrix, column: int, body: range) -> _BodyKinds:
    counts = {"texts": 0, "periods": 0, "figures": 0}
    seen: set[str] = set()
    chars = 0
    for row in body:
        cell = matrix.own(row, column)
        if cell is None:
            continue
        kind = matrix.kinds[row, column]
        if kind == "missing":
            continue
        if kind == "range" and column == 0:
            kind = "text"  # "200 to 399" names a class
        counts["figures" if kind in DATA_KINDS else "periods" if kind in PERIOD_KINDS else "texts"] += 1
        seen.add(cell.text)
        chars += len(cell.text)
    filled = sum(counts.values())
    share = {name: count / filled if filled else 0.0 for name, count in counts.items()}
    return _BodyKinds(
        share["texts"], share["periods"], share["figures"], filled, len(seen), chars / filled if filled else 0
    )


def _is_label_column(
    matrix: Matrix, headers: tuple[int, ...], column: int, kinds: _BodyKinds, is_further: bool
) -> bool:
    heads = [cell for row in headers if (cell := matrix.at(row, column)) is not None]
    if not is_further:
        is_named_figures = bool(heads) and kinds.figures > 1 - LABEL_SHARE
        if column > 0 or kinds.filled == 0:
            return column == 0 and not heads
        is_merged_down = len(headers) > 1 and all(cell.row_span >= len(headers) for cell in heads)
        return not is_named_figures or is_merged_down or any(RANK_NAME.match(cell.text.strip()) for cell in heads)
    if any(cell.column_span > 1 for cell in heads) or not _spans_whole_header(matrix, headers, column):
        return False
    is_merged_down = len(headers) > 1 and any(cell.row_span > 1 for cell in heads)
    if kinds.distinct < 2 and kinds.filled > 3 and not is_merged_down:
        return False  # one and the same word in every row tells no row from another
    named = kinds.texts + kinds.periods >= LABEL_SHARE
    if is_merged_down:
        return named
    name = " ".join(cell.text for cell in heads)
    if kinds.periods >= LABEL_SHARE and PERIOD_NAME.search(name):
        return True
    return named and kinds.mean_chars <= LONG_LABEL_CHARS and kinds.texts > 1 - LABEL_SHARE


def _spans_whole_header(matrix: Matrix, headers: tuple[int, ...], column: int) -> bool:
    """Whether one header cell, or none, stands above the column: group headings above figures do not reach labels."""
    cells = {id(cell) for row in headers if (cell := matrix.at(row, column)) is not None}
    if len(headers) < 2 or not cells:
        return True
    tops = [matrix.at(row, column) for row in headers]
    return len(cells) == 1 and (all(tops) or tops[-1] is not None or _has_no_spans(matrix, headers))


def _has_no_spans(matrix: Matrix, headers: tuple[int, ...]) -> bool:
    return all(
        cell.column_span == 1 and cell.row_span == 1
        for row in headers
        for cell in matrix.cells_of_row(row, range(matrix.n_columns))
    )


def top_paths(matrix: Matrix, layout: Layout) -> dict[int, tuple[str, ...]]:
    """Each data column's header texts from the outermost in; () where nothing stands above it."""
    levels = [_level_cells(matrix, layout, row) for row in layout.headers]
    paths: dict[int, tuple[str, ...]] = {}
    for column in layout.data:
        chain: list[GridCell] = []
        for level in levels:
            cell = level.get(column)
            if cell is not None and (not chain or cell is not chain[-1]):
                chain.append(cell)
        paths[column] = _chain_to_path(chain, levels)
    for column in layout.data[1:]:
        if _has_percentages(matrix, layout, column) and not _has_percentages(matrix, layout, column - 1):
            left = paths.get(column - 1, ())
            if left and paths[column] in ((), left[:-1], left):
                paths[column] = (*left, "%")
    return paths


def _has_percentages(matrix: Matrix, layout: Layout, column: int) -> bool:
    """Whether most figures of a column are percentages: next to amounts, they stand under the amounts' heading."""
    texts = [matrix.text(row, column) for row in layout.body if matrix.kind(row, column) in ("number", "nil")]
    return bool(texts) and sum("%" in text for text in texts) >= LABEL_SHARE * len(texts)


def _chain_to_path(chain: list[GridCell], levels: list[dict[int, GridCell]]) -> tuple[str, ...]:
    """Texts of the chain; a date that was broken over two lines ("September 29," above "2019") is joined again."""
    path: list[str] = []
    for place, cell in enumerate(chain):
        text = " ".join(cell.text.split())
        if path and text == path[-1]:
            continue
        upper = chain[place - 1] if place else None
        if upper is not None and re.fullmatch(r"(?:19|20)\d\d(?:\s?\(\w\))?", text) and re.search(r"\d\s?,$", path[-1]):
            covered = sum(1 for level in levels for other in level.values() if other is upper)
            if covered == 1:
                path[-1] = f"{path[-1]} {text}"
                continue
        path.append(text)
    return tuple(path)


def _level_cells(matrix: Matrix, layout: Layout, row: int) -> dict[int, GridCell]:
    """The header cell that each data column has in one header row, spread over blanks where no spans are known."""
    level = {
        column: cell
        for column in layout.data
        if (cell := matrix.at(row, column)) is not None and not EMPTY_WORDS.match(cell.text.strip())
    }
    is_last = row == layout.headers[-1]
    if is_last or not level or len(level) == len(layout.data) or not _has_no_spans(matrix, layout.headers):
        return level
    lower = [matrix.kind(row + 1, column) if row + 1 in layout.headers else "blank" for column in layout.data]
    spread = spread_over_blanks([column in level for column in layout.data], lower)
    return {layout.data[i]: level[layout.data[source]] for i, source in enumerate(spread) if source is not None}


def spread_over_blanks(filled: Sequence[bool], lower: Sequence[str]) -> list[int | None]:
    """For each place of a header row, the place whose cell heads it.

    A group heading stands at the left end or in the middle of its group, and groups end where the kind of the cells
    below changes. Example: filled at 1 of 3 -> [1, 1, 1]; at 0 and 2 of 4 -> [0, 0, 2, 2];
    at 1 and 3 of 4 over year, year, text, text -> [1, 1, 3, 3].
    """
    places = [i for i, is_filled in enumerate(filled) if is_filled]
    n = len(filled)
    if len(places) == 1 and places[0] == n - 1 and n > 1 and len(set(lower)) > 1:
        return [None] * (n - 1) + [n - 1]  # the first line of a wrapped last header
    if places == list(range(n - 1)) and len(places) > 2 and "blank" not in lower:
        return [*places, None]  # a column of its own after a row of single headings: "First … Fourth, Total"
    if places[0] == 0:
        return [max(place for place in places if place <= i) for i in range(n)]
    best = _best_partition(places, lower)
    return [next(place for place, (start, end) in zip(places, best, strict=True) if start <= i < end) for i in range(n)]


def _best_partition(places: list[int], lower: Sequence[str]) -> list[tuple[int, int]]:
    """Cut 0..n into one run for each place, each holding its place near the middle; dynamic programming over cuts."""
    n = len(lower)
    costs: dict[int, tuple[float, list[tuple[int, int]]]] = {0: (0.0, [])}
    for place in places:
        following: dict[int, tuple[float, list[tuple[int, int]]]] = {}
        for start, (cost, runs) in costs.items():
            for end in range(max(place, start) + 1, n + 1):
                if not start <= place < end:
                    continue
                mixed = sum(lower[i] != lower[i + 1] for i in range(start, end - 1))
                total = cost + abs((start + end - 1) / 2 - place) + mixed
                if end not in following or total < following[end][0]:
                    following[end] = (total, [*runs, (start, end)])
        costs = following
    return costs[n][1]
