"""Where time, memory and disk go as a collection grows: a store of SIZE passages is written, then asked.

    python tests/benchmarks/scale.py CACHE STORES SIZE [--minutes 9.5] [--questions 100]

CACHE: of scale_passages.py, which says what is REAL and what is GENERATED: the real passages come first, the rest of
the SIZE is generated, texts, vectors and token vectors. Embedding is not part of what is timed. The store's own writer
writes, in runs of at most so many minutes; begun again, it goes on. What the runs took is added up in STORES.

Then real questions are asked. Warm: words (40), meaning (60), what the words weigh, and those three as "retrieval";
the product's whole search. Of each question the least of three rounds counts, since a machine is seldom quiet for long.
Recall and nDCG of the meaning against all vectors; the words' ranking against the engine's own index. Cold: `mixrag
search` as a process. Peak memory of each. Computing: processor seconds of all threads.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from running import run_mixrag
from scale_passages import Passages, Vectors, load

from mixrag_cli.models import late_dim_of, load_embedder
from mixrag_cli.records.files import DocumentRow, stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator
from mixrag_cli.settings import Settings
from mixrag_cli.store import StoredDocument, open_reader, open_writer, size_of_store

CHUNKS_A_FILE, FILES_A_BATCH = 40, 64
A_BATCH = CHUNKS_A_FILE * FILES_A_BATCH
CHANGED_FILES = 8
N_WORDS, N_MEANING = 40, 60  # candidates, as the product asks for them
COLD_RUNS = 7
ENGINE_QUESTIONS = 20
ROUNDS = 3
BLOCK = 16_384

ASK = """
import json, resource, sys, time
from pathlib import Path
import numpy as np
from mixrag_cli.retrieval.statistics import WordStatistics
from mixrag_cli.settings import Settings
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import open_session
from mixrag_cli.terms import text_to_terms
store, asked, mode, rounds = Path(sys.argv[1]), json.load(open(sys.argv[2])), sys.argv[3], int(sys.argv[4])
session = open_session(store, Settings(store=store))
reader = session.reader
if mode == "engine":
    reader._words.do_without_lists()
found = []
for one in asked * rounds:
    reader._found._rows.clear()  # what an earlier question found is read again
    began, computed = time.perf_counter(), time.process_time()
    if mode == "search":
        session.search(one["text"], Scope(), 10)
        found.append({"all": time.perf_counter() - began, "computing": time.process_time() - computed})
        continue
    words = reader.search_words(one["text"], 40)
    worded = time.perf_counter()
    meaning = reader.search_meaning(np.array(one["vector"], np.float32), 60) if mode == "retrieval" else []
    meant = time.perf_counter()
    WordStatistics(reader, reader.record.chunks, 1).ceiling(text_to_terms(one["text"]))
    done = time.perf_counter()
    found.append({
        "words": worded - began, "meaning": meant - worded, "weights": done - meant, "all": done - began,
        "computing": time.process_time() - computed,
        "near": [hit.chunk.id for hit in meaning], "worded": [(hit.chunk.id, hit.score) for hit in words],
    })
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"peak_mb": peak, "found": found}))
"""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("cache", type=Path)
    parser.add_argument("stores", type=Path)
    parser.add_argument("size", type=int)
    parser.add_argument("--minutes", type=float, default=9.5)
    parser.add_argument("--questions", type=int, default=100)
    wishes = parser.parse_args()
    store = wishes.stores / f"{wishes.size}.mixrag"
    if not apart(write, store, wishes.size, wishes.cache, 60 * wishes.minutes):
        return 0
    questions = apart(questions_of, wishes.cache, wishes.size)[: wishes.questions]
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    ask_warm(store, questions)
    ask_cold(store, questions)
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    return 0


def apart(do: Callable[..., Any], *arguments: object) -> Any:
    """Call it in a process of its own: what is started from a large process would be measured as large."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(do, *arguments).result()


def questions_of(cache: Path, size: int) -> list[dict[str, Any]]:
    """The real questions whose passage is among so many, each with its vector and the passage's id."""
    passages = load(cache)
    return [
        {"text": text, "vector": vector.tolist(), "answer": chunk_id(place)}
        for (text, place), vector in zip(passages.questions, passages.question_vectors, strict=True)
        if place < size
    ]


def write(store: Path, size: int, cache: Path, seconds: float) -> bool:
    """Write what is missing; whether the store is whole now."""
    until = time.perf_counter() + seconds
    passages = load(cache)
    told = store.with_suffix(".json")
    spent: dict[str, Any] = json.loads(told.read_text()) if told.exists() else {"write_s": 0.0, "peak_mb": 0.0}
    if "finish_s" not in spent:
        started = time.perf_counter()
        with open_store(store) as writer:
            done = int(writer.record.counts.get("indexed", 0)) * CHUNKS_A_FILE
            while done < size and time.perf_counter() < until:
                writer.write_batch(make_batch(done, min(size, done + A_BATCH), passages))
                done += A_BATCH
            written = time.perf_counter()
            spent["write_s"] += written - started
            if done >= size and time.perf_counter() < until:
                writer.finish()
                spent["finish_s"] = time.perf_counter() - written
    if "finish_s" in spent and "change_s" not in spent:
        started = time.perf_counter()
        with open_store(store) as writer:
            changed = passages_of(size, size + CHANGED_FILES * CHUNKS_A_FILE, passages)
            writer.write_batch(make_files(0, changed))
            writer.finish()
        spent["change_s"] = time.perf_counter() - started
        spent["bytes"] = size_of_store(store)
    spent["peak_mb"] = max(spent["peak_mb"], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    told.write_text(json.dumps(spent))
    print(
        f"{size} passages, {len(passages.texts)} of them real: {json.dumps(spent)}, load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    return "finish_s" in spent


def open_store(store: Path) -> Any:
    embedder = load_embedder(Settings())
    late_dim = late_dim_of(embedder)
    return open_writer(store, roots=[store.parent], embedder_name=embedder.name, dim=embedder.dim, late_dim=late_dim)


def make_batch(first: int, last: int, passages: Passages) -> list[StoredDocument]:
    """The files of the passages from one number to another."""
    return make_files(first // CHUNKS_A_FILE, passages_of(first, last, passages))


def passages_of(first: int, last: int, passages: Passages) -> list[tuple[str, Vectors, Any]]:
    """Text, vector and token codes of the passages with these numbers: real ones, then generated ones."""
    n_real = len(passages.texts)
    real = range(first, min(last, n_real))
    found = [(passages.texts[place], passages.vectors[place], passages.late[place]) for place in real]
    return found + list(passages.generate(last - first - len(found), seed=first))


def make_files(number: int, made: list[tuple[str, Vectors, Any]]) -> list[StoredDocument]:
    documents = []
    for start in range(0, len(made), CHUNKS_A_FILE):
        part = made[start : start + CHUNKS_A_FILE]
        name = f"file{number + start // CHUNKS_A_FILE}.txt"
        owner = stable_id("document", name)
        chunks = [
            Chunk(chunk_id((number * CHUNKS_A_FILE) + start + at), owner, "prose", "text", text, name, "",
                  Locator(chars=(0, len(text))), at)
            for at, (text, _, _) in enumerate(part)
        ]  # fmt: skip
        row = DocumentRow(owner, b"/d", name.encode(), name, "indexed", chunks=len(part), modality="text")
        vectors = np.stack([vector for _, vector, _ in part])
        documents.append(StoredDocument(row, chunks, vectors, late=[tokens for _, _, tokens in part]))
    return documents


def chunk_id(number: int) -> str:
    return stable_id("passage", number)


def ask_warm(store: Path, questions: list[dict[str, Any]]) -> None:
    exact = apart(nearest_of_all, store, questions)
    warm = ask(store, questions, "retrieval")
    found = warm["found"]
    for name in ("words", "meaning", "weights", "all", "computing"):
        show("warm retrieval" if name == "all" else f"warm {name}", least(found, name, len(questions)))
    found = found[: len(questions)]
    shares = [len({*one["near"]} & {*best}) / len(best) for one, best in zip(found, exact, strict=True)]
    print(f"recall@{N_MEANING} of meaning against all vectors {statistics.mean(shares):.4f}, least {min(shares):.3f}")
    gains = [
        statistics.mean(gain(ranking, one["answer"]) for ranking, one in zip(rankings, questions, strict=True))
        for rankings in ([one["near"] for one in found], exact)
    ]
    print(f"nDCG@10 of meaning by lists {gains[0]:.4f}, by all vectors {gains[1]:.4f}")
    print(f"peak memory of {len(questions)} questions {warm['peak_mb']:.0f} MB")
    engine = ask(store, questions[:ENGINE_QUESTIONS], "engine")
    show("the engine's word index", least(engine["found"], "words", ENGINE_QUESTIONS))
    pairs = [
        (one["worded"], other["worded"]) for one, other in zip(found, engine["found"][:ENGINE_QUESTIONS], strict=False)
    ]
    same = statistics.mean(len({id_ for id_, _ in a} & {id_ for id_, _ in b}) / max(1, len(b)) for a, b in pairs)
    off = max(abs(dict(b)[id_] - score) / score for a, b in pairs for id_, score in a if id_ in dict(b))
    print(f"words: {same:.4f} of the engine's {N_WORDS}, scores off by {off:.1e}; it took {engine['peak_mb']:.0f} MB")
    whole = ask(store, questions, "search")
    show("warm mixrag search", least(whole["found"], "all", len(questions)))
    print(f"peak memory of {len(questions)} searches {whole['peak_mb']:.0f} MB", flush=True)


def nearest_of_all(store: Path, questions: list[dict[str, Any]]) -> list[list[str]]:
    """The ids of the passages whose vectors are nearest, by reading all of them a block at a time."""
    queries = np.array([one["vector"] for one in questions], np.float32)
    reader = open_reader(store)
    rows, codes = reader.vector_codes()
    best = [np.empty(0, np.float32)] * len(queries)
    where = [np.empty(0, np.int64)] * len(queries)
    for start in range(0, len(codes), BLOCK):
        part = codes[start : start + BLOCK].astype(np.float32)
        part /= np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-9)
        for number, scores in enumerate(queries @ part.T):
            top = np.argsort(-scores)[:N_MEANING]
            both = np.concatenate([best[number], scores[top]])
            places = np.concatenate([where[number], top + start])
            kept = np.argsort(-both, kind="stable")[:N_MEANING]
            best[number], where[number] = both[kept], places[kept]
    found = []
    for places in where:
        table = reader._tables.chunk_rows(rows[places].tolist(), ["id"])
        id_of = dict(zip(table["_rowid"].to_pylist(), table["id"].to_pylist(), strict=True))
        found.append([id_of[row] for row in rows[places].tolist()])
    return found


def gain(ranking: list[str], answer: str) -> float:
    """nDCG@10 where one passage is right."""
    return 1 / math.log2(ranking.index(answer) + 2) if answer in ranking[:10] else 0.0


def ask_cold(store: Path, questions: list[dict[str, Any]]) -> None:
    for command in ("search", "ask"):
        runs = [run_mixrag(command, one["text"], "--store", str(store)) for one in questions[:COLD_RUNS]]
        show(f"cold mixrag {command}", [run.seconds for run in runs])
        peak = max(run.peak_mb for run in runs)
        print(
            f"peak memory of mixrag {command} {peak:.0f} MB, exits {sorted({run.exit_code for run in runs})}",
            flush=True,
        )


def ask(store: Path, questions: list[dict[str, Any]], mode: str) -> dict[str, Any]:
    asked = store.with_suffix(".questions.json")
    asked.write_text(json.dumps(questions))
    command = [sys.executable, "-c", ASK, str(store), str(asked), mode, str(ROUNDS)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # as the program itself sets it
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def least(found: list[dict[str, Any]], name: str, count: int) -> list[float]:
    """The least of what was measured of each question in its rounds."""
    return [min(one[name] for one in found[number::count]) for number in range(count)]


def show(name: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    print(f"{name}: p50 {statistics.median(ordered) * 1000:.1f} ms, p99 {last * 1000:.1f} ms", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
