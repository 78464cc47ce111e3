"""Tables of two columns: forms of keys and values, and lists below a heading."""

from __future__ import annotations

import io

import openpyxl
import pytest
from openpyxl.styles import Font

from mixrag_cli.records.tables import Table
from mixrag_cli.tables.text import row_texts
from tests.evidence_samples import read_bytes
from tests.table_samples import lefts, to_table, tops

Rows = list[list[str]]

ORDER = [["Supplier", "Greenfield Paving Ltd"], ["Order date", "14 March 2025"], ["Payment terms", "45 days"]]
ORDER += [["Approved by", "M. Duarte"]]
CLAIM = [["Claimant", "Ines Prado"], ["Trip", "Lisbon to Porto"], ["Date of trip", "2025-02-03"]]
CLAIM += [["Total claimed", "EUR 312.40"], ["Approved", "yes"]]
MEETING = [["Date", "Tuesday 11 March 2025"], ["Chair", "Cllr Imogen Wardle"], ["Apologies", "S. Kowalczyk"]]
COLONS = [["Name:", "Ann Lee"], ["Post:", "Clerk"], ["Place:", "Leeds"]]
NOTES = [["A", "Heat in the range of 100 degrees"], ["B", "Heat for industry"], ["C", "Losses are small"]]


def from_page(rows: Rows) -> Table:
    cells = "".join(f"<tr><td>{key}</td><td>{value}</td></tr>" for key, value in rows)
    return only_table("form.html", f"<html><body><h1>Form</h1><table>{cells}</table></body></html>".encode())


def from_workbook(rows: Rows, bold_keys: bool = False) -> Table:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cell in book.active["A"]:
        cell.font = Font(bold=bold_keys)
    raw = io.BytesIO()
    book.save(raw)
    return only_table("form.xlsx", raw.getvalue())


def only_table(name: str, raw: bytes) -> Table:
    _, tables, _ = read_bytes(name, raw, 160)
    (table,) = tables.values()
    return table


@pytest.mark.parametrize("rows", [ORDER, CLAIM, MEETING, COLONS, NOTES])
@pytest.mark.parametrize("make", [from_page, from_workbook])
def test_a_form_reads_as_keys_and_values_from_its_first_row_on(make, rows: Rows) -> None:
    table = make(rows)
    assert lefts(table) == [(key.rstrip(":"),) for key, _ in rows]
    assert list(row_texts(table).values()) == [f"{key.rstrip(':')}: {value}" for key, value in rows]


def test_a_number_of_an_order_or_a_booking_is_no_heading() -> None:
    booked = [["Reference", "PL-77120"], ["Service", "Yearly check"], ["Engineer", "S. Nwosu"], ["Fee", "165.00 + VAT"]]
    built = [["Model", "GK1200/3"], ["Maker", "Kittec"], ["Chamber", "1.2 cubic metres"], ["Year", "2019"]]
    for rows in (booked, built):
        assert lefts(from_page(rows)) == [(key,) for key, _ in rows]


def test_bold_keys_beside_plain_values_make_a_form() -> None:
    rows = [["Name", "Ann Lee"], ["Post", "Clerk"], ["Place", "Leeds"]]
    assert lefts(from_workbook(rows, bold_keys=True)) == [("Name",), ("Post",), ("Place",)]


@pytest.mark.parametrize(
    "rows",
    [
        [["Name", "Role"], ["Ann Lee", "Clerk"], ["Bob Ray", "Cook"]],
        [["Item", "Price"], ["Tea", "3.50"], ["Soup", "on request"], ["Cake", "2.00"]],
        [["Task", "Due"], ["Audit", "2025-03-01"], ["Tender", "open"], ["Survey", "2025-05-01"]],
        [["", "31 December 2024"], ["Cash", "12"], ["Debt", "7"]],
        [["Site", "PM10"], ["Harbour", "12"], ["Hill", "9"], ["Park", "low"]],
        [["Country", "2019"], ["France", "yes"], ["Spain", "no"], ["Italy", "no"]],
        [["Measure", "Value"], ["Discount rate", "8.75%"], ["Units", "12"], ["Start", "2025-01-01"]],
    ],
)
def test_a_column_of_one_kind_keeps_its_heading(rows: Rows) -> None:
    table = to_table(rows)
    assert tops(table) == [(rows[0][1],)]
    assert len(table.rows) == len(rows) - 1


SPECTRUM = [
    ["Spectrum:"],
    ["Student:"],
    ["Comments:"],
    ["Mode:", "PHA Pre-Amp"],
    ["Gain:", "1024"],
    ["Live Time:", "850.26"],
]
SPECTRUM += [["Start:", "February 29", "2024", "01:49:01"], ["Regions:"], ["Region:", "Low", "High", "Net"]]


def test_settings_above_a_recording_are_a_form_though_some_have_no_value_and_some_have_parts() -> None:
    table = to_table(SPECTRUM)
    assert tops(table) == [("column 2",), ("column 3",), ("column 4",)]
    keys = ["Spectrum", "Student", "Comments", "Mode", "Gain", "Live Time", "Start"]
    assert lefts(table) == [*((key,) for key in keys), ("Regions", "Region")]
    assert "Live Time: 850.26" in row_texts(table).values()


def test_a_table_whose_labels_all_end_in_colons_keeps_its_headings() -> None:
    table = to_table([["Case:", "Low", "High"], ["Cost:", "12", "15"], ["Gain:", "3", "8"], ["Risk:", "1", "2"]])
    assert (tops(table), lefts(table)[0]) == ([("Low",), ("High",)], ("Cost",))


ORDERED = [["Order:", "SC-24", "Contact:", "Ann Lee"], ["Estimate:", "EST-456", "Place:", "Leeds"]]
ORDERED += [["Terms:", "30 days", "", ""], ["Fee:", "12", "Region:", "North"]]
STACKED = ["Order: SC-24", "Estimate: EST-456", "Terms: 30 days", "Fee: 12", "Contact: Ann Lee", "Place: Leeds"]


def test_several_names_with_their_values_in_a_row_are_read_one_by_one() -> None:
    assert list(row_texts(to_table(ORDERED)).values()) == [*STACKED, "Region: North"]
    page = "".join(f"<tr><th>{a}</th><td>{b}</td><th>{c}</th><td>{d}</td></tr>" for a, b, c, d in ORDERED if c)
    table = only_table("form.html", f"<table>{page.replace(':<', '<')}</table>".encode())
    assert [row.path for row in table.rows][-1] == ("Region",)


def test_what_pairs_of_columns_are_about_is_the_section_of_their_names() -> None:
    rows = [["Buyer", "", "Car", ""], *(row for row in ORDERED if row[2])]
    for spans in (None, {(0, 0): (1, 2), (0, 2): (1, 2)}):
        table = to_table(rows, spans)
        assert ("Buyer", "Fee") in lefts(table)
        assert ("Car", "Region") in lefts(table)


def test_a_table_whose_second_labels_have_colons_too_is_no_form() -> None:
    rows = [["Case:", "Low", "High:", "Net"], ["Cost:", "12", "15", "1"], ["Gain:", "3", "8", "2"]]
    assert len(to_table([*rows, ["Risk:", "1", "2", "3"]]).rows) == 3


def test_values_of_different_units_below_a_title_have_no_heading() -> None:
    rows = [["Declared load profile", "L"], ["Efficiency", "115%"], ["Heating up time", "7:01"], ["Standby", "26.3 W"]]
    table = titled(rows)
    assert lefts(table) == [("Declared load profile",), ("Efficiency",), ("Heating up time",), ("Standby",)]
    assert not table.columns[0].leaf.startswith("L")


def test_figures_of_one_unit_below_a_title_have_one() -> None:
    assert tops(titled([["Country", "Exports"], ["France", "120"], ["Spain", "97"]])) == [("Exports",)]


def titled(rows: Rows) -> Table:
    cells = "".join(f"<tr><td>{key}</td><td>{value}</td></tr>" for key, value in rows)
    return only_table("form.html", f"<table><tr><th colspan=2>EN 16147</th></tr>{cells}</table>".encode())


def test_values_merged_over_all_columns_have_no_heading() -> None:
    rows = [["Summary of", "AB-20", "Reg. No.", "K-7"], ["Name", "Acme Residential"], ["Body", "ICIM"], ["Type", "Air"]]
    table = to_table([[*row, "", "", ""][:4] for row in rows], spans={(row, 1): (1, 3) for row in (1, 2, 3)})
    assert lefts(table) == [("Summary of",), ("Name",), ("Body",), ("Type",)]
