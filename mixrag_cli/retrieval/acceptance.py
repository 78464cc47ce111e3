"""Acceptance: which hits pass, each by the thresholds of its own sources and modality.

The source that looked closest decides: the reranker where it judged the best hits, else words or meaning, whichever
passes its threshold on that kind of passage by the most log-odds. A table's row whose headers say all that is asked is
read whatever a model thinks of so few words.
Source: "Beyond the Reranker", section 4.4 (SSCC).

What thresholds by source earn here is little, and why is known: where a reranker is at work all of the best candidates
are judged by it alone, and its score is a mean over the question's words in [0, 1], so that one threshold fits as well.
Balanced accuracy over the 30 candidates reranked, by source and kind against one threshold: HetDocQA dev .789 and .759
(+.030 [.008, .053]), HiTab .676 and .655 (+.021 [.012, .030]), where the one threshold comes from other sets; HetDocQA
dev .789 and .779 (+.010 [-.019, .038]) where the one is fitted to its calibration split
(tests/benchmarks/acceptance_filter.py).

    per-source  as above
    global      one threshold on the raw score, whichever source gave it, as CRAG has it; to compare with
    none        everything passes
    judge       a generator grades the passages that are read for an answer (choice.py); what it does not see, and where
                nothing is answered, thresholds by source judge
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.calibration import Calibration, as_raw, modality_of, normalised

# The sources that can accept by themselves. A title or a part of the headers says what a passage is about, not that it
# answers.
ANYTHING = "none"  # what accepts where nothing is asked
FIRST_STAGE = ("meaning", "words")
JUDGES = ("rerank", *FIRST_STAGE)
HEADER, SAYS_ALL = "header", 0.999  # of the question's weight


def judge_all(
    hits: Sequence[Hit], calibration: Calibration, method: str = "per-source", precision: float = 0.0
) -> list[Hit]:
    """The hits in their order, each with the source that accepts it, if any, and the threshold on its raw score.

    precision: the share of relevant that a threshold aims at; 0 for the best balanced accuracy.
    Source: "Beyond the Reranker", section 4.4 (SSCC, CRAG).
    """
    if method == "none":
        return [replace(hit, accepted_by=ANYTHING) for hit in hits]
    if method == "global":
        return [judge_globally(hit, calibration.cut) for hit in hits]
    was_reranked = "rerank" in calibration.maps and any("rerank" in hit.scores for hit in hits)
    return [judge(hit, calibration, precision, was_reranked=was_reranked) for hit in hits]


def judge(hit: Hit, calibration: Calibration, precision: float = 0.0, *, was_reranked: bool = False) -> Hit:
    """The hit with the source that accepts it, or with the threshold that it missed by the least.

    was_reranked: whether its question's best candidates were. Then one that was not among them is accepted by nothing:
    the thresholds were fitted on the best candidates, and beyond them they tell relevant from others no better than
    chance (balanced accuracy .49 to .55 on HetDocQA dev, 9 of 6,202 relevant).
    Source: "Beyond the Reranker", section 4.4 (SSCC).
    """
    if hit.chunk.kind == "row" and hit.scores.get(HEADER, 0.0) >= SAYS_ALL:
        return replace(hit, accepted_by=HEADER, threshold=SAYS_ALL, judged_by=HEADER)
    if was_reranked and "rerank" not in hit.scores:
        return replace(hit, accepted_by=None, threshold=None, judged_by=None)
    modality = modality_of(hit.chunk)
    margins = []
    closest = ("rerank",) if "rerank" in hit.scores and "rerank" in calibration.maps else FIRST_STAGE
    for source in closest:
        score, known = normalised(hit, source), calibration.map_of(source, modality)
        if score is not None and known is not None:
            margins.append((known.margin(score, precision), source, known.threshold(precision)))
    if not margins:
        return replace(hit, accepted_by=None, threshold=None, judged_by=None)
    margin, source, threshold = max(margins, key=lambda each: each[0])
    accepted_by = source if margin >= 0 else None
    return replace(hit, accepted_by=accepted_by, threshold=as_raw(threshold, source, hit.ceiling), judged_by=source)


def judge_globally(hit: Hit, cut: float) -> Hit:
    """The hit judged by one threshold on the raw score of the last source that judged it.

    Source: "Beyond the Reranker", section 4.4 (CRAG's one threshold).
    """
    source = "rerank" if "rerank" in hit.scores else "meaning"
    passes = hit.scores.get(source, -1.0) >= cut
    return replace(hit, accepted_by=source if passes else None, threshold=cut, judged_by=source)
