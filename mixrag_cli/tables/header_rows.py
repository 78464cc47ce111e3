"""Which of a table's first rows are headers: by how their cells differ in kind from what stands below, and by merges.

A row is a header row as long as its cells are texts or periods above figures. Two things say so without any kinds: a
merged cell in the top left corner, which reaches down as far as the headers do, and a row that repeats the same texts
under several group headings.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mixrag_cli.records.documents import GridCell
from mixrag_cli.tables.blocks import block_rows, says_one_text
from mixrag_cli.tables.forms import is_form, is_listed_below_title
from mixrag_cli.tables.header_evidence import Below, cell_evidence, header_evidence
from mixrag_cli.tables.label_columns import TYPED_SHARE
from mixrag_cli.tables.matrix import DATA_KINDS, FIGURES, Matrix
from mixrag_cli.tables.numbered_columns import (
    counts_beside_labels,
    counts_to_total,
    counts_up,
    headers_around_codes,
    names_by_codes,
    repeats_below_groups,
    rises_below_groups,
)
from mixrag_cli.tables.text_rows import (
    heads_categories,
    is_first_record,
    is_full_text_row,
    is_long_as_below,
    is_merged_as_below,
    says_kind_of_answers,
)
from mixrag_cli.tables.units import is_code, is_unit_text, is_wide_unit_text

MAX_HEADER_ROWS = 12  # the deepest header of 1,922 HiTab tables has 6 rows
MIN_WORDS = 3  # above figures, in a row below one that names the columns; set by judgement


def find_header_rows(matrix: Matrix, below: list[Below], start: int, end: int) -> tuple[int, ...]:
    """The header rows from start on; rows with a label only belong to them when a true header row follows."""
    if any(is_headless(matrix, start, end) for is_headless in (is_form, is_listed_below_title, is_merged_as_below)):
        return ()
    if found := headers_around_codes(matrix, start, end):
        return found
    last = None
    has_label_between = False
    corner_end = _corner_end(matrix, below, start, end)
    known_end = corner_end
    for row in range(start, min(start + MAX_HEADER_ROWS, end - 1)):
        if last is None and _says_nothing(matrix, row):
            start = row + 1
            continue
        if not _has_column_cells(matrix, row):
            has_label_between = last is not None and matrix.own(row, 0) is not None
            continue
        is_unit = is_unit_line(matrix, row, range(1, matrix.n_columns))
        is_below_corner = start < corner_end <= row and matrix.own(row, 0) is not None and not is_unit
        if is_below_corner and not (
            _is_marked(matrix, row) or counts_up(matrix, row) or _names_blank_corner(matrix, below, row, corner_end)
        ):
            break
        if last is not None and row >= known_end and _is_repeated_section(matrix, row, end):
            break
        evidence = header_evidence(matrix, below, row)
        if row < known_end or _is_numbered(matrix, below, row, is_first=last is None):
            evidence = 1.0
        elif last is not None and not is_unit and _begins_body(matrix, below, row):
            break
        if evidence < 0 and last is not None and (names := _names_below(matrix, row, start, end)):
            known_end, evidence = max(known_end, names + 1), 1.0
        if evidence < 0 or (last is not None and ((evidence == 0 and not is_unit) or (is_unit and has_label_between))):
            break  # data, or the unit of the section above it
        if evidence > 0 or last is not None or is_full_text_row(matrix, row) or heads_categories(matrix, row, end):
            last = row
        elif is_long_as_below(matrix, row):
            break  # data, as which no heading follows
        if last == row and _parts_groups_below(matrix, row):
            known_end = max(known_end, row + 2)
        if evidence == 0 and last == row and row + 1 >= known_end and not _has_typed_column(below, row):
            break  # a table of texts: one header row
    if last is None:
        return ()
    reach = max((cell.row + cell.row_span for cell in _cells_between(matrix, start, last)), default=last + 1)
    reached = max(last + 1, corner_end, _reach_within(matrix, start, last, reach))
    return tuple(range(start, min(reached, end)))


def _names_below(matrix: Matrix, row: int, start: int, end: int) -> int:
    """The row below one with numbers that names the columns, right above figures in each that it names; 0 without one.

    Until there the rows are a name and what it says ("BNF 1.3"): they fill fewer columns than the names do.
    """
    last = min(start + MAX_HEADER_ROWS, end - 1)
    columns = range(matrix.n_columns)
    filled = {at: {cell.column for cell in matrix.cells_of_row(at, columns)} for at in range(row, last + 1)}
    for at in range(row + 1, last):
        figures = {column for column in filled[at + 1] if matrix.kind(at + 1, column) in DATA_KINDS}
        if filled[at] == figures and {matrix.kind(at, column) for column in filled[at]} == {"text"}:
            return at if all(len(filled[above]) < len(filled[at]) for above in range(row, at)) else 0
    return 0


def _says_nothing(matrix: Matrix, row: int) -> bool:
    """Whether nothing stands in the row but marks of what is missing, and formulas that failed."""
    cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
    return bool(cells) and all(matrix.kinds[cell.row, cell.column] == "missing" for cell in cells)


def _begins_body(matrix: Matrix, below: list[Below], row: int) -> bool:
    """Whether the row above ends the header: by its marks, or because it names what this record and all below say."""
    is_labelled = below[0].share(row, below[0].typed) < TYPED_SHARE  # not "Date" above dates
    is_record = is_labelled and not _is_above_figures(matrix, below, row) and is_first_record(matrix, row)
    return is_record or _ends_marked_header(matrix, row)


def _is_above_figures(matrix: Matrix, below: list[Below], row: int) -> bool:
    """Whether nearly all of a row, its label aside, are words above figures, which no record has there but one mark."""
    cells = [cell for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)) if cell.row == row]
    heading = [cell for cell in cells if cell_evidence(matrix, below[cell.column], row, cell.column) > 0]
    words = [cell.text.strip() for cell in heading if any(map(str.isalpha, cell.text))]
    return len(words) >= max(MIN_WORDS, TYPED_SHARE * len(cells)) and len(set(words)) > 1


def _ends_marked_header(matrix: Matrix, row: int) -> bool:
    """Whether the row above is marked as a header, cell by cell, and nothing in this row is: where a body begins.

    A header that spans columns may be parted by an unmarked row.
    """
    above = list(matrix.cells_of_row(row - 1, range(matrix.n_columns)))
    here = list(matrix.cells_of_row(row, range(matrix.n_columns)))
    is_marked = len(above) > 1 and all(cell.is_header and cell.column_span == cell.row_span == 1 for cell in above)
    return is_marked and not any(cell.is_header for cell in here)


def _is_marked(matrix: Matrix, row: int) -> bool:
    """Whether the format marks every cell of the row as a header."""
    cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
    return bool(cells) and all(cell.is_header for cell in cells)


def _is_repeated_section(matrix: Matrix, row: int, end: int) -> bool:
    """Whether a text stands alone in the row, under a heading of its column, as others do further down: a section.

    So is one text that stands in several columns, where another one does so further down.
    """
    if says_one_text(matrix, row) and row in block_rows(matrix, range(row, end)):
        return True
    alone = _lone_cell(matrix, row)
    if alone is None or alone.column_span > 1 or matrix.at(row - 1, alone.column) is None:
        return False
    others = (_lone_cell(matrix, other) for other in range(row + 2, end))
    return any(other is not None and other.column == alone.column for other in others)


def _lone_cell(matrix: Matrix, row: int) -> GridCell | None:
    """The only cell of a row, where it is a text."""
    cells = list(matrix.cells_of_row(row, range(matrix.n_columns)))
    return cells[0] if len(cells) == 1 and cells[0].row == row and matrix.kind(row, cells[0].column) == "text" else None


def _corner_end(matrix: Matrix, below: list[Below], start: int, end: int) -> int:
    """Where the merged cell in the top left corner ends: it reaches as deep as the headers do; start without one.

    A merged label of the body does so as well. Texts above figures beside it tell them apart, or a group heading in a
    table of texts.
    """
    first = next(
        (row for row in range(start, matrix.n_rows) if not matrix.is_blank(row, range(matrix.n_columns))), start
    )
    corner = matrix.own(first, 0)
    depth = matrix.depths.get((first, 0), 1) if corner is None else corner.row_span
    if depth < 2 or first + depth >= end or (corner is not None and corner.column_span > matrix.n_columns / 2):
        return start
    evidence = [header_evidence(matrix, below, row) for row in range(first, first + depth)]
    groups = [cell for cell in matrix.cells_of_row(first, range(1, matrix.n_columns)) if cell.column_span > 1]
    is_header = max(evidence) > 0 or (groups and not any(evidence))
    return first + depth if is_header else start


def _names_blank_corner(matrix: Matrix, below: list[Below], row: int, corner_end: int) -> bool:
    """Whether a row right below a merged corner without text names every column above figures.

    Such a corner is but the space beside the groups, and the labels are named below it.
    """
    columns = range(matrix.n_columns)
    return (
        row == corner_end
        and not matrix.text(row - 1, 0)
        and all(matrix.own(row, column) is not None for column in columns)
        and header_evidence(matrix, below, row) > 0
    )


def _has_column_cells(matrix: Matrix, row: int) -> bool:
    """Whether something other than the row's label, and marks of the notes on it, begins in the row."""
    return not matrix.is_noted_label(row) and any(
        cell.column > 0 and cell.row == row for cell in matrix.cells_of_row(row, range(1, matrix.n_columns))
    )


def _is_numbered(matrix: Matrix, below: list[Below], row: int, *, is_first: bool) -> bool:
    """Whether a row names its columns by numbers: a count, a count up to a text over figures, codes, or sizes.

    Below another header row it may also say what kind the answers are.
    """
    total = counts_to_total(matrix, row)
    if total is not None and below[total].share(row, below[total].figures) >= TYPED_SHARE:
        return True
    if is_first:
        return counts_beside_labels(matrix, row) or names_by_codes(matrix, row)
    end = len(below[0].filled) - 1
    is_below_groups = rises_below_groups(matrix, row) or repeats_below_groups(matrix, row)
    return is_below_groups or counts_up(matrix, row) or says_kind_of_answers(matrix, row, end)


def _parts_groups_below(matrix: Matrix, row: int) -> bool:
    """Whether the next row names what stands under headings of this row that span columns.

    It does so where it has no figures, and no label of its own or the same texts under several headings.
    """
    groups = [cell for cell in matrix.cells_of_row(row, range(1, matrix.n_columns)) if cell.column_span > 1]
    columns = [range(cell.column, cell.column + cell.column_span) for cell in groups]
    below = [tuple(matrix.text(row + 1, column) for column in under) for under in columns]
    if not groups or not all(len(set(texts)) == len(texts) and all(texts) for texts in below):
        return False
    kinds = {matrix.kind(row + 1, column) for under in columns for column in under}
    has_figures = any(matrix.kind(row + 1, column) in FIGURES for column in range(matrix.n_columns))
    if has_figures or kinds != {"text"}:
        return False
    is_unlabelled = matrix.kind(row + 1, 0) in ("blank", "missing")
    return is_unlabelled or any(set(a) <= set(b) or set(b) <= set(a) for a, b in itertools.pairwise(below))


def _cells_between(matrix: Matrix, start: int, last: int) -> list[GridCell]:
    return [cell for row in range(start, last + 1) for cell in matrix.cells_of_row(row, range(matrix.n_columns))]


def _reach_within(matrix: Matrix, start: int, last: int, reach: int) -> int:
    """How far down merged header cells pull the header: over rows in which nothing but merged cells stands."""
    for row in range(last + 1, min(reach, matrix.n_rows)):
        if any(cell.row > last for cell in matrix.cells_of_row(row, range(matrix.n_columns))):
            return row
    return reach


def _has_typed_column(below: list[Below], row: int) -> bool:
    return any(column.filled[row] and column.share(row, column.typed) >= TYPED_SHARE for column in below)


def is_unit_line(matrix: Matrix, row: int, columns: Sequence[int]) -> bool:
    """Whether only unit texts begin in these columns of a row."""
    cells = {id(cell): cell for column in columns if (cell := matrix.at(row, column)) is not None and cell.row == row}
    texts = [" ".join(cell.text.split()) for cell in cells.values()]
    if len(cells) == 1 and all(cell.column_span > 1 for cell in cells.values()):
        return is_wide_unit_text(texts[0])
    return bool(cells) and all(is_unit_text(text) for text in texts) and not all(is_code(text) for text in texts)
