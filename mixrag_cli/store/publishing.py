"""Publishing: the last commit as files that never change, and one small file that names the newest of them.

    mixrag.published.json        which manifests there are, the newest first; the only file that is written anew
    manifests/<sha256>.json      the files of one commit: path, size, sha256
    objects/<sha256>             their bytes; a file that two commits share lies there once

Everything is named by its hash, so a reader either has what was published or notices that it has not. The pointer goes
last. One machine publishes to an address, any number read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from mixrag_cli.errors import MixragError, StoreDamaged
from mixrag_cli.store.commit import record_bytes
from mixrag_cli.store.layout import files_below, manifest_versions, tables_path
from mixrag_cli.store.location import POINTER_FILE, RECORD_FILE
from mixrag_cli.store.places import Place, place_of
from mixrag_cli.store.reading import open_reader

FORM = "mixrag.published/1"
KEPT_SNAPSHOTS = 3  # readers that began with one of the two before the newest can fetch it to its end
MAX_POINTER_BYTES = 64_000
POINTER_READS = 3  # a publisher writes it once a commit


@dataclass(frozen=True, slots=True)
class Published:
    """What publishing did. number: of the commit; files, bytes: of the snapshot; the sent ones were not there yet."""

    address: str
    snapshot: str
    number: int
    files: int
    bytes: int
    sent_files: int
    sent_bytes: int


def publish(store: Path, address: str) -> Published:
    """Put the store's last commit at the address, and say what was sent.

    Raises NoIndex, StoreDamaged, StoreMismatch; WrongUsage for an address that cannot be written; MixragError.
    """
    place = place_of(address)
    before = read_pointer(place)
    sent_files = sent_bytes = 0
    rows: list[dict[str, Any]] = []
    with open_reader(store) as reader:  # its lock keeps clean-up away from the files
        if not reader.record.is_finished:
            raise MixragError("the index is not finished, so it is not published", f"mixrag index {store.parent}")
        for path, raw in _contents(store, reader.record):
            digest = sha256(raw).hexdigest()
            rows.append({"path": path, "size": len(raw), "sha256": digest})
            if not place.holds(f"objects/{digest}", len(raw)):
                place.write(f"objects/{digest}", raw)
                sent_files, sent_bytes = sent_files + 1, sent_bytes + len(raw)
    manifest = {"form": FORM, "store_id": reader.record.store_id, "number": reader.record.number, "files": rows}
    raw = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode("ascii")
    snapshot = sha256(raw).hexdigest()
    place.write(f"manifests/{snapshot}.json", raw)
    kept = list(dict.fromkeys([snapshot, *before]))
    place.write(POINTER_FILE, pointer_bytes(kept[:KEPT_SNAPSHOTS]))
    _remove_unused(place, kept)
    size = sum(int(row["size"]) for row in rows)
    return Published(place.address, snapshot, reader.record.number, len(rows), size, sent_files, sent_bytes)


def pointer_bytes(snapshots: list[str]) -> bytes:
    """The pointer file: the manifests' hashes, the newest first, and a sum over them."""
    known = {"form": FORM, "snapshots": snapshots, "sum": sha256("".join(snapshots).encode("ascii")).hexdigest()}
    return json.dumps(known, separators=(",", ":")).encode("ascii") + b"\n"


def read_pointer(place: Place) -> list[str]:
    """The hashes of the manifests there, the newest first; none where nothing is published.

    An object store is asked for a file's size and then for its bytes, and a longer pointer may come in between. So one
    that does not fit its sum is read again. Raises StoreDamaged for one that never does.
    """
    for _ in range(POINTER_READS):
        try:
            raw = place.read(POINTER_FILE)
        except FileNotFoundError:
            return []
        if snapshots := _snapshots_of(raw):
            return snapshots
    raise StoreDamaged(f"{place.address}/{POINTER_FILE}: not as it was published", "mixrag publish")


def _snapshots_of(raw: bytes) -> list[str]:
    """The hashes that a pointer file names; none where it is not as it was written."""
    try:
        known = json.loads(raw[:MAX_POINTER_BYTES])
        snapshots = [str(each) for each in known["snapshots"]]
    except (ValueError, KeyError, TypeError):
        return []
    return snapshots if pointer_bytes(snapshots) == raw else []


def read_manifest(place: Place, snapshot: str) -> Mapping[str, Any]:
    """The files of one snapshot. Raises FileNotFoundError; StoreDamaged for one that is not as it was published."""
    path = f"manifests/{snapshot}.json"
    raw = place.read(path)
    if sha256(raw).hexdigest() != snapshot:
        raise StoreDamaged(f"{place.address}/{path}: not as it was published", "mixrag publish")
    known: Mapping[str, Any] = json.loads(raw)
    return known


def _contents(store: Path, record: Any) -> Iterator[tuple[str, bytes]]:
    """Each file of the record's tables and the record itself, by its path below the store."""
    tables = tables_path(store, record.generation)
    newer = {
        path
        for name, state in record.tables.items()
        for version, path in manifest_versions(store, name, record.generation).items()
        if version != state.version
    }
    for entry in sorted(files_below(tables), key=lambda each: each.path):
        path = Path(entry.path)
        if entry.is_file(follow_symlinks=False) and path not in newer:
            yield path.relative_to(store).as_posix(), path.read_bytes()
    yield RECORD_FILE, record_bytes(record)


def _remove_unused(place: Place, snapshots: list[str]) -> None:
    """Take away what only snapshots use that are no longer kept."""
    kept, dropped = snapshots[:KEPT_SNAPSHOTS], snapshots[KEPT_SNAPSHOTS:]
    if not dropped:
        return
    used = {row["sha256"] for each in kept for row in read_manifest(place, each)["files"]}
    for each in dropped:
        try:
            unused = {row["sha256"] for row in read_manifest(place, each)["files"]} - used
        except (FileNotFoundError, StoreDamaged):
            continue
        for digest in unused:
            place.remove(f"objects/{digest}")
        place.remove(f"manifests/{each}.json")
