"""One side of a table against a question: how well each header path says it, and what else it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mixrag_cli.quantities.facets import facet_conflict
from mixrag_cli.recap.in_tables.brackets import brackets_of
from mixrag_cli.recap.likeness import Matrix, count_unsaid, said_by
from mixrag_cli.recap.wording import Asked, is_negated, kind_of, spelled_stems
from mixrag_cli.records.tables import Header

MIN_HELD = 0.5  # a label that says a term at least so well holds it
LEAST_WORTH = 0.05  # of a term that every path says
MAX_PAIRS = 4  # neighbouring words of the question that a path says side by side
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Axis:
    """One side of a table. leaf, parent, said: (n_terms, n_headers), how well the leaf, what is above it and the whole
    path say each term. worth: (n_terms,), how much a term tells apart on this side: 0 where no path says it. fresh:
    worth, less what the table's title says already. head_leaf, head_above: (n_headers,), how well the leaf and what is
    above it say what is asked for.
    """

    headers: Sequence[Header]
    leaf: Matrix
    parent: Matrix
    said: Matrix
    worth: Matrix
    fresh: Matrix
    head_leaf: Matrix
    head_above: Matrix

    @classmethod
    def of(cls, headers: Sequence[Header], asked: Asked, titled: Matrix) -> Axis:
        """titled: (n_terms,), how well the table's title says each term."""
        leaves, above = [header.leaf for header in headers], [" ".join(header.path[:-1]) for header in headers]
        leaf, parent = said_by(leaves, asked.terms), said_by(above, asked.terms)
        said = np.maximum(leaf, parent)
        holding = (said >= MIN_HELD).sum(axis=1)
        worth = np.where(holding > 0, np.log((len(headers) + 1) / (holding + 0.5)), 0.0)
        worth = np.maximum(worth, LEAST_WORTH * (holding > 0))
        heads = (said_by(labels, asked.head).sum(axis=0) / max(len(asked.head), 1) for labels in (leaves, above))
        return cls(headers, leaf, parent, said, worth, worth * (1 - titled), *heads)

    @property
    def head(self) -> Matrix:
        """How well each path says what is asked for: (n_headers,)."""
        return np.maximum(self.head_leaf, self.head_above)

    def features(self, asked: Asked) -> dict[str, Matrix]:
        """Of each header, by name: (n_headers,) each."""
        return {**self._said(), **self._words(asked), **self._kinds(asked)}

    def _said(self) -> dict[str, Matrix]:
        n = len(self.headers)
        total, total_fresh = max(float(self.worth.sum()), TINY), max(float(self.fresh.sum()), TINY)
        said, fresh = self.worth @ self.said, self.fresh @ self.said
        return {
            "said": said / 3,
            "said_share": said / total,
            "said_lead": (said - said.max()) / total,
            "leaf_said": self.worth @ self.leaf / total,
            "parent_said": self.worth @ self.parent / total,
            "fresh": fresh / 3,
            "fresh_share": fresh / total_fresh,
            "fresh_lead": (fresh - fresh.max()) / total_fresh,
            "leaf_fresh": self.fresh @ self.leaf / total_fresh,
            "silent": said == 0,
            "place": np.arange(n) / max(n - 1, 1),
            "first": np.arange(n) == 0,
            "head_said": self.head_leaf,
            "head_above": self.head_above,
        }

    def _words(self, asked: Asked) -> dict[str, Matrix]:
        """What the labels say beyond the question, and how many of its neighbouring words they say side by side."""
        bigrams, words, known = set(pairwise(asked.sequence)), frozenset(asked.sequence), dict[str, bool]()
        leaf = np.array([count_unsaid(header.leaf, words, known) for header in self.headers]).T
        parent = np.array([count_unsaid(" ".join(header.path[:-1]), words, known) for header in self.headers]).T
        stems = [spelled_stems(" ".join(header.path)) for header in self.headers]
        pairs = np.array([sum(pair in bigrams for pair in pairwise(each)) for each in stems])
        return {
            "leaf_extra": leaf[0] / np.maximum(leaf[1], 1),
            "leaf_extra_words": np.log1p(leaf[0]),
            "exact": (leaf[1] > 0) & (leaf[0] == 0),
            "parent_extra": parent[0] / np.maximum(parent[1], 1),
            "pairs": np.minimum(pairs, MAX_PAIRS) / 2,
        }

    def _kinds(self, asked: Asked) -> dict[str, Matrix]:
        """What a path says of its figures, against what the question asks for."""
        found = [_kind_features(header, asked) for header in self.headers]
        return {name: np.array([one[name] for one in found], float) for name in found[0]}


def _kind_features(header: Header, asked: Asked) -> dict[str, float]:
    path, wants = " ".join(header.path), asked.wants
    kind, own, brackets = kind_of(path), brackets_of(path), brackets_of(asked.text)
    conflict = facet_conflict(asked.facets, kind.facets)
    found = {
        "time_wrong": conflict,
        "time_unasked": bool(kind.facets.years) and not asked.facets.years,
        "time_right": bool(asked.facets.years & kind.facets.years) and not conflict,
        "bracket_right": bool(brackets & own),
        "bracket_wrong": bool(brackets) and bool(own) and not brackets & own,
        "bracket_unasked": bool(own) and not brackets,
        "is_statistic": kind.is_statistic and not wants.statistic,
        "depth": len(header.path) / 3,
    }
    for name, is_own, is_asked in (
        ("is_total", header.is_total or kind.is_whole, wants.total),
        ("is_change", kind.is_change, wants.change),
        ("is_average", kind.is_average, wants.average),
        ("negated", is_negated(header.leaf), wants.negated),
    ):
        found |= {name: is_own and not is_asked, f"{name}_asked": is_own and is_asked}
    return found
