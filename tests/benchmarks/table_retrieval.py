"""Table retrieval over HiTab's statistical tables, for each representation of a table.

    python tests/benchmarks/table_retrieval.py DATA_FOLDER CACHE_FOLDER [--tables N] [--questions N] [--show N]

DATA_FOLDER holds headers/hitab_train.jsonl.gz and headers/hitab_train_questions.jsonl.gz. All 1,922 tables
are searched, or N drawn with a fixed seed; so are the questions, among those on the tables. Printed: Hit@1, 3, 5 and
10 of the gold table, and the 95 % interval of Hit@1.

dense    cosine of the bundled embedder, the best of a table's texts
words    the store's BM25 over the table-level text and the running text
hybrid   both fused as the product does it; the dense side is the representation

"+ table" adds the table-level text to the representation, as the index has it. A grid that the product takes for no
table has its running text in every representation. Then the hybrid with other weights of the words, and the gain of
one representation over another, question by question, with its 95 % interval.
CACHE_FOLDER keeps the vectors by embedder and text, so that a second run, or one after an interruption, embeds only
what is new; equal texts are embedded once, as are the rows that RCL and H-RCL have in common. --words-only prints the
lexical side alone, which needs no embedder.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from headers import read_lines, texts_to_grid

from mixrag_cli.chunking import Telling, chunk_document
from mixrag_cli.models import Embedder, load_embedder
from mixrag_cli.models.tokens import load_token_counter
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.sheets.grids import raw_text
from mixrag_cli.records.files import DocumentRow, stable_id
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.tables import Table
from mixrag_cli.retrieval.fusion import WORDS_WEIGHT, fuse
from mixrag_cli.retrieval.statistics import WordStatistics
from mixrag_cli.settings import Settings
from mixrag_cli.store import StoredDocument, open_reader, open_writer
from mixrag_cli.tables.grid import grid_to_table
from mixrag_cli.tables.representations import NodeText, represent_table
from mixrag_cli.terms import text_to_terms

RANKS = (1, 3, 5, 10)
SAVE_EVERY = 512  # about half a minute of work
N_SAMPLES = 2_000
# What the dense side sees: (representation, which of its nodes).
VARIANTS: dict[str, tuple[str, ...]] = {
    "table": ("table",),
    "rcl": ("rcl row", "rcl column"),
    "rcl rows": ("rcl row",),
    "h-rcl": ("h-rcl row", "h-rcl column", "h-rcl inner"),
    "h-rcl rows": ("h-rcl row",),
    "h-rcl columns": ("h-rcl column",),
    "h-rcl rows, columns": ("h-rcl row", "h-rcl column"),
    "rcl + table": ("rcl row", "rcl column", "table"),
    "h-rcl rows + table": ("h-rcl row", "table"),
    "h-rcl rows, columns + table": ("h-rcl row", "h-rcl column", "table"),
    "h-rcl + table": ("h-rcl row", "h-rcl column", "h-rcl inner", "table"),
}
GROUPS = sorted({group for groups in VARIANTS.values() for group in groups})
WEIGHED = ("table", "rcl", "h-rcl rows", "h-rcl")
WEIGHTS = (0.7, 0.6, 0.5, 0.4, 0.3)


@dataclass(frozen=True, slots=True)
class Entry:
    """One table of the collection: its texts by group, and the passages that the word search sees."""

    id: str
    texts: dict[str, list[str]]
    passages: list[Chunk]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--show", type=int, default=0, help="print this many questions that h-rcl misses")
    parser.add_argument("--words-only", action="store_true", help="the lexical side alone")
    arguments = parser.parse_args()
    headers = arguments.data / "headers"
    golds = list(read_lines(headers / "hitab_train.jsonl.gz"))
    golds = random.Random(7).sample(golds, min(arguments.tables, len(golds)))
    known = {gold["id"] for gold in golds}
    asked = [row for row in read_lines(headers / "hitab_train_questions.jsonl.gz") if row["table_id"] in known]
    asked = random.Random(7).sample(asked, min(arguments.questions, len(asked)))
    entries = [gold_to_entry(gold) for gold in golds]
    gold_at = {entry.id: at for at, entry in enumerate(entries)}
    right = np.array([gold_at[row["table_id"]] for row in asked])
    words = words_scores(entries, asked)
    print(f"{len(entries)} tables, {sum('h-rcl row' not in entry.texts for entry in entries)} without a row")
    print_line("words", "", ranks_of(words.scores, right))
    if arguments.words_only:
        return
    vectors = VectorCache(arguments.cache, load_embedder(Settings()))
    started = time.perf_counter()
    texts = dict.fromkeys(text for entry in entries for group in entry.texts.values() for text in group)
    vectors.add([*texts, *(row["question"] for row in asked)])
    n_characters = sum(map(len, texts)) / len(texts)
    print(f"{len(entries)} tables, {len(asked)} questions, {len(texts)} texts of {n_characters:.0f} characters")
    print(f"embedded in {time.perf_counter() - started:.0f} s")
    cosines = all_cosines(entries, asked, vectors)
    firsts = {}
    for name, groups in VARIANTS.items():
        dense = np.max([cosines[group] for group in groups], axis=0)
        print_line(name, "dense", ranks_of(dense, right))
        print_line(name, "hybrid", ranks_of(fused_scores(words, dense), right))
        firsts[name] = ranks_of(dense, right) <= 1
    for name in WEIGHED:
        dense = np.max([cosines[group] for group in VARIANTS[name]], axis=0)
        for weight in WEIGHTS:
            print_line(name, f"w {weight:.2f}", ranks_of(fused_scores(words, dense, weight), right))
    for better, other in (("h-rcl", "rcl"), ("h-rcl", "table"), ("rcl", "table"), ("h-rcl", "h-rcl rows")):
        print_gain(better, other, firsts[better], firsts[other])
    show_misses(arguments.show, asked, entries, np.max([cosines[g] for g in VARIANTS["h-rcl"]], axis=0), right)


def gold_to_entry(gold: dict[str, Any]) -> Entry:
    """The table read by the product from texts and merges alone; a grid that is no table has its running text only."""
    grid = texts_to_grid(gold["texts"], gold["merged_regions"])
    builder = DocumentBuilder("sheet", gold["title"])
    builder.add(raw_text(grid), "table", grid=grid)
    document = builder.build()
    table = grid_to_table(grid, document=gold["id"], title=gold["title"])
    chunks = chunk_document(
        document,
        [(0, table)] if table else [],
        document_id=gold["id"],
        path="",
        count_tokens=load_token_counter(),
        window=256,
        telling=Telling("table"),
    )
    texts: dict[str, list[str]] = defaultdict(list)
    for chunk in chunks:
        if chunk.kind == "table":
            texts["table"].append(f"{chunk.context}\n{chunk.text}")
        elif chunk.kind == "prose" and table is None:
            for group in GROUPS:
                texts[group].append(f"{chunk.context}\n{chunk.text}")
    if table:
        add_nodes(texts, table, gold["title"])
    return Entry(gold["id"], dict(texts), [chunk for chunk in chunks if chunk.kind in ("prose", "table")])


def add_nodes(texts: dict[str, list[str]], table: Table, title: str) -> None:
    for representation in ("rcl", "h-rcl"):
        for node in represent_table(table, representation):
            group = f"{representation} {'inner' if node.is_inner else node.kind}"
            texts[group] += [f"{title}\n{part}" for part in windows(node, title)]


def windows(node: NodeText, title: str) -> Iterable[str]:
    """The node's text cut between cells where it is longer than the embedder's window, its path repeated."""
    count = load_token_counter()
    room = 254 - count(title)
    if count(node.text) <= room:
        yield node.text
        return
    path, _, rest = node.text.partition(": ")
    part, tokens = [], count(path)
    for cell in rest.split("; "):
        if part and tokens + count(cell) + 1 > room:
            yield f"{path}: {'; '.join(part)}"
            part, tokens = [], count(path)
        part.append(cell)
        tokens += count(cell) + 1
    yield f"{path}: {'; '.join(part)}"


class VectorCache:
    """Vectors by embedder and text hash, in files of SAVE_EVERY: a run that is cut off loses no more than one of them.

    Only whole files carry their name; what is unreadable is embedded again.
    """

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        self._folder = folder / stable_id(embedder.name)[:16]
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / "embedder.txt").write_text(f"{embedder.name}\n", "utf-8")
        self._known: dict[str, np.ndarray] = {}
        for path in sorted(self._folder.glob("*.npz")):
            try:
                with np.load(path) as saved:
                    self._known.update(zip(saved["keys"].tolist(), saved["vectors"].astype(np.float32), strict=True))
            except (OSError, ValueError, KeyError, BadZipFile) as damage:
                print(f"  {path.name} left out: {damage}")

    def add(self, texts: Sequence[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if key_of(text) not in self._known]
        print(f"  {len(set(texts)) - len(new)} texts known, {len(new)} to embed with {self._embedder.name}", flush=True)
        started = time.perf_counter()
        for start in range(0, len(new), SAVE_EVERY):
            part = new[start : start + SAVE_EVERY]
            vectors = self._embedder.embed(part)
            keys = [key_of(text) for text in part]
            self._save(keys, vectors)
            self._known.update(zip(keys, vectors, strict=True))
            done = start + len(part)
            left = (time.perf_counter() - started) / done * (len(new) - done)
            print(f"  {done} of {len(new)} embedded, about {left / 60:.0f} min left", flush=True)

    def _save(self, keys: list[str], vectors: np.ndarray) -> None:
        part = self._folder / f"{keys[0]}.part"
        with part.open("wb") as file:
            np.savez(file, keys=np.array(keys), vectors=vectors.astype(np.float16))
        part.rename(part.with_suffix(".npz"))

    def of(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self._known[key_of(text)] for text in texts], dtype=np.float32)


def key_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def all_cosines(entries: list[Entry], asked: list[dict[str, Any]], vectors: VectorCache) -> dict[str, np.ndarray]:
    """For each group of texts (questions, tables): the best cosine of a table's texts, -1 where it has none."""
    queries = vectors.of([row["question"] for row in asked])
    found = {}
    for group in GROUPS:
        best = np.full((len(asked), len(entries)), -1.0, dtype=np.float32)
        for at, entry in enumerate(entries):
            if entry.texts.get(group):
                best[:, at] = (queries @ vectors.of(entry.texts[group]).T).max(axis=1)
        found[group] = best
    return found


@dataclass(frozen=True, slots=True)
class WordsFound:
    """scores: (questions, tables) best BM25 score, 0 where not found; ceilings: (questions,); entries in order."""

    scores: np.ndarray
    ceilings: list[float]
    n_found: list[int]


def words_scores(entries: list[Entry], asked: list[dict[str, Any]]) -> WordsFound:
    at_of = {entry.id: at for at, entry in enumerate(entries)}
    scores = np.zeros((len(asked), len(entries)), dtype=np.float32)
    ceilings, n_found = [], []
    limit = Settings().words_candidates
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / ".mixrag"
        with open_writer(store, roots=[store.parent], embedder_name="none", dim=1) as writer:
            writer.write_batch([to_document(entry) for entry in entries])
            writer.finish()
        with open_reader(store) as reader:
            statistics = WordStatistics(reader, reader.record.chunks, len(entries))
            for number, row in enumerate(asked):
                hits = reader.search_words(row["question"], limit)
                for hit in hits:
                    at = at_of[hit.path]
                    scores[number, at] = max(scores[number, at], hit.score)
                ceilings.append(statistics.ceiling(text_to_terms(row["question"])))
                n_found.append(len(hits))
    return WordsFound(scores, ceilings, n_found)


def to_document(entry: Entry) -> StoredDocument:
    owner = stable_id("document", entry.id)
    chunks = [
        Chunk(stable_id(owner, at), owner, c.kind, c.modality, c.text, c.context, c.words, c.locator, at)
        for at, c in enumerate(entry.passages)
    ]
    document = DocumentRow(owner, b"/", entry.id.encode(), entry.id, "indexed", chunks=len(chunks))
    return StoredDocument(document, chunks, np.zeros((len(chunks), 1), np.float32))


def fused_scores(words: WordsFound, dense: np.ndarray, weight: float = WORDS_WEIGHT) -> np.ndarray:
    """As the product fuses candidates: the tables that the words found, and the nearest by meaning."""
    fused = np.full_like(dense, -1.0)
    limit = Settings().meaning_candidates
    for number in range(len(dense)):
        found = {str(at): float(words.scores[number, at]) for at in np.flatnonzero(words.scores[number])}
        nearest = np.argsort(-dense[number], kind="stable")[:limit]
        meaning = {str(at): float(dense[number, at]) for at in (*nearest.tolist(), *map(int, found))}
        # Passages, not tables, are counted against the limit, so the floor for the rest is taken as nothing.
        scores = fuse(found, meaning, ceiling=words.ceilings[number], n_words=len(found) + 1, words_weight=weight)
        for at, score in scores.items():
            fused[number, int(at)] = score
    return fused


def ranks_of(scores: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The gold table's rank from 1; ties count against it; one that was not found is last."""
    own = scores[np.arange(len(right)), right]
    return np.where(own > 0, (scores >= own[:, None]).sum(axis=1), scores.shape[1])


def print_line(name: str, side: str, ranks: np.ndarray) -> None:
    hits = "  ".join(f"{100 * np.mean(ranks <= rank):5.1f}" for rank in RANKS)
    samples = np.random.default_rng(7).integers(0, len(ranks), (N_SAMPLES, len(ranks)))
    low, high = np.percentile((ranks[samples] <= 1).mean(axis=1) * 100, [2.5, 97.5])
    print(f"{name:30} {side:7} Hit@1, 3, 5, 10: {hits}   [{low:.1f}, {high:.1f}]")


def print_gain(better: str, other: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    gain = ours.astype(float) - theirs
    samples = np.random.default_rng(7).integers(0, len(gain), (N_SAMPLES, len(gain)))
    low, high = np.percentile(gain[samples].mean(axis=1) * 100, [2.5, 97.5])
    print(f"dense Hit@1, {better} over {other}: {100 * gain.mean():+.1f} [{low:+.1f}, {high:+.1f}]")


def show_misses(
    n: int, asked: list[dict[str, Any]], entries: list[Entry], scores: np.ndarray, right: np.ndarray
) -> None:
    ranks = ranks_of(scores, right)
    for number in np.flatnonzero(ranks > 1)[:n]:
        best = entries[int(scores[number].argmax())]
        print(f"rank {ranks[number]}: {asked[number]['question']}")
        print(f"  gold {asked[number]['table_id']}: {entries[right[number]].texts['table'][:1]}")
        print(f"  best {best.id}: {best.texts['table'][:1]}")


if __name__ == "__main__":
    main()
