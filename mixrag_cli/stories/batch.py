"""Many questions, one line each: read from JSON lines, answered in order, resumed where an earlier run stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from mixrag_cli.errors import WrongUsage
from mixrag_cli.stories.questions import checked_question

ERROR_SCHEMA = "mixrag.error/1"  # of a line that could not be answered
MAX_LINE_BYTES = 1_000_000  # a question has at most 8,000 characters; whatever else a line carries is not read


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of a batch.

    line: from 1. key: its "id", or None. paths: globs that it is restricted to. problem: why it cannot be asked, or "".
    """

    line: int
    question: str
    key: str | int | None = None
    paths: tuple[str, ...] = ()
    problem: str = ""


def read_batch(file: BinaryIO) -> Iterator[Asked]:
    """The questions of JSON lines, in order: {"question": …, "id": …, "path": …} or a bare JSON string a line.

    Empty lines are passed over; a line that cannot be understood is yielded with its problem.
    """
    for number, raw in enumerate(_lines(file), start=1):
        if raw.strip():
            yield _asked(number, raw)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines with a bounded length: of a longer one the start, so that it is reported and nothing piles up."""
    while raw := file.readline(MAX_LINE_BYTES + 1):
        yield raw
        while len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
            raw = file.readline(MAX_LINE_BYTES + 1)


def _asked(number: int, raw: bytes) -> Asked:
    if len(raw) > MAX_LINE_BYTES:
        return Asked(number, "", problem=f"the line is longer than {MAX_LINE_BYTES:,} bytes")
    try:
        value = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
    except (ValueError, RecursionError):
        return Asked(number, "", problem="not valid JSON")
    if isinstance(value, str):
        value = {"question": value}
    if not isinstance(value, dict):
        return Asked(number, "", problem='neither a text nor an object with "question"')
    return _asked_of(number, value)


def _asked_of(number: int, value: dict[str, Any]) -> Asked:
    given = value.get("id")
    key = given if isinstance(given, str) or (isinstance(given, int) and not isinstance(given, bool)) else None
    question = value.get("question")
    if not isinstance(question, str):
        return Asked(number, "", key, problem='has no text "question"')
    try:
        text = checked_question(question)
    except WrongUsage as error:
        return Asked(number, "", key, problem=error.message)
    path = value.get("path", ())
    paths = (path,) if isinstance(path, str) else path
    if not isinstance(paths, list | tuple) or not all(isinstance(each, str) for each in paths):
        return Asked(number, text, key, problem='"path" is neither a text nor a list of texts')
    return Asked(number, text, key, tuple(paths))


@dataclass(frozen=True, slots=True)
class Done:
    """The lines of a batch that an earlier run has come to. failed: those of them that ended with an error."""

    lines: frozenset[int] = frozenset()
    failed: int = 0


def answered_lines(answers: Path) -> Done:
    """What an earlier run has answered; a last line that was cut off is removed.

    Raises WrongUsage where the file holds anything but answers of a batch.
    """
    if not answers.exists():
        return Done()
    with answers.open("r+b") as file:
        schema_of: dict[int, str] = {}
        whole = 0
        for raw in file:
            if not raw.endswith(b"\n"):
                break
            line, schema = _line_of(raw, answers)
            schema_of[line] = schema
            whole += len(raw)
        file.truncate(whole)
    return Done(frozenset(schema_of), sum(schema == ERROR_SCHEMA for schema in schema_of.values()))


def _line_of(raw: bytes, answers: Path) -> tuple[int, str]:
    try:
        answer = json.loads(raw)
        line, schema = answer["line"], answer.get("schema", "")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        line, schema = None, ""
    if not isinstance(line, int):
        raise WrongUsage(f"{answers}: is no file of answers that a batch could go on with", "another --output")
    return line, str(schema)
