"""The JSON forms: records -> dicts of plain values. Fields are only ever added; schemas/ describes each form.

Numbers are exact decimals inside the program; in JSON they are numbers, whole where they are whole.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixrag_cli.output.marks import source_marks
from mixrag_cli.quantities.shown import unit_text
from mixrag_cli.records.answers import Answer, Candidate, Evidence, Faithfulness, Source
from mixrag_cli.records.files import Skipped
from mixrag_cli.records.passages import Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Table

if TYPE_CHECKING:
    from mixrag_cli.retrieval.assessment import SourceAssessment
    from mixrag_cli.retrieval.calibration import Calibration
    from mixrag_cli.settings import Resolved
    from mixrag_cli.stories.calibrating import CalibrationReport
    from mixrag_cli.stories.grouping import GroupReport
    from mixrag_cli.stories.indexing import IndexReport
    from mixrag_cli.stories.inspection import ListedFile, StoreStatus
    from mixrag_cli.stories.showing import Passage
    from mixrag_cli.stories.summarising import SummaryReport

SCORE_DIGITS = 4  # behind the point
MAX_EXACT_DIGITS = 15  # a float carries 15 decimal digits; a longer number is written as text


def answer_to_json(answer: Answer, *, accept_likely: bool = False) -> dict[str, Any]:
    """mixrag.answer/1. Unless an answer is stated, "answer", "value" and "confidence" are null and "reason" says why.

    accept_likely: of a likely one the first candidate's answer, value, unit and probability stand there instead.
    """
    answered = answer.status == "answered"
    taken = answer.candidates[0] if accept_likely and answer.status == "likely" and answer.candidates else None
    said = answer if answered else taken
    confidence = answer.confidence if answered else taken.probability if taken else None
    return {
        "schema": "mixrag.answer/1",
        "question": answer.question,
        "status": answer.status,
        "answer": said.text if said else None,
        "reason": None if answered else answer.text,
        "value": number_to_json(said.value) if said else None,
        "unit": said.unit if said else "",
        "confidence": _maybe_rounded(confidence),
        "decided_by": answer.decided_by if answered else None,
        "recap": _recap_to_json(answer, answered),
        "sources": [{**source_to_json(source), "marks": source_marks(answer, source)} for source in answer.sources],
        "candidates": [_candidate_to_json(candidate) for candidate in answer.candidates],
        "refused": [hit_to_json(rank, hit) for rank, hit in enumerate(answer.refused, 1)],
        "faithfulness": _faithfulness_to_json(answer.faithfulness),
        "degraded": list(answer.degraded),
        "warnings": list(answer.warnings),
        "models": dict(answer.models),
        "timings_ms": rounded(answer.timings_ms),
        "tokens": dict(answer.tokens),
    }


def _candidate_to_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "answer": candidate.text,
        "value": number_to_json(candidate.value),
        "unit": candidate.unit,
        "probability": round(candidate.probability, SCORE_DIGITS),
        "kind": candidate.kind,
        "source": source_to_json(candidate.source),
        "marks": [list(mark) for mark in candidate.marks],
    }


def _recap_to_json(answer: Answer, answered: bool) -> dict[str, Any]:
    computed = {"formula": answer.formula, "result": number_to_json(answer.result), "checked_by": "calculator"}
    return {
        "restate": {"type": answer.kind, "asks": answer.asks},
        "extract": [_evidence_to_json(piece) for piece in answer.evidence],
        "compute": computed if answer.formula else None,
        "answer": answer.text if answered else None,
        "present": answer.present or answer.text,
    }


def _evidence_to_json(piece: Evidence) -> dict[str, Any]:
    return {
        "id": piece.id,
        "source": piece.source,
        "label": piece.label,
        "quote": piece.quote,
        "value": number_to_json(piece.value),
        "unit": unit_text(piece.unit, piece.scale),
        "locator": piece.locator.to_json() if piece.locator else None,
    }


def _faithfulness_to_json(found: Faithfulness | None) -> dict[str, Any] | None:
    if found is None:
        return None
    checks = {check.name: {"checked": check.checked, "failed": list(check.failed)} for check in found.checks}
    return {"score": round(found.score, SCORE_DIGITS), "level": found.level, "checks": checks}


def source_to_json(source: Source) -> dict[str, Any]:
    """A cited passage: the hit it comes from, at the narrower place that the answer uses."""
    return {
        **hit_to_json(source.ref, source.hit),
        "locator": source.locator.to_json(),
        "text": source.text,
    }


def hit_to_json(ref: int, hit: Hit) -> dict[str, Any]:
    """A passage with its scores; score, score_source and threshold are those of the source that judged it.

    An infinite threshold (no score would be enough) is null: JSON has no infinity.
    """
    by = hit.accepted_by or hit.judged_by or "fused"
    return {
        "ref": ref,
        "id": hit.chunk.id,
        "path": hit.path,
        **({"collection": hit.collection} if hit.collection else {}),
        "title": hit.title,
        "modality": hit.chunk.modality,
        "kind": hit.chunk.kind,
        "locator": hit.chunk.locator.to_json(),
        "context": hit.chunk.context,
        "text": hit.chunk.text,
        "score": round(hit.scores.get(by, hit.score), SCORE_DIGITS),
        "score_source": by if by in hit.scores else "fused",
        "threshold": _maybe_rounded(hit.threshold),
        "probability": _maybe_rounded(hit.probability),
        "fused": round(hit.score, SCORE_DIGITS),
        "scores": rounded(hit.scores),
        "accepted_by": hit.accepted_by,
    }


def index_to_json(report: IndexReport) -> dict[str, Any]:
    """mixrag.index/1."""
    return {
        "schema": "mixrag.index/1",
        "store": str(report.store),
        "added": report.added,
        "changed": report.changed,
        "reread": report.reread,
        "unchanged": report.unchanged,
        "renamed": report.renamed,
        "removed": report.removed,
        "stale": report.stale,
        "skipped": skipped_to_json(report.skipped),
        "left_out": len(report.left_out),
        "no_reader": dict(report.no_reader),
        "chunks": report.chunks,
        "tokens": report.tokens,
        "seconds": round(report.seconds, 3),
        "warnings": list(report.warnings),
        "interrupted": report.interrupted,
        "summaries": summaries_to_json(report.summaries),
        "groups": groups_to_json(report.groups),
    }


def groups_to_json(report: GroupReport | None) -> dict[str, Any] | None:
    """What became of the groups of passages; null where none are searched."""
    if report is None:
        return None
    return {
        "maker": report.maker,
        "groups": report.groups,
        "made": report.made,
        "kept": report.kept,
        "left": report.left,
        "tokens": report.tokens,
        "seconds": report.seconds,
        "stopped": report.stopped or None,
    }


def summaries_to_json(report: SummaryReport | None) -> dict[str, Any] | None:
    """What became of the tables without a summary; null where none were asked for."""
    if report is None:
        return None
    return {
        "form": report.form,
        "model": report.model,
        "tables": report.tables,
        "made": report.made,
        "remembered": report.remembered,
        "rejected": report.rejected,
        "left": report.left,
        "tokens": report.tokens,
        "seconds": report.seconds,
        "stopped": report.stopped or None,
    }


def status_to_json(status: StoreStatus) -> dict[str, Any]:
    """mixrag.status/1; updated is UTC in ISO 8601."""
    return {
        "schema": "mixrag.status/1",
        "store": str(status.store),
        "roots": list(map(str, status.roots)),
        "documents": {"indexed": status.documents, "by_modality": dict(status.by_modality)},
        "chunks": status.chunks,
        "skipped": skipped_to_json(status.skipped),
        "left_out": skipped_to_json(status.left_out),
        "no_reader": dict(status.no_reader),
        "partly": list(status.partly),
        "encodings": list(status.encodings),
        "models": dict(status.models),
        "thresholds": dict(status.thresholds),
        "calibration": _origin_to_json(status.calibration),
        "stale": status.stale,
        "bytes": status.bytes,
        "updated": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(status.updated)),
        "version": status.program,
        "changes": {kind: list(paths) for kind, paths in asdict(status.changes).items()},
        "run": status.run,
    }


def files_to_json(files: Sequence[ListedFile]) -> dict[str, Any]:
    """mixrag.ls/1; "reason" is null where nothing is the matter."""
    return {
        "schema": "mixrag.ls/1",
        "files": [
            {
                "path": each.path,
                "modality": each.modality or None,
                "passages": each.passages,
                "bytes": each.bytes,
                "state": each.state,
                "reason": each.reason or None,
                "notes": list(each.notes),
            }
            for each in files
        ],
    }


def calibration_to_json(report: CalibrationReport) -> dict[str, Any]:
    """mixrag.calibration/1; "assessment" is null where the calibration was only set back."""
    found = report.assessment
    return {
        "schema": "mixrag.calibration/1",
        "store": str(report.store),
        "rerank": report.rerank,
        "stored": report.is_stored,
        **_origin_to_json(report.calibration),
        "assessment": None
        if found is None
        else {
            "questions": found.questions,
            "found": found.found,
            "error": round(found.error, SCORE_DIGITS),
            "error_shipped": round(found.error_before, SCORE_DIGITS),
            "sources": [_source_assessment_to_json(each) for each in found.sources],
        },
        "notes": list(report.notes),
    }


def _origin_to_json(calibration: Calibration) -> dict[str, Any]:
    """Where thresholds come from: "shipped", "collection" (without labels) or "labels"."""
    return {
        "origin": calibration.origin,
        "questions": calibration.questions,
        "error": _maybe_rounded(calibration.error),
    }


def _source_assessment_to_json(found: SourceAssessment) -> dict[str, Any]:
    return {
        "source": found.source,
        "modality": found.modality,
        "threshold": _maybe_rounded(found.threshold),
        "threshold_shipped": _maybe_rounded(found.threshold_before),
        "balanced_accuracy": _maybe_rounded(found.accuracy),
        "balanced_accuracy_shipped": _maybe_rounded(found.accuracy_before),
        "relevant": found.n_relevant,
        "other": found.n_other,
        "low": round(found.low, SCORE_DIGITS),
        "high": round(found.high, SCORE_DIGITS),
        "histogram": {"relevant": list(found.relevant), "other": list(found.other)},
    }


def skipped_to_json(skipped: Iterable[Skipped]) -> list[dict[str, str]]:
    """One entry a file that is not in the index."""
    return [{"path": each.path, "code": each.code, "reason": each.reason} for each in skipped]


def tables_to_json(path: str, tables: Sequence[Table]) -> dict[str, Any]:
    """mixrag.tables/1."""
    return {"schema": "mixrag.tables/1", "path": path, "tables": [table_to_json(table) for table in tables]}


def table_to_json(table: Table) -> dict[str, Any]:
    """One table: header paths with their grid indices, and the data cells."""
    return {
        "id": table.id,
        "kind": table.kind,
        "title": table.title,
        "unit": table.unit,
        "scale": table.scale,
        "confidence": round(table.confidence, SCORE_DIGITS),
        "locator": table.locator.to_json(),
        "total_rows": table.total_rows,
        "notes": list(table.notes),
        "columns": [{"index": each.index, "path": list(each.path)} for each in table.columns],
        "rows": [{"index": each.index, "path": list(each.path), "total": each.is_total} for each in table.rows],
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "text": cell.text,
                "value": number_to_json(cell.value),
                "unit": cell.unit,
                "scale": cell.scale,
                "cell": cell.address,
                "line": cell.line,
                "row_span": cell.row_span,
                "column_span": cell.column_span,
            }
            for cell in table.cells
        ],
    }


def show_to_json(passage: Passage) -> dict[str, Any]:
    """mixrag.show/1."""
    return {
        "schema": "mixrag.show/1",
        "path": passage.path,
        "title": passage.title,
        "modality": passage.modality,
        "locator": locator_to_json(passage.locator),
        "text": passage.text,
        "context_before": passage.context_before,
        "context_after": passage.context_after,
        "highlight": list(passage.highlight),
        "tables": [table_to_json(table) for table in passage.tables],
    }


def remove_to_json(removed: Sequence[str]) -> dict[str, Any]:
    """mixrag.remove/1."""
    return {"schema": "mixrag.remove/1", "removed": list(removed)}


def settings_to_json(file: str, settings: Sequence[Resolved]) -> dict[str, Any]:
    """mixrag.config/1; a folder is written as text."""
    return {
        "schema": "mixrag.config/1",
        "path": file,
        "settings": [
            {
                "name": each.name,
                "value": str(each.value) if isinstance(each.value, Path) else each.value,
                "origin": each.origin,
            }
            for each in settings
        ],
    }


def findings_to_json(findings: Sequence[tuple[str, str, str, str]]) -> dict[str, Any]:
    """mixrag.doctor/1 from rows of (state, name, detail, remedy)."""
    return {
        "schema": "mixrag.doctor/1",
        "fit": all(state != "fail" for state, *_ in findings),
        "checks": [
            {"name": name, "state": state, "detail": detail, "remedy": remedy}
            for state, name, detail, remedy in findings
        ],
    }


def locator_to_json(locator: Locator | None) -> dict[str, Any] | None:
    """The place, null where there is none."""
    return locator.to_json() if locator else None


def number_to_json(value: Decimal | None) -> int | float | str | None:
    """An exact decimal as a JSON number; as text where a float would change its digits."""
    if value is None:
        return None
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value():
        return int(value)
    return float(value) if len(value.normalize().as_tuple().digits) <= MAX_EXACT_DIGITS else str(value)


def rounded(figures: Mapping[str, float]) -> dict[str, float]:
    """The figures with SCORE_DIGITS digits behind the point."""
    return {name: round(value, SCORE_DIGITS) for name, value in figures.items()}


def _maybe_rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, SCORE_DIGITS)
