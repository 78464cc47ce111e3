"""Zip archives and XML from strangers: sizes are checked before and counted while inflating, entities are refused.

Nothing is ever unpacked to disk, so entry names ("../x") and duplicates are only names.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO
from xml.parsers import expat

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.source import ReadSource

ZIP_MAGIC = b"PK"
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
SEARCH_BYTES = 1 << 20
MEGABYTE = 1_000_000
MAX_ENTRY_BYTES = 256 * MEGABYTE
MAX_TOTAL_BYTES = 512 * MEGABYTE
MAX_RATIO = 200  # a bomb was measured at 400:1; real sheets reach about 40:1
RATIO_FROM_BYTES = 50 * MEGABYTE
MAX_ENTRIES = 10_000
CHUNK_BYTES = 1 << 18
# Of one XML part that a library takes into a tree, which costs some 40 bytes a byte: within a worker's 2 GB.
MAX_TREE_BYTES = 32 * MEGABYTE
MAX_DEPTH = 200
BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    ValueError,
    RuntimeError,
    struct.error,
)


class Archive:
    """The parts of a zip file, read within limits.

    kind: what such a file is to a person ("workbook"), for messages.
    Raises FileUnreadable("damaged") for what is no zip, ("password") for encrypted entries, ("too-large") for bombs.
    """

    def __init__(self, file: BinaryIO, kind: str = "workbook") -> None:
        try:
            self._zip = zipfile.ZipFile(file)
            self._entries = {info.filename.lstrip("/"): info for info in self._zip.infolist()}
        except BROKEN_ZIP as error:
            raise FileUnreadable("damaged", f"not a readable {kind} (damaged zip)") from error
        self._inflated = 0
        self._check_directory()

    @property
    def names(self) -> tuple[str, ...]:
        """Entry names; of duplicates the last one counts."""
        return tuple(self._entries)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def chunks(self, name: str) -> Iterator[bytes]:
        """A part's bytes, inflated piece by piece and counted: the directory's sizes may lie."""
        info = self._entries[name]
        read = 0
        try:
            with self._zip.open(info) as part:
                while chunk := part.read(CHUNK_BYTES):
                    read += len(chunk)
                    self._inflated += len(chunk)
                    self._check_size(read, max(info.compress_size, 1))
                    yield chunk
        except BROKEN_ZIP as error:
            raise FileUnreadable("damaged", f"damaged part {_short_name(name)}") from error

    def read(self, name: str, limit: int = MAX_TREE_BYTES) -> bytes:
        """A part as a whole. Raises FileUnreadable as chunks() does, and ("too-large") above the limit."""
        parts, size = [], 0
        for chunk in self.chunks(name):
            size += len(chunk)
            if size > limit:
                raise FileUnreadable("too-large", f"part {_short_name(name)} is larger than {limit // MEGABYTE} MB")
            parts.append(chunk)
        return b"".join(parts)

    def check_trees(self) -> None:
        """Go through every XML part once, for a library that will take it into a tree without limits of its own.

        Raises FileUnreadable: "forbidden" (entities, absurd nesting), "too-large", "damaged".
        """
        for name in self.names:
            if name.lower().endswith((".xml", ".rels")):
                parse_xml(iter((self.read(name),)), _ignore, _ignore, _ignore)

    def _check_directory(self) -> None:
        infos = self._zip.infolist()
        if len(infos) > MAX_ENTRIES:
            raise FileUnreadable("too-large", f"holds {len(infos):,} entries (limit {MAX_ENTRIES:,})")
        if any(info.flag_bits & 1 for info in infos):
            raise FileUnreadable("password", "needs a password")
        for info in infos:
            self._check_size(info.file_size, max(info.compress_size, 1))
        total = sum(info.file_size for info in infos)
        if total > MAX_TOTAL_BYTES:
            raise FileUnreadable(
                "too-large", f"expands to {total // MEGABYTE} MB (limit {MAX_TOTAL_BYTES // MEGABYTE} MB)"
            )

    def _check_size(self, size: int, compressed: int) -> None:
        if size > MAX_ENTRY_BYTES:
            limit = MAX_ENTRY_BYTES // MEGABYTE
            raise FileUnreadable("too-large", f"expands to {size // MEGABYTE} MB (limit {limit} MB per entry)")
        if size > RATIO_FROM_BYTES and size > MAX_RATIO * compressed:
            raise FileUnreadable("too-large", f"expands {size // compressed} times (limit {MAX_RATIO} above 50 MB)")
        if self._inflated > MAX_TOTAL_BYTES:
            raise FileUnreadable("too-large", f"expands to more than {MAX_TOTAL_BYTES // MEGABYTE} MB")


def open_package(source: ReadSource, kind: str) -> Archive | None:
    """The zip that an office file or book is; None for a file of 0 bytes.

    Raises FileUnreadable: "password" for an encrypted package, "damaged" for what is none, and as Archive does.
    """
    if source.size > source.limits.max_file_mb * MEGABYTE:
        raise FileUnreadable("too-large", f"larger than {source.limits.max_file_mb} MB")
    head = source.file.read(len(OLE_MAGIC))
    source.file.seek(0)
    if not head:
        return None
    if head.startswith(ZIP_MAGIC):
        return Archive(source.file, kind)
    if head == OLE_MAGIC and is_encrypted(source.file):
        raise FileUnreadable("password", "needs a password")
    raise FileUnreadable("damaged", f"not a readable {kind}")


def is_encrypted(file: BinaryIO) -> bool:
    """Whether an OLE container holds an encrypted package; the file is at its start before and after."""
    overlap = b""
    try:
        while chunk := file.read(SEARCH_BYTES):
            if ENCRYPTED in overlap + chunk:
                return True
            overlap = chunk[-len(ENCRYPTED) :]
        return False
    finally:
        file.seek(0)


def local_names(attributes: dict[str, str]) -> dict[str, str]:
    """Attributes by their names without namespace prefix."""
    return {name.rpartition(":")[2]: value for name, value in attributes.items()}


def _ignore(*_: object) -> None:
    """A handler that takes no notice."""


def parse_xml(
    chunks: Iterator[bytes],
    on_start: Callable[[str, dict[str, str]], None],
    on_end: Callable[[str], None],
    on_text: Callable[[str], None],
) -> None:
    """Feed XML to the handlers; element and attribute names come without namespace prefix.

    Raises FileUnreadable("damaged") for broken XML, ("forbidden") for any entity declaration or absurd nesting.
    """
    parser = guarded_parser(on_start, on_end, on_text)
    parser.buffer_text = True
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise FileUnreadable("damaged", "damaged file (broken XML)") from error


def guarded_parser(
    on_start: Callable[[str, dict[str, str]], None],
    on_end: Callable[[str], None],
    on_text: Callable[[str], None],
    max_depth: int = MAX_DEPTH,
    encoding: str | None = None,
) -> expat.XMLParserType:
    """A parser with these handlers, as of parse_xml, that raises FileUnreadable("forbidden") where parse_xml does.

    encoding: of what it is given, whatever the XML declares.
    """
    parser = expat.ParserCreate(encoding)
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > max_depth:
            raise FileUnreadable("forbidden", f"XML nested deeper than {max_depth}")
        on_start(name.rpartition(":")[2], attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        on_end(name.rpartition(":")[2])

    def refuse(*_: object) -> int:
        raise FileUnreadable("forbidden", "forbidden XML entity declaration")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = on_text
    parser.EntityDeclHandler = refuse
    parser.UnparsedEntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    return parser


def _short_name(name: str) -> str:
    return re.sub(r"[^\w./-]", "?", name)[-60:]
