"""Frames between the program and its reader processes: length-prefixed JSON over a socket, records as lists.

JSON and not pickle: a reader process that a hostile file took over can send wrong text, but no code.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mixrag_cli.plain import table_from_plain, table_to_plain
from mixrag_cli.records.passages import Chunk, Extraction
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Representation

LENGTH_BYTES = 4
MAX_FRAME_BYTES = 256_000_000
CHUNKS_PER_FRAME = 256  # keeps a frame near half a megabyte, so a long result is also a sign of life


class TransportError(Exception):
    """The other side sent what is no frame, or no known record."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a reader process is asked for.

    embedder: as in the settings; its tokens are counted. window: the embedder's, in tokens.
    table_representation, prose_chunks, nlp: as in the settings. fallback: use the second reader. ocr: whether pictures
    may be read. encoding: that the user says the text is in, "" for none.
    """

    name: str
    path: str
    document_id: str
    embedder: str
    window: int
    max_file_mb: int
    max_text_file_mb: int
    table_representation: Representation = "h-rcl-rows"
    prose_chunks: str = "packed"
    nlp: str = "none"
    fallback: bool = False
    ocr: bool = True
    encoding: str = ""

    def to_plain(self) -> dict[str, Any]:
        """The request as a JSON object."""
        return asdict(self)


def send_frame(connection: socket.socket, content: dict[str, Any]) -> None:
    """Send one JSON object."""
    payload = json.dumps(content, separators=(",", ":")).encode("ascii")
    connection.sendall(len(payload).to_bytes(LENGTH_BYTES, "big") + payload)


def send_request(connection: socket.socket, content: dict[str, Any], fd: int) -> None:
    """Send one small JSON object together with an open file."""
    payload = json.dumps(content, separators=(",", ":")).encode("ascii")
    sent = socket.send_fds(connection, [len(payload).to_bytes(LENGTH_BYTES, "big")], [fd])
    if sent != LENGTH_BYTES:
        raise TransportError("a request was cut short")
    connection.sendall(payload)


def receive_request(connection: socket.socket) -> tuple[dict[str, Any], int] | None:
    """The next request and its open file; None when the other side has closed.

    Raises TransportError.
    """
    head, fds, _, _ = socket.recv_fds(connection, LENGTH_BYTES, 1)
    if not head:
        return None
    if len(head) != LENGTH_BYTES or len(fds) != 1:
        raise TransportError("a request without its file")
    return _parse(_receive_exactly(connection, int.from_bytes(head, "big"))), fds[0]


def receive_frame(connection: socket.socket, before_wait: Callable[[], None] = lambda: None) -> dict[str, Any] | None:
    """The next JSON object; None when the other side has closed between frames.

    before_wait: called before each wait for bytes, to set the connection's timeout.
    Raises TimeoutError when the connection has a timeout, TransportError.
    """
    head = _receive_exactly(connection, LENGTH_BYTES, before_wait)
    if not head:
        return None
    length = int.from_bytes(head, "big")
    if length > MAX_FRAME_BYTES:
        raise TransportError(f"a frame of {length:,} bytes")
    return _parse(_receive_exactly(connection, length, before_wait))


def chunk_to_plain(chunk: Chunk) -> list[Any]:
    """The chunk as a list of JSON values."""
    return [
        chunk.id,
        chunk.document,
        chunk.kind,
        chunk.modality,
        chunk.text,
        chunk.context,
        chunk.words,
        chunk.locator.to_plain(),
        chunk.position,
        chunk.parent,
        chunk.row,
    ]


def chunk_from_plain(plain: Sequence[Any]) -> Chunk:
    """The inverse of chunk_to_plain."""
    identity, document, kind, modality, text, context, words, locator, position, parent, row = plain
    place = Locator.from_json(locator)
    return Chunk(identity, document, kind, modality, text, context, words, place, position, parent, row)


def extraction_to_plain(extraction: Extraction) -> dict[str, Any]:
    """The extraction as a JSON object."""
    return {
        "modality": extraction.modality,
        "title": extraction.title,
        "chunks": [chunk_to_plain(chunk) for chunk in extraction.chunks],
        "tables": [table_to_plain(table) for table in extraction.tables],
        "n_characters": extraction.n_characters,
        "warnings": extraction.warnings,
        "words_only": extraction.n_words_only,
    }


def extraction_from_plain(plain: Mapping[str, Any]) -> Extraction:
    """The inverse of extraction_to_plain."""
    chunks = tuple(map(chunk_from_plain, plain["chunks"]))
    return Extraction(
        plain["modality"],
        str(plain["title"]),
        chunks,
        tuple(map(table_from_plain, plain["tables"])),
        int(plain["n_characters"]),
        tuple(map(str, plain["warnings"])),
        min(max(int(plain["words_only"]), 0), len(chunks)),
    )


def _parse(payload: bytes | bytearray) -> dict[str, Any]:
    try:
        content = json.loads(payload)
    except ValueError as exc:
        raise TransportError("a frame that is no JSON") from exc
    if not isinstance(content, dict):
        raise TransportError("a frame that is no JSON object")
    return content


def _receive_exactly(
    connection: socket.socket, length: int, before_wait: Callable[[], None] = lambda: None
) -> bytearray:
    """So many bytes; none at all when the other side has closed before the first."""
    received = bytearray()
    while len(received) < length:
        before_wait()
        piece = connection.recv(min(length - len(received), 1 << 20))
        if not piece and not received:
            return received
        if not piece:
            raise TransportError("a frame was cut short")
        received += piece
    return received
