"""Units and scales in captions, sections and headers, and which of them a cell takes."""

from __future__ import annotations

import io
from collections.abc import Callable
from decimal import Decimal

import openpyxl
import pytest

from mixrag_cli.quantities.values import parse_value
from mixrag_cli.records.documents import Grid, GridCell
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.units import is_unit_text, unit_of_caption, unit_of_header
from tests.evidence_samples import read_bytes
from tests.table_samples import to_table as to_spanned_table

THOUSAND, MILLION, BILLION = 10**3, 10**6, 10**9


def to_table(rows: list[list[str]], caption: str = "") -> Table:
    cells = tuple(GridCell(r, c, text) for r, row in enumerate(rows) for c, text in enumerate(row) if text)
    grid = Grid(len(rows), len(rows[0]), cells, Locator((0, 0)), caption=caption)
    table = grid_to_table(grid, document="d", title="file")
    assert table is not None
    return table


def units(table: Table, row: int) -> list[tuple[Decimal | None, str, int]]:
    return [(cell.value, cell.unit, cell.scale) for cell in table.cells if cell.row == row]


@pytest.mark.parametrize(
    ("heading", "unit", "scale"),
    [
        ("thousand cubic metres", "cubic metres", THOUSAND),
        ("Water delivered (thousand cubic metres)", "cubic metres", THOUSAND),
        ("'000 hectares", "hectares", THOUSAND),
        ("Catch (in thousands of tonnes)", "tonnes", THOUSAND),
        ("million kWh", "kWh", MILLION),
        ("Population (thousands)", "", THOUSAND),
        ("Number (thousands)", "", THOUSAND),
        ("(in thousands, except per share data)", "", THOUSAND),
        ("per thousand people", "per thousand people", 1),
        ("Stored water (ML)", "ML", 1),
        ("Dose (ml)", "ml", 1),
    ],
)
def test_what_a_scale_counts_is_the_unit(heading: str, unit: str, scale: int) -> None:
    said = unit_of_header(heading)
    assert (said.unit, said.scale) == (unit, scale)


@pytest.mark.parametrize(
    ("caption", "unit", "scale"),
    [
        ("in thousands of euros", "EUR", THOUSAND),
        ("Net sales, in thousands of euros", "EUR", THOUSAND),
        ("Net sales (in thousands of euros)", "EUR", THOUSAND),
        ("(Euro million)", "EUR", MILLION),
        ("(RMB in millions)", "CNY", MILLION),
        ("Revenue by segment in millions of Swiss francs", "CHF", MILLION),
        ("Figures in GBP '000", "GBP", THOUSAND),
        ("in billions of yen", "JPY", BILLION),
        ("(S$'000)", "SGD", THOUSAND),
        ("(₹ in crores)", "INR", 10**7),
        ("(In thousands, except percentages)", "", THOUSAND),
        ("Sales in Canadian dollars", "CAD", 1),
        ("Energy use by site, MWh", "MWh", 1),
        ("Retail sales by month, EUR million, 2019 to 2021", "EUR", MILLION),
        ("Visitors by month, 2019", "", 1),
        ("Births, deaths, marriages", "", 1),
        ("Growth in dollar terms", "", 1),
        ("Three million people in 2019", "", 1),
        ("Visitors in Berlin and in Euro Park", "", 1),
    ],
)
def test_a_caption_gives_unit_and_scale(caption: str, unit: str, scale: int) -> None:
    said = unit_of_caption(caption)
    assert (said.unit, said.scale) == (unit, scale)


@pytest.mark.parametrize(
    ("header", "unit", "scale"),
    [
        ("RMB'Million", "CNY", MILLION),
        ("RMB’000", "CNY", THOUSAND),
        ("$m", "USD", MILLION),
        ("€ bn", "EUR", BILLION),
        ("EURm", "EUR", MILLION),
        ("mn USD", "USD", MILLION),
        ("Mio. EUR", "EUR", MILLION),
        ("TEUR", "EUR", THOUSAND),
        ("HK$'m", "HKD", MILLION),
        ("Sales EUR m", "EUR", MILLION),
        ("Sales (CHF thousand)", "CHF", THOUSAND),
        ("Revenue RMB'Million", "CNY", MILLION),
        ("Price ($)", "USD", 1),
        ("Salinity (‰)", "‰", 1),
        ("T1 [°C]", "°C", 1),
        ("Area (ft²)", "ft²", 1),
        ("Floor (sq ft)", "sq ft", 1),
        ("Lead (µg/l)", "µg/l", 1),
        ("Sales USD", "USD", 1),
        ("Visitors (000)", "", THOUSAND),
        ("Height m", "", 1),
        ("Vitamin K", "", 1),
        ("Group B", "", 1),
        ("Year (2019)", "", 1),
        ("The euro", "", 1),
        *[("Vote pct", "%", 1), ("Pct. of women", "%", 1), ("pct 2016", "%", 1), ("Pct 4", "", 1), ("PCT. 12", "", 1)],
    ],
)
def test_a_header_gives_unit_and_scale(header: str, unit: str, scale: int) -> None:
    said = unit_of_header(header)
    assert (said.unit, said.scale) == (unit, scale)


@pytest.mark.parametrize("text", ["m", "k", "b", "2019", "in", "euro area", "Rs Smith", "of", "Dollar General"])
def test_what_only_looks_like_a_unit(text: str) -> None:
    assert not is_unit_text(text)


@pytest.mark.parametrize(
    ("leaf", "unit", "scale"),
    [("RMB'Million", "CNY", MILLION), ("$m", "USD", MILLION), ("€ bn", "EUR", BILLION), ("CHF thousand", "CHF", 1000)],
)
def test_a_leaf_of_units_counts_for_the_cells_below_and_names_no_column(leaf: str, unit: str, scale: int) -> None:
    table = to_table([["Segment", "2020", "2019"], ["", leaf, leaf], ["Retail", "10", "12"], ["Trade", "8", "7"]])
    assert [column.path for column in table.columns] == [("2020",), ("2019",)]
    assert units(table, 2) == [(Decimal(10), unit, scale), (Decimal(12), unit, scale)]


def test_leaves_of_different_units_stay_with_their_columns() -> None:
    rows = [["Segment", "Sales", "Staff", "Margin"], ["", "€m", "number", "%"], ["Retail", "10", "12", "3.5"]]
    assert units(to_table(rows), 2) == [
        (Decimal(10), "EUR", MILLION),
        (Decimal(12), "", 1),
        (Decimal("3.5"), "%", 1),
    ]


def test_a_section_gives_its_unit_and_scale_to_its_own_rows() -> None:
    table = to_table(
        [
            ["", "2020", "2019"],
            ["Balance sheet (in thousands of euros)", "", ""],
            ["Cash", "10", "12"],
            ["Earnings per share", "1.10", "1.20"],
            ["Equity ratio, %", "41", "40"],
            ["Staff", "", ""],
            ["Employees", "80", "70"],
        ]
    )
    assert units(table, 2)[0] == (Decimal(10), "EUR", THOUSAND)
    assert units(table, 3)[0] == (Decimal("1.10"), "EUR", 1)
    assert units(table, 4)[0] == (Decimal(41), "%", 1)
    assert units(table, 6)[0] == (Decimal(80), "", 1)


def test_a_section_that_is_a_scale_alone() -> None:
    table = to_table([["", "2020", "2019"], ["(In thousands)", "", ""], ["Sales", "10", "12"], ["Costs", "8", "7"]])
    assert [units(table, row)[0] for row in (2, 3)] == [(Decimal(10), "", 1000), (Decimal(8), "", 1000)]


def test_a_narrower_word_wins_over_a_wider_one() -> None:
    table = to_table(
        [["Item", "2020", "Sales ($m)", "Share"], ["Wheat", "10", "12", "4 %"], ["Oats (tonnes)", "8", "7", "3 %"]],
        caption="Harvest, in thousands of euros",
    )
    assert units(table, 1) == [(Decimal(10), "EUR", THOUSAND), (Decimal(12), "USD", MILLION), (Decimal(4), "%", 1)]
    assert units(table, 2)[0][1] == "tonnes"


def test_a_row_that_states_its_own_measure_takes_no_money_from_its_section_or_table() -> None:
    rows = [
        ["", "2023", "2024"],
        ["EUR million", "", ""],
        ["Revenue", "1,200", "1,300"],
        ["Energy use (GWh)", "45", "46"],
    ]
    rows += [["Staff (number)", "900", "910"], ["Margin (%)", "4", "5"], ["tonnes", "", ""], ["CO2", "5", "6"]]
    table = to_table(rows)
    said = {
        row.path[-1]: (cell.unit, cell.scale) for row in table.rows for cell in table.cells if cell.row == row.index
    }
    assert said == {
        "Revenue": ("EUR", 10**6),
        "Energy use (GWh)": ("GWh", 1),
        "Staff (number)": ("", 1),
        "Margin (%)": ("%", 1),
        "CO2": ("tonnes", 1),
    }


MIXED = [
    ["Figures of the works", "2023", "2024"],
    ["Results (EUR million)", None, None],
    ["Revenue", 1200, 1300],
    ["Energy use (GWh)", 45, 46],
    ["Staff (number)", 900, 910],
    ["Margin (%)", 4, 5],
    ["Profit", 48, 65],
]


def as_workbook() -> tuple[str, bytes]:
    book = openpyxl.Workbook()
    for row in MIXED:
        book.active.append(row)
    raw = io.BytesIO()
    book.save(raw)
    return "works.xlsx", raw.getvalue()


def as_page() -> tuple[str, bytes]:
    cells = ("".join(f"<td>{'' if text is None else text}</td>" for text in row) for row in MIXED)
    rows = "".join(f"<tr>{row}</tr>" for row in cells)
    return "works.html", f"<html><body><h1>Works</h1><table>{rows}</table></body></html>".encode()


@pytest.mark.parametrize("make", [as_workbook, as_page])
def test_in_files_a_row_that_states_its_unit_takes_none_from_its_section(make: Callable[[], tuple[str, bytes]]) -> None:
    _, tables, _ = read_bytes(*make(), 160)
    (table,) = tables.values()
    said = {
        row.path: [(cell.unit, cell.scale) for cell in table.cells if cell.row == row.index][-2:] for row in table.rows
    }
    section = "Results (EUR million)"
    assert said == {
        (section, "Revenue"): [("EUR", MILLION)] * 2,
        (section, "Energy use (GWh)"): [("GWh", 1)] * 2,
        (section, "Staff (number)"): [("", 1)] * 2,
        (section, "Margin (%)"): [("%", 1)] * 2,
        (section, "Profit"): [("EUR", MILLION)] * 2,
    }


def test_counts_keep_a_scale_that_is_no_money_and_rates_do_not() -> None:
    rows = [["", "2023", "2024"], ["Households (number)", "1,200", "1,300"], ["Density (per km2)", "45", "46"]]
    table = to_table(rows, caption="Population [In thousands (314 represents 314,000). As of July 1]")
    assert [(cell.unit, cell.scale) for cell in table.cells] == [("", 1000)] * 2 + [("per km2", 1)] * 2


def test_a_group_heading_of_one_word_is_no_unit_beside_a_measure() -> None:
    rows = [
        ["", "Share of all (%)", "", "", ""],
        ["", "Person", "", "Male", ""],
        ["", "Rural", "Urban", "Rural", "Urban"],
    ]
    rows += [["Aber", "86.3", "92.3", "85.9", "91.4"], ["Birk", "83.1", "90.3", "85.1", "90.4"]]
    spans = {(0, 1): (1, 4), (1, 1): (1, 2), (1, 3): (1, 2)}
    assert {cell.unit for cell in to_spanned_table(rows, spans).cells} == {"%"}


def test_a_title_gives_the_unit_that_it_states_as_a_whole_or_in_brackets() -> None:
    for caption in ("Fuel used (tonnes)", "in tonnes unless stated"):
        table = to_table(
            [["month", "diesel", "ships (number)"], ["May", "5400", "44"], ["June", "5100", "41"]], caption
        )
        assert [unit for _, unit, _ in units(table, 1)] == ["tonnes", ""], caption


def test_a_column_named_year_has_no_unit_and_rates_have_theirs() -> None:
    table = to_table([["pump", "Year", "flow m3/h", "m3/h"], ["P-1", "22", "80", "81"], ["P-2", "28", "90", "91"]])
    assert [unit for _, unit, _ in units(table, 1)] == ["", "", "m3/h"]
    assert is_unit_text("years")


def money_and_counts(title: str) -> dict[str, tuple[str, int]]:
    rows = [["", "2024", "2023"], ["Revenue", "512.3", "480.1"], ["Number of stores", "143", "139"]]
    rows += [["Average headcount", "2,210", "2,150"], ["Due in one to five years", "40", "41"]]
    rows += [["Loans to employees", "3", "4"], ["4.5% notes due 2030", "60", "60"], ["Shares issued", "51", "50"]]
    rows += [["Interest rate swaps", "7", "8"], ["Average interest rate", "4.1", "4.2"]]
    return {row.path[0]: units(table, row.index)[0][1:] for table in [to_table(rows, title)] for row in table.rows}


def test_the_scale_of_a_title_s_money_is_none_of_what_is_counted() -> None:
    said = money_and_counts("Key figures (in EUR million)")
    money = {label for label, unit in said.items() if unit == ("EUR", MILLION)}
    assert money == {
        "Revenue",
        "Due in one to five years",
        "Loans to employees",
        "4.5% notes due 2030",
        "Interest rate swaps",
    }
    assert said["Shares issued"] == ("shares", MILLION)  # they are counted as the money is
    assert {said[label] for label in ("Number of stores", "Average headcount", "Average interest rate")} == {("", 1)}


def test_a_scale_that_is_said_apart_from_the_money_is_one_of_all_numbers() -> None:
    said = money_and_counts("In thousands. Amounts are stated (EUR)")
    assert said["Revenue"] == ("EUR", THOUSAND)
    assert said["Number of stores"] == said["Average headcount"] == ("", THOUSAND)


def test_a_unit_row_of_money_is_no_unit_of_counts_in_its_table() -> None:
    table = to_table([["", "2024", "2023"], ["", "€m", "€m"], ["Sales", "51", "48"], ["Number of stores", "14", "13"]])
    assert [units(table, row)[0][1:] for row in (2, 3)] == [("EUR", MILLION), ("", 1)]


def test_a_currency_that_ends_a_name_is_no_unit_beside_the_table_s_own_money() -> None:
    rows = [["", "2024", "2023"], ["EUR", "9,467", "9,283"], ["Zone USD", "6,082", "5,659"], ["APAC", "9,060", "9,335"]]
    rows += [["Earnings per share (USD)", "1.2", "1.1"], ["Debt, USD m", "12", "11"]]
    table = to_table(rows, caption="In millions of CHF")
    said = [units(table, row)[0][1:] for row in range(1, 6)]
    assert said == [*[("CHF", MILLION)] * 3, ("USD", 1), ("USD", MILLION)]
    assert units(to_table(rows), 2)[0][1] == "USD"  # no other money is known


def test_lives_in_years_take_no_scale_of_the_table() -> None:
    rows = [["", "Fair value", "Average life (in years)"], ["Brands", "25", "5.0"], ["Patents", "60", "7.5"]]
    table = to_table(rows, caption="Intangible assets (in millions)")
    assert [(unit, scale) for _, unit, scale in units(table, 1)] == [("", MILLION), ("years", 1)]


@pytest.mark.parametrize(
    ("heading", "unit"),
    [("Power (mW)", "mW"), ("Rate (kHz)", "kHz"), ("Air (hPa)", "hPa"), ("Land (Acres)", "acres"), ("Load in MW", "")],
)
def test_a_symbol_keeps_its_capitals_and_a_word_does_not(heading: str, unit: str) -> None:
    assert unit_of_header(heading).unit == unit


def test_a_symbol_beside_a_number_keeps_its_capitals() -> None:
    assert [parse_value(text).unit for text in ("5 mW", "5 MW", "70°C", "3 Hours")] == ["mW", "MW", "°C", "hours"]


def test_prefixed_units_of_the_si_are_told_by_their_capitals() -> None:
    units = ["mA", "µA", "mV", "nF", "kΩ", "Ω", "uM", "mol", "dBm", "MA", "pH", "PM", "A"]
    assert [is_unit_text(text) for text in units] == [True] * 7 + [False, True] + [False] * 4
    table = to_table([["Code", "Current (mA)", "R (kΩ)"], ["1", "20.6", "1.2"], ["2", "40.1", "2.4"]])
    assert [cell.unit for cell in table.cells if cell.column == 1] == ["mA", "mA"]


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        *[("PA", ""), ("CM", ""), ("MT", ""), ("Pa", "Pa"), ("cm", "cm"), ("KG", "kg"), ("Corn (MT)", "mt")],
        *[("Day of Week", ""), ("Rate", ""), ("Hours", "hours"), ("rate", "rate")],
    ],
)
def test_a_heading_that_is_a_code_or_a_name_states_no_unit(heading: str, unit: str) -> None:
    table = to_table([["Team", "Played", heading], ["Leeds", "3", "12"], ["York", "4", "15"]])
    assert {cell.unit for cell in table.cells if cell.column == 2} == {unit}


def test_states_in_a_column_of_their_own_are_no_units() -> None:
    table = to_table([["Office", "State"], ["Erie", "PA"], ["Butte", "MT"], ["Paris", "TX"]])
    assert [cell.text for cell in table.cells] == ["PA", "MT", "TX"]


def test_a_row_of_units_of_the_si_is_no_row_of_data() -> None:
    table = to_table([["Step", "Drain", "Gate"], ["", "mA", "mV"], ["first", "20.6", "120"], ["last", "40.1", "240"]])
    assert [row.path for row in table.rows] == [("first",), ("last",)]
    assert {(cell.column, cell.unit) for cell in table.cells} == {(1, "mA"), (2, "mV")}


def test_areas_in_feet_beside_areas_in_metres_take_no_money_of_the_table() -> None:
    rows = [
        ["Unit", "Area", "", "Rent"],
        ["", "m²", "ft²", ""],
        ["A", "142.5", "1,534", "11,400"],
        ["B", "96", "1,033", "9"],
    ]
    table = to_table(rows, caption="Tenancies, in GBP")
    assert [cell.unit for cell in table.cells] == ["m²", "ft²", "GBP"] * 2


def test_a_unit_is_not_spread_over_a_quantity_that_has_none() -> None:
    rows = [
        ["Sample", "Volume", "Dilution", "Mass"],
        ["", "µL", "", "ng"],
        ["A", "5", "6.7", "12"],
        ["B", "6", "5", "9"],
    ]
    assert [cell.unit for cell in to_table(rows).cells] == ["µL", "", "ng"] * 2
    rows[1] = ["", "kg", "", ""]  # one for all
    assert {cell.unit for cell in to_table(rows).cells} == {"kg"}


def test_a_caption_that_names_several_units_gives_none_to_all_figures() -> None:
    rows = [
        ["Year", "Population", "Served (%)", "Supply"],
        ["1990", "254", "75.6", "43.1"],
        ["1991", "257", "75", "43"],
    ]
    table = to_table(rows, caption="Population (millions), part served (percent), supply (kg)")
    assert [(cell.unit, cell.scale) for cell in table.cells] == [("", 1), ("%", 1), ("", 1)] * 2
    one = to_table(rows, caption="Supply in the year (USD, in millions)")
    assert one.cells[0].scale == MILLION


def test_a_country_in_capitals_is_no_unit() -> None:
    table = to_table(
        [["Year", "DE", "GB", "JP", "US"], ["1", "0.03", "0.03", "0.02", "0.04"], ["2", "0.03", "0.03", "0.02", "0.05"]]
    )
    assert {cell.unit for cell in table.cells} == {""}
    assert (is_unit_text("US dollars"), is_unit_text("U.S. dollars in millions"), is_unit_text("US$")) == (
        True,
        True,
        True,
    )


def test_a_number_in_thousands_is_no_money_whatever_the_title_says() -> None:
    rows = [["Group", "Number (thousands)", "Income"], ["All", "124,587", "53,718"], ["Families", "81,716", "68,504"]]
    table = to_table(rows, caption="Income by group (in dollars)")
    units = [(cell.unit, cell.scale) for cell in table.cells]
    assert units == [("", 1000), ("USD", 1), ("", 1000), ("USD", 1)]
