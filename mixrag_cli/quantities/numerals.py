"""The parts of a written number: its currency, sign, digits and scale as patterns, and what a match of them says.

Cells (values) and prose (prose_numbers) are matched by patterns of their own, which name these parts alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from mixrag_cli.quantities.unit_words import (
    CURRENCY_CODES,
    CURRENCY_OF,
    CURRENCY_SYMBOLS,
    SCALE_OF,
    unit_as_written,
)

MAX_DIGITS = 40  # 400-digit "numbers" are test data or keys
ID_DIGITS = 15  # plain digit strings from here on are card, account or order numbers (and beyond a float's precision)
BEFORE = rf"{CURRENCY_SYMBOLS}|(?:{CURRENCY_CODES}|rs)\b\.?"
AFTER = rf"[€£¥₹₩₽$]|(?:{CURRENCY_CODES}|euros?|dollars?|pounds|yen|rupees|yuan|renminbi)\b"


@dataclass(frozen=True, slots=True)
class Value:
    """A number as written.

    value: -1234 for "(1,234)", 35.3 for "35.3 %", 12.4 for "12.4 million"; None where the text is no number.
    Multiply by scale for base units. unit: "%", "pp" (percentage points), "bp", an ISO currency, a measure or "".
    is_nil: a dash standing for nothing; its value is 0.
    """

    value: Decimal | None
    unit: str = ""
    scale: int = 1
    text: str = ""
    is_nil: bool = False


def signs_of(match: re.Match[str]) -> str:
    """The signs before and after the digits, as plain hyphens and pluses."""
    signs = (match["sign"] or "") + (match["sign2"] or "") + (match["trailing"] or "")
    return signs.replace("−", "-").replace("–", "-")


def is_quantity(match: re.Match[str]) -> bool:
    """Whether a currency, scale or unit stands with the digits: it is an amount, and no year or key."""
    return any(match[name] for name in ("before", "after", "scale", "percent", "points", "basis", "measure"))


def is_identifier(digits: str) -> bool:
    """Long plain digit strings and strings with leading zeros are names of things, not amounts."""
    return digits.isdigit() and (len(digits) >= ID_DIGITS or (len(digits) > 1 and digits[0] == "0"))


def scale_of(match: re.Match[str]) -> int | None:
    """The multiplier of the scale word, 1 without one; None where the word is as likely a measure."""
    word = (match["scale"] or "").lower()
    if not word:
        return 1
    glued = match.start("scale") == max(match.end("digits"), match.end("trailing"))
    if len(word) == 1 and not glued and not match["before"]:
        return None  # "5 m" is as likely metres as millions
    return SCALE_OF[word]


def unit_of(match: re.Match[str]) -> str:
    """ "pp", "%", "bp", an ISO currency or a measure; "" where none stands with the digits."""
    for name, unit in (("points", "pp"), ("percent", "%"), ("basis", "bp")):
        if match[name]:
            return unit
    word = (match["before"] or match["after"] or "").lower().rstrip(".") if match["before"] or match["after"] else ""
    if word:
        return CURRENCY_OF.get(word, "")
    return unit_as_written(match["measure"] or "")


def digits_to_decimal(digits: str, decimal_mark: str | None, exponent: str = "") -> Decimal | None:
    """Digits with thousands and decimal marks to a Decimal; None where the marks make no sense."""
    digits = digits.replace("’", "'")
    if re.search(r"[ ']", digits):
        if not re.match(r"^\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?$", digits):
            return None
        digits = re.sub(r"[ ']", "", digits)
    plain = _resolve_marks(digits, decimal_mark)
    if plain is None or sum(ch.isdigit() for ch in plain) > MAX_DIGITS:
        return None
    try:
        return Decimal(plain + exponent)
    except InvalidOperation:
        return None


def _resolve_marks(digits: str, decimal_mark: str | None) -> str | None:
    dot, comma = digits.rfind("."), digits.rfind(",")
    if dot < 0 and comma < 0:
        return digits
    if dot >= 0 and comma >= 0:
        mark = "." if dot > comma else ","
    else:
        mark = _lonely_mark(digits, "." if dot >= 0 else ",", decimal_mark)
    other = "," if mark == "." else "."
    whole, _, fraction = digits.partition(mark)
    if mark in fraction or other in fraction:
        return None
    if other in whole and not re.match(rf"^\d{{1,3}}(?:{re.escape(other)}\d{{2,3}})*{re.escape(other)}\d{{3}}$", whole):
        return None
    return whole.replace(other, "") + ("." + fraction if fraction else "")


def _lonely_mark(digits: str, mark: str, decimal_mark: str | None) -> str:
    """Which mark is the decimal one when only one kind occurs: "1,234" is ambiguous, "12,5" and "1,234,567" are not."""
    other = "," if mark == "." else "."
    if digits.count(mark) > 1:
        return other
    in_threes = re.match(rf"^[1-9]\d{{0,2}}{re.escape(mark)}\d{{3}}$", digits) is not None
    if not in_threes:
        return mark
    return decimal_mark or "."
