"""Nothing leaves the machine: no command connects, looks a name up, or leaves a file where none belongs.

The real programs under a home of their own, as on a user's machine: CI, which keeps some libraries quiet, is not set.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli_fixtures import CODE, HANDBOOK, PROGRAM, SHEET
from tests.watched_process import CannotWatch, Seen, run_watched

pytestmark = pytest.mark.slow

QUESTION = "How many days of paid leave does every member have?"
# What a build server sets and a user does not, or what would switch a library's own telemetry off from outside.
NOT_A_USERS = ("CI", "GITHUB_ACTIONS", "DO_NOT_TRACK", "ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY")


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Seen]:
    """A home whose documents are indexed, and what the run that indexed them did."""
    home = make_home(tmp_path_factory.mktemp("indexed"))
    return home, watch(home, [*PROGRAM, "index"])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose documents are not indexed yet."""
    return make_home(tmp_path)


def make_home(home: Path) -> Path:
    """A user's home with a folder of documents, one of questions about them, and nothing else."""
    documents, questions = home / "documents", home / "questions"
    for folder in (documents, questions, home / "tmp"):
        folder.mkdir()
    for name, text in (("handbook.md", HANDBOOK), ("prices.py", CODE), ("stock.csv", SHEET)):
        (documents / name).write_text(text, "utf-8")
    (questions / "corpus.jsonl").write_text(json.dumps({"_id": "a", "text": HANDBOOK}) + "\n")
    (questions / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": QUESTION}) + "\n")
    (questions / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    return home


def watch(home: Path, command: Sequence[str], typed: bytes = b"") -> Seen:
    """What the program and its children did; it must have ended well."""
    outside = ("MIXRAG_", "XDG_", "HF_", "TRANSFORMERS_", "PYTEST_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(outside)}
    for name in NOT_A_USERS:
        kept.pop(name, None)
    own = {"HOME": str(home), "TMPDIR": str(home / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done, seen = run_watched(command, env={**kept, **own}, cwd=home / "documents", typed=typed)
    except CannotWatch as reason:
        pytest.skip(str(reason))
    assert done.returncode in (0, 5), done.stderr  # 5: likely
    return seen


def strangers(home: Path, seen: Seen) -> list[Path]:
    """What was created where nothing of mixrag's belongs: outside of the store, its cache and its settings."""
    own = (home / "documents" / ".mixrag", home / ".cache" / "mixrag", home / ".config" / "mixrag")
    parents = {parent for folder in own for parent in folder.parents}
    made = (Path(os.path.normpath(path)) for path in seen.created)
    return [path for path in made if path not in parents and not any(path.is_relative_to(folder) for folder in own)]


def assert_private(home: Path, seen: Seen) -> None:
    """Nothing was sent, nothing looked up, nothing left where it does not belong, and nothing went by unseen."""
    assert seen.connections == []
    assert seen.lookups == []
    assert strangers(home, seen) == []
    assert seen.unread == []


def test_indexing_leaves_nothing(indexed: tuple[Path, Seen]) -> None:
    assert_private(*indexed)


def test_measuring_leaves_nothing(home: Path) -> None:
    assert_private(home, watch(home, [*PROGRAM, "eval", "../questions"]))


@pytest.mark.parametrize(
    ("arguments", "typed"),
    [(["ask", QUESTION], b""), (["chat"], f"{QUESTION}\nAnd who checks the fire extinguishers?\n".encode())],
    ids=["ask", "chat"],
)
def test_asking_leaves_nothing(home: Path, indexed: tuple[Path, Seen], arguments: list[str], typed: bytes) -> None:
    shutil.copytree(indexed[0] / "documents", home / "documents", dirs_exist_ok=True)
    assert_private(home, watch(home, [*PROGRAM, *arguments], typed))


@pytest.mark.parametrize(
    ("program", "finding"),
    [
        ("import socket; socket.socket().connect_ex(('192.0.2.1', 443))", "connections"),
        ("import socket; s = socket.socket(2, 2); s.connect_ex(('127.0.0.1', 53))", "lookups"),
        ("import os; os.mkdir('../left-behind')", "created"),
        ("import os; os.chdir('..'); os.system('touch left-too')", "created"),
    ],
    ids=["connect", "look-up", "folder", "file of a child"],
)
def test_what_leaves_would_be_seen(home: Path, program: str, finding: str) -> None:
    seen = watch(home, [sys.executable, "-c", program])
    found = strangers(home, seen) if finding == "created" else getattr(seen, finding)
    assert len(found) == 1
