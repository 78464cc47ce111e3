"""mixrag ask --jsonl: many questions, one JSON object a line for each, in order, with the models loaded once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from mixrag_cli.actions.run_view import view_of
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import ExitCode, MixragError, WrongUsage, reason_of
from mixrag_cli.output.answer_payload import answer_to_json
from mixrag_cli.output.streams import error_to_json, json_line, write_text
from mixrag_cli.stories.batch import ERROR_SCHEMA, Asked, Done, answered_lines, read_batch
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.several import Several

STDIN = Path("-")


def ask_batch(
    questions: Path,
    output: Path | None,
    session: Session | Several,
    scope: Scope,
    face: Face,
    *,
    accept_likely: bool = False,
) -> int:
    """Answer the lines in order. PARTIAL where a line could not be answered for an error, now or before; else DONE.

    output: a file to which answers are added; lines that it holds already are passed over. accept_likely: as in
    answer_to_json.
    Raises WrongUsage where the questions cannot be read or the file is of something else.
    """
    done = answered_lines(output) if output else Done()
    failed = done.failed
    with (
        _opened(questions) as file,
        _writer(output) as write,
        view_of(face) as view,
    ):
        if done.lines:
            ended = f", {done.failed:,} of them with an error" if done.failed else ""
            view.note(f"{len(done.lines):,} questions are answered already in {output}{ended}")
        view.phase("ask", _count_lines(file))
        for count, asked in enumerate(read_batch(file), start=1):
            if asked.line not in done.lines:
                payload = _answer(asked, session, scope, accept_likely=accept_likely)
                failed += payload["schema"] == ERROR_SCHEMA
                write(
                    json_line({**payload, "line": asked.line, **({"id": asked.key} if asked.key is not None else {})})
                )
            view.advance(count, asked.question)
    return ExitCode.PARTIAL if failed else ExitCode.DONE


def _answer(asked: Asked, session: Session | Several, scope: Scope, *, accept_likely: bool) -> dict[str, Any]:
    """One answer or one error as JSON: a line that fails does not end the batch."""
    if asked.problem:
        return error_to_json(WrongUsage(f"line {asked.line}: {asked.problem}"))
    own = replace(scope, paths=asked.paths or scope.paths)
    try:
        return answer_to_json(session.ask(asked.question, own), accept_likely=accept_likely)
    except MixragError as error:
        return error_to_json(error)


def _count_lines(file: BinaryIO) -> int | None:
    """How many lines there are, None where the questions come through a pipe."""
    if not file.seekable():
        return None
    count = sum(1 for raw in file if raw.strip())
    file.seek(0)
    return count


@contextmanager
def _opened(questions: Path) -> Iterator[BinaryIO]:
    if questions == STDIN:
        yield sys.stdin.buffer
        return
    try:
        file = questions.open("rb")
    except OSError as error:
        raise WrongUsage(f"{questions}: {reason_of(error, 'cannot be read')}") from error
    with file:
        yield file


@contextmanager
def _writer(output: Path | None) -> Iterator[Callable[[str], None]]:
    """Lines to stdout, or added to the file; each is whole on the disk before the next question begins."""
    if output is None:
        yield write_text
        return
    with output.open("a", encoding="ascii") as file:

        def write(line: str) -> None:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

        yield write
