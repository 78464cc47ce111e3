"""MediaWiki: headings and tables, each with its lines."""

from __future__ import annotations

import io

import pytest

from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.records.documents import Document, Grid
from tests.bounded import assert_in_line

PAGE = """\
Some words of the mill.

== Pay ==
<pre>
== no heading ==
</pre>
1. Ask the office

1. Wait for '''an''' answer

=== In [[Spring|spring]] ===
Nothing.

{| class="wikitable"
|+ style="color:red" | Fees of the ''mill''
! Grade !! colspan="2" | Fee
|-
! scope="row" | [[Millers|miller]]
| 12 || 13
|-
| rowspan=2 | boy
| style="text-align: right" | 5
in spring
| [https://example.org/six six]
|-
| 7 || {{unknown|8}}
|}
"""


def read(text: str, name: str = "page.mediawiki") -> Document:
    raw = text.encode()
    return reader_for(name)(ReadSource(name, len(raw), io.BytesIO(raw)))


def rows_of(grid: Grid) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(grid.n_rows)]
    for cell in grid.cells:
        rows[cell.row].append(cell.text)
    return rows


def test_headings_part_a_page_and_numbered_lines_do_not() -> None:
    document = read(PAGE)
    headings = [(block.text, block.level, block.locator.lines) for block in document.blocks if block.kind == "heading"]
    assert headings == [("Pay", 2, (3, 3)), ("In spring", 3, (11, 11))]
    assert document.title == ""
    assert read("= The mill =\n\n== Pay ==\n\nLow.\n").title == "The mill"


def test_a_table_is_read_with_its_spans_caption_and_lines() -> None:
    document = read(PAGE)
    [grid] = document.grids
    assert grid.caption == "Fees of the mill"
    assert grid.locator.lines == (14, 27)
    assert rows_of(grid) == [
        ["Grade", "Fee"],
        ["miller", "12", "13"],
        ["boy", "5 in spring", "six"],
        ["7", "{{unknown|8}}"],
    ]
    spans = {cell.text: (cell.row_span, cell.column_span) for cell in grid.cells}
    assert (spans["Fee"], spans["boy"]) == ((1, 2), (2, 1))
    places = {cell.text: (cell.line, cell.last_line) for cell in grid.cells}
    assert (places["Fee"], places["5 in spring"]) == ((16, None), (22, 23))
    assert [cell.text for cell in grid.cells if cell.is_header] == ["Grade", "Fee", "miller"]


def test_a_table_within_a_cell_and_one_that_never_ends_do_no_harm() -> None:
    inside = "{|\n! a !! b\n|-\n| 1 ||\n{|\n| x\n|-\n| y\n|}\n|-\n| 2 || 3\n|}\n"
    [grid] = read(inside).grids
    assert [row[0] for row in rows_of(grid)] == ["a", "1", "2"]
    assert read("{|\n! a !! b\n|-\n| 1 || 2\n").grids == ()


@pytest.mark.slow
def test_reading_stays_in_line_with_the_size() -> None:
    assert_in_line(read, "{|\n" + "| a || b\n|-\n" * 4_000 + "|}\n")
    assert_in_line(read, "{|\n" * 8_000)
    assert_in_line(read, "{|\n| [[" + "a|" * 20_000 + "\n|-\n| b\n|}\n")
    assert_in_line(read, "== " + "= " * 20_000 + "\n")
