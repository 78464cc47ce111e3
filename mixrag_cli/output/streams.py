"""Where the answer goes: stdout guarded against native noise, closed descriptors and failing writes.

Native libraries write to descriptors 1 and 2 whenever they like, and a descriptor that was closed at the start
is given to the next file that is opened: a stray ``printf`` then lands in the user's data. So the program's own
streams move to private copies of the descriptors, 1 leads to nowhere from then on, and what native code says on 2 is
kept in memory for the log. In tests that replace sys.stdout, nothing here is in the way.
"""

from __future__ import annotations

import codecs
import errno
import io
import json
import os
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import MixragError

NATIVE_LOG_TAIL_BYTES = 20_000  # enough for a panic and its backtrace

# What a stream that is not UTF-8 gets in place of the characters that this program writes itself; else "?".
PLAIN_FORMS = {
    "…": "...",
    "›": ">",
    "—": "-",
    "–": "-",
    "·": "-",
    "“": '"',
    "”": '"',
    "’": "'",
    "€": "EUR ",
    "✓": "ok",
    "×": "x",
}


def _plain_form(error: UnicodeError) -> tuple[str, int]:
    """The codec error handler "mixrag-plain": an answer never fails for a character."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wanted = error.object[error.start : error.end]
    return "".join(PLAIN_FORMS.get(character, "?") for character in wanted), error.end


codecs.register_error("mixrag-plain", _plain_form)


class ReaderGone(Exception):
    """The process that read our answer has closed the pipe: it has all it wanted."""


class WriteFailed(MixragError):
    """The answer could not be written (disk full, closed stream)."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(f"write error: {describe_os_error(cause)}")


def describe_os_error(error: OSError) -> str:
    """The system's own words, in lower case: "no space left on device"."""
    words = error.strerror or os.strerror(error.errno or 0)
    return words[:1].lower() + words[1:]


class _Stream(io.TextIOWrapper):
    """A text stream on a descriptor of its own; what a failing write means is said by _fail.

    The file below is the interpreter's own: one written in Python could be interrupted by a signal between the
    system call and the bookkeeping, and would then write the same bytes again.
    """

    def __init__(self, descriptor: int, encoding: str, *, line_buffering: bool) -> None:
        file = io.FileIO(descriptor, "w")
        super().__init__(
            io.BufferedWriter(file), encoding=encoding, errors="mixrag-plain", line_buffering=line_buffering
        )
        self.descriptor = descriptor

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self._fail(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        """What is still buffered must not fail again, when the interpreter flushes at its end."""
        _point_at_null(self.descriptor)


class _Answers(_Stream):
    """stdout: a failing write ends the command, as ReaderGone or WriteFailed."""

    def __init__(self, descriptor: int, encoding: str, *, is_open: bool) -> None:
        super().__init__(descriptor, encoding, line_buffering=False)
        self.is_open = is_open

    def write(self, text: str) -> int:
        if not self.is_open:
            raise WriteFailed(OSError(errno.EBADF, os.strerror(errno.EBADF)))
        return super().write(text)

    def _fail(self, error: OSError) -> None:
        super()._fail(error)
        if error.errno in (errno.EPIPE, errno.ESHUTDOWN, errno.ECONNRESET):
            raise ReaderGone from error
        raise WriteFailed(error) from error


def _point_at_null(descriptor: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    if null != descriptor:
        os.dup2(null, descriptor)
        os.close(null)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def fill_standard_descriptors() -> bool:
    """Lead each of 0, 1, 2 that is closed to the null device; True where stdout was open.

    Must be the first act of the program: any file opened earlier could take the free number.
    """
    stdout_was_open = _is_open(1)
    for descriptor in (0, 1, 2):
        if not _is_open(descriptor):
            _point_at_null(descriptor)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - lives as long as the program
    return stdout_was_open


def take_over_streams(*, stdout_was_open: bool, keep_native_noise: bool) -> None:
    """Give the program's own streams private descriptors and lead 1 and 2 away from the user.

    keep_native_noise: let what native code writes on 2 be seen (for --debug).
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    answers, notes = os.dup(1), os.dup(2)
    sys.stdout = _Answers(answers, encoding, is_open=stdout_was_open)
    sys.stderr = _Stream(notes, getattr(sys.stderr, "encoding", None) or encoding, line_buffering=True)
    _point_at_null(1)
    if not keep_native_noise:
        _collect_noise(2)


def _collect_noise(descriptor: int) -> None:
    """Lead a descriptor to a file in memory, or to nowhere on a system without them."""
    if not hasattr(os, "memfd_create"):
        _point_at_null(descriptor)
        return
    memory = os.memfd_create("mixrag-noise")
    os.dup2(memory, descriptor)
    os.close(memory)


def native_noise() -> str:
    """The end of what native code has written on descriptor 2 so far; "" where that is not kept."""
    try:
        if "mixrag-noise" not in str(Path("/proc/self/fd/2").readlink()):
            return ""
        size = os.fstat(2).st_size
        return os.pread(2, NATIVE_LOG_TAIL_BYTES, max(0, size - NATIVE_LOG_TAIL_BYTES)).decode("utf-8", "replace")
    except OSError:
        return ""


def write_text(text: str, stream: TextIO | None = None) -> None:
    """Print finished lines on stdout (or stream) and flush, so that a failing write is seen at once.

    Raises ReaderGone, WriteFailed.
    """
    target = stream or sys.stdout
    target.write(text if text.endswith("\n") else text + "\n")
    target.flush()


def write_json(payload: Mapping[str, Any]) -> None:
    """Print one object on one line of stdout: ASCII only, no raw control byte.

    Raises ReaderGone, WriteFailed; ValueError for NaN or an infinity, which are not JSON.
    """
    write_text(json_line(payload))


def json_line(payload: Mapping[str, Any]) -> str:
    """One object on one line: ASCII only, no raw control byte. Raises ValueError for NaN or an infinity."""
    # json leaves DEL as it is; it can only stand inside a string
    return json.dumps(payload, ensure_ascii=True, allow_nan=False).replace("\x7f", "\\u007f")


def write_note(message: str) -> None:
    """Print one cleaned line on stderr, after the program's name."""
    write_text(f"mixrag: {safe_text(message, keep_newlines=False)}", sys.stderr)


def write_error(message: str, hint: str = "") -> None:
    """Print an error's line on stderr and, where there is one, the command to try."""
    write_note(message)
    if hint:
        write_text(f"  try: {safe_text(hint, keep_newlines=False)}", sys.stderr)


def write_traceback(error: BaseException) -> None:
    """Print where an error came from, with its causes, on stderr; what it quotes of documents is cleaned."""
    write_text(safe_text("".join(traceback.format_exception(error))), sys.stderr)


def error_to_json(error: MixragError) -> dict[str, Any]:
    """mixrag.error/1."""
    return {
        "schema": "mixrag.error/1",
        "code": int(error.exit_code),
        "message": safe_text(error.message, keep_newlines=False),
        "hint": safe_text(error.hint, keep_newlines=False),
    }
