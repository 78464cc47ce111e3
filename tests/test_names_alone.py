"""Rows that say a name alone: a day above its records."""

from __future__ import annotations

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
