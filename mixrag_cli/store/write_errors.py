"""What the engine and the operating system say when writing fails → what the user is told."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from mixrag_cli.errors import MixragError
from mixrag_cli.store.reading import is_engine_error
from mixrag_cli.store.schema import ContentMismatchError

_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def write_error(exc: BaseException, store: Path, kept_files: int) -> MixragError | None:
    """Our error for a failed write; None where the exception is ours already, a bug or a signal."""
    if isinstance(exc, MixragError | MemoryError | ContentMismatchError) or not is_engine_error(exc):
        return None
    code = _error_number(exc)
    if code in _FULL:
        return MixragError(f"disk full while writing the index; {kept_files} files indexed so far are kept")
    if code is not None:
        return MixragError(f"cannot write {store}: {os.strerror(code).lower()}")
    return MixragError(f"cannot write {store}: the engine failed", hint="mixrag check")


def _error_number(exc: BaseException) -> int | None:
    if isinstance(exc, OSError) and exc.errno is not None:
        return exc.errno
    found = _OS_ERROR.search(str(exc))
    return int(found.group(1)) if found else None
