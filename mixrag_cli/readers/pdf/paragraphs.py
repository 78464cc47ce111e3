"""Lines of one flow to paragraphs, list items and headings, by gap, size, style, indent and marks; pure functions."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from mixrag_cli.readers.pdf.layout import SECTION_NUMBER, Line, merge_boxes, without_number
from mixrag_cli.readers.pdf.page import Box

PARAGRAPH_GAP = 0.75  # of the type size between a line's bottom and the next top; set on 10-Q filings and papers
MAX_LEADING = 1.6  # of the type size: so far apart stand the lines of a text set with double spacing,
MORE_THAN_LEADING = 0.15  # and so much farther its paragraphs
LIST_STEP = 0.5  # of the type size: a list inside another stands at least so far from it
LIST_MARK = re.compile(
    r"^(?:[•●▪■◦‣⁃∙·\uf0b7\uf0a7]|[-–—*] |\(?(?:\d{1,3}[a-z]?|[a-zA-Z]\d{0,2}|[ivxl]{2,5}|[IVXL]{2,5})[.)] )"
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together: a paragraph, a list item or a heading."""

    lines: tuple[Line, ...]
    is_list: bool = False

    @property
    def box(self) -> Box:
        """Its bounding box."""
        return merge_boxes(line.box for line in self.lines)

    @property
    def size(self) -> float:
        """The type size of its first line."""
        return self.lines[0].size


def lines_to_paragraphs(lines: Sequence[Line]) -> list[Paragraph]:
    """Group a flow's lines to paragraphs by gap, size, style, first-line indent and list marks."""
    paragraphs: list[Paragraph] = []
    current: list[Line] = []
    right = max((line.x1 for line in lines), default=0.0)
    leading = _leading(lines, right)
    for line in lines:
        if current and _starts_paragraph(line, current, right, leading):
            paragraphs.append(_to_paragraph(current))
            current = []
        current.append(line)
    if current:
        paragraphs.append(_to_paragraph(current))
    return paragraphs


def _to_paragraph(lines: Sequence[Line]) -> Paragraph:
    return Paragraph(tuple(lines), is_list=bool(LIST_MARK.match(lines[0].text + " ")))


def _leading(lines: Sequence[Line], right: float) -> float:
    """The blank between two lines of one paragraph, in type sizes; 0 where no line surely goes on in the next."""
    gaps = [_gap(last, line) for last, line in pairwise(lines) if _goes_on(last, line, right)]
    return median(gaps) if gaps else 0.0


def _gap(last: Line, line: Line) -> float:
    return (line.top - last.bottom) / max(line.size, last.size, 1.0)


def _goes_on(last: Line, line: Line, right: float) -> bool:
    """Whether a line surely goes on in the next: it is full and ends no sentence, and the next begins in lower case."""
    size = max(line.size, last.size)
    return (
        0 < _gap(last, line) <= MAX_LEADING
        and line.text[:1].islower()
        and not LIST_MARK.match(line.text + " ")
        and last.text[-1:] not in ".:!?;"
        and not _is_short(last, line, right)
        and abs(line.x0 - last.x0) < 4 * size
        and abs(line.size - last.size) <= 0.12 * size
        and _letters_are_bold(line) is _letters_are_bold(last)
    )


def _letters_are_bold(line: Line) -> bool:
    """Whether its words are bold, whatever the mark of a list before them is."""
    words = without_number(line.words)
    return all(word.bold for word in [word for word in words if word.text[0].isalnum()] or words)


def _keeps_weight(last: Line, line: Line, current: Sequence[Line], right: float) -> bool:
    """Whether the line is as bold as the last one, or goes on with bold words that begin or end inside of a text."""
    is_bold = _letters_are_bold(line)
    if is_bold is _letters_are_bold(last):
        return True
    if not _is_full(last, line, right):
        return False
    goes_on = last.words[-1].bold and line.words[0].bold
    return goes_on or not (is_bold or _letters_are_bold(current[0]))


def _is_short(last: Line, line: Line, right: float) -> bool:
    return last.x1 < right - 0.25 * (right - min(last.x0, line.x0))


def _is_full(last: Line, line: Line, right: float) -> bool:
    """Whether the line's first word would not have fitted behind the last line."""
    return last.x1 + line.words[0].x1 - line.x0 >= right


def _starts_paragraph(line: Line, current: Sequence[Line], right: float, leading: float) -> bool:
    """Whether the line opens a new paragraph behind the current one."""
    last = current[-1]
    size = max(line.size, last.size)
    gap = _gap(last, line)
    inner = _gap(current[-2], last) if len(current) > 1 else math.inf
    if line.baseline < last.baseline:
        return True
    is_apart = gap > max(PARAGRAPH_GAP, leading + MORE_THAN_LEADING) or gap > inner + 0.3
    if is_apart and not _goes_on(last, line, right):
        return True
    if abs(line.size - last.size) > 0.12 * size or not _keeps_weight(last, line, current, right):
        return True
    if line.italic is not last.italic and (last.x1 < right - 3 * size or len(last.words) < 4):
        return True
    if LIST_MARK.match(line.text + " ") and (last.x1 < right - 2 * size or _is_item(line, current)):
        return True
    if SECTION_NUMBER.match(line.words[0].text) and _counts_on(current[0], line):
        return True
    goes_on = line.text[:1].islower() or _is_full(last, line, right)
    hangs = goes_on and line.x0 < last.x0 + LIST_STEP * size
    indented = line.x0 > min(other.x0 for other in current) + 0.8 * size and line.x0 < last.x0 + 4 * size
    if indented and len(current) > 1 and not hangs and not LIST_MARK.match(current[0].text + " "):
        return True
    ends = ".:!?;" if line.text[:1].isupper() else "." if _is_numbered(line) else ""
    return _is_short(last, line, right) and last.text[-1:] in ends


def _is_item(line: Line, current: Sequence[Line]) -> bool:
    """Whether the line, which begins as an item of a list does, stands as one: behind a bullet, or left or right of the
    text before it. A paragraph's first line is indented, too.
    """
    if line.words[0].text in "•●▪■◦‣⁃∙":
        return True
    step = LIST_STEP * line.size
    first = current[0]
    if line.x0 > current[-1].x0 + step:
        return True
    if _is_numbered(first) and abs(line.x0 - first.x0) < step:
        return _counts_on(first, line) or all(other.x0 > line.x0 + step for other in current[1:])
    left = min(other.x0 for other in current)
    return line.x0 < left - step and (_is_numbered(first) or len(current) > 1)


def _is_numbered(line: Line) -> bool:
    """Whether a list's mark or a section's number stands before its text."""
    return bool(LIST_MARK.match(line.text + " ") or SECTION_NUMBER.match(line.words[0].text))


def _counts_on(first: Line, line: Line) -> bool:
    """Whether the line's mark is the letter or number after that of the first: "b." after "a.", "1.3" after "1.2.4"."""
    marks = first.words[0].text, line.words[0].text
    before, behind = (mark.strip("().") for mark in marks)
    if len(before) == len(behind) == 1 and before.isalpha():
        return ord(behind) == ord(before) + 1
    if not (SECTION_NUMBER.match(marks[0]) and before[0].isdecimal() and behind[0].isdecimal()):
        return False
    last, number = (tuple(map(int, text.split("."))) for text in (before, behind))
    at = len(number) - 1
    if len(number) == len(last) and marks[0][-1].isdecimal() is not marks[1][-1].isdecimal():
        return False
    return number == (*last, 1) or (at < len(last) and number == (*last[:at], last[at] + 1))
