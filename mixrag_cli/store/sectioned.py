"""A file of arrays that is mapped, never loaded: what is read of it is verified, block by block, at its first reading.

header as JSON, padded      the arrays' names, kinds, lengths and places; a sum over itself
the arrays, one after the other, each begun at a multiple of 8
the blocks' checksums       crc32 of each BLOCK_BYTES after the header
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from mixrag_cli.store.layout import file_mode

HEADER_BYTES = 4_096
BLOCK_BYTES = 16_384  # 15 microseconds to verify; a million passages have 200 kB of checksums
_ALIGNED = 8


class DamagedSectionError(ValueError):
    """What was read is not what was written."""


@dataclass(frozen=True, slots=True)
class _Section:
    kind: np.dtype[Any]
    length: int
    start: int  # bytes after the header


class SectionedFile:
    """The file, open for reading. known: what its writer said of it."""

    def __init__(self, path: Path, form: str) -> None:
        """Raises OSError; DamagedSectionError for a file that is not whole, or of another form."""
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
        self.known, sections, size, crc = _parse_header(head, form)
        self._sections = sections
        if path.stat().st_size != HEADER_BYTES + size + 4 * _n_blocks(size):
            raise DamagedSectionError(f"{path.name}: cut short")
        self._raw = np.memmap(path, np.uint8, "r", HEADER_BYTES, (size,))
        self._crcs = np.fromfile(path, np.uint32, offset=HEADER_BYTES + size)
        if zlib.crc32(self._crcs.tobytes()) != crc:
            raise DamagedSectionError(f"{path.name}: its checksums are damaged")
        self._verified = np.zeros(len(self._crcs), np.bool_)
        self._name = path.name

    def length(self, name: str) -> int:
        """How many values the array has."""
        return self._sections[name].length

    def read(self, name: str, first: int = 0, last: int | None = None) -> npt.NDArray[Any]:
        """The array's values from first until before last, mapped. Raises DamagedSectionError."""
        section = self._sections[name]
        last = section.length if last is None else last
        start, end = (section.start + place * section.kind.itemsize for place in (first, last))
        self._verify(start, end)
        return self._raw[start:end].view(section.kind)

    def verify_all(self) -> None:
        """Read every block. Raises DamagedSectionError."""
        self._verify(0, len(self._raw))

    def _verify(self, start: int, end: int) -> None:
        if start >= end:
            return
        first, last = start // BLOCK_BYTES, (end - 1) // BLOCK_BYTES + 1
        for block in np.flatnonzero(~self._verified[first:last]) + first:
            at = int(block) * BLOCK_BYTES
            if zlib.crc32(self._raw[at : at + BLOCK_BYTES].data) != int(self._crcs[block]):
                raise DamagedSectionError(f"{self._name}: damaged")
            self._verified[block] = True


class SectionedWriter:
    """Writes the arrays in the order in which they are added; their bytes may come in parts."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        os.fchmod(file.fileno(), file_mode(Path(file.name).parent))
        file.write(b"\0" * HEADER_BYTES)
        self._sections: dict[str, tuple[str, int, int]] = {}
        self._size = 0
        self._open_block = b""
        self._crcs: list[int] = []

    def add(self, name: str, kind: str, parts: Iterable[npt.NDArray[Any]]) -> None:
        """One array, of numpy's kind, in parts."""
        start, length = self._size, 0
        for part in parts:
            raw = np.ascontiguousarray(part, dtype=kind)
            length += len(raw)
            self._write(raw.tobytes())
        self._sections[name] = (kind, length, start)
        self._write(b"\0" * (-self._size % _ALIGNED))

    def finish(self, form: str, known: Mapping[str, Any]) -> None:
        """The checksums, then the header; durable afterwards."""
        if self._open_block:
            self._crcs.append(zlib.crc32(self._open_block))
        crcs = np.array(self._crcs, np.uint32).tobytes()
        self._file.write(crcs)
        about = {"form": form, "known": dict(known), "sections": self._sections, "size": self._size}
        body = json.dumps({**about, "crc": zlib.crc32(crcs)}, separators=(",", ":"))
        header = json.dumps({"sum": zlib.crc32(body.encode("ascii")), "body": body}).encode("ascii")
        if len(header) > HEADER_BYTES:
            raise ValueError(f"a header of {len(header)} bytes")
        self._file.seek(0)
        self._file.write(header.ljust(HEADER_BYTES))
        self._file.flush()
        os.fsync(self._file.fileno())

    def _write(self, raw: bytes) -> None:
        self._file.write(raw)
        self._size += len(raw)
        waiting = self._open_block + raw
        whole = len(waiting) - len(waiting) % BLOCK_BYTES
        self._crcs += [zlib.crc32(waiting[at : at + BLOCK_BYTES]) for at in range(0, whole, BLOCK_BYTES)]
        self._open_block = waiting[whole:]


def _parse_header(head: bytes, form: str) -> tuple[dict[str, Any], dict[str, _Section], int, int]:
    """What the writer said, the sections, the bytes of all of them, and the checksum of their checksums."""
    try:
        line = json.loads(head)
        body = line["body"]
        if zlib.crc32(body.encode("ascii")) != line["sum"]:
            raise DamagedSectionError("its header is damaged")
        about = json.loads(body)
        if about["form"] != form:
            raise DamagedSectionError(f"of another form: {about['form']}")
        sections = {name: _Section(np.dtype(kind), n, start) for name, (kind, n, start) in about["sections"].items()}
        return about["known"], sections, int(about["size"]), int(about["crc"])
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise DamagedSectionError(f"its header cannot be read: {exc}") from exc


def _n_blocks(size: int) -> int:
    return -(-size // BLOCK_BYTES)
