"""The words of a store's passages, as lists that a question reads without loading anything else.

For each term: the passages that hold it and how often, so a question reads the lists of its own terms, which also say
how rare they are. BM25 is computed as the engine's full-text index does. The file belongs to one version of the table;
a reader of another version, or without the file, asks the engine.

Source: Zobel & Moffat, Inverted files for text search engines, ACM Computing Surveys 2006.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mixrag_cli.store.nearest import TIE_SLACK, count_wanted
from mixrag_cli.store.sectioned import DamagedSectionError, SectionedFile

FORM = "mixrag.words/2"
# Below, a question asks the engine. Each of its scans takes 3 ms and more, however few passages there are, and a
# question is a scan and one more for each new word; of 3,000 passages, the file takes 30 ms a run.
FEWEST_PASSAGES = 1_024
K1, B = 1.2, 0.75  # as the engine's

Rows = npt.NDArray[np.uint64]
Places = npt.NDArray[np.uint32]
Scores = npt.NDArray[np.float32]


@dataclass(frozen=True)
class WordLists:
    """The file. A passage's place is its number in the order of row ids; a term's number is its place in the alphabet.

    Its arrays: rows, keys, crcs (n): a passage's row id, the beginning of its id, the checksum of its terms; lengths
    (n): in terms; documents (n): the number of its document; document_ids; term_starts, terms: the terms in order, one
    after the other; starts (terms + 1): where a term's list begins in places and counts. Places and beginnings take as
    many bytes as the largest of them needs.
    """

    file: SectionedFile

    @property
    def n_passages(self) -> int:
        """Passages, those without any word included."""
        return self.file.length("rows")

    @property
    def n_terms(self) -> int:
        """Terms that some passage holds."""
        return self.file.length("starts") - 1

    def terms(self) -> list[bytes]:
        """All terms, in order; only writing a newer file reads them."""
        raw, ends = self.file.read("terms").tobytes(), self.file.read("term_starts").tolist()
        return [raw[first:last] for first, last in pairwise(ends)]

    def count(self, terms: Sequence[str], among: Rows | None = None) -> int:
        """The number of passages that hold at least one of the terms. among: as in holding."""
        if len(terms) == 1 and among is None:
            first, last = self._span(terms[0])
            return last - first
        return len(self.holding(terms, among))

    def holding(self, terms: Sequence[str], among: Rows | None = None) -> Places:
        """The passages that hold at least one of the terms, in order. among: row ids, only these, in order."""
        lists = [self.file.read("places", *self._span(term)) for term in terms]
        held = lists[0] if len(lists) == 1 else self._union(lists)
        return held if among is None else held[is_in(self.file.read("rows")[held], among)]

    def _union(self, lists: Sequence[Places]) -> Places:
        """The passages of all lists, each once, in order; sorting them took 100 ms and more of a million passages."""
        is_held = np.zeros(self.n_passages, np.bool_)
        for places in lists:
            is_held[places] = True
        return np.flatnonzero(is_held).astype(np.uint32)

    def count_documents(self, places: Places) -> dict[str, int]:
        """For each document the number of these passages that are its."""
        numbers, counts = np.unique(self.file.read("documents")[places], return_counts=True)
        ids = (raw.decode("ascii") for raw in self.file.read("document_ids")[numbers].tolist())
        return dict(zip(ids, counts.tolist(), strict=True))

    def best(self, terms: Sequence[str], limit: int, among: Rows | None = None) -> tuple[Rows, Scores]:
        """The row ids of the passages with the highest BM25, and the scores, best first: the limit, and ties beyond."""
        scores = np.zeros(self.n_passages, np.float32)
        for term in dict.fromkeys(terms):
            places, weights = self._weighted(term)
            scores[places] += weights
        found = np.flatnonzero(scores)
        if among is not None:
            found = found[is_in(self.file.read("rows")[found], among)]
        wanted = limit + TIE_SLACK
        if len(found) > wanted:
            found = found[np.argpartition(-scores[found], wanted - 1)[:wanted]]
        found = found[np.lexsort((found, -scores[found]))]
        found = found[: count_wanted(scores[found], limit)]
        return self.file.read("rows")[found], scores[found]

    def _weighted(self, term: str) -> tuple[Places, Scores]:
        """The passages that hold the term, and what it adds to the score of each.

        Source: Robertson & Zaragoza, 2009, eq. 3.15, with + 1 inside the logarithm.
        """
        first, last = self._span(term)
        places = self.file.read("places", first, last)
        counts = self.file.read("counts", first, last).astype(np.float32)
        rarity = np.log1p((self.n_passages - len(places) + 0.5) / (len(places) + 0.5))
        weights: Scores = np.float32(rarity * (K1 + 1)) * counts / (counts + self._norms[places])
        return places, weights

    @cached_property
    def _norms(self) -> Scores:
        lengths = self.file.read("lengths").astype(np.float32)
        return np.float32(K1 * (1 - B)) + np.float32(K1 * B / max(1e-9, float(lengths.mean()))) * lengths

    def _span(self, term: str) -> tuple[int, int]:
        """Where the term's list begins and ends; nowhere for a term that no passage holds."""
        wanted = term.encode("utf-8", "replace")
        number = bisect_left(range(self.n_terms), wanted, key=self._term)
        if number == self.n_terms or self._term(number) != wanted:
            return 0, 0
        first, last = self.file.read("starts", number, number + 2).tolist()
        return first, last

    def _term(self, number: int) -> bytes:
        first, last = self.file.read("term_starts", number, number + 2).tolist()
        return self.file.read("terms", first, last).tobytes()


def open_words(path: Path, version: int | None) -> WordLists | None:
    """The file of this version of the table, None for whichever; None where there is none that is whole."""
    try:
        file = SectionedFile(path, FORM)
    except (OSError, DamagedSectionError):
        return None
    return WordLists(file) if version in (None, file.known.get("version")) else None


def is_in(rows: Rows, among: Rows) -> npt.NDArray[np.bool_]:
    """Whether each row id is one of those, which are in order."""
    if not len(among):
        return np.zeros(len(rows), np.bool_)
    at = np.minimum(np.searchsorted(among, rows), len(among) - 1)
    found: npt.NDArray[Any] = among[at] == rows
    return found
