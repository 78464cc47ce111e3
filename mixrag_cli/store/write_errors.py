"""What the engine and the operating system say when writing fails → what the user is told."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mixrag_cli.errors import MixragError
from mixrag_cli.store.schema import ContentMismatchError
from mixrag_cli.store.trust import is_engine_error

_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def write_errors(store: Path, kept_files: int = 0) -> Iterator[None]:
    """Turn what fails inside into one of our errors. kept_files: how many stay indexed whatever happens."""
    try:
        yield
    except BaseException as exc:
        if (mapped := _write_error(exc, store, kept_files)) is None:
            raise
        raise mapped from exc


def _write_error(exc: BaseException, store: Path, kept_files: int) -> MixragError | None:
    """Our error for a failed write; None where the exception is ours already, a bug or a signal."""
    if isinstance(exc, MixragError | MemoryError | ContentMismatchError) or not is_engine_error(exc):
        return None
    code = _error_number(exc)
    if code in _FULL:
        return MixragError(f"disk full while writing the index; {kept_files} files indexed so far are kept")
    if code is not None:
        return MixragError(f"cannot write {store}: {os.strerror(code).lower()}")
    return MixragError(f"cannot write {store}: the engine failed", hint="mixrag doctor --index")


def _error_number(exc: BaseException) -> int | None:
    if isinstance(exc, OSError) and exc.errno is not None:
        return exc.errno
    found = _OS_ERROR.search(str(exc))
    return int(found.group(1)) if found else None
