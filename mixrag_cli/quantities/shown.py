"""A number with its unit and scale for people, as the documents themselves write it."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.quantities.unit_words import CURRENCIES

_SCALE_WORDS = {10**3: "thousand", 10**6: "million", 10**9: "billion", 10**12: "trillion"}
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}
PERCENT_PLACES = 2
SHOWN_DIGITS, STORED_DIGITS = 3, 4  # of a sheet's number: those enough as it shows it; else as many of what it stores
RESULT_PLACES = 4  # of a computed value below 1000; four keep a ratio or a mean useful and hide endless decimals


def unit_text(unit: str, scale: int) -> str:
    """The unit as the JSON form tells it. Example: unit_text("USD", 1_000_000) -> "USD million", "thousand tonnes"."""
    word = _SCALE_WORDS.get(scale, "" if scale == 1 else f"x{scale}")
    parts = (unit, word) if unit in CURRENCIES else (word, unit)
    return " ".join(part for part in parts if part)


def number_text(value: Decimal, unit: str = "", scale: int = 1, written: str = "") -> str:
    """A number for people. Example: number_text(Decimal(36413), "USD", 10**6) -> "$36,413 million".

    written: as it stands. Digits without a unit stay so, since they may be a code, a year or a port, and no amount.
    """
    if written.strip().isdecimal() and not unit and scale == 1:
        return written.strip()
    plain = f"{value:,f}"
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".") if len(plain.split(".")[1]) > PERCENT_PLACES else plain
    word = _SCALE_WORDS.get(scale, "")
    if unit in _SYMBOLS:
        plain = f"-{_SYMBOLS[unit]}{plain[1:]}" if plain.startswith("-") else f"{_SYMBOLS[unit]}{plain}"
        unit = ""
    elif unit == "pp":
        unit = "percentage points"
    return " ".join(part for part in (plain, word, unit) if part)


def rounded(value: Decimal, unit: str) -> Decimal:
    """A computed value, shortened for showing: two places for percentages, up to four else."""
    places = PERCENT_PLACES if unit in ("%", "pp") or abs(value) >= 1000 else RESULT_PLACES
    if value == value.to_integral_value():
        return value.to_integral_value()
    short = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return short.to_integral_value() if short == short.to_integral_value() else short.normalize()


def as_shown(value: Decimal, text: str) -> Decimal:
    """A number that a sheet stores, as it shows it; to four digits where it shows fewer than three.

    Example: 2.934034803 shown as "2.93" -> 2.93; 8.835241 shown as "9" -> 8.835. What is written out stays as it is.
    """
    written = next((number.value for _, _, number in find_numbers(text)), None)
    if written is None or value == written or not written.is_finite():
        return value
    step = Decimal(1).scaleb(min(int(written.as_tuple().exponent), 0))
    if abs(value - written) > step:
        return value  # a format that scales, or a text about something else
    if len(written.as_tuple().digits) < SHOWN_DIGITS:
        step = min(step, Decimal(1).scaleb(value.adjusted() + 1 - STORED_DIGITS))
    short = value.quantize(step, rounding=ROUND_HALF_UP)
    return short if len(str(short)) < len(str(value)) else value
