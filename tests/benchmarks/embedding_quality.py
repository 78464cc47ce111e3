"""Retrieval by meaning alone: the bundled model against the published float32 one, in nDCG@10.

Run: python tests/benchmarks/embedding_quality.py FOLDER [FOLDER …]   (BEIR files; only the judged documents are used)
--card compares with itself as a card computes it: passages by the float32 graph, questions by the int8 one.
Chunks as the FinanceRAG study cuts them: 256 tokens, 15 % overlap; a document is as near as its nearest chunk.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from corpora import find_jsonl, published_folder, read_jsonl, read_judgements

from mixrag_cli.evaluation.measures import ndcg_at
from mixrag_cli.models import Embedder
from mixrag_cli.models.bundled import model_file
from mixrag_cli.models.float_graph import to_float32
from mixrag_cli.models.minilm import MiniLM, load_minilm
from mixrag_cli.models.sentence_transformer import load_sentence_transformer
from mixrag_cli.models.tokens import load_token_counter

OVERLAP = 0.15
N_SAMPLES = 2_000


def cut(text: str, window: int) -> list[str]:
    """Words packed to the window, each chunk starting OVERLAP of a window before the end of the last."""
    count = load_token_counter()
    words = [(word, count(word)) for word in text.split()]
    chunks, start = [], 0
    while start < len(words):
        end, tokens = start, 0
        while end < len(words) and tokens + words[end][1] <= window - 2:
            tokens += words[end][1]
            end += 1
        end = max(end, start + 1)
        chunks.append(" ".join(word for word, _ in words[start:end]))
        if end >= len(words):
            break
        back = 0
        start = end
        while start > 0 and back + words[start - 1][1] <= OVERLAP * window:
            start -= 1
            back += words[start][1]
    return chunks or [""]


def ndcg_by_query(embedder: Embedder, folder: Path, asked_by: Embedder | None = None) -> np.ndarray:
    asked_by = asked_by or embedder
    judgements = read_judgements(folder / "qrels.tsv")
    judged = {document for grades in judgements.values() for document in grades}
    texts, owners = [], []
    for record in read_jsonl(find_jsonl(folder, "corpus")):
        if record["_id"] in judged:
            for part in cut(f"{record.get('title', '')} {record['text']}".strip(), embedder.window):
                texts.append(part)
                owners.append(record["_id"])
    vectors = embedder.embed(texts)
    measures = []
    for record in read_jsonl(find_jsonl(folder, "queries")):
        if record["_id"] not in judgements:
            continue
        scores: dict[str, float] = {}
        for owner, score in zip(owners, vectors @ asked_by.embed_query(record["text"]), strict=True):
            scores[owner] = max(scores.get(owner, -1.0), float(score))
        ranking = sorted(scores, key=lambda document: (-scores[document], document))
        measures.append(ndcg_at(ranking, judgements[record["_id"]], 10))
    return np.array(measures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--card", action="store_true", help="against the bundled model on a card, here its graph")
    arguments = parser.parse_args()
    int8 = load_minilm()
    if arguments.card:
        other, asked_by = MiniLM(to_float32(model_file().read_bytes())), int8
    else:
        other = asked_by = load_sentence_transformer(str(published_folder()), "cpu")
    for folder in arguments.folders:
        ours, theirs = ndcg_by_query(int8, folder), ndcg_by_query(other, folder, asked_by)
        difference = ours - theirs
        samples = np.random.default_rng(7).integers(0, len(ours), (N_SAMPLES, len(ours)))
        low, high = np.percentile(difference[samples].mean(axis=1), [2.5, 97.5])
        print(
            f"{folder.name}: {len(ours)} queries, nDCG@10 int8 {ours.mean():.4f}, float32 {theirs.mean():.4f}, "
            f"difference {difference.mean():+.4f} [{low:+.4f}, {high:+.4f}]"
        )


if __name__ == "__main__":
    main()
