"""Tables that a Word document sets with tabs, a paragraph a row: made tables of its HTML, as mammoth writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from mixrag_cli.readers.office.markup import table_markup

PART = re.compile(r"<(?P<closes>/?)table\b[^>]*>|<p>(?P<text>.*?)</p>", re.DOTALL)
STYLE_TAG = re.compile(r"</?(?:strong|em|u|s)>")
MARK = re.compile(r"\W*\w{1,3}[.):]|\W+")  # of a list's item: what follows its tab is a text
BLANK_TO_FILL = "___"
MIN_ROWS = 3  # two lines with tabs are as often a form's; set by judgement, as
MAX_CELL_CHARS = 60


def with_tab_tables(markup: str) -> str:
    """The markup with a table for every run of paragraphs that tabs part into as many short texts, the last ones with
    figures; a first row without any is their heading.
    """
    if "\t" not in markup:
        return markup
    made, done = list[str](), 0
    for start, end, rows in _runs(markup):
        if _are_rows(rows):
            made += [markup[done:start], table_markup(rows, header_rows=int(not _has_figure(rows[0][-1])))]
            done = end
    return "".join([*made, markup[done:]])


def _runs(markup: str) -> Iterator[tuple[int, int, list[list[str]]]]:
    """Start, end and cells of the paragraphs that stand right below each other and have as many cells, outside of
    tables. A blank one may stand between two of them.
    """
    rows, start, end, reach, depth = list[list[str]](), 0, 0, 0, 0
    for part in PART.finditer(markup):
        if part["text"] is None:
            depth += -1 if part["closes"] else 1
            continue
        if part.start() == reach and not part["text"].strip():
            reach = part.end()
            continue
        cells = _cells_of(part["text"]) if depth == 0 else []
        if rows and (part.start() != reach or len(cells) != len(rows[0])):
            yield start, end, rows
            rows = []
        if cells:
            start = start if rows else part.start()
            rows.append(cells)
        end = reach = part.end()
    if rows:
        yield start, end, rows


def _cells_of(inner: str) -> list[str]:
    """The short texts of a paragraph between its tabs; [] where it is no row of them."""
    plain = STYLE_TAG.sub("", inner)
    pieces = [text for piece in plain.split("\t") if (text := unescape(piece).strip())]
    is_row = len(pieces) > 1 and "<" not in plain and BLANK_TO_FILL not in plain
    is_short = all(len(piece) <= MAX_CELL_CHARS for piece in pieces)
    return pieces if is_row and is_short and not MARK.fullmatch(pieces[0]) else []


def _are_rows(rows: list[list[str]]) -> bool:
    """Whether they are several, with a figure in the last cell of each but the first, and names in the first cells."""
    return len(rows) >= MIN_ROWS and all(_has_figure(row[-1]) for row in rows[1:])


def _has_figure(text: str) -> bool:
    return any(map(str.isdigit, text))
