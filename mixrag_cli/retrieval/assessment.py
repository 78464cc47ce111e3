"""How far a calibration can be trusted: what its thresholds and promises are worth, before fitting and after.

Every figure of a fit is of candidates that it was not fitted on: each question is judged by what the others taught.

Source: "Beyond the Reranker", section 4.4 and figure 6: scores of relevant and other passages, by source.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixrag_cli.retrieval.calibration import ANY, Calibration, as_raw
from mixrag_cli.retrieval.curves import Floats, balanced_accuracy
from mixrag_cli.retrieval.learning import DRAWN, FOLDS, Judged, JudgedQuestion, held_out_error, to_columns
from mixrag_cli.retrieval.sources import SOURCES

BINS = 24  # of a histogram: fine enough to see two humps, and half a narrow terminal

Fit = Callable[[Sequence[JudgedQuestion]], Calibration]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SourceAssessment:
    """One source on one modality ("any": all passages): its scores and its threshold.

    low, high: the range of the raw scores; that of the words is the share of what the question's words can reach.
    relevant, other: candidates of either class by BINS equal steps of that range. threshold: None where no score is
    enough. accuracy: balanced, of accepting by this source alone; None where a class is empty. before: as shipped.
    """

    source: str
    modality: str
    low: float
    high: float
    relevant: tuple[int, ...]
    other: tuple[int, ...]
    threshold: float | None
    threshold_before: float | None
    accuracy: float | None
    accuracy_before: float | None

    @property
    def n_relevant(self) -> int:
        """Relevant candidates with a score of the source."""
        return sum(self.relevant)

    @property
    def n_other(self) -> int:
        """Other candidates with a score of the source."""
        return sum(self.other)


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the questions say of a calibration. found: those with a relevant passage among their candidates.

    error: the expected calibration error of the hits that a person sees; before: as shipped.
    """

    questions: int
    found: int
    error: float
    error_before: float
    sources: tuple[SourceAssessment, ...]


def assess(
    questions: Sequence[JudgedQuestion],
    calibration: Calibration,
    before: Calibration,
    fit: Fit,
    *,
    n_words: int,
    precision: float = 0.0,
) -> Assessment:
    """Every source on every modality that has judged candidates, and the error of the promises.

    calibration: what fit makes of all questions. precision: as of ScoreMap.threshold.
    """
    judged = to_columns(questions, n_words)
    folds = [
        (
            to_columns(questions[fold::FOLDS], n_words),
            fit([each for number, each in enumerate(questions) if number % FOLDS != fold]),
        )
        for fold in range(FOLDS)
    ]
    drawn = calibration.origin == DRAWN
    return Assessment(
        questions=len(questions),
        found=sum(bool(question.relevant) for question in questions),
        error=held_out_error(questions, fit, n_words, drawn),
        error_before=held_out_error(questions, lambda _: before, n_words, drawn),
        sources=tuple(_assess_sources(judged, calibration, before, folds, precision)),
    )


def _assess_sources(
    judged: Judged,
    calibration: Calibration,
    before: Calibration,
    folds: Sequence[tuple[Judged, Calibration]],
    precision: float,
) -> Iterator[SourceAssessment]:
    for source in SOURCES:
        for modality in (ANY, *sorted(set(judged.modalities))):
            scores, labels = _scores_of(judged, source, modality)
            if not len(scores):
                continue
            raw = np.array([as_raw(float(score), source, 1.0) for score in scores])
            low, high = float(raw.min()), float(raw.max())
            yield SourceAssessment(
                source=source,
                modality=modality,
                low=low,
                high=high,
                relevant=_histogram(raw[labels > 0], low, high),
                other=_histogram(raw[labels == 0], low, high),
                threshold=_threshold(calibration, source, modality, precision),
                threshold_before=_threshold(before, source, modality, precision),
                accuracy=_accuracy(folds, source, modality, precision),
                accuracy_before=_accuracy([(judged, before)], source, modality, precision),
            )


def _scores_of(judged: Judged, source: str, modality: str) -> tuple[Floats, Floats]:
    chosen = judged.of(modality) & ~np.isnan(judged.scores[source])
    return judged.scores[source][chosen], judged.labels[chosen]


def _histogram(raw: Floats, low: float, high: float) -> tuple[int, ...]:
    counts, _ = np.histogram(raw, bins=BINS, range=(low, high if high > low else low + 1e-9))
    return tuple(int(count) for count in counts)


def _threshold(calibration: Calibration, source: str, modality: str, precision: float) -> float | None:
    known = calibration.map_of(source, modality)
    threshold = as_raw(known.threshold(precision), source, 1.0) if known is not None else math.inf
    return threshold if math.isfinite(threshold) else None


def _accuracy(
    parts: Sequence[tuple[Judged, Calibration]], source: str, modality: str, precision: float
) -> float | None:
    accepted: list[Mask] = []
    true: list[Floats] = []
    for judged, calibration in parts:
        scores, labels = _scores_of(judged, source, modality)
        known = calibration.map_of(source, modality)
        accepted.append(scores >= (known.threshold(precision) if known is not None else math.inf))
        true.append(labels)
    found = balanced_accuracy(np.concatenate(accepted), np.concatenate(true))
    return found if math.isfinite(found) else None
