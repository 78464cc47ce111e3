"""Units put together of symbols, as headers say them: "g m-2", "kg ha-1", "cm3 cm-3", "GJ/MWh", "R/kW_el", "microM".

    unit      a symbol with its prefix, what it is of and its exponent: "mg", "kgCO2", "m-2", "m²", "kW_el"
    product   units behind blanks, dots and strokes, at least one behind a stroke or with an exponent

Letters that stand for columns and sides stay what they are: "(h/f)", "(W/L)", "(A-1)", "(T4/T3)".
"""

from __future__ import annotations

import re
from functools import lru_cache

from mixrag_cli.quantities.unit_words import CURRENCY_CODES, CURRENCY_SYMBOLS

MAX_CHARS = 40
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


@lru_cache(maxsize=4_096)
def is_unit_expression(text: str) -> bool:
    """Whether the text is units and nothing else: a product, or a lone one that is told by its form."""
    text = text.strip()
    if not text or len(text) > MAX_CHARS:
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
