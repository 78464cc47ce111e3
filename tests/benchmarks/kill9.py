"""kill -9 a real `mixrag index` at random moments, many times.

    python tests/benchmarks/kill9.py [ROUNDS] [SEED]

Each round: a folder of about 60 generated files (some changed, new or removed since the last round) is indexed by
`python -m mixrag_cli index`, whose whole process group is killed after a random time, on average before it is done.
After each kill the store must open at a commit, hold no file that was acknowledged before and is now lost, and pass a
full check. Every tenth round the run is left to finish and the store must equal one built from nothing: the same
sorted (file, passage) digest. Prints one line a round and the totals; exit code 1 at the first breach.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from running import MIXRAG, ends_within, run_command

from mixrag_cli.errors import NoIndex
from mixrag_cli.store import check_store, open_reader

N_FILES = 60
FINISH_EVERY = 10
WORDS = ("river", "engine", "orchard", "ledger", "harbour", "violin", "glacier", "revenue", "margin", "turbine")


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    dice = random.Random(seed)
    print(f"{rounds} rounds, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "folder"
        folder.mkdir()
        for number in range(N_FILES):
            write_file(folder, number, dice)
        whole = time_clean_run(folder, Path(scratch))
        print(f"a clean run takes {whole:.1f} s", flush=True)
        totals = {"killed": 0, "finished": 0, "compared": 0}
        for number in range(1, rounds + 1):
            change_files(folder, dice)
            before = keys_of(folder)
            delay = dice.uniform(0.2, whole * 0.8)
            killed = not ends_within(delay, command(folder), folder)
            totals["killed" if killed else "finished"] += 1
            lost = {key for key in before - keys_of(folder) if (folder / os.fsdecode(key)).exists()}
            findings = check_of(folder)
            line = (
                f"round {number}: {'killed' if killed else 'finished'} at {delay:.2f} s, {len(keys_of(folder))} files"
            )
            if lost or findings:
                print(f"{line}; LOST {sorted(lost)} FOUND {findings} (seed {seed})")
                return 1
            if number % FINISH_EVERY == 0:
                totals["compared"] += 1
                index(folder)
                if digest_of(folder) != clean_digest(folder, Path(scratch)):
                    print(f"{line}; DIFFERS from a clean build (seed {seed})")
                    return 1
                line += "; equals a clean build"
            print(line, flush=True)
    print(f"{totals}: 0 unopenable, 0 lost, 0 duplicates, every comparison equal")
    return 0


def write_file(folder: Path, number: int, dice: random.Random) -> None:
    lines = [" ".join(dice.choices(WORDS, k=12)) + "." for _ in range(dice.randrange(3, 30))]
    if number % 4 == 0:
        (folder / f"table{number}.csv").write_text(
            "name,2022,2023\n" + "".join(f"{word},{dice.randrange(999)},{dice.randrange(999)}\n" for word in WORDS)
        )
    elif number % 4 == 1:
        (folder / f"code{number}.py").write_text(f"def f{number}(x):\n    return x + {dice.randrange(10**6)}\n")
    else:
        (folder / f"notes{number}.md").write_text(f"# Notes {number}\n\n" + "\n\n".join(lines) + "\n")


def change_files(folder: Path, dice: random.Random) -> None:
    files = sorted(path for path in folder.iterdir() if path.is_file())
    for path in dice.sample(files, 3):
        path.unlink()
    for _ in range(8):
        write_file(folder, dice.randrange(N_FILES + 20), dice)


def command(folder: Path) -> list[str]:
    return [*MIXRAG, "index", "--prune", str(folder)]


def index(folder: Path) -> None:
    done = run_command(command(folder))
    if done.exit_code not in (0, 3):
        raise SystemExit(f"index failed with {done.exit_code}: {done.stderr}")


def keys_of(folder: Path) -> set[bytes]:
    try:
        with open_reader(folder / ".mixrag") as reader:
            return {row.key for row in reader.document_rows(["indexed"])}
    except NoIndex:
        return set()


def check_of(folder: Path) -> list[str]:
    try:
        return [finding.message for finding in check_store(folder / ".mixrag", deep=True)]
    except NoIndex:
        return []


def digest_of(folder: Path) -> str:
    with open_reader(folder / ".mixrag") as reader:
        keys = {row.id: row.key for row in reader.document_rows()}
        rows = sorted((keys[row.chunk.document], row.chunk.position, row.chunk.text) for row in reader.chunk_rows())
        return hashlib.sha256(repr((sorted(keys.values()), rows)).encode()).hexdigest()


def clean_digest(folder: Path, scratch: Path) -> str:
    copy = scratch / "clean" / folder.name
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".mixrag"))
    index(copy)
    return digest_of(copy)


def time_clean_run(folder: Path, scratch: Path) -> float:
    clean_digest(folder, scratch)  # the first run may prepare the model
    started = time.perf_counter()
    clean_digest(folder, scratch)
    return time.perf_counter() - started


if __name__ == "__main__":
    raise SystemExit(main())
