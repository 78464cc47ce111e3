"""What an index run takes beside the bare embedder, on the same texts: the goal is a ratio of .85 or more.

    python tests/benchmarks/overhead.py FOLDER [PAIRS] [--profile]

Each pair is one index run of the folder into an empty store, in this process, and the bare embedding of the passages
that it made, one after the other, so that a busy machine slows both. The ratio is the embedder's seconds by the run's.
Computing seconds are of this process and of its readers. --profile prints where the run's main thread spent its time.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import resource
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from running import Nobody

from mixrag_cli.models import Embedder, load_embedder
from mixrag_cli.settings import Settings
from mixrag_cli.store import open_reader
from mixrag_cli.stories.embedding import TEXTS_AT_ONCE, embed_texts, text_to_embed
from mixrag_cli.stories.indexing import IndexReport, build_index


@dataclass(frozen=True, slots=True)
class Times:
    """Of one run: seconds by the clock, of computing here, and of computing in reader processes."""

    wall: float
    here: float
    readers: float


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("pairs", type=int, nargs="?", default=3)
    parser.add_argument("--profile", action="store_true")
    wishes = parser.parse_args()
    embedder = load_embedder(Settings())
    ratios = []
    for _ in range(wishes.pairs):
        with tempfile.TemporaryDirectory() as scratch:
            store = Path(scratch) / "store"
            run, report = index(wishes.folder, store, profile=wishes.profile)
            texts = texts_of(store)
            bare = embed(texts, embedder)
        ratios.append(bare.wall / run.wall)
        computing = bare.here / (run.here + run.readers)
        print(
            f"index {report.tokens / run.wall:,.0f} tokens/s ({run.wall:.1f} s; computing {run.here:.1f} s and "
            f"{run.readers:.1f} s in readers); bare {report.tokens / bare.wall:,.0f} tokens/s ({bare.wall:.1f} s; "
            f"computing {bare.here:.1f} s); ratio {ratios[-1]:.2f}, of computing {computing:.2f}; "
            f"load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    print(f"ratio {statistics.median(ratios):.2f} (median of {len(ratios)})")
    return 0


def index(folder: Path, store: Path, *, profile: bool) -> tuple[Times, IndexReport]:
    profiler = cProfile.Profile()
    before = now()
    if profile:
        profiler.enable()
    report = build_index([folder], Settings(store=store, calibration="off"), events=Nobody())
    profiler.disable()
    after = now()
    if profile:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(18)
    return since(before, after), report


def embed(texts: list[str], embedder: Embedder) -> Times:
    before = now()
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        embed_texts(texts[start : start + TEXTS_AT_ONCE], embedder)
    return since(before, now())


def texts_of(store: Path) -> list[str]:
    """Each text that the run embedded, once."""
    with open_reader(store) as reader:
        return list(dict.fromkeys(text_to_embed(row.chunk) for row in reader.chunk_rows() if row.vector.any()))


def now() -> Times:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Times(time.perf_counter(), time.process_time(), children.ru_utime + children.ru_stime)


def since(before: Times, after: Times) -> Times:
    return Times(after.wall - before.wall, after.here - before.here, after.readers - before.readers)


if __name__ == "__main__":
    raise SystemExit(main())
