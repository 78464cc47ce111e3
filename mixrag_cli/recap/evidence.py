"""What the built-in reader may use: the passages found, their tables, and what the collection knows of each word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixrag_cli.quantities.facets import Facets, facet_agreement, facet_conflict, facets_of
from mixrag_cli.reading import ReaderModel
from mixrag_cli.recap.in_tables.token_match import TokenVectors
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.record_columns import releases_of
from mixrag_cli.tables.scan import Filter, ScanOperation, ScanResult
from mixrag_cli.words import match_term, stems_of

# How much a term counts that stands not in the cell's own headers or the sentence itself but around it.
# A name ("Apple") is usually said once, in the title; a common word found only elsewhere proves little.
CONTEXT_MATCH = 0.6
CONTEXT_MATCH_OF_NAME = 0.95
DOCUMENT_MATCH = 0.3
DOCUMENT_MATCH_OF_NAME = 0.9
WRONG_TIME = 0.6  # of a score: another time than the asked one, or a year that the document never says
WRONG_TIME_AROUND = 0.25  # a year in the title or file name is a weaker witness than one in a header
UNSAID_TIME = 0.35  # the year is said in the document, but not near: no evidence (see MIN_TIME)
MIN_TIME = -0.3  # evidence that speaks of another time is no evidence
RIGHT_TIME = 0.15


# One operation over a column of all rows of the file behind a sampled table; None where it is not as it was indexed.
RowScan = Callable[[Hit, Table, int, ScanOperation, Sequence[Filter]], ScanResult | None]


@dataclass(frozen=True, slots=True)
class EvidenceBase:
    """All that an answer may rest on.

    hits: best first. tables: by id, for hits whose chunk has a parent. weights: of each question term, higher is
    rarer (see term_weight). knows: for each document id the question terms that it holds anywhere.
    vectors: of the tokens of questions and labels. reader: reads a question with a passage. facts: the tables of facts
    of the best documents, by document. scan: None where there are no files to read.
    """

    hits: tuple[Hit, ...]
    tables: Mapping[str, Table]
    weights: Mapping[str, float]
    knows: Mapping[str, frozenset[str]]
    vectors: TokenVectors
    reader: ReaderModel
    facts: Mapping[str, tuple[Table, ...]] = field(default_factory=dict)
    scan: RowScan | None = None

    def weight(self, term: str) -> float:
        """The term's weight, 1 where the collection was not asked for it."""
        return self.weights.get(term, 1.0)

    def part_said(self, terms: Sequence[str], said: Sequence[float]) -> float:
        """The part, by weight, of terms that are said, in [0, 1]; 0 of none. said: how well each is, in [0, 1]."""
        weights = [self.weight(term) for term in terms]
        total = sum(weights) or 1.0
        return sum(weight * one for weight, one in zip(weights, said, strict=True)) / total

    def placed_tables(self) -> list[tuple[Hit, Table]]:
        """Each table once, with the best hit of it, best first."""
        placed: dict[str, tuple[Hit, Table]] = {}
        for hit in self.hits:
            table = self.tables.get(hit.chunk.parent)
            if table is not None:
                placed.setdefault(table.id, (hit, table))
        return list(placed.values())

    def placed_releases(self) -> list[tuple[Hit, Table]]:
        """The dated versions of each document that states some, with the best hit of it."""
        best = {hit.chunk.document: hit for hit in reversed(self.hits)}
        found = ((best[one], releases_of(table)) for one in self.facts if one in best for table in self.facts[one])
        return [(hit, table) for hit, table in found if table is not None]

    def hits_of_rows(self) -> dict[tuple[str, int], Hit]:
        """The hit of each table's row that was found as a passage of its own, by the table's id and the row."""
        return {(hit.chunk.parent, hit.chunk.row): hit for hit in reversed(self.hits) if hit.chunk.row is not None}


def surroundings_of(hit: Hit, table: Table | None) -> tuple[tuple[str, ...], Facets]:
    """The stems and facets around a passage: its context, its document's title and path, its table's title."""
    path, titled = hit.path_below.replace("/", " "), table.title if table else ""
    text = " ".join((hit.chunk.context, hit.title, path, titled))
    return stems_of(text), facets_of(text)


def context_credit(
    terms: Sequence[str], names: frozenset[str], around: tuple[str, ...], known: frozenset[str]
) -> npt.NDArray[np.float64]:
    """For each term the credit, in [0, 1], for being said around a passage or elsewhere in its document."""
    near = [(CONTEXT_MATCH_OF_NAME if term in names else CONTEXT_MATCH) * match_term(term, around) for term in terms]
    far = [(DOCUMENT_MATCH_OF_NAME if term in names else DOCUMENT_MATCH) * (term in known) for term in terms]
    return np.maximum(near, far, dtype=np.float64)


def time_score(asked: Facets, own: Facets, around: Facets, known: frozenset[str]) -> float:
    """How the time of a passage agrees with the asked one: from -WRONG_TIME to RIGHT_TIME, 0 where none was asked.

    own: of the cell's headers or the sentence. around: of its title and file. known: the question's words (years
    among them) that its document says anywhere.
    """
    if not asked:
        return 0.0
    if facet_conflict(asked, own):
        return -WRONG_TIME
    if asked.years and not asked.years & (own.years | around.years):
        return -UNSAID_TIME if any(str(year) in known for year in asked.years) else -WRONG_TIME
    if facet_conflict(asked, around) and not own.years:
        return -WRONG_TIME if asked.dates and around.dates else -WRONG_TIME_AROUND
    return RIGHT_TIME * facet_agreement(asked, own | around)
