"""Rows that say a name alone: a day above its records, a week whose first day was left out."""

from __future__ import annotations

import pytest

from mixrag_cli.records.tables import Table
from tests.evidence_samples import read_bytes
from tests.table_samples import lefts

WEIGHTS = (
    "Time,Weight,Change,BMI,",
    '" Dec 9, 2021",',
    "1:06 PM,61.2 kg,0.9 kg,23,",
    '" Dec 8, 2021",',
    "12:55 PM,61.2 kg,0.6 kg,23,",
    "8:10 AM,60.9 kg,0.3 kg,22.9,",
    '" Nov 24, 2021",',
    "8:10 AM,60.5 kg,1.0 kg,22.9,",
)
WEEKS = {
    "1": ["", "W 2025-01-08 5 Intro", "F 2025-01-10 5 Charge"],
    "2": ["M 2025-01-13 6 Field", "W 2025-01-15 6 Force"],
    "3": ["M 2025-01-20 7 Flux", "W 2025-01-22 7 Energy"],
}


def page(is_merged: bool) -> str:
    """A table of the weeks, the name of each merged down over its days or above blank cells."""
    rows = ["".join(f"<th>{name}</th>" for name in ("Week", "Day", "Date", "Ch.", "Topic"))]
    for week, days in WEEKS.items():
        for place, day in enumerate(days):
            cells = "".join(f"<td>{text}</td>" for text in (day.split() or [""] * 4))
            first = f"<td rowspan={len(days) if is_merged else 1}>{week}</td>" if place == 0 else "<td></td>"
            rows.append(cells if is_merged and place else first + cells)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def read(name: str, text: str) -> Table:
    (table,) = read_bytes(name, text.encode(), 256)[1].values()
    return table


def test_a_day_heads_the_hours_below_it_and_a_year_without_figures_no_other_year() -> None:
    days = ("2021-12-09,,", "13:06,61.2,23", "2021-12-08,,", "12:55,61.4,22", "18:10,60.9,21")
    table = read("hours.csv", "\n".join(("Time,Weight,BMI", *days)))
    assert lefts(table) == [("2021-12-09", "13:06"), ("2021-12-08", "12:55"), ("2021-12-08", "18:10")]
    years = ("2018,,", "2019,61,2", "2020,,", "2021,64,3")
    paths = lefts(read("years.csv", "\n".join(("Year,Pupils,Schools", *years))))
    assert all(len(path) == 1 for path in paths)


def test_a_day_that_is_set_in_heads_the_records_below_it() -> None:
    table = read("weights.csv", "\n".join(WEIGHTS))
    assert lefts(table) == [
        ("Dec 9, 2021", "1:06 PM"),
        ("Dec 8, 2021", "12:55 PM"),
        ("Dec 8, 2021", "8:10 AM"),
        ("Nov 24, 2021", "8:10 AM"),
    ]


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_week_whose_first_day_is_left_out_heads_no_other_week(is_merged: bool) -> None:
    table = read("weeks.html", page(is_merged))
    assert lefts(table) == [
        ("1", "W", "2025-01-08"),
        ("1", "F", "2025-01-10"),
        ("2", "M", "2025-01-13"),
        ("2", "W", "2025-01-15"),
        ("3", "M", "2025-01-20"),
        ("3", "W", "2025-01-22"),
    ]


def test_a_label_further_out_says_the_unit_of_a_row_whose_last_label_says_none() -> None:
    head = "<tr><th>Measure</th><th>Note</th><th>2022</th><th>2023</th></tr>"
    costs = "<tr><td rowspan=2>Costs ($ per barrel)</td><td></td><td></td><td></td></tr>"
    costs += "<tr><td>c,d</td><td>7.06</td><td>11.00</td></tr>"
    others = (
        "<tr><td>Output</td><td>d</td><td>21</td><td>20</td></tr><tr><td>Staff</td><td>e</td><td>5</td><td>6</td></tr>"
    )
    table = read("costs.html", f"<table>{head}{costs}{others}</table>")
    assert lefts(table) == [("Costs ($ per barrel)", "c,d"), ("Output", "d"), ("Staff", "e")]
    assert [cell.unit for cell in table.cells if cell.value is not None] == ["USD", "USD", "", "", "", ""]
