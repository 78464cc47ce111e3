"""Body rows of a table without rulings: lines that wrap joined to one row, pieces to cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mixrag_cli.readers.pdf.header_cells import Entry
from mixrag_cli.readers.pdf.layout import COLUMN_GAP
from mixrag_cli.readers.pdf.page import Rule
from mixrag_cli.readers.pdf.pieces import ALIGN_POINTS, Band, Piece, Row, columns_of

TIGHT = 0.88  # of the usual row pitch: lines closer than this are one wrapped label
SAME_GAP = 1.1  # times the step to the row below: a line farther from the row above than that is not its own
MAX_STEP = 2.0  # of the type size: the lines of one cell stand no farther apart
OPEN_ENDS = (",", " and", " of", " the", " to", " in", " for", " –", " -", " &", "/")


def wrapped_rows(rows: Sequence[Row], bands: Sequence[Band], rules: Sequence[Rule] = ()) -> list[list[Row]]:
    """Rows as groups of lines: a label that wraps over several lines is one row with its figures, and so is one whose
    texts go on below. rules: the page's horizontal rulings.
    """
    steps = sorted(b.line.baseline - a.line.baseline for a, b in pairwise(rows) if a.is_data and b.is_data)
    pitch = steps[len(steps) // 4] if steps else 1.35 * rows[0].line.size  # blanks part many rows of a statement
    names_are_bold = any(map(_has_bold_name, rows))
    groups: list[list[Row]] = []
    open_group = False
    for index, row in enumerate(rows):
        behind = rows[index + 1] if index + 1 < len(rows) else None
        joins_next = (
            behind is not None
            and _is_label(row, bands)
            and not _heads(row, rows[index + 1 : index + 3])
            and _wraps(row, behind, pitch, bands, names_are_bold=names_are_bold)
        )
        joins_last = (
            bool(groups)
            and not open_group
            and not joins_next
            and (
                (_is_label(row, bands) and _trails(groups[-1], row, pitch))
                or _continues_texts(groups[-1], row, behind, bands, rules)
            )
        )
        if open_group or joins_last:
            groups[-1].append(row)
        else:
            groups.append([row])
        open_group = joins_next
    return groups


def _is_label(row: Row, bands: Sequence[Band]) -> bool:
    """Whether the row holds one text, over the label column."""
    return len(row.pieces) == 1 and not row.pieces[0].is_number and columns_of(row.pieces[0], bands)[0] == 0


def _heads(row: Row, below: Sequence[Row]) -> bool:
    """Whether a label stands over two rows of figures that are indented alike: a section. A wrapped label has one."""
    return (
        len(below) > 1
        and all(other.is_data for other in below)
        and below[0].line.x0 > row.line.x0 + ALIGN_POINTS
        and abs(below[0].line.x0 - below[1].line.x0) < ALIGN_POINTS
        and not below[0].line.text[:1].islower()
    )


def _has_bold_name(row: Row) -> bool:
    """Whether a bold text without a figure behind it stands in the row: the name of a group of rows."""
    behind = [*(piece.is_number for piece in row.pieces[1:]), False]
    pairs = zip(row.pieces, behind, strict=True)
    return any(piece.bold and not (piece.is_number or has_figure) for piece, has_figure in pairs)


def _wraps(row: Row, behind: Row, pitch: float, bands: Sequence[Band], *, names_are_bold: bool) -> bool:
    """Whether a label goes on in the next line. names_are_bold: of groups of rows, so a plain line names none."""
    step = behind.line.baseline - row.line.baseline
    if behind.pieces[0].is_number or columns_of(behind.pieces[0], bands)[0] > 0:
        return step < 0.9 * row.line.size
    if row.line.text.endswith(":") or row.line.bold is not behind.pieces[0].bold or step > 1.1 * pitch:
        return False
    reads_on = behind.line.text[:1].islower() or row.line.text.endswith(OPEN_ENDS)
    if step < TIGHT * pitch or reads_on:
        return True
    is_plain = names_are_bold and not (row.line.bold or row.line.text[:1].islower())
    return is_plain and abs(behind.line.x0 - row.line.x0) < ALIGN_POINTS


def _trails(group: Sequence[Row], row: Row, pitch: float) -> bool:
    """Whether a label line goes on from the row above it."""
    step = row.line.baseline - group[-1].line.baseline
    return step < 0.9 * row.line.size or (row.line.text[:1].islower() and step <= 1.1 * pitch)


def _continues_texts(
    group: Sequence[Row], row: Row, behind: Row | None, bands: Sequence[Band], rules: Sequence[Rule]
) -> bool:
    """Whether a line says more of the row above it: it holds texts alone, below texts of that row, none of them labels.

    group: the lines of the row above. behind: the row below, None for the last.
    """
    last = group[-1].line
    size = max(last.size, row.line.size)
    step = row.line.baseline - last.baseline
    below = behind.line.baseline - row.line.baseline if behind is not None else step
    if step > min(SAME_GAP * below, MAX_STEP * size) or row.line.bold is not last.bold or row.line.text.endswith(":"):
        return False
    if any(last.baseline < rule.at < row.line.baseline and _lies_over(rule, row) for rule in rules):
        return False
    return all(_is_below_text(piece, group, bands) for piece in row.pieces)


def _lies_over(rule: Rule, row: Row) -> bool:
    return rule.start < row.line.x1 and row.line.x0 < rule.end


def _is_below_text(piece: Piece, group: Sequence[Row], bands: Sequence[Band]) -> bool:
    """Whether a text stands in another column than the labels, where a text of the row begins, maybe behind a gap."""
    column = columns_of(piece, bands)[0]
    if piece.is_number or column == 0:
        return False
    above = [other for row in group for other in row.pieces if columns_of(other, bands)[0] == column]
    texts = [other for other in above if not other.is_number]
    return any(abs(left - piece.x0) < ALIGN_POINTS for other in texts for left in _lefts(other))


def _lefts(piece: Piece) -> list[float]:
    """Where its words begin behind wide gaps: several columns of texts may be one piece."""
    parted = (word.x0 for before, word in pairwise(piece.words) if word.x0 - before.x1 > COLUMN_GAP * piece.size)
    return [piece.x0, *parted]


def last_text(rows: Sequence[Row], last: int, bands: Sequence[Band], rules: Sequence[Rule]) -> int:
    """The index of the table's last row, with the lines below it that go on with its texts. last: without them."""
    while last + 1 < len(rows):
        row, behind = rows[last + 1], rows[last + 2] if last + 2 < len(rows) else None
        if len(row.pieces) > 1 or row.is_prose or not _continues_texts([rows[last]], row, behind, bands, rules):
            break
        last += 1
    return last


def row_entries(group: Sequence[Row], bands: Sequence[Band], number: int) -> list[Entry]:
    """The cells of one body row, left to right."""
    entries: list[Entry] = []
    for row in group:
        for piece in row.pieces:
            first, last = columns_of(piece, bands)
            host = next((entry for entry in entries if entry.first <= last and first <= entry.last), None)
            if host is not None:
                host.pieces.append(piece)
            else:
                entries.append(Entry([piece], first, last, number))
    return sorted(entries, key=lambda entry: entry.first)
