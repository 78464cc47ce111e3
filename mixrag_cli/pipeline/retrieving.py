"""From a question to the passages that may be read for its answer, or to those that came nearest.

    gather ─► fuse ─► judge ─► something accepted: read what was found
                       │
                       └─ nothing: correct once ─► judge again ─► nothing: refuse, naming the nearest

Where one passage is accepted the others are read with it: the row that holds the other half of a difference, or names
the unit, is no good match by itself, and the reader has checks of its own.
Source of accepting, correcting once and abstaining: "Beyond the Reranker", section 4.4 (CRAG, SSCC).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mixrag_cli.pipeline.expanding import keep_chosen, rewrite
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
    hits = session.judge(session.find(question, where, clock, operands, session.expand(question, clock)))
    if kept := readable(hits):
        return Retrieved(_chosen(session, question, kept, clock))
    corrected = bool(hits) and session.settings.correction == "on"
    if corrected:
        hits = session.judge(_correct(session, question, hits, where, clock))
        clock.lap("correct")
        if kept := readable(hits):
            return Retrieved(_chosen(session, question, kept, clock), corrected=True)
    return Retrieved((), tuple(hits[:NEAREST]), corrected)


def _chosen(session: Session, question: str, hits: tuple[Hit, ...], clock: Clock) -> tuple[Hit, ...]:
    """The hits of the document that a generator chooses, where the settings want one chosen."""
    return keep_chosen(session, question, hits, clock) if session.settings.choose_document == "on" else hits


def readable(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """All of the hits where one of them is accepted, else none."""
    return tuple(hits) if any(hit.accepted_by is not None for hit in hits) else ()


def _correct(session: Session, question: str, hits: Sequence[Hit], where: str | None, clock: Clock) -> list[Hit]:
    """The candidates once more, for the question as a generator rewrites it, else widened by its nearest passages.

    What the caller restricted the question to stays so: an answer from elsewhere would be no answer to it.
    """
    widened = rewrite(session, question, clock) or widen(question, hits, text_to_terms, session.statistics.weights)
    return merge_hits([session.find(widened, where, clock), hits])
