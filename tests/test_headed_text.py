"""Org and LaTeX: headings that are lines of their own, with the levels that their marks say."""

import io

import pytest

from mixrag_cli.readers import ReadSource, reader_for

ORG = """#+TITLE: Garden

* Beds
Beans stand in the north bed.

** Water
- every second day
* Tools
"""
TEX = r"""\documentclass{article}
\section{Beds of {\it beans}}\label{s}
Beans stand in the north bed.
\subsection*{Water}
Every second day.
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.org",
            ORG,
            [
                ("Beds", 1, (), (3, 3)),
                ("Beans stand in the north bed.", 0, ("Beds",), (4, 4)),
                ("Water", 2, ("Beds",), (6, 6)),
                ("- every second day", 0, ("Beds", "Water"), (7, 7)),
                ("Tools", 1, (), (8, 8)),
            ],
        ),
        (
            "a.tex",
            TEX,
            [
                (r"Beds of {\it beans}", 3, (), (2, 2)),
                ("Beans stand in the north bed.", 0, (r"Beds of {\it beans}",), (3, 3)),
                ("Water", 4, (r"Beds of {\it beans}",), (4, 4)),
                ("Every second day.", 0, (r"Beds of {\it beans}", "Water"), (5, 5)),
            ],
        ),
    ],
)
def test_sections_and_their_lines(
    name: str, text: str, expected: list[tuple[str, int, tuple[str, ...], tuple]]
) -> None:
    document = reader_for(name)(ReadSource(name, len(text), io.BytesIO(text.encode())))
    found = [(block.text, block.level, block.heading_path, block.locator.lines) for block in document.blocks]
    assert found[1:] == expected
