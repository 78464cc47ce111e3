"""The markup of MediaWiki: which lines are headings, and its tables.

    == Heading ==            a level for each equals sign
    {| class="wikitable"
    |+ the caption
    ! Name !! colspan="2" | Two columns
    |-                       a row ends, another begins
    | a || b
    | c, in a line of its own
    |}

What is known of a cell ("colspan=2") stands before its text and a stroke. A table in a cell is left as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS, TextCell, TextTable, to_table

SUFFIXES = ("mediawiki", "wiki", "wikitext")
HEADING = re.compile(r"(={1,6})[ \t]*([^=\s][^\n]{0,200}?)[ \t]*\1[ \t]*$")
LITERAL = re.compile(r"<(pre|nowiki|source|syntaxhighlight)\b[^>\n]{0,200}(?<!/)>", re.IGNORECASE)
CELL_SPAN = re.compile(r"\b(colspan|rowspan)[ \t]*=[ \t]*[\"']?(\d{1,3})", re.IGNORECASE)
# Before the text of a cell, and no part of a link or a template, in which strokes stand as well.
ATTRIBUTES = re.compile(r"([^\[\]{}|\n]{0,500})\|(?!\|)")
MARKUP = re.compile(
    r"\[\[(?:[^\[\]|\n]{0,300}\|)?(?P<link>[^\[\]|\n]{1,300})\]\]"
    r"|\[[a-z]{2,10}:[^\s\]]{1,500}[ \t]+(?P<out>[^\]\n]{1,300})\]"
    r"|'{2,5}|</?(?:nowiki|code|tt|b|i|small|sup|sub|span)\b[^>\n]{0,200}>|<(?P<break>br)\b[^>\n]{0,20}>",
    re.IGNORECASE,
)


def wiki_headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Each heading's line, from 0, its level and its text; what stands as it is has none."""
    literal = ""
    for number, line in enumerate(lines):
        if not literal and (heading := HEADING.match(line)):
            yield number, len(heading[1]), shown(heading[2])
            continue
        opened = LITERAL.search(line) if not literal else None
        literal = opened[1].lower() if opened else literal
        if literal and f"</{literal}" in line.lower():
            literal = ""


def shown(text: str) -> str:
    """The text in one line as a page shows it, without the marks of links and of what is strong or stressed."""
    told = MARKUP.sub(lambda found: found["link"] or found["out"] or (" " if found["break"] else ""), text)
    return " ".join(told.split())


def wiki_tables(lines: Sequence[str], first: int, last: int) -> Iterator[TextTable]:
    """The tables among the lines [first, last), from 0, in their order."""
    for start, end in _frames(lines, first, last):
        table = _Table()
        for number in range(start + 1, end):
            table.add(lines[number], number)
        rows = [row for row in table.rows if row]
        if len(rows) > 1 and max(sum(cell.column_span for cell in row) for row in rows) <= MAX_COLUMNS:
            yield to_table([[_told(cell) for cell in row] for row in rows], (start, end + 1), shown(table.caption))


def _opens(line: str) -> bool:
    return line.lstrip(" \t:").startswith("{|")


def _closes(line: str) -> bool:
    return line.lstrip(" \t").startswith("|}")


def _frames(lines: Sequence[str], first: int, last: int) -> list[tuple[int, int]]:
    """Where tables begin and end that stand in no other."""
    starts: list[int] = []
    found: list[tuple[int, int]] = []
    for number in range(first, last):
        if _opens(lines[number]):
            starts.append(number)
        elif starts and _closes(lines[number]):
            start = starts.pop()
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, number))
    return found


@dataclass(slots=True)
class _Table:
    """Rows while the lines of a table come in. depth: of the tables inside a cell."""

    rows: list[list[TextCell]] = field(default_factory=lambda: [[]])
    caption: str = ""
    depth: int = 0

    def add(self, line: str, number: int) -> None:
        """Take a line: a new row, the caption, cells, or more of the last cell."""
        text = line.lstrip(" \t")
        if self.depth or _opens(line):
            self.depth += _opens(line) - _closes(line)
            self._lengthen(line, number)
        elif text.startswith("|-"):
            self.rows.append([])
        elif text.startswith("|+"):
            self.caption = _without_attributes(text[2:])[1]
        elif text[:1] in ("|", "!"):
            marks = ("||", "!!") if text[0] == "!" else ("||",)
            self.rows[-1] += [_cell(part, number, is_header=text[0] == "!") for part in _parted(text[1:], marks)]
        else:
            self._lengthen(line, number)

    def _lengthen(self, line: str, number: int) -> None:
        if self.rows[-1] and line.strip():
            cell = self.rows[-1][-1]
            self.rows[-1][-1] = replace(cell, text=f"{cell.text} {line.strip()}", last_line=number)


def _parted(text: str, marks: Sequence[str]) -> list[str]:
    """The text of several cells in a line, cut at any of the marks."""
    parts = [text]
    for mark in marks:
        parts = [piece for part in parts for piece in part.split(mark)]
    return parts


def _cell(text: str, line: int, *, is_header: bool) -> TextCell:
    about, text = _without_attributes(text)
    spans = {name.lower(): max(int(count), 1) for name, count in CELL_SPAN.findall(about)}
    return TextCell(text, line, None, spans.get("rowspan", 1), spans.get("colspan", 1), is_header)


def _without_attributes(text: str) -> tuple[str, str]:
    found = ATTRIBUTES.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def _told(cell: TextCell) -> TextCell:
    return replace(cell, text=shown(cell.text))
