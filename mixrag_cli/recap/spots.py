"""Where a candidate stands, and whether a person who looks at one candidate sees another, too."""

from __future__ import annotations

from dataclasses import dataclass

from mixrag_cli.records.answers import CandidateKind
from mixrag_cli.records.places import Locator

STRETCHES: tuple[CandidateKind, ...] = ("passage", "sentence")  # of text that hold an answer, and are none word by word
PASSAGES: tuple[CandidateKind, ...] = (*STRETCHES, "span")


@dataclass(frozen=True, slots=True)
class Spot:
    """A candidate's kind, the ids of its passage, of that one's table ("" for none) and document, and its place."""

    kind: CandidateKind
    chunk: str
    table: str
    document: str
    place: Locator

    def is_beside(self, other: Spot) -> bool:
        """Whether who looks at the one sees the other: of one passage, or a cell and its table, but not another row."""
        if self.kind not in PASSAGES and other.kind not in PASSAGES:
            return self.document == other.document and self.place == other.place
        if self.chunk == other.chunk:
            return True
        return self.table == other.table != "" and not self.place.is_apart(other.place)
