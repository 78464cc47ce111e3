"""What is kept of a failure that nobody expected: a private log in the user's state folder."""

from __future__ import annotations

import os
import sys
import time
import traceback
from pathlib import Path

import platformdirs

from mixrag_cli import __version__

LOG_NAME = "mixrag-debug.log"


def state_folder() -> Path:
    """Where logs lie: MIXRAG_STATE_DIR, else the user's state folder."""
    if override := os.environ.get("MIXRAG_STATE_DIR"):
        return Path(override).expanduser()
    return Path(platformdirs.user_state_dir("mixrag"))


def write_bug_log(error: BaseException, native_noise: str) -> Path | None:
    """Write the traceback, without the values of variables, over the last log; None where that cannot be done.

    The file is the user's alone (0600), as a message may quote a document.
    """
    folder = state_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / LOG_NAME
        path.unlink(missing_ok=True)  # never through a link, never into a file that others can read
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(_describe(error, native_noise))
    except OSError:
        return None
    return path


def _describe(error: BaseException, native_noise: str) -> str:
    parts = [
        f"mixrag {__version__}, Python {sys.version.split()[0]}, {time.strftime('%Y-%m-%d %H:%M:%S %z')}",
        "".join(traceback.format_exception(error)),
    ]
    if native_noise.strip():
        parts.append(f"native libraries said:\n{native_noise}")
    return "\n".join(parts)
