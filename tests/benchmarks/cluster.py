"""Reading a folder with one process, and with N on a Ray cluster of this machine: seconds, and whether they agree.

    python tests/benchmarks/cluster.py FOLDER [N]

FOLDER: some 60 files are enough. Both read every file once; starting is told apart from reading, since a cluster takes
seconds to start. No store is written: embedding and writing are one machine's work either way.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from mixrag_cli.extraction import ExtractionJob, open_readers
from mixrag_cli.records.files import SourceFile, stable_id
from mixrag_cli.records.passages import Extraction
from mixrag_cli.settings import Settings

WINDOW = 256  # of the bundled embedder, in tokens


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    processors = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    jobs = [job_of(folder, path) for path in sorted(folder.rglob("*")) if path.is_file()]
    megabytes = sum(job.source.size for job in jobs) / 1e6
    print(f"{len(jobs)} files, {megabytes:.1f} MB, load {os.getloadavg()[0]:.1f}")
    one = read(jobs, Settings(workers=1), "")
    print(f"one process           start {one[0]:5.1f} s, read {one[1]:6.1f} s")
    few = read(jobs, Settings(workers=processors), "")
    print(f"{processors} processes           start {few[0]:5.1f} s, read {few[1]:6.1f} s")
    many = read(jobs, Settings(workers=processors, offline="on"), "auto")
    print(f"{processors} nodes of a cluster   start {many[0]:5.1f} s, read {many[1]:6.1f} s")
    print(f"alike: {one[2] == many[2] == few[2]}")
    return 0


def job_of(folder: Path, path: Path) -> ExtractionJob:
    status = path.stat()
    below = os.fsencode(path.relative_to(folder))
    source = SourceFile(os.fsencode(folder), below, status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino)
    return ExtractionJob(source, stable_id("document", below), os.fsdecode(below))


def read(
    jobs: list[ExtractionJob], settings: Settings, cluster: str
) -> tuple[float, float, dict[str, Extraction | str]]:
    """Seconds to the first result and from there to the last, and what came of each file."""
    started = time.perf_counter()
    found: dict[str, Extraction | str] = {}
    first = started
    with open_readers(settings, WINDOW, cluster) as pool:
        for result in pool.extract_all(jobs):
            if not found:
                first = time.perf_counter()
            found[result.job.path] = result.extraction or str(result.failure)
        last = time.perf_counter()
    return first - started, last - first, found


if __name__ == "__main__":
    raise SystemExit(main())
