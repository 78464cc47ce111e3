"""Two indexers and three askers on one store at once, for many rounds.

    python tests/benchmarks/siege_readers.py [ROUNDS] [SEED]

Each round changes some of 60 files and starts `mixrag index` twice within a few milliseconds, in every fourth round
one of them with --rebuild. Three processes open the store, search and look at what they found, again and again, from
the first round to the last. One of two indexers may be told that the other is at work (exit code 11), and nothing else
may go wrong: an asker must always see whole documents of one commit. The end must pass the deep check and equal a clean
build. Exit code 1 at the first breach.
"""

from __future__ import annotations

import multiprocessing
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.synchronize import Event
from pathlib import Path

from kill9 import N_FILES, WORDS, change_files, check_of, clean_digest, command, digest_of, index, write_file

from mixrag_cli.store import open_reader

ROUNDS, INDEXERS, ASKERS = 20, 2, 3
REBUILD_EVERY = 4  # rounds: then the first of the two makes the index anew
ALLOWED = (0, 3, 11)


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    dice = random.Random(seed)
    print(f"{rounds} rounds, seed {seed}", flush=True)
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "folder"
        folder.mkdir()
        for number in range(N_FILES):
            write_file(folder, number, dice)
        index(folder)
        ends, told = context.Event(), context.Queue()
        askers = [context.Process(target=ask, args=(folder / ".mixrag", ends, told)) for _ in range(ASKERS)]
        for asker in askers:
            asker.start()
        codes: Counter[int] = Counter()
        for number in range(rounds):
            change_files(folder, dice)
            first = ["--rebuild", "--yes"] * (number % REBUILD_EVERY == 0)
            pairs = [
                subprocess.Popen([*command(folder), *wishes], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for wishes in [first, *[[]] * (INDEXERS - 1)]
            ]
            found = sorted(child.wait() for child in pairs)
            codes.update(found)
            if not set(found) <= set(ALLOWED):
                print(f"round {number} (seed {seed}): the indexers ended with {found}")
                ends.set()
                return 1
        ends.set()
        reports = [told.get(timeout=120) for _ in askers]
        for asker in askers:
            asker.join()
        index(folder)
        findings = check_of(folder)
        same = digest_of(folder) == clean_digest(folder, Path(scratch))
    looks, wrong = sum(looks for looks, _ in reports), [line for _, lines in reports for line in lines]
    print(f"indexers {dict(codes)}; {looks} looks by {ASKERS} askers; wrong: {wrong or 'nothing'}")
    print(f"check: {findings or 'sound'}")
    print(f"equals a clean build: {same}")
    return int(bool(wrong or findings) or not same)


def ask(store: Path, ends: Event, told: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    """Look until the end; tell how often, and what was wrong."""
    looks, wrong = 0, []
    while not ends.is_set() and len(wrong) < 5:
        try:
            wrong += look(store)
        except Exception as error:  # whatever an asker meets is a finding
            wrong.append(f"{type(error).__name__}: {error}")
        looks += 1
        time.sleep(0.02)
    told.put((looks, wrong))


def look(store: Path) -> list[str]:
    """What is wrong with one opened state: a document without its passages, a passage without its document."""
    with open_reader(store) as reader:
        rows = {row.id: row for row in reader.document_rows(["indexed"])}
        hits = [hit for word in WORDS[:3] for hit in reader.search_words(word, 5)]
        strays = [hit.chunk.id for hit in hits if hit.chunk.document not in rows]
        short = [
            rows[id_].path
            for id_ in {hit.chunk.document for hit in hits} & rows.keys()
            if len(reader.chunks_of(id_)) != rows[id_].chunks
        ]
    return [f"passages of no document {strays}"] * bool(strays) + [f"documents not whole {short}"] * bool(short)


if __name__ == "__main__":
    raise SystemExit(main())
