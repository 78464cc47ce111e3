"""The signals that ask the program to end, as an exception that lets it end in order.

A story that commits in batches catches KeyboardInterrupt, keeps what is committed and returns; which signal it was
is then still known here, for the exit code.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

from mixrag_cli.errors import ExitCode

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_received: list[int] = []


class Terminated(KeyboardInterrupt):
    """A signal asked the program to end; as KeyboardInterrupt, no ``except Exception`` swallows it."""


def _end(number: int, _: FrameType | None) -> None:
    _received.append(number)
    raise Terminated


def _pass_over_interruptions(unraisable: UnraisableHookArgs) -> None:
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def watch_for_signals() -> None:
    """Raise Terminated for SIGTERM and SIGHUP; one that the parent has turned off (nohup) stays off.

    A second Ctrl-C may meet what is being taken down after the first, where no exception gets out; it shows nothing.
    """
    sys.unraisablehook = _pass_over_interruptions
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def interruption_code() -> ExitCode:
    """The exit code of a run that was interrupted: 143 after a signal of ours, else 130 for Ctrl-C."""
    return ExitCode.TERMINATED if _received else ExitCode.INTERRUPTED
