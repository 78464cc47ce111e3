"""serve and mcp over a published index: a new commit is answered from as soon as it is published."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mixrag_cli.settings import Settings
from mixrag_cli.store import publish
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from tests.bounded import PATIENCE_S
from tests.cli_fixtures import PROGRAM, environment_of
from tests.test_serve import warm_only
from tests.web_server import web_server

pytestmark = pytest.mark.slow

QUESTION = "How many lunches does the canteen serve a day?"


class Publisher:
    """A folder that is indexed and published anew with each sentence. shared: where to; env: of its readers."""

    def __init__(self, home: Path) -> None:
        self.documents, self.shared = home / "documents", home / "shared"
        self.documents.mkdir()
        self.env = environment_of(home, MIXRAG_CACHE_DIR=str(home / "cache"))

    def say(self, sentence: str) -> None:
        (self.documents / "canteen.md").write_text(f"# Canteen\n\n{sentence}\n", "utf-8")
        build_index([self.documents], Settings(), events=Silent())
        publish(self.documents / ".mixrag", str(self.shared))


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    found = Publisher(tmp_path)
    found.say("The canteen serves 83 lunches a day.")
    return found


@pytest.fixture
def address(request: pytest.FixtureRequest, publisher: Publisher) -> Iterator[str]:
    """Of the shared folder: its path, or that of a plain web server over it."""
    if request.param == "folder":
        yield str(publisher.shared)
        return
    with web_server(publisher.shared) as address:
        yield address


@pytest.fixture
def runtime() -> Iterator[str]:
    """A runtime folder whose name leaves room: a socket's path has at most 107 bytes."""
    folder = tempfile.mkdtemp(prefix="mixrag-")
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("address", ["folder", "web"], indirect=True)
def test_serve_follows_what_is_published(publisher: Publisher, address: str, runtime: str, tmp_path: Path) -> None:
    env = {**publisher.env, "XDG_RUNTIME_DIR": runtime}
    server = subprocess.Popen([*PROGRAM, "serve", "--store", address], cwd=tmp_path, env=env, stderr=subprocess.PIPE)
    try:
        assert server.stderr is not None and address.encode() in server.stderr.readline()
        for number in (83, 97):
            publisher.say(f"The canteen serves {number} lunches a day.")
            done = warm_only(publisher.documents, env, "search", QUESTION, "--json", "--store", address)
            assert done.returncode == 0, done.stderr
            assert f"{number} lunches" in json.loads(done.stdout)["hits"][0]["text"]
        assert warm_only(publisher.documents, env, "search", QUESTION).returncode == 99  # the folder's own index
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE_S) == 143
        server.stderr.close()


@pytest.mark.parametrize("address", ["folder", "web"], indirect=True)
def test_mcp_follows_what_is_published(publisher: Publisher, address: str, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    import anyio
    from mcp import Client, StdioServerParameters

    env = {**publisher.env, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    arguments = ["-m", "mixrag_cli", "mcp", "--store", address]

    async def ask() -> None:
        server = StdioServerParameters(command=sys.executable, args=arguments, cwd=tmp_path, env=env)
        async with Client(server) as client:
            for number in (83, 97):
                publisher.say(f"The canteen serves {number} lunches a day.")
                result = await client.call_tool("search", {"query": QUESTION})
                assert f"{number} lunches" in result.structured_content["hits"][0]["text"]

    anyio.run(ask)
