"""Currencies, scales and measures as people write them, and what a text beside numbers says of their unit."""

from __future__ import annotations

import re
from functools import lru_cache

CURRENCY_OF = {
    "us$": "USD", "usd": "USD", "u.s.$": "USD", "$": "USD", "c$": "CAD", "ca$": "CAD", "cad": "CAD", "a$": "AUD",
    "au$": "AUD", "aud": "AUD", "nz$": "NZD", "nzd": "NZD", "hk$": "HKD", "hkd": "HKD", "s$": "SGD", "sgd": "SGD",
    "r$": "BRL", "brl": "BRL", "€": "EUR", "eur": "EUR", "£": "GBP", "gbp": "GBP", "¥": "JPY", "jpy": "JPY",
    "rmb": "CNY", "cny": "CNY", "₹": "INR", "inr": "INR", "rs": "INR", "₩": "KRW", "krw": "KRW", "₽": "RUB",
    "rub": "RUB", "chf": "CHF", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "zar": "ZAR", "mxn": "MXN",
    "euros": "EUR", "euro": "EUR", "dollars": "USD", "dollar": "USD", "pounds": "GBP", "yen": "JPY",
    "rupees": "INR", "yuan": "CNY", "renminbi": "CNY", "ringgit": "MYR", "myr": "MYR", "rupiah": "IDR", "idr": "IDR",
    "baht": "THB", "thb": "THB", "rand": "ZAR", "kronor": "SEK", "zloty": "PLN",
}  # fmt: skip
CURRENCIES = frozenset(CURRENCY_OF.values())
SCALE_OF = {
    "thousand": 10**3, "thousands": 10**3, "k": 10**3, "million": 10**6, "millions": 10**6, "mn": 10**6, "mm": 10**6,
    "mio": 10**6, "m": 10**6, "billion": 10**9, "billions": 10**9, "bn": 10**9, "b": 10**9, "trillion": 10**12,
    "trillions": 10**12, "tn": 10**12, "lakh": 10**5, "lakhs": 10**5, "crore": 10**7, "crores": 10**7,
}  # fmt: skip
PERCENT = r"%|per\s?cent(?!age)|pct\.?"
POINTS = r"percentage[ -]points?|%[ -]?points?|p\.p\.|ppts?|pp"
BASIS = r"basis[ -]points?|bps?"
_MEASURE_WORDS = (
    r"kg|mg|g|tonnes?|tons?|km|cm|mm|mi|miles?|ft|kwh|mwh|gwh|twh|kw|mw|gw|kcal|°c|°f|ha|hectares|acres|ml|l|"
    r"years?|months?|weeks?|days?|hours?|minutes?|seconds?|shares|x|‰"
)
# By their capitals, and what is done in a time. "90s" and "1990s" are decades.
_SYMBOLS = (
    r"(?-i:[nuµμm]s|(?<!\b\d0)(?<!\b\d{3}0)s|[hV]|[kKMGT]B|[KMGT]i[Bb]|[kMG]?bps|[kMG]?Hz|[mkM]V|m?Ah|[µμm]A|[kM]?J|"
    r"[hkM]?Pa|dBm?|[rp]pm|px|oz|lbs?)|bytes|[a-z°µμ²³]{1,8}/(?:s|sec|min|h|hr|day)"
)
MEASURES = rf"{_SYMBOLS}|{_MEASURE_WORDS}"
# Written as it stands, since mW is no MW: a capital behind a small letter, or a symbol of the SI that begins with one.
_SYMBOL = re.compile(
    r"[a-zµ]+[A-Z][A-Za-z]*$|[MGT]?Wh$|[MG]W$|[MGT]L$|[KMGT]i?[Bb](?:/[a-z]+)?$|[MG]bps$|V$|[MG]?Hz$|[MG]?Pa$|°[CF]$"
)
CURRENCY_CODES = r"usd|eur|gbp|jpy|cny|rmb|cad|aud|chf|inr|krw|rub|sek|nok|dkk|pln|zar|mxn|nzd|hkd|sgd|brl"
CURRENCY_SYMBOLS = r"(?:us|u\.s\.|ca|c|au|a|nz|hk|s|r)?\$|[€£¥₹₩₽]"
_HEADER_SCALE = re.compile(
    r"(?<!\bper\s)(?:\bin\s*|[($€£¥]\s?|\b|(?<=[$€£]))(?P<word>thousands?|millions?|billions?|trillions?)\b"
    rf"|(?:{CURRENCY_SYMBOLS}|{CURRENCY_CODES})\s?(?P<short>mn|mm|bn|tn|m|b|k)\b|(?<![\w,.])(?P<zeros>000(?:,?000)?)(?:[’']?s)?\b",
    re.I,
)
_HEADER_PERCENT = re.compile(rf"(?<![\d.])(?<!\d\s)(?:{PERCENT})|\bpercentages?\b", re.I)
_HEADER_CURRENCY = re.compile(
    rf"(?P<symbol>{CURRENCY_SYMBOLS})|\b(?P<word>{CURRENCY_CODES}|euros?|(?:u\.?s\.? |canadian |australian )?dollars?"
    r"|pounds sterling|yen|rupees|yuan|renminbi)\b",
    re.I,
)
_DOLLARS_OF = {"canadian": "CAD", "australian": "AUD"}
# Units put together of symbols, as headers say them: "g m-2", "kg ha-1", "cm3 cm-3", "GJ/MWh", "R/kW_el", "microM".
#   unit      a symbol with its prefix, what it is of and its exponent: "mg", "kgCO2", "m-2", "m²", "kW_el"
#   product   units behind blanks, dots and strokes, at least one behind a stroke or with an exponent
# Letters that stand for columns and sides stay what they are: "(h/f)", "(W/L)", "(A-1)", "(T4/T3)".
MAX_EXPRESSION_CHARS = 40
_PREFIX = r"(?:micro|nano|milli|kilo|mega|giga|[PTGMkmµμunpf])"
# Of the SI and beside it, with the capitals that they have. Source: BIPM, The SI Brochure, tables 2 to 8.
_PREFIXED = r"mol|cd|rad|sr|Hz|Pa|Wb|lm|lx|Bq|Gy|Sv|kat|eV|Wh|VA|Ah|cal|bar|Da|Eq|Osm|I?U|ohm|[gsAKNJWCVFSTHLlMtΩΩ]"
_PLAIN = (
    r"min|hr?|d(?:ay)?|wk|week|month|yr|year|[ay]|ha|atm|[Tt]orr|psi|lbs?|oz|gal(?:lon)?|acre|ac|mile|[kM]{0,2}Btu|mmBtu|"
    r"°C|°F|°|‰|ppm|ppb|rpm|[kmg]?wh|[kmg]w|[cdh][Ll]|dS|hPa|daN|cmolc?|mol%|10+|[x×]?\s?10\^\d{1,2}"
)
_LENGTH = r"(?:micro|nano|milli|kilo|[kdcmµμn])?m|ft|in|yd|mi"
_MATTER = r"\s?(?:[A-Z][a-z]?\d?){1,4}(?:-?eq?)?(?![a-z])"  # "kgCO2e", "mg N"
_MINUS = r"(?:\^?[-−–]|\^\([-−–])"
_EXPONENT = rf"{_MINUS}[1-4]\)?|⁻[¹²³⁴]|\^2|\^3|[²³]"
_UNIT = re.compile(
    rf"(?:(?P<length>{_LENGTH})(?P<power>[234])?|(?P<mass>{_PREFIX}?[gt])(?:{_MATTER})|(?P<symbol>{_PREFIX}?(?:{_PREFIXED})"
    rf"|{_PLAIN})(?:_[a-z]{{1,3}})?|(?P<money>{CURRENCY_SYMBOLS}|(?i:{CURRENCY_CODES})|R)(?=\s?/))"
    rf"(?P<exponent>{_EXPONENT})?(?![\w^%²³⁻])"
)
_JOINT = re.compile(r"\s*(?P<per>/)\s*|\s*[·⋅*.]\s*|\s+")
# A lone unit that no other rule knows: "cm2", "yr-1", "microM", "GJ", "tCO2".
_LONE = re.compile(
    rf"(?:{_LENGTH})(?:[23²³]|\^[23])|[a-zµμ]{{2,4}}{_MINUS}[1-4]\)?|[A-Za-zµμ]{{1,4}}⁻[¹²³⁴]|(?:micro|nano|milli)[A-Z]"
    rf"|[GTP]J|{_PREFIX}?[gt]\s?CO2(?:-?eq?)?"
)


def unit_as_written(text: str) -> str:
    """A measure in small letters, but a symbol with its capitals: "Acres" -> "acres", "kHz" -> "kHz"."""
    return text if _SYMBOL.match(text) else text.lower()


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


@lru_cache(maxsize=4_096)
def is_unit_expression(text: str) -> bool:
    """Whether the text is units and nothing else: a product, or a lone one that is told by its form."""
    text = text.strip()
    if not text or len(text) > MAX_EXPRESSION_CHARS:
        return False
    units, at, is_per = [], 0, False
    while unit := _UNIT.match(text, at):
        units.append(unit)
        joint = _JOINT.match(text, unit.end())
        if joint is None:
            break
        is_per, at = is_per or joint["per"] is not None, joint.end()
    if not units or units[-1].end() != len(text):
        return False
    if len(units) == 1:
        return _LONE.fullmatch(text) is not None
    return (is_per or any(unit["exponent"] or unit["power"] for unit in units)) and not _are_letters(units)


def _are_letters(units: list[re.Match[str]]) -> bool:
    """Whether these may be letters for other things: capitals, or two that are no length, volume or seconds."""
    texts = [unit[0] for unit in units]
    if (units[0]["money"] and len(texts[1]) > 1) or texts[0] in ("U", "IU"):
        return False
    are_single = len(texts) == 2 and all(len(text) == 1 for text in texts)
    is_upper = "".join(texts).isalpha() and "".join(texts).isupper()
    return is_upper or (are_single and not {"m", "L", "l", "s"}.intersection(texts))
