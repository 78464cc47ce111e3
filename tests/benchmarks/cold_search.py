"""Whole commands, cold and warm, against a plain script over the same texts, each run a process of its own.

    python tests/benchmarks/cold_search.py CORPUS.jsonl[.gz] CACHE_DIR [--pairs 7] [--chunks 10000]

The stores are built once in CACHE_DIR. The commands alternate, so that all meet the same state of the machine; the
ratio is the median over the pairs. Warm is what `mixrag serve` answers, with the start of the command that asks it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpora import read_jsonl, write_files
from running import MIXRAG, Run, run_command, run_mixrag

PLAIN = (sys.executable, str(Path(__file__).with_name("plain_script.py")))
QUESTION = "what was the total operating revenue in 2012 compared with 2011?"
CHUNKS_A_DOCUMENT = 5.29  # of the FinQA contexts, in mixrag: 1,890 make about 10,000


def build_stores(corpus: Path, cache: Path, chunks: int) -> None:
    files, store, plain = cache / "files", cache / "store", cache / "plain"
    if not plain.exists():
        print(checked(run_command([*PLAIN, "build", str(plain), str(corpus), str(chunks)])).stdout.strip(), "plain")
    documents = list(read_jsonl(corpus))[: round(chunks / CHUNKS_A_DOCUMENT)]
    write_files(files, ((document["_id"], document["text"]) for document in documents))
    run = checked(run_mixrag("index", str(files), "--store", str(store), "--json"))
    status = checked(run_mixrag("status", "--store", str(store), "--json")).payload
    print(f"{status['chunks']} chunks in mixrag; index took {run.seconds:.1f} s, peak {run.peak_mb:.0f} MB")


def checked(run: Run) -> Run:
    if run.exit_code not in (0, 3):
        raise SystemExit(f"exit {run.exit_code}: {run.stderr.strip() or run.stdout.strip()}")
    return run


def answered(command: str, store: str, variables: dict[str, str]) -> Run:
    """A question put to the store; an answer that is likely or none is one, too."""
    run = run_mixrag(command, QUESTION, "--store", store, **variables)
    return run if run.exit_code in (4, 5) else checked(run)


@contextmanager
def serving(store: str) -> Iterator[dict[str, str]]:
    """The variables with which a command finds the server that runs meanwhile."""
    with tempfile.TemporaryDirectory() as runtime:
        found = {"XDG_RUNTIME_DIR": runtime}
        command = [*MIXRAG, "serve", "--store", store]
        server = subprocess.Popen(command, env={**os.environ, **found}, stderr=subprocess.PIPE)
        assert server.stderr is not None
        server.stderr.readline()
        try:
            yield found
        finally:
            server.terminate()
            server.wait()
            server.stderr.close()


def print_times(name: str, runs: list[Run]) -> None:
    seconds = sorted(run.seconds for run in runs)
    peak = max(run.peak_mb for run in runs)
    print(
        f"{name:24} min {seconds[0]:6.2f}  median {statistics.median(seconds):6.2f}  max {seconds[-1]:6.2f} s"
        f"   peak {peak:4.0f} MB   n {len(runs)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--chunks", type=int, default=10_000)
    options = parser.parse_args()
    build_stores(options.corpus, options.cache, options.chunks)
    store = str(options.cache / "store")
    runs: dict[str, list[Run]] = defaultdict(list)
    with serving(store) as warm:
        for command in ("search", "ask"):
            answered(command, store, warm)  # loads what a first question needs
        for _ in range(options.pairs):
            plain = run_command([*PLAIN, "search", str(options.cache / "plain"), QUESTION])
            runs["plain script"].append(checked(plain))
            for command in ("search", "ask"):
                runs[f"mixrag {command}"].append(answered(command, store, {}))
                runs[f"mixrag {command}, warm"].append(answered(command, store, warm))
            runs["mixrag --help"].append(checked(run_mixrag("--help")))
    for name, timed in runs.items():
        print_times(name, timed)
    pairs = zip(runs["plain script"], runs["mixrag search"], strict=True)
    ratios = sorted(plain.seconds / ours.seconds for plain, ours in pairs)
    print(f"plain / mixrag search    min {ratios[0]:.1f}  median {statistics.median(ratios):.1f}  max {ratios[-1]:.1f}")


if __name__ == "__main__":
    main()
