"""Learning a calibration: from judged candidates to maps, each pulled towards what was known before.

    judged candidates ─► one curve a source over all passages, near the prior's
                      ─► one a source and modality, near the prior's moved as far as the first one moved
                      ─► the curve from the evidence's lead to the probability, in the same two steps

What orders hits, the weights of the sources, stays the prior's: it was learned from people's questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mixrag_cli.records.passages import Hit
from mixrag_cli.retrieval.calibration import ANY, Calibration, ScoreMap, log_odds, modality_of
from mixrag_cli.retrieval.curves import (
    Floats,
    Logistic,
    balanced_threshold,
    expected_calibration_error,
    fit_logistic,
)
from mixrag_cli.retrieval.fusion import fuse_hits, lead_over_rivals, source_scores, sum_evidence
from mixrag_cli.retrieval.sources import SOURCES

POOL = 30  # the first candidates of a question, those that are reranked by default; what comes after is easy to refuse
SHOWN = 10  # the hits of a question that a person sees: their probabilities are what the calibration error is about
FOLDS = 4
DRAWN = "collection"  # the origin of a calibration to questions drawn from the collection itself
UNKNOWN = Logistic(-3.0, 0.0)  # of a source that nobody has fitted: about one candidate in twenty is relevant
UNKNOWN_STRENGTH = 40.0  # judged candidates that this is worth: a flat curve knows nothing to hold on to


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question's candidates before fusion, reranked, best first, and which chunks of them are relevant.

    unjudged: ids of chunks that are neither: near-duplicates of a relevant one, or what nobody looked at.
    """

    hits: Sequence[Hit]
    relevant: Collection[str]
    unjudged: Collection[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Judged:
    """All judged candidates as columns. scores: by source, nan where it said nothing; labels: 1 relevant, 0 other.

    shift: by how much log-odds they are relevant more often than candidates are; None where they are as any others.
    Source: "Beyond the Reranker", section 4.4: the scores of relevant and other passages, by source.
    """

    scores: Mapping[str, Floats]
    labels: Floats
    modalities: list[str]
    shift: float | None = None

    def of(self, modality: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which candidates are of the modality."""
        return np.array([modality in (ANY, known) for known in self.modalities], dtype=bool)


def fit_calibration(
    questions: Sequence[JudgedQuestion],
    prior: Calibration,
    *,
    strength: float,
    n_words: int,
    origin: str,
    passages: int = 0,
) -> Calibration:
    """The prior bent to these judgements. strength: how many judged candidates the prior is worth, for each curve.

    origin: "collection" for drawn questions, each of which knows of one relevant passage only. How often a candidate is
    relevant is then the prior's to say, and the judgements only tell how the scores of either class lie: the curves
    are fitted as those of a case-control study are.
    Source: Prentice & Pyke, Logistic disease incidence models and case-control studies, Biometrika 66, 1979.
    """
    judged = to_columns(questions, n_words)
    if origin == DRAWN:
        judged = replace(judged, shift=_shift_of(judged, prior))
    known = [source for source in SOURCES if not np.isnan(judged.scores[source]).all()]
    maps = {source: _fit_maps(judged, source, prior, strength) for source in known}
    bent = replace(
        prior, maps={**prior.maps, **maps}, origin=origin, passages=passages, cut=_fit_cut(judged, prior.cut)
    )
    leads = replace(judged, scores={"lead": _leads(questions, bent, n_words)})
    return replace(bent, final=_fit_final(leads, prior.final, strength))


def held_out_error(
    questions: Sequence[JudgedQuestion],
    fit: Callable[[Sequence[JudgedQuestion]], Calibration],
    n_words: int,
    drawn: bool = False,
) -> float:
    """The expected calibration error of the hits shown, each question judged by what was fitted without it.

    drawn: whether the questions were; promises are then held against how often the candidates of such are relevant.
    Source: Guo et al., ICML 2017, eq. 3, by the folds of Stone, JRSS B 36, 1974.
    """
    judged = to_columns(questions, n_words)
    promised: list[float] = []
    true: list[float] = []
    for fold in range(FOLDS):
        calibration = fit([question for number, question in enumerate(questions) if number % FOLDS != fold])
        shift = _shift_of(judged, calibration) if drawn else 0.0
        for question in questions[fold::FOLDS]:
            for hit in fuse_hits(question.hits, calibration, n_words=n_words)[:SHOWN]:
                if hit.chunk.id not in question.unjudged and hit.probability is not None:
                    promised.append(Logistic(shift, 1.0).probability(log_odds(hit.probability)))
                    true.append(float(hit.chunk.id in question.relevant))
    return expected_calibration_error(promised, true)


def to_columns(questions: Sequence[JudgedQuestion], n_words: int) -> Judged:
    """The judged candidates among the first POOL of each question.

    Source: "Beyond the Reranker", section 4.4: the scores of relevant and other passages, by source.
    """
    places = list(_places(questions))
    columns: dict[str, list[float]] = {source: [] for source in SOURCES}
    for question in questions:
        for source in SOURCES:
            scores = source_scores(question.hits, source, n_words)
            columns[source] += [_or_nan(scores[number]) for number in _judged_places(question)]
    return Judged(
        {source: np.array(column, dtype=np.float64) for source, column in columns.items()},
        np.array([float(hit.chunk.id in question.relevant) for question, hit in places]),
        [modality_of(hit.chunk) for _, hit in places],
    )


def _places(questions: Sequence[JudgedQuestion]) -> list[tuple[JudgedQuestion, Hit]]:
    return [(question, question.hits[number]) for question in questions for number in _judged_places(question)]


def _judged_places(question: JudgedQuestion) -> list[int]:
    return [number for number, hit in enumerate(question.hits[:POOL]) if hit.chunk.id not in question.unjudged]


def _leads(questions: Sequence[JudgedQuestion], calibration: Calibration, n_words: int) -> Floats:
    leads: list[float] = []
    for question in questions:
        all_leads = lead_over_rivals(sum_evidence(question.hits, calibration, n_words), calibration.rivalry)
        leads += [all_leads[number] for number in _judged_places(question)]
    return np.array(leads, dtype=np.float64)


def _shift_of(judged: Judged, prior: Calibration) -> float:
    share = float(judged.labels.mean()) if len(judged.labels) else 0.0
    known = prior.maps.get("words", {}).get(ANY)
    return log_odds(share) - log_odds(known.base) if known and 0 < share < 1 else 0.0


def _or_nan(score: float | None) -> float:
    return float("nan") if score is None else score


def _fit_maps(judged: Judged, source: str, prior: Calibration, strength: float) -> dict[str, ScoreMap]:
    before = prior.maps.get(source, {})
    known = prior.maps.get("words", {}).get(ANY)
    start = before.get(ANY, ScoreMap(UNKNOWN, base=known.base if known else 0.05))
    if not before:
        strength = min(strength, UNKNOWN_STRENGTH)
    overall = _fit_map(judged, source, ANY, start, strength)
    moved = _moved(overall.curve, start.curve)
    maps = {ANY: overall}
    for modality in sorted({*judged.modalities, *before} - {ANY}):
        start_here = before.get(modality, start)
        maps[modality] = _fit_map(judged, source, modality, _shifted(start_here, moved), strength)
    return maps


def _moved(curve: Logistic, start: Logistic) -> tuple[float, float]:
    return curve.offset - start.offset, curve.slope - start.slope


def _shifted(known: ScoreMap, by: tuple[float, float]) -> ScoreMap:
    return replace(known, curve=_shift_curve(known.curve, by))


def _shift_curve(curve: Logistic, by: tuple[float, float]) -> Logistic:
    return Logistic(curve.offset + by[0], max(0.0, curve.slope + by[1]))


def _fit_map(judged: Judged, source: str, modality: str, prior: ScoreMap, strength: float) -> ScoreMap:
    scores = judged.scores[source]
    chosen = judged.of(modality) & ~np.isnan(scores)
    scores, labels = scores[chosen], judged.labels[chosen]
    n_relevant, n_other = int(labels.sum()), int(len(labels) - labels.sum())
    curve = fit_logistic(scores, labels, prior.curve, strength, _spread(scores), judged.shift or 0.0)
    base = (n_relevant + strength * prior.base) / (n_relevant + n_other + strength)
    if judged.shift is not None:
        base = prior.base
    return ScoreMap(curve, base, n_relevant, n_other)


def _spread(scores: Floats) -> float:
    return float(scores.std()) or 1.0 if len(scores) else 1.0


def _fit_final(judged: Judged, prior: Mapping[str, Logistic], strength: float) -> dict[str, Logistic]:
    leads = judged.scores["lead"]
    start = prior[ANY]
    shift = judged.shift or 0.0
    overall = fit_logistic(leads, judged.labels, start, strength, _spread(leads), shift)
    moved = _moved(overall, start)
    final = {ANY: overall}
    for modality in sorted({*judged.modalities, *prior} - {ANY}):
        chosen = judged.of(modality)
        here = _shift_curve(prior.get(modality, start), moved)
        spread = _spread(leads[chosen])
        final[modality] = fit_logistic(leads[chosen], judged.labels[chosen], here, strength, spread, shift)
    return final


def _fit_cut(judged: Judged, prior: float) -> float:
    """One threshold on raw scores, whichever source gave them: the reranker's where it judged, else the cosine."""
    raw = np.where(np.isnan(judged.scores["rerank"]), judged.scores["meaning"], judged.scores["rerank"])
    known = ~np.isnan(raw)
    cut = balanced_threshold(raw[known], judged.labels[known])
    return cut if np.isfinite(cut) else prior
