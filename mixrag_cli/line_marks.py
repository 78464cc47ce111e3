"""Which line of its file each stretch of an extracted text stands on, and a place narrowed by it.

An extracted text has other line breaks than its file: markup, blank lines and comments are gone, several lines of a
paragraph have become one. So its line breaks are never counted where marks say what they were.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace

from mixrag_cli.records.places import LineMarks, Locator


def lines_between(marks: LineMarks, start: int, end: int) -> tuple[int, int] | None:
    """The first and the last line of the file that the characters [start, end) stand on; None where none is known."""
    first = bisect_right(marks.chars, start) - 1
    last = bisect_left(marks.chars, max(end, start + 1))
    lines = marks.lines[max(first, 0) : last]
    return (min(lines), max(lines)) if lines else None


def narrow_to(locator: Locator, text: str, start: int, end: int) -> Locator:
    """The place of the characters [start, end) of a passage's text, given the passage's own.

    Its lines are those of its marks; without marks the text stands as in its file, and its line breaks are counted.
    """
    if locator.lines is None:
        return locator
    if locator.marks.chars:
        return replace(locator, lines=lines_between(locator.marks, start, end), marks=LineMarks())
    first = min(locator.lines[0] + text.count("\n", 0, start), locator.lines[1])
    return replace(locator, lines=(first, min(first + text.count("\n", start, end), locator.lines[1])))


def marks_within(marks: LineMarks, start: int, end: int) -> LineMarks:
    """The marks of the characters [start, end), counted from start."""
    first = max(bisect_right(marks.chars, start) - 1, 0)
    last = bisect_left(marks.chars, end)
    return LineMarks(tuple(max(char - start, 0) for char in marks.chars[first:last]), tuple(marks.lines[first:last]))


def marks_of_passage(marks: LineMarks, text: str, start: int, end: int) -> LineMarks:
    """The marks that the passage text[start:end] needs; none where counting its line breaks says the same."""
    inside = marks_within(marks, start, end)
    at, line = start, inside.lines[0] if inside.lines else 0
    for char, marked in zip(inside.chars, inside.lines, strict=True):
        line += text.count("\n", at, start + char)
        at = start + char
        if line != marked:
            return inside
    return LineMarks()
