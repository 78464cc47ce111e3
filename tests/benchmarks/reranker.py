"""Reranking by late interaction: what it adds to words, meaning and their fusion, with one model file or another.

    python tests/benchmarks/reranker.py DATA CACHE NAME=MODEL.onnx [NAME=MODEL.onnx …]
        [--sets paper,full,hetdocqa,hitab] [--questions N] [--distractors N] [--tables N] [--show N]

nDCG@10 of a document by its best chunk, chunks as the product cuts them. Words: BM25 with the product's terms. The
N_RERANKED best chunks by words and meaning are reranked. Each model is compared with the first one and each reranking
with its own fusion, question by question: paired bootstrap, 95 %. CACHE keeps chunks and embeddings.
paper, full, hetdocqa: as in retrieval.py. hitab: 500 of HiTab's tables, the row chunks and the table's.
--show N prints the N questions that reranking won and lost most by, with both best passages.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from corpora import Judgements
from headers import read_lines
from retrieval import read_set
from table_retrieval import gold_to_entry

from mixrag_cli.chunking import chunk_document
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.evaluation.measures import ndcg_at
from mixrag_cli.evaluation.statistics import paired_bootstrap
from mixrag_cli.models import minilm
from mixrag_cli.models.bundled import file_sha256
from mixrag_cli.models.minilm import MiniLM
from mixrag_cli.models.tokens import load_token_counter
from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.retrieval.fusion import WORDS_WEIGHT, fuse
from mixrag_cli.retrieval.rerank import max_sim
from mixrag_cli.stories.embedding import text_to_embed
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.terms import text_to_terms

N_RERANKED = 30
N_WORDS, N_MEANING = 40, 60
DEPTH = 300
K = 10
WEIGHTS = (0.15, 0.3, 0.45, 0.6)
K1, B = 1.2, 0.75
SEED = 7
PART = 512  # texts embedded between two savings


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages with the document each is of, and judged questions."""

    name: str
    passages: list[tuple[str, str]]  # (document, text)
    queries: dict[str, str]
    judgements: Judgements


@dataclass(frozen=True, slots=True)
class Ranked:
    """One question's documents by method, and its reranked chunks by the fusion and by late interaction."""

    documents: dict[str, list[str]]
    fused: list[int]
    late: list[int]


# --- the sets --------------------------------------------------------------------------------------------------------


def read_corpus(data: Path, cache: Path, name: str, options: argparse.Namespace) -> Corpus:
    if name == "hitab":
        return read_hitab(data, cache, options.questions, options.tables)
    found = read_set(data, name)
    saved = cache / f"{name}-{options.distractors}.chunks.json"
    if not saved.exists():
        documents = thin_out(found.documents, found.judgements, options.distractors)
        saved.write_text(json.dumps([(one, text) for one, body in documents for text in file_to_texts(one, body)]))
    passages = [(document, text) for document, text in json.loads(saved.read_text())]
    return Corpus(name, passages, draw(found.queries, options.questions), found.judgements)


def thin_out(documents: list[tuple[str, str]], judgements: Judgements, n: int) -> list[tuple[str, str]]:
    """The judged documents and n of the others."""
    judged = {document for grades in judgements.values() for document in grades}
    others = sorted(document for document, _ in documents if document not in judged)
    kept = judged | set(random.Random(SEED).sample(others, min(n, len(others))))
    return [(document, text) for document, text in documents if document in kept]


def read_hitab(data: Path, cache: Path, n_questions: int, n_tables: int) -> Corpus:
    golds = list(read_lines(data / "headers/hitab_train.jsonl.gz"))
    golds = random.Random(SEED).sample(golds, min(n_tables, len(golds)))
    known = {gold["id"] for gold in golds}
    saved = cache / f"hitab-{n_tables}.chunks.json"
    if not saved.exists():
        passages = []
        for gold in golds:
            texts = gold_to_entry(gold).texts
            parts = dict.fromkeys([*texts.get("table", []), *texts.get("h-rcl row", [])])
            passages += [(gold["id"], text) for text in parts]
        saved.write_text(json.dumps(passages))
    passages = [(document, text) for document, text in json.loads(saved.read_text())]
    asked = [row for row in read_lines(data / "headers/hitab_train_questions.jsonl.gz") if row["table_id"] in known]
    queries = {str(number): row["question"] for number, row in enumerate(asked)}
    judgements = {str(number): {row["table_id"]: 1.0} for number, row in enumerate(asked)}
    return Corpus("hitab", passages, draw(queries, n_questions), judgements)


def draw(queries: dict[str, str], n: int) -> dict[str, str]:
    chosen = random.Random(SEED).sample(sorted(queries), min(n, len(queries)))
    return {query: queries[query] for query in chosen}


def file_to_texts(name: str, text: str) -> list[str]:
    """A text as a file of the product's: what the embedder sees of each chunk."""
    raw = text.encode("utf-8", "replace")
    file_name = f"{name}.txt"
    try:
        document = reader_for(file_name)(ReadSource(file_name, len(raw), io.BytesIO(raw)))
    except FileUnreadable:  # the product leaves it out, too
        return []
    tables = []
    for block in document.blocks:
        if block.grid is not None:
            title = block.heading_path[-1] if block.heading_path else document.title
            table = grid_to_table(document.grids[block.grid], document=name, title=title)
            tables += [(block.grid, table)] if table else []
    chunks = chunk_document(
        document, tables, document_id=name, path=file_name, count_tokens=load_token_counter(), window=minilm.WINDOW
    )
    return [text_to_embed(chunk) for chunk in chunks]


# --- scores ----------------------------------------------------------------------------------------------------------


class Words:
    """BM25 over the product's terms; ceiling: what a passage of nothing but the question would tend to."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._postings: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        gathered: dict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
        counts = [Counter(text_to_terms(text)) for text in texts]
        mean = sum(count.total() for count in counts) / len(counts)
        for number, count in enumerate(counts):
            for term, times in count.items():
                gathered[term][0].append(number)
                gathered[term][1].append(times * (K1 + 1) / (times + K1 * (1 - B + B * count.total() / mean)))
        self._postings = {term: (np.array(at), np.array(value)) for term, (at, value) in gathered.items()}
        self._n = len(texts)

    def score(self, question: str) -> tuple[np.ndarray, float]:
        scores, ceiling = np.zeros(self._n), 0.0
        for term in set(text_to_terms(question)):
            if term in self._postings:
                at, value = self._postings[term]
                weight = math.log(1 + (self._n - len(at) + 0.5) / (len(at) + 0.5))
                scores[at] += weight * value
                ceiling += weight * (K1 + 1)
        return scores, ceiling


class Model:
    """A model file with its embeddings of a corpus, kept on disk by the file's hash."""

    def __init__(self, name: str, path: Path, cache: Path) -> None:
        self.name = name
        self._embedder = MiniLM(path.read_bytes(), 1)
        self._folder = cache / f"{file_sha256(path)[:12]}-{minilm.POOLED_TOKENS}"
        self._folder.mkdir(parents=True, exist_ok=True)

    def embed(self, corpus: Corpus) -> tuple[np.ndarray, list[np.ndarray]]:
        texts = [text for _, text in corpus.passages]
        vectors, late = [], []
        for start in range(0, len(texts), PART):
            part = texts[start : start + PART]
            saved = self._folder / f"{corpus.name}-{len(texts)}-{start}.npz"
            if not saved.exists():
                pooled, tokens = self._embedder.embed_late(part)
                lengths = np.array([len(rows) for rows in tokens])
                temporary = saved.with_suffix(".part.npz")
                np.savez(temporary, vectors=pooled.astype(np.float16), late=np.concatenate(tokens), lengths=lengths)
                temporary.replace(saved)
                print(f"  {self.name}, {corpus.name}: {start + len(part)} of {len(texts)}", flush=True)
            found = np.load(saved)
            vectors.append(found["vectors"].astype(np.float32))
            late += np.split(found["late"], np.cumsum(found["lengths"])[:-1])
        return np.concatenate(vectors), late

    def ask(self, question: str) -> tuple[np.ndarray, np.ndarray]:
        return self._embedder.embed_query_late(question)


def rank_all(corpus: Corpus, model: Model, words: Words) -> dict[str, Ranked]:
    vectors, late = model.embed(corpus)
    return {query: rank(corpus, model, words, vectors, late, text) for query, text in corpus.queries.items()}


def rank(
    corpus: Corpus, model: Model, words: Words, vectors: np.ndarray, late: list[np.ndarray], question: str
) -> Ranked:
    by_words, ceiling = words.score(question)
    vector, tokens = model.ask(question)
    by_meaning = vectors @ vector
    best_words = [at for at in best(by_words, N_WORDS) if by_words[at] > 0]
    best_meaning = best(by_meaning, N_MEANING)
    fused_scores = fuse(
        {str(at): float(by_words[at]) for at in best_words},
        {str(at): float(by_meaning[at]) for at in {*best_meaning, *best_words}},
        ceiling=ceiling,
        n_words=N_WORDS,
        words_weight=WORDS_WEIGHT,
    )
    fused = {int(at): score for at, score in sorted(fused_scores.items(), key=lambda one: (-one[1], int(one[0])))}
    shortlist = list(fused)[:N_RERANKED]
    closeness = dict(zip(shortlist, max_sim(tokens, [late[at] for at in shortlist]), strict=True))
    by_late = sorted(shortlist, key=lambda at: -closeness[at])
    documents = {
        "words": to_documents(corpus, best(by_words, DEPTH)),
        "meaning": to_documents(corpus, best(by_meaning, DEPTH)),
        "fused": to_documents(corpus, list(fused)),
        "late on the best": to_documents(corpus, [*by_late, *list(fused)[N_RERANKED:]]),
    }
    by_fusion = to_share({at: fused[at] for at in shortlist})
    by_late_share = to_share(closeness)
    for weight in WEIGHTS:
        mixed = {at: (1 - weight) * by_fusion[at] + weight * by_late_share[at] for at in shortlist}
        order = [*sorted(shortlist, key=lambda at, of=mixed: -of[at]), *list(fused)[N_RERANKED:]]
        documents[f"fused + late {weight:g}"] = to_documents(corpus, order)
    return Ranked(documents, shortlist, by_late)


def to_share(scores: dict[int, float]) -> dict[int, float]:
    """Each score's place between the lowest, 0, and the highest, 1."""
    low, high = min(scores.values()), max(scores.values())
    return {at: (score - low) / ((high - low) or 1.0) for at, score in scores.items()}


def best(scores: np.ndarray, n: int) -> list[int]:
    return [int(at) for at in np.argsort(-scores, kind="stable")[:n]]


def to_documents(corpus: Corpus, chunks: Sequence[int]) -> list[str]:
    return list(dict.fromkeys(corpus.passages[at][0] for at in chunks))


# --- the report ------------------------------------------------------------------------------------------------------


def measure(corpus: Corpus, ranked: dict[str, Ranked], method: str) -> np.ndarray:
    return np.array([ndcg_at(one.documents[method], corpus.judgements[query], K) for query, one in ranked.items()])


def report(corpus: Corpus, models: Sequence[Model], found: Sequence[dict[str, Ranked]]) -> None:
    print(f"\n{corpus.name}: {len(corpus.queries)} questions, {len(corpus.passages)} passages; nDCG@{K}")
    for model, ranked in zip(models, found, strict=True):
        base = measure(corpus, ranked, "fused")
        for method in next(iter(ranked.values())).documents:
            values = measure(corpus, ranked, method)
            line = f"{model.name:10} {method:18} {values.mean():.4f}"
            if "late" in method:
                line += f"   over its fusion {interval(values, base)}"
            if ranked is not found[0] and method != "words":
                line += f"   over {models[0].name} {interval(values, measure(corpus, found[0], method))}"
            print(line, flush=True)


def interval(values: np.ndarray, others: np.ndarray) -> str:
    paired = paired_bootstrap(values.tolist(), others.tolist())
    return f"{paired.difference:+.4f} [{paired.low:+.4f}, {paired.high:+.4f}]"


def show(corpus: Corpus, ranked: dict[str, Ranked], n: int) -> None:
    """The questions that the reranking at the middle weight won and lost most by."""
    gains = measure(corpus, ranked, f"fused + late {WEIGHTS[1]:g}") - measure(corpus, ranked, "fused")
    order = np.argsort(-gains, kind="stable")
    queries = list(ranked)
    for label, numbers in (("won", order[:n]), ("lost", order[::-1][:n])):
        for number in numbers:
            one, query = ranked[queries[number]], queries[number]
            print(f"\n{label} {gains[number]:+.3f}: {corpus.queries[query]}")
            print(f"  right: {', '.join(corpus.judgements[query])}")
            for method, chunks in (("fused", one.fused), ("late", one.late)):
                document, text = corpus.passages[chunks[0]]
                print(f"  {method}: {document}: {' '.join(text.split())[:300]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("models", nargs="+", help="NAME=MODEL.onnx; the first is what the others are compared with")
    parser.add_argument("--sets", default="paper,full,hetdocqa,hitab")
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--distractors", type=int, default=100_000, help="documents without a judged question")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--pooled", type=int, default=minilm.POOLED_TOKENS, help="neighbouring tokens kept as one")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    minilm.POOLED_TOKENS = options.pooled
    options.cache.mkdir(parents=True, exist_ok=True)
    named = (model.partition("=") for model in options.models)
    models = [Model(name, Path(path), options.cache) for name, _, path in named]
    for name in options.sets.split(","):
        corpus = read_corpus(options.data, options.cache, name, options)
        words = Words([text for _, text in corpus.passages])
        found = [rank_all(corpus, model, words) for model in models]
        report(corpus, models, found)
        if options.show:
            show(corpus, found[-1], options.show)


if __name__ == "__main__":
    main()
