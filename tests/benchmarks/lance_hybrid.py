"""mixrag's search against LanceDB's own hybrid search, in pairs: the same passages, vectors and questions.

    python tests/benchmarks/lance_hybrid.py CACHE STORES SIZE [--questions 100]

After scale.py, whose store is read: CACHE, STORES and SIZE are as there. LanceDB's table gets its full-text index as it
comes (English, stemmed), and its vector index (IVF_PQ, as it comes) from 65,536 passages on; its hybrid search fuses by
reciprocal ranks, as it comes. Each question is put to both, in turns, warm; both embed it themselves. One passage is
right: the one that the question was written for. nDCG@10 with the interval of a paired bootstrap.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("LANCE_LOG", "error")  # it warns at each search
os.environ.setdefault("LANCEDB_LOG", "error")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program sets it
import lancedb
import pyarrow as pa
from lancedb.index import FTS, IvfPq
from scale import gain, questions_of

from mixrag_cli.models import Embedder, load_embedder
from mixrag_cli.settings import Settings
from mixrag_cli.store import open_reader
from mixrag_cli.store.sketches import FEWEST_ROWS
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session, open_session

ROWS_AT_ONCE = 8_192
RESAMPLES = 2_000


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("cache", type=Path)
    parser.add_argument("stores", type=Path)
    parser.add_argument("size", type=int)
    parser.add_argument("--questions", type=int, default=100)
    wishes = parser.parse_args()
    store = wishes.stores / f"{wishes.size}.mixrag"
    table = table_of(store, wishes.stores / f"{wishes.size}.lancedb")
    session, embedder = open_session(store, Settings(store=store)), load_embedder(Settings())
    questions = questions_of(wishes.cache, wishes.size)[: wishes.questions]
    for one in questions[:2]:
        ask_mixrag(session, one["text"]), ask_lancedb(table, embedder, one["text"])
    pairs = []
    for number, one in enumerate(questions):
        asks: list[Callable[[], list[str]]] = [
            lambda one=one: ask_mixrag(session, one["text"]),
            lambda one=one: ask_lancedb(table, embedder, one["text"]),
        ]
        order = (0, 1) if number % 2 else (1, 0)
        told = {place: timed(asks[place]) for place in order}
        pairs.append([(told[place][0], gain(told[place][1], one["answer"])) for place in (0, 1)])
    for name, place in (("mixrag search", 0), ("LanceDB hybrid", 1)):
        times = sorted(pair[place][0] for pair in pairs)
        mean = statistics.mean(pair[place][1] for pair in pairs)
        print(f"{name}: p50 {statistics.median(times) * 1e3:.1f} ms, p99 {times[-1] * 1e3:.1f} ms, nDCG@10 {mean:.3f}")
    low, mean, high = interval([ours[1] - theirs[1] for ours, theirs in pairs])
    ratio = statistics.median(theirs[0] / ours[0] for ours, theirs in pairs)
    print(f"nDCG@10 difference {mean:+.3f} [{low:+.3f}, {high:+.3f}]; LanceDB's time over mixrag's {ratio:.2f}")
    print(f"{len(pairs)} questions, {wishes.size} passages, load {os.getloadavg()[0]:.1f}")
    return 0


def table_of(store: Path, place: Path) -> Any:
    """LanceDB's table of the store's passages, made once."""
    connection = lancedb.connect(str(place))
    if "passages" in connection.table_names():
        return connection.open_table("passages")
    started = time.perf_counter()
    with open_reader(store) as reader:
        schema = pa.schema(
            [("id", pa.string()), ("text", pa.string()), ("vector", pa.list_(pa.float32(), reader.record.dim))]
        )
        rows: list[dict[str, Any]] = []
        table = connection.create_table("passages", schema=schema)
        for row in reader.chunk_rows():
            rows.append({"id": row.chunk.id, "text": row.chunk.text, "vector": row.vector})
            if len(rows) == ROWS_AT_ONCE:
                table.add(pa.Table.from_pylist(rows, schema=schema))
                rows.clear()
        if rows:
            table.add(pa.Table.from_pylist(rows, schema=schema))
        large = reader.record.chunks >= FEWEST_ROWS
    table.create_index("text", config=FTS())
    if large:
        table.create_index("vector", config=IvfPq(distance_type="cosine"))
    table.optimize()
    print(f"LanceDB's table and indexes in {time.perf_counter() - started:.1f} s")
    return table


def ask_mixrag(session: Session, text: str) -> list[str]:
    return [hit.chunk.id for hit in session.search(text, Scope(), 10).hits]


def ask_lancedb(table: Any, embedder: Embedder, text: str) -> list[str]:
    search = table.search(query_type="hybrid").vector(embedder.embed_query(text)).text(text).distance_type("cosine")
    return [row["id"] for row in search.limit(10).select(["id", "text"]).to_list()]


def timed(ask: Callable[[], list[str]]) -> tuple[float, list[str]]:
    started = time.perf_counter()
    found = ask()
    return time.perf_counter() - started, found


def interval(differences: list[float]) -> tuple[float, float, float]:
    """The 95 % interval of the mean by a bootstrap over questions, and the mean."""
    dice = random.Random(1)
    means = sorted(statistics.mean(dice.choices(differences, k=len(differences))) for _ in range(RESAMPLES))
    return means[RESAMPLES // 40], statistics.mean(differences), means[-RESAMPLES // 40]


if __name__ == "__main__":
    raise SystemExit(main())
