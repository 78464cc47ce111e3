"""A server that speaks OpenAI's chat protocol as a Generator: Ollama, llama-server, LM Studio, vLLM, or one far away.

Only the address that the user names is ever asked, without proxies and without following redirects. The key comes from
the environment alone, is written nowhere and travels over https or on this machine.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from mixrag_cli.errors import ModelUnusable, PromptTooLong, reason_of
from mixrag_cli.generator import FinishReason, Message, Reply, Request
from mixrag_cli.models.address import KEY_VARIABLE, Address, parse_address
from mixrag_cli.models.reply_text import ReplyText
from mixrag_cli.settings import Settings

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 30.0  # for what needs no generating
UNLIMITED_SECONDS = 3_600.0  # of silence, where a request has no limit of its own
MAX_LINE_BYTES, MAX_REPLY_BYTES, MAX_ERROR_BYTES = 1_000_000, 64_000_000, 10_000
BYTES_A_TOKEN = 2  # servers do not say how they cut a text: tables full of digits 2, English prose 4 to 5
MESSAGE_TOKENS = 8  # what a chat template adds to a message, at most
# How a schema can be asked for, the best first; what a server refuses is not tried on it again.
SCHEMA_FORMS: tuple[Callable[[Mapping[str, Any]], dict[str, Any]], ...] = (
    lambda schema: {
        "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}
    },
    lambda schema: {"response_format": {"type": "json_object", "schema": schema}},
    lambda schema: {},
)
NOT_UNDERSTOOD = (400, 404, 415, 422, 500, 501)  # how servers say that they do not know a form; 404 also: the model
KEY_REFUSED = (401, 403)


class _Refused(Exception):
    """The server answered with an error."""

    def __init__(self, status: int, told: str) -> None:
        super().__init__(told)
        self.status = status
        self.told = told


def load_server(settings: Settings) -> ServerGenerator:
    """The server that settings.generator names by its address, not asked yet. Raises ModelUnusable."""
    address = parse_address(settings.generator)
    key = os.environ.get(KEY_VARIABLE, "")
    if settings.offline == "on" and not address.is_loopback:
        raise ModelUnusable(f"{address}: not on this machine, and offline is on", "mixrag config set offline off")
    if key and not address.is_https and not address.is_loopback:
        raise ModelUnusable(
            f"{address}: the key in {KEY_VARIABLE} would cross the network unencrypted",
            f"an https address, or unset {KEY_VARIABLE}",
        )
    if key and not (key.isascii() and key.isprintable()):
        raise ModelUnusable(f"the key in {KEY_VARIABLE} holds what no key can hold", f"export {KEY_VARIABLE}=…")
    return ServerGenerator(address, settings.generator_model, settings.context_tokens, key)


class ServerGenerator:
    """A model behind an address. Whether it keeps to a schema depends on the server, so nobody should rely on it."""

    binds_schema = False

    def __init__(self, address: Address, model: str, context_tokens: int, key: str = "") -> None:
        self.name = address.name_of(model)
        self.context_tokens = context_tokens
        self._address = address
        self._model = model
        self._key = key
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        self._schema_form = 0
        self._connection: http.client.HTTPConnection | None = None
        self._response: http.client.HTTPResponse | None = None
        self._cancelled = threading.Event()

    def reply(self, request: Request, on_text: Callable[[str], None] | None = None) -> Reply:
        """The reply to one request; see Generator.reply."""
        self._cancelled.clear()
        estimate = self.count_prompt_tokens(request.messages)
        if estimate + request.max_tokens > self.context_tokens:
            raise PromptTooLong(estimate, request.max_tokens, self.context_tokens)
        stream = _Stream(request, on_text)
        try:
            self._choose_model()
            for event in self._events(request, stream):
                if stream.take(event) or self._cancelled.is_set():
                    break
        except TimeoutError:
            return stream.to_reply(estimate, "timeout")
        except _Refused as refused:
            raise self._explained(refused, estimate, request) from refused
        except (OSError, http.client.HTTPException) as error:
            if self._cancelled.is_set():
                return stream.to_reply(estimate, "cancelled")
            raise self._unreachable(error) from error
        finally:
            self._close_connection()
        return stream.to_reply(estimate, "cancelled" if self._cancelled.is_set() else None)

    def twin(self) -> ServerGenerator:
        """Another connection to the same model, for a question at the same time."""
        return ServerGenerator(self._address, self._model, self.context_tokens, self._key)

    def count_tokens(self, text: str) -> int:
        """About how many tokens the text takes in a prompt, rather too many than too few."""
        return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)

    def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        """About how many tokens the messages take, rather too many than too few."""
        return sum(self.count_tokens(message.text) + MESSAGE_TOKENS for message in messages)

    def cancel(self) -> None:
        """Stop the reply in progress: the connection ends, and with it the server's work."""
        self._cancelled.set()
        self._close_connection(at_once=True)

    def close(self) -> None:
        """End the connection; the server keeps its model."""
        self.cancel()

    def model_names(self) -> list[str]:
        """The models that the server offers. Raises ModelUnusable."""
        try:
            answer = self._ask("GET", "/models", None, ANSWER_SECONDS).read(MAX_LINE_BYTES)
            return [str(each["id"]) for each in json.loads(answer)["data"]]
        except _Refused as refused:
            raise self._explained(refused) from refused
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from error
        except (ValueError, KeyError, TypeError) as error:
            raise ModelUnusable(f"{self._address}: no server of OpenAI's protocol", "check the address") from error
        finally:
            self._close_connection()

    def _choose_model(self) -> None:
        """Where none was named, the only one that the server has."""
        if self._model:
            return
        names = self.model_names()
        if len(names) != 1:
            offered = ", ".join(names[:10]) or "none"
            raise ModelUnusable(
                f"{self._address}: say which of its models to use ({offered})", "mixrag config set generator_model NAME"
            )
        self._model = names[0]
        self.name = self._address.name_of(self._model)

    def _events(self, request: Request, stream: _Stream) -> Iterator[Any]:
        """The parsed events of the reply; a schema is asked for in the best form that the server understands."""
        while True:
            last_form = request.schema is None or self._schema_form == len(SCHEMA_FORMS) - 1
            try:
                response = self._ask("POST", "/chat/completions", self._body(request), stream.seconds_left())
                break
            except _Refused as refused:
                if last_form or refused.status not in NOT_UNDERSTOOD or _is_about_model(refused):
                    raise
                self._schema_form += 1
        yield from self._lines(response, stream)

    def _body(self, request: Request) -> dict[str, Any]:
        schema = SCHEMA_FORMS[self._schema_form](request.schema) if request.schema is not None else {}
        stop = {"stop": list(request.stop)} if request.stop else {}
        return {
            "model": self._model,
            "messages": [{"role": each.role, "content": each.text} for each in request.messages],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            "stream": True,
            "stream_options": {"include_usage": True},
            **stop,
            **schema,
        }

    def _lines(self, response: http.client.HTTPResponse, stream: _Stream) -> Iterator[Any]:
        """The events of a stream of server-sent events, each a JSON value."""
        received = 0
        while line := response.readline(MAX_LINE_BYTES + 1):
            received += len(line)
            if len(line) > MAX_LINE_BYTES or received > MAX_REPLY_BYTES:
                raise ModelUnusable(f"{self._address}: sent more than any reply can be", "check the address")
            self._limit_waiting(stream.seconds_left())
            data = line.strip()
            if not data.startswith(b"data:"):
                continue  # an empty line, a comment that keeps the connection alive, or another field
            data = data.removeprefix(b"data:").strip()
            if data == b"[DONE]":
                return
            try:
                yield json.loads(data)
            except ValueError as error:
                raise ModelUnusable(f"{self._address}: sent what is no JSON", "check the address") from error
        if not stream.is_over and not self._cancelled.is_set():
            raise ModelUnusable(
                f"{self._address}: broke off in the midst of its reply",
                "the server's own log; its window may be smaller than context_tokens says",
            )

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None, seconds: float) -> http.client.HTTPResponse:
        """The response's head, its status good. Raises _Refused, OSError, http.client.HTTPException."""
        self._close_connection()
        self._connection = self._connect()
        self._limit_waiting(seconds)
        payload = None if body is None else json.dumps(body).encode("ascii")
        self._connection.request(method, self._address.path + path, payload, self._headers)
        self._response = self._connection.getresponse()
        if self._response.status == 200:
            return self._response
        raise _Refused(self._response.status, _told(self._response.read(MAX_ERROR_BYTES)))

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._address.host, self._address.port
        if self._address.is_https:
            context = ssl.create_default_context()
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                host, port, timeout=CONNECT_SECONDS, context=context
            )
        else:
            connection = http.client.HTTPConnection(host, port, timeout=CONNECT_SECONDS)
        try:
            connection.connect()
        except TimeoutError as error:
            raise ConnectionError(f"no answer within {CONNECT_SECONDS:.0f} s") from error
        return connection

    def _limit_waiting(self, seconds: float) -> None:
        if self._connection and self._connection.sock:
            self._connection.sock.settimeout(seconds)

    def _close_connection(self, *, at_once: bool = False) -> None:
        connection = self._connection
        if connection is None:
            return
        if at_once:  # from another thread: whoever waits on the socket wakes and closes it, perhaps meanwhile
            waited_on = connection.sock
            if waited_on:
                with suppress(OSError):
                    waited_on.shutdown(socket.SHUT_RDWR)
            return
        if self._response:
            self._response.close()
        connection.close()
        self._connection = self._response = None

    def _explained(self, refused: _Refused, estimate: int = 0, request: Request | None = None) -> ModelUnusable:
        """A refusal in words; what the server says of its own follows."""
        told = f": {refused.told}" if refused.told else ""
        if refused.status in KEY_REFUSED:
            return ModelUnusable(f"{self._address}: refuses the key ({refused.status})", f"export {KEY_VARIABLE}=…")
        if 300 <= refused.status < 400:
            return ModelUnusable(f"{self._address}: redirects, which is not followed", "the address it leads to")
        if request and "context" in refused.told.lower() and refused.status < 500:
            return PromptTooLong(estimate, request.max_tokens, self.context_tokens)
        if refused.status == 404 or _is_about_model(refused):
            return ModelUnusable(
                f"{self._address}: has no model {self._model} ({refused.status}){told}",
                "mixrag config set generator_model NAME, as the server lists it",
            )
        return ModelUnusable(f"{self._address}: failed ({refused.status}){told}", "the server's own log")

    def _unreachable(self, error: OSError | http.client.HTTPException) -> ModelUnusable:
        return ModelUnusable(
            f"{self._address}: no answer: {reason_of(error)}",
            "start the server, or mixrag config set generator ADDRESS",
        )


class _Stream:
    """A reply as its events come in."""

    def __init__(self, request: Request, on_text: Callable[[str], None] | None) -> None:
        self.is_over = False
        self._started = time.monotonic()
        self._seconds = request.seconds
        self._text = ReplyText(request.stop)
        self._on_text = on_text
        self._finish: FinishReason = "stop"
        self._first_s = 0.0
        self._n_pieces = 0
        self._usage: Mapping[str, Any] = {}

    def seconds_left(self) -> float:
        """How long to wait for more. Raises TimeoutError when the time is up."""
        if not self._seconds:
            return UNLIMITED_SECONDS
        left = self._started + self._seconds - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def take(self, event: Any) -> bool:
        """Take in one event; True when no more is wanted. Raises ModelUnusable."""
        if not isinstance(event, dict):
            raise ModelUnusable("the server sent an event of another protocol", "check the address")
        if error := event.get("error"):
            raise _Refused(500, _told_by(error))
        if isinstance(event.get("usage"), dict):
            self._usage = event["usage"]
        for choice in event.get("choices") or ():
            content = (choice.get("delta") or {}).get("content")
            if isinstance(content, str) and content:
                self._n_pieces += 1
                self._first_s = self._first_s or time.monotonic() - self._started
                self._tell(self._text.add(content.encode("utf-8", "replace")))
            if reason := choice.get("finish_reason"):
                self.is_over = True
                self._finish = "length" if reason == "length" else "stop"
        return self._text.is_over

    def to_reply(self, estimate: int, finish: FinishReason | None) -> Reply:
        """What came, with the server's own counts where it gave them."""
        self._tell(self._text.finish())
        return Reply(
            self._text.all,
            finish or self._finish,
            self._count("prompt_tokens", estimate),
            self._count("completion_tokens", self._n_pieces),
            time.monotonic() - self._started,
            self._first_s,
        )

    def _tell(self, text: str) -> None:
        if text and self._on_text:
            self._on_text(text)

    def _count(self, name: str, otherwise: int) -> int:
        value = self._usage.get(name)
        return value if isinstance(value, int) and value >= 0 else otherwise


def _told(raw: bytes) -> str:
    """What an error's body says, in one line."""
    try:
        content = json.loads(raw)
    except ValueError:
        return ""
    return _told_by(content.get("error") or content.get("detail") or "") if isinstance(content, dict) else ""


def _told_by(error: Any) -> str:
    text = error.get("message", "") if isinstance(error, dict) else error if isinstance(error, str) else ""
    return str(text).strip().partition("\n")[0][:200]


def _is_about_model(refused: _Refused) -> bool:
    told = refused.told.lower()
    return "model" in told and ("not found" in told or "does not exist" in told)
