"""A generator's words on a terminal: seen while they come, gone when the answer takes their place."""

from __future__ import annotations

import io
import re

import pytest

from mixrag_cli.output.console import make_console
from mixrag_cli.output.live_text import SHOWN_LINES, LiveText

SEQUENCE = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)")


def screen_after(written: str) -> list[str]:
    """The lines of a terminal that has got this: it knows new lines, going up, erasing a line, and colours."""
    lines, row, column = [""], 0, 0
    for numbers, letter, back, new, text in SEQUENCE.findall(written):
        if text:
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + len(text) :]
            column += len(text)
        elif back:
            column = 0
        elif new:
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif letter == "A":
            row -= int(numbers or 1)
        elif letter == "K" and numbers == "2":
            lines[row] = ""
        else:
            assert letter in "mhl", letter
    return lines


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    monkeypatch.setenv("COLUMNS", "40")
    return io.StringIO()


def test_words_are_seen_and_taken_back(stream: io.StringIO) -> None:
    console = make_console(stream, "always")
    console.print("before")
    live = LiveText(console, shown=True)
    for piece in ("The workshop ", "gives each member ", "27 days of paid leave", " in a year."):
        live(piece)
    assert [line.rstrip() for line in screen_after(stream.getvalue())] == [
        "before",
        "The workshop gives each member 27 days",
        "of paid leave in a year.",
    ]
    live.end()
    console.print("27 days [1]")
    assert [line.rstrip() for line in screen_after(stream.getvalue()) if line.strip()] == ["before", "27 days [1]"]
    assert stream.getvalue().endswith("27 days [1]\n")


def test_of_many_lines_the_last_are_seen_and_all_are_taken_back(stream: io.StringIO) -> None:
    live = LiveText(make_console(stream, "always"), shown=True)
    for number in range(30):
        live(f"line {number}\n")
    seen = [line.rstrip() for line in screen_after(stream.getvalue()) if line.strip()]
    assert len(seen) in (SHOWN_LINES - 1, SHOWN_LINES)
    assert seen[-1] == "line 29"
    live.end()
    assert [line for line in screen_after(stream.getvalue()) if line.strip()] == []


def test_without_escape_sequences_the_words_stay(stream: io.StringIO) -> None:
    live = LiveText(make_console(stream, "never"), shown=True)
    live("27 ")
    live("days")
    live.end()
    live.end()
    assert stream.getvalue() == "27 days\n"


def test_where_nobody_looks_nothing_is_written(stream: io.StringIO) -> None:
    live = LiveText(make_console(stream, "always"), shown=False)
    live("27 days")
    live.end()
    assert stream.getvalue() == ""
