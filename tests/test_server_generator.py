"""A server as a generator: llama-cpp-python's own with a real tiny model, and a scripted one for failures."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mixrag_cli.errors import ModelUnusable, PromptTooLong
from mixrag_cli.generator import Generator, Message, Request
from mixrag_cli.models import load_generator
from mixrag_cli.models.address import parse_address
from mixrag_cli.settings import Settings
from tests.bounded import PATIENCE_S, patience

SAID = (Message("system", "Answer briefly."), Message("user", "How many stools are in stock?"))
ASK = Request(SAID, max_tokens=40, temperature=1.0, seed=3)
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "maxLength": 20}, "value": {"type": "integer"}},
    "required": ["answer", "value"],
    "additionalProperties": False,
}


def load(address: str, **more: Any) -> Generator:
    generator = load_generator(Settings(generator=address, **({"generator_model": "tiny"} | more)))
    assert generator is not None
    return generator


# --- the real one -----------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def real(tiny_model: Path) -> Iterator[str]:
    """The address of llama-cpp-python's server with the tiny model behind it."""
    for package in ("fastapi", "uvicorn", "sse_starlette", "starlette_context", "pydantic_settings"):
        pytest.importorskip(package, reason="llama-cpp-python's server needs it")
    port = free_port()
    options = {"--model": tiny_model, "--model_alias": "tiny", "--port": port, "--n_ctx": 2048, "--n_threads": 1}
    command = [sys.executable, "-m", "llama_cpp.server", *(str(each) for pair in options.items() for each in pair)]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_WAIT_POLICY": "passive"}
    )
    try:
        _wait_until_up(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _wait_until_up(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
        try:
            connection.request("GET", "/v1/models")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise AssertionError("the server does not come up")


def test_streams_what_it_returns(real: str) -> None:
    generator = load(real)
    pieces: list[str] = []
    reply = generator.reply(ASK, pieces.append)
    assert reply.text == "".join(pieces)
    assert len(pieces) > 1
    assert reply.finish in ("stop", "length")
    assert 0 < reply.first_token_s <= reply.seconds
    assert reply.text == generator.reply(ASK).text


def test_takes_the_only_model_that_there_is(real: str) -> None:
    generator = load(real, generator_model="")
    assert generator.reply(Request(SAID, max_tokens=3)).text
    assert generator.name == f"{real}/tiny"


def test_asks_for_a_schema_in_a_form_that_the_server_knows(real: str) -> None:
    generator = load(real)
    for seed in range(10):
        reply = generator.reply(Request(SAID, schema=SCHEMA, max_tokens=300, temperature=1.0, seed=seed))
        assert reply.finish == "stop"
        assert sorted(json.loads(reply.text, strict=False)) == ["answer", "value"]
    assert not generator.binds_schema


def test_stop_texts_and_lengths_hold(real: str) -> None:
    generator = load(real)
    whole = generator.reply(ASK).text
    assert generator.reply(Request(SAID, max_tokens=3, temperature=1.0, seed=3)).finish == "length"
    stopped = generator.reply(Request(SAID, max_tokens=40, temperature=1.0, seed=3, stop=(whole[4:7],)))
    assert stopped.text == whole[: whole.index(whole[4:7])]


def test_what_does_not_fit_is_told(real: str) -> None:
    with pytest.raises(PromptTooLong):  # by our own reckoning
        load(real, context_tokens=512).reply(Request((Message("user", "word " * 400),)))
    with pytest.raises(ModelUnusable, match="broke off") as caught:  # this server then ends the stream without a word
        load(real, context_tokens=100_000).reply(Request((Message("user", "word " * 3_000),)))
    assert "window" in caught.value.hint


# --- a scripted one ---------------------------------------------------------------------------------------------------

Answer = Callable[[BaseHTTPRequestHandler, Any], None]


class Scripted(ThreadingHTTPServer):
    daemon_threads = True
    answer: Answer
    asked: list[tuple[str, Any, dict[str, str]]]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Scripted

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "null")
        self.server.asked.append((self.path, body, dict(self.headers)))
        try:
            self.server.answer(self, body)
        except OSError:
            self.close_connection = True

    do_GET = do_POST  # noqa: N815

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    server = Scripted(("127.0.0.1", 0), Handler)
    server.asked = []
    server.answer = lambda handler, _: send_events(handler, "Eighteen", " stools")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def begin(handler: BaseHTTPRequestHandler, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def event(text: str, finish: str | None = None) -> bytes:
    choice = {"delta": {"content": text} if text else {}, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def send_events(handler: BaseHTTPRequestHandler, *texts: str, pause: float = 0.0) -> None:
    begin(handler, Content_Type="text/event-stream")
    handler.wfile.write(b": keep-alive\n\n")
    for text in texts:
        handler.wfile.write(event(text))
        handler.wfile.flush()
        time.sleep(pause)
    handler.wfile.write(event("", "stop"))
    usage = {"choices": [], "usage": {"prompt_tokens": 21, "completion_tokens": 2}}
    handler.wfile.write(b"data: " + json.dumps(usage).encode() + b"\n\ndata: [DONE]\n\n")


def refuse(status: int, told: Any = None, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler, _: Any) -> None:
        begin(handler, status, **headers)
        handler.wfile.write(b"<html>no</html>" if told is None else json.dumps(told).encode())

    return answer


def test_the_protocol_as_servers_expect_it(scripted: Scripted) -> None:
    reply = load(scripted.address).reply(Request(SAID, max_tokens=40, seed=5, stop=("END",)))
    assert (reply.text, reply.finish, reply.prompt_tokens, reply.reply_tokens) == ("Eighteen stools", "stop", 21, 2)
    path, body, headers = scripted.asked[0]
    assert path == "/v1/chat/completions"
    assert body["messages"][1] == {"role": "user", "content": "How many stools are in stock?"}
    assert (body["model"], body["max_tokens"], body["temperature"], body["seed"]) == ("tiny", 40, 0.0, 5)
    assert (body["stop"], body["stream"]) == (["END"], True)
    assert "Authorization" not in headers


@pytest.mark.parametrize(
    ("status", "told", "message"),
    [
        (401, {"error": {"message": "Incorrect API key provided"}}, "refuses the key"),
        (404, {"error": {"message": "model 'tiny' not found"}}, "has no model tiny"),
        (500, {"error": "out of memory"}, r"failed \(500\): out of memory"),
        (400, {"error": {"message": "the request exceeds the available context size"}}, "does not fit"),
        (503, None, r"failed \(503\)"),
    ],
)
def test_a_refusal_is_told_in_words(scripted: Scripted, status: int, told: Any, message: str) -> None:
    scripted.answer = refuse(status, told)
    with pytest.raises(ModelUnusable, match=message) as caught:
        load(scripted.address).reply(ASK)
    assert caught.value.hint


def test_redirects_are_not_followed(scripted: Scripted) -> None:
    scripted.answer = refuse(307, Location="http://elsewhere.invalid/v1/chat/completions")
    with pytest.raises(ModelUnusable, match="redirects"):
        load(scripted.address).reply(ASK)
    assert len(scripted.asked) == 1


def test_forms_of_a_schema_that_a_server_refuses_are_not_tried_again(scripted: Scripted) -> None:
    def answer(handler: BaseHTTPRequestHandler, body: Any) -> None:
        if "response_format" in body:
            refuse(400, {"error": "unsupported response_format"})(handler, body)
        else:
            send_events(handler, '{"answer": "x", "value": 1}')

    scripted.answer = answer
    generator = load(scripted.address)
    for _ in range(2):
        assert json.loads(generator.reply(Request(SAID, schema=SCHEMA)).text)["value"] == 1
    forms = [body.get("response_format", {}).get("type") for _, body, _ in scripted.asked]
    assert forms == ["json_schema", "json_object", None, None]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (event("half"), "broke off"),
        (b"data: {broken\n\n", "no JSON"),
        (b"data: []\n\n", "another protocol"),
        (b"data: " + b"x" * 1_100_000, "more than any reply"),
        (b'data: {"error": {"message": "the GPU is gone"}}\n\n', "the GPU is gone"),
    ],
)
def test_a_stream_that_goes_wrong_is_an_error(scripted: Scripted, raw: bytes, message: str) -> None:
    def answer(handler: BaseHTTPRequestHandler, _: Any) -> None:
        begin(handler)
        handler.wfile.write(raw)

    scripted.answer = answer
    with pytest.raises(ModelUnusable, match=message):
        load(scripted.address).reply(ASK)


def test_nobody_there() -> None:
    with pytest.raises(ModelUnusable, match="connection refused") as caught:
        load(f"http://127.0.0.1:{free_port()}").reply(ASK)
    assert "start the server" in caught.value.hint


def test_the_time_is_up_before_and_amid_the_reply(scripted: Scripted) -> None:
    scripted.answer = lambda handler, _: send_events(handler, "a", "b", "c", "d", pause=0.3)
    generator = load(scripted.address)
    reply = generator.reply(Request(SAID, seconds=0.5))
    assert (reply.finish, reply.text) == ("timeout", "ab")
    is_over = threading.Event()
    scripted.answer = lambda handler, _: is_over.wait(PATIENCE_S)
    with patience():
        assert generator.reply(Request(SAID, seconds=0.2)).finish == "timeout"
    is_over.set()


def test_cancel_and_ctrl_c_end_the_connection(scripted: Scripted) -> None:
    gone = threading.Event()

    def answer(handler: BaseHTTPRequestHandler, _: Any) -> None:
        try:
            send_events(handler, *["x"] * 200, pause=0.05)
        except OSError:
            gone.set()
            raise

    scripted.answer = answer
    generator = load(scripted.address)
    threading.Timer(0.3, generator.cancel).start()
    reply = generator.reply(ASK)
    assert reply.finish == "cancelled"
    assert set(reply.text) == {"x"}
    assert gone.wait(2)
    gone.clear()
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            generator.reply(ASK)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert gone.wait(2)
    scripted.answer = lambda handler, _: send_events(handler, "whole")
    assert generator.reply(ASK).text == "whole"


# --- addresses and keys -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "host", "path"),
    [
        ("http://localhost:11434", "localhost", "/v1"),
        ("http://LocalHost:11434/", "localhost", "/v1"),
        ("https://llm.example/api/v2/", "llm.example", "/api/v2"),
        ("http://[::1]:8080", "::1", "/v1"),
    ],
)
def test_an_address_is_completed_and_shown_as_it_was_typed(text: str, host: str, path: str) -> None:
    address = parse_address(text)
    assert (address.host, address.path) == (host, path)
    assert str(address) == text


@pytest.mark.parametrize("text", ["http://", "ftp://x", "http://h:99999", "http://h/?a=b", "http://me:secret@h/v1"])
def test_an_address_that_is_none_is_refused_and_quotes_no_key(text: str) -> None:
    with pytest.raises(ModelUnusable) as caught:
        parse_address(text)
    assert "secret" not in str(caught.value) + caught.value.hint


def test_the_key_comes_from_the_environment_and_shows_nowhere(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MIXRAG_API_KEY", "sk-very-secret")
    generator = load(scripted.address)
    generator.reply(ASK)
    assert scripted.asked[0][2]["Authorization"] == "Bearer sk-very-secret"
    assert "secret" not in generator.name
    scripted.answer = refuse(401, {"error": "no such key: sk-very-secret"})
    with pytest.raises(ModelUnusable) as caught:
        generator.reply(ASK)
    assert "secret" not in str(caught.value) + caught.value.hint


def test_a_key_never_crosses_the_network_unencrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIXRAG_API_KEY", "sk-very-secret")
    with pytest.raises(ModelUnusable, match="unencrypted"):
        load("http://llm.example:8000")
    assert load("https://llm.example").name == "https://llm.example/tiny"
    monkeypatch.setenv("MIXRAG_API_KEY", "two\nlines")
    with pytest.raises(ModelUnusable, match="no key can hold"):
        load("https://llm.example")


def test_offline_leaves_only_this_machine() -> None:
    with pytest.raises(ModelUnusable, match="offline"):
        load("https://llm.example", offline="on")
    assert load("http://127.0.0.1:1", offline="on")
