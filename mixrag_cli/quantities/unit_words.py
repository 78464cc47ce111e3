"""Currencies, scales and measures as people write them, and what a text beside numbers says of their unit."""

from __future__ import annotations

import re

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
