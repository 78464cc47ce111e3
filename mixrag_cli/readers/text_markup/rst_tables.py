"""reStructuredText's tables that are written as directives: a list of lists, values set apart by commas, a drawing.

    .. list-table:: Fees            .. csv-table:: Fees
       :header-rows: 1                 :header: "Grade", "Fee"

       * - Grade                       "full", 35
         - Fee                         "discounted", 15
       * - full
         - 35

A directive ends where the indentation does. One that takes its rows from another file is left as it is: that file is
read by itself.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mixrag_cli.readers.text_markup.rst_markup import shown, without_directives
from mixrag_cli.readers.text_markup.text_grid import MAX_COLUMNS, TextCell, TextTable, to_table, with_their_lines
from mixrag_cli.readers.text_markup.text_tables import find_text_tables

DIRECTIVE = re.compile(r"(?P<indent>[ \t]{0,40})\.\. (?P<name>list-table|csv-table|table)::[ \t]*(?P<title>[^\n]*)$")
OPTION = re.compile(r"[ \t]*:(?P<name>[a-z-]{1,20}):[ \t]*(?P<value>.*)$")
ROW_MARK = re.compile(r"(?P<indent>[ \t]*)[*+-][ \t]+(?=[*+-](?:[ \t]|$))")
CELL_MARK = re.compile(r"(?P<indent>[ \t]*)[*+-](?:[ \t]+|$)")
NAMED_DELIMITERS = {"tab": "\t", "space": " "}


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive: its lines [first, last) and those of its content, [body, last), from 0; indent: of its own line."""

    name: str
    title: str
    options: Mapping[str, str]
    indent: int
    first: int
    body: int
    last: int


def directive_tables(lines: Sequence[str], first: int, last: int) -> Iterator[TextTable]:
    """The tables of directives in the lines [first, last), from 0, in their order."""
    at = first
    while at < last:
        directive = read_directive(lines, at, last)
        if directive is None:
            at += 1
            continue
        at = directive.last
        if directive.name == "table":
            drawn = list(find_text_tables(lines, directive.body, directive.last))
            if len(drawn) == 1:
                yield TextTable(directive.first, at, replace(drawn[0].grid, caption=directive.title))
            continue
        rows = (_listed_rows if directive.name == "list-table" else _separated_rows)(lines, directive)
        if rows and len({len(row) for row in rows}) == 1 and len(rows[0]) <= MAX_COLUMNS:
            yield to_table(rows, (directive.first, at), directive.title)


def read_directive(lines: Sequence[str], at: int, last: int) -> Directive | None:
    """The directive of a table that begins in this line; None for another line."""
    found = DIRECTIVE.match(lines[at])
    if found is None:
        return None
    indent = len(found["indent"])
    end = at + 1
    while end < last and (not lines[end].strip() or _indent_of(lines[end]) > indent):
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    title = [found["title"].strip()]
    options: dict[str, str] = {}
    body = at + 1
    while body < end and lines[body].strip():
        if option := OPTION.match(lines[body]):
            options[option["name"]] = option["value"].strip()
        elif options:
            options[next(reversed(options))] += " " + lines[body].strip()
        else:
            title.append(lines[body].strip())
        body += 1
    return Directive(found["name"], shown(" ".join(title).strip()), options, indent, at, body, end)


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def _listed_rows(lines: Sequence[str], directive: Directive) -> list[list[TextCell]]:
    """The rows of a list of lists; [] where something else stands among them."""
    n_headers = _number_of(directive, "header-rows")
    rows: list[list[list[int]]] = []  # of each cell its lines
    row_indent = cell_indent = None
    for number in range(directive.body, directive.last):
        line = lines[number]
        if not line.strip():
            continue
        row = ROW_MARK.match(line)
        if row and (row_indent is None or len(row["indent"]) == row_indent):
            row_indent, cell_indent = len(row["indent"]), row.end()
            rows.append([[number]])
        elif not rows:
            return []
        elif (cell := CELL_MARK.match(line)) and len(cell["indent"]) == cell_indent:
            rows[-1].append([number])
        else:
            rows[-1][-1].append(number)
    return [[_listed_cell(lines, cell, is_header=place < n_headers) for cell in row] for place, row in enumerate(rows)]


def _listed_cell(lines: Sequence[str], numbers: Sequence[int], *, is_header: bool) -> TextCell:
    first = lines[numbers[0]]
    opening = ROW_MARK.match(first)
    start = opening.end() if opening else 0
    mark = CELL_MARK.match(first[start:])
    texts = [first[start:][mark.end() if mark else 0 :], *(lines[number] for number in numbers[1:])]
    text = " ".join(" ".join(without_directives(texts)).split())
    return TextCell(shown(text), numbers[0], numbers[-1], is_header=is_header)


def _separated_rows(lines: Sequence[str], directive: Directive) -> list[list[TextCell]]:
    """The rows of values set apart, by the module that docutils reads them with; [] for such as it cannot read."""
    options = directive.options
    delimiter = options.get("delim", ",")
    try:
        headings = list(csv.reader([options.get("header", "")], skipinitialspace=True))
        records = csv.reader(
            (f"{line.strip()}\n" for line in lines[directive.body : directive.last]),
            delimiter=NAMED_DELIMITERS.get(delimiter, delimiter),
            quotechar=options.get("quote", '"'),
            skipinitialspace="keepspace" not in options,
        )
        rows = [(directive.first, values) for values in headings if values]
        n_headers = len(rows) + _number_of(directive, "header-rows")
        rows += with_their_lines(records, directive.body)
    except (csv.Error, TypeError):  # a delimiter of several characters
        return []
    return [
        [TextCell(shown(" ".join(value.split())), line, is_header=place < n_headers) for value in values]
        for place, (line, values) in enumerate(rows)
    ]


def _number_of(directive: Directive, option: str) -> int:
    value = directive.options.get(option, "")
    return int(value) if value.isdecimal() and len(value) < 4 else 0
