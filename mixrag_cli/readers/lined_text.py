"""Text that remembers its lines: what readers cut, join and clean without losing where in the file it stood."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

LINE_END = re.compile("\n")
LINE_START = re.compile("(?<=\n)")  # of all lines but the first; what is put there is of the line behind it
_EDGE_BLANKS = re.compile(r"^[ \t]+|[ \t]+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{2,}")


@dataclass(frozen=True, slots=True)
class LinedText:
    """A text and its marks: (character, line of the file from there on), characters ascending.

    Example: from_lines("a\\nb", 7).sub(LINE_END, " ") -> text "a b", marks ((0, 7), (2, 8)).
    """

    text: str = ""
    marks: tuple[tuple[int, int], ...] = ()

    @classmethod
    def from_lines(cls, text: str, first: int) -> LinedText:
        """A text whose line breaks are those of the file, beginning on line first."""
        starts = [0, *(found.end() for found in LINE_END.finditer(text))]
        return cls(text, tuple((char, first + number) for number, char in enumerate(starts)))

    @property
    def lines(self) -> tuple[int, int] | None:
        """The first and the last line of the file; None where none is known."""
        numbers = [line for _, line in self.marks]
        return (min(numbers), max(numbers)) if numbers else None

    def cut(self, start: int, end: int) -> LinedText:
        """The characters [start, end) with their lines."""
        first = bisect_right(self.marks, start, key=lambda mark: mark[0]) - 1
        inside = [
            (max(char - start, 0), line) for char, line in self.marks[max(first, 0) :] if char < max(end, start + 1)
        ]
        return LinedText(self.text[start:end], tuple(inside) if self.text[start:end] else ())

    def strip(self) -> LinedText:
        """The text without white space at its ends."""
        start = len(self.text) - len(self.text.lstrip())
        return self.cut(start, max(start, len(self.text.rstrip())))

    def sub(self, pattern: re.Pattern[str], replacement: str) -> LinedText:
        """The text with every match replaced; a line that began in a match begins behind the replacement."""
        parts: list[str] = []
        marks: list[tuple[int, int]] = []
        done = length = at = 0
        for found in pattern.finditer(self.text):
            start, end = found.span()
            while at < len(self.marks) and self.marks[at][0] <= start:
                marks.append((self.marks[at][0] - done + length, self.marks[at][1]))
                at += 1
            parts += [self.text[done:start], replacement]
            length += start - done + len(replacement)
            while at < len(self.marks) and self.marks[at][0] <= end:
                marks.append((length, self.marks[at][1]))
                at += 1
            done = end
        marks += [(char - done + length, line) for char, line in self.marks[at:]]
        return LinedText("".join([*parts, self.text[done:]]), _last_of_each(marks))

    def after(self, lead: str) -> LinedText:
        """The text with something put in front, on its first line."""
        first = self.marks[:1] and ((0, self.marks[0][1]),)
        marks = ((char + len(lead), line) for char, line in self.marks[1:])
        return LinedText(lead + self.text, (*first, *marks))

    def without_blank_lines(self) -> LinedText:
        """The text with its lines stripped, and those that hold nothing left out."""
        return self.sub(_EDGE_BLANKS, "").sub(_BLANK_LINES, "\n").strip()


NOTHING = LinedText()


def join_lined(parts: Iterable[LinedText], separator: str = "") -> LinedText:
    """The parts in order, the separator between them."""
    texts: list[str] = []
    marks: list[tuple[int, int]] = []
    length = 0
    for part in parts:
        if texts:
            length += len(separator)
        marks += [(length + char, line) for char, line in part.marks]
        texts.append(part.text)
        length += len(part.text)
    return LinedText(separator.join(texts), _last_of_each(marks))


def _last_of_each(marks: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """One mark a character, the last: what came before it is gone from the text."""
    return tuple(dict(marks).items())
