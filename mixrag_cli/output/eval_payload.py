"""mixrag.eval/1: an evaluation as JSON, and its scores question by question as JSON lines.

Fields are only ever added; schemas/eval-1.json describes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mixrag_cli.evaluation.reporting import Comparison, EvalReport, Measured, RunReport, Times
    from mixrag_cli.stories.evaluating import Evaluation

DIGITS = 6


def evaluation_to_json(report: EvalReport) -> dict[str, Any]:
    """mixrag.eval/1. All but "timings_ms" is the same whenever the same evaluation runs again."""
    return {
        "schema": "mixrag.eval/1",
        "dataset": report.dataset,
        "kind": report.kind,
        "queries": report.queries,
        "split": report.split or None,
        "ablation": report.is_ablation,
        "grouped_by": report.grouped_by or None,
        "runs": [_run_to_json(run) for run in report.runs],
        "oracle": _run_to_json(report.oracle) if report.oracle else None,
        "sizes": [
            {"documents": each.documents, "runs": [_run_to_json(run) for run in each.runs]} for each in report.sizes
        ],
        "comparisons": [_comparison_to_json(found) for found in report.comparisons],
        "models": dict(report.models),
        "notes": list(report.notes),
    }


def scores_to_json(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    """One object a run and question: its scores by measure, null where a measure does not ask about it."""
    for each in evaluation.scored:
        for place, question in enumerate(evaluation.questions):
            scores = {name: column[place] for name, column in each.scores.items()}
            yield {
                "run": each.run.name,
                "query": question.id,
                "split": question.split or None,
                "scores": {
                    name: round(score.value, DIGITS) if score.weight else None for name, score in scores.items()
                },
            }


def _run_to_json(found: RunReport) -> dict[str, Any]:
    return {
        "name": found.run.name,
        "settings": dict(found.run.changes),
        "measures": _measures_to_json(found.measures),
        "groups": {value: _measures_to_json(measures) for value, measures in found.groups.items()},
        "timings_ms": {"search": _times_to_json(found.search_ms), "answer": _times_to_json(found.answer_ms)},
    }


def _measures_to_json(measures: Mapping[str, Measured]) -> dict[str, Any]:
    return {
        name: {
            "mean": round(found.interval.mean, DIGITS),
            "low": round(found.interval.low, DIGITS),
            "high": round(found.interval.high, DIGITS),
            "queries": found.count,
        }
        for name, found in measures.items()
    }


def _times_to_json(times: Times | None) -> dict[str, float] | None:
    return {"p50": times.p50, "p95": times.p95} if times else None


def _comparison_to_json(found: Comparison) -> dict[str, Any]:
    return {
        "a": found.a,
        "b": found.b,
        "measure": found.measure,
        "difference": round(found.difference, DIGITS),
        "low": round(found.low, DIGITS),
        "high": round(found.high, DIGITS),
        "p": round(found.p, DIGITS),
        "p_holm": round(found.p_holm, DIGITS),
        "p_fdr": round(found.p_fdr, DIGITS),
        "by_split": {name: round(value, DIGITS) for name, value in found.by_split.items()},
        "verdict": found.verdict,
    }
