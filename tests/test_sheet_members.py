"""Workbooks whose rows leave repeated labels out, and rows that sum others up: what the members of a table are."""

from __future__ import annotations

import io
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest

from mixrag_cli.readers.sheets.reader import read_sheet
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.tables import Table
from mixrag_cli.settings import Settings
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.session import Session, open_session
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.members import summary_rows
from tests.evidence_samples import structure_of
from tests.table_samples import to_table

MONTHS = ("January", "February", "March", "April")
YEARS = (2021, 2022)
RAIN = [
    [year if month == "January" else None, month, 10 * (year - 2020) + n, "wet" if n % 2 else "dry", 100 + n]
    for year in YEARS
    for n, month in enumerate(MONTHS)
]
COSTS: list[list[object]] = [
    ["Department", "Cost", "Staff"],
    ["Roads", None, None],
    *(["Repairs", 120, 4], ["Lighting", 80, 2], ["Sub-total", 200, 6], ["Parks", None, None]),
    *(["Mowing", 90, 3], ["Planting", 60, 5], ["Sub-total", 150, 8], ["Grand total", 350, 14], ["Average", 88, 4]),
]


def make_book(rows: Sequence[Sequence[object]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def read(rows: Sequence[Sequence[object]]) -> Table:
    raw = make_book(rows)
    (grid,) = read_sheet(ReadSource("book.xlsx", len(raw), io.BytesIO(raw))).grids
    table = grid_to_table(grid, document="d", title="book")
    assert table is not None
    return table


def test_several_label_columns_with_gaps_fill_down_each_to_its_own_end() -> None:
    table = read(
        [
            ["Region", "Country", "City", "People", "Area"],
            *(["North", "Norway", "Oslo", 1, 2], [None, None, "Bergen", 3, 4], [None, "Sweden", "Malmo", 5, 6]),
            *(["South", "Italy", "Rome", 7, 8], [None, None, "Milan", 9, 1], ["East", None, "Kyiv", 2, 3]),
        ]
    )
    assert [row.path for row in table.rows] == [
        ("North", "Norway", "Oslo"),
        ("North", "Norway", "Bergen"),
        ("North", "Sweden", "Malmo"),
        ("South", "Italy", "Rome"),
        ("South", "Italy", "Milan"),
        ("East", "Kyiv"),
    ]


def test_a_text_column_among_the_figures_is_a_value_and_the_year_holds_for_every_month() -> None:
    table = read([["Year", "Month", "Rain mm", "Kind", "Sun h"], *RAIN])
    assert [row.path for row in table.rows] == [(str(year), month) for year in YEARS for month in MONTHS]
    kinds = [cell.text for cell in table.cells if cell.column == 3]
    assert kinds == ["dry", "wet"] * 4
    years = [(cell.text, cell.address) for cell in table.cells if cell.column == 0]
    assert years == [("2021", "A2")] * 4 + [("2022", "A6")] * 4


def test_totals_statistics_and_parents_that_their_parts_add_up_to_are_no_members() -> None:
    costs = read(COSTS)
    left_out = [row.path[-1] for row in costs.rows if row.index in summary_rows(costs)]
    assert left_out == ["Sub-total", "Sub-total", "Grand total", "Average"]
    tree = to_table(
        [
            *(["", "2023", "2024"], ["Europe", "100", "110"], ["Spain", "40", "50"], ["France", "60", "60"]),
            *(["Asia", "90", "80"], ["of which: Japan", "20", "30"], ["of which: Korea", "30", "20"]),
        ],
        indents={2: 1, 3: 1, 5: 1, 6: 1},
    )
    assert [row.path[-1] for row in tree.rows if row.index in summary_rows(tree)] == ["Europe"]


def test_a_whole_without_a_word_for_it_is_no_member_where_its_rows_add_up_to_it() -> None:
    states = [["New South Wales", "40", "50"], ["Victoria", "60", "60"], ["Queensland", "5", "7"]]
    whole = to_table([["", "2023", "2024"], *states, ["Australia", "105", "117"]])
    assert summary_rows(whole) == {4}
    other = to_table([["", "2023", "2024"], *states, ["Tasmania", "105", "11"]])
    assert summary_rows(other) == frozenset()


def left_out(rows: list[list[str]]) -> list[str]:
    table = to_table(rows)
    return [" > ".join(row.path) for row in table.rows if row.index in summary_rows(table)]


def test_a_code_that_names_a_statistic_too_is_a_member_where_its_figures_are_none() -> None:
    teams = [["CHI", "12", "4", "31"], ["MIN", "11", "5", "29"], ["DET", "9", "7", "40"], ["GB", "8", "8", "35"]]
    assert left_out([["Team", "Won", "Lost", "Goals"], *teams]) == []
    assert left_out([["Team", "Won", "Lost", "Goals"], *teams[2:], *teams[:2]]) == []  # the last, and not the least
    players = [["Ann", "CHI", "3", "7"], ["Bob", "MIN", "2", "9"], ["Cid", "AVG", "8", "1"], ["Dan", "DET", "4", "4"]]
    assert left_out([["Player", "Team", "Won", "Lost"], *players]) == []


def test_statistics_are_no_members_at_an_end_together_or_where_the_figures_prove_them() -> None:
    days = [["Mon", "12", "4"], ["Tue", "15", "5"], ["Wed", "9", "9"]]
    head = ["Day", "High", "Low"]
    assert left_out([head, *days, ["Min", "9", "4"]]) == ["Min"]
    assert left_out([head, ["Mean", "12.0", "6.0"], *days]) == ["Mean"]
    assert left_out([head, *days, ["Mean", "12.0", "6.0"], ["Goal", "14", "7"], ["Gap", "2", "1"]]) == ["Mean"]
    assert left_out([head, *days, ["Max", "16", "9"], ["Min", "8", "3"], ["Goal", "14", "7"]]) == ["Max", "Min"]


def test_a_table_number_beside_the_title_leaves_year_and_month_as_labels() -> None:
    months = [[year if n == 0 else None, month, 10 + n, 20 + n, 30] for year in YEARS for n, month in enumerate(MONTHS)]
    heads = [[None, None, "All visits", None, "Europe"], [None, None, "NSA", "SA", "NSA"]]
    table = read([[1, "Overseas residents' visits"], [None, None, None, None, "thousands"], *heads, *months])
    assert [row.path for row in table.rows] == [(str(year), month) for year in YEARS for month in MONTHS]
    assert table.title.endswith("Overseas residents' visits")
    assert {cell.scale for cell in table.cells if cell.value is not None} == {1000}


@pytest.fixture(scope="module")
def folder(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Session:
    root = tmp_path_factory.mktemp("books")
    (root / "rain.xlsx").write_bytes(make_book([["Year", "Month", "Rain mm", "Kind", "Sun h"], *RAIN]))
    (root / "costs.xlsx").write_bytes(make_book(COSTS))
    build_index([root], Settings(), events=Silent())
    return open_session(root, Settings())


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What was the total rain mm in 2022?", sum(20 + n for n in range(4))),
        ("What was the average sun h in 2021?", Decimal("101.5")),
        ("What is the highest cost?", Decimal(120)),
    ],
)
def test_rows_are_added_up_by_their_filled_labels_and_without_sub_totals(
    folder: Session, question: str, value: Decimal
) -> None:
    answer = structure_of(folder, question)
    assert answer.value == value, answer.text
