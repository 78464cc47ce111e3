"""The chat as a person has it: through a pseudo-terminal, with the real program and a server that writes slowly."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import stat
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from importlib import resources

import jsonschema
import pytest
from cli_fixtures import PROGRAM, environment_of, run_here, run_mixrag
from scripted_server import serve

SECONDS = 60  # until something is given up that takes about one on a quiet machine
# Makes stdin its terminal, so that Ctrl-C reaches it, and becomes the program that follows. A job in the background
# starts deaf to Ctrl-C and would hand that down.
TAKE_TERMINAL = [
    sys.executable,
    "-c",
    "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])",
]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>]")


class Terminal:
    """The real chat behind a pseudo-terminal."""

    def __init__(self, folder, *arguments: str, columns: int = 80, **environment: str) -> None:
        self.ours, theirs = pty.openpty()
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        self.resize(columns)
        env = environment_of(folder.parent, **environment)
        self.process = subprocess.Popen(
            [*TAKE_TERMINAL, *PROGRAM, "chat", *arguments],
            cwd=folder,
            env=env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        self.seen = ""

    def resize(self, columns: int, rows: int = 40) -> None:
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def ask(self, line: str) -> None:
        """Type a line once the prompt listens: what is typed before is lost between two modes of the terminal."""
        end = time.monotonic() + SECONDS
        while termios.tcgetattr(self.theirs)[3] & termios.ICANON:
            assert time.monotonic() < end, f"no prompt after {self.seen!r}"
            self.take(0.05)
        self.send(f"{line}\r")

    def wait_for(self, wanted: str, seconds: float = SECONDS) -> str:
        """What was shown until the wanted text came, without escape sequences."""
        end = time.monotonic() + seconds
        shown = ""
        while wanted not in shown:
            left = end - time.monotonic()
            assert left > 0, f"no {wanted!r} in {shown!r}"
            self.take(left)
            shown = ESCAPE.sub("", self.seen)
        position = shown.index(wanted) + len(wanted)
        self.seen = shown[position:]
        return shown[:position]

    def take(self, seconds: float) -> None:
        """What is shown next, if anything is in this time."""
        if select.select([self.ours], [], [], seconds)[0]:
            raw = os.read(self.ours, 65536).decode("utf-8", "replace")
            self.answer_cursor_requests(raw)
            self.seen += raw

    def answer_cursor_requests(self, raw: str) -> None:
        for _ in range(raw.count("\x1b[6n")):
            self.send("\x1b[1;1R")

    def leave(self) -> int:
        """End at the next prompt; what is typed before it is there is lost between two modes of the terminal."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            self.send("\x04")
            self.look(until=time.monotonic() + 0.5)
        return self.ended()

    def look(self, until: float) -> None:
        """Take what is shown, for as long as the program runs."""
        while self.process.poll() is None and time.monotonic() < until:
            self.take(0.1)

    def ended(self) -> int:
        """The exit code; the terminal must be as it was."""
        self.look(until=time.monotonic() + SECONDS)
        code = self.process.wait(timeout=1)
        assert termios.tcgetattr(self.theirs) == self.before
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def open_chat(indexed) -> Iterator:
    opened: list[Terminal] = []

    def start(*arguments: str, **options) -> Terminal:
        opened.append(Terminal(indexed, *arguments, **options))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


@pytest.fixture
def slow_server() -> Iterator[tuple[str, threading.Event]]:
    """A server that needs a minute for an answer, a word every tenth of a second, and whether it was asked."""
    was_asked = threading.Event()

    def answer(_: object) -> str:
        was_asked.set()
        return "word " * 600

    with serve(answer, delay_s=0.1) as address:
        yield address, was_asked


def test_questions_follow_ups_and_commands(open_chat, indexed, tmp_path):
    chat = open_chat()
    chat.wait_for("/help lists the commands")
    chat.ask("How many chairs were sold in 2024?")
    chat.wait_for("515")
    chat.wait_for("handbook.md")
    chat.ask("and in 2023?")
    chat.wait_for("asked as: How many chairs were sold in 2023?")
    chat.wait_for("412")
    chat.ask("/explain")
    chat.wait_for("restate")
    chat.ask("/show 1")
    chat.wait_for("Tables sold")
    chat.ask("/show 9")
    chat.wait_for("the last answer has no source 9")
    chat.ask("/scope nosuch.txt")
    chat.wait_for("no indexed file matches nosuch.txt")
    chat.ask("/dance")
    chat.wait_for("no command /dance")
    saved = tmp_path / "answers.md"
    chat.ask(f"/save {saved}")
    chat.wait_for("saved 2 answers")
    chat.ask("/model")
    chat.wait_for("built-in reader")
    assert chat.leave() == 0
    assert "How many chairs were sold in 2023?" in saved.read_text("utf-8")
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    history = indexed.parent / ".local/state/mixrag/chat_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600 and "2024" in history.read_text("utf-8")


@pytest.mark.slow
def test_control_c_leaves_an_empty_prompt_the_second_time(open_chat):
    chat = open_chat()
    chat.wait_for("/help lists the commands")
    chat.wait_for("›")
    chat.send("half a question")
    chat.wait_for("half a question")
    chat.send("\x03")
    chat.wait_for("›")
    time.sleep(1)  # until the new prompt listens: a key pressed between two prompts is no one's
    chat.send("\x03")
    chat.wait_for("Ctrl-C once more")
    chat.wait_for("›")
    chat.send("\x03")
    assert chat.ended() == 0


@pytest.mark.slow
def test_control_c_stops_an_answer_and_the_chat_goes_on(open_chat, slow_server):
    address, was_asked = slow_server
    chat = open_chat("--generator", address)
    chat.wait_for("/help lists the commands")
    chat.ask("How many days of paid leave are there?")
    assert was_asked.wait(SECONDS)
    time.sleep(1)  # some words have come
    chat.send("\x03")
    chat.wait_for("stopped")
    chat.ask("/model none")
    chat.wait_for("built-in reader")
    chat.ask("How many days of paid leave are there?")
    chat.wait_for("27")
    assert chat.leave() == 0


@pytest.mark.slow
def test_a_narrow_window_and_one_that_changes(open_chat):
    chat = open_chat(columns=24)
    chat.wait_for("/help")
    chat.ask("Who checks the fire extinguishers?")
    chat.wait_for("Tennick")
    chat.resize(100)
    os.killpg(chat.process.pid, signal.SIGWINCH)
    chat.ask("How many chairs were sold in 2024?")
    chat.wait_for("515")
    chat.resize(1)
    os.killpg(chat.process.pid, signal.SIGWINCH)
    chat.resize(80)
    assert chat.leave() == 0


def test_a_termination_is_not_taken_for_control_c(open_chat):
    chat = open_chat()
    chat.wait_for("/help lists the commands")
    os.kill(chat.process.pid, signal.SIGTERM)
    assert chat.ended() == 143


def test_questions_through_a_pipe_are_answered_one_by_one(indexed):
    typed = (
        b"How many days of paid leave are there?\n\xff\xfe\x00\n"
        + b"x" * 100_000
        + b"\n/help\nwho checks the fire extinguishers?\n"
    )
    done = run_mixrag("chat", cwd=indexed, env=environment_of(indexed.parent), typed=typed)
    assert done.returncode == 0
    assert b"27" in done.stdout and b"Tennick" in done.stdout and b"/sources" in done.stdout
    assert b"characters; at most 8,000 are read" in done.stderr
    assert b"\x1b" not in done.stdout


def test_what_a_command_does_stands_beside_it_on_a_narrow_terminal(indexed):
    env = {**environment_of(indexed.parent), "COLUMNS": "50"}
    done = run_here("chat", cwd=indexed, env=env, typed=b"/help\n")
    lines = done.stdout.decode().splitlines()
    told = [line for line in lines if line.startswith(("/", " "))]
    assert {len(line) for line in told} and max(len(line) for line in told) <= 50
    assert all(line[10] == " " and line[11:12].strip() for line in told)


def test_json_holds_one_object_a_line_for_commands_too(indexed, tmp_path):
    lines = (
        "How many chairs were sold in 2024?",
        *("/sources", "/explain", "/show handbook.md", "/scope *.md", "/scope", "/model", f"/save {tmp_path}/c.md"),
        *("/help", "/show 9", "/nonsense", "/quit"),
    )
    done = run_here(
        *("chat", "--json"),
        cwd=indexed,
        env=environment_of(indexed.parent),
        typed="".join(f"{line}\n" for line in lines).encode(),
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(lines) - 1  # /quit says nothing
    for each in told:
        name, _, version = each["schema"].removeprefix("mixrag.").partition("/")
        form = resources.files("mixrag_cli").joinpath("schemas", f"{name}-{version}.json").read_text("utf-8")
        jsonschema.validate(each, json.loads(form), cls=jsonschema.Draft202012Validator)
    answer, sources, steps, shown, narrowed, widened, model, saved, commands, *errors = told
    assert answer["value"] == 515
    assert sources == steps == answer
    assert shown["path"] == "handbook.md"
    assert (narrowed["paths"], widened["paths"]) == (["*.md"], [])
    assert model["models"]["generator"] == "none"
    assert saved["path"] == f"{tmp_path}/c.md" and (tmp_path / "c.md").is_file()
    assert {"sources", "quit"} <= set(commands["commands"])
    assert [each["schema"] for each in errors] == ["mixrag.error/1"] * 2


@pytest.mark.slow
def test_quiet_leaves_only_what_was_asked_for(open_chat, indexed):
    chat = open_chat("--quiet")
    chat.ask("How many chairs were sold in 2024?")
    assert "/help lists the commands" not in chat.wait_for("515")
    assert chat.leave() == 0
    typed = b"How many chairs were sold in 2024?\nand in 2023?\n"
    loud, quiet = (
        run_here("chat", *more, cwd=indexed, env=environment_of(indexed.parent), typed=typed).stdout
        for more in ((), ("-q",))
    )
    assert b"asked as: How many chairs were sold in 2023?" in loud
    assert b"asked as" not in quiet and b"412" in quiet
