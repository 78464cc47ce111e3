"""Totals that no label names: said beside the amount, left without a label, or below codes of single rows."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mixrag_cli.records.tables import Table
from mixrag_cli.tables.members import summary_rows
from mixrag_cli.tables.tally import aggregate, tallied_cells
from tests.evidence_samples import read_bytes
from tests.table_samples import lefts, to_table

ITEMS = ["Item,Qty,Unit price,Amount", "Desk,2,250.00,500.00", "Chair,4,90.00,360.00", "Lamp,5,30.00,150.00"]


def totals(table: Table) -> list[tuple[str, ...]]:
    return [row.path for row in table.rows if row.is_total]


def sum_of(table: Table, name: str) -> Decimal | None:
    column = next(column for column in table.columns if column.path == (name,))
    return aggregate("sum", [cell.value for cell in tallied_cells(table, column, ()) if cell.value is not None])


def from_csv(lines: list[str]) -> Table:
    _, tables, _ = read_bytes("invoice.csv", "\n".join(lines).encode(), 160)
    (table,) = tables.values()
    return table


def test_a_total_is_told_by_its_word_beside_the_amount_and_its_sum() -> None:
    table = from_csv([*ITEMS, ",,Total,1010.00"])
    assert lefts(table)[-1] == ("Total",)
    assert totals(table) == [("Total",)]
    assert sum_of(table, "Amount") == 1010


def test_a_total_may_stand_on_a_subtotal_and_what_is_added_to_it() -> None:
    table = from_csv([*ITEMS, ",,Subtotal,1010.00", ",,VAT,202.00", ",,Total due,1212.00"])
    assert totals(table) == [("Subtotal",), ("Total due",)]
    assert sum_of(table, "Amount") == 1212


def test_a_total_among_numbered_accounts_with_a_line_of_text_below_it() -> None:
    rows = ['1000,Bank,"23,410.55",', '1100,Debtors,"8,120.00",', '2100,Creditors,,"6,075.20"']
    rows += ['4000,Grants,,"41,000.00"', '7000,Wages,"15,544.65",', ',Total,"47,075.20","47,075.20"']
    table = from_csv(["Account,Name,Debit,Credit", *rows, "Prepared by: A. Mensah,,,"])
    assert [row.path for row in table.rows if row.index in summary_rows(table)] == [("Total",)]
    assert sum_of(table, "Debit") == sum_of(table, "Credit") == Decimal("47075.20")


def test_a_name_that_says_total_beside_an_amount_of_its_own_is_a_member() -> None:
    table = from_csv(["No,Paid,Payee", "7,500,Rent", "8,90,Paper", "9,80,Total Energy", "10,20,Ink"])
    assert totals(table) == []
    assert sum_of(table, "Paid") == 690


@pytest.mark.parametrize(("last", "path"), [("1,203", ("Total",)), ("1,204", ("Total",)), ("1,300", ("row 4",))])
def test_a_row_without_a_label_is_a_total_where_it_is_the_sum_within_rounding(last: str, path: tuple[str]) -> None:
    rows = [["", "2024", "2023"], ["Goods", "1,000", "900"], ["Services", "200", "100"], ["Other", "3", "4"]]
    table = to_table([*rows, ["", last, "1,104"]])
    assert lefts(table)[-1] == path
    assert totals(table) == ([path] if path == ("Total",) else [])


def test_totals_without_labels_sum_up_what_stands_since_the_last_one() -> None:
    rows = [["", "2024", "2023"], ["Goods", "10", "9"], ["Services", "5", "4"], ["", "15", "13"]]
    rows += [["Pay", "6", "5"], ["Rent", "3", "3"], ["", "9", "8"], ["Profit", "6", "5"]]
    table = to_table(rows)
    assert totals(table) == [("Total",), ("Total",)]


def test_a_total_below_codes_of_single_rows_takes_no_code() -> None:
    table = from_csv(["Code,Item,Amount", "10,Paper,100", "20,Ink,250", "30,Pens,50", ",Total,400"])
    assert lefts(table)[-2:] == [("30", "Pens"), ("Total",)]


def test_a_total_of_several_codes_takes_none_though_more_rows_follow_it() -> None:
    rows = [
        "A1,Roof,100",
        "A2,Kiln,250",
        ",Subtotal A,350",
        "B1,Wages,40",
        "B2,Visits,20",
        ",Subtotal B,60",
        ",Total,410",
    ]
    table = from_csv(["Ref,Heading,Grant", *rows])
    assert [path for path in lefts(table) if len(path) == 1] == [("Subtotal A",), ("Subtotal B",), ("Total",)]
    assert sum_of(table, "Grant") == 410


def test_a_name_with_the_word_total_in_a_row_whose_every_label_is_its_own_is_a_member() -> None:
    units = ["G.01,Print Works,142,11400", "G.02,Total Fire Ltd,96,8160", "1.01,Violins,77,5030", ",Total,315,24590"]
    assert totals(from_csv(["Unit,Tenant,Area,Rent", *units])) == [("Total",)]
    people = ["Ann Lee,garden,6,8", "Pat Total,tea room,9,11", "Bob Ray,tours,4,6", "Total,,19,25"]
    assert totals(from_csv(["Name,Post,April,May", *people])) == [("Total",)]


def test_a_numbered_total_with_more_words_is_one_where_its_figures_add_up() -> None:
    rows = ["1000,Bank,20,25", "1100,Debtors,30,35", "1999,Total current assets,50,60", "2000,Loans,7,8"]
    assert totals(from_csv(["No,Account,2023,2024", *rows])) == [("1999", "Total current assets")]


def test_a_total_below_names_that_are_left_out_belongs_to_the_last_of_them() -> None:
    rows = ["North,Ann,1", ",Bob,2", ",Total,3", "South,Cat,4", ",Dan,5", ",Total,9"]
    table = from_csv(["Region,Name,Sales", *rows])
    assert [path for path in lefts(table) if path[-1] == "Total"] == [("North", "Total"), ("South", "Total")]


def test_small_steps_that_come_near_a_sum_are_no_total() -> None:
    steps = ["uL,1,1,100,2,198", ",2,5,20,10,190", ",3,10,10,20,180", ",4,15,6.7,30,170", ",5,20,5,40,160"]
    table = from_csv(["Volume,Standard,Concentration,Factor,Stock,Water", *steps])
    assert totals(table) == []
