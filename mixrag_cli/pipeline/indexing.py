"""build_index(): from folders on disk to a committed store.

1. walk the roots; compare with what the store remembers
2. nothing to do: report, without loading a model or opening the store for writing
3. worker processes turn files into chunks and tables; here they are embedded and written in batches
4. one commit record a batch; an interruption keeps all batches committed before it
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mixrag_cli.records import Skipped
from mixrag_cli.settings import Settings
from mixrag_cli.walking import guard_removals

# A batch is one commit: small enough that an interruption loses little, large enough that LanceDB's versions,
# whose manifest grows with each (320 B to 25 kB over 300 commits), stay few.
BATCH_FILES = 256
BATCH_CHARACTERS = 64_000_000
BATCH_SECONDS = 10.0


class IndexEvents(Protocol):
    """Who watches the work: a progress bar, or nobody."""

    def phase(self, name: str, total: int | None) -> None:
        """A phase begins: "prepare", "scan", "read" or "finish"; total is None where unknown."""

    def advance(self, done: int, detail: str = "") -> None:
        """So much of the phase is done, counted from its start."""

    def note(self, message: str) -> None:
        """One line for the person, as soon as it is known."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an index run did. skipped: unreadable files; left_out: by rule; seconds: wall."""

    store: Path
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    renamed: int = 0
    removed: int = 0
    stale: int = 0
    skipped: tuple[Skipped, ...] = ()
    left_out: tuple[Skipped, ...] = ()
    chunks: int = 0
    tokens: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    interrupted: bool = False


def build_index(
    roots: Sequence[Path],
    settings: Settings,
    *,
    events: IndexEvents,
    rebuild: bool = False,
    prune: bool = False,
    follow: bool = False,
    wait_s: float = 0,
) -> IndexReport:
    """Bring the store up to date with the folders and say what was done.

    roots: folders, or files to be taken though a rule leaves them out; none: the roots of the store found from the
    current folder upward, else the current folder. prune: allow the removal of many vanished files at once.
    Raises StoreLocked, StoreMismatch, StoreDamaged, ModelUnusable, WrongUsage (no such folder), MixragError (a root
    that has all but vanished).
    """
    started = time.perf_counter()
    plan = plan_index(roots, settings)
    if rebuild:
        set_store_aside(plan.store)
    events.phase("scan", None)
    scan = _scan(plan, _known_rows(plan.store), settings, follow=follow)
    guard_removals(scan.n_known, len(scan.changes.removed), prune)
    build = _Build(plan, settings, events, scan)
    if scan.has_work:
        build.run(wait_s)
    return build.report(time.perf_counter() - started)


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """Where the store is and which roots it covers. files: paths under a root that were named one by one."""

    store: Path
    roots: tuple[Path, ...]
    files: tuple[Path, ...] = ()
