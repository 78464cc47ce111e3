"""What JSON forms are made of: exact decimals, whole where they are; rounded scores; places, moments and checks."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from mixrag_cli.records.places import Locator

SCORE_DIGITS = 4  # behind the point
MAX_EXACT_DIGITS = 15  # a float carries 15 decimal digits; a longer number is written as text


def locator_to_json(locator: Locator | None) -> dict[str, Any] | None:
    """The place, null where there is none."""
    return locator.to_json() if locator else None


def number_to_json(value: Decimal | None) -> int | float | str | None:
    """An exact decimal as a JSON number; as text where a float would change its digits."""
    if value is None:
        return None
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    return float(value) if len(value.normalize().as_tuple().digits) <= MAX_EXACT_DIGITS else str(value)


def moment_to_json(moment_s: float) -> str:
    """Seconds since the epoch as UTC in ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment_s))


def checks_to_json(rows: Sequence[tuple[str, str, str, str]]) -> list[dict[str, str]]:
    """What was checked, from rows of (state, name, detail, remedy)."""
    return [{"name": name, "state": state, "detail": detail, "remedy": remedy} for state, name, detail, remedy in rows]


def rounded(figures: Mapping[str, float]) -> dict[str, float]:
    """The figures with SCORE_DIGITS digits behind the point."""
    return {name: round(value, SCORE_DIGITS) for name, value in figures.items()}


def maybe_rounded(value: float | None) -> float | None:
    """A score rounded; None where it is missing or no number."""
    return None if value is None or not math.isfinite(value) else round(value, SCORE_DIGITS)
