"""Calibration: what a raw score is worth, for each source of evidence and each kind of passage.

    raw score ─► normalised (words: over the query's ceiling) ─► log-odds of relevance, by source and modality
    normalised scores of all sources ─► weighted sum ─► its lead over its rivals ─► probability of the hit, by modality

A map is a logistic curve: its threshold for balanced accuracy follows from it (where the odds equal those of any
candidate), and it bends towards the prior where judgements are few. Each modality's curve is pulled towards that of
all passages, and all of them towards the shipped ones.

Source: "Beyond the Reranker", section 4.4 (SSCC): a threshold a source, fitted from the scores of relevant and other
passages; here a source and a modality, and with the curve that also serves fusion.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.retrieval.curves import Logistic
from mixrag_cli.retrieval.matching import TABLE_KINDS
from mixrag_cli.retrieval.sources import ROWS

ANY = "any"  # the modality of all passages together
FORMAT = 3  # of the stored form; another number means that it is fitted anew
PRIORS_FILE = Path(__file__).with_name("priors.json")  # made by tests/benchmarks/fit_priors.py, which says from what


@dataclass(frozen=True, slots=True)
class ScoreMap:
    """What a normalised score of one source is worth on one modality.

    base: the share of relevant among the candidates that it was fitted on. n_relevant, n_other: how many of this
    collection's own judgements are in it.
    """

    curve: Logistic
    base: float
    n_relevant: int = 0
    n_other: int = 0

    def threshold(self, precision: float = 0.0) -> float:
        """The lowest score to accept.

        precision 0: where the odds are those of any candidate, which is the best balanced accuracy that a threshold
        on this curve can have. Else where a passage is relevant with this probability.
        """
        if not self.curve.slope:
            return math.inf
        return (log_odds(precision or self.base) - self.curve.offset) / self.curve.slope

    def margin(self, score: float, precision: float = 0.0) -> float:
        """By how much log-odds the score passes the threshold; negative where it does not."""
        return self.curve.log_odds(score) - log_odds(precision or self.base) if self.curve.slope else -math.inf


@dataclass(frozen=True, slots=True)
class Calibration:
    """All that was learned for one embedder and reranker.

    maps: by source, then modality, ANY among them. weights: of each source's normalised score in the sum, >= 0.
    rivalry: the share of what a question's candidates hold in common that is no lead of any of them, in [0, 1]. final:
    by modality, the curve from that lead to the probability. cut: the one threshold on raw scores that stands for
    CRAG's. origin: "shipped", "collection" or "labels". passages: in the collection when it was fitted. error: the
    expected calibration error on judged candidates that were left out while fitting; None where unknown. questions:
    that it was fitted on, 0 for the shipped ones. centers: by source, the score that adds nothing to the sum, 0 where
    none is named.
    """

    maps: Mapping[str, Mapping[str, ScoreMap]]
    weights: Mapping[str, float]
    final: Mapping[str, Logistic]
    cut: float
    rivalry: float = 0.0
    origin: str = "shipped"
    passages: int = 0
    error: float | None = None
    questions: int = 0
    centers: Mapping[str, float] = field(default_factory=dict)

    def map_of(self, source: str, modality: str) -> ScoreMap | None:
        """The map of a source on a modality, that of all passages where the modality has none of its own."""
        maps = self.maps.get(source, {})
        return maps.get(modality, maps.get(ANY))

    def final_of(self, modality: str) -> Logistic:
        """The curve from the lead over rivals to the probability."""
        return self.final.get(modality, self.final[ANY])

    def thresholds(self, precision: float = 0.0) -> Iterator[tuple[str, str, float]]:
        """Every (source, modality, threshold), for people to look at."""
        for source, maps in self.maps.items():
            for modality, known in maps.items():
                yield source, modality, known.threshold(precision)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Calibration:
        """The inverse of to_json. Raises KeyError, TypeError or ValueError for another form."""
        if known["format"] != FORMAT:
            raise ValueError("a calibration of another form")
        maps = {
            source: {modality: _map_from_json(each) for modality, each in of_source.items()}
            for source, of_source in known["maps"].items()
        }
        final = {modality: Logistic(**each) for modality, each in known["final"].items()}
        rest = {name: known[name] for name in ("cut", "rivalry", "origin", "passages", "error")}
        late = {"questions": known.get("questions", 0), "centers": dict(known.get("centers", {}))}
        return cls(maps, dict(known["weights"]), final, **rest, **late)


def _map_from_json(known: Mapping[str, Any]) -> ScoreMap:
    return ScoreMap(Logistic(**known["curve"]), known["base"], known["n_relevant"], known["n_other"])


def log_odds(probability: float) -> float:
    """log(p / (1 - p))."""
    return math.log(probability / (1 - probability))


def modality_of(chunk: Chunk) -> str:
    """The kind of passage that has a map of its own: a table is one in whatever file it stands, so is code."""
    if chunk.kind in TABLE_KINDS:
        return "table"
    return "code" if chunk.kind == "code" else chunk.modality


def normalised(hit: Hit, source: str) -> float | None:
    """A hit's score of one source as the maps take it, None where the source did not return it."""
    score = hit.scores.get(source)
    return None if score is None else ROWS[source].normalise(score, hit.ceiling)


def as_raw(score: float, source: str, ceiling: float) -> float:
    """The inverse of normalised: a normalised score on the source's own scale."""
    return ROWS[source].as_raw(score, ceiling)


@cache
def read_priors() -> Mapping[str, Calibration]:
    """The shipped calibrations, by what reranks: "late" or "none"."""
    known = json.loads(PRIORS_FILE.read_text("utf-8"))
    return {name: Calibration.from_json(each) for name, each in known["calibrations"].items()}


def calibration_for(stored: Mapping[str, Any], rerank: str) -> Calibration:
    """The calibration fitted to a collection for this reranker, where there is one, else the shipped one.

    stored: what the store's record keeps, by reranker. A reranker that nobody has fitted has no map, so that its scores
    carry nothing: fuse_hits then takes them as they stand within the query, with late interaction's weight.
    """
    try:
        return Calibration.from_json(stored[rerank])
    except (KeyError, TypeError, ValueError):
        priors = read_priors()
    if rerank in priors:
        return priors[rerank]
    plain = priors["none"]
    maps = {source: maps for source, maps in plain.maps.items() if source != "rerank"}
    return replace(plain, maps=maps, weights={**plain.weights, "rerank": priors["late"].weights["rerank"]})
