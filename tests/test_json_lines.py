"""JSON lines: a record a line is a row of a table; what is no such table stays text."""

from __future__ import annotations

import io
from decimal import Decimal

import pytest

from mixrag_cli.readers import reader_for
from mixrag_cli.readers.source import ReadLimits, ReadSource
from mixrag_cli.records.documents import Document
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table

PEOPLE = (
    b'{"id": 1, "name": "Ada", "born": 1815, "tags": ["x", "y"], "at": {"city": "London", "geo": {"lat": 51.50}}}\n\n'
    b'{"id": 2, "name": "Alan", "born": 1912, "ok": true, "died": null}\n'
    b'{"id": 3, "name": "Grace", "born": 1906, "rates": [1, 2.50]}\n'
)


def read(raw: bytes, limits: ReadLimits | None = None) -> Document:
    source = ReadSource("a.jsonl", len(raw), io.BytesIO(raw), limits=limits or ReadLimits())
    return reader_for("a.jsonl")(source)


def table_of(document: Document) -> Table:
    (grid,) = document.grids
    table = grid_to_table(grid, document="d", title="t")
    assert table is not None
    return table


def test_a_record_a_line_is_a_row_whose_cells_know_their_line() -> None:
    table = table_of(read(PEOPLE))
    names = {header.index: header.path for header in table.columns}
    cells = {(cell.line, names[cell.column]): cell for cell in table.cells}
    assert cells[1, ("at.city",)].text == "London"
    assert cells[1, ("at.geo.lat",)].text == "51.50"
    assert cells[1, ("tags",)].text == "x, y"
    assert cells[3, ("born",)].value == Decimal(1912)
    assert cells[3, ("ok",)].text == "true"
    assert cells[4, ("rates",)].text == "1, 2.50"
    assert table.locator.lines == (1, 4)
    assert ("died",) not in names.values()


@pytest.mark.parametrize(
    "raw",
    [
        b'["a", 1]\n["b", 2]\n',
        b'{"a": 1, "b": 2}\n',
        b'{"a": 1, "b": 2}\n{"a": 3, "b":\n',
        b"".join(b'{"k%d": 1, "l%d": 2}\n' % (n, n) for n in range(10)),
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b'\n{"a": 1, "b": 2}\n',
    ],
    ids=["lists", "one", "cut", "no common keys", "deep"],
)
def test_what_is_no_table_is_text(raw: bytes) -> None:
    document = read(raw)
    assert document.grids == ()
    assert document.text.startswith(raw.decode()[:9])


def test_all_lines_of_a_long_file_are_searched_by_words() -> None:
    raw = b"".join(b'{"id": "r%d", "name": "n%d", "size": %d.50}\n' % (n, n, n) for n in range(7_000))
    document = read(raw)
    (grid,) = document.grids
    assert (grid.total_rows, len(grid.row_lines)) == (7_001, 7_001)
    assert grid.row_lines[-1].text == "r6999 | n6999 | 6999.50"
    assert grid.row_lines[-1].lines == (7_000, 7_000)
    assert grid.profiles[2].total == sum(Decimal(f"{n}.50") for n in range(7_000))


def test_above_the_text_limit_the_beginning_is_read_and_that_is_said() -> None:
    raw = b"".join(b'{"id": %d, "name": "%s"}\n' % (n, b"x" * 900) for n in range(1_200))
    document = read(raw, ReadLimits(max_text_file_mb=1))
    assert "only the beginning" in document.warnings[0]
    assert 1_000 < document.grids[0].total_rows < 1_200
