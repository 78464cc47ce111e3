"""Header rows that name a table's columns by numbers: "1 2 3 4", "Team 1 2 3 Total", or the codes of a list."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from mixrag_cli.quantities.values import parse_value
from mixrag_cli.records.documents import GridCell
from mixrag_cli.tables.matrix import Matrix

MIN_COUNTED = 4  # columns that are numbered from the first on; three numbers may be data; set by judgement, as
MIN_RISING = 3  # below one heading,
MIN_CODES = 8  # of columns that are named by codes,
MAX_ABOVE_NAMES = 10  # rows above the names of columns that are numbered and marked there
MAX_ABOVE_COUNTED = 3  # rows from a title to the names of columns that it stands above
_COUNTED = re.compile(r"(\D*)(\d{1,2})")
DECIMAL_SHARE = 0.5  # and which part of the figures below them has decimals


def counts_up(matrix: Matrix, row: int) -> bool:
    """Whether a row numbers its columns: "1 2 3 1 2 3" without a label, or "(1) (2) (3)" over all columns."""
    if matrix.own(row, 0) is not None:
        return numbers_all_columns(matrix, row)
    n_cells, numbers = _numbers_of_row(matrix, row)
    return 1 < n_cells == len(numbers) and all(b in (a + 1, min(numbers)) for a, b in itertools.pairwise(numbers))


def counts_beside_labels(matrix: Matrix, row: int) -> bool:
    """Whether a row numbers all columns beside the labels, as plates do, the last perhaps not: "row 1 2 3 4 Kind"."""
    kinds = [matrix.kind(row, column) for column in range(matrix.n_columns)]
    _, numbers = _numbers_of_row(matrix, row)
    behind = kinds[1 + len(numbers) :]
    is_whole = kinds[0] in ("text", "blank") and behind in ([], ["text"], ["blank"])
    return is_whole and len(numbers) >= MIN_COUNTED and numbers in (list(range(n, n + len(numbers))) for n in (0, 1))


def numbers_all_columns(matrix: Matrix, row: int) -> bool:
    """Whether a row holds nothing but the numbers of all columns, from 1 on; it names none of them."""
    n_cells, numbers = _numbers_of_row(matrix, row)
    return n_cells == matrix.n_columns > 2 and numbers == list(range(1, n_cells + 1))


def _numbers_of_row(matrix: Matrix, row: int) -> tuple[int, list[int]]:
    """How many cells begin in a row, and those that are small whole numbers, in parentheses or not."""
    cells = [cell for cell in matrix.cells_of_row(row, range(matrix.n_columns)) if cell.row == row]
    texts = [cell.text.strip().removeprefix("(").removesuffix(")") for cell in cells]
    return len(cells), [int(text) for text in texts if text.isdecimal() and len(text) < 3]


def counts_to_total(matrix: Matrix, row: int) -> int | None:
    """The column of the text up to which a row numbers its columns, as pivot tables do: "Team 1 2 3 Total".

    They may be codes of as many digits each: "Candidate 22401 22402 22006 Total".
    """
    cells = [cell for cell in matrix.cells_of_row(row, range(matrix.n_columns)) if cell.row == row]
    kinds = [matrix.kind(row, cell.column) for cell in cells]
    numbers = [cell.text.strip() for cell in cells if cell.text.strip().isdecimal()]
    first = next((at for at, kind in enumerate(kinds) if kind != "text"), len(kinds))
    is_between = first > 0 and len(numbers) > 1 and len(kinds) == first + len(numbers) + 1 and kinds[-1] == "text"
    return cells[-1].column if is_between and (_counts(numbers) or _are_codes(numbers)) else None


def rises_below_groups(matrix: Matrix, row: int) -> bool:
    """Whether a row below headings over several columns each names what stands under them by numbers that rise.

    Example: "Water (3 columns) | Bolus (3 columns)" above "Energy | 0 cm | 1 cm | 2 cm | 3 | 4 | 5". The row has a
    label where the headings have none, fills all columns, and no row below it rises so as well.
    """
    groups = _groups_above(matrix, row, MIN_RISING)
    is_labelled = bool(groups) and matrix.at(row - 1, 0) is None and matrix.kind(row, 0) == "text"
    if not is_labelled:
        return False
    under = [range(cell.column, cell.column + cell.column_span) for cell in groups]
    return _rises(matrix, row, under) and not any(_rises(matrix, at, under) for at in range(row + 1, matrix.n_rows))


def repeats_below_groups(matrix: Matrix, row: int) -> bool:
    """Whether a row says the same numbers, in the same order, under each of the headings over several columns that
    stand above it, and the next row says a text in each of these columns.

    Example: "4 channels (2 columns) | 1 channel (2 columns)" above "f | 99609 | 49805 | 99609 | 49805" and "R_0 | R_1 |
    R_0 | R_1".
    """
    columns = range(1, matrix.n_columns)
    groups = _groups_above(matrix, row, 2)
    if len(groups) < 2:
        return False
    said = {tuple(matrix.text(row, cell.column + at) for at in range(cell.column_span)) for cell in groups}
    kinds = [{matrix.kind(at, column) for column in columns} for at in (row, row + 1)]
    return len(said) == 1 and kinds == [{"number"}, {"text"}]


def _groups_above(matrix: Matrix, row: int, least: int) -> list[GridCell]:
    """The headings right above a row that span at least so many columns each, and all of them together; else []."""
    columns = range(1, matrix.n_columns)
    groups = list(matrix.cells_of_row(row - 1, columns)) if row else []
    are_wide = all(cell.column_span >= least and cell.row == row - 1 for cell in groups)
    return groups if are_wide and sum(cell.column_span for cell in groups) >= len(columns) else []


def _rises(matrix: Matrix, row: int, groups: Sequence[range]) -> bool:
    """Whether a number stands in each column of a row, and they rise from column to column of each group."""
    values = [[parse_value(matrix.text(row, column)).value for column in group] for group in groups]
    return all(a is not None and b is not None and a < b for group in values for a, b in itertools.pairwise(group))


def _counts(numbers: Sequence[str]) -> bool:
    """Whether small whole numbers go up by one."""
    first = int(numbers[0])
    return max(map(len, numbers)) < 3 and [*map(int, numbers)] == list(range(first, first + len(numbers)))


def _are_codes(numbers: Sequence[str]) -> bool:
    """Whether whole numbers of as many digits each are all different."""
    return len(set(numbers)) == len(numbers) >= MIN_CODES and len(numbers[0]) >= 3 and len({*map(len, numbers)}) == 1


def names_by_codes(matrix: Matrix, row: int) -> bool:
    """Whether a row gives all columns beside its labels a whole number, no two alike, above figures with decimals.

    So are donors, sectors, wavelengths and nodes named: "donor_code,1012,913,914,…" above "Albania,13.04,0.005,…". The
    last heading may be a text.
    """
    texts = [matrix.text(row, column) for column in range(matrix.n_columns)]
    first = next((at for at, text in enumerate(texts) if text.isdecimal()), 0)
    codes = texts[first:] if texts[-1].isdecimal() else texts[first:-1]
    is_coded = len(set(codes)) == len(codes) >= MIN_CODES and all(map(str.isdecimal, codes))
    labels = [matrix.kind(row, column) for column in range(first)]
    if not is_coded or labels[:1] not in (["text"], ["blank"]) or any(kind != "text" for kind in labels[1:]):
        return False
    columns = range(first, first + len(codes))
    below = [
        text
        for at in range(row + 1, matrix.n_rows)
        for column in columns
        if matrix.kind(at, column) == "number" and (text := matrix.text(at, column))
    ]
    return bool(below) and sum(not text.isdecimal() for text in below) > DECIMAL_SHARE * len(below)


def parts_counted_names(matrix: Matrix, row: int, end: int) -> bool:
    """Whether a text stands over the midst of columns that are counted on at both its sides, and so heads none of them.

    A page's title does so above "Pct 1" to "Pct 9", over "Pct 3" to "Pct 6". Nothing else stands in its row, but a text
    at the left edge and marks without letters.
    """
    cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
    wide = [cell for cell in cells if cell.column > 0 and cell.column_span > 1 and cell.row_span == 1]
    others = [cell for cell in cells if cell.column > 0 and any(map(str.isalnum, cell.text))]
    if len(wide) != 1 or others != wide:
        return False
    first, last = wide[0].column, wide[0].column + wide[0].column_span - 1
    for at in range(row + 1, min(row + MAX_ABOVE_COUNTED + 1, end)):
        names = [_COUNTED.fullmatch(matrix.text(at, column)) for column in range(first - 1, last + 2)]
        counted = [(match[1], int(match[2])) for match in names if match]
        if len(counted) == len(names):
            return all(a == b and n + 1 == m for (a, n), (b, m) in itertools.pairwise(counted))
    return False


def counts_below_heading(matrix: Matrix, row: int, column: int) -> bool:
    """Whether the one number of a row that could be a year counts, as the figures below it do.

    It stands before texts, or behind a label and below a heading: one beside the label's, or marked as no other cell of
    its row is. Years head several columns, or stand right below a title.
    """
    years = [
        c.column for c in matrix.cells_of_row(row, range(matrix.n_columns)) if matrix.kind(row, c.column) == "year"
    ]
    if len(years) > 1:
        return False
    if column == 0:
        return matrix.kind(row, 1) == "text"
    above = matrix.own(row - 1, column)
    if above is None or matrix.kinds[above.row, above.column] != "text" or above.column_span > 1:
        return False
    is_marked = any(cell.is_header for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)))
    is_headed = matrix.kind(row - 1, 0) == "text" or (above.is_header and not is_marked)
    return matrix.kind(row, 0) == matrix.kind(row + 1, 0) == "text" and is_headed


def headers_around_codes(matrix: Matrix, start: int, end: int) -> tuple[int, ...]:
    """The header rows of a table that helpers stand above: the row that names the columns, and groups; else ().

    Makers of sheets number and mark columns above their names: "| 190 | 290", "| 1 | 1" and "Code | Roads | Buses"
    above "E05 | 12 | 13.5". Such rows hold whole numbers alone and leave out labels, all but one at most. The names are
    texts alone, of more columns than any row above fills, and what is below fills no others.
    """
    columns = range(matrix.n_columns)
    filled = {
        row: {cell.column for cell in matrix.cells_of_row(row, columns)}
        for row in range(start, min(start + MAX_ABOVE_NAMES + 2, end))
    }
    for names in range(start + 1, start + len(filled) - 1):
        above = range(start, names)
        helpers = [row for row in above if _is_helper(matrix, row, filled[row])]
        labels = {column for column in filled[names + 1] if matrix.kind(names + 1, column) == "text"}
        is_widest = all(len(filled[row]) < len(filled[names]) for row in above)
        are_names = {matrix.kind(names, column) for column in filled[names]} == {"text"}
        is_named = filled[names + 1] <= filled[names] and 0 in labels and len(filled[names + 1] - labels) >= MIN_CODES
        if not (helpers and is_widest and are_names and is_named):
            continue
        others = [row for row in above if row not in helpers]
        groups = [row for row in others if row > helpers[0] and len(filled[row]) > 1 and not filled[row] & labels]
        are_few = sum(0 in filled[row] for row in helpers) < 2
        return (*groups, names) if are_few else ()
    return ()


def _is_helper(matrix: Matrix, row: int, filled: set[int]) -> bool:
    """Whether a row gives columns whole numbers and says nothing else, but perhaps what they are in the first."""
    codes = [matrix.text(row, column) for column in filled if column]
    return len(codes) >= MIN_CODES and all(map(str.isdecimal, codes)) and matrix.kind(row, 0) in ("text", "blank")
