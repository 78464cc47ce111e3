"""AsciiDoc: headings, attributes and tables, each with its lines."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.records.documents import Document, Grid
from tests.bounded import assert_in_line
from tests.cli_fixtures import run_here

HANDBOOK = """= Handbook of the mill
:office: pass:q[_Office of the Mill_]

== Pay

The {office} pays what {nobody} asks for. Term::
  explained

----
== no heading
----

=== In spring

Nothing.
"""
HEADED = """\
.Active versions
[%header,cols="1,1,1"]
|===
|SDK Version
|End of *standard* lifespan
|End of extended lifespan

|1.13
|31 March 2026
|31 December 2027

|1.14 |2 December
2026 +
at noon |see <<later,later>>
|===
"""
SPANNING = """\
|===
|Store |Type |Quota

.2+|home |disk |3 GiB
2+a|fast \\| faster
3*|x
|===
"""
SEPARATED = """\
[format=csv]
|===
Store,Quota

"home, of staff",3 GiB
|===
"""


def read(text: str, name: str = "a.adoc") -> Document:
    return reader_for(name)(ReadSource(name, len(text), io.BytesIO(text.encode())))


def only_grid(text: str) -> Grid:
    (grid,) = read(text).grids
    return grid


def test_headings_are_sections_and_attributes_stand_where_they_are_named() -> None:
    document = read(HANDBOOK)
    found = [(block.kind, block.heading_path, block.locator.lines) for block in document.blocks]
    mill, pay = "Handbook of the mill", "Pay"
    assert document.title == mill
    assert found == [
        ("heading", (), (1, 1)),
        ("paragraph", (mill,), (2, 2)),
        ("heading", (mill,), (4, 4)),
        ("paragraph", (mill, pay), (6, 7)),
        ("paragraph", (mill, pay), (9, 11)),
        ("heading", (mill, pay), (13, 13)),
        ("paragraph", (mill, pay, "In spring"), (15, 15)),
    ]
    assert document.blocks[3].text.startswith("The _Office of the Mill_ pays what {nobody} asks")


def test_a_table_has_its_caption_its_headings_and_cells_over_lines() -> None:
    grid = only_grid(HEADED)
    assert (grid.caption, grid.n_rows, grid.n_columns) == ("Active versions", 3, 3)
    assert [cell.text for cell in grid.cells] == [
        "SDK Version",
        "End of standard lifespan",
        "End of extended lifespan",
        "1.13",
        "31 March 2026",
        "31 December 2027",
        "1.14",
        "2 December 2026 at noon",
        "see later",
    ]
    assert {cell.row for cell in grid.cells if cell.is_header} == {0}
    assert [(cell.line, cell.last_line) for cell in grid.cells[6:]] == [(12, None), (12, 14), (14, None)]
    assert grid.locator.lines == (1, 15)


def test_what_stands_above_the_edge_of_a_block_is_no_heading() -> None:
    document = read("= Guide\n\n== Use\n\n[TIP]\n====\nKeep it.\n====\n\n[source,c]\n----------\nint a;\n----------\n")
    assert [block.text for block in document.blocks if block.kind == "heading"] == ["Guide", "Use"]


@pytest.mark.parametrize(
    ("described", "n_columns"),
    [("3", 3), ("3*", 3), ("1,^2,.>3a", 3), ("<.<*", 2), ("25%,~", 2), ("none", 2)],
)
def test_columns_are_counted_as_they_are_described_or_as_the_first_line_has_them(
    described: str, n_columns: int
) -> None:
    grid = only_grid(f'[cols="{described}"]\n|===\n|a |b\n\n|1\n|2\n|3\n|4\n|===\n')
    assert grid.n_columns == n_columns


def test_cells_span_columns_and_rows_and_repeat() -> None:
    cells = [(cell.row, cell.column, cell.text, cell.row_span, cell.column_span) for cell in only_grid(SPANNING).cells]
    assert cells[3:] == [
        (1, 0, "home", 2, 1),
        (1, 1, "disk", 1, 1),
        (1, 2, "3 GiB", 1, 1),
        (2, 1, "fast | faster", 1, 2),
        (3, 0, "x", 1, 1),
        (3, 1, "x", 1, 1),
        (3, 2, "x", 1, 1),
    ]
    assert {cell.row for cell in only_grid(SPANNING).cells if cell.is_header} == {0}


def test_values_set_apart_by_commas_are_a_table() -> None:
    grid = only_grid(SEPARATED)
    assert [(cell.row, cell.column, cell.text, cell.line) for cell in grid.cells] == [
        (0, 0, "Store", 3),
        (0, 1, "Quota", 3),
        (1, 0, "home, of staff", 5),
        (1, 1, "3 GiB", 5),
    ]


@pytest.mark.parametrize("text", ["|===\n|a |b\n", "|===\n|===\n", ",===\na,b\n,===\n", "|===\ntext\n\n|===\n"])
def test_what_is_no_table_stays_text(text: str) -> None:
    assert read(text).grids == ()


@pytest.mark.slow
def test_a_long_table_takes_time_in_line_with_its_size() -> None:
    assert_in_line(read, "|===\n" + "|a |b\n" * 8_000)
    assert_in_line(lambda rows: read(f"|===\n{rows}|===\n"), "|a |b\n" * 8_000)


def test_a_cell_answers_through_its_headers(tmp_path: Path) -> None:
    (tmp_path / "versions.adoc").write_text(f"= Versions\n\nOf those in use:\n\n{HEADED}")
    assert run_here("index", cwd=tmp_path).returncode == 0
    asked = run_here("ask", "When is the end of the extended lifespan of SDK version 1.13?", cwd=tmp_path)
    assert b"31 December 2027" in asked.stdout, asked.stdout
