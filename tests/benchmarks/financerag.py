"""The FinanceRAG study's table 5 on FinQA, run again with its own summaries and expansions; then mixrag's default.

    python tests/benchmarks/financerag.py DATA CACHE [--no-full] [--no-hybrid] [--contexts N]

DATA holds financerag_finqa: the contexts, the judged queries, and what the study's 7B model wrote: short and long table
summaries (SS, LS) and the queries rephrased (QR) or answered by a made-up document (Q2D). NS is no summary.

dense   as in the study: chunks of 256 tokens with 15 % overlap, a summary as a further chunk of its document, the
        expansion behind the query, cosine of the bundled embedder; a document's score is that of its best chunk
hybrid  mixrag's own indexing, search and defaults, a summary as a further file of its document
paper   only the contexts with a judged query, the study's setting; full: all contexts

Intervals are 95 % bootstrap intervals over the queries, p of the paired bootstrap against BM25 over the same passages.
What was embedded is kept in CACHE, so that another run only searches.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from corpora import read_jsonl

from mixrag_cli.evaluation.datasets import DataSet, SourceText
from mixrag_cli.evaluation.loading import load_dataset
from mixrag_cli.evaluation.measures import RankingMeasure, ndcg_at, recall_at, reciprocal_rank_at
from mixrag_cli.evaluation.statistics import bootstrap, paired_bootstrap
from mixrag_cli.models import Embedder, load_embedder
from mixrag_cli.models.tokens import load_token_counter
from mixrag_cli.output.progress import Silence
from mixrag_cli.settings import Settings
from mixrag_cli.store import EmbeddingCache
from mixrag_cli.stories.embedding import KnownEmbeddings, embed_cached
from mixrag_cli.stories.eval_corpus import Corpus, corpus_folder, prepare_corpus
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session

K = 10
DEPTH = 300  # passages fetched for BM25 alone, so that ten documents are surely among them
CHUNK_TOKENS, OVERLAP = 254, 0.15  # with the two special tokens the 256 of the study
EMBED_AT_ONCE = 128  # texts
MEASURES: Mapping[str, RankingMeasure] = {"nDCG": ndcg_at, "Recall": recall_at, "MRR": reciprocal_rank_at}
SUMMARY_FILES = {"SS": "table_summaries_short.jsonl", "LS": "table_summaries_long.jsonl"}
EXPANSION_FILES = {"QR": "queries_expanded_rephrase.jsonl", "Q2D": "queries_expanded_Q2D.jsonl"}
PUBLISHED = {  # table 5, FinQA: nDCG, Recall, MRR at 10
    "NS": (0.5650, 0.7587, 0.5046),
    "SS": (0.6418, 0.8140, 0.5876),
    "LS": (0.6324, 0.8140, 0.5752),
    "LS + QR": (0.6088, 0.7936, 0.5509),
    "LS + Q2D": (0.5989, 0.7762, 0.5437),
}
COMBINED = ("QR", "Q2D", "SS + LS", "SS + QR", "SS + LS + QR", "LS + QR + Q2D")

Rankings = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Study:
    """The data set in one setting, with what the study's model wrote."""

    dataset: DataSet
    summaries: Mapping[str, Mapping[str, str]]
    expansions: Mapping[str, Mapping[str, str]]

    def questions(self, column: str) -> dict[str, str]:
        """Query id to text, the column's expansions behind it."""
        parts = [name for name in column.split(" + ") if name in self.expansions]
        return {
            question.id: " ".join([question.text, *(self.expansions[name].get(question.id, "") for name in parts)])
            for question in self.dataset.questions
        }

    def texts(self, column: str) -> Iterable[tuple[str, str, str]]:
        """Document id, what it is a part of ("" for the document itself), text."""
        for document in self.dataset.documents:
            yield document.id, "", document.text
        for name in self.summary_names(column):
            for document in self.dataset.documents:
                if summary := self.summaries[name].get(document.id):
                    yield document.id, name, summary

    def summary_names(self, column: str) -> tuple[str, ...]:
        return tuple(name for name in column.split(" + ") if name in self.summaries)


def read_study(data: Path, *, full: bool, contexts: int = 0) -> Study:
    folder = data / "financerag_finqa"
    dataset = load_dataset(folder)
    if not full:
        judged = {document for question in dataset.questions for document in question.relevant}
        documents = tuple(document for document in dataset.documents if document.id in judged)
        dataset = replace(dataset, name="finqa paper", documents=documents[: contexts or None])
        known = {document.id for document in dataset.documents}
        asked = tuple(question for question in dataset.questions if known.intersection(question.relevant))
        dataset = replace(dataset, questions=asked)
    return Study(
        dataset,
        {name: read_values(folder / file) for name, file in SUMMARY_FILES.items()},
        {name: read_values(folder / file) for name, file in EXPANSION_FILES.items()},
    )


def read_values(path: Path) -> dict[str, str]:
    return {
        row["_id"]: " ".join(row["value"]) if isinstance(row["value"], list) else row["value"]
        for row in read_jsonl(path)
    }


# --- dense, as in the study ----------------------------------------------------------------------------------------


class Dense:
    """Cosine over chunks of one length; every text is embedded once."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self._count = lru_cache(maxsize=None)(load_token_counter(Settings().embedder))  # few words, often

    def rank(self, study: Study, column: str) -> Rankings:
        chunks = [(owner, chunk) for owner, _, text in study.texts(column) for chunk in self._cut(text)]
        owners = [owner for owner, _ in chunks]
        vectors = self._embed([chunk for _, chunk in chunks])
        questions = study.questions(column)
        asked = self._embed(list(questions.values()))
        orders = np.argsort(-(asked @ vectors.T), axis=1, kind="stable")
        return {
            query: list(dict.fromkeys(owners[n] for n in order[:DEPTH]))
            for query, order in zip(questions, orders, strict=True)
        }

    def _embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """In parts, each remembered at once: a run that is cut off loses little."""
        parts = [texts[start : start + EMBED_AT_ONCE] for start in range(0, len(texts), EMBED_AT_ONCE)]
        return np.concatenate([embed_cached(part, self._embedder, KnownEmbeddings(self._cache))[0] for part in parts])

    def _cut(self, text: str) -> list[str]:
        words = text.split()
        sizes = [self._count(word) for word in words]
        chunks, start = [], 0
        while start < len(words):
            end, taken = start, 0
            while end < len(words) and (end == start or taken + sizes[end] <= CHUNK_TOKENS):
                taken += sizes[end]
                end += 1
            chunks.append(" ".join(words[start:end]))
            if end == len(words):
                break
            back, start = 0, end
            while start > 1 and back + sizes[start - 1] <= OVERLAP * CHUNK_TOKENS:
                start -= 1
                back += sizes[start]
        return chunks


# --- mixrag's own search -------------------------------------------------------------------------------------------


class Hybrid:
    """The program's own index and search over a data set, summaries as further files of their documents."""

    def __init__(self, study: Study, summaries: Sequence[str], settings: Settings, cache: Path) -> None:
        parts = tuple(
            SourceText(f"{owner}\t{part}", f"{owner}{f'-{part}' if part else ''}.txt", text)
            for owner, part, text in study.texts(" + ".join(summaries))
        )
        dataset = replace(study.dataset, documents=parts)
        folder = corpus_folder(dataset, settings, cache)
        self._corpus: Corpus = prepare_corpus(dataset, settings, folder, Silence(quiet=False))
        self._session: Session = self._corpus.open(settings)
        rows = self._session.document_rows
        self._owners = {key: name.partition("\t")[0] for key, name in self._corpus.names(rows).items()}

    def rank(self, questions: Mapping[str, str]) -> Rankings:
        """By the program's defaults."""
        found = {query: self._session.search(text, Scope(), DEPTH).hits for query, text in questions.items()}
        return {query: self._documents(hit.chunk.document for hit in hits) for query, hits in found.items()}

    def rank_by_words(self, questions: Mapping[str, str]) -> Rankings:
        """By BM25 alone."""
        found = {query: self._session.reader.search_words(text, DEPTH) for query, text in questions.items()}
        return {query: self._documents(hit.chunk.document for hit in hits) for query, hits in found.items()}

    def _documents(self, ids: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(self._owners[row] for row in ids))


# --- the report ----------------------------------------------------------------------------------------------------


def values_of(rankings: Rankings, dataset: DataSet, measure: RankingMeasure) -> list[float]:
    return [measure(rankings[question.id], question.relevant, K) for question in dataset.questions]


def print_row(label: str, rankings: Rankings, dataset: DataSet, published: Sequence[float] = ()) -> None:
    means = [float(np.mean(values_of(rankings, dataset, measure))) for measure in MEASURES.values()]
    told = "".join(f"{value:9.4f}" for value in published)
    print(f"{label:24}" + "".join(f"{mean:9.4f}" for mean in means) + told, flush=True)


def print_against_bm25(label: str, rankings: Rankings, words: Rankings, dataset: DataSet) -> None:
    ours, theirs = (values_of(each, dataset, ndcg_at) for each in (rankings, words))
    mean, base, found = bootstrap(ours), bootstrap(theirs), paired_bootstrap(ours, theirs)
    print(
        f"{label:16} nDCG@{K} {mean.mean:.4f} [{mean.low:.4f}, {mean.high:.4f}], BM25 {base.mean:.4f} "
        f"[{base.low:.4f}, {base.high:.4f}], difference {found.difference:+.4f} [{found.low:+.4f}, {found.high:+.4f}], "
        f"paired p {found.p:.4f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--no-full", action="store_true", help="leave out the setting with all contexts")
    parser.add_argument("--no-hybrid", action="store_true", help="leave out mixrag's own search but for its default")
    parser.add_argument("--contexts", type=int, default=0, help="only so many of the judged contexts, for a quick look")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    settings = Settings()
    embedder = load_embedder(settings)
    study = read_study(options.data, full=False, contexts=options.contexts)
    print(f"{embedder.name}; {len(study.dataset.documents)} contexts, {len(study.dataset.questions)} queries; at {K}")
    head = "".join(f"{name:>9}" for name in MEASURES)
    with EmbeddingCache(options.cache / "financerag-embeddings.sqlite") as embeddings:
        dense = Dense(embedder, embeddings)
        print(f"\n{'dense, paper':24}{head}" + "".join(f"{'study ' + name[:2]:>9}" for name in MEASURES))
        for column in (*PUBLISHED, *COMBINED):
            print_row(column, dense.rank(study, column), study.dataset, PUBLISHED.get(column, ()))
    if not options.no_hybrid:
        print(f"\n{'hybrid, paper':24}{head}")
        indexed: dict[tuple[str, ...], Hybrid] = {}
        for column in PUBLISHED:
            names = study.summary_names(column)
            if names not in indexed:
                indexed[names] = Hybrid(study, names, settings, options.cache)
            print_row(column, indexed[names].rank(study.questions(column)), study.dataset)
    print()
    for name in ("paper",) if options.no_full else ("paper", "full"):
        started = time.perf_counter()
        chosen = study if name == "paper" else read_study(options.data, full=True)
        searched = Hybrid(chosen, (), settings, options.cache)
        questions = chosen.questions("NS")
        print_against_bm25(
            f"default, {name}", searched.rank(questions), searched.rank_by_words(questions), chosen.dataset
        )
        print(f"{'':16} {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
