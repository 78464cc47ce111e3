"""What an index run would take on this machine: files, bytes, tokens, time and disk, measured on a sample."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mixrag_cli.extraction import ExtractionJob, ReaderPool
from mixrag_cli.models import Embedder, load_embedder, passage_window
from mixrag_cli.settings import Settings
from mixrag_cli.stories.comparing import known_rows, scan_roots
from mixrag_cli.stories.embedding import chunks_to_embed, embed_texts, text_to_embed
from mixrag_cli.stories.events import IndexEvents
from mixrag_cli.stories.roots import plan_index
from mixrag_cli.stories.selections import selections_for
from mixrag_cli.stories.wishes import IndexWishes

FILES_A_KIND = 3  # of each file name ending, those nearest to its mean size
SAMPLE_FILE_BYTES = 1_000_000  # a larger file is read only where its kind has no smaller one
TEXTS = 96  # embedded to measure the speed: some 10,000 tokens
BESIDE_EMBEDDING = 1.31  # of the embedder's time: reading and writing, on the mixed collection
# The store's bytes over its tokens: 14 (reports), 21 (code), 23 (mixed), 28 and 33 (markdown), by store_weight.py.
DISK_BYTES_A_TOKEN = 25


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of the files that are new or changed. seconds: wall, on this machine as busy as it is; disk_bytes: they add."""

    files: int
    bytes: int
    tokens: int
    seconds: float
    disk_bytes: int
    sampled_files: int


def estimate_index(roots: Sequence[Path], settings: Settings, events: IndexEvents, wishes: IndexWishes) -> Estimate:
    """Measure a sample and reckon from it; writes nothing. Raises as build_index does for folders and models."""
    plan = plan_index(roots, settings)
    events.phase("scan", None)
    known = () if wishes.rebuild else known_rows(plan.store, settings)
    selections = selections_for(plan, wishes.selection, rebuild=wishes.rebuild)
    scan = scan_roots(plan, settings, wishes.follow, selections, known)
    jobs = [ExtractionJob(change.source, row.id, row.path_below) for change, row in scan.to_read]
    total = sum(job.source.size for job in jobs)
    if not jobs:
        return Estimate(0, 0, 0, 0.0, 0, 0)
    sizes: dict[str, int] = defaultdict(int)
    for job in jobs:
        sizes[_kind(job)] += job.source.size
    embedder = load_embedder(settings)
    sample = _sample(jobs)
    density, texts = _read(sample, settings, embedder, events)
    mean = sum(density.values()) / max(1, len(density))
    tokens = round(sum(size * density.get(kind, mean) for kind, size in sizes.items()))
    seconds = tokens / _speed(texts, embedder) * BESIDE_EMBEDDING
    return Estimate(len(jobs), total, tokens, seconds, tokens * DISK_BYTES_A_TOKEN, len(sample))


def _kind(job: ExtractionJob) -> str:
    return PurePosixPath(job.path).suffix.lower()


def _sample(jobs: Sequence[ExtractionJob]) -> list[ExtractionJob]:
    """A few files of each kind, those nearest to the mean size of its files that are not too large."""
    kinds: dict[str, list[ExtractionJob]] = defaultdict(list)
    for job in jobs:
        kinds[_kind(job)].append(job)
    chosen = []
    for known in kinds.values():
        small = [job for job in known if job.source.size <= SAMPLE_FILE_BYTES]
        small = small or [min(known, key=lambda job: job.source.size)]
        mean = sum(job.source.size for job in small) / len(small)
        chosen += sorted(small, key=lambda job, of=mean: abs(job.source.size - of))[:FILES_A_KIND]  # type: ignore[misc]
    return chosen


def _read(
    sample: Sequence[ExtractionJob], settings: Settings, embedder: Embedder, events: IndexEvents
) -> tuple[dict[str, float], list[str]]:
    """Tokens a byte by kind, and the texts that were counted."""
    tokens: dict[str, int] = defaultdict(int)
    sizes: dict[str, int] = defaultdict(int)
    texts: list[str] = []
    events.phase("read", sum(job.source.size for job in sample))
    with ReaderPool(settings, passage_window(settings, embedder)) as pool:
        for result in pool.extract_all(sample):
            own = [text_to_embed(chunk) for chunk in chunks_to_embed(result.extraction)] if result.extraction else []
            tokens[_kind(result.job)] += embedder.count_tokens(own) if own else 0
            sizes[_kind(result.job)] += result.job.source.size
            texts += own
            events.advance(sum(sizes.values()), result.job.path)
    return {kind: tokens[kind] / max(1, size) for kind, size in sizes.items()}, texts


def _speed(texts: Sequence[str], embedder: Embedder) -> float:
    """Tokens a second of the embedder, on texts from all over the sample."""
    chosen = list(dict.fromkeys(texts[:: max(1, len(texts) // TEXTS)]))[:TEXTS]
    if not chosen:
        return 1.0
    embed_texts(chosen[:1], embedder)  # the first run of a model takes longer
    started = time.perf_counter()
    embed_texts(chosen, embedder)
    return max(1.0, embedder.count_tokens(chosen) / (time.perf_counter() - started))
