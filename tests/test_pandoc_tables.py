"""Tables that Pandoc draws in Markdown without pipes."""

from __future__ import annotations

import io

from mixrag_cli.readers.markdown import read_markdown
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text_markup.pandoc_tables import find_pandoc_tables
from mixrag_cli.records.documents import Document
from tests.bounded import assert_in_line

MULTILINE = """\
# Charger

-----------------------------------------------
Feature              Value     Comment
                     (normal)
-------------------  --------  ----------------
**Battery**

Nominal voltage      12 V

Quiescent current    < 10 mA   of the `board`,
of the whole device            without a load
-------------------  --------  ----------------

Table: Overview of the charger

The rest is *text*.
"""
SIMPLE = """\
  Part     Price
  ------ -------
  pump        12
  valve        3

After it.
"""
GRID = """\
+:-------+:-------+
| Part   | Price  |
+:=======+:=======+
| pump   | twelve |
|        | euros  |
+--------+--------+
"""
NO_TABLES = [
    "A heading\n---------\n\ntext\n",
    f"```\n{SIMPLE}```\n",
    "a\n\n--- ---\n\nb\n",
    GRID.replace("| euros", "|eur|s"),
]


def read(text: str) -> Document:
    """The document of a Markdown text."""
    raw = text.encode()
    return read_markdown(ReadSource("a.md", len(raw), io.BytesIO(raw)))


def rows_of(document: Document) -> list[list[str]]:
    """The texts of its one table, row by row."""
    (grid,) = document.grids
    return [[cell.text for cell in grid.cells if cell.row == row] for row in range(grid.n_rows)]


def test_rows_of_a_multiline_table_are_parted_by_blank_lines() -> None:
    document = read(MULTILINE)
    assert rows_of(document) == [
        ["Feature", "Value (normal)", "Comment"],
        ["Battery", "", ""],
        ["Nominal voltage", "12 V", ""],
        ["Quiescent current of the whole device", "< 10 mA", "of the board, without a load"],
    ]
    assert document.grids[0].caption == "Overview of the charger"
    cell = next(cell for cell in document.grids[0].cells if cell.text == "< 10 mA")
    assert cell.line == MULTILINE.split("\n").index("Quiescent current    < 10 mA   of the `board`,") + 1
    assert [block.kind for block in document.blocks] == ["heading", "table", "paragraph", "paragraph"]
    assert document.blocks[1].locator.lines == (3, 13)


def test_a_simple_table_has_a_line_a_row_and_ends_at_a_blank_one() -> None:
    document = read(SIMPLE)
    assert rows_of(document) == [["Part", "Price"], ["pump", "12"], ["valve", "3"]]
    assert document.blocks[-1].text == "After it."


def test_colons_in_a_grid_say_how_its_columns_are_aligned() -> None:
    assert rows_of(read(GRID)) == [["Part", "Price"], ["pump", "twelve euros"]]


def test_what_only_looks_like_a_table_is_text() -> None:
    assert not any(read(text).grids for text in NO_TABLES)


def test_what_is_drawn_in_html_stays_as_it_is() -> None:
    document = read(f"<pre>\n\n{SIMPLE}</pre>\n")
    assert not document.grids and "valve" in document.text


def test_many_open_drawings_take_time_in_line_with_their_number() -> None:
    assert_in_line(lambda text: list(find_pandoc_tables(text.split("\n"))), "--- ---\na   b\n\n" * 4000)
