"""The JSON forms of what commands report: records -> dicts of plain values.

Fields are only ever added; schemas/ describes each form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixrag_cli.output.payload_values import (
    SCORE_DIGITS,
    checks_to_json,
    locator_to_json,
    maybe_rounded,
    moment_to_json,
    number_to_json,
)
from mixrag_cli.records.files import Skipped
from mixrag_cli.records.tables import Table

if TYPE_CHECKING:
    from mixrag_cli.retrieval.assessment import SourceAssessment
    from mixrag_cli.retrieval.calibration import Calibration
    from mixrag_cli.settings import Resolved
    from mixrag_cli.stories.calibrating_by_wish import CalibrationReport
    from mixrag_cli.stories.grouping import GroupReport
    from mixrag_cli.stories.indexing import IndexReport
    from mixrag_cli.stories.inspection import ListedFile, StoreStatus
    from mixrag_cli.stories.showing import Passage
    from mixrag_cli.stories.summarising import SummaryReport
    from mixrag_cli.stories.surety import SuretyFit


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
        "judged_answers": status.judged_answers,
        "stale": status.stale,
        "bytes": status.bytes,
        "updated": moment_to_json(status.updated),
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
    """mixrag.calibration/1; "assessment" is null where the scores stayed or were set back, "answers" without any."""
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
        "answers": None if report.answers is None else _surety_to_json(report.answers),
        "notes": list(report.notes),
    }


def _surety_to_json(found: SuretyFit) -> dict[str, Any]:
    shipped = {f"{name}_shipped": value for name, value in asdict(found.before).items()}
    told = {"stored": found.is_better, "questions": found.questions, "best_right": found.right, "offset": found.offset}
    return {**told, **asdict(found.after), **shipped}


def _origin_to_json(calibration: Calibration) -> dict[str, Any]:
    """Where thresholds come from: "shipped", "collection" (without labels) or "labels"."""
    return {
        "origin": calibration.origin,
        "questions": calibration.questions,
        "error": maybe_rounded(calibration.error),
    }


def _source_assessment_to_json(found: SourceAssessment) -> dict[str, Any]:
    return {
        "source": found.source,
        "modality": found.modality,
        "threshold": maybe_rounded(found.threshold),
        "threshold_shipped": maybe_rounded(found.threshold_before),
        "balanced_accuracy": maybe_rounded(found.accuracy),
        "balanced_accuracy_shipped": maybe_rounded(found.accuracy_before),
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
        "checks": checks_to_json(findings),
    }
