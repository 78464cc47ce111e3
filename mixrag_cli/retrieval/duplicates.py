"""Hits that say nothing new: near-duplicates of better ones, and more of one file than is wanted.

A passage is dropped only where a better one has every word and every number of it, in the same order but for
little: a changed name, a "not", another year make it evidence of its own. Rows and tables always stay, since the same
figures in two files are two facts.

Source: Enhanced RAG, section III-C (candidates are deduplicated); shingles: Broder, SEQUENCES 1997.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.matching import TABLE_KINDS

SHINGLE = 3  # words in a row
# Of the shingles of two passages with the same words: a line that was broken or moved leaves most of them.
SAME_ORDER = 0.8
# Of the cosines to one question: near vectors cannot differ by more than they lie apart. The vector also knows the
# headings above a passage, so the same words under another heading may differ by more.
SAME_MEANING = 0.1
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class _Said:
    """What a passage says, whatever its typography. numbers: of its headings, title and path too."""

    words: tuple[str, ...]
    numbers: frozenset[str]
    meaning: float | None

    def says_same(self, other: _Said) -> bool:
        """Whether the other adds nothing; to be asked of two with the same words and numbers."""
        mine, others = _shingles(self.words), _shingles(other.words)
        if len(mine & others) < SAME_ORDER * len(mine | others):
            return False
        known = self.meaning is not None and other.meaning is not None
        return not known or abs(self.meaning - other.meaning) <= SAME_MEANING  # type: ignore[operator]


def drop_duplicates(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without those that say the same as a better one. hits: best first."""
    kept: list[Hit] = []
    known: dict[tuple[frozenset[str], frozenset[str]], list[_Said]] = {}
    for hit in hits:
        if hit.chunk.kind not in TABLE_KINDS:
            said = _what_is_said(hit)
            like = known.setdefault((frozenset(said.words), said.numbers), [])
            if any(each.says_same(said) for each in like):
                continue
            like.append(said)
        kept.append(hit)
    return kept


def limit_files(hits: Sequence[Hit], most: int) -> list[Hit]:
    """At most so many hits of each file, the best; all where there is but one file. most: 0 for no limit."""
    if not most or len({hit.chunk.document for hit in hits}) < 2:
        return list(hits)
    return list(_first_of_each(hits, most))


def _first_of_each(hits: Sequence[Hit], most: int) -> Iterator[Hit]:
    taken: Counter[str] = Counter()
    for hit in hits:
        taken[hit.chunk.document] += 1
        if taken[hit.chunk.document] <= most:
            yield hit


def _what_is_said(hit: Hit) -> _Said:
    places = f"{hit.chunk.context}\n{hit.title}\n{hit.path}"
    return _Said(
        words=tuple(_WORD.findall(hit.chunk.text.casefold())),
        numbers=frozenset(number.rstrip(".,") for number in _NUMBER.findall(f"{hit.chunk.text}\n{places}")),
        meaning=hit.scores.get("meaning"),
    )


def _shingles(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1)))
