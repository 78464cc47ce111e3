"""A moment in the past as people type it: a date, or how long ago."""

from __future__ import annotations

import re
import time
from datetime import datetime

from mixrag_cli.errors import WrongUsage

SECONDS = {"h": 3_600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400}
AGE = re.compile(r"(\d{1,6})([hdwy])", re.ASCII)


def moment_ns(typed: str) -> int:
    """Nanoseconds since the epoch. A date begins at midnight, local time where none is given.

    Example: "2025-03-31", "2025-03-31T14:00", "7d" (seven days ago), "12h", "2w", "1y".
    Raises WrongUsage for anything else.
    """
    if age := AGE.fullmatch(typed.strip().casefold()):
        return time.time_ns() - int(age[1]) * SECONDS[age[2]] * 10**9
    try:
        return int(datetime.fromisoformat(typed.strip()).timestamp()) * 10**9
    except (ValueError, OverflowError, OSError) as error:
        raise WrongUsage(
            f"{typed!r} is no moment", "a date such as 2025-03-31, or an age such as 12h, 7d, 2w, 1y"
        ) from error
