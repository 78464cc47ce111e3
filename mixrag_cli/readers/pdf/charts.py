"""Charts among a page's words: what stands along their axes is set aside before tables are looked for.

    figures under each other in equal steps ─► those at whose height lines are drawn: an axis ─► plot ─► frame or labels

An axis is told by what is drawn, not by words: a table's rulings lie between its rows, a chart's lines and ticks at the
middle of its marks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from mixrag_cli.readers.pdf.layout import merge_boxes
from mixrag_cli.readers.pdf.page import Box, PageContent, Rule, TurnedWord, Word

MIN_MARKS = 4  # figures in equal steps; three fall so by chance
EDGE_POINTS = 1.5  # how far the edges of an axis' marks may differ
PITCH_SHARE = 0.06  # of the step between two marks: how far one may stand off it
AT_MARK = 0.3  # of the type size: how far from a mark's middle its line may lie
MIN_LINED_SHARE = 0.6  # of the marks, where the lines of some lie under bars
AXIS_REACH = 3.0  # of the type size: how far from its marks an axis is drawn
MIN_PLOT = 4.0  # of the type size: a narrower one is a tick
MAX_OFF = 12.0  # of the type size: how far apart the things in a plot are drawn
MAX_BESIDE = 0.5  # of the marks: more words in their rows are a table's cells
MAX_FRAME = 3.0  # times the plot's area: a larger frame holds other things as well
FRAME_POINTS = 3.0
MAX_LABEL_LINES = 4  # below an axis, and a legend
LABEL_GAP = 1.6  # of the type size, from the axis or from line to line
LABEL_SIZE = 1.15  # times the marks' type size: larger words belong to the text
MARK = re.compile(r"^[$€£¥]?([-−–]?\d[\d,]*(?:\.\d+)?|[-−–]?\.\d+)\s?[%kKMB]?$")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart's place, and the words in it, upright and on their side.

    marks: those of the words that are figures along its axes. plot_top: where its title ends.
    """

    box: Box
    words: frozenset[Word]
    turned: tuple[TurnedWord, ...]
    marks: frozenset[Word]
    plot_top: float

    def holds_across(self, rule: Rule) -> bool:
        """Whether a horizontal ruling lies in the chart."""
        return _holds(self.box, (rule.start, rule.at)) and _holds(self.box, (rule.end, rule.at))

    def holds_down(self, rule: Rule) -> bool:
        """Whether a vertical ruling lies in the chart."""
        return _holds(self.box, (rule.at, rule.start)) and _holds(self.box, (rule.at, rule.end))


def find_charts(content: PageContent) -> list[Chart]:
    """The charts of a page, top to bottom; those that share a place are one."""
    boxes: list[Box] = []
    marks: list[Word] = []
    for axis in _axes(content.words):
        plot = _plot_of(axis, content)
        if plot is not None:
            boxes.append(_frame_around(plot, content) or _with_labels(plot, axis, content.words))
            marks += axis
    charts = []
    for box in _united(boxes):
        inside = frozenset(word for word in content.words if _holds(box, _middle(word)))
        turned = tuple(word for word in content.turned if _holds(_grown(box, AXIS_REACH * word.size), _middle(word)))
        own = inside.intersection(marks)
        charts.append(Chart(box, inside, turned, own, min(word.top for word in own)))
    return sorted(charts, key=lambda chart: chart.box[1])


def _axes(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Runs of figures that stand under each other on one edge, evenly, and fall in equal steps; top to bottom."""
    figures = [word for word in words if MARK.match(word.text)]
    for edge in ("x1", "x0"):
        ordered = sorted(figures, key=lambda word: (getattr(word, edge), word.top))
        column: list[Word] = []
        for word in ordered:
            if column and getattr(word, edge) - getattr(column[0], edge) > EDGE_POINTS:
                yield from _even_runs(column)
                column = []
            column.append(word)
        yield from _even_runs(column)


def _even_runs(column: Sequence[Word]) -> Iterator[list[Word]]:
    run: list[Word] = []
    for word in sorted(column, key=lambda word: word.baseline):
        if len(run) > 1 and not _goes_on(run, word):
            if len(run) >= MIN_MARKS:
                yield run
            run = run[-1:]
        run.append(word)
    if len(run) >= MIN_MARKS:
        yield run


def _goes_on(run: Sequence[Word], word: Word) -> bool:
    """Whether the word stands one step below the last mark, and its figure is one step lower."""
    pitch = run[1].baseline - run[0].baseline
    step = _value(run[0]) - _value(run[1])
    is_even = abs(word.baseline - run[-1].baseline - pitch) <= PITCH_SHARE * pitch + 0.5
    return is_even and step > 0 and math.isclose(_value(run[-1]) - _value(word), step, rel_tol=1e-6, abs_tol=1e-9)


def _value(word: Word) -> float:
    found = MARK.match(word.text)
    return float(found.group(1).replace(",", "").replace("−", "-").replace("–", "-")) if found else math.nan


def _plot_of(marks: Sequence[Word], content: PageContent) -> Box | None:
    """The area that an axis' lines span, its marks included; None where no line tells that they are one."""
    size, edge = median(word.size for word in marks), max(word.x1 for word in marks)
    top, bottom = _middle(marks[0])[1], _middle(marks[-1])[1]
    lines = [[rule for rule in content.horizontal if _is_line_of(word, rule, size)] for word in marks]
    is_lined = sum(map(bool, lines)) >= MIN_LINED_SHARE * len(marks)
    if not is_lined and not _has_axis(marks, edge, size, content.vertical):
        return None
    right = max((rule.end for found in lines for rule in found), default=edge)
    if right - edge < MIN_PLOT * size:  # ticks alone: what is drawn beside them tells how far the plot goes
        right = max([_end_of_shapes(edge, (top, bottom), size, content.shapes), right])
        across = [rule.end for rule in content.horizontal if _is_line_of(marks[-1], rule, 3 * size)]
        right = max([right, *across]) if right - edge >= MIN_PLOT * size else edge
    beside = [word for word in content.words if edge < word.x0 < right and _is_beside(word, marks)]
    if right - edge < MIN_PLOT * size or len(beside) > MAX_BESIDE * len(marks):
        return None
    return (min(word.x0 for word in marks), top - size, right, bottom + size)


def _end_of_shapes(edge: float, heights: tuple[float, float], size: float, shapes: Sequence[Box]) -> float:
    """How far to the right bars and curves follow each other behind an axis; the edge itself where none does."""
    right = edge
    for box in sorted(shapes):
        if edge < box[0] <= right + MAX_OFF * size and heights[0] - size < box[1] < heights[1]:
            right = max(right, box[2])
    return right


def _is_line_of(word: Word, rule: Rule, size: float) -> bool:
    """Whether the ruling begins right behind the mark, at its middle."""
    starts = word.x1 - 1 <= rule.start <= word.x1 + AXIS_REACH * size
    return starts and abs(rule.at - _middle(word)[1]) <= AT_MARK * size


def _has_axis(marks: Sequence[Word], edge: float, size: float, vertical: Sequence[Rule]) -> bool:
    """Whether a ruling runs down right behind the marks, as far as they reach and no farther."""
    top, bottom = _middle(marks[0])[1], _middle(marks[-1])[1]
    return any(
        edge < rule.at <= edge + AXIS_REACH * size and abs(rule.start - top) <= size and abs(rule.end - bottom) <= size
        for rule in vertical
    )


def _is_beside(word: Word, marks: Sequence[Word]) -> bool:
    """Whether a word stands in the row of a mark."""
    return any(abs(word.baseline - mark.baseline) < 0.2 * mark.size for mark in marks)


def _frame_around(plot: Box, content: PageContent) -> Box | None:
    """The smallest frame of four rulings around the plot."""
    area = (plot[2] - plot[0]) * (plot[3] - plot[1])
    lefts = [rule for rule in content.vertical if rule.at <= plot[0] + 1 and _spans(rule, plot[1], plot[3])]
    rights = [rule for rule in content.vertical if rule.at >= plot[2] - 1 and _spans(rule, plot[1], plot[3])]
    found: list[Box] = []
    for left in lefts:
        for right in rights:
            if not abs(left.start - right.start) <= FRAME_POINTS >= abs(left.end - right.end):
                continue
            box = (left.at, max(left.start, right.start), right.at, min(left.end, right.end))
            sides = [rule for rule in content.horizontal if _spans(rule, left.at, right.at)]
            is_closed = all(any(abs(rule.at - at) <= FRAME_POINTS for rule in sides) for at in (box[1], box[3]))
            if is_closed and (box[2] - box[0]) * (box[3] - box[1]) <= MAX_FRAME * area:
                found.append(box)
    return min(found, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]), default=None)


def _spans(rule: Rule, start: float, end: float) -> bool:
    return rule.start <= start + FRAME_POINTS and end - FRAME_POINTS <= rule.end


def _with_labels(plot: Box, marks: Sequence[Word], words: Sequence[Word]) -> Box:
    """The plot and the lines of small type right below it, which name what its other axis shows."""
    size = median(word.size for word in marks)
    below = sorted(
        (
            word
            for word in words
            if word.top > plot[3] - 2 * size and plot[0] <= _middle(word)[0] <= plot[2] + size and word not in marks
        ),
        key=lambda word: word.baseline,
    )
    bottom, last, n_lines = plot[3], plot[3] - size, 0
    for word in below:
        if abs(word.baseline - last) > 0.3 * size:
            if (
                word.top - bottom > (LABEL_GAP - 1) * size
                or n_lines == MAX_LABEL_LINES
                or word.size > LABEL_SIZE * size
            ):
                break
            n_lines, last = n_lines + 1, word.baseline
        bottom = max(bottom, word.bottom)
    return (plot[0], plot[1], plot[2] + size, bottom)


def _united(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, those that overlap as one."""
    found: list[Box] = []
    for box in boxes:
        touching = [other for other in found if _overlap(box, other)]
        found = [other for other in found if other not in touching]
        found.append(merge_boxes([box, *touching]))
    return found


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _middle(word: Word | TurnedWord) -> tuple[float, float]:
    return (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2


def _holds(box: Box, point: tuple[float, float]) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def _grown(box: Box, by: float) -> Box:
    return box[0] - by, box[1], box[2] + by, box[3]
