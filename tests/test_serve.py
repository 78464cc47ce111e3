"""mixrag serve: the same answers without the wait, used where it runs and never needed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mixrag_cli.client import run_warm, socket_path
from tests.bounded import PATIENCE_S, patience
from tests.cli_fixtures import PROGRAM, copy_indexed, environment_of, run_here, run_mixrag
from tests.test_architecture import NOT_IN_THE_FACE

LINK_ID = re.compile(rb"(?<=\x1b]8;)id=\d+")  # drawn at random for each link
QUESTION = "How many days of paid leave does every member have?"


@pytest.fixture(scope="module")
def runtime() -> Iterator[str]:
    """A runtime folder whose name leaves room: a socket's path has at most 107 bytes."""
    folder = tempfile.mkdtemp(prefix="mixrag-")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def served(indexed: Path, runtime: str) -> Iterator[tuple[Path, dict[str, str], subprocess.Popen[bytes]]]:
    """An indexed folder of its own, the environment of its callers, and the server that answers for it."""
    folder = copy_indexed(indexed, indexed.parent / "served")
    env = environment_of(indexed.parent, XDG_RUNTIME_DIR=runtime)
    server = subprocess.Popen([*PROGRAM, "serve"], cwd=folder, env=env, stderr=subprocess.PIPE)
    assert server.stderr is not None
    assert b"answering for" in server.stderr.readline()
    yield folder, env, server
    server.send_signal(signal.SIGTERM)
    assert server.wait(PATIENCE_S) == 143
    server.stderr.close()
    assert not list(Path(runtime, "mixrag").glob("*.sock"))


def warm_only(folder: Path, env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """A run that ends with 99 where no server answers, and tells on stderr's last line what it had to load."""
    script = (
        "import sys; from mixrag_cli.client import run_warm; code = run_warm(sys.argv[1:])\n"
        "print('|'.join(sys.modules), file=sys.stderr); sys.exit(99 if code is None else code)"
    )
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=folder, env={**env, "PYTHONPATH": path}, capture_output=True
    )


def without_times(raw: bytes) -> dict:
    found = json.loads(raw)
    found.pop("timings_ms", None)
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", QUESTION],
        ["ask", "Who won the 1998 chess final in Reykjavik?", "--json"],
        ["search", "paid leave", "--limit", "3", "--color", "always"],
        ["search", "bench", "--path", "nowhere/*", "--json"],
    ],
    ids=["answer", "no answer", "search", "wrong"],
)
def test_the_output_is_that_of_a_cold_run(served, arguments: list[str]) -> None:
    folder, env, _ = served
    warm = warm_only(folder, env, *arguments)
    cold = run_here(*arguments, cwd=folder, env=env)
    assert warm.returncode == cold.returncode != 99
    if "--json" in arguments:
        assert without_times(warm.stdout) == without_times(cold.stdout)
    else:
        assert LINK_ID.sub(b"", warm.stdout) == LINK_ID.sub(b"", cold.stdout)
    assert warm.stderr.splitlines()[:-1] == cold.stderr.splitlines()


def test_the_callers_side_is_light(served) -> None:
    folder, env, _ = served
    done = warm_only(folder, env, "search", "leave")
    loaded = set(done.stderr.decode().splitlines()[-1].split("|"))
    assert done.returncode == 0
    assert loaded & (NOT_IN_THE_FACE | {"typer", "platformdirs", "asyncio", "tempfile", "hashlib"}) == set()


def test_the_program_itself_asks_whom_it_finds(tmp_path: Path, runtime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening_for(tmp_path, runtime, monkeypatch, b'{"code": 0, "stdout": 6, "stderr": 0}\nhello\n'):
        done = run_mixrag("search", "leave", cwd=tmp_path, env=environment_of(tmp_path, XDG_RUNTIME_DIR=runtime))
    assert (done.returncode, done.stdout) == (0, b"hello\n")


CHAT = (
    b"How many chairs were sold in 2024?\nand in 2023?\n/sources\n/explain\n/nonsense\n/scope *.md\n/model x\n/quit\n"
)
HEAVY = {"numpy", "lance", "onnxruntime", "tokenizers"}


def chat(folder: Path, env: dict[str, str], *arguments: str) -> subprocess.Popen[bytes]:
    """A chat over pipes, which tells on stderr's last line what it had to load."""
    script = (
        "import sys; sys.argv = ['mixrag', 'chat', *sys.argv[1:]]\n"
        "from mixrag_cli.cli import main\n"
        "try: main()\n"
        "finally: print('|'.join(sys.modules), file=sys.stderr, flush=True)"
    )
    env = {**env, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(command, cwd=folder, env=env, stdin=pipe, stdout=pipe, stderr=pipe)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["--json"], ["--quiet"]])
def test_a_chat_is_answered_warm_as_it_would_be_cold(served, arguments: list[str]) -> None:
    folder, env, _ = served
    said, notes = chat(folder, env, *arguments).communicate(CHAT, PATIENCE_S)
    nowhere = {**env, "XDG_RUNTIME_DIR": str(folder)}
    cold_said = run_here("chat", *arguments, cwd=folder, env=nowhere, typed=CHAT.replace(b"/model x\n", b"")).stdout
    assert set(notes.decode().splitlines()[-1].split("|")) & HEAVY == set()
    assert set(sys.modules) >= HEAVY  # what a cold run loads
    assert b"its models stay" in notes
    if arguments == ["--json"]:
        told = [without_times(line) for line in said.splitlines()]
        expected = [without_times(line) for line in cold_said.splitlines()]
        assert [each for each in told if "its models stay" not in str(each)] == expected
        assert expected[1]["value"] == 412  # the question leant on the one before
    else:
        times = re.compile(rb"\d+ ms")  # of which lines break, too
        assert times.sub(b"", said).split() == times.sub(b"", cold_said).split()
        assert (b"asked as" in said) is (arguments == [])


@pytest.mark.slow
def test_a_chat_goes_on_where_its_server_ends(indexed: Path, runtime: str) -> None:
    folder = copy_indexed(indexed, indexed.parent / "forsaken")
    env = environment_of(indexed.parent, XDG_RUNTIME_DIR=runtime)
    server = subprocess.Popen([*PROGRAM, "serve"], cwd=folder, env=env, stderr=subprocess.PIPE)
    assert server.stderr is not None
    assert b"answering for" in server.stderr.readline()
    talking = chat(folder, env)
    assert talking.stdin is not None and talking.stdout is not None
    talking.stdin.write(b"How many chairs were sold in 2024?\n")
    talking.stdin.flush()
    assert b"515" in talking.stdout.readline()
    server.send_signal(signal.SIGTERM)
    assert server.wait(PATIENCE_S) == 143
    server.stderr.close()
    said, notes = talking.communicate(b"Who checks the fire extinguishers?\n", PATIENCE_S)
    assert talking.returncode == 0
    assert b"mixrag serve has ended; this chat goes on without it" in notes
    assert b"Tennick" in said


def test_new_commits_are_followed(served) -> None:
    folder, env, _ = served
    (folder / "canteen.md").write_text("# Canteen\n\nThe canteen serves 83 lunches a day.\n")
    assert run_here("index", cwd=folder, env=env).returncode == 3
    done = warm_only(folder, env, "search", "How many lunches does the canteen serve a day?", "--json")
    assert "83 lunches" in json.loads(done.stdout)["hits"][0]["text"]


def test_other_settings_and_ones_own_affairs_are_left_to_the_caller(served) -> None:
    folder, env, _ = served
    for arguments in (["search", "leave", "--rerank", "none"], ["ask", "-"], ["ask", "x", "--file", "stock.csv"]):
        assert warm_only(folder, env, *arguments).returncode == 99
    assert warm_only(folder, {**env, "MIXRAG_RERANK": "none"}, "search", "leave").returncode == 99
    assert warm_only(folder, env, "status").returncode == 99
    assert warm_only(folder.parent, env, "search", "leave").returncode == 99
    named = ["search", "leave", "--store", str(folder / ".mixrag")]
    assert warm_only(folder.parent, env, *named).returncode == 0


@pytest.fixture(scope="module")
def several(indexed: Path, runtime: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder that no index serves, and the environment of callers for whom "leave" and "stock" are served."""
    away = indexed.parent / "away"
    env = environment_of(indexed.parent, XDG_RUNTIME_DIR=runtime, MIXRAG_DATA_DIR=str(away / "data"))
    for name, file in (("leave", "handbook.md"), ("stock", "stock.csv"), ("other", "prices.py")):
        (away / name).mkdir(parents=True)
        shutil.copy(indexed / file, away / name)
        assert run_here("index", "--collection", name, name, cwd=away, env=env).returncode == 0
    command = [*PROGRAM, "serve", "--collection", "leave,stock"]
    server = subprocess.Popen(command, cwd=away, env=env, stderr=subprocess.PIPE)
    assert server.stderr is not None
    told = server.stderr.readline()
    assert b"collections/leave" in told and b"collections/stock" in told
    yield away, env
    server.send_signal(signal.SIGTERM)
    assert server.wait(PATIENCE_S) == 143
    server.stderr.close()


@pytest.mark.slow
@pytest.mark.parametrize("names", ["leave,stock", "stock,leave", "stock", "leave"])
@pytest.mark.parametrize("command", ["ask", "search"])
def test_collections_are_answered_warm_as_they_would_be_cold(several, command: str, names: str) -> None:
    away, env = several
    arguments = [command, QUESTION, "--collection", names, "--json"]
    warm = warm_only(away, env, *arguments)
    cold = run_here(*arguments, cwd=away, env=env)
    assert warm.returncode == cold.returncode != 99
    assert without_times(warm.stdout) == without_times(cold.stdout)
    assert (b'"collection"' in warm.stdout) is ("," in names)


def test_a_collection_that_is_not_served_is_asked_cold(several) -> None:
    away, env = several
    for names in ("other", "leave,other", "nobody", "leave,nobody"):
        assert warm_only(away, env, "search", "leave", "--collection", names).returncode in (99, 10)
    done = run_mixrag("search", "prices", "--collection", "leave,other", "--files", cwd=away, env=env)
    assert b"prices.py" in done.stdout


def test_several_collections_follow_their_commits(several) -> None:
    away, env = several
    (away / "stock" / "canteen.md").write_text("# Canteen\n\nThe canteen serves 83 lunches a day.\n")
    assert run_here("index", "--collection", "stock", cwd=away, env=env).returncode == 0
    done = warm_only(away, env, "search", "lunches a day", "--collection", "leave,stock", "--json", "--limit", "1")
    (best,) = json.loads(done.stdout)["hits"]
    assert (best["collection"], "83 lunches" in best["text"]) == ("stock", True)


def test_a_chat_of_a_collection_is_answered_warm(several) -> None:
    away, env = several
    said, notes = chat(away, env, "--collection", "leave").communicate(b"How many chairs were sold in 2024?\n", 99)
    assert b"515" in said
    assert set(notes.decode().splitlines()[-1].split("|")) & HEAVY == set()


def test_the_socket_is_the_users_own_and_there_is_one(served, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, env, _ = served
    monkeypatch.setenv("XDG_RUNTIME_DIR", env["XDG_RUNTIME_DIR"])
    path = Path(socket_path(str(folder / ".mixrag")) or "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    second = run_mixrag("serve", cwd=folder, env=env)
    assert second.returncode == 11
    assert b"another mixrag serve answers for" in second.stderr


@contextmanager
def listening_for(folder: Path, runtime: str, monkeypatch: pytest.MonkeyPatch, *replies: bytes) -> Iterator[Path]:
    """A socket at which callers for the folder's index meet, one after the other, a server that says this."""
    (folder / ".mixrag").mkdir()
    (folder / ".mixrag" / "state.json").write_text("{}")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    path = Path(socket_path(str(folder / ".mixrag")) or "")
    path.parent.mkdir(mode=0o700, exist_ok=True)

    def answer(listener: socket.socket) -> None:
        for reply in replies:
            connection, _ = listener.accept()
            with connection:
                connection.recv(100_000)
                connection.sendall(reply)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen()
        threading.Thread(target=answer, args=(listener,), daemon=True).start()
        yield path
    path.unlink()


@pytest.mark.parametrize("reply", [b"", b"nonsense\n", b'{"code": 0, "stdout": 9, "stderr": 0}\nshort', b"[]\n"])
def test_a_server_in_trouble_is_no_trouble(
    tmp_path: Path, runtime: str, monkeypatch: pytest.MonkeyPatch, reply: bytes
) -> None:
    with listening_for(tmp_path, runtime, monkeypatch, reply) as path:
        assert run_warm(["search", "leave"]) is None
        path.chmod(0o666)
        assert run_warm(["search", "leave"]) is None  # others could have put it there


def test_a_socket_at_which_nobody_listens_is_no_trouble(
    tmp_path: Path, runtime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening_for(tmp_path, runtime, monkeypatch) as path:
        path.unlink()
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(str(path))
            path.chmod(0o600)
            assert run_warm(["search", "leave"]) is None


def test_a_server_that_nobody_asks_ends(indexed: Path, runtime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from mixrag_cli.actions.warm_server import WarmServer
    from mixrag_cli.settings import Settings

    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    server = WarmServer(indexed, Settings(), None)
    with server.listening() as listeners, patience():
        assert server.answer_all(listeners, idle_s=0.1) == 0
