"""Numbers as people write them in cells: value, sign, unit and scale; and what kind of thing a cell's text is.

Everything is Decimal; nothing is ever guessed from a float. A text that is not wholly a number is not a number:
ranges, dates, identifiers and footnotes are told apart, never half parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from mixrag_cli.quantities.numerals import (
    AFTER,
    BEFORE,
    Value,
    digits_to_decimal,
    is_identifier,
    is_quantity,
    scale_of,
    signs_of,
    unit_of,
)
from mixrag_cli.quantities.periods import FIRST_YEAR, FOOTNOTE, LAST_YEAR, SPACES, SUPERSCRIPTS, kind_of_period
from mixrag_cli.quantities.unit_words import BASIS, CURRENCY_OF, MEASURES, PERCENT, POINTS

CellKind = Literal["blank", "nil", "missing", "number", "year", "date", "range", "text"]

# Texts whose reading is remembered: all cells of the largest table that is held whole. Each is read four times, row by
# row and column by column; with fewer, none is found again. Some 40 MB in a process that reads.
REMEMBERED_TEXTS = 131_072
MAX_NUMBER_CHARS = 80  # a written number with currency, scale and footnotes; longer cells are prose or data dumps
_DIGITS = r"\d[\d.,'’ ]*\d|\.?\d+"
_EXPONENT = r"(?:e[+-]\d{1,3})|(?<=\.\d)e\d{1,3}|(?<=\.\d\d)e\d{1,3}"
_DASHES = "-–—−‐‑‒―"
_QUALITY_FLAG = re.compile(r"(?<=[\d%])[EFrpe]$")  # statistical offices: revised, preliminary, use with caution
_ROUGHLY = re.compile(r"^[~∼≈]\s?(?=\D{0,3}\d)")
_RAISED_MARKS = re.compile(rf"(?![²³]/){SUPERSCRIPTS.pattern}")  # but not the exponent of "m³/h"
_TWICE = re.compile(r"^(?P<first>.*?\d[\d.,]*\s?%?)\s*\(\s*(?P<again>[\d.,]+)\s?%?\s*\)$")

_DURATION = re.compile(r"^-?\d{1,9}:\d\d(?::\d\d)?$")
_PLAIN = re.compile(r"^-?\d{1,20}(?:\.\d{1,20})?$")  # as machines write numbers: most cells, worth a short way
_HAS_DIGIT = re.compile(r"\d")
_MONEY_MM = rf"(?(before)mm|mm(?=\s?(?:{AFTER})))"  # millions of a currency; "75mm" is a length
_SCALES = r"thousands?|millions?|billions?|trillions?|mio|mn|bn|tn|[kmb]"
_CELL_NUMBER = re.compile(
    rf"""^(?P<sign>[-+−–])?\s?(?P<before>{BEFORE})?\s?(?P<sign2>[-+−–])?\s?(?P<digits>{_DIGITS})(?P<exponent>{_EXPONENT})?
    (?P<trailing>-(?=$))?\s?(?P<scale>{_MONEY_MM}|(?!(?:{MEASURES})$)(?:{_SCALES}))?\.?
    \s?(?:(?P<after>{AFTER})|(?P<points>{POINTS})|(?P<percent>{PERCENT})|(?P<basis>{BASIS})|(?P<measure>{MEASURES}))?$""",
    re.I | re.X,
)
_NIL = re.compile(rf"^(?:{BEFORE})?\s?\(?[{_DASHES}]{{1,3}}\)?\s?(?:{PERCENT}|{AFTER})?$", re.I)
_MISSING = re.compile(
    r"^(?:n\.?/?a\.?|n\.?/?m\.?|not (?:available|applicable|meaningful)|nan|null|none|nil|\.{1,3}|…|x|\?|"
    r"\[(?:[cxz]|low)\]|"  # in place of a figure: Government Analysis Function, "Symbols in tables"
    r"[-+]?(?:1\.#(?:inf|ind|qnan)|inf|infinity)|#(?:n/a|ref!|div/0!|value!|name\?|num!|null!))$",
    re.I,
)
_RANGE = re.compile(
    rf"^(?:{BEFORE})?\s?\d[\d.,]*\s?%?\s?(?:[{_DASHES}]|to|through|\.\.)\s?(?:{BEFORE})?\s?\d[\d.,]*\s?(?:{PERCENT}|\w{{1,12}})?$",
    re.I,
)
_FIGURE = r"[-+−–]?(?:\d[\d.,]*|\.\d+)\s?%?"
_BOUNDS = rf"{_FIGURE}(?:\s?(?:[,;{_DASHES}]|to)\s?{_FIGURE})?"
_WITH_ASIDE = re.compile(
    rf"^(?!(?:19|20)\d\d\b){_FIGURE}\s?(?:(?:±|\+/[-−–])\s?{_FIGURE}(?:\s?[(\[]{_BOUNDS}[)\]])?|[(\[]{_BOUNDS}[)\]])$"
)


def parse_value(
    text: str, *, number: Decimal | None = None, is_percent: bool = False, decimal_mark: str | None = None
) -> Value:
    """The number that a whole cell says, or a Value without value.

    Example: "(1,234)" -> -1234; "35.3 %" -> 35.3 "%"; "$ 12.4 million" -> 12.4 "USD" scale 1,000,000.

    number: what the format stores, which wins over the text; is_percent: the stored 0.353 is shown as 35.3 %. A number
    that is shown as "37:30" is one of hours.
    decimal_mark: "." or "," where the column tells (see find_decimal_mark); else each text decides for itself.
    """
    if number is not None and number.is_finite():
        written = _parse_short(text, decimal_mark) if len(text) <= MAX_NUMBER_CHARS else Value(None)
        if is_percent:
            return Value(_without_trailing_zeros(number * 100), "%", 1, text)
        unit = "hours" if _DURATION.match(text) else written.unit
        return Value(number, unit if unit != "%" else "", 1, text)
    return _parse_short(text, decimal_mark) if len(text) <= MAX_NUMBER_CHARS else Value(None, text=text)


@lru_cache(maxsize=REMEMBERED_TEXTS)
def _parse_short(text: str, decimal_mark: str | None) -> Value:
    if decimal_mark != "," and _PLAIN.match(text) and not is_identifier(text):
        return Value(Decimal(text), text=text)
    return _parse_text(text, decimal_mark)


def _without_trailing_zeros(value: Decimal) -> Decimal:
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()


def _parse_text(text: str, decimal_mark: str | None) -> Value:
    nothing = Value(None, text=text)
    if not text or len(text) > MAX_NUMBER_CHARS or not any(ch.isdigit() or ch in _DASHES for ch in text):
        return nothing
    plain = _strip_marks(SPACES.sub(" ", text).strip())
    if _NIL.match(plain):
        return Value(Decimal(0), _unit_of_nil(plain), 1, text, is_nil=True)
    if _MISSING.match(plain) or kind_of_period(plain) == "date":
        return nothing
    negative, plain = _strip_parentheses(plain)
    match = _CELL_NUMBER.match(plain)
    if match is None:
        return nothing
    value = digits_to_decimal(match["digits"], decimal_mark, match["exponent"] or "")
    if value is None or _is_code(match) or (is_identifier(match["digits"]) and not is_quantity(match)):
        return nothing
    sign = -1 if negative or "-" in signs_of(match) else 1
    scale = scale_of(match)
    if scale is None:
        return nothing
    return Value(value * sign, unit_of(match), scale, text)


def _is_code(match: re.Match[str]) -> bool:
    """Whether a currency's letters, a hyphen and digits alone make one word, a key: "RS-101" is an article, no debt.

    An amount has a blank on one side of its sign, or a mark among its digits: "EUR -500", "EUR-1,500".
    """
    before, digits = match["before"], match["digits"]
    is_one_word = match["sign2"] == "-" and match.start("digits") - match.end("before") == 1
    return before is not None and before.isalpha() and is_one_word and digits.isdigit()


def _strip_marks(text: str) -> str:
    """Drop footnote marks glued to a number: "1,234(1)", "1,234*", "12.5 %²", "5.3E"; and "~", that it is rough."""
    text = _ROUGHLY.sub("", text)
    text = _RAISED_MARKS.sub("", text).strip() if re.search(r"\d", text) else text
    if not text.startswith("("):
        text = FOOTNOTE.sub("", text)
    elif re.search(r"\)\s?\(\w{1,2}\)$", text):
        text = text[: text.rindex("(")].strip()
    return _QUALITY_FLAG.sub("", text)


def _strip_parentheses(text: str) -> tuple[bool, str]:
    """(is negative, text without the accountant's parentheses); a half that a PDF cut off counts as whole."""
    if (twice := _TWICE.match(text)) and re.sub(r"[^\d.]", "", twice["first"]) == re.sub(r"[^\d.]", "", twice["again"]):
        return False, twice["first"].strip()  # "-4.4 ( 4.4 )" says the same number twice
    if "(" not in text:
        return False, text
    opened = re.match(rf"^(?:{BEFORE})?\s?\(", text, re.I)
    if opened is None or text.count("(") > 1 or text.count(")") > 1:
        return False, text
    return True, SPACES.sub(" ", text.replace("(", " ").replace(")", " ")).strip()


def _unit_of_nil(text: str) -> str:
    if "%" in text:
        return "%"
    word = text.strip(_DASHES + "() ").lower()
    return CURRENCY_OF.get(word, "")


def find_decimal_mark(texts: Iterable[str], default: str | None = None) -> str | None:
    """The decimal mark that the texts of one column or table agree on, or None. default: where no text tells.

    Example: ["1.234,56", "12,5"] -> ","; ["1,234", "5,678"] -> the default (either reading fits).
    """
    votes = {".": 0, ",": 0}
    for text in texts:
        plain = re.sub(r"[^\d.,]", "", text)
        if not re.search(r"\d[.,]\d", plain) or len(plain) > MAX_NUMBER_CHARS:
            continue
        mark = "." if plain.rfind(".") > plain.rfind(",") else ","
        other = "," if mark == "." else "."
        if other in plain or (plain.count(mark) == 1 and not re.match(r"^[1-9]\d{0,2}[.,]\d{3}$", plain)):
            votes[mark] += 1
        elif plain.count(mark) > 1:
            votes[other] += 1
    if not any(votes.values()):
        return default
    best = max(votes, key=lambda mark: votes[mark])
    return best if votes[best] > 4 * votes["," if best == "." else "."] else None


def is_figure_with_aside(text: str) -> bool:
    """Whether a text is a figure and behind it its share, its deviation or its bounds, which have no one value.

    Example: "5,502 (46.9%)", "24.1 ± 33.4", "1.2 [0.8, 1.5]"; no year is such a figure.
    """
    return text[-1:] in ")]0123456789%" and _WITH_ASIDE.match(text) is not None


def kind_of(text: str) -> CellKind:
    """What a cell's text is: the ground on which headers and data are told apart.

    Example: "2019" -> "year"; "Q3 2022" -> "date"; "5-10 %" -> "range"; "n/a" -> "missing"; "—" -> "nil";
    "12 (3.4%)" -> "number".
    """
    plain = text.strip()
    if not plain:
        return "blank"
    if len(plain) > MAX_NUMBER_CHARS:
        return "text"
    return _kind_of_short(plain)


@lru_cache(maxsize=REMEMBERED_TEXTS)
def _kind_of_short(text: str) -> CellKind:
    if _PLAIN.match(text):
        if len(text) == 4 and text.isdigit() and FIRST_YEAR <= int(text) <= LAST_YEAR:
            return "year"
        return "text" if is_identifier(text) else "number"
    plain = SPACES.sub(" ", text).strip()
    if not _HAS_DIGIT.search(plain):
        return "nil" if _NIL.match(plain) else "missing" if _MISSING.match(plain) else "text"
    if period := kind_of_period(plain):
        return period
    value = _parse_text(plain, None)
    if value.is_nil:
        return "nil"
    if value.value is not None:
        return "number"
    if _MISSING.match(plain):
        return "missing"
    if is_figure_with_aside(plain):
        return "number"
    return "range" if _RANGE.match(plain) else "text"
