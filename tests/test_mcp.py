"""mixrag mcp as editors and agents use it: the protocol's own client over stdio and HTTP, and what is refused."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.bounded import PATIENCE_S
from tests.cli_fixtures import PROGRAM, environment_of, run_here

pytest.importorskip("mcp")
import anyio
from mcp import Client, StdioServerParameters

QUESTION = "How many days of paid leave does every member have?"
CALLS = {
    "search": {"query": "paid leave", "limit": 3},
    "ask": {"question": QUESTION},
    "show": {"ref": "handbook.md#L3-6"},
    "status": {},
}


def check_form(payload: dict[str, Any]) -> None:
    name = payload["schema"].removeprefix("mixrag.").replace("/", "-")
    schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", f"{name}.json").read_text("utf-8"))
    jsonschema.validate(payload, schema, cls=jsonschema.Draft202012Validator)


async def use_every_tool(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == set(CALLS)
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
    for name, arguments in CALLS.items():
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result.content
        check_form(result.structured_content)
        assert json.loads(result.content[0].text) == result.structured_content
    answer = await client.call_tool("ask", {"question": QUESTION})
    assert "27 days" in answer.structured_content["candidates"][0]["source"]["text"]
    found = await client.call_tool("search", CALLS["search"])
    (link, *_) = [block for block in found.content if block.type == "resource_link"]
    place = await client.read_resource(link.uri)
    assert "27 days" in place.contents[0].text


async def make_mistakes(client: Client) -> None:
    for name, arguments, code in (
        ("search", {"query": ""}, 2),
        ("search", {"query": "x", "limit": 1_000_000}, 2),
        ("ask", {"question": "x" * 9_000}, 2),
        ("ask", {"question": "x", "paths": ["nowhere/*"]}, 2),
        ("show", {"ref": "../../../etc/passwd"}, 2),
        ("remove", {"path": "handbook.md"}, 2),
    ):
        result = await client.call_tool(name, arguments)
        assert result.is_error
        failure = json.loads(result.content[0].text)
        check_form(failure)
        assert failure["code"] == code
    with pytest.raises(Exception, match="no such resource"):
        await client.read_resource("file:///etc/passwd")


async def use_filters(client: Client) -> None:
    for given, files in (
        ({"languages": ["python"]}, {"prices.py"}),
        ({"kinds": ["row"]}, {"handbook.md", "stock.csv"}),
        ({"paths": ["handbook.md"]}, {"handbook.md"}),
        ({"modalities": ["sheet"], "since": "1y"}, {"stock.csv"}),
        ({"since": "2000-01-01", "languages": ["py"]}, {"prices.py"}),
    ):
        found = await client.call_tool("search", {"query": "price of a chair or bench", **given})
        assert not found.is_error, found.content
        assert set(found.structured_content["files"]) == files, given
        answer = await client.call_tool("ask", {"question": "What is the price of a bench?", **given})
        assert not answer.is_error, answer.content
        assert {each["path"] for each in answer.structured_content["sources"]} <= files
    only = await client.call_tool("search", {"query": "leave", "files_only": True, "limit": 2})
    assert only.structured_content["hits"] == []
    assert len(only.structured_content["files"]) == 2
    around = await client.call_tool("search", {"query": "bench", "kinds": ["row"], "context": 1})
    check_form(around.structured_content)
    assert any(hit["before"] or hit["after"] for hit in around.structured_content["hits"])
    for wrong in ({"since": "soon"}, {"languages": ["klingon"]}, {"kinds": ["poem"]}, {"collections": ["x"]}):
        refused = await client.call_tool("search", {"query": "leave", **wrong})
        assert refused.is_error and refused.structured_content["code"] == 2


async def use_collections(client: Client) -> None:
    (tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == "ask"]
    assert tool.input_schema["properties"]["collections"]["items"] == {"enum": ["leave", "stock"]}
    both = await client.call_tool("search", {"query": "paid leave of chairs"})
    assert {hit["collection"] for hit in both.structured_content["hits"]} == {"leave", "stock"}
    stock = await client.call_tool("search", {"query": "paid leave of chairs", "collections": ["stock"]})
    assert [Path(each).name for each in stock.structured_content["files"]] == ["stock.csv"]
    answer = await client.call_tool("ask", {"question": "How many chairs were sold in 2024?"})
    assert answer.structured_content["value"] == 515
    shown = await client.call_tool("show", {"ref": "stock.csv"})
    assert "bench" in shown.structured_content["text"]
    vague = await client.call_tool("status", {})
    assert vague.is_error and "one of leave, stock" in vague.content[0].text
    told = await client.call_tool("status", {"collections": ["leave"]})
    check_form(told.structured_content)
    assert told.structured_content["documents"]["indexed"] == 1
    unknown = await client.call_tool("ask", {"question": "x", "collections": ["elsewhere"]})
    assert unknown.is_error and unknown.structured_content["code"] == 2


def stdio_server(folder: Path, *options: str, **variables: str) -> StdioServerParameters:
    env = environment_of(folder.parent, PYTHONPATH=os.pathsep.join(filter(None, sys.path)), **variables)
    arguments = ["-m", "mixrag_cli", "mcp", *options]
    return StdioServerParameters(command=sys.executable, args=arguments, cwd=folder, env=env)


def talk(server: Any, *stories: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Client(server) as client:
            for story in stories:
                await story(client)

    anyio.run(run)


@pytest.fixture(scope="module")
def http_port(indexed: Path) -> Iterator[int]:
    """The port of a server that runs as long as the module's tests do."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [*PROGRAM, "mcp", "--http", "--port", str(port), "--origin", "https://friend.example"]
    running = subprocess.Popen(command, cwd=indexed, env=environment_of(indexed.parent), stderr=subprocess.PIPE)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and running.poll() is None:
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    yield port
    running.send_signal(signal.SIGTERM)
    assert running.wait(PATIENCE_S) == 143
    assert running.stderr is not None
    running.stderr.close()


@pytest.mark.slow
def test_every_tool_over_stdio_and_nothing_is_left(indexed: Path) -> None:
    before = set(children())
    talk(stdio_server(indexed), use_every_tool, make_mistakes)
    assert set(children()) <= before


def test_filters_are_those_of_the_commands(http_port: int) -> None:
    talk(f"http://127.0.0.1:{http_port}/mcp", use_filters)


@pytest.mark.slow
def test_several_collections_are_asked_together_or_one_by_one(indexed: Path) -> None:
    away = indexed.parent / "apart"
    variables = {"MIXRAG_DATA_DIR": str(away / "data")}
    for name, file in (("leave", "handbook.md"), ("stock", "stock.csv")):
        (away / name).mkdir(parents=True)
        shutil.copy(indexed / file, away / name)
        done = run_here("index", "--collection", name, name, cwd=away, env=environment_of(away.parent, **variables))
        assert done.returncode == 0
    talk(stdio_server(away, "--collection", "leave,stock", **variables), use_collections)


def test_every_tool_over_http(http_port: int) -> None:
    talk(f"http://127.0.0.1:{http_port}/mcp", use_every_tool, make_mistakes)


@pytest.mark.slow
def test_fifty_calls_at_once(http_port: int) -> None:
    async def ask_many(client: Client) -> None:
        found: list[Any] = []

        async def one(number: int) -> None:
            name = "search" if number % 5 else "ask"
            found.append((name, (await client.call_tool(name, CALLS[name])).structured_content))

        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(one, number)
        assert len(found) == 50
        assert len({payload["candidates"][0]["source"]["id"] for name, payload in found if name == "ask"}) == 1
        assert len({tuple(hit["id"] for hit in payload["hits"]) for name, payload in found if name == "search"}) == 1

    talk(f"http://127.0.0.1:{http_port}/mcp", ask_many)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 403),
        ({"Origin": "https://friend.example.evil.example"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "0.0.0.0"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Content-Type": "text/plain"}, 400),
        ({"Origin": "https://friend.example"}, 200),
        ({}, 200),
    ],
    ids=str,
)
def test_a_page_of_another_origin_is_refused(http_port: int, headers: dict[str, str], status: int) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    call["params"] = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    assert post(http_port, json.dumps(call).encode(), headers) == status


def test_a_huge_request_is_refused(http_port: int) -> None:
    assert post(http_port, b" " * 5_000_000, {}) == 413


def test_only_this_machine_is_served(http_port: int) -> None:
    listening = Path("/proc/net/tcp").read_text().splitlines()[1:]
    places = {line.split()[1] for line in listening if line.split()[3] == "0A"}
    assert f"0100007F:{http_port:04X}" in places
    assert f"00000000:{http_port:04X}" not in places


@pytest.mark.slow
def test_a_killed_client_leaves_no_process(indexed: Path) -> None:
    client = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])", *PROGRAM, "mcp"],
        cwd=indexed,
        env=environment_of(indexed.parent),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    deadline = time.monotonic() + PATIENCE_S
    while not (servers := children(client.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert servers
    client.kill()
    client.wait()
    assert client.stdin is not None
    assert client.stdout is not None
    client.stdin.close()
    client.stdout.close()
    while any(Path(f"/proc/{pid}/cmdline").exists() and is_alive(pid) for pid in servers):
        assert time.monotonic() < deadline + PATIENCE_S
        time.sleep(0.05)


def post(port: int, body: bytes, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    try:
        connection.request("POST", "/mcp", body, {**usual, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


def children(parent: int | None = None) -> list[int]:
    return [
        int(pid)
        for pid in Path(f"/proc/{parent or os.getpid()}/task/{parent or os.getpid()}/children").read_text().split()
    ]


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
