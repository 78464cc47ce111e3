"""Accepting by source: balanced accuracy by each source's threshold against one for all; a filter against a gate.

    python tests/benchmarks/acceptance_filter.py DATA CACHE [--sets hetpart,hitab]

HetDocQA is told on its dev split. Candidates are a question's 30 best by the default. Thresholds are the shipped ones;
the one threshold is shipped with them, or fitted to HetDocQA's calibration split. Intervals are of 2,000 bootstrap
resamples of the questions, paired.

gate     as by default: where one candidate is accepted, all are read
filter   the setting evidence = accepted, as in "Beyond the Reranker", section 4.4: only what is accepted is read
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from judged import Gathered, gather_set

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.acceptance import judge_all
from mixrag_cli.retrieval.calibration import Calibration, read_priors
from mixrag_cli.retrieval.curves import balanced_threshold
from mixrag_cli.retrieval.fusion import fuse_hits
from mixrag_cli.retrieval.learning import POOL
from mixrag_cli.settings import Settings

RESAMPLES, SEED = 2_000, 7
N_WORDS = Settings().words_candidates
Counts = np.ndarray  # (questions, 4): accepted and relevant, relevant, refused and other, other


def best_of(question: Gathered, calibration: Calibration) -> list[Hit]:
    return fuse_hits(question.hits, calibration, n_words=N_WORDS)[:POOL]


def counts_of(
    questions: Sequence[Gathered], accept: Callable[[Sequence[Hit]], list[bool]], prior: Calibration
) -> Counts:
    rows = []
    for question in questions:
        judged = question.judged
        hits = [hit for hit in best_of(question, prior) if hit.chunk.id not in judged.unjudged]
        accepted = accept(hits)
        true = [hit.chunk.id in judged.relevant for hit in hits]
        pairs = list(zip(accepted, true, strict=True))
        rows.append([pairs.count((True, True)), sum(true), pairs.count((False, False)), len(true) - sum(true)])
    return np.array(rows, dtype=float)


def balanced(counts: Counts) -> float:
    kept, relevant, refused, other = counts.sum(axis=0)
    return float((kept / relevant + refused / other) / 2)


def resampled(counts: Sequence[Counts], tell: Callable[..., float]) -> tuple[float, float]:
    random = np.random.default_rng(SEED)
    size = len(counts[0])
    draws = [random.integers(0, size, size) for _ in range(RESAMPLES)]
    low, high = np.quantile([tell(*(each[draw] for each in counts)) for draw in draws], [0.025, 0.975])
    return float(low), float(high)


def told(name: str, *counts: Counts) -> None:
    """The balanced accuracy of the first, and its difference to the second."""
    low, high = resampled(counts[:1], balanced)
    line = f"{name:34} {balanced(counts[0]):.3f} [{low:.3f}, {high:.3f}]"
    if len(counts) > 1:
        low, high = resampled(counts, lambda a, b: balanced(a) - balanced(b))
        line += f", over the one threshold {balanced(counts[0]) - balanced(counts[1]):+.3f} [{low:+.3f}, {high:+.3f}]"
    print(line, flush=True)


def by_source(source: str, prior: Calibration) -> Callable[[Sequence[Hit]], list[bool]]:
    """Acceptance by this source's thresholds alone, as if it had been the only one."""

    def accept(hits: Sequence[Hit]) -> list[bool]:
        alone = [
            Hit(hit.chunk, hit.path, hit.title, {source: hit.scores[source]} if source in hit.scores else {}, hit.score,
                ceiling=hit.ceiling)
            for hit in hits
        ]  # fmt: skip
        return [hit.accepted_by is not None for hit in judge_all(alone, prior)]

    return accept


def by_method(method: str, prior: Calibration) -> Callable[[Sequence[Hit]], list[bool]]:
    return lambda hits: [hit.accepted_by is not None for hit in judge_all(hits, prior, method)]


def fitted_cut(questions: Sequence[Gathered], prior: Calibration) -> float:
    """The one threshold with the best balanced accuracy on these questions."""
    raw, true = [], []
    for question in questions:
        judged = question.judged
        for hit in best_of(question, prior):
            score = hit.scores.get("rerank", hit.scores.get("meaning"))
            if score is not None and hit.chunk.id not in judged.unjudged:
                raw.append(score)
                true.append(float(hit.chunk.id in judged.relevant))
    return balanced_threshold(np.array(raw), np.array(true))


def tell_filter(questions: Sequence[Gathered], prior: Calibration) -> None:
    """What reading only what is accepted leaves of the best ten, and what it loses."""
    shown, relevant, kept, kept_relevant, lost, answerable = 0, 0, 0, 0, [], 0
    for question in questions:
        judged = question.judged
        hits = judge_all(best_of(question, prior), prior)[:10]
        if not any(hit.accepted_by for hit in hits):
            continue
        true = [hit.chunk.id in judged.relevant for hit in hits]
        accepted = [hit.accepted_by is not None for hit in hits]
        shown, relevant, kept = shown + len(hits), relevant + sum(true), kept + sum(accepted)
        kept_relevant += sum(one and two for one, two in zip(true, accepted, strict=True))
        if any(true):
            answerable += 1
            lost.append(not any(one and two for one, two in zip(true, accepted, strict=True)))
    share = np.array(lost, dtype=float)
    draws = np.random.default_rng(SEED).integers(0, len(share), (RESAMPLES, len(share)))
    low, high = np.quantile(share[draws].mean(axis=1), [0.025, 0.975])
    print(
        f"of the ten read by the gate {relevant / shown:.3f} are relevant, by the filter {kept_relevant / kept:.3f} of "
        f"{kept / shown * 10:.1f}; of {answerable} questions with a relevant one the filter leaves none in "
        f"{share.mean():.3f} [{low:.3f}, {high:.3f}]",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--sets", default="hetpart,hitab")
    options = parser.parse_args()
    prior = read_priors()["late"]
    for name in options.sets.split(","):
        questions = gather_set(options.data, options.cache, name)
        is_split = any(each.question.group for each in questions)
        seen = [each for each in questions if each.question.group == "calibration"]
        asked = [each for each in questions if each.question.group == "dev"] if is_split else questions
        print(f"\n{name}: {len(asked)} questions")
        one = counts_of(asked, by_method("global", prior), prior)
        told("one threshold, shipped", one)
        told("by source and kind, shipped", counts_of(asked, by_method("per-source", prior), prior), one)
        for source in ("rerank", "meaning", "words"):
            told(f"  by {source} alone, by kind", counts_of(asked, by_source(source, prior), prior), one)
        if seen:
            cut = fitted_cut(seen, prior)
            own = counts_of(asked, by_cut(cut), prior)
            told(f"one threshold, fitted to the set: {cut:.3f}", own)
            told("by source and kind, over it", counts_of(asked, by_method("per-source", prior), prior), own)
        tell_filter(asked, prior)


def by_cut(cut: float) -> Callable[[Sequence[Hit]], list[bool]]:
    return lambda hits: [hit.scores.get("rerank", hit.scores.get("meaning", -1.0)) >= cut for hit in hits]


if __name__ == "__main__":
    main()
