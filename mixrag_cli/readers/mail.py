"""Mails (eml) and mailboxes (mbox): a section a message, its head, its text, and its attachments by their own readers.

An attachment is a part of its mail's document, under its name as a heading. One that cannot be read is a warning and
costs the mail nothing; where one takes the process down, the mail is read again without attachments.
"""

from __future__ import annotations

import contextlib
import email
import io
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from typing import Any, BinaryIO

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers import has_reader, reader_for
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decode, looks_binary, marked_encoding, wide_encoding
from mixrag_cli.readers.html import add_html
from mixrag_cli.readers.source import MEGABYTE, ReadSource
from mixrag_cli.readers.text import add_text
from mixrag_cli.records.documents import Document

HEAD = ("From", "To", "Cc", "Date", "Subject")
MAX_HEADER_CHARS = 1_000
MAX_MESSAGE_BYTES = 64 * MEGABYTE
MAX_ATTACHED_BYTES = 64 * MEGABYTE  # of all attachments of a file
MAX_MESSAGES = 20_000
MAX_PARTS = 500  # of one message
MAX_FORWARDED = 3  # messages within messages
MAX_WARNINGS = 10
LINE_BYTES = 1 << 20
HEAD_BYTES = 16  # of an attachment, by which some formats are known
NO_SUBJECT = "(no subject)"


def read_mail(source: ReadSource) -> Document:
    """The document of an eml file, with its attachments; one of 0 bytes has no blocks.

    Raises FileUnreadable: "binary", "too-large".
    """
    return _read(source, with_attachments=True)


def read_mail_alone(source: ReadSource) -> Document:
    """As read_mail, without attachments: for when one of them ended the process."""
    return _read(source, with_attachments=False)


def read_mailbox(source: ReadSource) -> Document:
    """The document of an mbox file: its messages in order, places are "message 12". Raises as read_mail does."""
    return _read(source, with_attachments=True, is_mailbox=True)


def read_mailbox_alone(source: ReadSource) -> Document:
    """As read_mailbox, without attachments."""
    return _read(source, with_attachments=False, is_mailbox=True)


def _read(source: ReadSource, *, with_attachments: bool, is_mailbox: bool = False) -> Document:
    if looks_binary(source.file.read(8192)):
        raise FileUnreadable("binary", "looks binary")
    source.file.seek(0)
    if not is_mailbox and source.size > MAX_MESSAGE_BYTES:
        raise FileUnreadable("too-large", f"larger than {MAX_MESSAGE_BYTES // MEGABYTE} MB")
    reader = _MailReader(source, with_attachments)
    messages = _messages_of(source.file) if is_mailbox else iter((source.file.read(MAX_MESSAGE_BYTES),))
    for number, raw in enumerate(messages, 1):
        if number > MAX_MESSAGES:
            reader.builder.warnings.append(f"more than {MAX_MESSAGES:,} messages; the rest is left out")
            break
        source.beat(min(source.file.tell(), source.size), source.size)
        if raw.strip():
            reader.add_raw(raw, f"message {number}" if is_mailbox else "")
    return reader.builder.build()


def _messages_of(file: BinaryIO) -> Iterator[bytes]:
    """The messages of a mailbox: each begins behind a blank line with "From ". Longer ones than the limit are cut."""
    parts: list[bytes] = []
    size = 0
    is_after_blank = True
    while line := file.readline(LINE_BYTES):
        if is_after_blank and line.startswith(b"From "):
            if parts:
                yield b"".join(parts)
            parts, size = [], 0
        elif size < MAX_MESSAGE_BYTES:
            parts.append(line[1:] if line.startswith(b">From ") else line)
            size += len(line)
        is_after_blank = not line.strip()
    yield b"".join(parts)


@dataclass(frozen=True, slots=True)
class _Part:
    """A leaf of a message: a text of its body, or an attachment (name is then not "")."""

    message: Message
    name: str = ""


class _MailReader:
    """Adds messages to one document."""

    def __init__(self, source: ReadSource, with_attachments: bool) -> None:
        self.builder = DocumentBuilder("mail")
        self._source = source
        self._with_attachments = with_attachments
        self._attached_bytes = 0

    def add_raw(self, raw: bytes, section: str) -> None:
        """Add one message. section: its place in the file, "" where it is the whole file."""
        self._add_message(_parse_message(raw), section, 1)

    def _add_message(self, message: Message, section: str, level: int) -> None:
        place: dict[str, Any] = {"section": section or None}
        subject = _header(message, "Subject") or NO_SUBJECT
        self.builder.title = self.builder.title or subject
        self.builder.add_heading(subject, level, **place)
        head = [f"{name}: {text}" for name in HEAD if (text := _header(message, name))]
        self.builder.add("\n".join(head), "paragraph", **place)
        parts = list(_parts_of(message))
        for part in parts:
            if not part.name:
                self._add_body(part.message, section)
        for part in parts:
            if part.name and self._with_attachments:
                self._add_attachment(part, section, level + 1)
        names = [part.name for part in parts if part.name]
        if names and not self._with_attachments:
            self._warn(f"read without its attachments, over which the reader failed: {', '.join(names)[:200]}")

    def _add_body(self, message: Message, section: str) -> None:
        body = DocumentBuilder("mail", cites="sections")
        text = self._source.redact(safe_text(_text_of(message)))
        if message.get_content_type() == "text/html":
            add_html(body, text, self._source.beat)
        else:
            add_text(body, text, "txt", self._source.beat)
        self.builder.add_document(body.build(), section)

    def _add_attachment(self, part: _Part, section: str, level: int) -> None:
        name = part.name
        where = f"{section}/{name}" if section else name
        if part.message.get_content_type() == "message/rfc822":
            forwarded = part.message.get_payload()
            inner = forwarded[0] if isinstance(forwarded, list) and forwarded else None
            if isinstance(inner, Message) and level <= MAX_FORWARDED:
                self._add_message(inner, where, level)
            return
        if not has_reader(name) and part.message.get_content_maintype() != "text":
            self._warn(f"attachment {name}: no reader for this format")
            return
        raw = _bytes_of(part.message)
        self._attached_bytes += len(raw)
        if self._attached_bytes > MAX_ATTACHED_BYTES:
            self._warn(f"attachment {name}: more than {MAX_ATTACHED_BYTES // MEGABYTE} MB of attachments; left out")
            return
        if name.lower().endswith(".eml"):
            if level <= MAX_FORWARDED:
                self._add_message(_parse_message(raw), where, level)
            return
        source = ReadSource(
            name, len(raw), io.BytesIO(raw), self._source.beat, self._source.limits, self._source.redact
        )
        try:
            document = reader_for(name, raw[:HEAD_BYTES])(source)
        except FileUnreadable as failure:
            self._warn(f"attachment {name}: {failure.reason}")
            return
        self.builder.add_heading(name, level, section=where)
        self.builder.add_document(document, where)
        for warning in document.warnings:
            self._warn(f"attachment {name}: {warning}")

    def _warn(self, text: str) -> None:
        if len(self.builder.warnings) < MAX_WARNINGS:
            self.builder.warnings.append(safe_text(text))


def _parse_message(raw: bytes) -> Message:
    """The message; one that was saved as UTF-16 or with a byte order mark as it was before."""
    if not marked_encoding(raw) and not wide_encoding(raw[:8192]):
        return email.message_from_bytes(raw)
    message = email.message_from_bytes(decode(raw)[0].encode())
    for part in message.walk():
        way = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
        if part.get_content_maintype() == "text" and way not in ("base64", "quoted-printable"):
            part.set_param("charset", "utf-8")  # its characters were saved with the rest
    return message


def _parts_of(message: Message) -> Iterator[_Part]:
    """The texts and attachments of a message in order; of alternatives the one that says most."""
    waiting = [message]
    for _ in range(MAX_PARTS):
        if not waiting:
            return
        part = waiting.pop(0)
        inner = part.get_payload()
        kind = part.get_content_type()
        name = _file_name(part)
        if kind == "message/rfc822":
            yield _Part(part, name or "forwarded message")
        elif isinstance(inner, list):
            parts = [each for each in inner if isinstance(each, Message)]
            waiting = [*(_best_of(parts) if kind == "multipart/alternative" else parts), *waiting]
        elif name and (part.get_content_disposition() == "attachment" or part.get_content_maintype() != "text"):
            if part.get_content_maintype() != "image" or part.get_content_disposition() == "attachment":
                yield _Part(part, name)  # a picture that the text shows is no document
        elif kind in ("text/plain", "text/html"):
            yield _Part(part)


def _best_of(alternatives: list[Message]) -> list[Message]:
    """HTML where it holds what plain text cannot (a table), else plain text, else the last."""
    kinds = {part.get_content_type(): part for part in alternatives}
    plain, html = kinds.get("text/plain"), kinds.get("text/html")
    if plain is not None and (html is None or "<table" not in _text_of(html).lower()):
        return [part for part in alternatives if part.get_content_type() != "text/html"]
    rich = [part for part in alternatives if part.get_content_type() != "text/plain"]
    return rich or alternatives[-1:]


def _header(message: Message, name: str) -> str:
    """A header as people read it, in one line; words in unknown encodings stay as they are."""
    raw = message.get(name)
    if raw is None:
        return ""
    text = str(raw)[: 4 * MAX_HEADER_CHARS]
    with contextlib.suppress(LookupError, UnicodeError, ValueError, MessageError):
        text = str(make_header(decode_header(text)))
    return " ".join(safe_text(text, keep_newlines=False).split())[:MAX_HEADER_CHARS]


def _file_name(part: Message) -> str:
    """The attachment's name without folders, "" where it has none."""
    try:
        name = part.get_filename() or ""
        name = str(make_header(decode_header(name)))
    except (LookupError, UnicodeError, ValueError, TypeError, MessageError):
        return "attachment"
    plain = " ".join(safe_text(name, keep_newlines=False).split())
    return plain.replace("\\", "/").rpartition("/")[2][:120]


def _bytes_of(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text_of(part: Message) -> str:
    """A part's text: by the charset that it declares where that fits, else by its bytes."""
    raw = _bytes_of(part)
    try:
        declared = raw.decode(part.get_content_charset() or "utf-8")
    except (LookupError, ValueError):
        return decode(raw)[0]
    return declared.replace("\r\n", "\n").replace("\r", "\n")
