"""Tables between rulings of one reach that share their lines with running text beside them.

A table over two of a page's three columns stands on the same lines as the third. Where the page's flows would read such
lines across, the words between the rulings are read by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mixrag_cli.readers.pdf.aligned_tables import find_aligned_tables
from mixrag_cli.readers.pdf.flows import split_flows
from mixrag_cli.readers.pdf.lattice import Lattice
from mixrag_cli.readers.pdf.layout import is_number, words_to_lines
from mixrag_cli.readers.pdf.lined_tables import rules_by_reach
from mixrag_cli.readers.pdf.page import Box, PageContent, Word
from mixrag_cli.readers.pdf.pieces import YEAR

MIN_RULES = 3  # above and below the headings, and below the last row
MIN_TORN = 3  # lines of a flow that hold words of the table and of the text beside it
MAX_BESIDE = 2  # of its rulings that another lies beside
SAME_HEIGHT = 1.0  # points
MIN_HELD = 0.9  # of the words between the rulings: they are one table and nothing else


def find_torn_tables(words: Sequence[Word], content: PageContent) -> list[Lattice]:
    """The tables of the page that its flows would tear, top to bottom."""
    boxes = [box for box in _boxes(words, content) if any(_is_beside(word, box) for word in words)]
    if not boxes:
        return []
    lines = [line.words for flow in split_flows(words) for line in words_to_lines(flow)]
    tables: list[Lattice] = []
    for box in boxes:
        inside = [[_is_inside(word, box) for word in line] for line in lines]
        if sum(any(held) and not all(held) for held in inside) < MIN_TORN:
            continue
        held = [word for word in words if _is_inside(word, box)]
        found = find_aligned_tables(words_to_lines(held), content.horizontal, content.n_pages)
        if len(found) == 1 and len(found[0].words) >= MIN_HELD * len(held) and _has_labels(found[0]):
            tables += found
    return sorted(tables, key=lambda table: table.box[1])


def _boxes(words: Sequence[Word], content: PageContent) -> Iterator[Box]:
    """Between the first ruling and the last of those with one reach, where headings stand below the first, and no
    rulings beside: those under the figures of a wider table have others at their height.
    """
    for rules in rules_by_reach(content.horizontal, content.vertical, MIN_RULES):
        start, end = min(rule.start for rule in rules), max(rule.end for rule in rules)
        first = [word for word in words if _is_inside(word, (start, rules[0].at, end, rules[1].at))]
        heads = all(not is_number(word.text) or YEAR.match(word.text) for word in first)
        n_beside = sum(
            any(abs(rule.at - other.at) < SAME_HEIGHT and not start < other.end <= end for other in content.horizontal)
            for rule in rules
        )
        if first and heads and n_beside < MAX_BESIDE:
            yield start, rules[0].at, end, rules[-1].at


def _has_labels(table: Lattice) -> bool:
    """Whether texts in the first column name most rows."""
    labels = [not cell.pieces[0].is_number for cell in table.cells if cell.row >= table.n_header and cell.first == 0]
    return 2 * sum(labels) > table.n_rows - table.n_header


def _is_inside(word: Word, box: Box) -> bool:
    x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
    return box[0] <= x <= box[2] and box[1] < y < box[3]


def _is_beside(word: Word, box: Box) -> bool:
    return box[1] < word.baseline < box[3] and (word.x1 < box[0] or word.x0 > box[2])
