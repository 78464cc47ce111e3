"""The tree of the source "tiers": groups of passages, groups of groups, and what is kept of them between runs.

    passages ─► groups of about LEAVES, soft: a passage may be in several ─► groups of groups ─► up to TIERS tiers

A group's key is a hash of what it holds: of a first group its passages' texts, of a higher one the keys of its groups.
What is written of a group is kept under its key. The centres stay where they are while the collection grows, so that an
edit changes the keys of the groups that hold the passage, of those above them, and of no other.
Source: RAPTOR (Sarthi et al., ICLR 2024) with the cross-document tier of "Beyond the Reranker", section 4.2, where
each node is keyed by a hash of what it holds; soft groups by a mixture of von Mises-Fisher distributions of one
concentration (Banerjee et al., JMLR 2005).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mixrag_cli.records.files import stable_id
from mixrag_cli.retrieval.sources.passages import TINY, Vectors

LEAVES = 12  # members of a group, about; the paper lets BIC choose, with groups of RAPTOR's size
TIERS = 3  # at most, as in the paper
CONCENTRATION = 40.0  # of a group: cosines .06 apart are told ten to one
LEAST_SHARE = 0.1  # of a member's belonging that counts; RAPTOR's threshold
ROUNDS = 6  # of expectation and maximisation
GROWN = 2.0  # times as many passages as it was grown over, or as few: then the tree is grown anew; not tuned
FORMAT = 1  # of the stored form; another number means that it is grown anew
KEPT_AS = np.float16  # what is kept of a vector: cosines are off by less than .001

Members = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Tier:
    """The groups of one tier.

    centres: (k, dim), rows of length 1. children: (k, m), which of what lies below each holds. leaves: (k, n), which
    passages those are in the end.
    """

    centres: Vectors
    children: Members
    leaves: Members


@dataclass(frozen=True, slots=True)
class Summary:
    """What is written of a group. vector: (dim,) float32 of length 1."""

    text: str
    vector: Vectors


@dataclass(frozen=True, slots=True)
class KeptTree:
    """What is kept of a tree between runs.

    maker: what writes its summaries. passages: how many it was grown over. centres: by tier. summaries: by key.
    commit: the number of the store's commit for which nothing is left to write; -1 for none.
    """

    maker: str
    passages: int
    centres: tuple[Vectors, ...]
    summaries: Mapping[str, Summary] = field(default_factory=dict)
    commit: int = -1

    def fits(self, vectors: Vectors) -> bool:
        """Whether the tree was grown over about as many passages, by a model of the same kind."""
        if not self.centres:
            return len(vectors) < 2 * LEAVES
        same = all(each.shape[1:] == vectors.shape[1:] for each in self.centres)
        return same and self.passages / GROWN <= len(vectors) <= self.passages * GROWN

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values with their own checksum."""
        tree = {
            "format": FORMAT,
            "maker": self.maker,
            "passages": self.passages,
            "commit": self.commit,
            "centres": [[len(each), _to_text(each)] for each in self.centres],
            "summaries": {key: [each.text, _to_text(each.vector)] for key, each in self.summaries.items()},
        }
        return {"sum": _checksum(tree), "tree": tree}

    @classmethod
    def from_json(cls, known: Any) -> KeptTree:
        """The inverse of to_json. Raises KeyError, TypeError or ValueError for another form or another checksum."""
        tree = known["tree"]
        if tree["format"] != FORMAT or known["sum"] != _checksum(tree):
            raise ValueError("a tree of another form")
        centres = tuple(_to_vectors(text).reshape(rows, -1) for rows, text in tree["centres"])
        summaries = {key: Summary(text, _to_vectors(vector)) for key, (text, vector) in tree["summaries"].items()}
        return cls(tree["maker"], tree["passages"], centres, summaries, tree["commit"])


def grow_tree(vectors: Vectors, centres: Sequence[Vectors] = (), seed: int = 0) -> list[Tier]:
    """The tiers over passages with these vectors, (n, dim), the lowest first; none where they are too few.

    centres: of an earlier tree, which stay where they are; without any, new ones are sought.
    Source: "Beyond the Reranker", section 4.2 (RAPTOR and the cross-document tier).
    """
    found: list[Tier] = []
    below, wanted = vectors, len(vectors) // LEAVES
    for tier in range(len(centres) if centres else TIERS):
        if not centres and wanted < 2:
            break
        own = centres[tier] if centres else find_centres(below, wanted, seed + tier)
        children = (belonging(below, own) >= LEAST_SHARE).T
        children[:, ~below.any(axis=1)] = False  # passages that words alone find have no place among meanings
        leaves = children
        if found:  # the members of a group of groups are theirs
            leaves = (children.astype(np.float32) @ found[-1].leaves.astype(np.float32)) > 0
        found.append(Tier(own, children, leaves))
        below, wanted = own, len(own) // LEAVES
    return found


def find_centres(vectors: Vectors, n_groups: int, seed: int = 0) -> Vectors:
    """The centres of so many soft groups, (k, dim), rows of length 1, as they are kept.

    Source: Banerjee et al., JMLR 2005, for RAPTOR's soft clusters.
    """
    random = np.random.default_rng(seed)
    centres = vectors[random.choice(len(vectors), n_groups, replace=False)]
    for _ in range(ROUNDS):
        moved = belonging(vectors, centres).T @ vectors
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        centres = np.where(lengths > TINY, moved / np.maximum(lengths, TINY), centres).astype(np.float32)
    return centres.astype(KEPT_AS).astype(np.float32)


def belonging(vectors: Vectors, centres: Vectors) -> Vectors:
    """How much each vector belongs to each group, (n, k), rows that sum to 1.

    Source: Banerjee et al., JMLR 2005, the mixture's posterior with one concentration.
    """
    shares = CONCENTRATION * (vectors @ centres.T)
    shares = np.exp(shares - shares.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(shares)


def keys_of(texts: Sequence[str], tiers: Sequence[Tier]) -> list[list[str]]:
    """By tier, the key of each group: a hash of what it holds, in no order; "" for a group that holds nothing.

    texts: of the passages. Source: "Beyond the Reranker", section 4.2 (the cross-document tier).
    """
    below, found = [stable_id("passage", text) for text in texts], list[list[str]]()
    for tier in tiers:
        held = [sorted({below[place] for place in np.flatnonzero(row)} - {""}) for row in tier.children]
        below = [stable_id("group", *keys) if keys else "" for keys in held]
        found.append(below)
    return found


def with_summaries(tiers: Sequence[Tier], texts: Sequence[str], known: Mapping[str, Summary]) -> list[Tier]:
    """The tiers, each group known by what is written of it; by its centre where nothing is."""
    found = []
    for tier, keys in zip(tiers, keys_of(texts, tiers), strict=True):
        pairs = zip(keys, tier.centres, strict=True)
        vectors = [known[key].vector if key in known else centre for key, centre in pairs]
        found.append(replace(tier, centres=np.stack(vectors)))
    return found


def _checksum(tree: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(tree, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _to_text(vectors: Vectors) -> str:
    return base64.b64encode(vectors.astype(KEPT_AS).tobytes()).decode("ascii")


def _to_vectors(text: str) -> Vectors:
    return np.frombuffer(base64.b64decode(text), KEPT_AS).astype(np.float32)
