"""One stream of an OLE compound file, for what the library that reads old workbooks leaves out.

Source: [MS-CFB], Compound File Binary File Format: 2.2 header, 2.3 FAT, 2.4 mini FAT, 2.5 DIFAT, 2.6 directory.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import BinaryIO

from mixrag_cli.readers.archive import OLE_MAGIC

MAX_STREAM_BYTES = 256_000_000
END = 0xFFFFFFF0  # from here on numbers of sectors are marks: free, end of chain, table
ENTRY_BYTES = 128
ROOT, STREAM = 5, 2
MINI_SECTOR_BYTES = 64
LIMIT_OF_MINI_BYTES = 4096
BROKEN = (struct.error, IndexError, ValueError, OSError, OverflowError)


def read_stream(file: BinaryIO, names: Sequence[str]) -> bytes:
    """The first stream of one of these names; b"" where there is none or the file is damaged."""
    try:
        return _Compound(file).read(names)
    except BROKEN:
        return b""


class _Compound:
    """The tables of a compound file. Raises one of BROKEN for what is none."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._limit = min(file.seek(0, 2), MAX_STREAM_BYTES)  # no chain of sectors is longer, unless it is a ring
        file.seek(0)
        head = file.read(512)
        if not head.startswith(OLE_MAGIC):
            raise ValueError("no compound file")
        (shift,) = struct.unpack_from("<H", head, 30)
        if shift not in (9, 12):
            raise ValueError("no size of sectors that the format knows")
        self._size = 1 << shift
        n_tables, directory = struct.unpack_from("<II", head, 44)
        (mini_table,) = struct.unpack_from("<I", head, 60)
        self._table = self._read_table(head, min(n_tables, self._limit // self._size))
        self._directory = self._chain(directory, self._limit)
        self._mini_table = _numbers(self._chain(mini_table, self._limit))

    def read(self, names: Sequence[str]) -> bytes:
        """The first stream of one of the names, b"" for none."""
        end = len(self._directory) // ENTRY_BYTES * ENTRY_BYTES
        entries = [self._directory[at : at + ENTRY_BYTES] for at in range(0, end, ENTRY_BYTES)]
        roots = [entry for entry in entries if entry[66] == ROOT]
        for entry in entries:
            if entry[66] == STREAM and _name_of(entry) in names:
                start, size = struct.unpack_from("<II", entry, 116)
                if size >= LIMIT_OF_MINI_BYTES:
                    return self._chain(start, min(size, self._limit))
                small = self._chain(struct.unpack_from("<I", roots[0], 116)[0], self._limit)
                return self._mini_chain(small, start, size)
        return b""

    def _read_table(self, head: bytes, n_tables: int) -> Sequence[int]:
        """The number of the next sector for each sector."""
        places = list(struct.unpack_from("<109I", head, 76))
        further = struct.unpack_from("<I", head, 68)[0]
        while further < END and len(places) < n_tables:
            *more, further = _numbers(self._sector(further))
            places += more
        return _numbers(b"".join(self._sector(place) for place in places[:n_tables] if place < END))

    def _sector(self, number: int) -> bytes:
        self._file.seek((number + 1) * self._size)
        return self._file.read(self._size)

    def _chain(self, start: int, size: int) -> bytes:
        parts: list[bytes] = []
        while start < END and len(parts) * self._size < size:
            parts.append(self._sector(start))
            start = self._table[start]
        return b"".join(parts)[:size]

    def _mini_chain(self, small: bytes, start: int, size: int) -> bytes:
        parts: list[bytes] = []
        while start < END and len(parts) * MINI_SECTOR_BYTES < size:
            parts.append(small[start * MINI_SECTOR_BYTES : (start + 1) * MINI_SECTOR_BYTES])
            start = self._mini_table[start]
        return b"".join(parts)[:size]


def _numbers(raw: bytes) -> Sequence[int]:
    return struct.unpack(f"<{len(raw) // 4}I", raw[: len(raw) // 4 * 4])


def _name_of(entry: bytes) -> str:
    (size,) = struct.unpack_from("<H", entry, 64)
    return entry[: max(min(size, 64) - 2, 0)].decode("utf-16-le", "replace")
