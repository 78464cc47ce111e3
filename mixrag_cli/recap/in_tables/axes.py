"""One side of a table against a question: how well each header path says it, and what else it says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mixrag_cli.quantities.facets import facet_conflict
from mixrag_cli.recap.in_rows.brackets import brackets_of
from mixrag_cli.recap.likeness import Matrix, count_unsaid, said_by
from mixrag_cli.recap.wording import Asked, is_negated, kind_of, spelled_stems
from mixrag_cli.records.tables import Header

MIN_HELD = 0.5  # a label that says a term at least so well holds it
LEAST_WORTH = 0.05  # of a term that every path says
TINY = 1e-9

AXIS_FEATURES = (
    "said", "said_share", "said_lead", "leaf_said", "parent_said", "fresh", "fresh_share", "fresh_lead", "leaf_fresh",
    "silent", "place", "first", "head_said", "head_above", "leaf_extra", "leaf_extra_words", "exact", "parent_extra",
    "pairs", "is_total", "is_total_asked", "time_right", "time_wrong", "bracket_right", "bracket_wrong",
    "bracket_unasked", "is_statistic", "is_change", "is_change_asked", "is_average", "is_average_asked", "negated",
    "negated_asked", "depth", "time_unasked", "texts", "numbers", "largest",
)  # fmt: skip
_AT = {name: n for n, name in enumerate(AXIS_FEATURES)}


@dataclass(frozen=True, slots=True)
class Axis:
    """One side of a table. leaf, parent, said: (n_terms, n_headers), how well the leaf, what is above it and the whole
    path say each term. worth: (n_terms,), how much a term tells apart on this side: 0 where no path says it. fresh:
    worth, less what the table's title says already.
    """

    headers: Sequence[Header]
    leaf: Matrix
    parent: Matrix
    said: Matrix
    worth: Matrix
    fresh: Matrix

    @classmethod
    def of(cls, headers: Sequence[Header], asked: Asked, titled: Matrix) -> Axis:
        """titled: (n_terms,), how well the table's title says each term."""
        leaf = said_by([header.leaf for header in headers], asked.terms)
        parent = said_by([" ".join(header.path[:-1]) for header in headers], asked.terms)
        said = np.maximum(leaf, parent)
        holding = (said >= MIN_HELD).sum(axis=1)
        worth = np.where(holding > 0, np.log((len(headers) + 1) / (holding + 0.5)), 0.0)
        worth = np.maximum(worth, LEAST_WORTH * (holding > 0))
        return cls(headers, leaf, parent, said, worth, worth * (1 - titled))

    def features(self, asked: Asked) -> Matrix:
        """(n_headers, len(AXIS_FEATURES)); "texts", "numbers" and "largest" are left for the cells to fill."""
        part = np.zeros((len(self.headers), len(AXIS_FEATURES)))
        self._add_said(part)
        self._add_head(part, asked)
        self._add_words(part, asked)
        self._add_kinds(part, asked)
        return part

    def _add_said(self, part: Matrix) -> None:
        n = len(self.headers)
        total, total_fresh = max(float(self.worth.sum()), TINY), max(float(self.fresh.sum()), TINY)
        said, fresh = self.worth @ self.said, self.fresh @ self.said
        part[:, _AT["said"]] = said / 3
        part[:, _AT["said_share"]] = said / total
        part[:, _AT["said_lead"]] = (said - said.max()) / total
        part[:, _AT["leaf_said"]] = self.worth @ self.leaf / total
        part[:, _AT["parent_said"]] = self.worth @ self.parent / total
        part[:, _AT["fresh"]] = fresh / 3
        part[:, _AT["fresh_share"]] = fresh / total_fresh
        part[:, _AT["fresh_lead"]] = (fresh - fresh.max()) / total_fresh
        part[:, _AT["leaf_fresh"]] = self.fresh @ self.leaf / total_fresh
        part[:, _AT["silent"]] = said == 0
        part[:, _AT["place"]] = np.arange(n) / max(n - 1, 1)
        part[0, _AT["first"]] = 1.0

    def _add_head(self, part: Matrix, asked: Asked) -> None:
        if asked.head:
            leaves, above = ([h.leaf for h in self.headers], [" ".join(h.path[:-1]) for h in self.headers])
            part[:, _AT["head_said"]] = said_by(leaves, asked.head).mean(axis=0)
            part[:, _AT["head_above"]] = said_by(above, asked.head).mean(axis=0)

    def _add_words(self, part: Matrix, asked: Asked) -> None:
        """What the labels say beyond the question."""
        bigrams, words, known = set(pairwise(asked.sequence)), frozenset(asked.sequence), dict[str, bool]()
        for n, header in enumerate(self.headers):
            unsaid, n_words = count_unsaid(header.leaf, words, known)
            part[n, _AT["leaf_extra"]] = unsaid / n_words if n_words else 0.0
            part[n, _AT["leaf_extra_words"]] = math.log1p(unsaid)
            part[n, _AT["exact"]] = n_words > 0 and unsaid == 0
            unsaid, n_words = count_unsaid(" ".join(header.path[:-1]), words, known)
            part[n, _AT["parent_extra"]] = unsaid / n_words if n_words else 0.0
            stems = spelled_stems(" ".join(header.path))
            part[n, _AT["pairs"]] = min(sum(pair in bigrams for pair in pairwise(stems)), 4) / 2

    def _add_kinds(self, part: Matrix, asked: Asked) -> None:
        """What a path says of its figures, against what the question asks for."""
        wants, brackets = asked.wants, brackets_of(asked.text)
        for n, header in enumerate(self.headers):
            path = " ".join(header.path)
            kind, own = kind_of(path), brackets_of(path)
            is_total = header.is_total or kind.is_whole
            conflict = facet_conflict(asked.facets, kind.facets)
            part[n, _AT["time_wrong"]] = conflict
            part[n, _AT["time_unasked"]] = bool(kind.facets.years) and not asked.facets.years
            part[n, _AT["time_right"]] = bool(asked.facets.years & kind.facets.years) and not conflict
            part[n, _AT["bracket_right"]] = bool(brackets & own)
            part[n, _AT["bracket_wrong"]] = bool(brackets) and bool(own) and not brackets & own
            part[n, _AT["bracket_unasked"]] = bool(own) and not brackets
            part[n, _AT["is_statistic"]] = kind.is_statistic and not wants.statistic
            part[n, _AT["depth"]] = len(header.path) / 3
            for name, own_kind, is_asked in (
                ("is_total", is_total, wants.total),
                ("is_change", kind.is_change, wants.change),
                ("is_average", kind.is_average, wants.average),
                ("negated", is_negated(header.leaf), wants.negated),
            ):
                part[n, _AT[name]] = own_kind and not is_asked
                part[n, _AT[f"{name}_asked"]] = own_kind and is_asked
