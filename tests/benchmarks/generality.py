"""One model file against others over many sets, those among them that it was never chosen by.

    python tests/benchmarks/generality.py DATA CACHE NAME=MODEL.onnx [NAME=MODEL.onnx …] [--sets …]
        [--a-project N]

Each set's questions by meaning alone, by late interaction over the 30 best of words and meaning, and in the sum of the
three (reranker.py). nDCG@10 of the documents for the judged sets, mean reciprocal rank of the passage for those of
unseen.py. Every model is compared with the first, question by question: paired bootstrap, 95 %.
The judged sets are thinned: a model is measured in minutes, and full sizes are for the one that is chosen
(fit_priors.py). --a-project draws so many questions of a project for the sets by rule, and all there are, in place of
unseen.py's: small sets tell more so. CACHE keeps passages, embeddings and what each question came to.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import unseen
from corpora import find_jsonl, read_jsonl
from judged import read_set
from reranker import Corpus, Model, Ranked, Words, file_to_texts, interval, rank_all, read_hitab
from unseen import A_PROJECT, DRAWERS, PAIR_SETS, SEED, Drawn, draw_set

from mixrag_cli.evaluation.measures import ndcg_at

JUDGED = ("paper", "hetdocqa", "hitab", "tatqa")
EVERYDAY = ("everyday code", "everyday reports")
SETS = (*PAIR_SETS, *DRAWERS, *JUDGED, *EVERYDAY)
METHODS = ("meaning", "late on the best", "fused", "fused + late 0.3")
MOST_DRAWN = 1_500  # where --a-project is given
N_QUESTIONS, N_TABLES, N_OTHERS = 86, 20, 200
CODE = "hetdocqa, code"  # the questions of which a gold document is code
K = 10

Values = Mapping[str, Mapping[str, float]]  # by method and question


def read_any(data: Path, cache: Path, name: str) -> Corpus:
    """The set, kept in CACHE once it is drawn."""
    if name == "hitab":
        return read_hitab(data, cache, N_QUESTIONS, N_TABLES)
    drawn = f"{name}-{unseen.A_PROJECT}" if name in DRAWERS and unseen.A_PROJECT != A_PROJECT else name
    saved = cache / f"{drawn.replace(' ', '-')}.set.json"
    if not saved.exists():
        saved.write_text(json.dumps(read_judged(data, name) if name in JUDGED else draw_set(data, name)))
    passages, questions, judgements = json.loads(saved.read_text())
    return Corpus(drawn.replace(" ", "-"), [(key, text) for key, text in passages], questions, judgements)


def read_judged(data: Path, name: str) -> Drawn:
    """So many of a judged set's questions, among the documents that are right for one of them."""
    found = read_set(data, name)
    chosen = random.Random(SEED).sample(found.questions, min(N_QUESTIONS, len(found.questions)))
    kept = {document for each in chosen for document, grade in each.grades.items() if grade > 0}
    if name == "hetdocqa":  # its passages are short, and few are enough for so many questions
        others = sorted({row["_id"] for row in read_jsonl(find_jsonl(data / name, "corpus"))} - kept)
        kept |= set(random.Random(SEED).sample(others, N_OTHERS))
    names = {document: named for named, document in found.ids.items()}
    passages = [(key, text) for key in sorted(kept) for text in file_to_texts(key, found.files[names[key]])]
    return passages, {each.id: each.text for each in chosen}, {each.id: dict(each.grades) for each in chosen}


def measure(name: str, corpus: Corpus, ranked: Mapping[str, Ranked]) -> Values:
    rank_value = ndcg if name in JUDGED else reciprocal_rank
    return {
        method: {query: rank_value(one.documents[method], corpus.judgements[query]) for query, one in ranked.items()}
        for method in METHODS
    }


def ndcg(documents: Sequence[str], grades: Mapping[str, float]) -> float:
    return ndcg_at(documents, grades, K)


def reciprocal_rank(documents: Sequence[str], grades: Mapping[str, float]) -> float:
    return next((1 / rank for rank, document in enumerate(documents, start=1) if grades.get(document, 0) > 0), 0.0)


def parts_of(data: Path, name: str, queries: Sequence[str]) -> dict[str, list[str]]:
    """The set's questions, and those parts of it that are looked at apart."""
    parts = {name: list(queries)}
    if name == "hetdocqa":
        rows = read_jsonl(find_jsonl(data / "hetdocqa", "queries"))
        of_code = {row["_id"] for row in rows if "code" in row["modalities"]}
        parts[CODE] = [query for query in queries if query in of_code]
    return parts


def report(name: str, queries: Sequence[str], found: Mapping[str, Values], n_passages: int) -> None:
    kind = "nDCG@10" if name.partition(",")[0] in JUDGED else "MRR"
    print(f"\n{name}: {len(queries)} questions, {n_passages} passages, {kind}")
    first = next(iter(found))
    for method in METHODS:
        cells = []
        for model, values in found.items():
            own = np.array([values[method][query] for query in queries])
            cell = f"{model} {own.mean():.4f}"
            if model != first:
                cell += f" {interval(own, np.array([found[first][method][query] for query in queries]))}"
            if kind == "MRR" and method == "meaning":
                cell += f" (first {(own == 1).sum()}, among ten {(own >= 1 / K).sum()})"
            cells.append(cell)
        print(f"  {method:18} {'  '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("models", nargs="+", help="NAME=MODEL.onnx; the first is what the others are compared with")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--a-project", type=int, default=A_PROJECT, help="questions a project of the sets by rule")
    options = parser.parse_args()
    if options.a_project != A_PROJECT:
        unseen.A_PROJECT, unseen.N_DRAWN = options.a_project, MOST_DRAWN
    options.cache.mkdir(parents=True, exist_ok=True)
    named = [model.partition("=") for model in options.models]
    models = [Model(name, Path(path), options.cache) for name, _, path in named]
    for name in options.sets.split(","):
        corpus = read_any(options.data, options.cache, name)
        words = Words([text for _, text in corpus.passages])
        found = {each.name: measure(name, corpus, rank_all(corpus, each, words)) for each in models}
        for part, queries in parts_of(options.data, name, list(corpus.queries)).items():
            report(part, queries, found, len(corpus.passages))


if __name__ == "__main__":
    main()
