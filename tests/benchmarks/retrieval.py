"""Retrieval quality through the product's own reading, chunking, embedding, store and fusion.

    python tests/benchmarks/retrieval.py DATA_DIR CACHE_DIR [--sets full,paper,hetdocqa] [--sweep] [--fp32 paper]

DATA_DIR holds financerag_finqa and hetdocqa. Each document becomes a text file, the folder is indexed once into
CACHE_DIR and the store is used again by the next run. A document's score is that of its best chunk.

full:     all 2,789 FinQA contexts, 344 judged queries
paper:    only the contexts with a judged query, the setting of the FinanceRAG study
hetdocqa: the passages of HetDocQA with all FinQA contexts as distractors; questions whose gold documents are not
          shared across its splits
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from corpora import Judgements, find_jsonl, published_folder, read_jsonl, read_judgements, write_files
from running import run_mixrag

from mixrag_cli.evaluation.measures import mean_over_queries, ndcg_at
from mixrag_cli.models import Embedder, load_embedder
from mixrag_cli.retrieval.candidates import find_hits
from mixrag_cli.retrieval.fusion import RRF_K, WORDS_WEIGHT, fuse, fuse_by_rank
from mixrag_cli.retrieval.sources import FINDERS, make_sources
from mixrag_cli.retrieval.sources.base import Query
from mixrag_cli.retrieval.sources.passages import read_passages
from mixrag_cli.retrieval.sources.row import Means
from mixrag_cli.retrieval.statistics import WordStatistics
from mixrag_cli.settings import Settings
from mixrag_cli.store import StoreReader, open_reader
from mixrag_cli.stories.embedding import text_to_embed
from mixrag_cli.terms import text_to_terms

DEPTH = 300  # chunks fetched for a single source, so that ten documents are surely among them
K = 10
WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.84, 0.88, 0.92)

Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class TestSet:
    name: str
    documents: list[tuple[str, str]]
    queries: dict[str, str]
    judgements: Judgements


@dataclass(frozen=True, slots=True)
class Candidates:
    """One query's raw material. documents: chunk id to document id; words, meaning: chunk id to raw score."""

    documents: dict[str, str]
    words: dict[str, float]
    meaning: dict[str, float]
    ceiling: float
    words_alone: list[str]
    meaning_alone: list[str]
    product: list[str]


# --- the sets --------------------------------------------------------------------------------------------------------


def read_finqa(data: Path, name: str) -> TestSet:
    folder = data / "financerag_finqa"
    judgements = read_judgements(folder / "qrels.tsv")
    judged = {document for grades in judgements.values() for document in grades}
    documents = [(row["_id"], row["text"]) for row in read_jsonl(find_jsonl(folder, "corpus"))]
    if name == "paper":
        documents = [(document, text) for document, text in documents if document in judged]
    queries = {row["_id"]: row["text"] for row in read_jsonl(find_jsonl(folder, "queries"))}
    return TestSet(name, documents, {query: queries[query] for query in judgements}, judgements)


def read_hetdocqa(data: Path) -> TestSet:
    folder = data / "hetdocqa"
    distractors = read_finqa(data, "full").documents
    passages = [(row["_id"], row["text"]) for row in read_jsonl(find_jsonl(folder, "corpus"))]
    kept = {
        row["_id"]: row["text"]
        for row in read_jsonl(find_jsonl(folder, "queries"))
        if not row["gold_doc_shared_across_splits"]
    }
    judgements = {query: grades for query, grades in read_judgements(folder / "qrels.tsv").items() if query in kept}
    return TestSet("hetdocqa", passages + distractors, {query: kept[query] for query in judgements}, judgements)


def read_set(data: Path, name: str) -> TestSet:
    return read_hetdocqa(data) if name == "hetdocqa" else read_finqa(data, name)


# --- the stores ------------------------------------------------------------------------------------------------------


def index_set(test_set: TestSet, cache: Path) -> tuple[Path, dict[str, str]]:
    """Returns the store and the map from file name to document id."""
    files, store = cache / test_set.name / "files", cache / test_set.name / "store"
    names = write_files(files, test_set.documents)
    lend_vectors(cache, store)
    run = run_mixrag("index", str(files), "--store", str(store), "--json")
    if run.exit_code not in (0, 3):
        raise SystemExit(f"{test_set.name}: exit {run.exit_code}: {run.payload.get('message')}")
    told = run.payload
    print(f"{test_set.name}: {len(names)} files, {told['chunks']} chunks new, {run.seconds:.1f} s", flush=True)
    return store, names


def lend_vectors(cache: Path, store: Path) -> None:
    """Give a new store the largest known embedding cache: the sets share most of their texts."""
    known = [path for path in cache.glob("*/store/cache/*") if path.is_file() and store not in path.parents]
    if known and not store.exists():
        target = store / "cache"
        target.mkdir(parents=True, mode=0o700)
        largest = max(known, key=lambda path: path.stat().st_size)
        shutil.copy(largest, target / largest.name)


# --- candidates ------------------------------------------------------------------------------------------------------


def best_documents(chunks: Iterable[str], documents: Mapping[str, str]) -> list[str]:
    """Chunk ids, best first, to their documents, each once: a document's score is that of its best chunk."""
    return list(dict.fromkeys(documents[chunk] for chunk in chunks))


class Searcher:
    """An opened store with the embedder it was made with."""

    def __init__(self, reader: StoreReader, names: Mapping[str, str]) -> None:
        self.reader = reader
        self.names = names
        self.settings = Settings()
        self.embedder = load_embedder(self.settings)
        self._statistics = WordStatistics(reader, reader.record.counts["chunks"], reader.record.counts["indexed"])

    def prepare(self, question: str) -> Query:
        ceiling = self._statistics.ceiling(text_to_terms(question))
        return Query(question, self.embedder.embed_query(question), ceiling)


def gather(searcher: Searcher, question: str) -> Candidates:
    query, names, settings = searcher.prepare(question), searcher.names, searcher.settings
    deep_words = searcher.reader.search_words(question, DEPTH)
    deep_meaning = searcher.reader.search_meaning(query.vector, DEPTH)
    limits = (settings.words_candidates, settings.meaning_candidates, settings.rerank_candidates)
    finders = make_sources(FINDERS, Means(searcher.reader, None, *limits, lambda: read_passages([])))
    hits = find_hits(finders, query, settings.words_candidates)
    documents = {hit.chunk.id: names[Path(hit.path).name] for hit in (*deep_words, *deep_meaning, *hits)}
    return Candidates(
        documents=documents,
        words={hit.chunk.id: hit.scores["words"] for hit in hits if "words" in hit.scores},
        meaning={hit.chunk.id: hit.scores["meaning"] for hit in hits if "meaning" in hit.scores},
        ceiling=query.ceiling,
        words_alone=best_documents((hit.chunk.id for hit in deep_words), documents),
        meaning_alone=best_documents((hit.chunk.id for hit in deep_meaning), documents),
        product=best_documents((hit.chunk.id for hit in hits), documents),
    )


# --- fusions to compare ----------------------------------------------------------------------------------------------


def normalize_minmax(scores: Scores) -> dict[str, float]:
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {key: (score - low) / (high - low) if high > low else 0.0 for key, score in scores.items()}


def normalize_z(scores: Scores) -> dict[str, float]:
    known = np.array(list(scores.values()) or [0.0])
    return {key: float((score - known.mean()) / (known.std() + 1e-9)) for key, score in scores.items()}


def divide_by_largest(scores: Scores) -> dict[str, float]:
    high = max(scores.values(), default=0.0)
    return {key: max(score, 0.0) / high if high > 0 else 0.0 for key, score in scores.items()}


def theoretical_minmax(scores: Scores) -> dict[str, float]:
    """Bruch, Gai, Ingber, ACM TOIS 42(1), 2023: the least possible cosine, -1, in place of the least seen."""
    return divide_by_largest({key: score + 1 for key, score in scores.items()})


NORMALIZERS: dict[str, tuple[Callable[[Scores], dict[str, float]], Callable[[Scores], dict[str, float]]]] = {
    "min-max": (normalize_minmax, normalize_minmax),
    "z-score": (normalize_z, normalize_z),
    "theoretical min-max": (divide_by_largest, theoretical_minmax),
    "share of the best seen": (divide_by_largest, divide_by_largest),
    "words by best seen, cosine raw": (divide_by_largest, dict),
}


def sum_weighted(candidates: Candidates, normalizer: str, weight: float) -> dict[str, float]:
    of_words, of_meaning = NORMALIZERS[normalizer]
    words, meaning = of_words(candidates.words), of_meaning(candidates.meaning)
    low_words, low_meaning = min(words.values(), default=0.0), min(meaning.values(), default=0.0)
    return {
        key: weight * words.get(key, low_words) + (1 - weight) * meaning.get(key, low_meaning)
        for key in words.keys() | meaning.keys()
    }


def sum_over_ceiling(candidates: Candidates, weight: float) -> dict[str, float]:
    return fuse(
        candidates.words,
        candidates.meaning,
        ceiling=candidates.ceiling,
        n_words=Settings().words_candidates,
        words_weight=weight,
    )


def fuse_reciprocal(candidates: Candidates) -> dict[str, float]:
    sources = (candidates.words, candidates.meaning)
    return fuse_by_rank([sorted(scores, key=scores.__getitem__, reverse=True) for scores in sources], RRF_K)


# --- the report ------------------------------------------------------------------------------------------------------


class Report:
    """One line a method, one column a set: nDCG@10."""

    def __init__(self, sets: Sequence[TestSet], gathered: Sequence[Mapping[str, Candidates]]) -> None:
        self._sets = sets
        self._gathered = gathered

    def print_rankings(self, label: str, rank: Callable[[Candidates], list[str]]) -> None:
        cells = [
            mean_over_queries({query: rank(one) for query, one in of_set.items()}, test_set.judgements, ndcg_at, K)
            for test_set, of_set in zip(self._sets, self._gathered, strict=True)
        ]
        print(f"{label:46}" + "".join(f"{cell:10.4f}" for cell in cells), flush=True)

    def print_fusion(self, label: str, score: Callable[[Candidates], dict[str, float]]) -> None:
        def rank(candidates: Candidates) -> list[str]:
            fused = score(candidates)
            return best_documents(sorted(fused, key=lambda key: (-fused[key], key)), candidates.documents)

        self.print_rankings(label, rank)


def print_report(sets: Sequence[TestSet], gathered: Sequence[Mapping[str, Candidates]], sweep: bool) -> None:
    report = Report(sets, gathered)
    print(f"\n{'nDCG@10':46}" + "".join(f"{test_set.name:>10}" for test_set in sets))
    report.print_rankings("words alone", lambda candidates: candidates.words_alone)
    report.print_rankings("meaning alone", lambda candidates: candidates.meaning_alone)
    report.print_fusion(f"reciprocal rank fusion, k = {RRF_K}", fuse_reciprocal)
    report.print_rankings(f"the product (over the ceiling, {WORDS_WEIGHT:g})", lambda candidates: candidates.product)
    if not sweep:
        return
    for weight in WEIGHTS:
        report.print_fusion(f"over the ceiling, words {weight:g}", lambda one, w=weight: sum_over_ceiling(one, w))
    for name in NORMALIZERS:
        for weight in WEIGHTS:
            label = f"{name}, words {weight:g}"
            report.print_fusion(label, lambda one, n=name, w=weight: sum_weighted(one, n, w))


def compare_precision(test_set: TestSet, searcher: Searcher, cache: Path) -> None:
    """Meaning alone with the embedder in use against the model it began as, in full precision, over the same chunks."""
    full = load_embedder(Settings(embedder=str(published_folder()), device="cpu"))
    quick: Embedder = searcher.embedder
    chunks = sorted((row.chunk for row in searcher.reader.chunk_rows()), key=lambda chunk: chunk.id)
    paths = {row.id: row.path for row in searcher.reader.document_rows()}
    owners = [searcher.names[Path(paths[chunk.document]).name] for chunk in chunks]
    texts = [text_to_embed(chunk) for chunk in chunks]
    means = {}
    for label, embedder in (("in use", quick), ("full precision", full)):
        stored = cache / test_set.name / f"vectors-{label.replace(' ', '-')}-{len(texts)}.npy"
        if not stored.exists():
            np.save(stored, embedder.embed(texts))
        vectors = np.load(stored)
        rankings = {}
        for query, question in test_set.queries.items():
            order = np.argsort(-(vectors @ embedder.embed_query(question)), kind="stable")[:DEPTH]
            rankings[query] = list(dict.fromkeys(owners[index] for index in order))
        means[label] = mean_over_queries(rankings, test_set.judgements, ndcg_at, K)
    difference = (means["in use"] - means["full precision"]) * 100
    print(
        f"{test_set.name}: meaning alone, {quick.name} {means['in use']:.4f}, full precision "
        f"{means['full precision']:.4f}, difference {difference:+.2f} points",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--sets", default="full,paper,hetdocqa")
    parser.add_argument("--fp32", default="", help="sets on which to compare with full precision (slow)")
    parser.add_argument("--sweep", action="store_true", help="try every normalisation and weight")
    options = parser.parse_args()
    sets, gathered = [], []
    for name in options.sets.split(","):
        test_set = read_set(options.data, name)
        store, names = index_set(test_set, options.cache)
        with open_reader(store) as reader:
            searcher = Searcher(reader, names)
            gathered.append({query: gather(searcher, text) for query, text in test_set.queries.items()})
            if name in options.fp32.split(","):
                compare_precision(test_set, searcher, options.cache)
        sets.append(test_set)
    print_report(sets, gathered, options.sweep)


if __name__ == "__main__":
    main()
