"""The commit record: the one small file that says which table versions make up the index.

A reader opens exactly these versions; whatever is newer was never acknowledged. The file carries its own
checksum, and the record before it is kept beside it. Lance itself syncs nothing to disk, so the order is ours:
new data files, their folders, then this record by write, sync, rename, sync of the folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mixrag_cli.errors import NoIndex, StoreDamaged, StoreMismatch
from mixrag_cli.store.failpoints import reach
from mixrag_cli.store.layout import PRIVATE_FILE, file_mode
from mixrag_cli.store.location import PREVIOUS_RECORD_FILE, RECORD_FILE

SCHEMA_VERSION = 4  # 3 had vectors of four bytes an axis, and all of them twice


LOCKED_TABLES = ("documents", "chunks", "tables")  # in the order that programs of all versions agree on
VERSION_BITS = 32


@dataclass(frozen=True, slots=True)
class TableState:
    """One table at one version. manifest_sha256: hex, of the manifest file that defines the version.

    engine_crc32: by path below the table's folder, of what the engine reads and no row's hash covers: the lists of
    deleted rows and the word index. Empty in records of older programs.
    """

    version: int
    rows: int
    manifest_sha256: str
    engine_crc32: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """What the index consists of after a commit.

    store_id: random hex, drawn at creation. number: of the commit, from 0. embedder, dim: the model that made the
    vectors. roots: indexed folders, as "." (the folder the store lies in) or absolute paths, fsdecoded.
    counts: rows by table and documents by status. tokens: embedded so far in what is indexed. bytes: size of the
    store when last tidied. tidied: the version of the chunks that the last
    finished run left, 0 before any did. extra: settings fitted to this collection.
    late_dim: length of a token's vector, 0 where the model gives none. generation: of the tables, raised by a rebuild.
    home: inode of the store's folder when the tables were begun; who copies or downloads a folder gets another one.
    """

    schema_version: int
    store_id: str
    number: int
    tables: Mapping[str, TableState]
    embedder: str
    dim: int
    roots: tuple[str, ...]
    counts: Mapping[str, int]
    tokens: int
    bytes: int
    created_ns: int
    updated_ns: int
    program: str
    tidied: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)
    late_dim: int = 0
    generation: int = 0
    home: int = 0

    @property
    def chunks(self) -> int:
        """Passages in the index."""
        return self.tables["chunks"].rows if "chunks" in self.tables else 0

    @property
    def is_finished(self) -> bool:
        """Whether the run that wrote this came to its end; else asking works, but slower."""
        chunks = self.tables.get("chunks")
        return chunks is None or self.tidied == chunks.version

    def was_made_at(self, store: Path) -> bool:
        """Whether the tables were begun in this very folder."""
        return self.home == store.stat().st_ino

    def lock_places(self) -> list[int]:
        """The bytes of the readers' lock that stand for the versions read here."""
        return [lock_place(name, self.generation, state.version) for name, state in self.tables.items()]

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> CommitRecord:
        """The inverse of to_json; fields of newer versions are ignored."""
        values = {name: known[name] for name in cls.__dataclass_fields__ if name in known}
        values["tables"] = {name: TableState(**state) for name, state in known["tables"].items()}
        values["roots"] = tuple(known["roots"])
        return cls(**values)


def lock_place(table: str, generation: int, version: int = 0) -> int:
    """The byte of the readers' lock that stands for one version; of version 0, where those of a generation begin."""
    return (LOCKED_TABLES.index(table) << 56) + (generation << VERSION_BITS) + version


def read_record(store: Path) -> CommitRecord:
    """The store's record; the previous one where the current is damaged or gone.

    Raises NoIndex where there is neither, StoreDamaged where neither is whole, StoreMismatch for another layout.
    """
    found = False
    for known in _records_in(store):
        if known is not None:
            return _understood(store, known)
        found = True
    if found:
        raise StoreDamaged(f"{store}: the commit record is damaged", hint=rebuild_hint(store))
    raise NoIndex(f"no index at {store}", hint=f"mixrag index {store.parent}")


def read_roots(store: Path) -> tuple[str, ...]:
    """The folders that the store's record names, of whatever layout it is; none where no record is whole.

    A store of another layout is made anew from the same folders.
    """
    known = next((each for each in _records_in(store) if each is not None), {})
    return tuple(map(str, known.get("roots", ())))


def write_record(store: Path, record: CommitRecord) -> None:
    """Make the record the current one, durably; the one before becomes the previous copy.

    There is no moment without a whole record: the old one is copied aside before the new one is renamed over it.
    Raises OSError.
    """
    fresh = store / (RECORD_FILE + ".new")
    _write_synced(fresh, record_bytes(record))
    reach("record_written")
    keep_twin(store)
    reach("record_copied")
    fresh.rename(store / RECORD_FILE)
    reach("record_renamed")
    sync_folder(store)


def record_bytes(record: CommitRecord) -> bytes:
    """The record as a file, with its checksum."""
    body = json.dumps(record.to_json(), sort_keys=True, separators=(",", ":"))
    return (json.dumps({"sha256": _digest(body), "record": body}) + "\n").encode("ascii")


def keep_twin(store: Path) -> None:
    """Copy the current record to the previous one (before a new one comes, or before old versions go).

    A copy and not a link: damage to one must not be damage to both.
    """
    aside = store / (PREVIOUS_RECORD_FILE + ".new")
    try:
        _write_synced(aside, (store / RECORD_FILE).read_bytes())
    except FileNotFoundError:
        return
    aside.rename(store / PREVIOUS_RECORD_FILE)


def rebuild_hint(store: Path) -> str:
    """The command that makes the index anew."""
    return f"mixrag index --rebuild {store.parent}"


def root_to_text(root: Path, store: Path) -> str:
    """An indexed folder as a record names it: "." for the folder that the store lies in, so that both can move."""
    return "." if root.absolute() == store.absolute().parent else str(root.absolute())


def text_to_root(text: str, store: Path) -> Path:
    """The inverse of root_to_text."""
    return store.absolute().parent if text == "." else Path(text)


def sync_folder(folder: Path | str) -> None:
    """Make the folder's entries (creations, renames) durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _records_in(store: Path) -> Iterator[dict[str, Any] | None]:
    """The current record and the previous one, those that there are; None for one that is not whole."""
    for name in (RECORD_FILE, PREVIOUS_RECORD_FILE):
        try:
            raw = (store / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
        yield _checked(raw)


def _checked(raw: bytes) -> dict[str, Any] | None:
    try:
        line = json.loads(raw)
        body = line["record"]
        known: dict[str, Any] = json.loads(body) if _digest(body) == line["sha256"] else {}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return known or None


def _understood(store: Path, known: Mapping[str, Any]) -> CommitRecord:
    if known.get("schema_version") != SCHEMA_VERSION:
        raise StoreMismatch(
            f"{store}: index layout {known.get('schema_version')}, this version reads {SCHEMA_VERSION}",
            hint=rebuild_hint(store),
        )
    return CommitRecord.from_json(known)


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode("ascii")).hexdigest()


def _write_synced(path: Path, raw: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(file.fileno(), file_mode(path.parent))
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
