"""Files that can be made again, in the user's cache: and the notes in it, of model files that were found sound.

A note names a file by its place, size and times: as long as these stay, the file needs no second look.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from mixrag_cli.settings import cache_folder

MAX_NOTES = 100  # in one file; the oldest go
ENDS_BYTES = 65_536

Note = list[str | int]


def note_of(path: Path, *facts: str) -> Note:
    """What says that this is the file that was looked at. facts: what else must stay the same. Raises OSError."""
    status = path.stat()
    return [str(path.resolve()), status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, *facts]


def both_ends(path: Path) -> bytes:
    """The first and the last ENDS_BYTES of a file, by which one of gigabytes is known unread. Raises OSError."""
    with path.open("rb") as file:
        first = file.read(ENDS_BYTES)
        file.seek(max(0, path.stat().st_size - ENDS_BYTES))
        return first + file.read(ENDS_BYTES)


def is_noted(name: str, note: Note) -> bool:
    """Whether the cache's file of this name holds the note."""
    return note in _notes(name)


def keep_note(name: str, note: Note) -> None:
    """Add the note, in place of an older one on the same path; nothing where the cache cannot be written."""
    kept = [each for each in _notes(name) if isinstance(each, list) and each[:1] != note[:1]]
    with suppress(OSError):
        write_whole(cache_folder("models") / name, [*kept[-MAX_NOTES + 1 :], note])


def write_whole(path: Path, value: Any, *, indent: int | None = None) -> None:
    """Write JSON into a new file, for the user alone, and rename it: a reader sees the old or the new. Raises OSError.

    The folder is made where there is none.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="surrogatepass") as file:
            json.dump(value, file, indent=indent)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _notes(name: str) -> list[Any]:
    try:
        found = json.loads((cache_folder("models") / name).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []
