"""When an index is to be brought up to date: told by the system as files change, and by the clock.

The system's notices are gathered until they pause, so that a burst is one refresh. They are never trusted to be
complete: network folders send none, and a queue can overflow. So it is time for a look now and then as well.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from watchfiles import watch

from mixrag_cli.errors import MixragError, reason_of
from mixrag_cli.stories.roots import IndexPlan, RootPlan
from mixrag_cli.walking import may_matter

PAUSE_MS = 300  # without a notice, after which a burst is over: longer than an editor takes to write and rename
LONGEST_BURST_MS = 5_000  # after which a burst that does not end is looked at all the same
TURN_MS = 1_000  # the watcher comes back so often, also when nothing has changed
LOOK_AGAIN_S = 300.0  # a look costs a walk, 40 ms for 5,000 files on two busy cores


def due_refreshes(plan: IndexPlan, look_again_s: float = LOOK_AGAIN_S) -> Iterator[None]:
    """One item when watching has begun, then one each time that the index may have become old.

    What changes while the consumer is at work is not lost: it makes the next item. Ends with KeyboardInterrupt, as
    every signal that ends the program does. Raises MixragError where the system cannot watch so many folders.
    """
    roots = [(os.path.realpath(os.fsencode(root.folder)), root) for root in plan.roots]
    store = os.path.realpath(os.fsencode(plan.store))
    begun, looked = False, time.monotonic()
    notices = watch(
        *(os.fsdecode(folder) for folder, _ in roots),
        watch_filter=lambda _, path: _concerns(os.fsencode(path), roots, store),
        debounce=LONGEST_BURST_MS,
        step=PAUSE_MS,
        rust_timeout=TURN_MS,
        yield_on_timeout=True,
        recursive=not all(_is_file(root) for _, root in roots),
        ignore_permission_denied=True,
    )
    try:
        for changes in notices:
            if changes or not begun or time.monotonic() - looked >= look_again_s:
                begun = True
                yield
                looked = time.monotonic()
    except OSError as error:
        raise MixragError(
            f"these folders cannot be watched: {reason_of(error)}",
            "raise fs.inotify.max_user_watches, or run mixrag index now and then",
        ) from error


def _concerns(path: bytes, roots: list[tuple[bytes, RootPlan]], store: bytes) -> bool:
    """Whether a notice is of a file that the plan may index, the store's own files not among them."""
    if path == store or path.startswith(store + b"/"):
        return False
    for folder, root in roots:
        prefix = folder.rstrip(b"/") + b"/"
        if path == folder:
            return True
        if path.startswith(prefix):
            key = path[len(prefix) :]
            return root.covers(key) and (key == root.within or may_matter(key))
    return False


def _is_file(root: RootPlan) -> bool:
    return bool(root.within) and os.path.isfile(os.fsencode(root.folder) + b"/" + root.within)  # noqa: PTH113
