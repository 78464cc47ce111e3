"""Reading a data set's files strictly: JSON lines and tab-separated lines, plain or gzipped, with limits.

Every complaint names the file, the line and the field, since a data set is often made by hand.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from mixrag_cli.errors import MixragError, WrongUsage

MAX_LINE_BYTES = 64_000_000
MAX_FILE_BYTES = 4_000_000_000  # unpacked: a small gzip file may unfold to anything
MAX_LINES = 2_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file as an object, and where it stands. place: "queries.jsonl:12", for complaints."""

    place: str
    values: Mapping[str, Any]

    def text(self, *names: str) -> str:
        """The first of these fields that is there, which must be a text or a whole number (ids often are)."""
        name, value = self._first(names)
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.complaint(f"field {name!r} must be a text, not {_kind(value)}")
        return str(value)

    def optional_text(self, *names: str) -> str:
        """As text, "" where none of the fields is there or it is null."""
        known = [name for name in names if self.values.get(name) is not None]
        return self.text(*known) if known else ""

    def number(self, name: str, default: float | None = None) -> float:
        """The number in a field. Raises MixragError where it is none."""
        value = self.values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.complaint(f"field {name!r} must be a number, not {_kind(value)}")
        return float(value)

    def items(self, name: str) -> Sequence[Any]:
        """The list in a field, empty where the field is not there or null."""
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise self.complaint(f"field {name!r} must be a list, not {_kind(value)}")
        return value

    def rows(self, name: str) -> Iterator[Row]:
        """The objects of the list in a field."""
        for number, item in enumerate(self.items(name), start=1):
            if not isinstance(item, dict):
                raise self.complaint(f"item {number} of {name!r} must be an object, not {_kind(item)}")
            yield Row(f"{self.place}: {name} {number}", item)

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of the list in a field; a lone text or number counts as a list of one."""
        value = self.values.get(name)
        listed = self.items(name) if isinstance(value, list) or value is None else [value]
        if any(isinstance(item, bool) or not isinstance(item, str | int | float) for item in listed):
            raise self.complaint(f"field {name!r} must hold texts")
        return tuple(map(str, listed))

    def complaint(self, what: str) -> MixragError:
        """The error that says what is wrong with this line."""
        return MixragError(f"{self.place}: {what}")

    def _first(self, names: Sequence[str]) -> tuple[str, Any]:
        for name in names:
            if name in self.values:
                return name, self.values[name]
        raise self.complaint(f"field {names[0]!r} is missing")


def find_lines(folder: Path, stem: str) -> Path | None:
    """The folder's STEM.jsonl or STEM.jsonl.gz, None where it has neither."""
    return next((path for suffix in ("", ".gz") if (path := folder / f"{stem}.jsonl{suffix}").is_file()), None)


def read_rows(path: Path) -> Iterator[Row]:
    """The objects of a JSON lines file; empty lines are passed over. Raises MixragError, WrongUsage (no such file)."""
    for place, line in read_lines(path):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            cause = error.msg.lower() if isinstance(error, json.JSONDecodeError) else "nested too deeply"
            raise MixragError(f"{place}: not JSON: {cause}") from error
        if not isinstance(values, dict):
            raise MixragError(f"{place}: must be an object, not {_kind(values)}")
        yield Row(place, values)


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """The lines of a file, each with its place, without their ends.

    Raises MixragError for what is not UTF-8, not gzip, or beyond a limit; WrongUsage where there is no such file.
    """
    taken = 0
    with _open(path) as file:
        number = 0
        while True:
            number += 1
            place = f"{path.name}:{number}"
            try:
                raw = file.readline(MAX_LINE_BYTES + 1)
            except (OSError, EOFError, zlib.error) as error:
                raise MixragError(f"{place}: cannot be read: {str(error).lower()}") from error
            if not raw:
                return
            taken += len(raw)
            if len(raw) > MAX_LINE_BYTES:
                raise MixragError(f"{place}: longer than {MAX_LINE_BYTES:,} bytes")
            if number > MAX_LINES or taken > MAX_FILE_BYTES:
                raise MixragError(f"{path.name}: more than {MAX_LINES:,} lines or {MAX_FILE_BYTES:,} bytes")
            try:
                yield place, raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise MixragError(f"{place}: not UTF-8") from error


def _open(path: Path) -> BinaryIO:
    if not path.is_file():
        raise WrongUsage(f"{path}: no such file")
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _kind(value: Any) -> str:
    kinds = {str: "a text", bool: "true or false", list: "a list", dict: "an object", type(None): "null"}
    return kinds.get(type(value), "a number")
