"""Where time, memory and disk go as a collection grows: a store of SIZE passages is written, then asked.

    python tests/benchmarks/scale.py SIZE [--store DIR] [--texts FILE.jsonl] [--questions N]

The store's own writer makes it, and --store keeps it for the next run. THE VECTORS ARE GENERATED: embedding a million
texts would take hours. Passages lie around the centre of their file, files around one of 2,000 topics; a question lies
near a passage. The words of a passage are sentences out of FILE's field "text", or drawn by Zipf's law. Token vectors
are eight a passage, so the disk is smaller than that of a real collection.

Printed are the writing; in one process, warm: words (40), meaning (60), both, what the words weigh; recall of the
meaning against all vectors; peak memory; computing: processor seconds, of all threads, which a busy machine does not
stretch; and in fresh processes, cold: from the import to 40 and 60 passages.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.files import DocumentRow, stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator
from mixrag_cli.store import StoredDocument, open_reader, open_writer, size_of_store

DIM, LATE_DIM, TOKENS = 384, 384, 8
CHUNKS_A_FILE, FILES_A_BATCH, TOPICS = 40, 64, 2_000
VOCABULARY, WORDS_A_TEXT, SENTENCES_A_TEXT = 40_000, 120, 5
SPREAD_OF_FILES, SPREAD_OF_PASSAGES, SPREAD_OF_QUESTIONS = 0.7, 0.7, 0.5  # of a direction, beside its centre
MODEL = "generated"
N_WORDS, N_MEANING = 40, 60  # candidates, as the product asks for them
Vectors = npt.NDArray[np.float32]

ASK = """
import json, resource, sys, time
start = time.perf_counter()
from pathlib import Path
import numpy as np
from mixrag_cli.retrieval.statistics import WordStatistics
from mixrag_cli.store import open_reader
from mixrag_cli.terms import text_to_terms
asked = json.load(open(sys.argv[2]))
def ask(reader, statistics, one):
    began, computed = time.perf_counter(), time.process_time()
    words = reader.search_words(one["text"], 40)
    found = time.perf_counter()
    meaning = reader.search_meaning(np.array(one["vector"], np.float32), 60)
    meant = time.perf_counter()
    statistics.ceiling(text_to_terms(one["text"]))
    done = time.perf_counter()
    found_ids = [hit.chunk.id for hit in meaning]
    computed = time.process_time() - computed
    return found - began, meant - found, done - meant, done - began, computed, found_ids
with open_reader(Path(sys.argv[1])) as reader:
    statistics = WordStatistics(reader, reader.record.chunks, 1)
    first = ask(reader, statistics, asked[0])
    cold = time.perf_counter() - start
    found = [first] + [ask(reader, statistics, one) for one in asked[1:int(sys.argv[3])]]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"cold": cold, "peak_mb": peak, "found": found}))
"""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("size", type=int)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--questions", type=int, default=40)
    wishes = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        store = (wishes.store or Path(scratch)) / f"{wishes.size}.mixrag"
        if not store.exists():
            build(store, wishes.size, sentences_of(wishes.texts))
        print(f"store {size_of_store(store) / 1e6:,.0f} MB, load {os.getloadavg()[0]:.1f}", flush=True)
        questions = draw_questions(store, wishes.questions)
        asked = Path(scratch, "questions.json")
        asked.write_text(json.dumps([{"text": text, "vector": vector.tolist()} for text, vector, _ in questions]))
        warm = ask(store, asked, len(questions))
        parts = list(zip(*warm["found"], strict=True))
        for name, times in zip(("words", "meaning", "weights", "all three", "computing"), parts, strict=False):
            show(f"warm {name}", times[1:])
        recall = [
            len({*found} & {*exact}) / len(exact) for found, (_, _, exact) in zip(parts[5], questions, strict=True)
        ]
        print(
            f"recall@{N_MEANING} of meaning against all vectors {statistics.mean(recall):.4f}, least {min(recall):.3f}"
        )
        print(f"peak memory of {len(questions)} questions {warm['peak_mb']:.0f} MB")
        cold = [ask(store, asked, 1) for _ in range(5)]
        show("cold import to passages", [one["cold"] for one in cold])
        print(f"peak memory of one question {statistics.median(one['peak_mb'] for one in cold):.0f} MB")
    return 0


def build(store: Path, size: int, sentences: list[str]) -> None:
    """Write the store, and say what that took."""
    rng = np.random.default_rng(size)
    topics = unit(rng.standard_normal((TOPICS, DIM)))
    started = time.perf_counter()
    with open_writer(store, roots=[store.parent], embedder_name=MODEL, dim=DIM, late_dim=LATE_DIM) as writer:
        n_files = -(-size // CHUNKS_A_FILE)
        for first in range(0, n_files, FILES_A_BATCH):
            numbers = range(first, min(first + FILES_A_BATCH, n_files))
            writer.write_batch([make_file(number, topics, sentences, rng) for number in numbers])
        written = time.perf_counter()
        writer.finish()
    finished = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"written in {written - started:.1f} s, finished in {finished - written:.1f} s, peak {peak:.0f} MB", flush=True
    )
    started = time.perf_counter()
    with open_writer(store, roots=[store.parent], embedder_name=MODEL, dim=DIM, late_dim=LATE_DIM) as writer:
        writer.write_batch([make_file(number, topics, sentences, rng) for number in range(8)])
        written = time.perf_counter()
        writer.finish()
    print(
        f"8 files changed in {written - started:.1f} s, finished in {time.perf_counter() - written:.1f} s", flush=True
    )


def make_file(number: int, topics: Vectors, sentences: list[str], rng: np.random.Generator) -> StoredDocument:
    owner = stable_id("document", number)
    centre = unit(near(topics[rng.integers(len(topics), size=1)], SPREAD_OF_FILES, rng))
    vectors = unit(near(np.repeat(centre, CHUNKS_A_FILE, axis=0), SPREAD_OF_PASSAGES, rng))
    chunks = []
    for at in range(CHUNKS_A_FILE):
        text = make_text(sentences, rng)
        place = Locator(chars=(0, len(text)))
        chunks.append(Chunk(stable_id(owner, at), owner, "prose", "text", text, f"file {number}", "", place, at))
    late = [rng.integers(0, 256, (TOKENS, LATE_DIM // 4), dtype=np.uint8) for _ in chunks]
    row = DocumentRow(owner, b"/d", b"%d" % number, f"{number}.txt", "indexed", chunks=CHUNKS_A_FILE, modality="text")
    return StoredDocument(row, chunks, vectors, late=late)


def make_text(sentences: list[str], rng: np.random.Generator) -> str:
    if sentences:
        return " ".join(sentences[number] for number in rng.integers(len(sentences), size=SENTENCES_A_TEXT))
    ranks = np.minimum(np.exp(rng.random(WORDS_A_TEXT) * np.log(VOCABULARY)), VOCABULARY)  # Zipf's law
    return " ".join(f"w{int(rank)}" for rank in ranks)


def sentences_of(file: Path | None) -> list[str]:
    """The sentences of a file's texts; none without a file."""
    if file is None:
        return []
    with file.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    return [part for text in texts for part in re.split(r"(?<=[.!?])\s+", text) if 30 < len(part) < 400]


def draw_questions(store: Path, count: int) -> list[tuple[str, Vectors, list[str]]]:
    """Words of a passage, a vector near its own, and the passages that are nearest of all, by reading all vectors."""
    import lance

    rng = np.random.default_rng(7)
    with open_reader(store) as reader:
        state = reader.record.tables["chunks"]
        places = rng.integers(reader.record.chunks, size=count).tolist()
        dataset = lance.dataset(str(store / "tables" / "chunks.lance"), version=state.version)
    own = dataset.take(places, columns=["vector", "text"])
    vectors = np.array(own["vector"].to_pylist(), np.float32)
    queries = unit(near(unit(vectors), SPREAD_OF_QUESTIONS, rng))
    best: list[list[tuple[float, str]]] = [[] for _ in queries]
    for batch in dataset.scanner(columns=["id", "vector"], batch_size=16_384).to_batches():
        codes = batch["vector"].flatten().to_numpy().reshape(-1, DIM)
        scores = queries @ unit(codes.astype(np.float32)).T
        ids = batch["id"].to_pylist()
        for known, row in zip(best, scores, strict=True):
            top = np.argsort(-row)[:N_MEANING]
            known += [(float(row[n]), ids[n]) for n in top]
            known.sort(reverse=True)
            del known[N_MEANING:]
    texts = [" ".join(rng.permutation(text.split()[:40])[:9]) for text in own["text"].to_pylist()]
    return [(text, query, [id_ for _, id_ in known]) for text, query, known in zip(texts, queries, best, strict=True)]


def near(centres: Vectors, spread: float, rng: np.random.Generator) -> Vectors:
    noise = rng.standard_normal(centres.shape) / np.sqrt(DIM)
    return (centres + spread * noise).astype(np.float32)


def unit(rows: npt.NDArray[np.floating]) -> Vectors:
    return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)


def ask(store: Path, questions: Path, count: int) -> dict[str, object]:
    command = [sys.executable, "-c", ASK, str(store), str(questions), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def show(name: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    print(f"{name}: p50 {statistics.median(ordered) * 1000:.1f} ms, p99 {last * 1000:.1f} ms", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
