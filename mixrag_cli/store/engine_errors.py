"""What the engine and the operating system say when reading or writing fails → what the user is told."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mixrag_cli.errors import MixragError, NoIndex, StoreDamaged
from mixrag_cli.store.commit import rebuild_hint
from mixrag_cli.store.layout import tables_path
from mixrag_cli.store.schema import ContentMismatchError
from mixrag_cli.store.trust import is_engine_error

_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def read_errors(store: Path, generation: int) -> Iterator[None]:
    """Turn whatever the engine throws inside, its panics included, into one of our errors."""
    with _mapped(lambda exc: _read_error(exc, store, generation)):
        yield


@contextmanager
def write_errors(store: Path, kept_files: int = 0) -> Iterator[None]:
    """Turn what fails inside into one of our errors. kept_files: how many stay indexed whatever happens."""
    with _mapped(lambda exc: _write_error(exc, store, kept_files)):
        yield


@contextmanager
def _mapped(our_error: Callable[[BaseException], MixragError | None]) -> Iterator[None]:
    """Raise our error for what is thrown inside; what is ours already, a bug or a signal goes on as it is."""
    try:
        yield
    except (MixragError, MemoryError):
        raise
    except BaseException as exc:
        if (mapped := our_error(exc)) is None:
            raise
        raise mapped from exc


def _read_error(exc: BaseException, store: Path, generation: int) -> MixragError | None:
    if isinstance(exc, ContentMismatchError):
        return StoreDamaged(f"{store}: {exc} is not as it was written", rebuild_hint(store))
    if not is_engine_error(exc):
        return None
    if not tables_path(store, generation).is_dir():
        return NoIndex("the index was removed", hint=f"mixrag index {store.parent}")
    return StoreDamaged(f"{store}: the index cannot be read", rebuild_hint(store))


def _write_error(exc: BaseException, store: Path, kept_files: int) -> MixragError | None:
    if isinstance(exc, ContentMismatchError) or not is_engine_error(exc):
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
