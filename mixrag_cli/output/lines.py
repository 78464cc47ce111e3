"""Lines that every view prints: a place that can be copied, and text beside a mark, wrapped to the width."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from rich.console import Console, RenderableType
from rich.text import Text

from mixrag_cli.output.console import file_link, foreign, linked
from mixrag_cli.output.places import place_of, reference
from mixrag_cli.output.snippets import Marked
from mixrag_cli.records.places import Locator

Locate = Callable[[str], Path | None]  # display path -> the indexed file on this disk

NARROWEST_TEXT = 10  # columns; beside a mark on a terminal that is hardly one
NARROW = 40  # columns of a terminal on which an indent costs too much
INDENT = 4
BYTES_A_MB = 1_000_000
MARK_STYLE = "bold yellow"
BLANKS = re.compile(r"\s+")


def indent_of(console: Console) -> int:
    """How far what stands under a reference is set in."""
    return INDENT if console.width >= NARROW else INDENT // 2


def print_reference(console: Console, mark: str, path: str, locator: Locator, locate: Locate, after: str = "") -> None:
    """One line, never broken: it is meant to be copied into `mixrag show`."""
    target = file_link(locate(path), locator.page) if console.is_terminal else None
    line = Text(mark) + linked(reference(from_here(path), locator), target, "cyan") + foreign(after, "dim")
    console.print(line, soft_wrap=True)


def from_here(path: str) -> str:
    """The path from the current folder on, where it lies in that: shorter, and `mixrag show` takes it as well."""
    return path.removeprefix(f"{Path.cwd()}{os.sep}")


def print_file(console: Console, path: str, locate: Locate, title: str = "") -> None:
    """The heading of what stands in one file: its path, never broken, and its title."""
    target = file_link(locate(path)) if console.is_terminal else None
    line = linked(from_here(path), target, "bold cyan")
    room = console.width - line.cell_len - 2
    if title and room >= NARROWEST_TEXT:
        beside = foreign(f"  {title}", "dim")
        beside.truncate(room + 2, overflow="ellipsis")
        line += beside
    console.print(line, soft_wrap=True)


def print_place(console: Console, mark: str, path: str, locator: Locator, locate: Locate, after: str) -> None:
    """One line under the heading of its file: a place in it, where one is known, and what is to be said of it."""
    place = place_of(locator)
    target = file_link(locate(path), locator.page) if console.is_terminal else None
    line = Text(mark) + linked(place, target, "cyan") + foreign(f"  {after}" if place else after, "dim")
    console.print(line, soft_wrap=True)


def print_wrapped(console: Console, content: Text) -> None:
    """The text from the edge on, wrapped to the width."""
    print_hanging(console, Text(), content)


def print_indented(console: Console, content: Text) -> None:
    """The text under a reference."""
    print_hanging(console, Text(" " * indent_of(console)), content)


def print_hanging(console: Console, mark: Text, content: Text) -> None:
    """The text beside its mark, wrapped to the width, with no blanks at the ends of lines."""
    indent = mark.cell_len
    for line in content.wrap(console, max(console.width - indent, NARROWEST_TEXT)):
        line.rstrip()
        console.print(Text.assemble(mark, line) if line else Text(), soft_wrap=True)
        mark = Text(" " * indent)


def print_layout(console: Console, layout: RenderableType, indent: int) -> None:
    """A layout beside an indent, with no blanks at the ends of its lines."""
    options = console.options.update(width=console.width - indent)
    for segments in console.render_lines(layout, options, pad=False):
        line = Text.assemble(" " * indent, *((each.text, each.style or "") for each in segments))
        line.rstrip()
        console.print(line, soft_wrap=True)


def print_notes(console: Console, notes: Iterable[str]) -> None:
    """What the user should know besides."""
    for note in notes:
        print_wrapped(console, foreign(f"note: {note}", "yellow"))


def marked_text(passage: Marked) -> Text:
    """A cleaned passage, its marks bold where there are styles; where there are none it stands as it was written."""
    text = Text(passage.text)
    for start, end in passage.marks:
        text.stylize(MARK_STYLE, start, end)
    return text


def one_line(text: str) -> str:
    """The text with single blanks."""
    return BLANKS.sub(" ", text).strip()
