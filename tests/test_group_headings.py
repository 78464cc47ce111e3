"""How far the headings of groups reach over the columns of a file that knows no spans."""

from __future__ import annotations

from mixrag_cli.records.tables import Table
from tests.evidence_samples import read_bytes


def read_csv(*lines: str) -> Table:
    (table,) = read_bytes("rates.csv", "\n".join(lines).encode(), 256)[1].values()
    return table


def test_a_group_ends_with_the_names_that_the_one_before_it_has() -> None:
    table = read_csv(
        ",2014-15,,2016-17,,,",
        "Journal,datasets,papers,datasets,papers,Searched by,Average",
        "Cortex,2,74,2,77,AT,0.027",
        "Infancy,0,59,3,86,JT,0.017",
    )
    assert [column.path for column in table.columns] == [
        ("2014-15", "datasets"),
        ("2014-15", "papers"),
        ("2016-17", "datasets"),
        ("2016-17", "papers"),
        ("Searched by",),
        ("Average",),
    ]


def test_a_group_with_names_of_its_own_reaches_to_the_next() -> None:
    table = read_csv(
        ",Plants,,Animals,,", "Site,trees,herbs,birds,fish,worms", "North,2,74,2,77,5", "South,10,59,3,86,4"
    )
    assert [column.path[0] for column in table.columns] == ["Plants"] * 2 + ["Animals"] * 3


def test_names_below_a_title_over_most_columns_name_them_though_some_have_none() -> None:
    pins = [
        ("1", "GND", "", "", "2", "GND", "", ""),
        ("3", "UART_RX", "I", "Shared UART", "4", "UART_TX", "O", "Shared UART"),
        ("5", "+5V", "I", "DC power", "6", "NRESET", "O", "Master reset"),
        ("7", "+12V", "I", "DC power", "8", "+12V", "I", "DC power"),
        ("9", "SYNC", "I", "Sync input", "10", "SSCL", "O", "Shared clock"),
    ]
    lines = ("".join(f"<td>{text}</td>" for text in pin) for pin in pins)
    names = "".join(f"<td>{text}</td>" for text in ("", "A", "Dir", "", "", "B", "Dir", ""))
    rows = "".join(f"<tr>{line}</tr>" for line in (names, *lines))
    title = '<tr><td></td><td colspan="6">MCU module (2 x 5-pin)</td><td>Status: Mandatory</td></tr>'
    (table,) = read_bytes("pins.html", f"<table>{title}{rows}</table>".encode(), 256)[1].values()
    assert [column.path[1:] for column in table.columns[:6]] == [("A",), ("Dir",), (), (), ("B",), ("Dir",)]
    assert [row.path for row in table.rows] == [(pin[0],) for pin in pins]
