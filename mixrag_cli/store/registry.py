"""What this user's indexes are called, and which folders are indexed in a store that does not lie above them.

One small JSON file in the user's data directory. It only helps to find stores again: without it every store is
whole, and `mixrag index` or `--store` names it anew. An entry whose store is gone means nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from mixrag_cli.errors import MixragError, WrongUsage, reason_of
from mixrag_cli.settings import data_folder

REGISTRY_FILE = "registry.json"
MAX_BYTES = 5_000_000
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Registry:
    """roots: a folder's absolute path -> the store that it is indexed in. collections: a name -> its store."""

    roots: Mapping[str, str] = field(default_factory=dict)
    collections: Mapping[str, str] = field(default_factory=dict)


def read_registry() -> Registry:
    """What is registered; nothing where there is no file. Raises MixragError where it cannot be read or understood."""
    path = data_folder() / REGISTRY_FILE
    try:
        with path.open("rb") as file:
            known = json.loads(file.read(MAX_BYTES))
        return Registry(_texts(known["roots"]), _texts(known["collections"]))
    except (FileNotFoundError, NotADirectoryError):
        return Registry()
    except OSError as error:
        raise MixragError(f"{path}: {reason_of(error, 'cannot be read')}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise MixragError(f"{path}: is damaged", f"rm {path}, then name the collections anew") from error


def registered_roots() -> Mapping[str, str]:
    """The roots of the registry; none where it cannot be read, since no question depends on it."""
    try:
        return read_registry().roots
    except MixragError:
        return {}


def remember_roots(store: Path, folders: Iterable[Path]) -> None:
    """Let the store be found from these folders. Raises MixragError where the registry cannot be read or written."""
    wanted = {os.path.realpath(folder): os.path.realpath(store) for folder in folders}
    if not wanted.items() <= read_registry().roots.items():
        _update(lambda known: replace(known, roots={**known.roots, **wanted}))


def name_collection(name: str, store: Path) -> None:
    """Let the store be known by this name. Raises WrongUsage for a bad name or one that is taken, MixragError."""
    check_name(name)
    place = os.path.realpath(store)

    def named(known: Registry) -> Registry:
        taken = known.collections.get(name, place)
        if taken != place:
            raise WrongUsage(f"collection {name} is {taken} already", f"mixrag collections remove {name}")
        return replace(known, collections={**known.collections, name: place})

    if read_registry().collections.get(name) != place:
        _update(named)


def forget_collection(name: str) -> None:
    """Take the name out; its store stays. Raises MixragError."""
    _update(
        lambda known: replace(
            known, collections={each: store for each, store in known.collections.items() if each != name}
        )
    )


def check_name(name: str) -> None:
    """Raise WrongUsage for what is no name of a collection."""
    if not NAME.fullmatch(name):
        raise WrongUsage(
            f"{name!r} is no name for a collection", "a letter or digit, then letters, digits, dots, dashes; at most 64"
        )


def store_of_new_collection(name: str) -> Path:
    """Where the store of a collection that is made now belongs. Raises WrongUsage for what is no name."""
    check_name(name)
    return data_folder() / "collections" / name


def _update(change: Callable[[Registry], Registry]) -> None:
    """Write the changed registry beside and rename it; one process at a time."""
    folder = data_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (folder / f"{REGISTRY_FILE}.lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            changed = change(read_registry())
            _write(folder, changed)
    except OSError as error:
        raise MixragError(f"{folder}: {reason_of(error, 'cannot be written')}") from error


def _write(folder: Path, registry: Registry) -> None:
    plain = {"roots": dict(sorted(registry.roots.items())), "collections": dict(sorted(registry.collections.items()))}
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".registry-")  # for its owner alone
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(plain, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(folder / REGISTRY_FILE)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _texts(known: object) -> dict[str, str]:
    if not isinstance(known, dict):
        raise TypeError
    return {str(name): str(value) for name, value in known.items()}
