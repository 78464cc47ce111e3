"""Rows whose first labels repeat, and that a key and a name behind them tell apart."""

from __future__ import annotations

import io

import openpyxl
import pytest
from openpyxl.styles import Alignment

from tests.evidence_samples import read_bytes

SCHOOLS = (
    "District ID,District,School ID,School,Pupils 2018,Pupils 2019",
    "2252,Amity,498,Amity Elementary,207,206",
    "2252,Amity,707,Amity Middle,94,89",
    "2252,Amity,708,Amity High,301,295",
    "2063,Adel,911,Adel Elementary,8,9",
    "2063,Adel,912,Adel High,40,41",
)
DISTRICTS = (
    "County,District ID,District,Pupils 2018,Pupils 2019",
    "Lake,2063,Adel,8,8",
    "Malheur,2113,Adrian,301,295",
    "Malheur,2111,Annex,103,105",
    "Yamhill,2252,Amity,878,837",
    "Malheur,2115,Arock,15,21",
    "Lake,2059,Paisley,230,228",
)
STATES = (
    "Region,People,Capital,Area",
    "North,5601,Oslo,10",
    "North,9302,Malmo,20",
    "South,8803,Rome,30",
    "South,4604,Athens,40",
    "South,1205,Madrid,50",
)


@pytest.mark.parametrize(
    ("lines", "first", "columns"),
    [
        (SCHOOLS, ("2252", "Amity", "498", "Amity Elementary"), 6),
        (DISTRICTS, ("Lake", "2063", "Adel"), 5),
        (STATES, ("North",), 4),  # how many people live somewhere is no key
    ],
)
def test_a_key_and_the_name_beside_it_join_labels_that_repeat(
    lines: tuple[str, ...], first: tuple[str, ...], columns: int
) -> None:
    (table,) = read_bytes("rows.csv", "\n".join(lines).encode(), 256)[1].values()
    assert table.rows[0].path == first
    assert len(table.columns) == columns


def test_a_figure_that_is_set_in_makes_no_tree_of_the_rows_and_keys_stay_columns() -> None:
    book = openpyxl.Workbook()
    for line in DISTRICTS:
        book.active.append([int(text) if text.isdigit() else text for text in line.split(",")])
    book.active["D2"].alignment = Alignment(indent=1)
    target = io.BytesIO()
    book.save(target)
    (table,) = read_bytes("rows.xlsx", target.getvalue(), 256)[1].values()
    assert [column.leaf for column in table.columns] == DISTRICTS[0].split(",")
