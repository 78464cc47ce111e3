"""Running the real program as a shell runs it, and a small folder of documents that it has indexed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mixrag_cli.cli import app
from mixrag_cli.settings import Settings
from mixrag_cli.store.commit import read_record, write_record
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index

SAMPLES = Path(__file__).parent / "samples" / "northmere"
PROGRAM = [sys.executable, "-m", "mixrag_cli"]
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b]52;c;ZXZpbA==\x07\x9b31m\u202egnp\u2066\x7f"
# What no terminal may be sent and no JSON line may hold, in UTF-8 as it leaves the program.
FORBIDDEN_BYTES = re.compile(
    rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xf3\xa0[\x80\x81]"
)

HANDBOOK = """# Handbook of the Fernhill workshop

## Leave

Every member of the workshop has 27 days of paid leave in a calendar year. Leave that is not taken by the end of
March is lost. A request is made to the bench lead two weeks ahead.

## Safety

Hearing protection is worn in the planing room. The fire extinguishers are checked each November by Orla Tennick.

## Figures

| Year | Chairs sold | Tables sold |
|------|-------------|-------------|
| 2023 | 412         | 96          |
| 2024 | 515         | 120         |
"""
CODE = '''"""Prices of the workshop."""


def price_with_tax(net: float, rate: float = 0.23) -> float:
    """The price a customer pays, with value added tax."""
    return round(net * (1 + rate), 2)
'''
SHEET = "product,wood,stock\nstool,ash,18\nbench,oak,7\nshelf,pine,31\n"


def environment_of(home: Path, **more: str) -> dict[str, str]:
    """A clean environment: nothing of the caller's settings, a home of its own, the prepared model shared."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MIXRAG_", "XDG_", "LC_"))}
    for name in ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LANG", "PYTHONIOENCODING", "PYTHONUTF8"):
        kept.pop(name, None)
    shared = {name: os.environ[name] for name in ("MIXRAG_CACHE_DIR", "XDG_CACHE_HOME") if name in os.environ}
    if not shared:
        shared = {"XDG_CACHE_HOME": str(Path.home() / ".cache")}
    return {**kept, **shared, "HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8", **more}


def run_mixrag(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    program: Sequence[str] = (),
    typed: bytes | None = None,
    **options: Any,
) -> subprocess.CompletedProcess[bytes]:
    """One run of the real program. program: a prefix such as a shell that closes descriptors; typed: on its stdin."""
    return subprocess.run(
        [*program, *PROGRAM, *arguments],
        cwd=cwd,
        env=dict(env) if env is not None else environment_of(cwd),
        timeout=120,
        check=False,
        **({"stdin": subprocess.DEVNULL} if typed is None else {"input": typed}),
        **({"capture_output": True} | options),
    )


def run_here(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, typed: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """As run_mixrag, in this process: two seconds less, where the process itself is not what is tested."""
    wanted: dict[str, str | None] = {**environment_of(cwd), **(env or {})}
    with chdir(cwd):
        done = CliRunner(env=wanted).invoke(app, list(arguments), input=typed)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout_bytes, done.stderr_bytes)


def write_documents(folder: Path) -> None:
    """Five good documents, one hostile in name and content, one that cannot be read."""
    folder.mkdir(parents=True)
    (folder / "handbook.md").write_text(HANDBOOK, "utf-8")
    (folder / "prices.py").write_text(CODE, "utf-8")
    (folder / "stock.csv").write_text(SHEET, "utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n" + b"\x00" * 200)
    hostile = "evil \x1b[31m\u202e.md"
    (folder / hostile).write_text(
        f"# Varnish {ESCAPES}\n\nThe varnish {ESCAPES} dries in nine hours {ESCAPES} at room temperature.\n", "utf-8"
    )
    (folder / "mixrag.toml").write_text('embedder = "/etc/passwd"\nstore = "../elsewhere"\n', "utf-8")


@pytest.fixture(scope="session")
def northmere_texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The markdown, code and csv of the sample folder, indexed. Nobody writes there."""
    target = tmp_path_factory.mktemp("northmere")
    for path in sorted(SAMPLES.iterdir()):
        if path.suffix in (".md", ".py", ".csv"):
            shutil.copy(path, target / path.name)
    build_index([target], Settings(), events=Silent())
    return target


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed folder; the run that indexed it is in indexed/../index.json and index.err."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "documents"
    write_documents(folder)
    done = run_mixrag("index", "--json", cwd=folder, env=environment_of(home))
    (home / "index.json").write_bytes(done.stdout)
    (home / "index.err").write_bytes(done.stderr)
    (home / "index.code").write_text(str(done.returncode))
    return folder


def copy_indexed(folder: Path, target: Path) -> Path:
    """A copy of an indexed folder whose index counts as made there: making it anew takes seconds."""
    shutil.copytree(folder, target, symlinks=True)
    store = target / ".mixrag"
    write_record(store, replace(read_record(store), home=store.stat().st_ino))
    return target
