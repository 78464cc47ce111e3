"""How a column writes its dates in digits, and by what pattern a day, a month or a year is found in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mixrag_cli.quantities.facets import DAYS, MONTHS

_DIGITS = re.compile(r"\s*(\d{1,4})([-/.])(\d{1,2})(?:\2(\d{1,4}))?(?!\d)")
YEAR_DIGITS = 4


@dataclass(frozen=True, slots=True)
class DateForm:
    """order: of year, month and day, "ymd", "ym", "dmy" or "mdy". sign: what stands between them."""

    order: str
    sign: str

    def pattern(self, times: Iterable[tuple[int, int, int]]) -> str:
        """A regular expression for what a cell of one of these days, months or years begins with; "" for none.

        times: (year, month, day) each, 0 for any. A day is none of bare months.
        """
        return "|".join(self._pattern(*time) for time in times if "d" in self.order or not time[-1])

    def _pattern(self, year: int, month: int, day: int) -> str:
        told = {"y": str(year), "m": f"0?{month}" if month else "[0-9]+", "d": f"0?{day}" if day else "[0-9]+"}
        n_told = 1 + bool(month) + bool(day) if self.order.startswith("y") else len(self.order)
        return f"^{re.escape(self.sign).join(told[part] for part in self.order[:n_told])}([^0-9]|$)"


def date_form_of(texts: Sequence[str]) -> DateForm | None:
    """The one form that all of the texts have; None for none, or where day and month cannot be told apart."""
    found = [_DIGITS.match(text) for text in texts]
    dates = [date for date in found if date is not None]
    signs = {date[2] for date in dates}
    if len(dates) < len(found) or len(signs) != 1:
        return None
    sign = signs.pop()
    if all(len(date[1]) == YEAR_DIGITS for date in dates):
        fits = all(1 <= int(date[3]) <= MONTHS for date in dates)
        return DateForm("ymd" if all(date[4] for date in dates) else "ym", sign) if fits else None
    if not all(date[4] and len(date[4]) == YEAR_DIGITS for date in dates):
        return None
    first, second = (max(int(date[place]) for date in dates) for place in (1, 3))
    if max(first, second) > DAYS or min(first, second) > MONTHS:
        return None
    if sign == "." or first > MONTHS:  # nobody writes months first with dots
        return DateForm("dmy", sign)
    return DateForm("mdy", sign) if second > MONTHS else None
