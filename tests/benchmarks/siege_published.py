"""Three processes that read a published index while new commits are published: no torn read.

    python tests/benchmarks/siege_published.py [LOOKS] [ADDRESS]

Each commit writes one number into every one of twelve files, is indexed and published to ADDRESS, a folder of its own
by default, or an address such as s3://bucket/path. The readers ask for the newest snapshot, open it, search by words,
and read all its passages, again and again, until they have looked LOOKS times in all. Every look must see one number in
every file, and never an older one than before. Exit code 1 at the first breach.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
import tempfile
import time
from pathlib import Path

from mixrag_cli.settings import Settings
from mixrag_cli.store import find_store, open_reader, publish
from mixrag_cli.stories.events import Silent
from mixrag_cli.stories.indexing import build_index

LOOKS, READERS, N_FILES = 1_000, 3, 12
_NUMBER = re.compile(r"commit (\d+)")


def main() -> int:
    looks = int(sys.argv[1]) if len(sys.argv) > 1 else LOOKS
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as scratch:
        address = sys.argv[2] if len(sys.argv) > 2 else str(Path(scratch, "published"))
        folder = Path(scratch, "documents")
        folder.mkdir()
        say(folder, 0, address)
        told = context.Queue()
        share = -(-looks // READERS)
        readers = []
        for number in range(READERS):
            os.environ["MIXRAG_CACHE_DIR"] = str(Path(scratch, f"cache{number % 2}"))  # two share one
            readers.append(context.Process(target=look, args=(address, share, told)))
            readers[-1].start()
        commits = 1
        while any(reader.is_alive() for reader in readers) and told.qsize() < READERS:
            say(folder, commits, address)
            commits += 1
        reports = [told.get(timeout=600) for _ in readers]
        for reader in readers:
            reader.join()
    seen = sum(count for count, _, _ in reports)
    wrong = [line for _, _, lines in reports for line in lines]
    switches = sum(changes for _, changes, _ in reports)
    print(f"{commits} commits published, {seen} looks by {READERS} readers, {switches} met a newer commit")
    print(f"wrong: {wrong or 'nothing'}")
    return int(bool(wrong) or seen < looks)


def say(folder: Path, commit: int, address: str) -> None:
    for number in range(N_FILES):
        text = f"# File {number}\n\nThis file was written by commit {commit} of the siege.\n"
        (folder / f"file{number}.md").write_text(text, "utf-8")
    build_index([folder], Settings(calibration="off"), events=Silent())
    publish(folder / ".mixrag", address)


def look(address: str, count: int, told: multiprocessing.Queue) -> None:  # type: ignore[type-arg]
    """Look so many times; tell how often, how often the commit was newer than before, and what was wrong."""
    last, changes, wrong = -1, 0, []
    for number in range(count):
        try:
            with open_reader(find_store(Path.cwd(), address)) as reader:
                found = [hit.chunk.text for hit in reader.search_words("commit", 2 * N_FILES)]
                texts = [*found, *(row.chunk.text for row in reader.chunk_rows())]
            commits = {int(said) for text in texts for said in _NUMBER.findall(text)}
            if len(commits) != 1 or len(found) != N_FILES or max(commits) < last:
                wrong.append(f"look {number}: {sorted(commits)} in {len(found)} files after {last}")
            changes += max(commits) > last >= 0
            last = max(commits)
        except Exception as error:  # whatever a reader meets is a finding
            wrong.append(f"look {number}: {type(error).__name__}: {error}")
        if len(wrong) > 5:
            break
        time.sleep(0.02)
    told.put((number + 1, changes, wrong))


if __name__ == "__main__":
    raise SystemExit(main())
