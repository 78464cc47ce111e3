"""Numbers as people write them: value, sign, unit and scale out of cells, headers and prose.

Everything is Decimal; nothing is ever guessed from a float. A text that is not wholly a number is not a number:
ranges, dates, identifiers and footnotes are told apart, never half parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Literal

from mixrag_cli.tables.periods import DATE, FIRST_YEAR, FOOTNOTE, LAST_YEAR, SPACES, SUPERSCRIPTS, kind_of_period

CellKind = Literal["blank", "nil", "missing", "number", "year", "date", "range", "text"]

MAX_NUMBER_CHARS = 80  # a written number with currency, scale and footnotes; longer cells are prose or data dumps
MAX_DIGITS = 40  # 400-digit "numbers" are test data or keys
ID_DIGITS = 15  # plain digit strings from here on are card, account or order numbers (and beyond a float's precision)
PROSE_FIRST_YEAR, PROSE_LAST_YEAR = 1900, 2100  # in prose a plain "1600" is more often a quantity

CURRENCY_OF = {
    "us$": "USD", "usd": "USD", "u.s.$": "USD", "$": "USD", "c$": "CAD", "ca$": "CAD", "cad": "CAD", "a$": "AUD",
    "au$": "AUD", "aud": "AUD", "nz$": "NZD", "nzd": "NZD", "hk$": "HKD", "hkd": "HKD", "s$": "SGD", "sgd": "SGD",
    "r$": "BRL", "brl": "BRL", "€": "EUR", "eur": "EUR", "£": "GBP", "gbp": "GBP", "¥": "JPY", "jpy": "JPY",
    "rmb": "CNY", "cny": "CNY", "₹": "INR", "inr": "INR", "rs": "INR", "₩": "KRW", "krw": "KRW", "₽": "RUB",
    "rub": "RUB", "chf": "CHF", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "zar": "ZAR", "mxn": "MXN",
    "euros": "EUR", "euro": "EUR", "dollars": "USD", "dollar": "USD", "pounds": "GBP", "yen": "JPY",
    "rupees": "INR", "yuan": "CNY", "renminbi": "CNY",
}  # fmt: skip
SCALE_OF = {
    "thousand": 10**3, "thousands": 10**3, "k": 10**3, "million": 10**6, "millions": 10**6, "mn": 10**6, "mm": 10**6,
    "mio": 10**6, "m": 10**6, "billion": 10**9, "billions": 10**9, "bn": 10**9, "b": 10**9, "trillion": 10**12,
    "trillions": 10**12, "tn": 10**12, "lakh": 10**5, "lakhs": 10**5, "crore": 10**7, "crores": 10**7,
}  # fmt: skip
PERCENT = r"%|per\s?cent(?!age)|pct\.?"
POINTS = r"percentage[ -]points?|%[ -]?points?|p\.p\.|ppts?|pp"
BASIS = r"basis[ -]points?|bps?"
MEASURES = (
    r"kg|mg|g|tonnes?|tons?|km|cm|mm|mi|miles?|ft|kwh|mwh|gwh|twh|kw|mw|gw|kcal|°c|°f|ha|hectares|acres|ml|l|"
    r"years?|months?|weeks?|days?|hours?|minutes?|seconds?|shares|x"
)
_CODES = r"usd|eur|gbp|jpy|cny|rmb|cad|aud|chf|inr|krw|rub|sek|nok|dkk|pln|zar|mxn|nzd|hkd|sgd|brl"
_SYMBOLS = r"(?:us|u\.s\.|ca|c|au|a|nz|hk|s|r)?\$|[€£¥₹₩₽]"
_BEFORE = rf"{_SYMBOLS}|(?:{_CODES}|rs)\b\.?"
_AFTER = rf"[€£¥₹₩₽$]|(?:{_CODES}|euros?|dollars?|pounds|yen|rupees|yuan|renminbi)\b"
_DIGITS = r"\d[\d.,' ]*\d|\.?\d+"
_EXPONENT = r"(?:e[+-]\d{1,3})|(?<=\.\d)e\d{1,3}|(?<=\.\d\d)e\d{1,3}"
_DASHES = "-–—−‐‑‒―"
_QUALITY_FLAG = re.compile(r"(?<=[\d%])[EFrpe]$")  # statistical offices: revised, preliminary, use with caution
_TWICE = re.compile(r"^(?P<first>.*?\d[\d.,]*\s?%?)\s*\(\s*(?P<again>[\d.,]+)\s?%?\s*\)$")

_PLAIN = re.compile(r"^-?\d{1,20}(?:\.\d{1,20})?$")  # as machines write numbers: most cells, worth a short way
_HAS_DIGIT = re.compile(r"\d")
_CELL_NUMBER = re.compile(
    rf"""^(?P<sign>[-+−–])?\s?(?P<before>{_BEFORE})?\s?(?P<sign2>[-+−–])?\s?(?P<digits>{_DIGITS})(?P<exponent>{_EXPONENT})?
    (?P<trailing>-(?=$))?\s?(?P<scale>thousands?|millions?|billions?|trillions?|mio|mn|mm|bn|tn|[kmb])?\.?
    \s?(?:(?P<after>{_AFTER})|(?P<points>{POINTS})|(?P<percent>{PERCENT})|(?P<basis>{BASIS})|(?P<measure>{MEASURES}))?$""",
    re.I | re.X,
)
_NIL = re.compile(rf"^(?:{_BEFORE})?\s?\(?[{_DASHES}]{{1,3}}\)?\s?(?:{PERCENT}|{_AFTER})?$", re.I)
_MISSING = re.compile(
    r"^(?:n\.?/?a\.?|n\.?/?m\.?|not (?:available|applicable|meaningful)|nan|null|none|nil|\.{1,3}|…|x|\?|"
    r"[-+]?(?:1\.#(?:inf|ind|qnan)|inf|infinity)|#(?:n/a|ref!|div/0!|value!|name\?|num!|null!))$",
    re.I,
)
_RANGE = re.compile(
    rf"^(?:{_BEFORE})?\s?\d[\d.,]*\s?%?\s?(?:[{_DASHES}]|to|through|\.\.)\s?(?:{_BEFORE})?\s?\d[\d.,]*\s?(?:{PERCENT}|\w{{1,12}})?$",
    re.I,
)


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


def parse_value(
    text: str, *, number: Decimal | None = None, is_percent: bool = False, decimal_mark: str | None = None
) -> Value:
    """The number that a whole cell says, or a Value without value.

    Example: "(1,234)" -> -1234; "35.3 %" -> 35.3 "%"; "$ 12.4 million" -> 12.4 "USD" scale 1,000,000.

    number: what the format stores, which wins over the text; is_percent: the stored 0.353 is shown as 35.3 %.
    decimal_mark: "." or "," where the column tells (see find_decimal_mark); else each text decides for itself.
    """
    if number is not None and number.is_finite():
        written = _parse_short(text, decimal_mark) if len(text) <= MAX_NUMBER_CHARS else Value(None)
        if is_percent:
            return Value(_without_trailing_zeros(number * 100), "%", 1, text)
        return Value(number, written.unit if written.unit != "%" else "", 1, text)
    return _parse_short(text, decimal_mark) if len(text) <= MAX_NUMBER_CHARS else Value(None, text=text)


@lru_cache(maxsize=16_384)
def _parse_short(text: str, decimal_mark: str | None) -> Value:
    if decimal_mark != "," and _PLAIN.match(text) and not _is_identifier(text):
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
    value = _digits_to_decimal(match["digits"], decimal_mark, match["exponent"] or "")
    if value is None or (not _is_quantity(match) and _is_identifier(match["digits"])):
        return nothing
    sign = -1 if negative or "-" in _signs(match) else 1
    scale = _scale_of(match)
    if scale is None:
        return nothing
    return Value(value * sign, _unit_of(match), scale, text)


def _strip_marks(text: str) -> str:
    """Drop footnote marks glued to a number: "1,234(1)", "1,234*", "12.5 %²", "5.3E"."""
    text = SUPERSCRIPTS.sub("", text).strip() if re.search(r"\d", text) else text
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
    opened = re.match(rf"^(?:{_BEFORE})?\s?\(", text, re.I)
    if opened is None or text.count("(") > 1 or text.count(")") > 1:
        return False, text
    return True, SPACES.sub(" ", text.replace("(", " ").replace(")", " ")).strip()


def _signs(match: re.Match[str]) -> str:
    signs = (match["sign"] or "") + (match["sign2"] or "") + (match["trailing"] or "")
    return signs.replace("−", "-").replace("–", "-")


def _is_quantity(match: re.Match[str]) -> bool:
    return any(match[name] for name in ("before", "after", "scale", "percent", "points", "basis", "measure"))


def _is_identifier(digits: str) -> bool:
    """Long plain digit strings and strings with leading zeros are names of things, not amounts."""
    return digits.isdigit() and (len(digits) >= ID_DIGITS or (len(digits) > 1 and digits[0] == "0"))


def _scale_of(match: re.Match[str]) -> int | None:
    word = (match["scale"] or "").lower()
    if not word:
        return 1
    glued = match.start("scale") == max(match.end("digits"), match.end("trailing"))
    if len(word) == 1 and not glued and not match["before"]:
        return None  # "5 m" is as likely metres as millions
    return SCALE_OF[word]


def _unit_of(match: re.Match[str]) -> str:
    for name, unit in (("points", "pp"), ("percent", "%"), ("basis", "bp")):
        if match[name]:
            return unit
    word = (match["before"] or match["after"] or "").lower().rstrip(".") if match["before"] or match["after"] else ""
    if word:
        return CURRENCY_OF.get(word, "")
    return (match["measure"] or "").lower()


def _unit_of_nil(text: str) -> str:
    if "%" in text:
        return "%"
    word = text.strip(_DASHES + "() ").lower()
    return CURRENCY_OF.get(word, "")


def _digits_to_decimal(digits: str, decimal_mark: str | None, exponent: str = "") -> Decimal | None:
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


def find_decimal_mark(texts: Iterable[str]) -> str | None:
    """The decimal mark that the texts of one column or table agree on, or None.

    Example: ["1.234,56", "12,5"] -> ","; ["1,234", "5,678"] -> None (either reading fits).
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
    best = max(votes, key=lambda mark: votes[mark])
    return best if votes[best] > 4 * votes["," if best == "." else "."] else None


def kind_of(text: str) -> CellKind:
    """What a cell's text is: the ground on which headers and data are told apart.

    Example: "2019" -> "year"; "Q3 2022" -> "date"; "5-10 %" -> "range"; "n/a" -> "missing"; "—" -> "nil".
    """
    plain = text.strip()
    if not plain:
        return "blank"
    if len(plain) > MAX_NUMBER_CHARS:
        return "text"
    return _kind_of_short(plain)


@lru_cache(maxsize=16_384)
def _kind_of_short(text: str) -> CellKind:
    if _PLAIN.match(text):
        if len(text) == 4 and text.isdigit() and FIRST_YEAR <= int(text) <= LAST_YEAR:
            return "year"
        return "text" if _is_identifier(text) else "number"
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
    return "range" if _RANGE.match(plain) else "text"


_HEADER_SCALE = re.compile(
    r"(?:\bin\s*|[($€£¥]\s?|\b|(?<=[$€£]))(?P<word>thousands?|millions?|billions?|trillions?)\b"
    rf"|(?:{_SYMBOLS}|{_CODES})\s?(?P<short>mn|mm|bn|tn|m|b|k)\b|(?<![\w,.])(?P<zeros>000(?:,?000)?)(?:[’']?s)?\b",
    re.I,
)
_HEADER_PERCENT = re.compile(rf"(?<![\d.])(?<!\d\s)(?:{PERCENT})|\bpercentages?\b", re.I)
_HEADER_CURRENCY = re.compile(
    rf"(?P<symbol>{_SYMBOLS})|\b(?P<word>{_CODES}|euros?|(?:u\.?s\.? |canadian |australian )?dollars?"
    r"|pounds sterling|yen|rupees|yuan|renminbi)\b",
    re.I,
)
_DOLLARS_OF = {"canadian": "CAD", "australian": "AUD"}


def find_unit_and_scale(text: str) -> tuple[str, int]:
    """The unit and scale that a caption, a header or a unit row gives to the numbers below it.

    Example: "(in millions)" -> ("", 1000000); "percent" -> ("%", 1); "US$ '000" -> ("USD", 1000).
    """
    scale = 1
    if found := _HEADER_SCALE.search(text):
        zeros = (found["zeros"] or "").replace(",", "")
        scale = 10 ** len(zeros) if zeros else SCALE_OF[(found["word"] or found["short"]).lower()]
    for pattern, unit in ((POINTS, "pp"), (r"basis[ -]points?|\bbps\b", "bp")):
        if re.search(rf"(?:{pattern})(?!\w)", text, re.I):
            return unit, scale
    if _HEADER_PERCENT.search(text):
        return "%", scale
    currency = _HEADER_CURRENCY.search(text)
    if currency is None:
        return "", scale
    word = (currency["symbol"] or currency["word"]).lower()
    if word.endswith(("dollar", "dollars")):
        return _DOLLARS_OF.get(word.split()[0], "USD"), scale
    return CURRENCY_OF.get(word, "GBP" if "sterling" in word else ""), scale


_PROSE_NUMBER = re.compile(
    rf"""(?<![\w.,/’'-])(?P<sign>(?<!\S)[-−–+]|(?<=\()[-−])?(?P<before>{_BEFORE})?\s?(?P<open>\()?(?P<sign2>[-−])?
    (?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?:[\u00a0\u202f’']\d{{3}})+(?:[.,]\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?P<exponent>e[+-]\d{{1,3}})?(?(open)\)|)(?P<trailing>)
    (?:(?:[\s-]?(?=\w\w)|(?(before)\s?|))(?P<scale>thousand|million|billion|trillion|mn|bn|tn|[kmb])\b)?
    (?:\s?(?P<after>{_AFTER})|[\s-]?(?P<points>{POINTS})(?!\w)|\s?(?P<percent>{PERCENT})(?!\w)|[\s-]?(?P<basis>{BASIS})(?!\w)|\s(?P<measure>{MEASURES})\b)?
    (?![\w%]|[.,]\d|-\w)""",
    re.I | re.X,
)
_REFERENCE = re.compile(
    r"(?:\b(?:notes?|items?|pages?|tables?|figures?|sections?|chapters?|parts?|exhibits?|rules?|forms?|articles?|appendix|"
    r"levels?|steps?|no\.?|nos\.?|topic|asu|asc|ifrs|ias)\s|#\s?)$",
    re.I,
)
_QUANTITY_WORD = re.compile(
    r"\b(?:over|about|than|approximately|least|nearly|some|around|almost|most|total of|only)\s$", re.I
)
_LIST_MARK = re.compile(r"^\s*\d{1,2}[.)]\s", re.M)
_SPAN_RANGE = re.compile(r"(?<![\w.,/-])\d[\d.,]*\s?%?\s?[–-]\s?\d[\d.,]*\s?%?(?![\w-])")


def find_numbers(text: str) -> list[tuple[int, int, Value]]:
    """The numbers of a prose text as (start, end, value), in order.

    Dates, years, ranges, list marks, enumerations "(1)" and references ("Note 5") are not numbers here.
    Example: "rose 12.4 % to $1.2 billion in 2019" -> 12.4 "%" and 1.2 "USD" scale 1,000,000,000.
    """
    taken = sorted(m.span() for pattern in (DATE, _LIST_MARK, _SPAN_RANGE) for m in pattern.finditer(text))
    return [found for match in _outside(taken, text) if (found := _prose_match_to_value(match, text)) is not None]


def _outside(taken: list[tuple[int, int]], text: str) -> Iterator[re.Match[str]]:
    """The number matches that touch none of the taken spans; one pass over both, as both are in order."""
    at = 0
    reached = 0
    for match in _PROSE_NUMBER.finditer(text):
        while at < len(taken) and taken[at][0] < match.end("digits"):
            reached = max(reached, taken[at][1])
            at += 1
        if match.start("digits") >= reached:
            yield match


def _prose_match_to_value(match: re.Match[str], text: str) -> tuple[int, int, Value] | None:
    before = text[max(0, match.start() - 16) : match.start()]
    digits = match["digits"]
    plain = not _is_quantity(match)
    if plain and (_REFERENCE.search(before) or _is_identifier(digits) or _is_prose_year(digits, before)):
        return None
    if match["open"] and not match["before"]:
        return None  # "(1)" is an enumeration; "(12.5)" is told from it only by a currency in front
    value = _digits_to_decimal(digits.replace("\u00a0", " ").replace("\u202f", " "), None, match["exponent"] or "")
    scale = _scale_of(match)
    if value is None or (
        plain and before.endswith("(") and text[match.end() : match.end() + 1] == ")" and len(digits) < 3
    ):
        return None
    end = match.end()
    if scale is None:  # a measure that looks like a scale: keep the number without it
        scale, end = 1, match.end("digits")
    sign = -1 if match["open"] or "-" in _signs(match) else 1
    found = Value(value * sign, _unit_of(match), scale, text[match.start() : end].strip())
    start = match.start() + (len(text[match.start() : end]) - len(text[match.start() : end].lstrip()))
    return start, end, replace(found, text=text[start:end])


def _is_prose_year(digits: str, before: str) -> bool:
    if not re.fullmatch(r"\d{4}", digits) or not PROSE_FIRST_YEAR <= int(digits) <= PROSE_LAST_YEAR:
        return False
    return _QUANTITY_WORD.search(before) is None
