"""Tables drawn with rulings in both directions: the rulings' grid, merged where a ruling is missing.

rules ─► components that cross ─► atomic cells ─► merged cells ─► rows split at their lines of figures ─► Lattice
"""

from __future__ import annotations

import math
from bisect import bisect, bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from operator import or_

from mixrag_cli.readers.pdf.header_cells import Entry
from mixrag_cli.readers.pdf.lattice import Lattice
from mixrag_cli.readers.pdf.lattice_headers import is_header_block, lines_to_header
from mixrag_cli.readers.pdf.layout import Line, is_number, join_turned, words_to_lines
from mixrag_cli.readers.pdf.page import Box, Rule, TurnedWord, Word
from mixrag_cli.readers.pdf.pieces import ALIGN_POINTS, TRAILER, Band, Piece, line_to_pieces, words_to_piece
from mixrag_cli.readers.pdf.rulings import SAME_EDGE_POINTS, gaps_across, grid_edges, groups_of_rulings

MIN_FILLED_CELLS = 4
MIN_FILLED_SHARE = 0.2  # a chart's grid lines hold less
MAX_ATOMS = 40_000  # rows times columns; more is a drawing
MIN_ROWS_IN_CELLS = 4  # lines of several figures in one ruled cell; ICDAR 2013's 77 tables and ten filings have none
MIN_LEVEL = 3  # lines, and columns of them, that stand level and are rows; two may be a value and its remark
MIN_LEVEL_SHARE = 0.6  # of the lines beside ruled rows; others head sections of them
LEVEL_POINTS = 1.5  # that baselines of one line may lie apart
MAX_WORD_SHARE = 0.6  # one cell with more of the words than this is a frame around text


_Reach = tuple[int, int]  # first and last column


@dataclass(frozen=True, slots=True)
class _Span:
    """A cell of the ruled grid: rows r0..r1 and columns c0..c1, both inclusive."""

    r0: int
    r1: int
    c0: int
    c1: int


def find_ruled_tables(
    words: Sequence[Word],
    horizontal: Sequence[Rule],
    vertical: Sequence[Rule],
    turned: Sequence[TurnedWord] = (),
) -> list[Lattice]:
    """The tables whose rulings cross to a grid, top to bottom.

    turned: words on their side, for the cells that hold no others.
    """
    tables = []
    for across, down in groups_of_rulings(horizontal, vertical):
        table = read_lattice(words, across, down, turned)
        if table is not None:
            tables.append(table)
    return sorted(tables, key=lambda table: table.box[1])


def read_lattice(
    words: Sequence[Word], across: list[Rule], down: list[Rule], turned: Sequence[TurnedWord] = ()
) -> Lattice | None:
    """The table that rulings across and down make; None for frames, charts and drawings."""
    table = _read_rulings(words, across, down, turned)
    if (table is None or not table.n_header) and (gaps := gaps_across(across, down)):
        table = _read_rulings(words, [*across, *gaps], down, turned) or table
    return table


def _read_rulings(
    words: Sequence[Word], across: list[Rule], down: list[Rule], turned: Sequence[TurnedWord]
) -> Lattice | None:
    xs, ys = grid_edges(down, across), grid_edges(across, down)
    n_rows, n_columns = len(ys) - 1, len(xs) - 1
    if n_columns < 2 or n_rows < 1 or n_rows * n_columns > MAX_ATOMS:
        return None
    box = (xs[0], ys[0], xs[-1], ys[-1])
    inside = [word for word in words if _is_inside(word, box)]
    if not inside:
        return None
    spans = _merge_atoms(xs, ys, across, down)
    texts = _words_by_span(inside, spans, xs, ys)
    texts.update(_turned_texts([span for span, lines in texts.items() if not lines], xs, ys, turned))
    headings, n_levels, first = _header_block(texts, xs, across)
    texts = _part_columns({span: lines for span, lines in texts.items() if span.r0 >= first}, xs)
    spans = [span for span in spans if span.r0 >= first]
    texts = _part_rows(texts, xs, ys)
    if not _is_table(texts, spans, sum(len(line.words) for lines in texts.values() for line in lines)) or _parts_groups(
        texts
    ):
        return None
    cells, n_shown = _to_cells(texts, range(first, n_rows), xs)
    body = Lattice(_bands(xs), tuple(cells), 0, n_shown, box, frozenset(inside), is_ruled=True)
    return body.below(headings, n_levels, ()) if headings else body


def _header_block(
    texts: dict[_Span, list[Line]], xs: Sequence[float], rules: Sequence[Rule]
) -> tuple[list[Entry], int, int]:
    """The headings that the table's first cell holds where it reaches over most columns, how many rows they take, and
    the first row below that cell.
    """
    n_columns = len(xs) - 1
    block = next(
        (span for span in texts if span.r0 == 0 and is_header_block(texts[span], span.c1 - span.c0 + 1, n_columns)),
        None,
    )
    if block is None or any(span.r0 <= block.r1 < span.r1 for span in texts):
        return [], 0, 0
    held = [word for span, lines in texts.items() if span.r1 <= block.r1 for line in lines for word in line.words]
    return *lines_to_header(words_to_lines(held), _bands(xs), rules), block.r1 + 1


def _bands(xs: Sequence[float]) -> tuple[Band, ...]:
    return tuple(Band(left, right) for left, right in pairwise(xs))


def _is_inside(word: Word | TurnedWord, box: Box) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
    return box[0] < x < box[2] and box[1] < y < box[3]


def _merge_atoms(xs: Sequence[float], ys: Sequence[float], across: Sequence[Rule], down: Sequence[Rule]) -> list[_Span]:
    """Cells as unions of the grid's atoms: two neighbours are one cell where no ruling parts them."""
    n_rows, n_columns = len(ys) - 1, len(xs) - 1
    owner = {atom: _Span(atom[0], atom[0], atom[1], atom[1]) for atom in product(range(n_rows), range(n_columns))}
    for r, c in product(range(n_rows), range(n_columns)):
        middle_x, middle_y = (xs[c] + xs[c + 1]) / 2, (ys[r] + ys[r + 1]) / 2
        if c + 1 < n_columns and not _is_ruled(down, xs[c + 1], middle_y):
            _unite(owner, owner[r, c], owner[r, c + 1])
        if r + 1 < n_rows and not _is_ruled(across, ys[r + 1], middle_x):
            _unite(owner, owner[r, c], owner[r + 1, c])
    return sorted(set(owner.values()), key=lambda span: (span.r0, span.c0))


def _is_ruled(rules: Sequence[Rule], at: float, along: float) -> bool:
    return any(abs(rule.at - at) <= SAME_EDGE_POINTS and rule.start <= along <= rule.end for rule in rules)


def _unite(owner: dict[tuple[int, int], _Span], a: _Span, b: _Span) -> None:
    """Make one rectangle of two cells and of all that their common rectangle touches."""
    if a == b:
        return
    united = _Span(min(a.r0, b.r0), max(a.r1, b.r1), min(a.c0, b.c0), max(a.c1, b.c1))
    while True:
        covered = {owner[atom] for atom in product(range(united.r0, united.r1 + 1), range(united.c0, united.c1 + 1))}
        grown = _Span(
            min(span.r0 for span in covered),
            max(span.r1 for span in covered),
            min(span.c0 for span in covered),
            max(span.c1 for span in covered),
        )
        if grown == united:
            break
        united = grown
    for atom in product(range(united.r0, united.r1 + 1), range(united.c0, united.c1 + 1)):
        owner[atom] = united


def _words_by_span(
    words: Iterable[Word], spans: Sequence[_Span], xs: Sequence[float], ys: Sequence[float]
) -> dict[_Span, list[Line]]:
    """The lines of text in each cell, by the middle of each word; cells without text have none."""
    boxes = {span: (xs[span.c0], ys[span.r0], xs[span.c1 + 1], ys[span.r1 + 1]) for span in spans}
    held: dict[_Span, list[Word]] = {span: [] for span in spans}
    for word in words:
        span = next((span for span, box in boxes.items() if _is_inside(word, box)), None)
        if span is not None:
            held[span].append(word)
    return {span: words_to_lines(inside) if inside else [] for span, inside in held.items()}


def _turned_texts(
    blank: Sequence[_Span], xs: Sequence[float], ys: Sequence[float], turned: Sequence[TurnedWord]
) -> dict[_Span, list[Line]]:
    """What stands on its side in cells without other text, each cell's as one line."""
    texts: dict[_Span, list[Line]] = {}
    for span in blank if turned else ():
        box = (xs[span.c0], ys[span.r0], xs[span.c1 + 1], ys[span.r1 + 1])
        held = [word for word in turned if _is_inside(word, box)]
        if held:
            texts[span] = [Line((join_turned(held),))]
    return texts


def _part_columns(texts: dict[_Span, list[Line]], xs: Sequence[float]) -> dict[_Span, list[Line]]:
    """Part the cells over several columns whose texts stand clear of each other, each in a column of its own."""
    parted: dict[_Span, list[Line]] = {}
    for span, lines in texts.items():
        columns = _texts_by_column(lines, span, xs) if span.c1 > span.c0 else None
        groups = _even_groups(lines, span, xs) if columns is None and len(lines) == 1 else None
        if columns is not None:
            for (first, last), words in columns.items():
                parted[_Span(span.r0, span.r1, first, last)] = words_to_lines(words)
        elif groups is not None:
            parted.update(groups)
        else:
            parted[span] = lines
    return parted


def _part_rows(texts: dict[_Span, list[Line]], xs: Sequence[float], ys: Sequence[float]) -> dict[_Span, list[Line]]:
    """Part the cells over several rows whose lines stand level with the texts of these rows: labels without rulings."""
    levels: dict[int, list[float]] = defaultdict(list)
    for span, lines in texts.items():
        if span.r0 == span.r1:
            levels[span.r0] += [line.baseline for line in lines]
    parted: dict[_Span, list[Line]] = {}
    for span, lines in texts.items():
        by_row = {bisect(ys, (line.top + line.bottom) / 2) - 1: line for line in lines}
        is_list = span.r1 > span.r0 and len(by_row) == len(lines) >= MIN_LEVEL
        n_level = sum(
            any(abs(line.baseline - level) <= LEVEL_POINTS for level in levels[row]) for row, line in by_row.items()
        )
        if is_list and n_level >= MIN_LEVEL_SHARE * len(lines) and _is_free(lines, xs[span.c1 + 1] - xs[span.c0]):
            parted |= {_Span(row, row, span.c0, span.c1): [line] for row, line in by_row.items()}
        else:
            parted[span] = lines
    return parted


def _even_groups(lines: Sequence[Line], span: _Span, xs: Sequence[float]) -> dict[_Span, list[Line]] | None:
    """A cell's one line as headings over equally many columns each, where every heading lies over its own."""
    pieces = line_to_pieces(lines[0], math.inf)
    n_columns, rest = divmod(span.c1 - span.c0 + 1, len(pieces))
    if rest or len(pieces) < 2:
        return None
    starts = range(span.c0, span.c1 + 1, n_columns)
    groups = {
        _Span(span.r0, span.r1, start, start + n_columns - 1): words_to_lines(piece.words)
        for start, piece in zip(starts, pieces, strict=True)
        if xs[start] - 1 <= piece.x0 and piece.x1 <= xs[start + n_columns] + 1
    }
    return groups if len(groups) == len(pieces) else None


def _texts_by_column(lines: Sequence[Line], span: _Span, xs: Sequence[float]) -> dict[_Reach, list[Word]] | None:
    """The cell's words by the columns that they lie over; None where all lie in one, or a text lies over an edge.

    A label may, left of figures that have a column each: a shade hides the rulings of its row.
    """
    whole = [piece for line in lines for piece in line_to_pieces(line, math.inf)]
    pieces = [part for piece in whole for part in _without_sign(piece, xs[span.c0 + 1 : span.c1 + 1])]
    within = range(span.c0, span.c1 + 1)
    places = [next((c for c in within if xs[c] - 1 <= p.x0 and p.x1 <= xs[c + 1] + 1), None) for p in pieces]
    label_end = -1
    if None in places:
        first = min((c or 0 for c, piece in zip(places, pieces, strict=True) if piece.is_amount), default=0)
        end = max((piece.x1 for piece in pieces if not piece.is_amount), default=math.inf)
        if first <= span.c0 or end > xs[first] + 1:
            return None
        label_end = bisect_left(xs, end - 1) - 1
    columns: dict[_Reach, list[Word]] = defaultdict(list)
    for column, piece in zip(places, pieces, strict=True):
        reach = (span.c0, label_end) if column is None or column <= label_end else (column, column)
        columns[reach] += piece.words
    return columns if len(columns) > 1 else None


def _without_sign(piece: Piece, edges: Sequence[float]) -> list[Piece]:
    """A figure and the sign behind it as two pieces where a column's edge lies between them: "0" and "%" of a unit."""
    *figure, sign = piece.words
    if figure and TRAILER.match(sign.text) and any(figure[-1].x1 <= edge <= sign.x0 for edge in edges):
        return [words_to_piece(figure), words_to_piece([sign])]
    return [piece]


def _is_table(texts: dict[_Span, list[Line]], spans: Sequence[_Span], n_words: int) -> bool:
    filled = {span: sum(len(line.words) for line in lines) for span, lines in texts.items() if lines}
    columns = {span.c0 for span in filled}
    return (
        len(filled) >= MIN_FILLED_CELLS
        and len(filled) >= MIN_FILLED_SHARE * len(spans)
        and len(columns) > 1
        and (max(filled.values()) <= MAX_WORD_SHARE * n_words or max(filled.values()) < 40)
    )


def _parts_groups(texts: dict[_Span, list[Line]]) -> bool:
    """Whether the rulings part groups of columns only, so that most lines of a cell are rows of several figures.

    Such a table is read by how its texts are aligned.
    """
    ruled = [[_figures(line) for line in lines] for span, lines in texts.items() if span.c0 == span.c1]
    n_rows = sum(len(figures) > 1 for cell in ruled for figures in cell)
    n_alone = sum(len(figures) == 1 and not _stands_under(figures[0], cell) for cell in ruled for figures in cell)
    return n_rows >= MIN_ROWS_IN_CELLS and n_rows >= n_alone


def _figures(line: Line) -> list[Piece]:
    return [piece for piece in line_to_pieces(line, math.inf) if is_number(piece.text)]


def _stands_under(figure: Piece, cell: Iterable[Sequence[Piece]]) -> bool:
    """Whether a figure is alone in a line of a cell that has lines of several, one of them at the same place."""
    return any(
        min(abs(figure.x0 - other.x0), abs(figure.x1 - other.x1)) < ALIGN_POINTS
        for figures in cell
        if len(figures) > 1
        for other in figures
    )


def _to_cells(texts: dict[_Span, list[Line]], rows: range, xs: Sequence[float]) -> tuple[list[Entry], int]:
    """The cells of the ruled rows, and how many rows they are: one of several lines of figures becomes that many."""
    held = {row: {span: lines for span, lines in texts.items() if span.r0 == span.r1 == row} for row in rows}
    anchors = {row: _row_anchors([*held[row].values()]) or _line_anchors(held[row], xs) for row in rows}
    starts = {rows.start: 0}
    for row in rows:
        starts[row + 1] = starts[row] + max(1, len(anchors[row]))
    cells: list[Entry] = []
    for span, lines in texts.items():
        if span.r0 == span.r1 and len(anchors[span.r0]) > 1:
            for number, part in enumerate(_split_lines(lines, anchors[span.r0])):
                if part:
                    cells.append(_to_cell(part, span, starts[span.r0] + number, 1))
        elif lines:
            cells.append(_to_cell(lines, span, starts[span.r0], starts[span.r1 + 1] - starts[span.r0]))
    return cells, starts[rows.stop]


def _row_anchors(columns: Sequence[list[Line]]) -> list[float]:
    """Baselines at which the row is split: those of the column with the most lines that are all figures.

    None where most columns hold texts: two amounts in one cell of a record are of one record.
    """
    figures = [lines for lines in columns if len(lines) > 1 and all(is_number(line.text) for line in lines)]
    longest = max(figures, key=len, default=[])
    behind_labels = sum(map(bool, columns)) - 1
    return [line.baseline for line in longest] if 2 * len(figures) >= behind_labels else []


def _line_anchors(row: dict[_Span, list[Line]], xs: Sequence[float]) -> list[float]:
    """Baselines at which the row is split though its lines are no figures: where lists stand level in all columns."""
    columns = [(span, lines) for span, lines in row.items() if lines]
    n_lines = len(columns[0][1]) if columns else 0
    if n_lines < MIN_LEVEL or len(columns) < MIN_LEVEL or any(len(lines) != n_lines for _, lines in columns):
        return []
    levels = [[line.baseline for line in lines] for _, lines in columns]
    if any(max(level) - min(level) > LEVEL_POINTS for level in zip(*levels, strict=True)):
        return []
    free = [_is_free(lines, xs[span.c1 + 1] - xs[span.c0]) for span, lines in columns]
    words = [all(len(line.words) == 1 for line in lines) for _, lines in columns]
    return levels[0] if any(free) and all(map(or_, free, words)) else []


def _is_free(lines: Sequence[Line], width: float) -> bool:
    """Whether most lines end before they must: the first word of the next would have fitted behind them."""
    rooms = [width - (line.words[-1].x1 - line.words[0].x0) - line.words[-1].size for line in lines[:-1]]
    firsts = [line.words[0] for line in lines[1:]]
    return 2 * sum(word.x1 - word.x0 < room for word, room in zip(firsts, rooms, strict=True)) > len(rooms)


def _split_lines(lines: Sequence[Line], anchors: Sequence[float]) -> list[list[Line]]:
    """The lines by the anchor nearest to each."""
    parts: list[list[Line]] = [[] for _ in anchors]
    for line in lines:
        nearest = min(range(len(anchors)), key=lambda index: abs(anchors[index] - line.baseline))
        parts[nearest].append(line)
    return parts


def _to_cell(lines: Sequence[Line], span: _Span, row: int, row_span: int) -> Entry:
    return Entry([words_to_piece(line.words) for line in lines], span.c0, span.c1, row, row_span)
