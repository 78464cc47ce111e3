"""The source "graph": how much of a walk from the best candidates along the collection's own ties ends at a passage.

    next       the passage after it in its file
    table      a row and the passage that shows its table
    section    a passage and the first one under its heading
    reference  "see Table 3", and the passage that is headed so in the same file
    link       a file that is named, and its first passage
    import     a module that code imports, and its first passage
    entity     two passages in a row that say the same name, where a pipeline of the user's reads names

Source: "Beyond the Reranker", section 4.2 (GAHR), without its learned vectors; personalised PageRank: Haveliwala, WWW
2002.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.sources.base import Proposal, Query
from mixrag_cli.retrieval.sources.passages import Passages
from mixrag_cli.retrieval.sources.row import Means, SourceRow, over_passages, unknown

NAME = "graph"
WEIGHT = 0.1  # the best of a grid, though no surer than none: tests/benchmarks/source_gains.py
N_SEEDS = 10  # candidates that the walk begins at, each by its score
BUDGET = 10  # passages that it may bring in
STAYS = 0.85  # the share of the walk that goes on at each step, PageRank's own value
STEPS = 20  # of power iteration: what is left after is 0.85 ** 20, 4 %
_REFERENCE = re.compile(r"\b(table|figure|section|note|appendix|chapter|exhibit)\s+(\d[\d.]*\d|\d|[a-z]\b)", re.I)
_HEADED = re.compile(r"\s*(table|figure|section|note|appendix|chapter|exhibit)?\s*(\d[\d.]*\d|\d)\b", re.I)
_FILE = re.compile(r"[\w.-]+\.\w{1,6}\b")
_IMPORT = re.compile(r"^\s*(?:from|import|use|using|require|include|#include)\b[\s(\"'<]*([\w./-]+)", re.M)
MOST_SAYING = 30  # passages: a name in more of them is what the collection is about; not tuned
HEADING = 80  # characters of a passage that may be its heading

Edge = tuple[int, int]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ties:
    """The graph, each tie once in either direction. ends: (m, 2); degrees: (n,), at least 1."""

    ends: npt.NDArray[np.intp]
    degrees: Numbers


@dataclass(frozen=True, slots=True)
class Graph:
    """Scores a passage by the walk's share there; proposes where most of it ends."""

    passages: Passages
    ties: Ties
    name: str = NAME

    def propose(self, query: Query, seeds: Sequence[Hit]) -> Sequence[Proposal]:
        """The passages outside of the pool that hold most of the walk, in the second round."""
        if not seeds:
            return ()
        return self.passages.propose_best(self._walk(seeds), query, seeds, BUDGET)

    def score(self, query: Query, hits: Sequence[Hit]) -> Sequence[float | None]:
        """The logarithm of the share of the walk, smoothed by an even one; None for what is not in the collection."""
        if not hits:
            return []
        mass = self._walk(hits)
        return self.passages.scores_of(hits, np.log(mass + 1.0 / len(mass)))

    def _walk(self, hits: Sequence[Hit]) -> Numbers:
        """(n,): the walk's shares, from the best hits by their scores."""
        start = np.zeros(len(self.passages.kept))
        for hit in sorted(hits, key=lambda each: -each.score)[:N_SEEDS]:
            if (place := self.passages.places.get(hit.chunk.id)) is not None:
                start[place] += max(hit.score, 0.0)
        return walk(self.ties, start / start.sum()) if start.sum() else start


def walk(ties: Ties, start: Numbers) -> Numbers:
    """Personalised PageRank: (n,) shares that sum to 1, from (n,) shares of the start.

    Example: two tied passages, all of the start on one -> about .54 and .46.
    Source: "Beyond the Reranker", section 4.2 (GAHR); Haveliwala, WWW 2002.
    """
    mass = start
    for _ in range(STEPS):
        given = mass / ties.degrees
        moved = np.bincount(ties.ends[:, 1], weights=given[ties.ends[:, 0]], minlength=len(start))
        mass = (1 - STAYS) * start + STAYS * (moved + (mass.sum() - moved.sum()) * start)
    return mass


def tie(passages: Passages, names: Sequence[frozenset[str]] = ()) -> Ties:
    """The graph of a collection. names: that each passage says, none where nobody read them.

    Source: "Beyond the Reranker", section 4.2 (GAHR: the typed edges).
    """
    edges = set().union(*tie_by_kind(passages, names).values())
    pairs = np.array(sorted(edges), dtype=np.intp).reshape(-1, 2)
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    degrees = np.bincount(ends[:, 0], minlength=len(passages.kept)).astype(np.float64)
    return Ties(ends, np.maximum(degrees, 1))


def tie_by_kind(passages: Passages, names: Sequence[frozenset[str]] = ()) -> dict[str, set[Edge]]:
    """The ties of each kind, the lower row first: next, table, section, reference, file (links and imports), entity.

    Source: "Beyond the Reranker", section 4.2 (GAHR: the typed edges).
    """
    chunks = passages.chunks
    tables = [(chunk.document, chunk.parent) if chunk.parent else None for chunk in chunks]
    sections = [(chunk.document, chunk.context) if chunk.context else None for chunk in chunks]
    found = {
        "next": ((row, row + 1) for row, (a, b) in enumerate(pairwise(chunks)) if a.document == b.document),
        "table": _tie_to_first(passages, tables),
        "section": _tie_to_first(passages, sections),
        "reference": _tie_references(passages),
        "file": _tie_files(passages),
        "entity": _tie_names(names),
    }
    return {kind: {(min(a, b), max(a, b)) for a, b in edges if a != b} for kind, edges in found.items()}


def _tie_to_first(passages: Passages, keys: Sequence[object]) -> Iterator[Edge]:
    for rows in passages.groups(keys):
        yield from ((int(rows[0]), int(row)) for row in rows[1:])


def _tie_names(names: Sequence[frozenset[str]]) -> Iterator[Edge]:
    """entity. A name that many passages say ties none: it says nothing of them."""
    said: dict[str, list[int]] = defaultdict(list)
    for row, each in enumerate(names):
        for name in each:
            said[name].append(row)
    for rows in said.values():
        if len(rows) <= MOST_SAYING:
            yield from pairwise(rows)


def _tie_references(passages: Passages) -> Iterator[Edge]:
    headed: dict[tuple[str, str], int] = {}
    for row, passage in enumerate(passages.kept):
        for heading in (passage.chunk.context.rpartition("\n")[2].rpartition(" > ")[2], passage.chunk.text[:HEADING]):
            if found := _HEADED.match(heading):
                headed.setdefault((passage.chunk.document, _label(found[1] or "section", found[2])), row)
    for row, passage in enumerate(passages.kept):
        for found in _REFERENCE.finditer(passage.chunk.text):
            if (target := headed.get((passage.chunk.document, _label(found[1], found[2])))) is not None:
                yield row, target


def _tie_files(passages: Passages) -> Iterator[Edge]:
    firsts: dict[str, int] = {}
    for row, passage in enumerate(passages.kept):
        name = passage.path.rpartition("/")[2].lower()
        for key in (name, name.rpartition(".")[0]):
            firsts.setdefault(key, row)
    for row, passage in enumerate(passages.kept):
        text = passage.chunk.text
        named = {name.lower() for name in _FILE.findall(text)}
        if passage.chunk.kind == "code":
            named |= {re.split(r"[./]", module)[-1].lower() for module in _IMPORT.findall(text)}
        yield from ((row, firsts[name]) for name in named if name in firsts)


def _label(kind: str, number: str) -> str:
    return f"{kind.lower()} {number.lower()}"


def _make(means: Means, passages: Passages) -> Graph:
    return Graph(passages, tie(passages, means.names()))


ROW = SourceRow(NAME, over_passages(_make), unseen=unknown, is_extra=True, weight=WEIGHT)
