"""Whether what lies on disk may be trusted: whose it is, and whether it is what was recorded."""

from __future__ import annotations

import grp
import os
import stat
import zlib
from hashlib import sha256
from pathlib import Path

from mixrag_cli.errors import NoIndex, StoreDamaged, reason_of
from mixrag_cli.settings import load_settings
from mixrag_cli.store.commit import TableState, rebuild_hint
from mixrag_cli.store.layout import generations, manifest_path, table_path
from mixrag_cli.store.location import RECORD_FILE

READ_BYTES = 1 << 20


def check_ownership(store: Path) -> None:
    """Raise StoreDamaged for a store that somebody else could have written, NoIndex for none.

    Who belongs to the group that the setting names may have: its indexes are read, whoever of it made them.
    """
    for path in (store, store / RECORD_FILE, *generations(store).values()):
        try:
            known = path.stat()
        except FileNotFoundError:
            if path == store:
                raise NoIndex(f"no index at {store}", hint=f"mixrag index {store.parent}") from None
            continue
        except OSError as exc:
            raise StoreDamaged(f"cannot read {path}: {reason_of(exc)}") from exc
        is_ours = known.st_uid in (os.geteuid(), 0)
        others_write = stat.S_IMODE(known.st_mode) & 0o022
        if is_ours and not others_write:
            continue
        is_trusted = _belongs_to_group(known) and not others_write & 0o002
        if not is_ours and not is_trusted:
            raise StoreDamaged(f"index belongs to another user: {path}", hint=rebuild_hint(store))
        if others_write and not is_trusted:
            raise StoreDamaged(f"index is writable by others: {path}", hint=f"chmod -R go-w {store}")


def _belongs_to_group(known: os.stat_result) -> bool:
    """Whether it belongs to the group that the user trusts. Raises WrongUsage for settings that are none."""
    if not (name := load_settings().group):
        return False
    try:
        return known.st_gid == grp.getgrnam(name).gr_gid
    except KeyError:
        return False


def verify_manifest(store: Path, name: str, state: TableState, generation: int = 0) -> None:
    """Raise StoreDamaged where the file that defines the table's version is not the recorded one.

    Without this a manifest of zeros opens as an empty table.
    """
    try:
        raw = manifest_path(store, name, state.version, generation).read_bytes()
    except FileNotFoundError as exc:
        if not store.is_dir():
            raise NoIndex("the index was removed", hint=f"mixrag index {store.parent}") from exc
        raise StoreDamaged(f"{store}: a file of the table {name} is missing", rebuild_hint(store)) from exc
    if sha256(raw).hexdigest() != state.manifest_sha256:
        raise StoreDamaged(f"{store}: a file of the table {name} is damaged", rebuild_hint(store))


def verify_engine_files(store: Path, name: str, state: TableState, generation: int = 0, folder: str = "") -> None:
    """Raise StoreDamaged where a file that the engine would read by itself is not as it was written.

    A flipped byte in a list of deleted rows ends the process by a signal inside the engine; nothing can catch it.
    One that is missing is passed over: an older version's, which a later run removed, or the engine says so itself.
    folder: only the files below this one of the table's.
    """
    table = table_path(store, name, generation)
    for relative, crc in state.engine_crc32.items():
        if not relative.startswith(folder):
            continue
        try:
            found = crc_of_file(table / relative)
        except FileNotFoundError:
            continue
        except OSError as exc:
            raise StoreDamaged(f"{store}: a file of the table {name} cannot be read", rebuild_hint(store)) from exc
        if found != crc:
            raise StoreDamaged(f"{store}: a file of the table {name} is damaged", rebuild_hint(store))


def crc_of_file(path: Path) -> int:
    """The checksum of a file's bytes: 1 ms a megabyte. Raises OSError."""
    crc = 0
    with path.open("rb") as file:
        while raw := file.read(READ_BYTES):
            crc = zlib.crc32(raw, crc)
    return crc


def is_engine_error(exc: BaseException) -> bool:
    """Whether the error comes from Lance or Arrow (a Rust panic is a BaseException) and not from a bug or a signal."""
    return isinstance(exc, (OSError, ValueError, RuntimeError)) or type(exc).__name__ == "PanicException"
