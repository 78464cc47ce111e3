"""What the store costs: commits, cold and warm searches.

    python tests/benchmarks/store_times.py [CHUNKS] [STORE]

Builds a store of made-up passages (384 numbers a vector, about 900 characters a text), then times each step; "cold"
steps run in a fresh process each, best and median of seven.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from mixrag_cli.records.files import DocumentRow, stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator
from mixrag_cli.store import StoredDocument, open_reader, open_writer, size_of_store

DIM, CHUNKS_A_FILE, FILES_A_BATCH = 384, 10, 256
COLD = """
import sys, time
start = time.perf_counter()
from pathlib import Path
from mixrag_cli.store import open_reader
import mixrag_cli.store.reading
loaded = time.perf_counter()
import numpy as np
query = np.random.default_rng(1).standard_normal(384).astype(np.float32); query /= np.linalg.norm(query)
reader = open_reader(Path(sys.argv[1])); opened = time.perf_counter()
assert len(reader.search_words("w5 w100 w2000 w7 w9", 40)) == 40; words = time.perf_counter()
assert len(reader.search_meaning(query, 60)) == 60; meaning = time.perf_counter()
print(*(round((b - a) * 1000, 1) for a, b in zip(
    (start, loaded, opened, words, start), (loaded, opened, words, meaning, meaning), strict=True)))
"""


def main() -> None:
    n_chunks = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(scratch) / ".mixrag"
        if not store.exists():
            build(store, n_chunks)
        print(f"store: {size_of_store(store) / 1e6:.1f} MB")
        time_warm(store)
        time_cold(store)


def build(store: Path, n_chunks: int) -> None:
    rng = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(20_000)])
    weights = 1 / np.arange(1, 20_001)
    weights /= weights.sum()
    commits, n_files = [], n_chunks // CHUNKS_A_FILE
    with open_writer(store, roots=[store.parent], embedder_name="made-up", dim=DIM) as writer:
        for first in range(0, n_files, FILES_A_BATCH):
            numbers = range(first, min(first + FILES_A_BATCH, n_files))
            batch = [make_file(number, rng, words, weights) for number in numbers]
            started = time.perf_counter()
            writer.write_batch(batch)
            commits.append(time.perf_counter() - started)
        show("commit of 256 files, 2,560 chunks (first loads lancedb)", commits)
        started = time.perf_counter()
        writer.finish()
        print(f"finish: {time.perf_counter() - started:.2f} s")
        edits = []
        for number in range(5):
            batch = [make_file(number, rng, words, weights)]
            started = time.perf_counter()
            writer.write_batch(batch)
            edits.append(time.perf_counter() - started)
        show("commit of one changed file", edits)
        rows = [replace(row, seen_ns=row.seen_ns + 1) for row in writer.document_rows()[:100]]
        started = time.perf_counter()
        writer.put_rows(rows)
        print(f"commit of 100 touched rows: {(time.perf_counter() - started) * 1000:.0f} ms")
        started = time.perf_counter()
        writer.finish()
        print(f"finish after edits: {time.perf_counter() - started:.2f} s")


def make_file(number: int, rng: np.random.Generator, words: np.ndarray, weights: np.ndarray) -> StoredDocument:
    owner = stable_id("document", number)
    vectors = rng.standard_normal((CHUNKS_A_FILE, DIM)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [" ".join(rng.choice(words, 150, p=weights)) for _ in range(CHUNKS_A_FILE)]
    chunks = [
        Chunk(stable_id(owner, at), owner, "prose", "text", text, f"file {number}", "", Locator((0, len(text))), at)
        for at, text in enumerate(texts)
    ]
    row = DocumentRow(owner, b"/d", b"%d" % number, f"{number}.txt", "indexed", chunks=CHUNKS_A_FILE, modality="text")
    return StoredDocument(row, chunks, vectors)


def time_warm(store: Path) -> None:
    rng = np.random.default_rng(2)
    with open_reader(store) as reader:
        queries = rng.standard_normal((30, DIM)).astype(np.float32)
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        texts = [f"w{7 * n} w{100 + n} w{2000 + n} w9" for n in range(30)]
        show("warm words, 40", [timed(reader.search_words, text, 40) for text in texts])
        show("warm meaning, 60", [timed(reader.search_meaning, query, 60) for query in queries])
        narrow = "modality IN ('text')"
        show("warm meaning, 60, filtered", [timed(reader.search_meaning, query, 60, narrow) for query in queries])
        show("document_rows", [timed(reader.document_rows) for _ in range(5)])
        show("chunks_of", [timed(reader.chunks_of, stable_id("document", n)) for n in range(5)])
        show("count_documents", [timed(reader.count_documents, [f"w{n}"]) for n in range(1, 30, 5)])


def time_cold(store: Path) -> None:
    rounds = []
    for _ in range(7):
        child = subprocess.run([sys.executable, "-c", COLD, str(store)], capture_output=True, text=True, check=True)
        rounds.append([float(value) / 1000 for value in child.stdout.split()])
    for name, times in zip(("import", "open", "words", "meaning", "total"), zip(*rounds, strict=True), strict=True):
        show(f"cold {name}", list(times))


def timed(function: object, *arguments: object) -> float:
    started = time.perf_counter()
    function(*arguments)  # type: ignore[operator]
    return time.perf_counter() - started


def show(name: str, seconds: list[float]) -> None:
    median, best = statistics.median(seconds) * 1000, min(seconds) * 1000
    print(f"{name}: median {median:.1f} ms, best {best:.1f}, worst {max(seconds) * 1000:.1f}")


if __name__ == "__main__":
    main()
