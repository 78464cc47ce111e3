"""Lines that their author ended: the next word would have fitted, so no line filling has moved it down.

Of running text only the last line of a paragraph ends so. Of addresses, of "Label: value" lines and of lists without
marks every line does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from mixrag_cli.readers.pdf.layout import HYPHENS, Line, is_number
from mixrag_cli.readers.pdf.page import Word
from mixrag_cli.readers.pdf.paragraphs import PARAGRAPH_GAP

WORD_SPACE = 0.25  # of the type size
MIN_ROOM = 3.0  # times the type size: what has to be left behind the word; ragged edges and tracking leave less
FILLED_SHARE = 0.7  # of the line ends, where running text fills a column that is narrower than its flow
MIN_FILLED = 3  # line ends that show such a column where no line goes on in lower case
MIN_RUNNING = 3  # lines that the next one goes on in lower case: running text
RUNNING_SHARE = 0.15  # of a flow's lines: fewer say little of the others
INDENT = 0.8  # of the type size: a line that begins farther in than the one before belongs to it
LABELLED = re.compile(r"^\S[^:]{0,40}:\s")
OPEN_END = re.compile(
    rf"[,&/(–—{re.escape(HYPHENS)}]$|\b(?:a|an|and|as|at|by|for|from|in|is|of|on|or|that|the|to|under|with)$", re.I
)
OPEN_START = re.compile(r"[&/–—,);]")


def right_edge(lines: Sequence[Line], flows: Sequence[Sequence[Word]], width: float) -> float:
    """How far right a flow's lines may go: as far as its running text does.

    Without such text it is the flow's longest line where another flow stands beside it, else the page's margin, taken
    to be as wide as the left one. lines: of the flow. flows: all of the page. width: of the page.
    """
    running = [last.x1 for last, line in pairwise(lines) if line.text[0].islower() and _are_neighbours(last, line)]
    if len(running) >= max(MIN_RUNNING, RUNNING_SHARE * len(lines)):
        return max(running)
    longest = max(line.x1 for line in lines)
    top, bottom = lines[0].top, lines[-1].bottom
    own = {word for line in lines for word in line.words}
    for flow in flows:
        if flow[0] not in own and any(top < word.bottom and word.top < bottom for word in flow):
            return longest
    return max(longest, width - min(word.x0 for flow in flows for word in flow))


def _are_neighbours(last: Line, line: Line) -> bool:
    return abs(last.size - line.size) < 0.12 * line.size and line.top - last.bottom < PARAGRAPH_GAP * line.size


def find_breaks(lines: Sequence[Line], edge: float) -> tuple[int, ...]:
    """Indices of a paragraph's lines that stand below one that its author ended. edge: of the flow, see right_edge."""
    edge = _column_edge(lines, edge) if len(lines) > 1 else edge
    found: list[int] = []
    first = lines[0]
    for number, (last, line) in enumerate(pairwise(lines), start=1):
        is_inside = first.x0 + INDENT * line.size < line.x0 < last.x1 and not _is_centered(last, line)
        if not is_inside and _is_ended(last, line, edge):
            found.append(number)
            first = line
    return tuple(found)


def _column_edge(lines: Sequence[Line], edge: float) -> float:
    """The edge that the lines keep to: their own where running text fills a part of the flow's width."""
    own = max(line.x1 for line in lines)
    filled = [_room(last, line, own) < 0 for last, line in pairwise(lines)]
    if sum(filled) < FILLED_SHARE * len(filled):
        return edge
    starts = [line.text[0] for line in lines[1:]]
    reads_on = any(sign.islower() for sign in starts) or not any(sign.isupper() or sign.isdigit() for sign in starts)
    is_block = len(filled) >= MIN_FILLED and not any(LABELLED.match(line.text) for line in lines)
    return own if reads_on or is_block else edge


def _is_centered(last: Line, line: Line) -> bool:
    return abs(last.x0 + last.x1 - line.x0 - line.x1) < line.size


def _is_ended(last: Line, line: Line, edge: float) -> bool:
    """Whether the last line ends although the next one's first word would have fitted well.

    A figure alone belongs to the label above it, as in charts, and what closes a bracket to what opened it.
    """
    if last.text.count("(") > last.text.count(")") and ")" in line.text:
        return False
    if line.text[0].islower() or OPEN_START.match(line.text) or is_number(line.text) or OPEN_END.search(last.text):
        return False
    return _room(last, line, edge) > MIN_ROOM * last.size


def _room(last: Line, line: Line, edge: float) -> float:
    """What would be left of the line behind the next one's first word, in points; below 0 where it does not fit."""
    end = line.words[0].x1
    for word in line.words[1:]:
        if not word.glued:
            break
        end = word.x1
    return edge - last.x1 - WORD_SPACE * last.size - (end - line.x0)
