"""`mixrag models` against a local server that speaks the hub's protocol: pull with resume and checksum, verify, use."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cli_fixtures import environment_of, run_mixrag

from mixrag_cli.models.catalogue import KNOWN_MODELS
from mixrag_cli.models.gguf_file import MAGIC

CONTENT = MAGIC + b"\x03\x00\x00\x00" + b"\x01" + bytes(7) + b"\x01" + bytes(7) + os.urandom(12_000_000)
FILE = "someone/some-model-GGUF/some-model-q8.gguf"
PATH = "/someone/some-model-GGUF/resolve/"


class Hub(ThreadingHTTPServer):
    """The hub's protocol as far as one file goes. break_after: bytes after which a connection is cut, once."""

    daemon_threads = True
    content = CONTENT
    stated_sha256 = ""
    break_after = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class HubHandler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        self.server.asked.append((self.command, self.path, self.headers.get("Range")))  # type: ignore[attr-defined]
        if not self.path.startswith(PATH):
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = self.server.content
        first = int(match[1]) if (match := re.match(r"bytes=(\d+)-", self.headers.get("Range") or "")) else 0
        self.send_response(206 if first else 200)
        self.send_header("X-Repo-Commit", "c" * 40)
        self.send_header("X-Linked-Etag", f'"{self.server.stated_sha256 or hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Linked-Size", str(len(content)))
        self.send_header("ETag", '"small"')
        self.send_header("Accept-Ranges", "bytes")
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - first))
        self.end_headers()
        if with_body:
            self._send(content[first:])

    def _send(self, body: bytes) -> None:
        limit, self.server.break_after = self.server.break_after, 0
        with contextlib.suppress(OSError):
            self.wfile.write(body[: limit or None])
        if limit:
            self.close_connection = True
            self.connection.close()

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def hub() -> Iterator[Hub]:
    server = Hub(("127.0.0.1", 0), HubHandler)
    server.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


class Program:
    """The real program with a home of its own, and the hub in place of the great one."""

    def __init__(self, home: Path, hub: Hub) -> None:
        self.home = home
        self.env = environment_of(home, HF_ENDPOINT=hub.address, MIXRAG_CACHE_DIR=str(home / "cache"))
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            self.env.pop(name, None)

    def __call__(self, *arguments: str, code: int = 0, **env: str) -> str:
        done = run_mixrag("models", *arguments, cwd=self.home, env=self.env | env)
        assert done.returncode == code, (done.stdout, done.stderr)
        self.stderr = done.stderr.decode()
        return done.stdout.decode()

    def json(self, *arguments: str, code: int = 0) -> Any:
        found = json.loads(self(*arguments, "--json", code=code))
        form = "error" if found["schema"] == "mixrag.error/1" else "models"
        schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", f"{form}-1.json").read_text("utf-8"))
        jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)
        return found


@pytest.fixture
def program(tmp_path: Path, hub: Hub) -> Program:
    return Program(tmp_path, hub)


def test_the_list_needs_no_network_and_says_what_each_needs(program: Program, hub: Hub) -> None:
    shown = program("list")
    for model in KNOWN_MODELS:
        assert f"{model.name}\n    {model.size_gb} GB to fetch, {model.memory_gb} GB to run; {model.licence}" in shown
    assert len(program.json("list")["known"]) == len(KNOWN_MODELS)
    assert hub.asked == []  # type: ignore[attr-defined]


@pytest.mark.slow
def test_from_pull_to_remove(program: Program, hub: Hub) -> None:
    pulled = program.json("pull", FILE)["model"]
    assert pulled["name"] == "some-model-q8"
    assert pulled["sha256"] == hashlib.sha256(CONTENT).hexdigest()
    path = Path(pulled["path"])
    assert path.read_bytes() == CONTENT
    assert program("path", "some-model-q8") == f"{path}\n"
    assert "some-model-q8  [here]" in program("list")
    program("use", "some-model-q8")
    assert "some-model-q8  [in use]" in program("list")
    assert program.json("verify")["checks"][0]["state"] == "ok"

    path.write_bytes(CONTENT[:-1] + bytes([CONTENT[-1] ^ 1]))
    assert program.json("verify", code=14)["checks"][0]["state"] == "fail"
    assert "damaged; fetching it again" in (program("pull", "some-model-q8"), program.stderr)[1]
    assert path.read_bytes() == CONTENT
    before = len(hub.asked)  # type: ignore[attr-defined]
    program("pull", "some-model-q8")
    assert "is here already" in program.stderr
    assert len(hub.asked) == before  # type: ignore[attr-defined]

    assert "without being asked to" in (program("remove", "some-model-q8", code=2), program.stderr)[1]
    program("remove", "some-model-q8", "--yes")
    assert "still the generator" in program.stderr
    assert not path.exists()
    assert "not on this machine" in (program("path", "some-model-q8", code=14), program.stderr)[1]


def test_a_pull_that_broke_off_goes_on_where_it_ended(program: Program, hub: Hub) -> None:
    hub.break_after = 11_000_000  # the library keeps what came in pieces of 10 MiB
    program("pull", FILE)
    firsts = [int(match[1]) for _, _, wanted in hub.asked if (match := re.match(r"bytes=(\d+)-", wanted or ""))]  # type: ignore[attr-defined]
    assert firsts == [10 * 2**20]
    assert program.stderr.count("\n") == 1  # only the note on how to use it
    assert program.json("verify")["checks"][0]["state"] == "ok"


def test_what_came_is_not_what_the_hub_states(program: Program, hub: Hub) -> None:
    hub.stated_sha256 = "0" * 64
    error = program.json("pull", FILE, code=14)
    assert "another sha256 than the hub states" in error["message"]
    assert program.json("list")["pulled"] == []
    assert not list(program.home.rglob("*.gguf"))


def test_a_name_whose_content_changed_on_the_hub_is_refused(program: Program, hub: Hub) -> None:
    path = Path(program.json("pull", FILE)["model"]["path"])
    path.unlink()
    hub.content = CONTENT + b"more"
    error = program.json("pull", FILE, code=14)
    assert "the hub has another file now" in error["message"]


def test_nobody_is_asked_when_offline(program: Program, hub: Hub) -> None:
    assert "offline is on" in (program("pull", FILE, "--offline", code=1), program.stderr)[1]
    assert "offline is on" in (program("pull", FILE, code=1, MIXRAG_OFFLINE="on"), program.stderr)[1]
    assert "HF_HUB_OFFLINE is on" in (program("pull", FILE, code=1, HF_HUB_OFFLINE="1"), program.stderr)[1]
    assert hub.asked == []  # type: ignore[attr-defined]


def test_errors_name_what_is_wrong(program: Program) -> None:
    assert "not on the hub" in (program("pull", "nobody/nothing/x.gguf", code=1), program.stderr)[1]
    assert "neither a known model" in (program("pull", "../../etc/x.gguf", code=2), program.stderr)[1]
    gone = {"HF_ENDPOINT": "http://127.0.0.1:9"}
    assert "cannot be fetched" in (program("pull", FILE, code=1, **gone), program.stderr)[1]
    assert "not on this machine" in (program("use", "mystery", code=14), program.stderr)[1]


def test_use_takes_a_file_a_server_and_none(program: Program, tiny_model: Path) -> None:
    assert program.json("use", str(tiny_model))["generator"] == str(tiny_model)
    assert program.json("use", "http://localhost:11434")["generator"] == "http://localhost:11434"
    assert program.json("use", "none")["generator"] == ""
    (program.home / "letter.gguf").write_text("Dear editor")
    assert "not a GGUF file" in (program("use", "letter.gguf", code=14), program.stderr)[1]


def doctor(home: Path, *arguments: str, **env: str) -> tuple[int, dict[str, dict[str, str]]]:
    done = run_mixrag("doctor", "--model", "--json", *arguments, cwd=home, env=environment_of(home, **env))
    assert b"llama" not in done.stderr
    return done.returncode, {each["name"]: each for each in json.loads(done.stdout)["checks"]}


def test_doctor_measures_the_model(tmp_path: Path, tiny_model: Path) -> None:
    _, checks = doctor(tmp_path, MIXRAG_GENERATOR=str(tiny_model), MIXRAG_THREADS="1")
    assert checks["model"]["detail"].startswith("tiny.gguf/")
    assert re.fullmatch(r"after \d+\.\d\d s with a prompt of \d{3} tokens", checks["first token"]["detail"])
    for name in ("reading", "writing"):
        assert float(checks[name]["detail"].split()[0].replace(",", "")) > 0
        assert (checks[name]["state"] == "warn") == bool(checks[name]["remedy"])
    assert "window of 4,096 tokens" in checks["model memory"]["detail"]


def test_doctor_tells_what_is_wrong_with_the_model(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed")
    (tmp_path / "letter.gguf").write_text("Dear editor")
    code, checks = doctor(tmp_path, MIXRAG_GENERATOR="letter.gguf")
    assert code == 1
    assert checks["model"]["state"] == "fail"
    assert "not a GGUF file" in checks["model"]["detail"]
