"""What the engine throws when reading fails → what the user is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mixrag_cli.errors import MixragError, NoIndex, StoreDamaged
from mixrag_cli.store.commit import rebuild_hint
from mixrag_cli.store.layout import tables_path
from mixrag_cli.store.schema import ContentMismatchError
from mixrag_cli.store.trust import is_engine_error


@contextmanager
def read_errors(store: Path, generation: int) -> Iterator[None]:
    """Turn whatever the engine throws inside, its panics included, into one of our errors."""
    try:
        yield
    except BaseException as exc:
        if (mapped := _read_error(exc, store, generation)) is None:
            raise
        raise mapped from exc


def _read_error(exc: BaseException, store: Path, generation: int) -> MixragError | None:
    """Our error for a failed read; None where the exception is ours already, a bug or a signal."""
    if isinstance(exc, MixragError | MemoryError):
        return None
    if isinstance(exc, ContentMismatchError):
        return StoreDamaged(f"{store}: {exc} is not as it was written", rebuild_hint(store))
    if not is_engine_error(exc):
        return None
    if not tables_path(store, generation).is_dir():
        return NoIndex("the index was removed", hint=f"mixrag index {store.parent}")
    return StoreDamaged(f"{store}: the index cannot be read", rebuild_hint(store))
