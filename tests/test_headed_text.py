"""Headings that are lines of their own: Org and LaTeX by their marks, plain text by numbers and underlines."""

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
                ("Beds of beans", 3, (), (2, 2)),
                ("Beans stand in the north bed.", 0, ("Beds of beans",), (3, 3)),
                ("Water", 4, ("Beds of beans",), (4, 4)),
                ("Every second day.", 0, ("Beds of beans", "Water"), (5, 5)),
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


HANDBOOK = """Handbook of the mill
====================

It holds for all.

1. Scope
The rules hold for all staff of the mill.

1.1 Exceptions

Guests are not staff, and no rule holds.

2. Pay

Pay comes monthly:

1. in spring
2. in autumn

Chapter 3

More text follows in this chapter.

Appendix B: Forms

There are none.
"""


def sections_of(text: str) -> list[tuple[str, tuple[str, ...]]]:
    document = reader_for("a.txt")(ReadSource("a.txt", len(text), io.BytesIO(text.encode())))
    return [(block.text, block.heading_path) for block in document.blocks if block.kind != "heading"]


def test_numbered_lines_of_plain_text_are_headings() -> None:
    mill = "Handbook of the mill"
    assert sections_of(HANDBOOK) == [
        ("It holds for all.", (mill,)),
        ("The rules hold for all staff of the mill.", (mill, "1. Scope")),
        ("Guests are not staff, and no rule holds.", (mill, "1. Scope", "1.1 Exceptions")),
        ("Pay comes monthly:", (mill, "2. Pay")),
        ("1. in spring\n2. in autumn", (mill, "2. Pay")),
        ("More text follows in this chapter.", (mill, "2. Pay", "Chapter 3")),
        ("There are none.", (mill, "2. Pay", "Appendix B: Forms")),
    ]
    headings = reader_for("a.txt")(ReadSource("a.txt", len(HANDBOOK), io.BytesIO(HANDBOOK.encode()))).blocks
    lines = HANDBOOK.split("\n")
    for block in headings:
        if block.kind == "heading" and block.locator.lines:
            assert block.text in lines[block.locator.lines[0] - 1]


@pytest.mark.parametrize(
    "text",
    [
        "1. Flour and water\n\n2. Salt\n\n3. Yeast from the shop\n",
        "Buy these.\n\n1. Flour is sold by the miller who\nlives at the bridge.\n\n2. Salt is sold at sea.\n",
        "In 2019 all was well.\n\n3 Houses\n\nThey stood there.\n\n7 Barns\n\nThey did not.\n",
    ],
)
def test_items_and_numbers_out_of_order_are_no_headings(text: str) -> None:
    assert {path for _, path in sections_of(text)} == {()}
