"""The cache of prepared models: each is built once, checked cheaply at every start and rebuilt when damaged.

1. The manifest beside the file says which source and which builder made it, and the size, time and sha256 of both.
2. Where sizes and times agree, the file is taken as it stands: hashing it would cost more than loading it.
3. Where they do not, the hashes decide, under a lock; what is wrong is built again beside the old and renamed.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models.bundled import check_sha256, file_sha256

CACHE_VARIABLE = "MIXRAG_CACHE_DIR"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a prepared model is made.

    name: of the prepared file, with the builder's version in it, so that versions of mixrag do not undo each other's
    work. build: writes the model made from source to the path it is given.
    """

    name: str
    source: Path
    source_sha256: str
    build: Callable[[Path], None]


def models_folder() -> Path:
    """Where prepared models lie: below MIXRAG_CACHE_DIR, else in the user's cache."""
    base = os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("mixrag")
    return Path(base).expanduser() / "models"


def ensure_prepared(recipe: Recipe) -> Path:
    """The prepared model's file, built now where it is missing, out of date or damaged.

    Raises ModelUnusable when the source is not the pinned one or the cache cannot be written.
    """
    folder = models_folder()
    path = folder / recipe.name
    if _stamps_agree(recipe, path):
        return path
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(folder):
            if not _stamps_agree(recipe, path):
                _refresh(recipe, path)
    except OSError as error:
        cause = (error.strerror or "unknown error").lower()
        raise ModelUnusable(f"cannot prepare the model in {folder}: {cause}", f"set {CACHE_VARIABLE}") from error
    return path


def forget_prepared(name: str) -> None:
    """Let the next ensure_prepared build the model anew, whatever its stamps say."""
    _manifest_file(models_folder() / name).unlink(missing_ok=True)


def _manifest_file(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def _stamps_agree(recipe: Recipe, path: Path) -> bool:
    known = _read_manifest(path)
    try:
        return known == {
            "source": _stamp(recipe.source, recipe.source_sha256),
            "file": _stamp(path, str(known.get("file", {}).get("sha256", ""))),
        }
    except OSError:
        return False


def _refresh(recipe: Recipe, path: Path) -> None:
    check_sha256(recipe.source, recipe.source_sha256)
    if not _is_whole(recipe, path):
        _build(recipe, path)
    manifest = {"source": _stamp(recipe.source, recipe.source_sha256), "file": _stamp(path, file_sha256(path))}
    with _replacing(_manifest_file(path)) as temporary:
        temporary.write_text(json.dumps(manifest), "utf-8")


def _is_whole(recipe: Recipe, path: Path) -> bool:
    """Whether the file is the one that the manifest tells of, if perhaps copied or touched since."""
    known = _read_manifest(path)
    try:
        return bool(known["source"]["sha256"] == recipe.source_sha256 and known["file"]["sha256"] == file_sha256(path))
    except (KeyError, TypeError, OSError):
        return False


def _build(recipe: Recipe, path: Path) -> None:
    for leftover in path.parent.glob(f".{path.name}-*"):  # of a run that was killed; the lock is ours
        leftover.unlink(missing_ok=True)
    with _replacing(path) as temporary:
        recipe.build(temporary)


def _stamp(path: Path, sha256: str) -> dict[str, Any]:
    status = path.stat()
    return {"sha256": sha256, "size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_manifest_file(path).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("file"), dict) else {}


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A file beside path that takes its place, durably, when the block ends well."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _sync(temporary)
        temporary.replace(path)
        _sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """The only process that prepares models here; the lock falls with its holder."""
    with (folder / ".lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
