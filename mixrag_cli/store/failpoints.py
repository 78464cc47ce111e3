"""Named points at which a test kills the process, as a power cut would.

MIXRAG_FAILPOINT="after_chunks:3" kills (SIGKILL: nothing is flushed, no handler runs) at the third time that the
point "after_chunks" is reached; without a number, at the first. Without the variable a point costs a dict look-up.
"""

from __future__ import annotations

import os
import signal

VARIABLE = "MIXRAG_FAILPOINT"

_reached: dict[str, int] = {}


def reach(point: str) -> None:
    """Die here if the environment names this point and this is its turn."""
    if not (wanted := os.environ.get(VARIABLE)):
        return
    name, _, turn = wanted.partition(":")
    if name != point:
        return
    _reached[point] = _reached.get(point, 0) + 1
    if _reached[point] == int(turn or 1):
        os.kill(os.getpid(), signal.SIGKILL)
