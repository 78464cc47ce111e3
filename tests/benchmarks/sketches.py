"""How much of what is nearest the sketches of a large store find, and in what time, for several sizes of short lists.

    python tests/benchmarks/sketches.py CACHE SIZE [--questions 100]

CACHE: of scale_passages.py. SIZE vectors, real ones first, then generated ones as scale.py's; only the file of sketches
is made, in a temporary folder. Recall@60 and milliseconds of one question, warm, with one thread where OMP_NUM_THREADS
is 1; those of all vectors beside them.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scale_passages import Passages, load

from mixrag_cli.store import sketches
from mixrag_cli.store.nearest import nearest_rows
from mixrag_cli.store.quantising import encode_vectors

N_NEAREST = 60
BLOCK = 16_384
SHORT_LISTS = ((0.005, 4_096, 1_024), (0.01, 4_096, 1_024), (0.01, 4_096, 2_048), (0.02, 8_192, 2_048))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("cache", type=Path)
    parser.add_argument("size", type=int)
    parser.add_argument("--questions", type=int, default=100)
    wishes = parser.parse_args()
    passages = load(wishes.cache)
    codes = np.concatenate(list(codes_of(passages, wishes.size)))
    queries = np.asarray(passages.question_vectors[: wishes.questions], np.float32)
    exact, times = zip(*(timed(nearest_rows, codes, query, N_NEAREST) for query in queries), strict=True)
    print(f"all {len(codes)} vectors: {statistics.median(times):.1f} ms a question")
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "meaning.sketches")
        for word in ("made", "made again"):
            before = sketches.open_sketches(path, None)
            _, milliseconds = timed(sketches.write_sketches, path, 1, len(codes), partial(batches, codes), before)
            print(f"sketches {word} in {milliseconds / 1e3:.1f} s, {path.stat().st_size / 1e6:.0f} MB")
        for sizes in SHORT_LISTS:
            measure(path, queries, [set(rows[:N_NEAREST].tolist()) for rows in exact], sizes)
    return 0


def measure(path: Path, queries: npt.NDArray[np.float32], exact: list[set[int]], sizes: tuple[float, int, int]) -> None:
    sketches.BY_SIGNS, sketches.FEWEST_BY_SIGNS, sketches.BY_NUMBERS = sizes
    known = sketches.open_sketches(path, 1)
    assert known is not None
    found, times = zip(*(timed(known.nearest, query, N_NEAREST) for query in queries), strict=True)
    shares = [len(near & set(rows[:N_NEAREST].tolist())) / N_NEAREST for near, rows in zip(exact, found, strict=True)]
    print(
        f"{sizes[0]:.3f} of all, at least {sizes[1]}, then {sizes[2]}: recall@{N_NEAREST} "
        f"{statistics.mean(shares):.4f}, least {min(shares):.3f}; {statistics.median(times):.1f} ms a question",
        flush=True,
    )


def codes_of(passages: Passages, size: int) -> Iterator[npt.NDArray[np.int8]]:
    n_real = min(size, len(passages.texts))
    yield encode_vectors(passages.vectors[:n_real])
    for start in range(n_real, size, BLOCK):
        made = [vector for _, vector, _ in passages.generate(min(BLOCK, size - start), seed=start)]
        yield encode_vectors(np.stack(made))


def batches(codes: npt.NDArray[np.int8]) -> Iterator[tuple[sketches.Rows, npt.NDArray[np.int8]]]:
    for start in range(0, len(codes), BLOCK):
        part = codes[start : start + BLOCK]
        yield np.arange(start, start + len(part), dtype=np.uint64), part


def timed(do: Callable[..., Any], *arguments: object) -> tuple[Any, float]:
    """What it gives, and milliseconds."""
    started = time.perf_counter()
    found = do(*arguments)
    return found, (time.perf_counter() - started) * 1e3


if __name__ == "__main__":
    raise SystemExit(main())
