"""Reading a published index: its newest snapshot, file by file verified, in a folder of the user's cache.

What lies there is a store as any other, which nobody writes. A file that an older snapshot had is linked, not fetched.
"""

from __future__ import annotations

import os
import secrets
import shutil
from hashlib import sha256
from pathlib import Path, PurePosixPath

from mixrag_cli.errors import MixragError, NoIndex, StoreDamaged, reason_of
from mixrag_cli.records.files import stable_id
from mixrag_cli.settings import cache_folder
from mixrag_cli.store.layout import make_private_folder
from mixrag_cli.store.location import POINTER_FILE, is_published
from mixrag_cli.store.lock import READERS_FILE, exclude_readers
from mixrag_cli.store.places import Place, place_of
from mixrag_cli.store.publishing import pointer_bytes, read_manifest, read_pointer

CHANGES_FOLLOWED = 3  # a publisher that is this quick is waited for by asking again


def fetch(address: str) -> Path:
    """The store that holds the newest snapshot at the address, here on this machine.

    Asks for the pointer each time, so that a new commit is seen; fetches only files that are not here yet.
    Raises NoIndex where nothing is published; StoreDamaged, naming the file that is not as it was published;
    MixragError where the address cannot be reached or the cache not be written.
    """
    place = place_of(address)
    mirror = cache_folder("published") / stable_id("published", place.address)
    last: FileNotFoundError | None = None
    for _ in range(CHANGES_FOLLOWED):
        snapshots = read_pointer(place)
        if not snapshots:
            raise NoIndex(f"no published index at {place.address}", f"mixrag publish {place.address}")
        store = mirror / snapshots[0]
        if is_published(store):
            return store
        try:
            _fetch_snapshot(place, snapshots[0], mirror)
        except FileNotFoundError as exc:  # a newer one was published and took this one away
            last = exc
            continue
        except OSError as exc:
            raise MixragError(f"cannot write {mirror}: {reason_of(exc)}") from exc
        return store
    raise StoreDamaged(f"{place.address}/{last}: missing, though it was published", "mixrag publish")


def _fetch_snapshot(place: Place, snapshot: str, mirror: Path) -> None:
    """Put the snapshot's files into the mirror, all or none. Raises FileNotFoundError, StoreDamaged, OSError."""
    manifest = read_manifest(place, snapshot)
    objects = mirror / "objects"
    for folder in (mirror.parent.parent, mirror.parent, mirror, objects):
        make_private_folder(folder)
    building = mirror / f"building.{os.getpid()}.{secrets.token_hex(4)}"
    make_private_folder(building)
    try:
        for row in manifest["files"]:
            path = PurePosixPath(row["path"])
            if path.is_absolute() or ".." in path.parts:
                raise StoreDamaged(f"{place.address}: the manifest names a place outside of it: {path}")
            kept = objects / _hex(row["sha256"])
            if not kept.is_file() or kept.stat().st_size != row["size"]:
                _fetch_object(place, row, kept)
            target = building / path
            for parent in reversed(target.relative_to(building).parents):
                make_private_folder(building / parent)
            os.link(kept, target)
        for name, raw in ((READERS_FILE, b""), (POINTER_FILE, pointer_bytes([snapshot]))):
            (building / name).write_bytes(raw)
        try:
            building.rename(mirror / snapshot)
        except OSError:  # another process was quicker
            if not is_published(mirror / snapshot):
                raise
    finally:
        shutil.rmtree(building, ignore_errors=True)
    _forget_others(mirror, snapshot)


def _fetch_object(place: Place, row: dict[str, str], kept: Path) -> None:
    """One file, verified before it gets its name."""
    remote = f"objects/{_hex(row['sha256'])}"
    try:
        raw = place.read(remote)
    except FileNotFoundError:
        raise FileNotFoundError(remote) from None
    if sha256(raw).hexdigest() != row["sha256"]:
        raise StoreDamaged(f"{place.address}/{remote} ({row['path']}): not as it was published", "mixrag publish")
    fresh = kept.with_name(f"{kept.name}.{os.getpid()}.{secrets.token_hex(4)}.new")
    fresh.touch(mode=0o600)
    fresh.write_bytes(raw)
    fresh.rename(kept)


def _forget_others(mirror: Path, snapshot: str) -> None:
    """Remove the snapshots that nobody reads any more, and the files that only they had."""
    for folder in mirror.iterdir():
        if folder.name in (snapshot, "objects") or folder.name.startswith("building."):
            continue
        with exclude_readers(folder) as alone:
            if alone:
                shutil.rmtree(folder, ignore_errors=True)
    for kept in (mirror / "objects").iterdir():
        if kept.suffix != ".new" and kept.stat().st_nlink == 1:
            kept.unlink(missing_ok=True)


def _hex(digest: str) -> str:
    if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        raise StoreDamaged(f"the manifest names what is no hash: {digest[:80]!r}")
    return digest
