"""Reads PDFs in a process of its own, so that a file over which the native engine hangs or dies ends only that process.

python tests/pdf_reading.py FILE…      prints "NAME CODE" a file, flushed; CODE is "read" or why it was not
"""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path


def outcomes_of(paths: Sequence[Path], silence_s: float) -> dict[str, str]:
    """What became of each file: "read", a failure's code, "crashed", or "silent" after silence_s without an answer."""
    outcomes: dict[str, str] = {}
    waiting = list(paths)
    while waiting:
        command = [sys.executable, "-W", "error", __file__, *map(str, waiting)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            answers: queue.Queue[str] = queue.Queue()
            threading.Thread(target=_listen, args=(child, answers), daemon=True).start()
            outcomes |= _collect(waiting, answers, silence_s)
            child.kill()
    return outcomes


def _listen(child: subprocess.Popen[str], answers: queue.Queue[str]) -> None:
    assert child.stdout is not None
    for line in child.stdout:
        answers.put(line)
    answers.put("")


def _collect(waiting: list[Path], answers: queue.Queue[str], silence_s: float) -> dict[str, str]:
    """Take the files that are done out of waiting, up to and with the first one that ends the process."""
    outcomes: dict[str, str] = {}
    assert answers.get(timeout=30) == "ready\n"
    while waiting:
        path = waiting.pop(0)
        try:
            line = answers.get(timeout=silence_s)
        except queue.Empty:
            return outcomes | {path.name: "silent"}
        if not line:
            return outcomes | {path.name: "crashed"}
        name, outcomes[path.name] = line.split()
        assert name == path.name
    return outcomes


def main(names: Sequence[str]) -> None:
    from mixrag_cli.errors import FileUnreadable
    from mixrag_cli.readers.pdf.reader import read_pdf
    from mixrag_cli.readers.source import ReadSource

    print("ready", flush=True)
    for path in map(Path, names):
        with path.open("rb") as file:
            try:
                read_pdf(ReadSource(path.name, path.stat().st_size, file))
                print(path.name, "read", flush=True)
            except FileUnreadable as failure:
                print(path.name, failure.code, flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main(sys.argv[1:])
