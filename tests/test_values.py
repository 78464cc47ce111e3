"""Numbers, units, scales and signs out of cells, headers and prose."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.quantities.unit_words import find_unit_and_scale
from mixrag_cli.quantities.values import find_decimal_mark, kind_of, parse_value
from tests.bounded import assert_in_line

MILLION, BILLION = 10**6, 10**9


@pytest.mark.parametrize(
    ("text", "value", "unit", "scale"),
    [
        ("1,234", "1234", "", 1),
        ("(1,234)", "-1234", "", 1),
        ("$(1,234)", "-1234", "USD", 1),
        ("$ (1,234", "-1234", "USD", 1),  # a PDF put the closing parenthesis into the next cell
        ("(35.3%)", "-35.3", "%", 1),
        ("-71", "-71", "", 1),
        ("−71", "-71", "", 1),
        ("1234-", "-1234", "", 1),
        ("-4.4 ( 4.4 )", "-4.4", "", 1),
        ("35.3 %", "35.3", "%", 1),
        ("35.3%", "35.3", "%", 1),
        ("35.3 percent", "35.3", "%", 1),
        ("1.2 percentage points", "1.2", "pp", 1),
        ("25 bps", "25", "bp", 1),
        ("25 basis points", "25", "bp", 1),
        ("$ 1,234", "1234", "USD", 1),
        ("US$ 5.1", "5.1", "USD", 1),
        ("€ 1.234,56", "1234.56", "EUR", 1),
        ("12 EUR", "12", "EUR", 1),
        ("£3m", "3", "GBP", MILLION),
        ("12.4 million", "12.4", "", MILLION),
        ("$ 12bn", "12", "USD", BILLION),
        ("USD 5 thousand", "5", "USD", 1000),
        ("5k", "5", "", 1000),
        ("5 kg", "5", "kg", 1),
        ("7ml", "7", "ml", 1),
        ("766.3 ns", "766.3", "ns", 1),
        ("100 MHz", "100", "MHz", 1),
        ("16GB", "16", "GB", 1),
        ("3.3V", "3.3", "V", 1),
        ("957,854 ops/sec", "957854", "ops/sec", 1),
        ("24 km/h", "24", "km/h", 1),
        ("27s", "27", "s", 1),
        ("610mm", "610", "mm", 1),
        ("12 mm", "12", "mm", 1),
        ("$12mm", "12", "USD", MILLION),
        ("12 mm USD", "12", "USD", MILLION),
        ("1 234 567", "1234567", "", 1),
        ("1\u202f234,5", "1234.5", "", 1),
        ("1'234.5", "1234.5", "", 1),
        ("CHF 1’400.50", "1400.50", "CHF", 1),
        ("1.234.567", "1234567", "", 1),
        ("12,5", "12.5", "", 1),
        ("1,23,456", "123456", "", 1),
        ("1,234(1)", "1234", "", 1),
        ("12.5%(2)", "12.5", "%", 1),
        ("1,234*", "1234", "", 1),
        ("1,234¹", "1234", "", 1),
        ("5.3E", "5.3", "", 1),
        ("1.5e-3", "0.0015", "", 1),
        ("Rs -500", "-500", "INR", 1),
        ("EUR- 42", "-42", "EUR", 1),
        ("EUR-1,500", "-1500", "EUR", 1),
        ("$-42", "-42", "USD", 1),
        ("12.5 ‰", "12.5", "‰", 1),
        ("1.39 m³/h", "1.39", "m³/h", 1),
        ("2019", "2019", "", 1),
        ("1,234,567,890,123,456", "1234567890123456", "", 1),
    ],
)
def test_a_cell_is_read_with_sign_unit_and_scale(text: str, value: str, unit: str, scale: int) -> None:
    found = parse_value(text)
    assert (found.value, found.unit, found.scale, found.text) == (Decimal(value), unit, scale, text)


@pytest.mark.parametrize(
    "text",
    [
        "", "Revenue", "5-10", "$5 to $10", "5–10%", "n/a", "..", "1.#INF", "NaN", "-inf", "#REF!", "#DIV/0!",
        "9" * 400,
        "0." + "3" * 60, "123456789012345", "00501", "1E5", "192.168.0.1", "1.2.3", "3/4", "10-K", "March 31, 2019",
        "Q3 2022", "FY2019", "2018-19", "2019-03-31", "12:30", "=1+2", "+1-800-555-0100", "1,2345,67", "5 m", "RS-001",
        "RS-101", "EUR-42", "CHF-2025",
    ],
)  # fmt: skip
def test_what_is_not_wholly_a_number_stays_text(text: str) -> None:
    assert parse_value(text).value is None


@pytest.mark.parametrize(("text", "unit"), [("—", ""), ("–", ""), ("-", ""), ("$ —", "USD"), ("—%", "%")])
def test_a_dash_is_zero_and_known_as_nil(text: str, unit: str) -> None:
    found = parse_value(text)
    assert (found.value, found.unit, found.is_nil) == (Decimal(0), unit, True)


def test_a_stored_number_wins_over_its_display() -> None:
    shown = parse_value("35%", number=Decimal("0.353"), is_percent=True)
    assert (shown.value, shown.unit) == (Decimal("35.3"), "%")
    assert parse_value("$1,235", number=Decimal("1234.5")).value == Decimal("1234.5")
    assert parse_value("100%", number=Decimal("1"), is_percent=True).value == Decimal("100")
    assert parse_value("oops", number=Decimal("NaN")).value is None


def test_the_decimal_mark_is_learnt_from_the_column() -> None:
    assert find_decimal_mark(["1.234,56", "12,5", "7"]) == ","
    assert find_decimal_mark(["1,234.5", "0.5"]) == "."
    assert find_decimal_mark(["1,234", "5,678"]) is None
    assert parse_value("1.234", decimal_mark=",").value == Decimal(1234)
    assert parse_value("1.234", decimal_mark=".").value == Decimal("1.234")
    assert parse_value("1,234", decimal_mark=",").value == Decimal("1.234")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "blank"), ("—", "nil"), ("n/a", "missing"), ("#REF!", "missing"), ("5-10%", "range"), ("2019", "year"),
        ("2017(1)", "year"), ("Three Months Ended July 1, 2023", "date"), ("Years Ended September 30,", "date"),
        ("Sept. 24, 2022", "date"), ("1Q19", "date"), ("2,019", "number"), ("Net sales", "text"),
        ("Revenue in 2019", "text"), ("May", "text"), ("Tuesday, 11 March 2025", "date"), ("Sunday trading", "text"),
        ("Oct 17–18, 2025", "date"), ("17 - 18 October 2025", "date"), ("October 17th–18th, 2025", "date"),
        ("Oct 17–18 runners", "text"), ("[x]", "missing"), ("[low]", "missing"), ("[r]", "text"), ("~15.0", "number"),
        ("5,502 (46.9%)", "number"), ("24.1 ± 33.4", "number"), ("1.2 [0.8, 1.5]", "number"), (".5 (.4–.6)", "number"),
        ("2019 (46.9%)", "text"), ("12 (see below)", "text"), ("Level 1 (2)", "text"),
    ],
)  # fmt: skip
def test_kinds_of_cells(text: str, kind: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("text", "unit", "scale"),
    [
        ("(in millions, except per share data)", "", MILLION),
        ("percent", "%", 1),
        ("Win %", "%", 1),
        ("95% confidence interval", "", 1),
        ("USD thousands", "USD", 1000),
        ("(Dollars in thousands)", "USD", 1000),
        ("$ million", "USD", MILLION),
        ("€ in billions", "EUR", BILLION),
        ("£m", "GBP", MILLION),
        ("$000", "USD", 1000),
        ("(amounts in US$ 000's)", "USD", 1000),
        ("thousands of Canadian dollars", "CAD", 1000),
        ("percentage points", "pp", 1),
        ("age 15,000", "", 1),
        ("Total revenue", "", 1),
    ],
)
def test_captions_and_headers_give_unit_and_scale(text: str, unit: str, scale: int) -> None:
    assert find_unit_and_scale(text) == (unit, scale)


def test_numbers_of_prose_carry_their_place() -> None:
    text = "Revenue rose 12.4 % to $1.2 billion in 2019 from $ 980 million (Note 5), a loss of $(3.5) million."
    found = find_numbers(text)
    assert [(v.value, v.unit, v.scale) for _, _, v in found] == [
        (Decimal("12.4"), "%", 1),
        (Decimal("1.2"), "USD", BILLION),
        (Decimal("980"), "USD", MILLION),
        (Decimal("-3.5"), "USD", MILLION),
    ]
    assert [text[start:end] for start, end, _ in found] == ["12.4 %", "$1.2 billion", "$ 980 million", "$(3.5) million"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("As of March 31, 2019 we had 2,000 employees", ["2,000"]),
        ("over 2000 shops since 2000", ["2000"]),
        ("see (1) and (2), 5-10 people, COVID-19, Form 10-K, page 12", []),
        ("1. First\n2. Second has 7 items", ["7"]),
        ("v1.2.3 at 192.168.0.1", []),
        ("fell by 25 basis points or -5.2%", ["25 basis points", "-5.2%"]),
        ("the second quarter of fiscal 2020 and Q3 2022", []),
    ],
)
def test_dates_references_and_names_are_no_numbers_of_prose(text: str, numbers: list[str]) -> None:
    assert [v.text for _, _, v in find_numbers(text)] == numbers


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=2))
@settings(max_examples=200, deadline=None)
def test_every_written_amount_is_read_back(amount: Decimal) -> None:
    grouped = f"{abs(amount):,}"
    assert parse_value(f"({grouped})" if amount < 0 else grouped).value == amount
    assert parse_value(f"$ {amount:,}").value == amount


@given(st.text(alphabet="0123456789.,-–()$€% ()'kmb⁵abc\u00a0\n", max_size=120))
@settings(max_examples=300, deadline=None)
def test_no_text_is_too_odd(text: str) -> None:
    kind_of(text)
    find_unit_and_scale(text)
    for start, end, value in find_numbers(text):
        assert text[start:end] == value.text
        assert value.value is not None and value.value.is_finite()


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", ["1", "1,", "$", "(", "1 ", "jan ", "1,111", "-", "fiscal year ", "1-", "1.1.", " ", "' "]
)
def test_hostile_repeats_take_time_in_line_with_their_number(seed: str) -> None:
    def read(text: str) -> None:
        find_numbers(text)
        find_unit_and_scale(text)
        kind_of(text)

    assert_in_line(read, seed * (20_000 // len(seed)))
