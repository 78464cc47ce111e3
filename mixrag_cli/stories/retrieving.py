"""From a question to the passages that may be read for its answer, or to those that came nearest.

    gather ─► fuse ─► judge ─► something accepted: read what was found
                       │
                       └─ nothing: correct once ─► judge again ─► nothing: refuse, with what came nearest

Where one passage is accepted the others are read with it: the row that holds the other half of a difference, or names
the unit, is no good match by itself, and the reader has checks of its own. The setting evidence = "accepted" reads what
is accepted alone, as the paper does.
Source of accepting, correcting once and abstaining: "Beyond the Reranker", section 4.4 (CRAG, SSCC).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.correction import widen
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.collection import Collection
from mixrag_cli.stories.expanding import accept, expand, keep_chosen, rewrite

Evidence = Literal["all", "accepted"]
NEAREST = 3  # refused passages that are named


@dataclass(frozen=True, slots=True)
class Retrieved:
    """hits: to read, best first, none where nothing was accepted; refused: then all of them. corrected: tried again."""

    hits: tuple[Hit, ...]
    refused: tuple[Hit, ...] = ()
    corrected: bool = False


def retrieve(
    collection: Collection, question: str, where: str | None, clock: Clock, operands: Sequence[str]
) -> Retrieved:
    """The passages to read for the question, or the nearest refused ones."""
    found = collection.find(question, where, clock, operands, expand(collection, question, clock))
    hits = accept(collection, question, found, clock)
    reads = collection.settings.evidence
    if kept := readable(hits, reads):
        return Retrieved(keep_chosen(collection, question, kept, clock))
    corrected = bool(hits) and collection.settings.correction == "on"
    if corrected:
        corrected_hits = _correct(collection, question, hits, where, clock)
        clock.lap("correct")
        hits = accept(collection, question, corrected_hits, clock)
        if kept := readable(hits, reads):
            return Retrieved(keep_chosen(collection, question, kept, clock), corrected=True)
    return Retrieved((), tuple(hits), corrected)


def readable(hits: Sequence[Hit], reads: Evidence = "all") -> tuple[Hit, ...]:
    """All of the hits where one of them is accepted, or the accepted ones alone; none where none is accepted."""
    accepted = tuple(hit for hit in hits if hit.accepted_by is not None)
    return tuple(hits) if accepted and reads == "all" else accepted


def _correct(collection: Collection, question: str, hits: Sequence[Hit], where: str | None, clock: Clock) -> list[Hit]:
    """The candidates with those that the question finds as a generator rewrites it, else widened by the nearest ones.

    The question itself judges them: by a widened question's scores, which hold what is near already, 37 of 83 questions
    of FinQA that HetDocQA's index had refused came to be accepted, by its own scores none. What the caller restricted
    the question to stays so: an answer from elsewhere would be no answer to it.
    """
    widened = rewrite(collection, question, clock) or widen(question, hits, collection.statistics.weights)
    return collection.find_besides(question, widened, hits, where, clock)
