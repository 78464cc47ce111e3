"""The sentence rule against spaCy's: cost, agreement and where they differ, on real prose.

Run: python tests/benchmarks/sentences.py FILE.jsonl [FILE.jsonl …]   (records with "text" or "context")
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from corpora import read_jsonl

from mixrag_cli.sentences import split_sentences

N_CHARACTERS = 1_000_000
N_SHOWN = 40


def load_spacy() -> tuple[Callable[[str], set[int]], float]:
    started = time.perf_counter()
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.max_length = 10_000_000
    seconds = time.perf_counter() - started
    return lambda text: {found.end_char for found in pipeline(text).sents}, seconds


def read_texts(files: Iterable[Path]) -> list[str]:
    texts = list(
        dict.fromkeys(
            " ".join((record.get("text") or record["context"]).split()) for f in files for record in read_jsonl(f)
        )
    )
    random.Random(7).shuffle(texts)
    kept, size = [], 0
    for text in texts:
        size += len(text)
        if size > N_CHARACTERS:
            break
        kept.append(text)
    return kept


def ends_of(text: str, found: Iterable[int]) -> set[int]:
    """Ends without the trailing white space and quotes that the two count differently; the text's own end left out."""
    return {len(text[:end].rstrip(" \"'”’)]")) for end in found} - {len(text.rstrip(" \"'”’)]"))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    texts = read_texts(arguments.files)
    megabytes = sum(map(len, texts)) / 1e6
    spacy_ends, import_s = load_spacy()
    started = time.perf_counter()
    theirs = [spacy_ends(text) for text in texts]
    spacy_s = time.perf_counter() - started
    started = time.perf_counter()
    ours = [{end for _, end in split_sentences(text)} for text in texts]
    ours_s = time.perf_counter() - started
    print(f"{len(texts)} texts, {megabytes:.2f} M characters")
    print(f"spaCy: import and set-up {import_s:.1f} s, {spacy_s / megabytes:.2f} s a million characters")
    print(f"rule:  {ours_s / megabytes:.3f} s a million characters")
    only_ours, only_theirs, both = [], [], 0
    for text, our_ends, their_ends in zip(texts, ours, theirs, strict=True):
        a, b = ends_of(text, our_ends), ends_of(text, their_ends)
        both += len(a & b)
        only_ours += [(text, end) for end in a - b]
        only_theirs += [(text, end) for end in b - a]
    print(f"ends in both {both}, only by the rule {len(only_ours)}, only by spaCy {len(only_theirs)}")
    for name, found in (("rule", only_ours), ("spaCy", only_theirs)):
        print(f"\nonly by {name}:")
        for text, end in random.Random(3).sample(found, min(N_SHOWN, len(found))):
            print(f"  {text[max(0, end - 45) : end]} ⏎ {text[end : end + 30]}")


if __name__ == "__main__":
    main()
