"""Whether a text says only numbers that are known: that were quoted, computed or asked with, or round a computed one.

Nothing here asks a model or measures likeness: each check is true or false, as those of quotes.py.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal, localcontext

from mixrag_cli.quantities.numerals import Value
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.quantities.values import parse_value

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
MAX_NUMBER_CHARS = 60


def numbers_in(text: str) -> list[Decimal]:
    """Every run of digits of the text as a number without its sign, whatever it is part of; NaN for one too long.

    Example: numbers_in("rose 1,234.50 to x9") -> [1234.50, 9].
    """
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in plain)
    runs = (match.group().replace(",", "") for match in _NUMBER.finditer(plain))
    return [Decimal(run if len(run) <= MAX_NUMBER_CHARS else "NaN") for run in runs]


def only_number(text: str) -> Value | None:
    """The one number of a text, with its unit and scale; None of a text with none or several."""
    whole = parse_value(text)
    found = [whole] if whole.value is not None else [number for _, _, number in find_numbers(text)]
    return found[0] if len(found) == 1 else None


def says_number(text: str, values: Iterable[Decimal]) -> bool:
    """Whether the text's one number is one of the values or rounds it, signs apart."""
    said = only_number(text)
    if said is None or said.value is None:
        return False
    number = abs(said.value)
    return any(is_rounding_of(number, abs(value)) for value in values)


def unsupported_numbers(text: str, said: Iterable[str], computed: Iterable[Decimal] = ()) -> tuple[str, ...]:
    """The numbers of the text that none of the texts said and that round no computed value."""
    known = {abs(number) for each in said for number in numbers_in(each)}
    values = [abs(value) for value in computed]
    return tuple(
        str(number)
        for number in numbers_in(text)
        if number.is_nan() or not (number in known or any(is_rounding_of(number, value) for value in values))
    )


def is_rounding_of(number: Decimal, value: Decimal) -> bool:
    """Whether the number is the value at the number's own precision. Example: 12.4 rounds 12.38; 12.5 does not."""
    if number == value:
        return True
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or exponent > 0 or value.adjusted() > MAX_NUMBER_CHARS:
        return False
    with localcontext() as context:
        context.prec = 2 * MAX_NUMBER_CHARS
        return bool(number) and value.quantize(Decimal(1).scaleb(exponent), rounding=ROUND_HALF_UP) == number
