"""Running headers and footers among the words of a page, told before tables are looked for: no table takes them in.

What repeats at the same height may be the heading of a table that goes on over pages, too. A running line is therefore
one that counts the pages, or one text without gaps; at the top of a page such a text runs beside a line that counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from mixrag_cli.readers.pdf.layout import Line, words_to_lines
from mixrag_cli.readers.pdf.page import PageContent
from mixrag_cli.readers.pdf.pieces import line_to_pieces
from mixrag_cli.readers.pdf.running import EDGE_LINES, FIGURES, MIN_REPEATS

REACH = 3  # pages before and behind a page, in which its running lines stand again
SAME_HEIGHT_POINTS = 2.0
MAX_DIGITS = 9  # of a figure that is compared


@dataclass(frozen=True, slots=True)
class RunningLines:
    """The running lines of a page, those at its top and those at its bottom, each from the top down."""

    top: tuple[Line, ...] = ()
    bottom: tuple[Line, ...] = ()


NONE_RUNNING = RunningLines()


@dataclass(frozen=True, slots=True)
class _EdgeLine:
    line: Line
    text: str  # with its figures masked
    figures: tuple[int, ...]
    is_whole: bool  # one text without gaps

    def is_on(self, other: _EdgeLine) -> bool:
        """Whether the other, of another page, is the same line but for its figures."""
        return self.text == other.text and abs(self.line.baseline - other.line.baseline) <= SAME_HEIGHT_POINTS

    def counts_to(self, other: _EdgeLine, pages_on: int) -> bool:
        """Whether a figure of the other, so many pages on, is larger by as much."""
        return any(b - a == pages_on for a, b in zip(self.figures, other.figures, strict=False))


Edges = tuple[list[_EdgeLine], list[_EdgeLine]]  # the lines at the top and the bottom, nearest to the edge first


def with_running_lines(pages: Iterable[PageContent]) -> Iterator[tuple[PageContent, RunningLines]]:
    """Each page with its running lines, as soon as the pages that follow it are known."""
    known: deque[tuple[PageContent, Edges]] = deque()
    ahead = ((page, _edges_of(page)) for page in pages)
    at = 0  # where in those known the page stands that is next
    for coming in chain(ahead, [None] * REACH):
        if coming is not None:
            known.append(coming)
        if at < len(known) and (coming is None or len(known) - at > REACH):
            yield known[at][0], _running_of(at, known)
            at += 1
            if at > REACH:
                known.popleft()
                at -= 1


def _edges_of(page: PageContent) -> Edges:
    lines = words_to_lines(page.words)
    return (
        [_read_line(line, page) for line in lines[:EDGE_LINES]],
        [_read_line(line, page) for line in lines[: -EDGE_LINES - 1 : -1]],
    )


def _read_line(line: Line, page: PageContent) -> _EdgeLine:
    plain = line.text.casefold()
    figures = tuple(int(found[:MAX_DIGITS]) for found in FIGURES.findall(plain))
    return _EdgeLine(line, FIGURES.sub("#", plain), figures, len(line_to_pieces(line, page.width)) == 1)


def _running_of(at: int, known: Sequence[tuple[PageContent, Edges]]) -> RunningLines:
    page, edges = known[at]
    found: list[list[Line]] = []
    for edge in (0, 1):
        lines: list[Line] = []
        n_counting = 0
        for number, line in enumerate(edges[edge]):
            near = (pair for place, pair in enumerate(known) if place != at)
            others = [
                (other.number - page.number, each)
                for other, their in near
                for each in their[edge][: number + 2]
                if line.is_on(each)
            ]
            counting = sum(line.counts_to(each, pages_on) for pages_on, each in others) >= MIN_REPEATS - 1
            same = sum(line.figures == each.figures for _, each in others) >= MIN_REPEATS - 1
            if not counting and not (same and line.is_whole):
                break
            lines.append(line.line)
            n_counting += counting
        found.append(lines if n_counting or edge == 1 else [])
    top, bottom = found
    return RunningLines(tuple(top), tuple(reversed(bottom)))
