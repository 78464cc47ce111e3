"""Which rows of a table of texts are its header, where kinds tell nothing: those that fill the columns."""

from __future__ import annotations

from collections import Counter

from mixrag_cli.records.documents import GridCell
from mixrag_cli.tables.label_columns import LONG_LABEL_CHARS
from mixrag_cli.tables.matrix import PERIOD_KINDS, Matrix

MAX_ASIDE = 0.1  # of the rows: a column with no more cells holds jottings; set by judgement, as
MIN_SAID = 3  # times in a row,
MOST = 0.9  # of its cells, above rows of which as many have a label;
MIN_USED = 3  # columns that others fill, and
MAX_MARKS = 3  # that cross a table of what tests what: "X", "yes", "no"; set by judgement
MIN_MERGED = 3  # rows below one name: a header of two is usual


def is_full_text_row(matrix: Matrix, row: int) -> bool:
    """Whether short texts stand in all columns, or all but one; or in all that most rows below fill, three and more.

    In a full row of three and more one may be long, where what stands below it seldom is: a heading that explains.
    """
    cells = [matrix.at(row, column) for column in range(matrix.n_columns)]
    filled = [cell for cell in cells if cell is not None]
    long = [cell.column for cell in filled if _is_long(cell)]
    is_explained = len(long) == 1 and len(filled) == matrix.n_columns > 2 and not _is_long_below(matrix, row, long[0])
    is_full = len(filled) >= max(2, matrix.n_columns - 1) or _fills_used(matrix, row)
    return is_full and (not long or is_explained)


def _fills_used(matrix: Matrix, row: int) -> bool:
    """Whether texts stand in all columns, three and more, but those that hardly a row below fills."""
    rows = range(row + 1, matrix.n_rows)
    n_filled = [sum(matrix.own(at, column) is not None for at in rows) for column in range(matrix.n_columns)]
    used = [column for column, n in enumerate(n_filled) if n > MAX_ASIDE * len(rows)]
    return len(used) >= MIN_USED and all(matrix.own(row, column) is not None for column in used)


def says_kind_of_answers(matrix: Matrix, row: int, end: int) -> bool:
    """Whether a row without a label says one text over and over, which stands nowhere below it: "Response", say.

    Exports of surveys have such a row below the questions. A cell in ten may say something else.
    """
    cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
    texts = Counter(" ".join(cell.text.split()) for cell in cells)
    text, n_said = texts.most_common(1)[0] if texts else ("", 0)
    columns = [cell.column for cell in cells if matrix.text(row, cell.column) == text]
    if n_said < MIN_SAID or n_said < MOST * len(cells) or matrix.at(row, 0) or matrix.kind(row, columns[0]) != "text":
        return False
    below = range(row + 1, end)
    n_labelled = sum(matrix.at(at, 0) is not None for at in below)
    is_above = all(matrix.at(row - 1, column) is not None for column in columns)
    is_new = not any(matrix.text(at, column) == text for at in below for column in columns)
    return is_above and is_new and n_labelled >= MOST * len(below) > 0


def is_merged_as_below(matrix: Matrix, row: int, end: int) -> bool:
    """Whether a row begins with a name merged over as many rows as each name below it: a list without a header."""
    depth = _depth(matrix, row)
    names = [_depth(matrix, at) for at in range(row + depth, end) if matrix.own(at, 0) is not None]
    groups = (
        cell for at in range(row, min(row + depth, end)) for cell in matrix.cells_of_row(at, range(matrix.n_columns))
    )
    is_plain = not any(cell.column_span > 1 or cell.is_header for cell in groups)
    return depth >= MIN_MERGED and bool(names) and set(names) == {depth} and is_plain


def _depth(matrix: Matrix, row: int) -> int:
    """Over how many rows the first cell of a row reaches; 0 without one."""
    cell = matrix.own(row, 0)
    return cell.row_span if cell is not None else 0


def _is_long(cell: GridCell) -> bool:
    return len(" ".join(cell.text.split())) >= LONG_LABEL_CHARS


def _is_long_below(matrix: Matrix, row: int, column: int) -> bool:
    """Whether most of what stands below a place is long."""
    below = [_is_long(cell) for at in range(row + 1, matrix.n_rows) if (cell := matrix.own(at, column))]
    return 2 * sum(below) >= len(below)


def is_first_record(matrix: Matrix, row: int) -> bool:
    """Whether the row above names every column by a text of its own, and this one has a label and says more than words
    and periods, no cell of both spanned or marked as a header. Words alone may be the names in another language.
    """
    columns = range(matrix.n_columns)
    names = [matrix.own(row - 1, column) for column in columns]
    cells = list(matrix.cells_of_row(row, columns))
    if not all(cell is not None and cell.column_span == cell.row_span == 1 for cell in (*names, *cells)):
        return False
    texts = {matrix.text(row - 1, column) for column in columns if matrix.kind(row - 1, column) == "text"}
    beside = cells[1:]
    is_said = any(matrix.kind(row, cell.column) not in PERIOD_KINDS for cell in beside) and not all(
        any(map(str.isalpha, cell.text)) and not any(map(str.isdigit, cell.text)) for cell in beside
    )
    is_marked = all(cell.is_header for cell in cells)
    return len(texts) == matrix.n_columns and matrix.own(row, 0) is not None and is_said and not is_marked


def is_long_as_below(matrix: Matrix, row: int) -> bool:
    """Whether a full row has a long text where most texts below are long: a thing and what is said of it."""
    cells = [matrix.own(row, column) for column in range(matrix.n_columns)]
    is_full = all(cell is not None and cell.column_span == 1 for cell in cells)
    return is_full and any(cell and _is_long(cell) and _is_long_below(matrix, row, cell.column) for cell in cells)


def heads_categories(matrix: Matrix, row: int, end: int) -> bool:
    """Whether texts of any length, no two alike, stand in a full row above columns of a few words again and again.

    Example: questions that were put to the vote, above "yes" and "no". Columns that hold but a mark here and there say
    the same few words together.
    """
    texts = [matrix.text(row, column) for column in range(1, matrix.n_columns) if matrix.own(row, column)]
    if len(texts) < max(2, matrix.n_columns - 2) or len(set(texts)) < len(texts):
        return False
    below = [
        [text for at in range(row + 1, end) if (text := matrix.text(at, column))]
        for column in range(1, matrix.n_columns)
    ]
    said = [text for words in below for text in words]
    n_categories = sum(2 * len(set(words)) <= len(words) for words in below)
    are_marks = 2 * len(set(said)) <= len(said) and len(set(said)) <= MAX_MARKS
    return (n_categories * 2 > len(below) or are_marks) and set(said).isdisjoint(texts)
