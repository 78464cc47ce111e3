"""Passages for measuring large stores: some tens of thousands of real ones, and generated ones that are like them.

    python tests/benchmarks/scale_passages.py DATA CACHE [--passages 30000] [--minutes 9.5]

Embeds the real passages of DATA (texts of rerank_train and reader_train) once into CACHE with the bundled model, in
runs of at most so many minutes; begun again, it goes on. Then scale.py builds stores of any size of them.

A GENERATED passage begins as one real passage and ends as another of the same source nearby, with other numbers. Its
vector is not computed by the model, which would take hours: it is the mixture of the two real vectors that fits best
to MODELLED texts of the same making that were really embedded, and what one of those kept beside that mixture, drawn
by chance. Its token vectors are those of the two halves. So lengths, words and sizes are those of real passages, and
vectors spread as real ones do; passages are more alike than in most real collections.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from corpora import read_jsonl

from mixrag_cli.models import load_embedder
from mixrag_cli.settings import Settings
from mixrag_cli.stories.embedding import embed_texts

Vectors = npt.NDArray[np.float32]
Tokens = npt.NDArray[np.uint8]
MOST_PASSAGES = 30_000
LONGEST, SHORTEST = 900, 120  # characters of a real passage
TEXTS_A_PART = 1_000
MODELLED = 1_000
FARTHEST = 40  # passages between the two halves of a generated one
QUESTIONS = 400
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Passages:
    """texts: with (n, dim) vectors and each one's token codes. residuals: what real vectors keep beside a mixture.

    questions: each with its vector and the number of the real passage that answers it.
    """

    texts: Sequence[str]
    vectors: Vectors
    late: Sequence[Tokens]
    mixture: tuple[float, float]
    residuals: Vectors
    questions: Sequence[tuple[str, int]]
    question_vectors: Vectors

    def generate(self, count: int, seed: int) -> Iterator[tuple[str, Vectors, Tokens]]:
        """So many generated passages: text, vector of length 1, token codes."""
        rng = np.random.default_rng(seed)
        firsts = rng.integers(len(self.texts), size=count)
        away = rng.integers(1, FARTHEST, size=count) * rng.choice((-1, 1), size=count)
        seconds = (firsts + away) % len(self.texts)
        kept = rng.integers(len(self.residuals), size=count)
        one, two = self.mixture
        vectors = unit(one * self.vectors[firsts] + two * self.vectors[seconds] + self.residuals[kept])
        digits = rng.integers(0, 10, size=(count, 64)).astype(str)
        for place, (first, second) in enumerate(zip(firsts.tolist(), seconds.tolist(), strict=True)):
            known, other = self.late[first], self.late[second]
            tokens = np.concatenate([known[: (len(known) + 1) // 2], other[len(other) // 2 :]])
            yield recombine(self.texts[first], self.texts[second], digits[place]), vectors[place], tokens


def recombine(first: str, second: str, digits: Sequence[str]) -> str:
    """The first half of one text's sentences and the last half of another's, with these digits for their own."""
    opening, ending = _SENTENCE.split(first), _SENTENCE.split(second)
    text = " ".join([*opening[: (len(opening) + 1) // 2], *ending[len(ending) // 2 :]])
    drawn = iter(digits)
    return _NUMBER.sub(lambda match: next(drawn, match[0]), text)


def load(cache: Path) -> Passages:
    """What main() left in the cache. Raises SystemExit where it is not done."""
    if not (cache / "modelled.npz").exists():
        raise SystemExit(f"first: scale_passages.py DATA {cache}")
    parts = [np.load(path) for path in sorted(cache.glob("part-*.npz"))]
    vectors = np.concatenate([part["vectors"] for part in parts])
    late = [tokens for part in parts for tokens in np.split(part["late"], part["ends"][:-1])]
    known = json.loads((cache / "texts.json").read_text())
    modelled = np.load(cache / "modelled.npz")
    mixture = (float(modelled["mixture"][0]), float(modelled["mixture"][1]))
    answered = [number for number, (_, place) in enumerate(known["questions"]) if place < len(vectors)]
    questions = [(known["questions"][number][0], known["questions"][number][1]) for number in answered]
    asked = modelled["question_vectors"][answered]
    return Passages(known["texts"][: len(vectors)], vectors, late, mixture, modelled["residuals"], questions, asked)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--passages", type=int, default=MOST_PASSAGES)
    parser.add_argument("--minutes", type=float, default=9.5)
    wishes = parser.parse_args()
    until = time.perf_counter() + 60 * wishes.minutes
    wishes.cache.mkdir(parents=True, exist_ok=True)
    if not (wishes.cache / "texts.json").exists():
        texts, questions = read_texts(wishes.data, MOST_PASSAGES)
        (wishes.cache / "texts.json").write_text(json.dumps({"texts": texts, "questions": questions}))
    known = json.loads((wishes.cache / "texts.json").read_text())
    embedder = load_embedder(Settings())
    count = min(wishes.passages, len(known["texts"]))
    for start in range(0, count, TEXTS_A_PART):
        path = wishes.cache / f"part-{start:07d}.npz"
        if path.exists():
            continue
        if time.perf_counter() > until:
            print(f"{start} of {count} embedded; run it again")
            return
        made = embed_texts(known["texts"][start : start + TEXTS_A_PART], embedder)
        late = [each.late for each in made if each.late is not None]
        ends = np.cumsum([len(tokens) for tokens in late])
        fresh = path.with_suffix(".new.npz")
        np.savez(fresh, vectors=np.stack([each.vector for each in made]), late=np.concatenate(late), ends=ends)
        fresh.rename(path)
    if not (wishes.cache / "modelled.npz").exists():
        model(wishes.cache, known["texts"][:count], [text for text, _ in known["questions"]])
    print(f"{count} real passages in {wishes.cache}")


def model(cache: Path, texts: Sequence[str], questions: Sequence[str]) -> None:
    """Fit how the vector of a recombined text follows from those of its two halves' passages, and keep the rest."""
    embedder = load_embedder(Settings())
    vectors = np.concatenate([np.load(path)["vectors"] for path in sorted(cache.glob("part-*.npz"))])
    rng = np.random.default_rng(3)
    firsts = rng.integers(len(texts), size=MODELLED)
    seconds = (firsts + rng.integers(1, FARTHEST, size=MODELLED)) % len(texts)
    digits = rng.integers(0, 10, size=(MODELLED, 64)).astype(str)
    mixed = [
        recombine(texts[one], texts[two], row)
        for one, two, row in zip(firsts.tolist(), seconds.tolist(), digits, strict=True)
    ]
    true = np.stack([each.vector for each in embed_texts(mixed, embedder)])
    halves = np.stack([vectors[firsts].ravel(), vectors[seconds].ravel()], axis=1)
    mixture, *_ = np.linalg.lstsq(halves, true.ravel(), rcond=None)
    guessed = mixture[0] * vectors[firsts] + mixture[1] * vectors[seconds]
    residuals = (true - guessed).astype(np.float32)
    asked = np.stack([embedder.embed_query(text) for text in questions]).astype(np.float32)
    near = float(np.mean(np.sum(unit(guessed) * true, axis=1)))
    print(
        f"a recombined text's vector: {mixture.round(3)} of its halves', cosine to it {near:.3f} before what is drawn"
    )
    np.savez(cache / "modelled.npz", mixture=mixture, residuals=residuals, question_vectors=asked)


def read_texts(data: Path, count: int) -> tuple[list[str], list[tuple[str, int]]]:
    """Real passages in the order of their sources, each once, and questions with the passage that answers them."""
    pairs = list(read_jsonl(data / "rerank_train" / "pairs.jsonl.gz"))
    found = [(pair["source"], pair["positive"]) for pair in pairs]
    for name in ("prose", "covidqa_passages"):
        rows = read_jsonl(data / "reader_train" / f"{name}.jsonl.gz")
        found += [(row.get("source", name), row["context"]) for row in rows]
    texts = list(dict.fromkeys(text for _, text in found if SHORTEST <= len(text) <= LONGEST))
    rng = np.random.default_rng(1)
    chosen = np.sort(rng.permutation(len(texts))[:count])
    texts = [texts[number] for number in chosen]
    place_of = {text: place for place, text in enumerate(texts)}
    asked = {pair["positive"]: pair["query"] for pair in pairs if pair["positive"] in place_of}
    answering = [list(asked)[number] for number in rng.permutation(len(asked))[:QUESTIONS]]
    return texts, [(asked[text], place_of[text]) for text in answering]


def unit(rows: npt.NDArray[np.floating]) -> Vectors:
    return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)


if __name__ == "__main__":
    main()
