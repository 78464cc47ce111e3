"""What a commit record keeps beside the tables: what was fitted to their contents, or made for them."""

from __future__ import annotations

from mixrag_cli.retrieval.calibration import Calibration, calibration_for
from mixrag_cli.store import CommitRecord

CALIBRATION = "calibration"  # by reranker: what the sources' scores are worth in this collection
CALIBRATION_DUE = "calibration_due"  # whether a fit was begun and not ended
SURETY = "surety"  # how sure answers of this collection are, by its user's judged answers
# Settings that decide what all passages of an index look like, each kept under its name: what it is where nothing is
# kept, and what there has to be of for another one to matter.
FORMS = {
    "table_representation": (None, "tables"),
    "prose_chunks": ("packed", "chunks"),
    "passage_tokens": (0, "chunks"),
    "nlp": ("none", "chunks"),
}
SELECTIONS = "selections"  # by root: the globs that say which of its files are wanted
SUMMARIES = "summaries"  # what made the summaries that the index holds


def kept_calibration(record: CommitRecord, rerank: str) -> Calibration:
    """The calibration that the index keeps for this reranker, the shipped one where it keeps none."""
    return calibration_for(record.extra.get(CALIBRATION, {}), rerank)
