"""Where a table's headers are: title and note rows, header rows, unit rows, and what they leave for the body.

1. titles lead, notes trail: rows with one cell only
2. header rows follow: their cells differ in kind from what stands below them (see header_rows)
3. label columns lead (see label_columns)
4. header rows that hold units only are set apart

The paths of the columns are made from the layout in top_paths.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from mixrag_cli.quantities.unit_words import find_unit_and_scale
from mixrag_cli.records.documents import GridCell
from mixrag_cli.tables.header_evidence import Below, count_below, header_evidence
from mixrag_cli.tables.header_rows import find_header_rows, is_unit_line
from mixrag_cli.tables.label_columns import LONG_LABEL_CHARS, find_label_columns
from mixrag_cli.tables.matrix import Matrix
from mixrag_cli.tables.numbered_columns import numbers_all_columns, parts_counted_names
from mixrag_cli.tables.text_rows import says_kind_of_answers

MAX_TITLE_ROWS = 6
MOST_COLUMNS = 0.6  # that a title stands across
MIN_LABELLED = 0.8  # of the rows below names of columns without a label; set by judgement
TITLE_ASIDE = 2  # cells of a title row with something at its side,
TITLE_AND_HEADER = 3  # and the rows of it, of a second title and of the first headers
TABLE_NUMBER = re.compile(r"^(?:table\s)?\d{1,3}(?:[.-]\d{1,3})*[a-z]?[.:]?$", re.I)
MIN_NAMED = 3  # columns that are named in one header row, where another says their units or identifiers
_UNITS = re.compile(r"\W*units?\W*$", re.I)
_IDENTIFIER = re.compile(r"[^\W\d]\w*_\w+$")  # "inv_snl_vdco"
BRACKETS = frozenset("()[]")
NOTE = re.compile(r"^(?:notes?\b|sources?\b|\(\w{1,2}\)\s|\[\w{1,2}\]|[*†‡§¹²³]|\d\.\s|_{3,}|-{3,})", re.I)
TOTAL = re.compile(r"^(?:(?:grand|net|sub)[ -]?)?totals?\b|\b(?:sub)?totals?\s*$|^sum$", re.I)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which rows and columns of a matrix play which part.

    body: the rows below the headers without notes. has_header: False where no row could be told from the data.
    is_flat: one header row, no spans, nothing but records below (a database export). axes: what header rows are about.
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
    axes: tuple[tuple[int, str], ...]


def find_layout(matrix: Matrix) -> Layout | None:
    """The layout, or None where the matrix is no table (fewer than two columns or rows, or no body)."""
    if matrix.n_columns < 2 or matrix.n_rows < 2:
        return None
    notes = _trailing_notes(matrix)
    end = notes[0] if notes else matrix.n_rows
    below = [count_below(matrix, column, end) for column in range(matrix.n_columns)]
    titles = _leading_titles(matrix, below, end)
    first = titles[-1] + 1 if titles else 0
    headers = () if matrix.is_headless else find_header_rows(matrix, below, first, end)
    if _names_below_group(matrix, headers, end):
        headers = (*headers, headers[-1] + 1)
    start = headers[-1] + 1 if headers else first
    if start >= end:
        return None
    headers = _without_ids(matrix, _without_kinds(matrix, headers, end))
    labels = find_label_columns(matrix, headers, range(start, end))
    data = tuple(
        column for column in range(len(labels), matrix.n_columns) if _is_used(matrix, column, start, end, headers)
    )
    if not data:
        return None
    axes = _axis_names(matrix, headers, data, range(start, end))
    if axes:
        data = data[1:]
        names = [matrix.own(start, column) for column in labels]
        if all(names) and matrix.is_blank(start, range(data[0], matrix.n_columns)):
            headers, start = (*headers, start), start + 1
    units = _unit_rows(matrix, headers, data)
    is_flat = len(headers) == 1 and not titles and _is_flat(matrix, labels)
    kept = tuple(row for row in headers if row not in units)
    kept = tuple(row for row in kept if not numbers_all_columns(matrix, row)) or kept
    return Layout(titles, kept, units, range(start, end), notes, labels, data, bool(headers), is_flat, axes)


def _names_below_group(matrix: Matrix, headers: tuple[int, ...], end: int) -> bool:
    """Whether the row below a heading over most columns names columns: texts without the label that others have.

    It may leave columns blank, as the numbers of pins and what they are for.
    """
    if not headers or matrix.at(headers[-1], 0) is not None:
        return False
    row = headers[-1] + 1
    columns = range(1, matrix.n_columns)
    names = list(matrix.cells_of_row(row, columns)) if row < end - 1 else []
    is_grouped = any(cell.column_span >= MOST_COLUMNS * len(columns) for cell in matrix.cells_of_row(row - 1, columns))
    are_names = len(names) > 1 and all(cell.row == row and matrix.kind(row, cell.column) == "text" for cell in names)
    labelled = [matrix.at(at, 0) is not None for at in range(row + 1, end)]
    is_alone = matrix.at(row, 0) is None and sum(labelled) >= MIN_LABELLED * len(labelled)
    return is_grouped and are_names and is_alone


def _without_kinds(matrix: Matrix, headers: tuple[int, ...], end: int) -> tuple[int, ...]:
    """The header rows without a second one that says the kind of the answers, where the first tells columns apart."""
    if len(headers) != 2 or not says_kind_of_answers(matrix, headers[1], end):
        return headers
    names = [matrix.text(headers[0], cell.column) for cell in matrix.cells_of_row(headers[1], range(matrix.n_columns))]
    is_unit = is_unit_line(matrix, headers[1], range(1, matrix.n_columns))
    return headers[:1] if len(set(names)) == len(names) and not is_unit else headers


def _without_ids(matrix: Matrix, headers: tuple[int, ...]) -> tuple[int, ...]:
    """The header rows without a last one that says, below a name for each column, what programs call it."""
    if len(headers) < 2 or not _are_named_above(matrix, headers[-1], headers[0]):
        return headers
    texts = [cell.text.strip() for cell in matrix.cells_of_row(headers[-1], range(1, matrix.n_columns))]
    return headers[:-1] if len(set(texts)) == len(texts) and all(map(_IDENTIFIER.match, texts)) else headers


def _are_named_above(matrix: Matrix, row: int, names: int) -> bool:
    """Whether a further row names the labels and every column of a row's cells, three and more, none like another."""
    cells = list(matrix.cells_of_row(row, range(1, matrix.n_columns)))
    texts = [matrix.text(names, cell.column) for cell in cells]
    is_labelled = matrix.own(row, 0) is not None and matrix.own(names, 0) is not None
    is_below = all(cell.row == row > names and cell.column_span == 1 for cell in cells)
    return is_labelled and is_below and len(texts) >= MIN_NAMED and all(texts) and len(set(texts)) == len(texts)


def _axis_names(
    matrix: Matrix, headers: tuple[int, ...], data: tuple[int, ...], body: range
) -> tuple[tuple[int, str], ...]:
    """What two header rows and more are about, each with its row: texts in a column of their own, with nothing below.

    Crossed tables are printed so: "Age" before "Child" and "Adult", "Survived" below it before "No" and "Yes".
    """
    if len(headers) < 2 or len(data) < 3 or any(matrix.own(row, data[0]) for row in body):
        return ()
    cells = [matrix.own(row, data[0]) for row in headers]
    names = tuple((cell.row, cell.text.strip()) for cell in cells if cell is not None and cell.column_span == 1)
    is_named = len({name for _, name in names}) == len(headers)
    return names if is_named and all(matrix.at(row, data[1]) for row in headers) else ()


def _leading_titles(matrix: Matrix, below: list[Below], end: int) -> tuple[int, ...]:
    """Leading rows with one cell at the left, or one across most columns, as long as a header row follows them."""
    titles: list[int] = [0, 1] if _is_title_with_aside(matrix, below, end) else []
    titles = [0] if _is_numbered_title(matrix, end) else titles or _titles_beside(matrix, end)
    above = _last_across(matrix, end)
    for row in range(len(titles), min(MAX_TITLE_ROWS, end - 1)):
        cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
        parts_names = parts_counted_names(matrix, row, end)
        if len(cells) > 1 and not parts_names and not _stands_over_part(matrix, row, end):
            break
        is_title = len(cells) == 1 and (
            parts_names
            or _is_title_cell(cells[0], matrix)
            or (cells[0].column == 0 and row < above)
            or (bool(titles) and _is_aside(cells[0], matrix))
        )
        if len(cells) == 1 and (not is_title or _is_key_alone(matrix, row)):
            break
        titles.append(row)
    while titles and not matrix.is_blank(titles[-1], range(matrix.n_columns)):
        following = next(
            (row for row in range(titles[-1] + 1, end) if not matrix.is_blank(row, range(matrix.n_columns))), None
        )
        if following is not None and header_evidence(matrix, below, following) > 0:
            break
        if matrix.at(titles[-1], 1) is not None:
            break  # it spans columns, as sections of a body seldom do in the first rows
        titles.pop()
    return tuple(titles)


def _stands_over_part(matrix: Matrix, row: int, end: int) -> bool:
    """Whether the one text over several columns stands above a heading that is wider, so that it heads none.

    Example: "by date of registration" over C and D, above "deaths" over C, D and E.
    """
    if row + 1 >= end:
        return False
    above, below = (
        [(cell.column, cell.column + cell.column_span) for cell in matrix.cells_of_row(at, range(matrix.n_columns))]
        for at in (row, row + 1)
    )
    wide = [(first, last) for first, last in above if last - first > 1]
    return len(wide) == 1 and any(
        left <= first and last <= right and last - first < right - left for first, last in wide for left, right in below
    )


def _is_title_with_aside(matrix: Matrix, below: list[Below], end: int) -> bool:
    """Whether the first row says a title and, at its side, a date or the like: a second title alone is below it.

    Headers of more columns than that follow at once.
    """
    columns = range(matrix.n_columns)
    counts = [len(list(matrix.cells_of_row(row, columns))) for row in range(min(TITLE_AND_HEADER, end))]
    if len(counts) < TITLE_AND_HEADER or not counts[0] == TITLE_ASIDE < counts[2] or counts[1] != 1:
        return False
    cells = list(matrix.cells_of_row(0, columns))
    first = next(matrix.cells_of_row(1, columns))
    is_text = all(matrix.kinds[cell.row, cell.column] == "text" and cell.row_span == 1 for cell in cells)
    return is_text and cells[0].column == first.column and header_evidence(matrix, below, 2) > 0


def _titles_beside(matrix: Matrix, end: int) -> list[int]:
    """The first rows where several hold one text each over the same columns, half of all and more but the first ones.

    So do titles stand beside a picture, and over the names of the columns below it none. One alone may be a heading.
    """
    found: list[int] = []
    reach: tuple[int, int] | None = None
    for row in range(min(MAX_TITLE_ROWS, end - 1)):
        cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
        own = (cells[0].column, cells[0].column_span) if len(cells) == 1 else (0, 0)
        if own[0] == 0 or 2 * own[1] < matrix.n_columns or reach not in (None, own):
            break
        reach = own
        found.append(row)
    return found if len(found) > 1 else []


def _is_numbered_title(matrix: Matrix, end: int) -> bool:
    """Whether the first row says the table's number and beside it the title, above rows of more cells."""
    columns = range(matrix.n_columns)
    cells = list(matrix.cells_of_row(0, columns))
    if len(cells) != TITLE_ASIDE or cells[0].column > 0 or TABLE_NUMBER.match(cells[0].text.strip()) is None:
        return False
    widest = max(
        (len(list(matrix.cells_of_row(row, columns))) for row in range(1, min(MAX_TITLE_ROWS + 1, end))), default=0
    )
    is_text = matrix.kinds[cells[1].row, cells[1].column] == "text"
    return is_text and cells[1].column == 1 and all(cell.row_span == 1 for cell in cells) and widest > TITLE_AND_HEADER


def _is_title_cell(cell: GridCell, matrix: Matrix) -> bool:
    is_low = cell.row_span == 1 and (cell.column_span == 1 or _is_across(cell, matrix) or _is_above_names(cell, matrix))
    return cell.column == 0 and (is_low or cell.column_span >= matrix.n_columns)


def _is_above_names(cell: GridCell, matrix: Matrix) -> bool:
    """Whether a name of its own stands in the next row below each column that a cell covers, and right of them."""
    columns = range(cell.column, min(cell.column + cell.column_span + 1, matrix.n_columns))
    return all(matrix.own(cell.row + 1, column) is not None for column in columns)


def _is_across(cell: GridCell, matrix: Matrix) -> bool:
    return cell.column == 0 and cell.column_span >= MOST_COLUMNS * matrix.n_columns


def _last_across(matrix: Matrix, end: int) -> int:
    """The last of the first rows that one text fills, across most columns; -1 without it. No heading stands above."""
    rows = [list(matrix.cells_of_row(row, range(matrix.n_columns))) for row in range(min(MAX_TITLE_ROWS, end - 1))]
    alone = [cells[0] for cells in takewhile(lambda cells: len(cells) < 2, rows) if cells]
    return max((cell.row for cell in alone if _is_across(cell, matrix)), default=-1)


def _is_aside(cell: GridCell, matrix: Matrix) -> bool:
    """Whether a text in brackets stands alone over the last column, as what all figures are in does: "(TL)"."""
    is_last = cell.column == matrix.n_columns - 1 > 1 and cell.row_span == cell.column_span == 1
    text = cell.text.strip()
    is_bracketed = len(text) > 2 and text[0] in "([" and text[-1] in ")]" and BRACKETS.isdisjoint(text[1:-1])
    return is_last and is_bracketed


def _is_key_alone(matrix: Matrix, row: int) -> bool:
    """Whether a row is a key of a form that was left without its value: a colon behind it, and behind the next key."""
    return matrix.text(row, 0).endswith(":") and matrix.text(row + 1, 0).endswith(":")


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


def is_unit_row(matrix: Matrix, row: int, layout: Layout) -> bool:
    """Whether a row holds units and nothing else: no label, and only unit texts above the data columns."""
    return all(matrix.own(row, column) is None for column in layout.labels) and is_unit_line(matrix, row, layout.data)


def _unit_rows(matrix: Matrix, headers: tuple[int, ...], data: tuple[int, ...]) -> tuple[int, ...]:
    """Header rows of units only, unless nothing else would be left to name the columns."""
    found = tuple(
        row
        for row in headers
        if (is_unit_line(matrix, row, data) and (row == headers[-1] or _names_known_unit(matrix, row, data)))
        or (row == headers[-1] and _heads_all(matrix, row, data))
        or (is_called_units(matrix, row) and _are_named_above(matrix, row, headers[0]))
    )
    named = [row for row in headers if row not in found and any(matrix.own(row, column) for column in data)]
    return found if named else ()


def is_called_units(matrix: Matrix, row: int) -> bool:
    """Whether the row's label says that units stand beside it."""
    return _UNITS.match(matrix.text(row, 0)) is not None


def texts_above(matrix: Matrix, row: int, data: tuple[int, ...]) -> dict[int, str]:
    """What a unit row says of each data column, each text spread over the blanks to its right; a lone one to its left,
    too. Of several texts none is spread to a column that has a heading of its own: it has no unit ("Volume L, pH")."""
    cells = list(matrix.cells_of_row(row, range(data[0], matrix.n_columns)))
    is_lone = len(cells) == 1
    last = cells[0] if is_lone and cells[0].column_span == 1 else None
    texts: dict[int, str] = {}
    for column in data:
        own = matrix.at(row, column)
        last = own or last
        if last is not None and (own or is_lone or not (row and matrix.own(row - 1, column))):
            texts[column] = " ".join(last.text.split())
    return texts


def _names_known_unit(matrix: Matrix, row: int, data: tuple[int, ...]) -> bool:
    """Whether a unit row says a percentage, currency or scale; other words ("Years") may be headings as well."""
    return any(find_unit_and_scale(matrix.text(row, column)) != ("", 1) for column in data)


def _heads_all(matrix: Matrix, row: int, data: tuple[int, ...]) -> bool:
    """Whether one cell stands above all data columns: it tells no column from another."""
    cell = matrix.own(row, data[0])
    return cell is not None and len(data) > 1 and cell.column_span >= data[-1] - data[0] + 1


def _is_used(matrix: Matrix, column: int, start: int, end: int, headers: tuple[int, ...]) -> bool:
    return any((row, column) in matrix.covering for row in (*headers, *range(start, end)))


def _is_flat(matrix: Matrix, labels: tuple[int, ...]) -> bool:
    """Whether no cell spans several places, and no label is set in; figures are, to stand below each other."""
    return all(
        cell.row_span == cell.column_span == 1 and not (cell.indent and cell.column in labels)
        for cell in matrix.covering.values()
    )
