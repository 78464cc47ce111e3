"""From the scores of several runs to a report: means with intervals, differences with corrected p, by split and group.

The first run is the one that the others are compared with. All comparisons by one measure are one family, and their p
values are corrected for its size. An effect is reliable when it stays significant and has one sign on all splits.
The oracle takes the best of the runs for each question: no router between them can do better.

Source: "Beyond the Reranker", section 5 (metrics, statistics): intervals, paired bootstrap, correction, one sign on
all splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from mixrag_cli.evaluation.datasets import Question
from mixrag_cli.evaluation.scoring import NOT_ASKED, Measure, Outcome, Score
from mixrag_cli.evaluation.statistics import ALPHA, Interval, benjamini_hochberg, bootstrap, holm, paired_bootstrap

Verdict = Literal["better", "worse", "unstable", "none"]
ORACLE = "oracle"  # the name of what takes the best run of each question
# Settings that act on what is read and answered, after the ranking is made: no ranking measure can tell them apart.
ANSWERS_ALONE = frozenset({"acceptance", "accept_precision", "evidence", "correction", "strategy", "answer_tokens"})


@dataclass(frozen=True, slots=True)
class Run:
    """One way of doing it. changes: the settings that differ from the first run's."""

    name: str
    changes: Mapping[str, str] = field(default_factory=dict)

    def can_differ(self, measure: str) -> bool:
        """Whether anything that it changes can show in this measure."""
        is_ranking = "@" in measure
        return not (is_ranking and self.changes and ANSWERS_ALONE.issuperset(self.changes))


@dataclass(frozen=True, slots=True)
class Measured:
    """A run's mean by one measure. count: the questions that the measure asks about."""

    interval: Interval
    count: int


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds a question: the median and what 95 of 100 stay below."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class RunReport:
    """What one run came to. groups: value of the grouping field to measure to mean and count."""

    run: Run
    measures: Mapping[str, Measured]
    groups: Mapping[str, Mapping[str, Measured]]
    search_ms: Times | None
    answer_ms: Times | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first run against another by one measure: difference first minus other, its interval, p and corrected p.

    p_holm: Holm's, which judges; p_fdr: Benjamini and Hochberg's, the rate of false discoveries.

    by_split: the same difference on each split. verdict: of the first run against the other; "unstable" where the
    effect is significant but its sign is not the same on all splits, "none" where it is not reliable.
    """

    a: str
    b: str
    measure: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    p_fdr: float
    by_split: Mapping[str, float]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Sized:
    """What the runs came to over so many documents."""

    documents: int
    runs: tuple[RunReport, ...]


@dataclass(frozen=True, slots=True)
class EvalReport:
    """A whole evaluation. split: whose questions the figures are of, "" for all; grouped_by: a field, or "".

    oracle: the best of the runs for each question, by measures of rankings; None of fewer than two runs. sizes: the
    same runs over fewer documents and, at last, over all that were asked for; empty where one size was.
    """

    dataset: str
    kind: str
    queries: int
    split: str
    runs: tuple[RunReport, ...]
    comparisons: tuple[Comparison, ...]
    is_ablation: bool
    grouped_by: str
    models: Mapping[str, str]
    notes: tuple[str, ...]
    oracle: RunReport | None = None
    sizes: tuple[Sized, ...] = ()


@dataclass(frozen=True, slots=True)
class Scored:
    """One run's outcomes and scores, in the order of the questions. scores: measure to one score a question."""

    run: Run
    outcomes: Sequence[Outcome]
    scores: Mapping[str, Sequence[Score]]


def score_run(
    run: Run, questions: Sequence[Question], outcomes: Sequence[Outcome], measures: Sequence[Measure]
) -> Scored:
    """The outcomes of one run with their scores."""
    pairs = list(zip(questions, outcomes, strict=True))
    return Scored(run, outcomes, {each.name: [each.score(*pair) for pair in pairs] for each in measures})


def take_best(runs: Sequence[Scored]) -> Scored:
    """The oracle: for each question the best score of any run, by each measure of rankings; others say nothing.

    It knows the judgements, so it is no way of doing it: it is what choosing between these runs could be worth at most.
    Source: "Beyond the Reranker", section 4.3 (the oracle router).
    """

    def best(name: str) -> list[Score]:
        if "@" not in name:  # less is better by some of the others, and a run may not be asked
            return [NOT_ASKED] * len(runs[0].scores[name])
        return [
            max(scores, key=lambda each: each.value) for scores in zip(*(run.scores[name] for run in runs), strict=True)
        ]

    return Scored(
        Run(ORACLE),
        [replace(each, search_ms=0.0, answer_ms=0.0) for each in runs[0].outcomes],
        {name: best(name) for name in runs[0].scores},
    )


def report_run(scored: Scored, questions: Sequence[Question], split: str, grouped_by: str) -> RunReport:
    """Means with intervals over the questions of the split, and for each value of the grouping field."""
    chosen = _positions(questions, split)
    groups: dict[str, list[int]] = {}
    for position in chosen if grouped_by else ():
        for value in questions[position].labels.get(grouped_by, ()):
            groups.setdefault(value, []).append(position)
    return RunReport(
        scored.run,
        _measure_all(scored, chosen),
        {value: _measure_all(scored, positions) for value, positions in sorted(groups.items())},
        _times([scored.outcomes[position].search_ms for position in chosen]),
        _times([scored.outcomes[position].answer_ms for position in chosen]),
    )


def compare_runs(
    runs: Sequence[Scored], questions: Sequence[Question], split: str, measures: Sequence[str]
) -> tuple[Comparison, ...]:
    """The first run against each other one, by each measure; p corrected within a measure.

    A run that cannot differ by a measure is no member of its family: it would only raise the others' p.
    """
    splits = [name for name in dict.fromkeys(question.split for question in questions) if name]
    places = {name: _positions(questions, name) for name in splits} if len(splits) > 1 else {}
    chosen = _positions(questions, split)
    found: list[Comparison] = []
    for measure in measures:
        others = [other for other in runs[1:] if other.run.can_differ(measure)]
        family = [_compare(runs[0], other, measure, chosen, places) for other in others]
        p_values = [each.p for each in family]
        corrected = zip(family, holm(p_values), benjamini_hochberg(p_values), strict=True)
        found += [_judge(replace(each, p_holm=p_holm, p_fdr=p_fdr)) for each, p_holm, p_fdr in corrected]
    return tuple(found)


def _compare(a: Scored, b: Scored, measure: str, chosen: Sequence[int], places: Mapping[str, list[int]]) -> Comparison:
    values_a, weights_a = _columns(a.scores[measure], chosen)
    values_b, weights_b = _columns(b.scores[measure], chosen)
    result = paired_bootstrap(values_a, values_b, weights_a, weights_b)
    by_split = {
        name: _mean(a.scores[measure], positions) - _mean(b.scores[measure], positions)
        for name, positions in places.items()
    }
    bounds = (result.difference, result.low, result.high, result.p)
    return Comparison(a.run.name, b.run.name, measure, *bounds, result.p, result.p, by_split, "none")


def _judge(found: Comparison) -> Comparison:
    signs = {np.sign(difference) for difference in (found.difference, *found.by_split.values())}
    if found.p_holm >= ALPHA or not found.difference:
        return found
    return replace(found, verdict="unstable" if len(signs) > 1 else "better" if found.difference > 0 else "worse")


def _measure_all(scored: Scored, positions: Sequence[int]) -> dict[str, Measured]:
    found = {}
    for name, scores in scored.scores.items():
        values, weights = _columns(scores, positions)
        found[name] = Measured(bootstrap(values, weights), sum(weight > 0 for weight in weights))
    return found


def _positions(questions: Sequence[Question], split: str) -> list[int]:
    return [position for position, question in enumerate(questions) if not split or question.split == split]


def _columns(scores: Sequence[Score], positions: Sequence[int]) -> tuple[list[float], list[float]]:
    return [scores[n].value for n in positions], [scores[n].weight for n in positions]


def _mean(scores: Sequence[Score], positions: Sequence[int]) -> float:
    values, weights = _columns(scores, positions)
    total = sum(weights)
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / total if total else 0.0


def _times(spent_ms: Sequence[float]) -> Times | None:
    known = [each for each in spent_ms if each > 0]
    if not known:
        return None
    p50, p95 = np.percentile(known, [50, 95])
    return Times(round(float(p50), 1), round(float(p95), 1))
