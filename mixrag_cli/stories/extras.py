"""What a commit record keeps beside the tables: what was fitted to their contents, or made for them."""

from __future__ import annotations

from mixrag_cli.retrieval.calibration import Calibration, calibration_for
from mixrag_cli.store import CommitRecord

CALIBRATION = "calibration"  # by reranker: what the sources' scores are worth in this collection
CALIBRATION_DUE = "calibration_due"  # whether a fit was begun and not ended
TABLE_FORM = "table_representation"  # of all tables in the index
PROSE_FORM = "prose_chunks"  # of all running text in the index
SELECTIONS = "selections"  # by root: the globs that say which of its files are wanted
SUMMARIES = "summaries"  # what made the summaries that the index holds


def kept_calibration(record: CommitRecord, rerank: str) -> Calibration:
    """The calibration that the index keeps for this reranker, the shipped one where it keeps none."""
    return calibration_for(record.extra.get(CALIBRATION, {}), rerank)
