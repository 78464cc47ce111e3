"""Edit, index, ask, many times in one process: memory, files and bytes of the store must stay flat.

    python tests/benchmarks/siege_cycles.py [CYCLES] [SEED]

A folder of 30 small files, of which four change, one goes and one comes in each cycle. From the end of the first
quarter on, resident memory may grow by a quarter, the number of files and the bytes of the store may double (old
versions wait for their clean-up, which a reader that stays open puts off). The cache of embeddings is counted apart: it
keeps those of files that went, as far as its bound. Each answer is compared with the file that was written last.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from pathlib import Path

from mixrag_cli.models import load_embedder
from mixrag_cli.settings import Settings
from mixrag_cli.store import check_store, open_reader, size_of_store
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.wishes import IndexWishes

CYCLES, N_FILES = 40, 30
MEMORY_GROWTH, STORE_GROWTH = 1.25, 2.0
WORDS = ("river", "engine", "orchard", "ledger", "harbour", "violin", "glacier", "revenue", "margin", "turbine")


def main() -> int:
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else CYCLES
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    dice = random.Random(seed)
    print(f"{cycles} cycles, seed {seed}", flush=True)
    measured: list[tuple[float, int, int]] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "folder"
        folder.mkdir()
        for number in range(N_FILES):
            write_file(folder, number, dice)
        embedder = load_embedder(Settings())
        for cycle in range(cycles):
            changed = [dice.randrange(N_FILES) for _ in range(4)]
            for number in changed:
                write_file(folder, number, dice)
            (folder / f"passing{cycle - 1}.md").unlink(missing_ok=True)
            told = write_file(folder, f"passing{cycle}", dice)
            build_index([folder], Settings(), events=Silent(), wishes=IndexWishes(prune=True))
            with open_reader(folder / ".mixrag") as reader:
                session = Session(reader, embedder, Settings())
                hits = session.search(f"what is the number of passing{cycle}", Scope(), 5).hits
            if not any(told in hit.chunk.text for hit in hits):
                print(f"cycle {cycle} (seed {seed}): {told} is not found")
                return 1
            cache = size_of_store(folder / ".mixrag" / "cache")
            size = size_of_store(folder / ".mixrag") - cache
            measured.append((resident_mb(), len(list(folder.rglob("*"))), size))
            if cycle % 5 == 4:
                memory, files, size = measured[-1]
                print(
                    f"cycle {cycle + 1}: {memory:.0f} MB resident, {files} files, store {size / 1e6:.2f} MB,"
                    f" cache {cache / 1e6:.2f} MB",
                    flush=True,
                )
        findings = [finding.message for finding in check_store(folder / ".mixrag", deep=True)]
    first, last = measured[len(measured) // 4], measured[-1]
    grown = [after / before for before, after in zip(first, last, strict=True)]
    print(f"from the first quarter's end: memory x {grown[0]:.2f}, files x {grown[1]:.2f}, bytes x {grown[2]:.2f}")
    return int(bool(findings) or grown[0] > MEMORY_GROWTH or max(grown[1:]) > STORE_GROWTH)


def write_file(folder: Path, name: int | str, dice: random.Random) -> str:
    """A file with a number of its own; what says it."""
    told = f"{dice.randrange(10**9)}"
    prose = "\n\n".join(" ".join(dice.choices(WORDS, k=14)) + "." for _ in range(6))
    (folder / f"{name}.md").write_text(f"# File {name}\n\nThe number of {name} is {told}.\n\n{prose}\n", "utf-8")
    return told


def resident_mb() -> float:
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    raise SystemExit(main())
