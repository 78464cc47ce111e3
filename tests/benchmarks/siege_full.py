"""A disk that is full at ten places: one clear line, nothing committed is lost, and the next run completes the index.

    python tests/benchmarks/siege_full.py [PLACES] [SEED]

The largest file that a run of the program may write is limited (`ulimit -f`) to sizes spread over those of a store's
files, with SIGXFSZ ignored, so that a write fails as on a full disk. After each such run the store must pass the deep
check or not exist, every file that was committed before must still be there, and stderr must hold no traceback. The
last run has no limit and must equal a clean build. Exit code 1 at the first breach.
"""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from kill9 import N_FILES, change_files, check_of, clean_digest, command, digest_of, index, keys_of, write_file

PLACES = 10
LARGEST = 400_000  # bytes; the files of a store of 60 small documents are smaller
MOST_LINES = 6


def main() -> int:
    places = int(sys.argv[1]) if len(sys.argv) > 1 else PLACES
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    dice = random.Random(seed)
    print(f"{places} places, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "folder"
        folder.mkdir()
        for number in range(N_FILES):
            write_file(folder, number, dice)
        for place in range(places):
            limit = round(200 * (LARGEST / 200) ** (place / max(1, places - 1)))  # from 200 bytes on, by factors
            before = keys_of(folder)
            done = limited(folder, limit)
            lost = {key for key in before - keys_of(folder) if (folder / key.decode()).exists()}
            findings = check_of(folder)
            said = done.stderr.strip().splitlines()
            print(
                f"{limit:7} bytes: exit {done.returncode}, {len(keys_of(folder))} files; {said[-1:] or ''}", flush=True
            )
            if lost or findings or "Traceback" in done.stderr or done.returncode < 0 or len(said) > MOST_LINES:
                print(f"LOST {sorted(lost)} FOUND {findings}\n{done.stderr[-2_000:]}")
                return 1
            change_files(folder, dice)
        index(folder)
        if digest_of(folder) != clean_digest(folder, Path(scratch)):
            print(f"DIFFERS from a clean build (seed {seed})")
            return 1
    print(f"{places} full disks: one line each, nothing lost; the finished index equals a clean build")
    return 0


def limited(folder: Path, largest: int) -> subprocess.CompletedProcess[str]:
    """An index run that may write no file larger than this."""

    def lower() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    return subprocess.run(command(folder), capture_output=True, text=True, preexec_fn=lower, check=False)


if __name__ == "__main__":
    raise SystemExit(main())
