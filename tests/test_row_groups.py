"""What heads the rows of a table, and what merely lacks its values."""

from __future__ import annotations

from typing import Any

from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from tests.test_sheets import fill_rows, make_book, read


def table_of(rows: list[list[Any]], merges: tuple[str, ...] = ()) -> Table:
    def fill(book: Any) -> None:
        fill_rows(rows)(book)
        for merge in merges:
            book.active.merge_cells(merge)

    table = grid_to_table(read(make_book(fill)).grids[0], document="d", title="t")
    assert table is not None
    return table


def paths(table: Table) -> list[tuple[str, ...]]:
    return [row.path for row in table.rows]


def test_a_row_named_under_a_merged_name_that_lacks_its_figure_heads_nothing() -> None:
    rows = [
        ["Organ", "Goal", "Priority"],
        ["Mandible", "Dmax < 70 Gy", None],
        [None, "V70 Gy < 1 cc", None],
        ["Brainstem", "Dmax < 54 Gy", 1],
        [None, "V54 Gy < 1%", 1],
        ["Eye", "Dmax < 50 Gy", 3],
    ]
    found = paths(table_of(rows, ("A2:A3", "A4:A5")))
    goals = [("Mandible", rows[1][1]), ("Mandible", rows[2][1]), ("Brainstem", rows[3][1]), ("Brainstem", rows[4][1])]
    assert found == [*goals, ("Eye", "Dmax < 50 Gy")]


def test_rows_of_a_name_alone_right_below_each_other_nest_not_among_texts() -> None:
    rows = [
        ["Week", "Topic", "Reading"],
        *(["Opening", "Welcome", "Guide"], ["Visit", None, None], ["Retreat", None, None], ["Holiday", None, None]),
        *(["Closing", "Farewell", "Report"], ["Review", "Results", "Minutes"]),
    ]
    assert paths(table_of(rows)) == [(row[0],) for row in rows[1:]]
