"""Run a command of mixrag in a process of its own and tell what it cost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MIXRAG = (sys.executable, "-m", "mixrag_cli")
# The program is run compiled, as an installed one is; to compile it takes 0.3 s of each command.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@dataclass(frozen=True, slots=True)
class Run:
    """peak_mb: of the process itself, or of the largest of its own children where that is more."""

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    peak_mb: float

    @property
    def payload(self) -> dict[str, Any]:
        """What the command printed as JSON; where it is none, an object that says so."""
        try:
            return json.loads(self.stdout)
        except json.JSONDecodeError:
            last = self.stderr.strip().splitlines()[-1:] or ["nothing printed"]
            return {"schema": "none", "message": f"no JSON: {last[0]}"}


def run_command(command: Sequence[str], timeout_s: float = 1_800, **variables: str) -> Run:
    """Run to the end, with both streams in files, so that a full pipe never stops the clock.

    variables: of the environment, beside those there are.
    """
    environment = {**os.environ, **variables}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment)
        exit_code, usage = wait_for(child, started + timeout_s)
        seconds = time.perf_counter() - started
        out.seek(0)
        err.seek(0)
        return Run(
            exit_code,
            out.read().decode("utf-8", "replace"),
            err.read().decode("utf-8", "replace"),
            seconds,
            usage.ru_maxrss / 1024,
        )


def wait_for(child: subprocess.Popen[bytes], deadline: float) -> tuple[int, Any]:
    """wait4 gives the peak memory of this one child; getrusage(RUSAGE_CHILDREN) mixes it with all earlier ones."""
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            return child.returncode, usage
        if time.perf_counter() > deadline:
            child.kill()
            deadline = float("inf")
        time.sleep(0.002)


def run_mixrag(*arguments: str, timeout_s: float = 1_800, **variables: str) -> Run:
    """Run `mixrag ARGUMENTS` with this interpreter."""
    return run_command([*MIXRAG, *arguments], timeout_s, **variables)


def ends_within(seconds: float, command: Sequence[str], folder: Path, **variables: str) -> bool:
    """Whether the command, run in the folder, came to its end; else its whole process group is killed."""
    child = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return False
    return True
