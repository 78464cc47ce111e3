"""From a question to the passages that may be read for its answer, or to those that came nearest.

    gather ─► fuse ─► judge ─► something accepted: the passages of the documents that hold it
                       │
                       └─ nothing: correct once ─► judge again ─► nothing: refuse, naming the nearest

A document with one accepted passage is read with all that was found of it: the row next to the one that was found
carries the other half of a difference, and scores by itself are no measure of that.
Source of accepting, correcting once and abstaining: "Beyond the Reranker", section 4.4 (CRAG, SSCC).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.pipeline.session import Clock, Session
from mixrag_cli.records import Hit
from mixrag_cli.retrieval.candidates import merge_hits
from mixrag_cli.retrieval.correction import widen
from mixrag_cli.store import text_to_terms

NEAREST = 3  # refused passages that are named


@dataclass(frozen=True, slots=True)
class Retrieved:
    """hits: to read, best first, none where nothing was accepted; refused: then the nearest. corrected: tried again."""

    hits: tuple[Hit, ...]
    refused: tuple[Hit, ...] = ()
    corrected: bool = False


def retrieve(session: Session, question: str, where: str | None, clock: Clock, operands: Sequence[str]) -> Retrieved:
    """The passages to read for the question, or the nearest refused ones."""
    hits = session.judge(session.find(question, where, clock, operands))
    if kept := readable(hits):
        return Retrieved(kept)
    corrected = bool(hits) and session.settings.correction == "on"
    if corrected:
        hits = session.judge(_correct(session, question, hits, where, clock))
        clock.lap("correct")
        if kept := readable(hits):
            return Retrieved(kept, corrected=True)
    return Retrieved((), tuple(hits[:NEAREST]), corrected)


def readable(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits of the documents that have an accepted one, in their order."""
    documents = {hit.chunk.document for hit in hits if hit.accepted_by is not None}
    return tuple(hit for hit in hits if hit.chunk.document in documents)


def _correct(session: Session, question: str, hits: Sequence[Hit], where: str | None, clock: Clock) -> list[Hit]:
    """The candidates once more, for the question widened by what its nearest passages say.

    What the caller restricted the question to stays so: an answer from elsewhere would be no answer to it. A
    generator's rewriting of the question takes the place of the widening here.
    """
    widened = widen(question, hits, text_to_terms, session.statistics.weights)
    return merge_hits([session.find(widened, where, clock), hits])
