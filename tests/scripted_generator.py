"""A generator that plays a script: the replies it is given, in order, streamed piece by piece as a model would.

It is a real Generator in all that a caller can observe (streaming, limits, cancelling, counting, overflow); only what
it says is written beforehand.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from mixrag_cli.errors import PromptTooLong
from mixrag_cli.generator import FinishReason, Message, Reply, Request

# A word with the blanks before it, or a single sign: close to how models cut English.
PIECE = re.compile(r"\s*\w+|\s*[^\w\s]|\s+")
MESSAGE_TOKENS = 4  # what a chat template adds to a message, about

Line = str | Exception | Callable[[Request], str]


class ScriptedGenerator:
    """Plays the lines of a script, one a request; requests: what it was asked so far.

    A line is the reply's text, an exception to raise, or a function from the request to the text. A script with
    repeat=True answers with its last line for ever; else a request beyond the end fails the test.
    delay_s: pause before each piece, for tests that cancel or time out.
    """

    def __init__(
        self,
        lines: Sequence[Line],
        *,
        name: str = "scripted",
        context_tokens: int = 8192,
        binds_schema: bool = False,
        repeat: bool = False,
        delay_s: float = 0.0,
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.binds_schema = binds_schema
        self.requests: list[Request] = []
        self.closed = False
        self._lines = list(lines)
        self._repeat = repeat
        self._delay_s = delay_s
        self._cancelled = threading.Event()

    def reply(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """The next line of the script, as far as the request's limits let it come."""
        line = self._next_line(request)
        prompt_tokens = self.count_prompt_tokens(request.messages)
        if prompt_tokens + request.max_tokens > self.context_tokens:
            raise PromptTooLong(prompt_tokens, request.max_tokens, self.context_tokens)
        if isinstance(line, Exception):
            raise line
        started = time.monotonic()
        self._cancelled.clear()
        text, finish = "", "stop"
        n_pieces, first_s = 0, 0.0
        for piece in _until_stopped(line if isinstance(line, str) else line(request), request.stop):
            finish = self._limit_reached(request, n_pieces, started)
            if finish != "stop":
                break
            time.sleep(self._delay_s)
            first_s = first_s or time.monotonic() - started
            n_pieces += 1
            text += piece
            if on_text:
                on_text(piece)
        return Reply(text, finish, prompt_tokens, n_pieces, time.monotonic() - started, first_s)

    def count_tokens(self, text: str) -> int:
        """Pieces of the text."""
        return len(PIECE.findall(text))

    def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        """Pieces of all messages and what a template would add."""
        return sum(self.count_tokens(message.text) + MESSAGE_TOKENS for message in messages)

    def cancel(self) -> None:
        """Stop the reply in progress."""
        self._cancelled.set()

    def close(self) -> None:
        """Nothing to free; only noted."""
        self.closed = True

    def _next_line(self, request: Request) -> Line:
        position = len(self.requests)
        self.requests.append(request)
        if position >= len(self._lines) and not (self._repeat and self._lines):
            raise AssertionError(f"request {position + 1} of a script of {len(self._lines)} lines: {request.purpose}")
        return self._lines[min(position, len(self._lines) - 1)]

    def _limit_reached(self, request: Request, n_pieces: int, started: float) -> FinishReason:
        if self._cancelled.is_set():
            return "cancelled"
        if request.seconds and time.monotonic() - started > request.seconds:
            return "timeout"
        return "length" if n_pieces >= request.max_tokens else "stop"


def _until_stopped(text: str, stop: Sequence[str]) -> Iterator[str]:
    ends = [place for each in stop if (place := text.find(each)) >= 0]
    yield from PIECE.findall(text[: min(ends, default=len(text))])
