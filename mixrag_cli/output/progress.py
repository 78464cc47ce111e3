"""The run so far, on stderr: bars with rate and time left on a terminal, nothing that moves elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from mixrag_cli.output.console import ColorChoice, foreign, is_interactive, make_console
from mixrag_cli.output.lines import BYTES_A_MB
from mixrag_cli.output.streams import write_note

REDRAWS_PER_SECOND = 10
DETAIL_CHARACTERS = 36  # the end of a path says which file it is
BAR_CHARACTERS, SHORT_BAR_CHARACTERS = 24, 12
WIDE = 106  # columns of a terminal in which a whole bar and a whole detail stand side by side
BESIDES = (
    46  # columns that the other parts of a line take at most: "embedding", "123.4/567.8 MB", "123 kB/s", "1:23:45"
)
LABELS = {
    "scan": "looking for files",
    "join": "joining the cluster",
    "read": "reading",
    "embed": "embedding",
    "write": "writing",
    "finish": "tidying the index",
    "fetch": "fetching",
    "calibrate": "fitting scores",
    "summarise": "summarising tables",
}
UNITS = {
    "scan": "files",
    "read": "MB",
    "ask": "questions",
    "finish": "steps",
    "fetch": "bytes",
    "calibrate": "questions",
    "summarise": "tables",
}


SLOW_SECONDS = 20.0  # that a file takes before it is named where nothing moves
PAUSE_SECONDS = 8.0  # without a sign of life: until then the file waited for others
HEARD_FILES = 64  # of which the last beats are known: far more than are read at once
# Of one bar: they run beside each other, and its label says which one is waited for.
JOINED = {"embed": "read", "write": "read"}
# A time left that has been shown only falls, unless it was wrong by this much.
TOLERATED = 1.3


class RunView(Protocol):
    """Who watches an index run, from the first moment to the last."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def phase(self, name: str, total: int | None) -> None:
        """A phase begins, or has a new total; None where it is unknown."""

    def advance(self, done: int, detail: str = "") -> None:
        """So much of the phase is done, counted from its start."""

    def note(self, message: str) -> None:
        """One line for the person, as soon as it is known."""


class Silence:
    """No bars: notes only, and none of them with quiet.

    A file that takes long is named, and again whenever it has taken twice as long. clock: seconds, from any beginning.
    """

    def __init__(self, *, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._quiet = quiet
        self._clock = clock
        self._lock = threading.Lock()
        # By path: since when it is read, after how long it is named, when it was last heard of.
        self._heard: dict[str, tuple[float, float, float]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def phase(self, name: str, total: int | None) -> None:
        """Nothing moves where nobody looks."""

    def advance(self, done: int, detail: str = "") -> None:
        """Name the file where it takes long; called from any thread."""
        path, now = detail.rpartition(" · ")[0], self._clock()
        if self._quiet or not path:
            return
        with self._lock:
            since, due, last = self._heard.pop(path, (now, SLOW_SECONDS, now))
            if now - last > PAUSE_SECONDS:
                since, due = now, SLOW_SECONDS
            is_due = now - since >= due
            self._heard[path] = since, 2 * (now - since) if is_due else due, now
            if len(self._heard) > HEARD_FILES:
                self._heard.pop(next(iter(self._heard)))
        if is_due:
            self.note(f"still at {path} after {duration_text(now - since)}")

    def note(self, message: str) -> None:
        """One line on stderr."""
        if not self._quiet:
            write_note(message)


class Bars:
    """One bar a phase on a terminal; visible from the first moment, redrawn at most ten times a second."""

    def __init__(self, color: ColorChoice) -> None:
        console = make_console(sys.stderr, color)
        bar = BAR_CHARACTERS if console.width >= WIDE else SHORT_BAR_CHARACTERS
        self._progress = Progress(
            TextColumn("{task.description}", justify="right"),
            BarColumn(bar_width=bar),
            _Count(),
            _Rate(),
            _TimeLeft(),
            _Detail(console, BESIDES + bar),
            console=console,
            refresh_per_second=REDRAWS_PER_SECOND,
            redirect_stdout=False,
            redirect_stderr=False,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}
        self._current: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        self._current = self._progress.add_task("starting", total=None, unit="", detail="")
        self._progress.refresh()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def phase(self, name: str, total: int | None) -> None:
        """Begin a phase, or give one that runs a new total."""
        label = LABELS.get(name, name)
        if (joined := JOINED.get(name, name)) in self._tasks:
            self._current = self._tasks[joined]
            self._progress.update(self._current, total=total, description=label)
            return
        if self._current is not None:
            self._finish(self._current)
        self._current = self._progress.add_task(label, total=total, unit=UNITS.get(joined, ""), detail="")
        self._tasks[joined] = self._current

    def advance(self, done: int, detail: str = "") -> None:
        """Show how far the phase is, counted from its start."""
        if self._current is not None:
            self._progress.update(self._current, completed=done, detail=detail)

    def note(self, message: str) -> None:
        """One line above the bars."""
        self._progress.console.print(foreign(f"mixrag: {message}"), soft_wrap=True)

    def _finish(self, task_id: TaskID) -> None:
        """A phase that is over is not shown any more: the next one says more."""
        self._progress.update(task_id, visible=False)


class _Count(ProgressColumn):
    def render(self, task: Task) -> Text:
        unit = task.fields["unit"]
        if not unit or (task.total is None and not task.completed):
            return Text("")
        if unit == "MB" and (task.total or 0) < BYTES_A_MB:
            return Text(f"{task.completed / 1000:.0f}/{(task.total or 0) / 1000:.0f} kB")
        if unit == "MB":
            return Text(f"{task.completed / BYTES_A_MB:,.1f}/{(task.total or 0) / BYTES_A_MB:,.1f} MB")
        total = f"/{int(task.total):,}" if task.total is not None else ""
        return Text(f"{int(task.completed):,}{total} {unit}")


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if task.fields["unit"] == "MB":
            return Text(rate_text(speed or 0.0), style="dim")
        return Text(f"{speed:,.0f}/s" if speed and speed >= 1 else f"{speed:.1f}/s" if speed else "", style="dim")


def rate_text(bytes_a_second: float) -> str:
    """A rate in the largest unit of which there is a tenth; "" where hardly anything goes on. Example: "41 kB/s"."""
    if bytes_a_second >= BYTES_A_MB / 10:
        return f"{bytes_a_second / BYTES_A_MB:.1f} MB/s"
    return f"{bytes_a_second / 1000:.0f} kB/s" if bytes_a_second >= 500 else ""


class _TimeLeft(ProgressColumn):
    """By the mean speed since the phase began; it falls as the clock goes, and rises where it was far too low."""

    max_refresh = 0.5

    def __init__(self) -> None:
        super().__init__()
        self._ends: dict[TaskID, float] = {}

    def render(self, task: Task) -> Text:
        if not task.total or not task.completed or not task.elapsed:
            return Text("-:--", style="dim")
        now = task.get_time()
        left = (task.total - task.completed) * task.elapsed / task.completed
        end = self._ends.get(task.id, now + left)
        if left < end - now or left > (end - now) * TOLERATED:
            end = now + left
        self._ends[task.id] = end
        minutes, seconds = divmod(max(0, round(end - now)), 60)
        return Text(f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}")


class _Detail(ProgressColumn):
    """The end of what is being worked on, as much as fits into the line. besides: columns that are not its own."""

    def __init__(self, console: Console, besides: int) -> None:
        super().__init__(Column(no_wrap=True, overflow="ellipsis"))
        self._console, self._besides = console, besides

    def render(self, task: Task) -> Text:
        room = max(1, min(DETAIL_CHARACTERS, self._console.width - self._besides))
        detail = task.fields["detail"]
        return foreign(detail if len(detail) <= room else f"…{detail[len(detail) + 1 - room :]}", "dim")


def watch_run(*, quiet: bool, color: ColorChoice) -> RunView:
    """Bars where stderr is a terminal that can redraw, else silence."""
    if quiet or not is_interactive(sys.stderr):
        return Silence(quiet=quiet)
    return Bars(color)


def duration_text(seconds: float) -> str:
    """Seconds for people. Examples: "0.4 s", "12 s", "3 min 20 s"."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
