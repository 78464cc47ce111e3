"""Acceptance: which hits pass, each by the threshold of its own source.

One global threshold is wrong for scores that live on different scales ("Beyond the Reranker", SSCC). These are the
shipped values; calibration to a collection will replace them source by source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mixrag_cli.records import Hit

# MiniLM's cosine and BM25 below which, on the development data, a passage shares nothing with the question but common
# words. Low on purpose: the reader's own checks do most of the refusing.
THRESHOLDS: Mapping[str, float] = {"meaning": 0.25, "words": 3.0}


def accept(hits: Sequence[Hit], thresholds: Mapping[str, float] = THRESHOLDS) -> list[Hit]:
    """The hits that pass at least one source's threshold, in their order, each saying by which."""
    return [accepted for hit in hits if (accepted := _accepted(hit, thresholds)) is not None]


def _accepted(hit: Hit, thresholds: Mapping[str, float]) -> Hit | None:
    margins = {
        source: hit.scores[source] / threshold for source, threshold in thresholds.items() if source in hit.scores
    }
    source = max(margins, key=lambda name: margins[name], default=None)
    if source is None or margins[source] < 1:
        return None
    return replace(hit, accepted_by=source, threshold=thresholds[source])
