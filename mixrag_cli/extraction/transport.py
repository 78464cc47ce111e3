"""Frames between the program and its reader processes: length-prefixed JSON over a socket, records as lists.

JSON and not pickle: a reader process that a hostile file took over can send wrong text, but no code.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from mixrag_cli.records import Cell, Chunk, ColumnProfile, Header, Locator, Representation, Table

LENGTH_BYTES = 4
MAX_FRAME_BYTES = 256_000_000
CHUNKS_PER_FRAME = 256  # keeps a frame near half a megabyte, so a long result is also a sign of life


class TransportError(Exception):
    """The other side sent what is no frame, or no known record."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a reader process is asked for.

    embedder: as in the settings; its tokens are counted. window: the embedder's, in tokens.
    table_representation: as in the settings. fallback: use the second reader.
    """

    name: str
    path: str
    document_id: str
    embedder: str
    window: int
    max_file_mb: int
    max_text_file_mb: int
    table_representation: Representation = "h-rcl-rows"
    fallback: bool = False

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
        chunk.locator.to_json(),
        chunk.position,
        chunk.parent,
        chunk.row,
    ]


def chunk_from_plain(plain: Sequence[Any]) -> Chunk:
    """The inverse of chunk_to_plain."""
    identity, document, kind, modality, text, context, words, locator, position, parent, row = plain
    place = Locator.from_json(locator)
    return Chunk(identity, document, kind, modality, text, context, words, place, position, parent, row)


def table_to_plain(table: Table) -> dict[str, Any]:
    """The table as a JSON object; decimals as text, so that no digit is lost."""
    return {
        "id": table.id,
        "title": table.title,
        "columns": [_header_to_plain(header) for header in table.columns],
        "rows": [_header_to_plain(header) for header in table.rows],
        "cells": [_cell_to_plain(cell) for cell in table.cells],
        "locator": table.locator.to_json(),
        "unit": table.unit,
        "scale": table.scale,
        "notes": table.notes,
        "confidence": table.confidence,
        "total_rows": table.total_rows,
        "profiles": [_profile_to_plain(profile) for profile in table.profiles],
    }


def table_from_plain(plain: dict[str, Any]) -> Table:
    """The inverse of table_to_plain."""
    return Table(
        id=plain["id"],
        title=plain["title"],
        columns=tuple(_header_from_plain(header) for header in plain["columns"]),
        rows=tuple(_header_from_plain(header) for header in plain["rows"]),
        cells=tuple(_cell_from_plain(cell) for cell in plain["cells"]),
        locator=Locator.from_json(plain["locator"]),
        unit=plain["unit"],
        scale=plain["scale"],
        notes=tuple(plain["notes"]),
        confidence=plain["confidence"],
        total_rows=plain["total_rows"],
        profiles=tuple(_profile_from_plain(profile) for profile in plain["profiles"]),
    )


def _header_to_plain(header: Header) -> list[Any]:
    return [header.index, header.path, header.is_total]


def _header_from_plain(plain: Sequence[Any]) -> Header:
    return Header(plain[0], tuple(plain[1]), plain[2])


def _cell_to_plain(cell: Cell) -> list[Any]:
    place = [cell.address, cell.bbox, cell.line]
    value = _decimal_to_plain(cell.value)
    return [cell.row, cell.column, cell.text, value, cell.unit, cell.scale, *place, cell.row_span, cell.column_span]


def _cell_from_plain(plain: Sequence[Any]) -> Cell:
    row, column, text, value, unit, scale, address, bbox, line, row_span, column_span = plain
    box = tuple(bbox) if bbox is not None else None
    number = _decimal_from_plain(value)
    return Cell(row, column, text, number, unit, scale, address, box, line, row_span, column_span)


def _profile_to_plain(profile: ColumnProfile) -> list[Any]:
    numbers = [_decimal_to_plain(value) for value in (profile.total, profile.low, profile.high)]
    return [
        profile.index,
        profile.count,
        profile.numbers,
        *numbers,
        profile.low_row,
        profile.high_row,
        profile.distinct,
    ]


def _profile_from_plain(plain: Sequence[Any]) -> ColumnProfile:
    index, count, numbers, total, low, high, low_row, high_row, distinct = plain
    values = [_decimal_from_plain(value) for value in (total, low, high)]
    return ColumnProfile(index, count, numbers, values[0], values[1], values[2], low_row, high_row, tuple(distinct))


def _decimal_to_plain(value: Decimal | None) -> str | None:
    return None if value is None else str(value)


def _decimal_from_plain(plain: str | None) -> Decimal | None:
    return None if plain is None else Decimal(plain)


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
