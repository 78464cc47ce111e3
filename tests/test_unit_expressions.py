"""Units that are put together of symbols, in the headers of real-looking csv files, and what only looks like them."""

from __future__ import annotations

import pytest

from mixrag_cli.quantities.unit_words import is_unit_expression
from mixrag_cli.tables.units import unit_of_header
from tests.evidence_samples import read_bytes
from tests.table_samples import to_table


@pytest.mark.parametrize(
    "unit",
    [
        "g m-2", "kg ha-1", "cm3 cm-3", "mg/L", "microM", "GJ/MWh", "R/GJ", "mL/min/kg", "R/kW_el", "W m-2", "µg/m³",
        "mol m-2 s-1", "µmol m⁻² s⁻¹", "J kg-1 K-1", "mg N/L", "gCO2e/km", "tCO2", "dS/m", "U/L", "10^9/L", "g/100 g",
        "cm2", "m/s", "lb / MWh", "g·m−2", "N/mm2", "kWh/a",
    ],
)  # fmt: skip
def test_symbols_with_exponents_and_strokes_are_units(unit: str) -> None:
    assert is_unit_expression(unit)
    assert unit_of_header(f"Yield ({unit})").unit == unit


@pytest.mark.parametrize(
    "text",
    [
        "h/f", "c/a", "b/a", "d/h", "W/L", "M/F", "m/f", "n/a", "N/A", "A-1", "K-12", "T4/T3", "H2", "CO2", "PM2.5",
        "in h", "min/max", "dd/mm", "S.D.", "V/A", "R/W", "MS/MS", "and/or", "CA/TX", "PA-1", "no-no", "dN/dS", "C/N",
        "C-1", "h",
    ],
)  # fmt: skip
def test_letters_for_other_things_are_none(text: str) -> None:
    assert not is_unit_expression(text)


def test_figures_below_such_a_header_have_its_unit() -> None:
    raw = (
        b'Plot,Biomass (g m-2),Biomass (SE),"Yield, kg ha-1",Cover (%)\nNorth,412,21,5100,45.2\nSouth,388,19,6100,5.3\n'
    )
    (table,) = read_bytes("plots.csv", raw, 256)[1].values()
    assert [cell.unit for cell in table.cells if cell.text in ("412", "21", "5100", "45.2")] == [
        "g m-2", "", "kg ha-1", "%",
    ]  # fmt: skip


@pytest.mark.parametrize("label", ["TJ", "Dushanbe, TJ", "Tajikistan"])
def test_a_country_is_no_unit(label: str) -> None:
    assert unit_of_header(label).unit == ""


def test_a_row_of_such_units_names_no_columns() -> None:
    table = to_table([["Site", "Nitrate", "Flow"], ["", "mg/L", "m3 s-1"], ["North", "4.1", "12"], ["South", "3", "8"]])
    assert [(cell.unit, cell.text) for cell in table.cells if cell.row == 2] == [("mg/L", "4.1"), ("m3 s-1", "12")]


@pytest.mark.parametrize("name", ["mw", "ms", "h"])
def test_a_field_with_a_short_name_has_no_unit(name: str) -> None:
    """A molecular weight is no megawatts."""
    table = to_table([["compound", name, "logp"], ["AB1", "352.34", "3.1"], ["AB2", "402.79", "2.2"]])
    assert {cell.unit for cell in table.cells} == {""}
    listed = to_table([["quantity", "value"], [name, "352.34"], ["logp", "3.1"]])
    assert {cell.unit for cell in listed.cells} == {""}


def test_a_short_unit_below_a_heading_is_one() -> None:
    rows = [["Boat", "Weight", "", "Length", ""], ["", "kg", "mg", "km", "cm"], ["Ada", "352", "776", "8", "26"]]
    table = to_table([*rows, ["Bea", "402", "886", "9", "29"]], spans={(0, 1): (1, 2), (0, 3): (1, 2)})
    assert [cell.unit for cell in table.cells if cell.row == 2] == ["kg", "mg", "km", "cm"]
