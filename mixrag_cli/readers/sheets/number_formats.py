"""Stored numbers as a spreadsheet shows them: percent, currency, thousands, dates, durations.

Only what changes the meaning of a number is followed; colours, padding and fill characters are dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

# The formats that a workbook names by number only (ECMA-376, 18.8.30).
BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm", 19: "h:mm:ss", 20: "h:mm",
    21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
EPOCH_1900 = datetime(1899, 12, 30)
EPOCH_1904 = datetime(1904, 1, 1)
LAST_DAY = 2_958_465  # 9999-12-31
_TOKEN = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|(\[[^\]]*\])|_(.)|\*(.)|([#0?][#0?,. ]*|\.0+)|(.)', re.S)
_DATE_LETTERS = re.compile(r"[ymdhs]", re.I)
_ELAPSED = re.compile(r"\[(h|m|s)+\]", re.I)  # "[h]:mm" counts on beyond 24 hours
_SECONDS_OF = {"h": 3600, "m": 60, "s": 1}


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """One section of a format code, taken apart."""

    prefix: str
    suffix: str
    decimals: int | None
    has_thousands: bool
    divide_by: int
    is_percent: bool
    is_date: bool
    is_text: bool
    code: str
    shows_zero: bool  # in a place of its own: "#" and "?" leave it out


class Shown(NamedTuple):
    """A stored number as it is shown. hours: of a duration that is shown in hours, else None."""

    text: str
    is_percent: bool = False
    is_date: bool = False
    hours: Decimal | None = None


def show_number(number: Decimal, code: str, *, is_1904: bool = False) -> Shown:
    """What is shown for a stored number under a format code.

    Example: (0.353, "0.0%") -> "35.3%"; (-1234, "#,##0;(#,##0)") -> "(1,234)"; (1.5625, "[h]:mm") -> "37:30"
    """
    sections = _split_sections(code)
    section = sections[1] if len(sections) > 1 and number < 0 else sections[0]
    if number == 0 and len(sections) > 2:
        section = sections[2]
    shown = number if section is sections[0] or number == 0 else -number
    if section.is_date:
        if elapsed := _ELAPSED.search(section.code):
            return _show_elapsed(number, section.code, elapsed[1].lower())
        text = _show_date(number, section.code, is_1904)
        return Shown(text, is_date=True) if text else Shown(plain_number(number))
    if section.is_text or (section.decimals is None and section.suffix + section.prefix == ""):
        return Shown(plain_number(number))
    if (section.decimals is None and not section.is_percent) or (number == 0 and not section.shows_zero):
        return Shown((section.prefix + section.suffix).strip() or plain_number(number))
    return Shown(_show_plain(shown, section), section.is_percent)


def plain_number(number: Decimal) -> str:
    """The shortest form without an exponent where that stays readable."""
    text = f"{number:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text if len(text) <= 30 else str(number)


@lru_cache(maxsize=512)
def _split_sections(code: str) -> tuple[NumberFormat, ...]:
    parts: list[str] = [""]
    for match in _TOKEN.finditer(code):
        if match[0] == ";":
            parts.append("")
        else:
            parts[-1] += match[0]
    return tuple(_read_section(part) for part in parts[:3])


def _read_section(code: str) -> NumberFormat:
    prefix, suffix, digits, letters = "", "", "", ""
    is_percent = False
    for quoted, escaped, symbol, bracket, pad, fill, pattern, other in _TOKEN.findall(code):
        literal = quoted or escaped or symbol
        if pattern and not digits:
            digits = pattern
        elif other == "%":
            is_percent = True
            suffix += "%"
        elif literal or (other and not _DATE_LETTERS.match(other) and other not in "#0?,.@;"):
            if digits:
                suffix += literal or other
            else:
                prefix += literal or other
        elif other:
            letters += other
        elif bracket.lower() in ("[h]", "[hh]", "[m]", "[mm]", "[s]", "[ss]"):
            letters += bracket
        _ = pad, fill
    is_general = code.strip().lower() in ("general", "")
    is_date = not is_general and bool(_DATE_LETTERS.search(letters)) and "e+" not in code.lower()
    is_text = is_general or "@" in letters or "e+" in code.lower() or "?/" in code
    decimals = len(re.sub(r"[^0#?]", "", digits.partition(".")[2])) if digits else None
    trailing = len(digits.rstrip()) - len(digits.rstrip().rstrip(",")) if digits else 0
    return NumberFormat(
        "" if is_general else prefix.lstrip(),
        "" if is_general else suffix.rstrip(),
        decimals,
        "," in digits.rstrip().rstrip(",").partition(".")[0],
        1000**trailing,
        is_percent,
        is_date,
        is_text,
        code,
        "0" in digits,
    )


def _show_plain(number: Decimal, section: NumberFormat) -> str:
    value = number * 100 if section.is_percent else number
    value = value / section.divide_by
    decimals = section.decimals or 0
    if value.adjusted() + decimals > 26:
        return plain_number(number)
    rounded = value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    body = f"{abs(rounded):,f}" if section.has_thousands else f"{abs(rounded):f}"
    sign = "-" if rounded < 0 else ""
    return f"{sign}{section.prefix}{body}{section.suffix}".strip()


def _show_date(number: Decimal, code: str, is_1904: bool) -> str:
    """ISO date, with the time where the format shows one; "" for a number that is no day."""
    if not 0 <= number <= LAST_DAY:
        return ""
    letters = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", code).lower()
    has_day, has_time = bool(re.search(r"[yd]|mmm", letters)), bool(re.search(r"[hs]", letters))
    days = number if is_1904 or number >= 60 else number + 1  # the 1900 system counts a 29 February that never was
    moment = (EPOCH_1904 if is_1904 else EPOCH_1900) + timedelta(seconds=float(round(days * 86400)))
    if not has_day:
        return f"{moment:%H:%M:%S}" if "s" in letters else f"{moment:%H:%M}"
    if not re.search(r"[md]", letters):
        return f"{moment:%Y}"
    if "d" not in letters and not has_time:
        return f"{moment:%b %Y}"
    return f"{moment:%Y-%m-%d %H:%M}" if has_time and moment.time() != moment.min.time() else f"{moment:%Y-%m-%d}"


def _show_elapsed(days: Decimal, code: str, first: str) -> Shown:
    """The duration with its first unit ("h", "m" or "s") counted on; seconds that are not shown are cut off."""
    if abs(days) > LAST_DAY:
        return Shown(plain_number(days))
    letters = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", code).lower()
    seconds = round(abs(days) * 86400)
    lead, rest = divmod(seconds, _SECONDS_OF[first])
    text = f"{'-' if days < 0 else ''}{lead}"
    if first == "h" and re.search(r"[ms]", letters):
        text += f":{rest // 60:02}"
    if first != "s" and "s" in letters:
        text += f":{rest % 60:02}"
    if first != "h":
        return Shown(text, is_date=True)
    hours = round(Decimal(seconds) / 3600, 6)
    return Shown(text, hours=Decimal(plain_number(hours.copy_sign(days))))
