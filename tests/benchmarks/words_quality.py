"""How well the store's word search ranks: nDCG@10 on FinQA, "full" setting, best passage a document.

    python tests/benchmarks/words_quality.py DATA_FOLDER

DATA_FOLDER holds corpus.jsonl.gz, queries.jsonl.gz and qrels.tsv. Passages are 230 words with 15 % overlap, about
256 tokens of the bundled model.
"""

from __future__ import annotations

import gzip
import json
import math
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from mixrag_cli.records.files import DocumentRow, stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator
from mixrag_cli.store import StoredDocument, open_reader, open_writer

PASSAGE_WORDS, STEP_WORDS, BATCH, DEPTH = 230, 196, 500, 60


def main() -> None:
    data = Path(sys.argv[1])
    corpus = read_lines(data / "corpus.jsonl.gz")
    queries = {row["_id"]: row["text"] for row in read_lines(data / "queries.jsonl.gz")}
    relevant: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (data / "qrels.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        relevant[query][document] = float(grade)
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / ".mixrag"
        with open_writer(store, roots=[store.parent], embedder_name="none", dim=1) as writer:
            for start in range(0, len(corpus), BATCH):
                writer.write_batch([to_document(row) for row in corpus[start : start + BATCH]])
            writer.finish()
        with open_reader(store) as reader:
            started = time.perf_counter()
            gains = []
            for query, grades in relevant.items():
                ranked = dict.fromkeys(hit.path for hit in reader.search_words(queries[query], DEPTH))
                gains.append(ndcg(list(ranked), grades))
            seconds = time.perf_counter() - started
            print(f"{len(corpus)} documents, {reader.record.chunks} passages, {len(gains)} queries")
    print(f"nDCG@10 {np.mean(gains):.4f}, {seconds / len(gains) * 1000:.1f} ms a query")


def read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def to_document(row: dict[str, str]) -> StoredDocument:
    owner = stable_id("document", row["_id"])
    words = row["text"].split(" ")
    starts = range(0, max(1, len(words) - PASSAGE_WORDS + STEP_WORDS), STEP_WORDS)
    texts = [" ".join(words[start : start + PASSAGE_WORDS]) for start in starts]
    chunks = [
        Chunk(stable_id(owner, at), owner, "prose", "text", text, "", "", Locator((0, len(text))), at)
        for at, text in enumerate(texts)
    ]
    document = DocumentRow(owner, b"/", row["_id"].encode(), row["_id"], "indexed", chunks=len(chunks))
    return StoredDocument(document, chunks, np.zeros((len(chunks), 1), np.float32))


def ndcg(ranked: list[str], grades: dict[str, float], depth: int = 10) -> float:
    gain = sum(grades.get(path, 0.0) / math.log2(place + 2) for place, path in enumerate(ranked[:depth]))
    best = sum(
        grade / math.log2(place + 2) for place, grade in enumerate(sorted(grades.values(), reverse=True)[:depth])
    )
    return gain / best


if __name__ == "__main__":
    main()
