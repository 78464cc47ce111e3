"""Customers' meter readings: what is believed, what is refused, and what is estimated in between.

Part of the field tools of Northmere Water. Volumes are in cubic metres, dates without time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

MAX_GAP_DAYS = 400
ROLLOVER_AT = 100_000
LEAK_LITRES_PER_HOUR = 12.5
REFUSED_FILE = "refused.csv"


class ReadingRefusedError(Exception):
    """A reading that cannot be true; reason is shown to the crew."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Reading:
    """One look at one meter."""

    meter: str
    day: date
    cubic_metres: float
    estimated: bool = False


class MeterRegister:
    """The readings of one meter in the order of their days."""

    def __init__(self, meter: str) -> None:
        self.meter = meter
        self._readings: list[Reading] = []

    def add(self, reading: Reading) -> None:
        """Add a reading, or raise ReadingRefusedError when it is out of order, too late or runs backwards."""
        if reading.meter != self.meter:
            raise ReadingRefusedError(f"reading belongs to meter {reading.meter}")
        if self._readings:
            self._check_against(self._readings[-1], reading)
        self._readings.append(reading)

    def _check_against(self, last: Reading, reading: Reading) -> None:
        if reading.day <= last.day:
            raise ReadingRefusedError("not newer than the last reading")
        if (reading.day - last.day).days > MAX_GAP_DAYS:
            raise ReadingRefusedError(f"more than {MAX_GAP_DAYS} days after the last reading")
        if consumption_between(last, reading) > ROLLOVER_AT / 2:
            raise ReadingRefusedError("the meter seems to run backwards")

    def daily_average(self) -> float:
        """Return cubic metres a day over all readings; 0 when there are fewer than two."""
        if len(self._readings) < 2:
            return 0.0
        first, last = self._readings[0], self._readings[-1]
        used = sum(consumption_between(a, b) for a, b in zip(self._readings, self._readings[1:], strict=False))
        return used / (last.day - first.day).days

    def estimate_on(self, day: date) -> Reading:
        """Continue the daily average to a day after the last reading; the result is marked as estimated."""
        last = self._readings[-1]
        volume = last.cubic_metres + self.daily_average() * (day - last.day).days
        return Reading(self.meter, day, volume % ROLLOVER_AT, estimated=True)


def consumption_between(earlier: Reading, later: Reading) -> float:
    """Return the cubic metres between two readings; a five-digit meter starts again from zero at 100,000."""
    return (later.cubic_metres - earlier.cubic_metres) % ROLLOVER_AT


def suspects_leak(night_litres: Iterable[float]) -> bool:
    """Tell whether water flowed in every single hour of the night, never below LEAK_LITRES_PER_HOUR."""
    hours = list(night_litres)
    return bool(hours) and min(hours) >= LEAK_LITRES_PER_HOUR


def next_round(last_round: date, weeks: int = 26) -> date:
    """Return the day on which the district is read again, never a Sunday."""
    day = last_round + timedelta(weeks=weeks)
    return day + timedelta(days=1) if day.isoweekday() == 7 else day
