"""Settings of libconfig's files, as picom, shairport-sync and their kin have them.

name = value;   name : value      the last sign may be missing
group: { … }                      (group, name)
list = ( { … }, { … } )           (list, "1", name); a list of plain values is one value
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at
from mixrag_cli.readers.facts.directives import INI_SECTION, told_rows

MAX_DEPTH = 60  # of groups and lists
ASSIGNS = re.compile(r"\s*[A-Za-z*][\w*.\-]{0,80}\s*[=:](?:[\s\"(\[{]|$)")
ENDS_ASSIGNMENT = re.compile(r"[^;]*;\s*(?:(?:#|//|/\*).*)?$")
ONLY_BRACKETS = re.compile(r"[\s{}()\[\],;]*$|\s*\"")  # or a text that goes on
TOKEN = re.compile(
    r"\s+|#[^\n]*|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)|(?P<text>\"(?:[^\"\\]|\\.)*\")|(?P<sign>[=:;,{}()\[\]])|"
    r"(?P<word>(?:[^\s;,{}()\[\]=:\"#/]|/(?![/*]))+)|."
)
SIGNS = frozenset(";,{}()[]")
NAME = re.compile(r"[A-Za-z*][\w*.\-]{0,80}$")


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    row: int


def is_libconfig(lines: Sequence[str]) -> bool:
    """Whether most lines of a file assign something, some with a semicolon behind it, and none is a section's."""
    said = [lines[row] for row in told_rows(lines) if not ONLY_BRACKETS.match(lines[row])]
    assigned = [line for line in said if ASSIGNS.match(line)]
    has_end = any(ENDS_ASSIGNMENT.match(line) for line in assigned)
    return has_end and 2 * len(assigned) > len(said) and not any(INI_SECTION.match(line) for line in said)


def collect_libconfig(collector: FactCollector, lines: Sequence[str]) -> None:
    """Collect the settings of such a file."""
    _Reader(collector, lines).collect()


class _Reader:
    def __init__(self, collector: FactCollector, lines: Sequence[str]) -> None:
        self._collector = collector
        self._lines = lines
        self._text = "\n".join(lines)
        self._tokens = list(_tokens(self._text))
        self._path: list[str] = []
        self._counts: list[int] = []  # of the groups that each open group or list held so far

    def collect(self) -> None:
        """Take the settings."""
        at = 0
        while at < len(self._tokens) and not self._collector.is_full:
            text = self._tokens[at].text
            if self._is_assigned(at):
                at = self._assigned(at)
                continue
            if text == "{" and len(self._path) < MAX_DEPTH:  # of a list
                self._count()
            elif text in ("}", ")", "]") and self._path:
                self._path.pop()
                self._counts.pop()
            at += 1

    def _count(self) -> None:
        """Enter the next group of a list."""
        if self._counts:
            self._counts[-1] += 1
        self._enter(str(self._counts[-1] if self._counts else 1))

    def _enter(self, name: str) -> None:
        self._path.append(name)
        self._counts.append(0)

    def _is_assigned(self, at: int) -> bool:
        """Whether a name and its sign stand at that token."""
        pair = self._tokens[at : at + 2]
        return len(pair) == 2 and NAME.match(pair[0].text) is not None and pair[1].text in ("=", ":")

    def _assigned(self, at: int) -> int:
        """Take the setting, or enter the group or list, whose name is that token; the token to go on with."""
        name, first = self._tokens[at].text, at + 2
        opens = self._tokens[first].text if first < len(self._tokens) else ""
        last = self._end_of_list(first) if opens in ("(", "[", "{") else self._end_of_value(first)
        if any(token.text == "{" for token in self._tokens[first:last]):
            if len(self._path) >= MAX_DEPTH:
                return last
            self._enter(name)
            return first + 1
        if last > first:
            self._add(at, self._tokens[first:last])
        return last

    def _end_of_value(self, at: int) -> int:
        """The token behind the plain value that begins at that token: a sign, or the next name with its sign."""
        last = at
        while last < len(self._tokens) and self._tokens[last].text not in SIGNS:
            if last > at and self._is_assigned(last):
                break
            last += 1
        return last

    def _end_of_list(self, at: int) -> int:
        """The token behind the bracket that closes the one at that token."""
        depth = 0
        for place in range(at, len(self._tokens)):
            text = self._tokens[place].text
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if not depth:
                return place + 1
        return len(self._tokens)

    def _add(self, at: int, value: Sequence[_Token]) -> None:
        row, ends = self._tokens[at].row, value[-1].start + len(value[-1].text)
        are_texts = all(token.text.startswith('"') for token in value)
        text = self._text[value[0].start : ends]
        text = "".join(unquoted(token.text) for token in value) if are_texts and len(value) > 1 else unquoted(text)
        is_one_line = value[-1].row == row
        column = ends - self._text.rfind("\n", 0, ends) - 1 if is_one_line else None
        comment, where = comment_at(self._lines, row, column, "# //")
        path = (*self._path, self._tokens[at].text)
        self._collector.add(path, "setting", ("value", text, value[0].row + 1), ("help", comment, where))


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    row = 0
    for match in TOKEN.finditer(text):
        if match.lastgroup:
            found.append(_Token(match[0], match.start(), row))
        row += match[0].count("\n")
    return found
