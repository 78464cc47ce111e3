"""What names a row beside the text in its own label cell: names left out, a year said once, what numbers count.

Each is told from the label columns of the whole table, before the rows are walked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from mixrag_cli.quantities.periods import part_of_year
from mixrag_cli.records.documents import GridCell
from mixrag_cli.tables.headers import TOTAL, Layout
from mixrag_cli.tables.label_columns import LABEL_SHARE, RANK_NAME
from mixrag_cli.tables.matrix import DATA_KINDS, PERIOD_KINDS, Matrix
from mixrag_cli.tables.units import is_unit_text

MIN_BLOCK = 2  # rows that stand again together
MIN_BEFORE = 3  # rows above the one name of a column: a total or two may stand above the groups


def key_name(matrix: Matrix, layout: Layout) -> tuple[str, ...]:
    """What numbers in the label column are ("Gross income"), or () where the labels are texts or periods.

    "60,000" alone names no row to anyone who asks. Ranks and codes do without, and so do keys below a merged corner,
    which stands as often for what the table is about.
    """
    if len(layout.labels) != 1:
        return ()
    heads = [cell for row in layout.headers if (cell := matrix.own(row, layout.labels[0])) is not None]
    if any(cell.row_span > 1 for cell in heads):
        return ()
    labels = [cell for row in layout.body if (cell := matrix.own(row, layout.labels[0])) is not None]
    numbers = sum(matrix.kinds[cell.row, cell.column] in DATA_KINDS for cell in labels)
    if numbers < LABEL_SHARE * len(labels):
        return ()
    texts = [" ".join(cell.text.split()) for cell in heads]
    name = " ".join(dict.fromkeys(text for text in texts if not is_unit_text(text)))
    return () if not name or RANK_NAME.match(name) else (name,)


def repeated_blocks(texts: Sequence[str]) -> list[range]:
    """Where the same texts stand again, each block below a text that stands nowhere else; [] where blocks differ."""
    counts = Counter(texts)
    alone = [n for n, text in enumerate(texts) if counts[text] == 1]
    if not alone or alone[0]:
        return []
    ends = [*alone[1:], len(texts)]
    blocks = [range(start + 1, end) for start, end in zip(alone, ends, strict=True) if end - start > 1]
    found = [frozenset(texts[n] for n in block) for block in blocks]
    is_whole = all(len(own) == len(block) >= MIN_BLOCK for own, block in zip(found, blocks, strict=True))
    are_like = all(2 * len(own & found[0]) >= len(own | found[0]) for own in found)
    return blocks if len(blocks) > 1 and is_whole and are_like else []


def are_blank_records(matrix: Matrix, layout: Layout) -> bool:
    """Whether rows that say their name alone are records left blank: the last one is, and has nothing to head.

    It holds for exports of texts; among figures a last line may be a note.
    """
    last = layout.body[-1]
    kinds = {matrix.kind(row, column) for row in layout.body for column in layout.data}
    is_alone = matrix.own(last, 0) is not None and matrix.is_blank(last, range(1, matrix.n_columns))
    return layout.is_flat and len(layout.labels) == 1 and is_alone and kinds == {"text", "blank"}


def unknown_labels(matrix: Matrix, layout: Layout) -> frozenset[int]:
    """Label columns that say "none" or "n/a" in every row, or count the rows, beside others that name them."""
    kinds = {c: {matrix.kind(row, c) for row in layout.body} - {"blank"} for c in layout.labels}
    unknown = frozenset(c for c, found in kinds.items() if found == {"missing"} or _is_index(matrix, layout, c))
    return unknown if len(unknown) < len(layout.labels) else frozenset()


def _is_index(matrix: Matrix, layout: Layout, column: int) -> bool:
    """Whether a column without a heading counts the rows from 0, as the index of a frame does.

    In a file of lines it may count from 1, as R's row names do; elsewhere that is as likely a rank.
    """
    is_named = any(matrix.text(row, column) for row in layout.headers)
    cells = [matrix.own(row, column) for row in layout.body]
    firsts = (0, 1) if all(cell is not None and cell.line for cell in cells) else (0,)
    texts = [cell.text.strip() if cell is not None else "" for cell in cells]
    counts = ([str(first + number) for number in range(len(texts))] for first in firsts)
    return not is_named and len(texts) > 1 and texts in counts


def years_said_above(matrix: Matrix, layout: Layout) -> dict[int, str]:
    """The year of rows that name a month or quarter alone, below one that says it, by row: "1990-Jan", "Feb", "Mar".

    It holds as long as each is the next part of the year.
    """
    years: dict[int, str] = {}
    year, last = "", 0
    for row in layout.body if layout.labels else ():
        part, said = part_of_year(matrix.text(row, layout.labels[0]))
        if said or part != last + 1:
            year = said
        elif year:
            years[row] = year
        last = part
    return years


def continued_rows(matrix: Matrix, layout: Layout) -> dict[int, int]:
    """The rows of a file without spans that leave out all labels and go on with a labelled row above, by that row.

    Such a row fills two columns and more to the last one, each filled in the labelled row, and ends with a text. So
    does a code book say the codes of a field below each other: "23 | deceased | 1 | Died" above " | | 0 | Did not die".
    Several labelled rows go on so; below a single one, a longer list may stand beside the labels.
    """
    found: dict[int, int] = {}
    labelled: int | None = None
    last = matrix.n_columns - 1
    for row in layout.body if layout.is_flat and layout.labels else ():
        filled = [column for column in range(matrix.n_columns) if matrix.own(row, column) is not None]
        is_end = len(filled) > 1 and filled == list(range(filled[0], last + 1)) and matrix.kind(row, last) == "text"
        if any(column in layout.labels for column in filled):
            labelled = row
        elif labelled is None or not is_end or any(matrix.own(labelled, column) is None for column in filled):
            labelled = None
        else:
            found[row] = labelled
    return found if len(set(found.values())) > 1 else {}


def fills_down(matrix: Matrix, layout: Layout) -> dict[int, dict[int, GridCell]]:
    """For label columns that leave out repeated names: row -> the cell that holds for it.

    A name holds until the next one in its column, or in a label column to its left; a total holds for periods alone.
    """
    filled: dict[int, dict[int, GridCell]] = {}
    for place, column in enumerate(layout.labels[:-1]):
        if _is_merged_down(matrix, layout, column) or _is_remark(matrix, layout, column):
            continue
        left, right = layout.labels[:place], layout.labels[place + 1 :]
        below: dict[int, GridCell] = {}
        last: GridCell | None = None
        n_named = 0  # rows right below each other with a name of their own, since a total
        is_summed = False
        for row in layout.body:
            cell = matrix.at(row, column)
            if cell is not None and last is not None and _remarks_on(cell, last):
                below[row] = last = replace(last, text=f"{last.text} {cell.text}")
            elif cell is not None:
                last, n_named, is_summed = cell, 1 if is_summed else n_named + 1, False
            elif any(matrix.own(row, outer) is not None for outer in left):
                last = None
            elif last is not None and _holds_below(matrix, last, row, right):
                is_summed = any(TOTAL.search(matrix.text(row, inner)) for inner in right)
                if is_summed and n_named > 1:
                    continue  # a total of several names is of none of them
                n_named = n_named if is_summed else 0
                below[row] = last
        filled[column] = {} if _is_tail_of_totals(matrix, layout, column, right, below) else below
    return filled


def _is_merged_down(matrix: Matrix, layout: Layout, column: int) -> bool:
    """Whether names reach down over merged cells, and not over rows that leave them out; a few may do either."""
    names = [cell for row in layout.body if (cell := matrix.own(row, column))]
    n_merged = sum(cell.row_span > 1 for cell in names)
    n_open = sum(cell.row_span == 1 and matrix.at(cell.row + 1, column) is None for cell in names)
    return n_merged > 0 and n_merged >= n_open


def _is_remark(matrix: Matrix, layout: Layout, column: int) -> bool:
    """Whether a label column says one thing, beside a row in the midst of others: it is of that row alone."""
    said = [row for row in layout.body if matrix.at(row, column) is not None]
    before = range(layout.body.start, said[0] if said else layout.body.start)
    return (
        len(said) == 1
        and sum(not matrix.is_blank(row, range(layout.data[0], matrix.n_columns)) for row in before) >= MIN_BEFORE
    )


def _remarks_on(cell: GridCell, name: GridCell) -> bool:
    """Whether a text in brackets stands right below a name: it says more of it, not of another."""
    return cell.row == name.row + 1 and cell.text.startswith("(") and cell.text.endswith(")")


def _holds_below(matrix: Matrix, name: GridCell, row: int, inner: Sequence[int]) -> bool:
    """Whether a name may hold for a row without one: for what the columns behind say there, a total for periods."""
    said = [column for column in inner if matrix.at(row, column)]
    is_total = TOTAL.search(name.text) is not None
    return bool(said) and (not is_total or all(matrix.kind(row, column) in PERIOD_KINDS for column in said))


def _is_tail_of_totals(
    matrix: Matrix, layout: Layout, column: int, inner: Sequence[int], below: dict[int, GridCell]
) -> bool:
    """Whether names end only before a total and what follows it: codes of single rows, and a total of all."""
    first = next(iter(below), None)
    if first is None or not any(TOTAL.search(matrix.text(first, other)) for other in inner):
        return False
    return all(matrix.at(row, column) is None for row in range(first, layout.body.stop))
