"""Embedding speed: the bundled int8 model against the same model in sentence-transformers, in alternating rounds.

Run: python tests/benchmarks/embedding.py CORPUS.jsonl.gz [--threads 2]
The best round of each counts: other work on the machine only ever adds time. CPU seconds are shown as well.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from corpora import published_folder, read_jsonl

from mixrag_cli.models import minilm
from mixrag_cli.models.sentence_transformer import load_sentence_transformer

N_TEXTS = 512
WORDS = 135  # a text; about 175 tokens of these filings
QUERY = "What was the percentage change in net revenue from 2016 to 2017?"
Round = tuple[float, float]  # wall seconds, CPU seconds


def read_chunks(corpus: Path) -> list[str]:
    chunks: list[str] = []
    for record in read_jsonl(corpus):
        words = record["text"].split()
        chunks += [" ".join(words[at : at + WORDS]) for at in range(0, len(words) - WORDS, WORDS)]
        if len(chunks) >= N_TEXTS:
            break
    return chunks[:N_TEXTS]


def timed(work: Callable[[], object]) -> Round:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def best(rounds: Sequence[Round]) -> Round:
    return min(wall for wall, _ in rounds), min(cpu for _, cpu in rounds)


def cold(code: str) -> float:
    """Wall seconds of a process that runs the code, less those of one that runs nothing; the best of three."""
    times = []
    for _ in range(3):
        full = timed(lambda: subprocess.run([sys.executable, "-c", code], check=True))[0]
        times.append(full - timed(lambda: subprocess.run([sys.executable, "-c", ""], check=True))[0])
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    texts = read_chunks(arguments.corpus)
    threads = arguments.threads

    ours = minilm.load_minilm(threads)
    theirs = load_sentence_transformer(str(published_folder()), "cpu", threads)
    tokens = ours.count_tokens(texts)
    print(f"{len(texts)} texts, {tokens / len(texts):.0f} tokens each, {threads} threads")

    cosines = (ours.embed(texts) * theirs.embed(texts)).sum(axis=1)
    print(f"cosine to float32: mean {cosines.mean():.4f}, least {cosines.min():.4f}")

    runs: dict[str, Callable[[], object]] = {"sentence-transformers": lambda: theirs.embed(texts)}
    for most_tokens in (256, 512, 1024):

        def embed(most_tokens: int = most_tokens) -> None:
            ours.most_tokens = most_tokens
            ours.embed(texts)

        runs[f"int8, {most_tokens} tokens a run"] = embed
    rounds: dict[str, list[Round]] = {name: [] for name in runs}
    for _ in range(arguments.rounds):
        for name, work in runs.items():
            rounds[name].append(timed(work))
    base = best(rounds["sentence-transformers"])
    for name, found in rounds.items():
        wall, cpu = best(found)
        print(
            f"{name:24} {tokens / wall:8,.0f} tokens/s ({base[0] / wall:.2f}x)"
            f"   {tokens / cpu:8,.0f} tokens a CPU second ({base[1] / cpu:.2f}x)"
        )
    for name, embedder in (("sentence-transformers", theirs), ("int8", ours)):
        times = [timed(lambda embedder=embedder: embedder.embed_query(QUERY))[0] for _ in range(50)]  # type: ignore[misc]
        print(f"one query, {name}: median {np.median(times) * 1000:.1f} ms, best {min(times) * 1000:.1f} ms")
    load = [timed(lambda: minilm.load_minilm(threads))[0] for _ in range(5)]
    print(f"load, int8: best {min(load):.3f} s")
    seconds = cold("from mixrag_cli.models.minilm import load_minilm; load_minilm(2)")
    print(f"cold process to loaded model, int8: {seconds:.2f} s")


if __name__ == "__main__":
    main()
